//! k6.

use super::{account, common, read};

#[test]
fn handle_summary_data() {
    insta::assert_snapshot!(account("k6", "k6/handle-summary.json"));
}

#[test]
fn summary_export() {
    insta::assert_snapshot!(account("k6", "k6/summary-export.json"));
}

#[test]
fn machine_readable_summary() {
    insta::assert_snapshot!(account("k6", "k6/machine-readable.json"));
}

#[test]
fn all_summary_kinds_use_the_same_names() {
    let names = |path: &str| {
        let report = read(&super::fixture(path));
        let rows = report
            .rows
            .iter()
            .filter(|row| !row.scenario.starts_with("check"));
        rows.map(|row| row.scenario.to_string()).collect::<Vec<_>>()
    };
    let expected = names("k6/handle-summary.json");
    assert_eq!(expected.len(), 11);
    for path in ["k6/summary-export.json", "k6/machine-readable.json"] {
        assert_eq!(names(path), expected, "{path}");
    }
}

#[test]
fn a_malformed_metric_is_reported_once() {
    let text =
        r#"{"metrics": {"odd": 5, "vus": {"value": 1}, "worse": {"values": 3}}, "root_group": {}}"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 vus |  |  | -1 | value=1
    file:1 skipped: `odd` has no known values
    file:1 skipped: `worse` has no known values
    file: 1 of 1 lines (k6)
    ");
}

#[test]
fn metric_type_is_inferred_from_its_values() {
    let text = r#"{"metrics": {"my_trend": {"p(99.9)": 3, "p(5)": 1, "count": 9}, "my_duration": {"med": 2.5}, "odd": {"x": 1},
"iteration_duration": {"thresholds": {"avg<1": true, "max<9": false}, "avg": 2}}, "root_group": {"checks": {}, "groups": {}}}"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 iteration_duration |  |  | -1 |  | failed
    file:1 my_duration |  |  | -1 | latencyP50Ms=2.5
    file:1 my_trend |  |  | -1 | valueP5=1 valueP99.9=3
    file:1 skipped: `odd` has no known values
    file: 3 of 2 lines (k6)
    ");
}

#[test]
fn truncated_json_is_recognized() {
    let nearest = |text: &str| {
        read(text.as_bytes()).inputs[0]
            .nearest
            .map(|(format, _)| format)
    };
    let cut = r#"{"metrics": {"http_req_duration": {"type": "trend", "contains": "time", "values": {"med": 20.1"#;
    assert_eq!(nearest(cut), Some("k6"));
    assert_eq!(
        nearest(r#"{"metrics": {"http_req_duration": {"avg": 21.4, "p(90)": 26.4"#),
        Some("k6")
    );
    assert_eq!(
        nearest(r#"{"root_group": {"name": "", "path": "", "groups": ["#),
        Some("k6")
    );
    assert_eq!(nearest(r#"{"metrics": {"speed": {"type": "car"}}}"#), None);
}

#[test]
fn tags_of_samples_are_no_rows() {
    let point = r#"{"metric":"http_req_duration","type":"Point","data":{"time":"2031-03-04T09:14:10Z","value":1.5,"tags":{"expected_response":"true","method":"GET","scenario":"default","status":"200"}}}"#;
    let hint = |text: &str| read(text.as_bytes()).require_rows().unwrap_err().hint;
    insta::assert_snapshot!(hint(&format!("{point}\n{point}\n")), @"`file` is k6 samples, not the summary: run k6 with `--summary-export=summary.json`");
    let csv = "metric_name,timestamp,metric_value,check,scenario,status\nhttp_reqs,1930295650,1.000000,,default,200\n";
    insta::assert_snapshot!(hint(csv), @"`file` is k6 samples, not the summary: run k6 with `--summary-export=summary.json`");
}
