//! Findings about the inputs, and their effect on verdicts.

use perf_model::finding::{Finding, FindingEffect, FindingKind};
use perf_verdict::{Comparison, Verdict};

use crate::case::{Case, run};

/// Two benchmarks, `s0` five times faster than before, with these findings about this run.
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

#[test]
fn failed_benchmark_is_missing() {
    let failed = |name: &str| Finding::about(FindingKind::Failed, name.into(), "exited with 1");
    let comparison = with(vec![failed("s0")]);
    assert_eq!(missing(&comparison), ["s0"]);
    assert_eq!(verdict(&comparison, "s0"), None);
    assert_eq!(comparison.findings[0].effect, FindingEffect::Missing);
    // Nobody misses a benchmark that was never measured, but the headline shows that it failed.
    let comparison = with(vec![failed("new")]);
    assert_eq!(missing(&comparison), [""; 0]);
    assert_eq!(comparison.findings[0].effect, FindingEffect::Listed);
}

#[test]
fn benchmark_that_failed_in_the_baseline_is_new() {
    let failed = Finding::about(FindingKind::Failed, "s0".into(), "exited with 1");
    let case = Case {
        current: run("now", &[500.0, 100.0]),
        baseline: run("before", &[100.0, 100.0]),
        baseline_findings: vec![failed],
        ..Case::default()
    };
    let comparison = case.compared();
    assert_eq!(comparison.tally().new, 1);
    assert_eq!(comparison.tally().regressed, 0);
    assert_eq!(comparison.findings[0].effect, FindingEffect::Listed);
}

#[test]
fn doubtful_benchmark_is_at_best_inconclusive() {
    for kind in [
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
fn benchmark_with_failed_process_runs_is_at_best_inconclusive() {
    let failed = Finding::about(FindingKind::PartlyFailed, "s0".into(), "1 of 2 failed");
    let case = Case {
        current: run("now", &[20.0]),
        baseline: run("before", &[100.0]),
        findings: vec![failed],
        ..Case::default()
    };
    assert_eq!(verdict(&case.compared(), "s0"), Some(Verdict::Inconclusive));
}
