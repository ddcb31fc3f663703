//! Findings about the inputs, and their effect on verdicts.

use perf_model::finding::{Finding, FindingEffect, FindingKind};
use perf_model::row::{Conditions, Key};
use perf_verdict::{Comparison, Verdict};

use crate::layers::case::{Case, launches, run};

/// Two benchmarks with these findings about this run; `s0` is five times as fast as before.
fn with(findings: Vec<Finding>) -> Comparison {
    let case = Case {
        current: run("now", &[20.0, 100.0]),
        baseline: run("before", &[100.0, 100.0]),
        findings,
        ..Case::default()
    };
    case.compared()
}

fn verdict(comparison: &Comparison, benchmark: &str) -> Option<Verdict> {
    let mut scenarios = comparison.scopes.iter().flat_map(|scope| &scope.scenarios);
    scenarios
        .find(|scenario| *scenario.scenario == *benchmark)
        .map(perf_verdict::ScenarioComparison::verdict)
}

fn missing(comparison: &Comparison) -> Vec<&str> {
    let scopes = comparison.scopes.iter();
    scopes
        .flat_map(|scope| scope.missing.iter().map(|name| &**name))
        .collect()
}

fn failed(name: &str) -> Finding {
    Finding::about(FindingKind::Failed, name.into(), "exited with 1")
}

/// A failure of `s0` on one platform.
fn failed_on(platform: &str) -> Finding {
    let conditions = Conditions {
        platform: platform.into(),
        ..Conditions::default()
    };
    let key = Key {
        scenario: "s0".into(),
        conditions: conditions.into(),
    };
    Finding::about_rows(FindingKind::Failed, &key, "exited with 1")
}

/// Runs of `s0`: the platform, and its time unless it failed.
fn of_platforms(commit: &str, runs: &[(&str, Option<f64>)]) -> String {
    let mut lines = vec!["scenario,platform,commit,runIndex,timeNs,outcome".to_owned()];
    for (platform, time) in runs {
        let cells = time.map_or("-1,failed".to_owned(), |time| format!("{time},measured"));
        lines.push(format!("s0,{platform},{commit},-1,{cells}"));
    }
    lines.join("\n")
}

#[test]
fn failed_benchmark_is_missing() {
    let case = Case {
        current: of_platforms("now", &[("P", None)]),
        baseline: of_platforms("before", &[("P", Some(100.0))]),
        findings: vec![failed("s0")],
        ..Case::default()
    };
    let comparison = case.compared();
    assert_eq!(missing(&comparison), ["s0"]);
    assert_eq!(verdict(&comparison, "s0"), None);
    assert_eq!(comparison.findings[0].effect, FindingEffect::Missing);
    // A benchmark that was never measured is not missing, but the headline shows that it failed.
    let comparison = with(vec![failed("new")]);
    assert_eq!(missing(&comparison), [""; 0]);
    assert_eq!(comparison.findings[0].effect, FindingEffect::Listed);
}

#[test]
fn benchmark_without_a_number_in_the_baseline_is_new() {
    let case = Case {
        current: of_platforms("now", &[("P", Some(500.0))]),
        baseline: of_platforms("before", &[("P", None)]),
        baseline_findings: vec![failed("s0")],
        ..Case::default()
    };
    let comparison = case.compared();
    assert_eq!(comparison.tally().new, 1);
    assert_eq!(comparison.tally().regressed, 0);
    assert_eq!(comparison.findings[0].effect, FindingEffect::Listed);
}

#[test]
fn partial_failure_is_at_best_inconclusive() {
    for (now, expected) in [
        (500.0, Verdict::Regressed),
        (20.0, Verdict::Inconclusive),
        (100.0, Verdict::Inconclusive),
    ] {
        for is_in_baseline in [false, true] {
            let [findings, baseline_findings] = [!is_in_baseline, is_in_baseline]
                .map(|here| if here { vec![failed("s0")] } else { Vec::new() });
            let case = Case {
                current: run("now", &[now]),
                baseline: run("before", &[100.0]),
                findings,
                baseline_findings,
                ..Case::default()
            };
            assert_eq!(verdict(&case.compared(), "s0"), Some(expected), "{now}");
        }
    }
}

#[test]
fn failure_concerns_its_platform_only() {
    let both = [("linux", Some(500.0)), ("windows", Some(100.0))];
    let case = Case {
        current: of_platforms("now", &both),
        baseline: of_platforms("before", &[("linux", Some(100.0)), ("windows", None)]),
        baseline_findings: vec![failed_on("windows")],
        ..Case::default()
    };
    let tally = case.compared().tally();
    assert_eq!((tally.regressed, tally.new), (1, 1));
    let case = Case {
        current: of_platforms("now", &[("linux", Some(500.0)), ("windows", None)]),
        baseline: of_platforms("before", &both.map(|(name, _)| (name, Some(100.0)))),
        findings: vec![failed_on("windows")],
        ..Case::default()
    };
    let tally = case.compared().tally();
    assert_eq!((tally.regressed, tally.missing), (1, 1));
}

#[test]
fn doubtful_benchmark_is_at_best_inconclusive() {
    for kind in [
        FindingKind::PartlyFailed,
        FindingKind::Unreadable,
        FindingKind::TooFewResults,
        FindingKind::Ambiguous,
    ] {
        for name in ["s0", "s1"] {
            let comparison = with(vec![Finding::about(kind, name.into(), "a doubt")]);
            assert_eq!(verdict(&comparison, name), Some(Verdict::Inconclusive));
            assert!(!comparison.is_input_doubtful());
        }
    }
}

#[test]
fn doubt_does_not_hide_a_regression() {
    let doubt = Finding::about(FindingKind::Ambiguous, "s0".into(), "a doubt");
    let case = Case {
        current: run("now", &[500.0]),
        baseline: run("before", &[100.0]),
        findings: vec![doubt],
        ..Case::default()
    };
    assert_eq!(verdict(&case.compared(), "s0"), Some(Verdict::Regressed));
}

#[test]
fn finding_about_a_whole_input_leaves_it_inconclusive() {
    for (kind, is_doubtful) in [
        (FindingKind::Failed, true),
        (FindingKind::TooFewResults, true),
        (FindingKind::UnknownUnit, false),
        (FindingKind::Stale, false),
    ] {
        let comparison = with(vec![Finding::about_input(kind, "a doubt")]);
        assert_eq!(comparison.is_input_doubtful(), is_doubtful, "{kind:?}");
        assert_eq!(verdict(&comparison, "s0"), Some(Verdict::Improved));
        assert_eq!(missing(&comparison), [""; 0]);
    }
}

#[test]
fn slower_pairs_with_the_same_code_are_inconclusive() {
    let mut case = Case {
        current: launches("now", &[200.0; 16]),
        baseline: launches("before", &[100.0; 16]),
        findings: vec![Finding::about(FindingKind::Layout, "s0".into(), "moved")],
        ..Case::default()
    };
    // Without pairs, there are more causes.
    for (paired, found) in [(false, Verdict::Regressed), (true, Verdict::Inconclusive)] {
        case.paired = paired;
        assert_eq!(verdict(&case.compared(), "s0"), Some(found));
    }
}
