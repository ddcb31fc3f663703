//! k6.

use super::{account, common, read};

#[test]
fn what_a_script_is_given() {
    insta::assert_snapshot!(account("k6", "k6/handle-summary.json"));
}

#[test]
fn what_is_exported() {
    insta::assert_snapshot!(account("k6", "k6/summary-export.json"));
}

#[test]
fn what_machines_read() {
    insta::assert_snapshot!(account("k6", "k6/machine-readable.json"));
}

#[test]
fn all_kinds_of_summaries_name_the_same() {
    let names = |path: &str| {
        let readout = read(&super::fixture(path));
        let rows = readout.rows.iter().filter(|row| !row.scenario.starts_with("check"));
        rows.map(|row| row.scenario.to_string()).collect::<Vec<_>>()
    };
    let expected = names("k6/handle-summary.json");
    assert_eq!(expected.len(), 11);
    for path in ["k6/summary-export.json", "k6/machine-readable.json"] {
        assert_eq!(names(path), expected, "{path}");
    }
}

#[test]
fn what_a_metric_is_may_only_be_told_by_its_numbers() {
    let text = r#"{"metrics": {"my_trend": {"p(99.9)": 3, "p(5)": 1, "count": 9}, "my_duration": {"med": 2.5}, "odd": {"x": 1},
"iteration_duration": {"thresholds": {"avg<1": true, "max<9": false}, "avg": 2}}, "root_group": {"checks": {}, "groups": {}}}"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 iteration_duration |  |  | -1 | latencyMs=2 | failed
    file:1 my_duration |  |  | -1 | latencyP50Ms=2.5
    file:1 my_trend |  |  | -1 | valueP5=1 valueP99.9=3
    file:1 skipped: `odd` has no numbers that are known
    file: 3 of 2 lines (k6)
    ");
}

#[test]
fn one_that_is_cut_off_early_is_recognised() {
    let nearest = |text: &str| read(text.as_bytes()).inputs[0].nearest.map(|(format, _)| format);
    let cut =
        r#"{"metrics": {"http_req_duration": {"type": "trend", "contains": "time", "values": {"med": 20.1"#;
    assert_eq!(nearest(cut), Some("k6"));
    assert_eq!(nearest(r#"{"metrics": {"http_req_duration": {"avg": 21.4, "p(90)": 26.4"#), Some("k6"));
    assert_eq!(nearest(r#"{"root_group": {"name": "", "path": "", "groups": ["#), Some("k6"));
    assert_eq!(nearest(r#"{"metrics": {"speed": {"type": "car"}}}"#), None);
}
