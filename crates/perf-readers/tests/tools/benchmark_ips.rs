//! benchmark-ips. The report is modelled on its documentation and source.

use super::{account, common, read};

#[test]
fn rates_have_their_deviation() {
    insta::assert_snapshot!(account("benchmark-ips", "benchmark-ips/report.txt"));
}

#[test]
fn titles_distinguish_equal_names() {
    let one = |title: &str, rate: &str| {
        format!(
            "{title}\nWarming up ---\n  map   1.0k i/100ms\nCalculating ---\n  map   {rate} (\u{b1}1.5%) i/s -   10 in 5s\n"
        )
    };
    let texts = [
        one("# 10 items", "12.5k") + &one("# 1000 items", "98.1"),
        one("run", "1.5k") + &one("run", "1.6k"),
    ];
    insta::assert_snapshot!(common::account(&read(texts[0].as_bytes())), @"
    file:5 10 items: map |  |  | -1 | opsPerSecond=12500 opsPerSecond.stddev=187.5
    file:10 1000 items: map |  |  | -1 | opsPerSecond=98.1 opsPerSecond.stddev=1.4714999999999998
    file: 2 of 10 lines (benchmark-ips)
    ");
    insta::assert_snapshot!(common::account(&read(texts[1].as_bytes())), @"
    file:5 map |  |  | 0 | opsPerSecond=1500 opsPerSecond.stddev=22.5
    file:10 map |  |  | 1 | opsPerSecond=1600 opsPerSecond.stddev=24
    1 further samples
    file: 2 of 10 lines (benchmark-ips)
    ");
}
