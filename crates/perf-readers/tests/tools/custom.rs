//! JSON of github-action-benchmark.

use perf_config::Config;
use perf_readers::Collector;

use super::{account, common, fixture, read};

#[test]
fn unit_names_the_metric() {
    insta::assert_snapshot!(account("custom", "custom/benches.json"));
}

/// Reads the fixture as this format, and lists the metrics with their meaning.
fn read_as(format: &str) -> String {
    let config = Config::default();
    let mut collector = Collector::new(&config);
    let bytes = fixture("custom/benches.json");
    collector
        .read_as(
            perf_readers::format(format).unwrap(),
            "file",
            &mut &bytes[..],
        )
        .unwrap();
    let report = collector.finish();
    let declared = report
        .declared
        .iter()
        .map(|(name, said)| format!("{name}: {said:?}"));
    let rows = report.rows.iter().map(|row| {
        let names: Vec<&str> = row
            .metrics
            .iter()
            .map(|(name, _)| &**name)
            .filter(|name| !name.ends_with("er"))
            .collect();
        format!("{} {names:?}", row.scenario)
    });
    rows.chain(declared).collect::<Vec<_>>().join("\n")
}

#[test]
fn format_sets_the_direction() {
    insta::assert_snapshot!(read_as("custom-smaller-is-better"), @r#"
    CPU load ["Percent"]
    parse ["timeNs", "MB"]
    serve ["requestsPerSecond", "timeMs"]
    odd ["value"]
    Percent: Declared { label: None, meaning: Meaning { unit: Percent, direction: Lower, exact: false } }
    requestsPerSecond: Declared { label: None, meaning: Meaning { unit: PerSecond, direction: Lower, exact: false } }
    value: Declared { label: None, meaning: Meaning { unit: None, direction: Lower, exact: false } }
    "#);
    insta::assert_snapshot!(read_as("custom-bigger-is-better"), @r#"
    CPU load ["Percent"]
    parse ["timeNs", "MB"]
    serve ["requestsPerSecond", "timeMs"]
    odd ["value"]
    Percent: Declared { label: None, meaning: Meaning { unit: Percent, direction: Higher, exact: false } }
    timeNs: Declared { label: None, meaning: Meaning { unit: Ns, direction: Higher, exact: false } }
    MB: Declared { label: None, meaning: Meaning { unit: None, direction: Higher, exact: false } }
    timeMs: Declared { label: None, meaning: Meaning { unit: Ms, direction: Higher, exact: false } }
    value: Declared { label: None, meaning: Meaning { unit: None, direction: Higher, exact: false } }
    "#);
}

#[test]
fn similar_json_gets_a_hint() {
    let near = |text: &str| {
        let report = read(text.as_bytes());
        report.inputs[0].nearest
    };
    insta::assert_debug_snapshot!(near("window.BENCHMARK_DATA = {\n  \"entries\": {}\n}"), @r#"
    Some(
        (
            "custom",
            "is the history of github-action-benchmark: pass it with `--history`",
        ),
    )
    "#);
    insta::assert_debug_snapshot!(near(r#"[{"name": "a", "value": 1}]"#), @r#"
    Some(
        (
            "custom",
            "has `name` and `value`, but no `unit`",
        ),
    )
    "#);
    assert_eq!(
        near(r#"[{"a": "name", "name": "unit", "unit": 1, "value": 2}]"#),
        None
    );
    let text =
        r#"[{"name": "a", "unit": "ms", "value": 1}, {"name": "a", "unit": "ms", "value": 2}]"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 a |  |  | -1 | timeMs=1
    file:1 a #2 |  |  | -1 | timeMs=2
    file: 2 of 1 lines (custom)
    ");
}
