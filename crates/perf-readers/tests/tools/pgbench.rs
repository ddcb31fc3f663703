//! pgbench.

use super::{account, common, read};

#[test]
fn scripts_and_repeated_runs() {
    insta::assert_snapshot!(account("pgbench", "pgbench/runs.txt"));
}

/// A log may print the header that several runs share only once.
#[test]
fn runs_without_their_own_header() {
    let text = "transaction type: <builtin: TPC-B (sort of)>\nscaling factor: 10\nquery mode: simple\nnumber of clients: 8\n\
                number of threads: 2\nduration: 60 s\nnumber of transactions actually processed: 900\n\
                latency average = 4.5 ms\ntps = 15.1 (without initial connection time)\n\n=== RUN 2 ===\nduration: 60 s\n\
                number of transactions actually processed: 1100\nlatency average = 4.1 ms\n\
                tps = 18.3 (without initial connection time)\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}

#[test]
fn second_value_of_a_run_is_reported() {
    let text = "transaction type: <builtin: select only>\nnumber of clients: 8\nlatency average = 4.5 ms\n\
                latency average = 4.9 ms\ntps = 15.1 (without initial connection time)\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}
