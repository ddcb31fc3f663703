//! sysbench.

use super::{account, common, read};

#[test]
fn tests_of_all_kinds() {
    insta::assert_snapshot!(account("sysbench", "sysbench/tests.txt"));
}

#[test]
fn numbers_without_the_options() {
    let run = |title: &str, rate: u32| {
        format!(
            "{title}\n\nSQL statistics:\n    transactions:                        {rate}   ({rate}.02 per sec.)\n\n\
             Throughput:\n    events/s (eps):                      {rate}.0200\n    \
             time elapsed:                        1.0s\n\nLatency (ms):\n         \
             avg:                                    3.69\n\nThreads fairness:\n    \
             events (avg/stddev):           {rate}.0/0.00\n    execution time (avg/stddev):   1.0/0.00\n\n"
        )
    };
    let text = run("On disk", 100) + &run("In memory", 900);
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}

#[test]
fn version_0_4() {
    let of = |test: &str| {
        format!(
            "sysbench 0.4.12:  multi-threaded system evaluation benchmark\n\n\
             Running the test with following options:\nNumber of threads: 4\n\n{test}\
             Test execution summary:\n    total time:                          30.0000s\n\
             \x20   total number of events:              3000\n    per-request statistics:\n\
             \x20        min:                                  0.20ms\n\
             \x20        avg:                                  5.68ms\n\
             \x20        max:                                226.62ms\n\
             \x20        approx.  95 percentile:              15.26ms\n\n\
             Threads fairness:\n    events (avg/stddev):           750.0000/0.00\n\
             \x20   execution time (avg/stddev):   29.3409/0.00\n\n"
        )
    };
    let text = of("Maximum prime number checked in CPU test: 20000\n\n")
        + &of(
            "Extra file open flags: 0\nOperations performed:  195 Read, 130 Write, 417 Other = 742 Total\n\
               Read 3.5Mb  Written 2.5Mb  Total transferred 6Mb  (1.5Kb/sec)\n  108.78 Requests/sec executed\n\n",
        )
        + &of(
            "Doing memory operations speed test\nOperations performed: 1048 (349.50 ops/sec)\n\n\
               1024.00 MB transferred (2.00 MB/sec)\n\n",
        )
        + &of(
            "OLTP test statistics:\n    transactions:                        3000  (100.05 per sec.)\n\
               \x20   read/write requests:                 57000  (1900.95 per sec.)\n\n",
        );
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}
