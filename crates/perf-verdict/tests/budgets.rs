//! Budgets, numbers that must be equal, and subtracted references.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use perf_verdict::{Comparison, MetricComparison, Obstacle, Reason, Verdict};

use crate::layers::case::Case;

/// Compares rows after a header, with earlier runs and confirmation runs.
fn compared(
    config: &str,
    header: &str,
    [baseline, current]: [&str; 2],
    history: &[String],
    confirmation_runs: &[&str],
) -> Comparison {
    let run = |rows: &str| format!("{header}\n{rows}");
    Case {
        history: history.iter().map(|rows| run(rows)).collect(),
        confirmation_runs: confirmation_runs.iter().map(|rows| run(rows)).collect(),
        ..Case::of_runs(config, &run(baseline), &run(current))
    }
    .compared()
}

fn metric<'c>(comparison: &'c Comparison, scenario: &str, metric: &str) -> &'c MetricComparison {
    let scenarios = comparison.scopes.iter().flat_map(|scope| &scope.scenarios);
    let mut metrics = scenarios
        .filter(|one| *one.scenario == *scenario)
        .flat_map(|one| &one.metrics);
    metrics.find(|one| *one.metric.name == *metric).unwrap()
}

/// The verdict on a time in ms, and whether its budget decided.
fn time(config: &str, baseline: &str, current: &str) -> (Verdict, bool) {
    let runs = [baseline, current].map(|time| {
        if time.is_empty() {
            String::new()
        } else {
            format!("a,{time}\n")
        }
    });
    let comparison = compared(config, "scenario,timeMs", [&runs[0], &runs[1]], &[], &[]);
    let judgement = &metric(&comparison, "a", "timeMs").judgement;
    (
        judgement.verdict,
        matches!(judgement.reason, Reason::Budget(_)),
    )
}

const AT_MOST_16: &str = "gates = [{ metric = 'timeMs', max = '16 ms' }]\n";

#[test]
fn budget_is_inclusive_and_adds_to_the_default_rule() {
    use Verdict::{Moved, Regressed};
    for (baseline, current, expected) in [
        ("15", "16", (Moved, false)),
        ("15", "16.01", (Regressed, true)),
        ("2", "4", (Regressed, false)),
        ("20", "17", (Regressed, true)),
    ] {
        assert_eq!(
            time(AT_MOST_16, baseline, current),
            expected,
            "{baseline} → {current}"
        );
    }
}

#[test]
fn a_new_benchmark_has_its_budget() {
    assert_eq!(time(AT_MOST_16, "", "17"), (Verdict::Regressed, true));
    assert_eq!(time(AT_MOST_16, "", "15"), (Verdict::Unchanged, true));
    let zero = "gates = [{ metric = 'gcAllocations', max = 0 }]\n";
    let new = compared(
        zero,
        "scenario,gcAllocations,timeNs",
        ["", "a,1,5\nb,0,5\n"],
        &[],
        &[],
    );
    assert_eq!(
        metric(&new, "a", "gcAllocations").judgement.verdict,
        Verdict::Regressed
    );
    let tally = new.tally();
    assert_eq!((tally.regressed, tally.new, tally.compared), (1, 2, 2));
    assert!(
        new.scopes[0]
            .scenarios
            .iter()
            .all(|scenario| scenario.metrics.len() == 1)
    );
    assert_eq!((new.tested, new.blind.len()), (2, 0));
}

#[test]
fn a_minimum_fails_below() {
    let config = "gates = [{ metric = 'requestsPerSecond', min = 1000 }]\n";
    let of = |rate: &str| {
        let rows = format!("a,{rate}\n");
        let found = compared(config, "scenario,requestsPerSecond", ["", &rows], &[], &[]);
        metric(&found, "a", "requestsPerSecond").judgement.verdict
    };
    assert_eq!(
        [of("999"), of("1000")],
        [Verdict::Regressed, Verdict::Unchanged]
    );
}

#[test]
fn the_first_budget_that_covers_a_benchmark_counts() {
    let config = "gates = [{ metric = 'timeMs', max = 100, scenarios = ['slow*'] }, { metric = 'time*', max = '16 ms' }]\n";
    let found = compared(
        config,
        "scenario,timeMs",
        ["", "slow_a,50\na,50\n"],
        &[],
        &[],
    );
    let verdict = |scenario| metric(&found, scenario, "timeMs").judgement.verdict;
    assert_eq!(
        [verdict("slow_a"), verdict("a")],
        [Verdict::Unchanged, Verdict::Regressed]
    );
}

#[test]
fn a_budget_holds_on_another_machine_and_needs_its_metric() {
    let of = |rows: &str| {
        let header = "scenario,timeMs,machineClass";
        let found = compared(
            AT_MOST_16,
            header,
            ["a,15,linux-x86_64-x\n", rows],
            &[],
            &[],
        );
        let judgement = metric(&found, "a", "timeMs").judgement.clone();
        (judgement.verdict, found.tally().unmeasured)
    };
    assert_eq!(of("a,17,linux-x86_64-y\n"), (Verdict::Regressed, 0));
    assert_eq!(of("a,15,linux-x86_64-y\n"), (Verdict::NotComparable, 0));
    let only = "gates = [{ metric = 'score', max = 5 }]\n";
    let gone = compared(
        only,
        "scenario,score,timeNs",
        ["a,5,1\n", "a,,1\n"],
        &[],
        &[],
    );
    assert_eq!(gone.tally().unmeasured, 1);
}

/// Earlier runs around 15.5 ms that vary by ±0.5 ms.
fn noisy_history() -> Vec<String> {
    (0..12)
        .map(|run| format!("a,c{run},{}\n", 15.0 + f64::from(run % 3) * 0.5))
        .collect()
}

#[test]
fn an_excess_within_the_noise_is_confirmed_first() {
    let header = "scenario,commit,timeMs";
    let verdict = |current: &str, confirmation_runs: &[&str]| {
        let current = format!("a,now,{current}\n");
        let found = compared(
            AT_MOST_16,
            header,
            ["a,c11,15.5\n", &current],
            &noisy_history(),
            confirmation_runs,
        );
        metric(&found, "a", "timeMs").judgement.clone()
    };
    let open = verdict("16.3", &[]);
    assert!(open.verdict == Verdict::Inconclusive && open.is_suspect());
    assert_eq!(
        verdict("16.3", &["a,now,16.4\n"]).verdict,
        Verdict::Regressed
    );
    assert_eq!(verdict("16.3", &["a,now,15.9\n"]).verdict, Verdict::Moved);
    assert_eq!(verdict("19", &[]).verdict, Verdict::Regressed);
}

#[test]
fn without_a_history_the_samples_show_the_noise() {
    let of = |times: [&str; 6]| {
        let rows = times
            .iter()
            .enumerate()
            .map(|(run, time)| format!("a,now,{run},{time}\n"));
        let rows = rows.collect::<Vec<_>>().concat();
        let found = compared(
            AT_MOST_16,
            "scenario,commit,runIndex,timeMs",
            ["", &rows],
            &[],
            &[],
        );
        metric(&found, "a", "timeMs").judgement.verdict
    };
    assert_eq!(
        of(["15", "17", "16.5", "15.5", "16.4", "18"]),
        Verdict::Inconclusive
    );
    assert_eq!(
        of(["16.4", "16.41", "16.42", "16.4", "16.43", "16.4"]),
        Verdict::Regressed
    );
}

#[test]
fn equal_numbers_fail_in_either_direction() {
    let config =
        "gates = [{ metric = 'calls', rule = 'equal' }, { metric = 'odd', rule = 'equal' }]\n";
    let of = |current: &str| {
        let rows = format!("a,{current},1\n");
        let found = compared(config, "scenario,calls,odd", ["a,7,1\n", &rows], &[], &[]);
        assert_eq!((found.tested, found.blind.len()), (2, 0));
        metric(&found, "a", "calls").judgement.verdict
    };
    assert_eq!(
        ["6", "7", "8"].map(of),
        [Verdict::Regressed, Verdict::Unchanged, Verdict::Regressed]
    );
}

#[test]
fn a_subtracted_benchmark_leaves_the_difference() {
    let config = "gates = [{ metric = 'timeNs', rule = 'limit', minus = 'empty', scenarios = ['a', 'b'] }]\n";
    let header = "scenario,timeNs";
    let base = "a,11\nb,30\nempty,10\n";
    let of = |current: &str| compared(config, header, [base, current], &[], &[]);
    // From 1 ns to 2 ns, which 11 ns and 12 ns do not show.
    let doubled = of("a,12\nb,30\nempty,10\n");
    let found = metric(&doubled, "a", "timeNs");
    assert_eq!(
        (found.judgement.verdict, found.judgement.change),
        (Verdict::Regressed, Some(1.0))
    );
    assert_eq!(
        metric(&doubled, "b", "timeNs").judgement.verdict,
        Verdict::Unchanged
    );
    let nothing = of("a,9\nb,30\nempty,10\n");
    let found = metric(&nothing, "a", "timeNs");
    assert!(
        matches!(
            found.judgement.reason,
            Reason::Obstacle(Obstacle::NothingLeft(_))
        ),
        "{found:?}"
    );
    let lost = of("a,12\nb,30\n");
    let found = metric(&lost, "a", "timeNs");
    assert!(
        matches!(
            found.judgement.reason,
            Reason::Obstacle(Obstacle::NoReference(_))
        ),
        "{found:?}"
    );
}

#[test]
fn a_quotient_may_be_of_differences_and_have_a_budget() {
    let config = "gates = [{ metric = 'timeNs', max = 2, minus = 'empty', relative-to = 'memcpy', scenarios = ['a'] }]\n";
    let of = |time: &str| {
        let rows = format!("a,{time}\nmemcpy,20\nempty,10\n");
        let found = compared(config, "scenario,timeNs", ["", &rows], &[], &[]);
        metric(&found, "a", "timeNs").judgement.verdict
    };
    assert_eq!(
        [of("30"), of("31")],
        [Verdict::Unchanged, Verdict::Regressed]
    );
}
