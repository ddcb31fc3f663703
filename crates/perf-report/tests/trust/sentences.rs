//! A sentence for every reason that a verdict can have.

use perf_config::Config;
use perf_model::metric::Direction;
use perf_model::row::{Outcome, Value};
use perf_model::suite::Definitions;
use perf_report::words::reason;
use perf_verdict::compare::MetricComparison;
use perf_verdict::oriented::cost;
use perf_verdict::rules::{guard, pairs, ratchet, samples};
use perf_verdict::verdict::{Found, HistoryFinding, Power, SamplesFinding, TailFinding};
use perf_verdict::{Judgement, Reason, Rule, Verdict};

/// A metric of these two numbers, judged so.
fn compared(
    metric: &str,
    (baseline, current): (f64, f64),
    rule: Rule,
    verdict: Verdict,
    because: Reason,
) -> MetricComparison {
    let [baseline, current] = [baseline, current].map(|number| Value::new(number).unwrap());
    let (b, c) = (baseline.as_f64(), current.as_f64());
    MetricComparison {
        metric: Config::default().metric(metric),
        baseline: Some(baseline),
        current: Some(current),
        outcome: Outcome::Measured,
        relative_to: None,
        judgement: Judgement {
            verdict,
            rule,
            because,
            change: (b > 0.0).then(|| (c - b) / b),
            moved: true,
            warned: false,
            power: Power::default(),
            waived: None,
        },
        more: None,
        band: None,
    }
}

const GATE: Rule = Rule::Threshold(0.33);
const SUSPECT: Found = Found::Suspect { confirmed: 0, repeats: 0, needed: 1 };

fn suspect(confirmed: usize, repeats: usize, needed: usize) -> Found {
    Found::Suspect { confirmed, repeats, needed }
}

/// A time of 16 ms against a history around 12.1 ms.
fn history(finding: Found) -> HistoryFinding {
    HistoryFinding { values: 30, median: 12.1, normal: 13.4, limit: 14.2, effect: 16.0 / 12.1 - 1.0, finding }
}

fn by_history(rule: Rule, verdict: Verdict, finding: Found) -> String {
    let because = Reason::History(Box::new(history(finding)));
    reason(&compared("decodeMs", (12.4, 16.0), rule, verdict, because))
}

#[test]
fn histories() {
    use Verdict::{Improved, Inconclusive, Moved, Regressed, Unchanged};
    let told = [
        by_history(GATE, Regressed, suspect(1, 1, 1)),
        by_history(GATE, Inconclusive, SUSPECT),
        by_history(GATE, Inconclusive, suspect(1, 1, 2)),
        by_history(GATE, Regressed, SUSPECT),
        by_history(GATE, Moved, suspect(1, 2, 1)),
        by_history(Rule::Threshold(0.5), Moved, suspect(1, 1, 1)),
        by_history(GATE, Unchanged, Found::Normal),
        by_history(GATE, Improved, Found::Better),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    12.10 → 16.00 ms (+32.2 % against the median of 30); normal is up to 13.40, the limit is 14.20; confirmed in 1 of 1 repeats
    12.10 → 16.00 ms (+32.2 % against the median of 30); normal is up to 13.40, the limit is 14.20; suspect, and not confirmed: run it once more and give the result with --confirm
    12.10 → 16.00 ms (+32.2 % against the median of 30); normal is up to 13.40, the limit is 14.20; confirmed in 1 of 1 repeats, and it takes 2: run it once more and give the result with --confirm
    12.10 → 16.00 ms (+32.2 % against the median of 30); normal is up to 13.40, the limit is 14.20; suspect, and not confirmed, but suspects fail here
    12.10 → 16.00 ms (+32.2 % against the median of 30); normal is up to 13.40, the limit is 14.20; not confirmed: 1 of 2 repeats was within the limit
    12.10 → 16.00 ms (+32.2 % against the median of 30); normal is up to 13.40, the limit is 14.20; the chosen limit of +100 % allows it
    12.10 → 16.00 ms (+32.2 % against the median of 30); normal is up to 13.40, the limit is 14.20
    12.10 → 16.00 ms (+32.2 % against the median of 30); better than noise can make it
    ");
}

#[test]
fn a_throughput_falls() {
    let found = HistoryFinding {
        values: 12,
        median: 1200.0,
        normal: 1100.0,
        limit: 1000.0,
        effect: 0.5,
        finding: SUSPECT,
    };
    let because = Reason::History(Box::new(found));
    insta::assert_snapshot!(reason(&compared("opsPerSecond", (1210.0, 800.0), GATE, Verdict::Inconclusive, because)), @"1.20 → 0.80 K/s (-33.3 % against the median of 12); normal is down to 1.10, the limit is 1.00; suspect, and not confirmed: run it once more and give the result with --confirm");
    let because = Reason::Drop { drop: 0.4, limit: 0.33 };
    insta::assert_snapshot!(reason(&compared("opsPerSecond", (100.0, 60.0), GATE, Verdict::Regressed, because)), @"100 → 60/s (-40 % against the baseline); the limit is -33 %");
}

#[test]
fn the_machine_moved_everything() {
    let shift = guard::Shift { distance: 1.9, share: 0.93, rows: 41 };
    let because = |shift| Reason::EnvironmentShift(Box::new((shift, Some(history(SUSPECT)))));
    let told =
        |shift| reason(&compared("decodeMs", (12.4, 16.0), GATE, Verdict::Inconclusive, because(shift)));
    insta::assert_snapshot!(told(shift), @"everything moved: 93 % of 41 rows are slower at once (1.9 × their noise), so this is the machine; here 12.10 → 16.00 ms (+32.2 % against the median of 30)");
    insta::assert_snapshot!(told(guard::Shift { distance: -2.25, ..shift }), @"everything moved: 93 % of 41 rows are faster at once (2.3 × their noise), so this is the machine; here 12.10 → 16.00 ms (+32.2 % against the median of 30)");
}

fn by_pairs(metric: &str, verdict: Verdict, found: pairs::Finding) -> String {
    reason(&compared(metric, (12.0, 12.9), Rule::Threshold(0.5), verdict, Reason::Pairs(Box::new(found))))
}

#[test]
fn pairs_side_by_side() {
    use pairs::Outcome::{Faster, Open, Same, Slower};
    let found = pairs::Finding {
        outcome: Slower,
        pairs: 40,
        slower: 38,
        needed: Some(32),
        median: 0.0714,
        upper: Some(0.08),
        lower: Some(0.06),
        until_next: Some(20),
        stray: 0.02,
        launches: 1,
    };
    let told = [
        by_pairs("decodeMs", Verdict::Regressed, found),
        by_pairs("opsPerSecond", Verdict::Regressed, found),
        by_pairs("decodeMs", Verdict::Moved, found),
        by_pairs(
            "decodeMs",
            Verdict::Improved,
            pairs::Finding { outcome: Faster, median: -0.0714, launches: 3, ..found },
        ),
        by_pairs(
            "decodeMs",
            Verdict::Unchanged,
            pairs::Finding { outcome: Same, slower: 3, median: 0.001, upper: Some(0.012), ..found },
        ),
        by_pairs("decodeMs", Verdict::Inconclusive, pairs::Finding { outcome: Open, slower: 30, ..found }),
        by_pairs(
            "decodeMs",
            Verdict::Inconclusive,
            pairs::Finding {
                outcome: Open,
                pairs: 60,
                needed: Some(44),
                slower: 40,
                until_next: None,
                ..found
            },
        ),
        by_pairs(
            "decodeMs",
            Verdict::Inconclusive,
            pairs::Finding {
                outcome: Open,
                pairs: 12,
                slower: 12,
                needed: None,
                until_next: Some(8),
                upper: None,
                ..found
            },
        ),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    slower by more than 2 % in 38 of 40 pairs (needs 32); median +7.4 % against the base
    slower by more than 2 % in 38 of 40 pairs (needs 32); median -6.9 % against the base
    slower by more than 2 % in 38 of 40 pairs (needs 32); median +7.4 % against the base; the chosen limit of +100 % allows it
    faster by more than 2 % in 38 of 40 pairs (needs 32); median -6.9 % against the base (of 3 launches a side, the better half counts)
    slower by more than 2 % in 3 of 40 pairs (needs 32); median +0.1 % against the base; at worst +1.2 % (95 % sure)
    slower by more than 2 % in 30 of 40 pairs (needs 32); median +7.4 % against the base; at worst +8.3 % (95 % sure); 20 more make the next look
    slower by more than 2 % in 40 of 60 pairs (needs 44); median +7.4 % against the base; at worst +8.3 % (95 % sure); there is no further look
    slower by more than 2 % in 12 of 12 pairs; median +7.4 % against the base; too few, 8 more make the first look
    ");
}

#[test]
fn launches_of_two_runs() {
    let test = samples::Finding {
        launches: (8, 8),
        p: 0.000_23,
        effect: 1.123_f64.ln(),
        interval: (1.098_f64.ln(), 1.149_f64.ln()),
        rejected: true,
    };
    let told = |metric: &str, verdict, test, finding| {
        let because = Reason::Samples(Box::new(SamplesFinding { test, finding }));
        reason(&compared(metric, (12.0, 13.5), GATE, verdict, because))
    };
    let told = [
        told("decodeMs", Verdict::Regressed, test, suspect(1, 1, 1)),
        told("opsPerSecond", Verdict::Inconclusive, test, SUSPECT),
        told("decodeMs", Verdict::Moved, test, Found::Normal),
        told(
            "decodeMs",
            Verdict::Unchanged,
            samples::Finding { p: 0.21, rejected: false, launches: (8, 5), ..test },
            Found::Normal,
        ),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    8 launches a side; +12.3 % [+9.8, +14.9] against the baseline's, p = 0.00023; confirmed in 1 of 1 repeats
    8 launches a side; -11 % [-13, -8.9] against the baseline's, p = 0.00023; suspect, and not confirmed: run it once more and give the result with --confirm
    8 launches a side; +12.3 % [+9.8, +14.9] against the baseline's, p = 0.00023; slower, but not by as much as is suspect
    5 launches against 8; +12.3 % [+9.8, +14.9] against the baseline's, p = 0.21; which may be chance
    ");
}

#[test]
fn counts() {
    use Verdict::{Improved, Regressed, Unchanged};
    let exact = |baseline: f64, current: f64, verdict| {
        let because = Reason::Difference(Value::new(current - baseline).unwrap());
        reason(&compared("allocs", (baseline, current), Rule::Exact, verdict, because))
    };
    let grown = |baseline: f64, current: f64, verdict, values| {
        let growth = (baseline > 0.0).then(|| (current - baseline) / baseline);
        let because = Reason::Growth { growth, limit: 0.002, values };
        reason(&compared("instructions", (baseline, current), Rule::Count(0.002), verdict, because))
    };
    let told = [
        exact(0.0, 3.0, Regressed),
        exact(3.0, 4.0, Regressed),
        exact(1000.0, 1001.0, Regressed),
        exact(7.0, 0.0, Improved),
        exact(7.0, 7.0, Unchanged),
        grown(0.0, 3.0, Regressed, 0),
        grown(3.0, 4.0, Regressed, 0),
        grown(1_000_000.0, 1_005_000.0, Regressed, 12),
        grown(1_000_000.0, 1_001_000.0, Unchanged, 0),
        grown(1_000_000.0, 900_000.0, Improved, 0),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    0 → 3: any at all fails
    3 → 4: 1 more of 3 is the smallest step there is (33 %), and any at all fails
    1,000 → 1,001: 1 more, and any at all fails
    7 → 0: 7 fewer
    exactly the same
    0 → 3: any at all fails
    3 → 4 (+33.3 % against the baseline); the limit is +0.2 %; 1 more of 3 is the smallest step there is (33 %)
    1,000,000 → 1,005,000 (+0.5 % against the baseline); the limit is +0.2 %, as 12 earlier counts tell
    1,000,000 → 1,001,000 (+0.1 % against the baseline); up to +0.2 % is usual
    1,000,000 → 900,000 (-10 % against the baseline); more than counts usually step
    ");
}

#[test]
fn what_holds_beside_every_rule() {
    let time = |verdict, because| reason(&compared("decodeMs", (12.1, 16.0), GATE, verdict, because));
    let lower = |value| cost(Direction::Lower, value).unwrap();
    let tail = |found| Reason::Tail(Box::new(found));
    let lost = ratchet::Finding { best: lower(12.1), ago: 17, level: lower(12.6), limit: 1.03_f64.ln() };
    let told = [
        time(Verdict::Regressed, Reason::Ratchet(Box::new(lost))),
        time(Verdict::Moved, Reason::BelowFloor { difference: 3.9, floor: 5.0 }),
        time(Verdict::Moved, tail(TailFinding { quantile: 0.99, values: Some(800), needed: Some(3_000) })),
        time(Verdict::Moved, tail(TailFinding { quantile: 0.999, values: None, needed: Some(30_000) })),
        time(Verdict::Moved, tail(TailFinding { quantile: 1.0, values: Some(9), needed: None })),
        time(Verdict::Moved, Reason::NotGated),
        time(Verdict::NotComparable, Reason::OtherMachine),
        time(Verdict::NotComparable, Reason::OtherMethodology(Box::new(("cold".into(), "warm".into())))),
        time(Verdict::NotComparable, Reason::OtherToolchain),
        time(Verdict::NotComparable, Reason::NoReference("memcpy".into())),
        time(Verdict::Unmeasured, Reason::NoCurrent),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    the last five are at 12.60 ms, 4.1 % worse than the best sustained level, 12.10 ms of 17 baselines ago; up to 3 % may be lost
    12.10 → 16.00 ms (+32.2 % against the baseline), but a difference of 3.90 is below the floor of 5.00 ms
    12.10 → 16.00 ms (+32.2 % against the baseline); not gated: p99 of 800 values; it takes 3,000
    12.10 → 16.00 ms (+32.2 % against the baseline); not gated: p99.9 of an unknown number of values; it takes 30,000
    12.10 → 16.00 ms (+32.2 % against the baseline); not gated: the maximum is one value, and gates nothing
    12.10 → 16.00 ms (+32.2 % against the baseline); not gated
    measured on machines of different classes
    measured by different methods: cold in the baseline, warm now
    built by different toolchains, which decide such counts
    it is relative to memcpy, which was not measured on both sides
    measured in the baseline, but not now
    ");
}

#[test]
fn thresholds_tell_a_limit_apart_from_what_is_just_beyond_it() {
    let drop = |current: f64, verdict| {
        let because = Reason::Drop { drop: (current - 100.0) / current, limit: 0.33 };
        reason(&compared("decodeNs", (100.0, current), GATE, verdict, because))
    };
    let told = [
        drop(149.3, Verdict::Regressed),
        drop(140.0, Verdict::Moved),
        drop(60.0, Verdict::Improved),
        drop(99.9, Verdict::Unchanged),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    100.00 → 149.30 ns (+49.3 % against the baseline); the limit is +49.25 %
    100 → 140 ns (+40 % against the baseline); up to +49.3 % passes
    100 → 60 ns (-40 % against the baseline); the opposite would fail
    100.00 → 99.90 ns (-0.1 % against the baseline)
    ");
}

#[test]
fn quotients_are_told_as_such() {
    let found =
        HistoryFinding { values: 12, median: 1.2, normal: 1.25, limit: 1.32, effect: 0.25, finding: SUSPECT };
    let because = Reason::History(Box::new(found));
    let mut quotient = compared("decodeMs", (12.0, 15.0), GATE, Verdict::Inconclusive, because);
    quotient.relative_to = Some("memcpy".into());
    insta::assert_snapshot!(reason(&quotient), @"relative to memcpy, 1.200 → 1.500 (+25 % against the median of 12); normal is up to 1.250, the limit is 1.320; suspect, and not confirmed: run it once more and give the result with --confirm");
    quotient.judgement.because = Reason::Drop { drop: 0.2, limit: 0.33 };
    quotient.judgement.verdict = Verdict::Moved;
    insta::assert_snapshot!(reason(&quotient), @"relative to memcpy, +25 % against the baseline; up to +49.3 % passes");
}
