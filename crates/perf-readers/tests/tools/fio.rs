//! fio.

use super::{account, common, read};

#[test]
fn directions_of_jobs() {
    insta::assert_snapshot!(account("fio", "fio/jobs.json"));
}

#[test]
fn report_on_the_terminal() {
    insta::assert_snapshot!(account("fio-text", "fio/jobs.txt"));
}

/// fio 2 counts in powers of 1024, and prints a failed job with its error.
#[test]
fn second_version_and_a_failed_job() {
    let text = "seq: (groupid=0, jobs=1): err= 0: pid=1: Thu Jan  1 00:00:00 2026\n  \
                read : io=4096.0MB, bw=1023.3KB/s, iops=152764, runt=  6864msec\n    \
                slat (usec): min=1, max=9, avg= 3.72, stdev=61.46\n     \
                lat (usec): min=36, max=1805.8K, avg=829.81, stdev=783.79\n    \
                clat percentiles (msec):\n     |  1.00th=[   68], 99.00th=[ 3216], 99.99th=[>=2000]\n  \
                cpu          : usr=3.28%, sys=7.99%, ctx=60641, majf=0, minf=200\n\
                bad: (groupid=1, jobs=1): err= 5 (file:io.c:1, func=io, error=Input/output error): pid=2: x\n  \
                read : io=0B, bw=0B/s, iops=0, runt=  1msec\n  cpu          : usr=0.00%\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}
