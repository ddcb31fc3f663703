//! A benchmark explained on the terminal.

use crate::trust::common::{Case, noise, run};
use perf_report::explain::explain;
use perf_report::reasons::sentence;

fn case(now: f64) -> Case {
    let rows = [("sort/1e6", 61_000_000.0, 1), ("insert", 77.0, 0)];
    let current = [("sort/1e6", 61_000_000.0 * now, 1), ("insert", 77.0, 0)];
    Case {
        history: (0..24).map(|commit| run(commit, &rows, 0.02)).collect(),
        baseline: run(24, &rows, 0.02),
        current: run(25, &current, 0.02),
        ..Case::default()
    }
}

fn explained(case: &Case, scenario: &str, width: usize) -> String {
    let (comparison, config) = case.compared();
    explain(&comparison, &config, scenario, width).unwrap_or_default()
}

#[test]
fn suspect_is_shown_with_its_history() {
    insta::assert_snapshot!(explained(&case(1.2), "sort/1e6", 80), @"
    sort/1e6: inconclusive

    decodeNs: inconclusive
      60.8 → 73.2 ms (+20% slower than the median of 25); normal up to 62.1, limit
      65.2; unconfirmed: rerun to confirm.
      Rule: history; run-to-run variation ±1.5%; minimum detectable slowdown 30.2%.
      To detect smaller changes: measure 16 to 60 pairs, which detect 5%.

    allocs: unchanged
      no change.
      Rule: exact count; baseline 1, head 1.
    ");
}

#[test]
fn explanation_fits_the_terminal() {
    let narrow = explained(&case(0.8), "sort/1e6", 40).replace('\u{a0}', " ");
    assert!(
        narrow.lines().all(|line| line.chars().count() <= 40),
        "{narrow}"
    );
    assert!(
        narrow.starts_with(
            "sort/1e6: improved\n\ndecodeNs: improved\n  60.8 → 48.8 ms (−20% faster than"
        ),
        "{narrow}"
    );
    assert!(explained(&case(0.8), "sort/1e6", 0).contains("improved"));
}

#[test]
fn a_scenario_is_found_by_key_label_and_scope() {
    let csv =
        |ns: u32| format!("scenario,platform,decodeNs\na/b,Linux,{ns}\na/b,mac,{ns}\ngone,mac,1\n");
    let case = Case {
        config: "[[scenarios]]\nkey = 'a/b'\nlabel = 'A of B'\n".to_owned(),
        baseline: csv(100),
        current: csv(100).replace("gone", "fresh"),
        ..Case::default()
    };
    let both = explained(&case, "a/b", 80);
    assert_eq!(both, explained(&case, "A of B", 80));
    insta::assert_snapshot!(both, @"
    A of B (Linux): unchanged

    decodeNs: unchanged
      no change.
      Rule: limit +33%; baseline 100 ns, head 100 ns.
      To detect smaller changes: add 10 more baselines, or measure 16 to 60 pairs,
      which detect 5%.

    A of B (mac): unchanged

    decodeNs: unchanged
      no change.
      Rule: limit +33%; baseline 100 ns, head 100 ns.
      To detect smaller changes: add 10 more baselines, or measure 16 to 60 pairs,
      which detect 5%.
    ");
    let one = explained(&case, "mac/a/b", 80);
    assert!(
        one.starts_with("A of B (mac): unchanged\n") && !one.contains("Linux"),
        "{one}"
    );
    assert_eq!(one, explained(&case, "mac/A of B", 80));
    assert_eq!(
        explained(&case, "gone", 80),
        "gone (mac): in the baseline, but not in this run\n"
    );
    assert_eq!(
        explained(&case, "fresh", 80),
        "fresh (mac): new (no baseline)\n"
    );
    assert_eq!(explained(&case, "b", 80), "");
}

#[test]
fn iterations_are_no_launches() {
    let run = |launches: u32, times: f64| {
        let row = |at: u32| {
            format!(
                "decode,{at},{},{}\n",
                at / 30 + 1,
                times * (1.0 + 0.01 * noise(at))
            )
        };
        "scenario,runIndex,launchIndex,decodeNs\n".to_owned()
            + &(0..launches * 30).map(row).collect::<String>()
    };
    let said = |launches| {
        let case = Case {
            baseline: run(launches, 100.0),
            current: run(launches, 120.0),
            ..Case::default()
        };
        explained(&case, "decode", 200)
    };
    for (launches, sentence) in [
        (1, "30 iterations in one process"),
        (
            4,
            "120 iterations in 4 processes: only the processes are compared",
        ),
    ] {
        assert!(said(launches).contains(sentence), "{}", said(launches));
    }
}

#[test]
fn a_changed_level_is_said_with_the_one_before() {
    let rows = |times: f64| [("sort/1e6", 61_000_000.0 * times, 1)];
    let level = |commit| if commit < 16 { 1.0 } else { 1.5 };
    let case = Case {
        history: (0..24)
            .map(|commit| run(commit, &rows(level(commit)), 0.02))
            .collect(),
        baseline: run(24, &rows(1.5), 0.02),
        current: run(25, &rows(1.8), 0.02),
        ..Case::default()
    };
    let (comparison, config) = case.compared();
    let metric = &comparison.scopes[0].scenarios[0].metrics[0];
    insta::assert_snapshot!(sentence(metric, &config), @"91.2 → 110 ms (+20% slower than the median of 25); normal up to 93.0, limit 97.6; level 91.2 ms since c0000016, 60.9 ms before; unconfirmed: rerun to confirm");
    insta::assert_snapshot!(serde_json::to_string(&metric.level).unwrap(), @r#"{"now":91165483.871,"before":60935528.3411,"values":9,"since":"c0000016"}"#);
}

#[test]
fn the_interval_of_a_change_may_stand_on_a_second_line() {
    let run = |times: f64| {
        let row = |at: u32| {
            format!(
                "S,{at},{},{}\n",
                at / 30 + 1,
                times + f64::from(at % 7 + at / 30)
            )
        };
        "scenario,runIndex,launchIndex,decodeNs\n".to_owned()
            + &(0..240).map(row).collect::<String>()
    };
    let report = Case {
        baseline: run(100.0),
        current: run(120.0),
        ..Case::default()
    }
    .markdown();
    let in_table = |line: &str| line.starts_with('|') && line.contains("slower \\[+");
    assert!(report.lines().any(in_table), "{report}");
}
