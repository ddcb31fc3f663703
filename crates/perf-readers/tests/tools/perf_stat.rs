//! perf stat.

use super::{account, common, read};

#[test]
fn report() {
    insta::assert_snapshot!(account("perf-stat", "perf-stat/report.txt"));
}

#[test]
fn fields() {
    insta::assert_snapshot!(account("perf-stat-fields", "perf-stat/runs.csv"));
}

#[test]
fn json() {
    insta::assert_snapshot!(account("perf-stat-fields", "perf-stat/run.jsonl"));
}

/// Numbers are printed in the language of the machine; other text may follow.
#[test]
fn decimal_commas_and_text_behind_the_report() {
    let text = " Performance counter stats for 'system wide':\n\n        170895,68      msec cpu-clock      #    7,999 CPUs utilized    ( +-  0,50% )\n             \
                1.357      page-faults       #    0,008 K/sec\n     1.413.179.341      cycles\n         7298401      branch-misses\n\n      \
                21,363827428 seconds time elapsed\n\n       1.204,5 seconds user\n\n0      apples\n12 pears\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}
