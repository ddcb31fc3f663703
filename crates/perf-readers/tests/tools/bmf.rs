//! Bencher Metric Format.

use super::{account, common, read};

#[test]
fn measures_and_intervals() {
    insta::assert_snapshot!(account("bmf", "bmf/measures.json"));
}

#[test]
fn other_nested_objects_are_not_bmf() {
    for text in [
        r#"{"name": "x", "scripts": {"build": {"value": 1}}}"#,
        r#"{"a": {"b": {"c": 1}}}"#,
        r#"{"a": {"b": {"value": "1"}}}"#,
        r#"{"a": {"value": 1}}"#,
        r#"[{"b": {"value": 1}}]"#,
    ] {
        let report = read(text.as_bytes());
        assert_eq!(
            (report.inputs[0].format, report.rows.len()),
            ("log", 0),
            "{text}"
        );
    }
    let odd = r#"{ "a\"b" : { "c" : { "lower_value":1, "value": 2e3, "note": "x" }, "d": {"value": null} } }"#;
    insta::assert_snapshot!(common::account(&read(odd.as_bytes())), @r#"
    file:1 a"b |  |  | -1 | c=2000 c.lower=1
    file: 1 of 1 lines (bmf)
    "#);
}

#[test]
fn built_in_measures_have_units() {
    let report = read(&super::fixture("bmf/measures.json"));
    let declared: Vec<String> = report
        .declared
        .iter()
        .map(|(name, said)| format!("{name} {:?}", said.meaning))
        .collect();
    insta::assert_snapshot!(declared.join("\n"), @"
    latency Meaning { unit: Ns, direction: Lower, exact: false }
    throughput Meaning { unit: PerSecond, direction: Higher, exact: false }
    build-time Meaning { unit: S, direction: Lower, exact: false }
    file-size Meaning { unit: Bytes, direction: Lower, exact: false }
    ");
}

#[test]
fn measure_may_have_any_name() {
    for measure in ["latency", "Build Time", "Final Blocks", "mine"] {
        let text = format!(r#"{{"a": {{"{measure}" : {{ "value" : 2}}}}}}"#);
        assert_eq!(read(text.as_bytes()).inputs[0].format, "bmf", "{measure}");
    }
}
