//! Benchee. The tables are modelled on its documentation and source.

use super::{account, common, fixture, read};

#[test]
fn times_of_inputs() {
    insta::assert_snapshot!(account("benchee", "benchee/times.txt"));
}

#[test]
fn memory_and_reductions_are_metrics_of_the_same_jobs() {
    insta::assert_snapshot!(common::account(&read(&fixture("benchee/table.txt"))));
}

#[test]
fn titles_that_a_script_sets_off() {
    let table = |size: &str, time: &str| {
        format!(
            "=== File size: {size} ===\n\nName      ips    average  deviation    median      99th %\n\
             parse  344.00   {time} ms    ±18.13%   2.63 ms     4.82 ms\n\n\
             Memory usage statistics:\n\nName      Memory usage\nparse      1.84 MB\n\n"
        )
    };
    let text = table("616.7K", "2.91") + &table("1.3K", "0.01");
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}

#[test]
fn title_right_below_a_table() {
    let table = |title: &str, time: &str| {
        format!(
            "=== {title} ===\n\nName  ips  average  deviation  median  99th %\nmap  344.00  {time} ms  ±18.13%  2.63 ms  4.82 ms\n"
        )
    };
    insta::assert_snapshot!(common::account(&read((table("A", "2.4") + &table("B", "3.1")).as_bytes())), @"
    file:4 A: map |  |  | -1 | timeNs=2400000 timeNs.stddev=435120 timeP50Ns=2630000 timeP99Ns=4820000 opsPerSecond=344
    file:8 B: map |  |  | -1 | timeNs=3100000 timeNs.stddev=562030 timeP50Ns=2630000 timeP99Ns=4820000 opsPerSecond=344
    file: 2 of 8 lines (benchee)
    ");
}
