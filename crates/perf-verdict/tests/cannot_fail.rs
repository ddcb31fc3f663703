//! Whether a metric can fail, and why not: one answer for every caller.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use perf_verdict::{CannotFail, Comparison, NotGated, Verdict};

use crate::layers::case::Case;

fn compared(config: &str, baseline: &str, current: &str) -> Comparison {
    Case::of_runs(config, baseline, current).compared()
}

fn reason(config: &str, metric: &str, baseline: &str, current: &str) -> Option<CannotFail> {
    let csv = |values: &str| format!("scenario,{metric},timeNs,allocs\na,{values}\n");
    let comparison = compared(config, &csv(baseline), &csv(current));
    let name = metric.split(',').next().unwrap();
    let found = comparison
        .metrics()
        .find(|one| *one.metric.name == *name)
        .unwrap();
    found.judgement.cannot_fail
}

#[test]
fn every_reason_has_a_type() {
    use CannotFail::{Floor, NoBaseline, NotFailing, NotGated as Exempt, Waived};
    let gate = |entry: &str| format!("gates = [{{ {entry} }}]\n");
    let (pair, percentile) = ("5,100,1", "latencyP99Ms,requests");
    for (config, metric, baseline, expected) in [
        ("", "peakBytes", pair, None),
        (
            "gates = []\n",
            "peakBytes",
            pair,
            Some(Exempt(NotGated::NoGate)),
        ),
        (
            &gate("metric = 'timeNs', rule = 'limit'"),
            "peakBytes",
            pair,
            None,
        ),
        (
            &gate("metric = 'peakBytes', rule = 'none'"),
            "peakBytes",
            pair,
            Some(Exempt(NotGated::NoGate)),
        ),
        (
            &gate("metric = 'peakBytes', rule = 'limit', scenarios = ['b']"),
            "peakBytes",
            pair,
            None,
        ),
        (
            &gate("metric = 'timeNs', rule = 'limit', only = true"),
            "peakBytes",
            pair,
            Some(Exempt(NotGated::NoGate)),
        ),
        (
            &gate("metric = 'peakBytes', max = 9, only = true"),
            "peakBytes",
            pair,
            None,
        ),
        (
            "",
            "gcAllocatedBytes",
            pair,
            Some(Exempt(NotGated::Informational)),
        ),
        ("", "gcTimeNs", pair, Some(Exempt(NotGated::Noise))),
        ("", "cacheMissesCount", pair, Some(Exempt(NotGated::Noise))),
        ("", "score", pair, Some(Exempt(NotGated::UnknownDirection))),
        (
            &gate("metric = 'score', rule = 'equal'"),
            "score",
            pair,
            None,
        ),
        ("", "bytesPerSecond", pair, Some(Exempt(NotGated::Derived))),
        ("", percentile, "5,800,100,1", Some(Exempt(NotGated::Tail))),
        ("", percentile, "5,8000,100,1", None),
        ("", "peakBytes", "-1,100,1", Some(NoBaseline)),
        (
            &gate("metric = 'peakBytes', max = 9"),
            "peakBytes",
            "-1,100,1",
            None,
        ),
        (
            "deltas.fail-on = ['missing']\n",
            "peakBytes",
            pair,
            Some(NotFailing(Verdict::Regressed)),
        ),
        (
            "waivers = [{ scenario = 'a', metric = 'peak*', reason = 'x', by = 'me', until = 2026-12-31 }]\n",
            "peakBytes",
            pair,
            Some(Waived(0)),
        ),
        (
            &gate("metric = 'peakBytes', rule = 'limit', floor = '1 KiB'"),
            "peakBytes",
            pair,
            Some(Floor(1024.0)),
        ),
    ] {
        let current = baseline.replace("-1,", "5,");
        assert_eq!(
            reason(config, metric, baseline, &current),
            expected,
            "{config} {metric}"
        );
    }
}

/// The verdict, whether the tally says `changed`, and whether nothing could fail.
fn outcome(config: &str, metric: &str, baseline: &str, current: &str) -> (Verdict, bool, bool) {
    let csv = |value: &str| format!("scenario,{metric},timeNs\na,{value},100\n");
    let comparison = compared(config, &csv(baseline), &csv(current));
    let found = comparison
        .metrics()
        .find(|one| *one.metric.name == *metric)
        .unwrap();
    (
        found.judgement.verdict,
        comparison.tally().changed,
        found.judgement.is_unguarded,
    )
}

#[test]
fn a_large_change_that_nothing_fails_is_known() {
    let only = "gates = [{ metric = 'timeNs', rule = 'limit', only = true }]\n";
    let listed = "[metrics.timeNs]\n[metrics.calls]\nunit = 'count'\nbetter = 'lower'\n";
    for (config, metric, baseline, current, is_unguarded) in [
        ("", "score", "1", "10", true),
        ("", "score", "10", "1", true),
        ("", "score", "0", "3", true),
        ("", "score", "3", "0", true),
        ("", "score", "10", "13", false),
        (only, "peakBytes", "500", "9000", true),
        (only, "peakBytes", "9000", "500", false),
        (only, "peakBytes", "0", "9000", true),
        (only, "allocs", "2", "8", true),
        (only, "opsPerSecond", "100", "10", true),
        ("", "gcAllocatedBytes", "500", "9000", true),
        ("", "gcTimeNs", "500", "9000", true),
        ("", "gcTimeNs", "500", "2500", false),
        ("", "branchMissesCount", "500", "9000", true),
        (listed, "calls", "500", "9000", true),
    ] {
        let (verdict, changed, unguarded) = outcome(config, metric, baseline, current);
        assert_eq!(
            (verdict, changed),
            (Verdict::Moved, true),
            "{metric} {baseline} {current}"
        );
        assert_eq!(unguarded, is_unguarded, "{metric} {baseline} {current}");
    }
    assert_eq!(
        outcome("", "score", "10", "10"),
        (Verdict::Unchanged, false, false)
    );
}

#[test]
fn a_benchmark_that_stopped_working_has_changed() {
    use Verdict::{Improved, NotComparable, Regressed};
    for (metric, baseline, current, verdict) in [
        ("latencyMs", "5", "0", NotComparable),
        ("opsPerSecond", "1000", "20000000", NotComparable),
        ("requestsPerSecond", "1000", "20000000", NotComparable),
        ("requestsPerSecond", "1000", "900000", Improved),
        ("instructions", "1000", "0", NotComparable),
        ("allocs", "4", "0", Improved),
        ("memoryBytes", "704", "0", Improved),
        ("memoryBytes", "0", "704", Regressed),
        ("binaryBytes", "5000000", "100", Improved),
    ] {
        assert_eq!(
            outcome("", metric, baseline, current),
            (verdict, true, false),
            "{metric} {current}"
        );
    }
}

#[test]
fn displayed_metrics_do_not_change_gates() {
    let csv = |bytes: u32| format!("scenario,timeNs,memoryBytes,gcTimeNs\na,100,{bytes},5\n");
    for config in [
        "",
        "deltas.also = []\n",
        "deltas.also = ['gcTimeNs']\n",
        "primary = 'timeNs'\n",
    ] {
        assert_eq!(
            compared(config, &csv(500), &csv(9000)).tally().regressed,
            1,
            "{config}"
        );
    }
    let off = "deltas.also = []\ngates = [{ metric = 'memoryBytes', rule = 'none' }]\n";
    assert_eq!(compared(off, &csv(500), &csv(9000)).tally().regressed, 0);
}
