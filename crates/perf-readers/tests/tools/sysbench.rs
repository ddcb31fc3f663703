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
