//! The sentence for every reason.

use perf_config::{Config, Reference};
use perf_model::row::{Outcome, Value};
use perf_model::suite::Definitions;
use perf_report::reasons;
use perf_verdict::evidence::ExtraEvidence;
use perf_verdict::evidence::tail::Tail;
use perf_verdict::rules::{budget, common, environment, exact, history, limit, pairs, samples};
use perf_verdict::{
    Bound, Budget, Confirmation, Judgement, MetricComparison, NotGated, Obstacle, Power, Reason,
    Rule, Shift, Verdict,
};

/// A metric with these two numbers and this judgement.
fn compared(
    metric: &str,
    (baseline, current): (f64, f64),
    rule: Rule,
    verdict: Verdict,
    reason: Reason,
) -> MetricComparison {
    let [baseline, current] = [baseline, current].map(|number| Value::new(number).unwrap());
    let (b, c) = (baseline.as_f64(), current.as_f64());
    MetricComparison {
        metric: Config::default().metric(metric),
        baseline: Some(baseline),
        current: Some(current),
        outcome: Outcome::Measured,
        judgement: Judgement {
            verdict,
            rule,
            reason,
            change: (b > 0.0).then(|| (c - b) / b),
            moved: true,
            warned: false,
            cannot_fail: None,
            is_unguarded: false,
            power: Power::default(),
            waived: None,
        },
        reference: Reference::default(),
        budget: None,
        derived_from: None,
        older: None,
        extra: ExtraEvidence::default(),
        band: None,
        level: None,
    }
}

fn reason(compared: &MetricComparison) -> String {
    reasons::sentence(compared, &Config::default())
}

const GATE: Rule = Rule::Limit(0.33);
const SUSPECT: Option<Confirmation> = Some(Confirmation {
    confirmed: 0,
    confirmation_runs: 0,
    needed: 1,
});

fn suspect(confirmed: usize, confirmation_runs: usize, needed: usize) -> Confirmation {
    Confirmation {
        confirmed,
        confirmation_runs,
        needed,
    }
}

/// A time of 16 ms against a history around 12.1 ms.
fn against_history(confirmation: Option<Confirmation>) -> history::Finding {
    history::Finding {
        values: 30,
        median: 12.1,
        normal: 13.4,
        limit: 14.2,
        effect: 16.0 / 12.1 - 1.0,
        confirmation,
        is_improved: false,
    }
}

fn by_history(rule: Rule, verdict: Verdict, confirmation: Option<Confirmation>) -> String {
    let found = Reason::History(history::Finding {
        is_improved: verdict == Verdict::Improved,
        ..against_history(confirmation)
    });
    reason(&compared("decodeMs", (12.4, 16.0), rule, verdict, found))
}

#[test]
fn histories() {
    use Verdict::{Improved, Inconclusive, Moved, Regressed, Unchanged};
    let said = [
        by_history(GATE, Regressed, Some(suspect(1, 1, 1))),
        by_history(GATE, Inconclusive, SUSPECT),
        by_history(GATE, Inconclusive, Some(suspect(1, 1, 2))),
        by_history(GATE, Inconclusive, Some(suspect(1, 2, 1))),
        by_history(GATE, Regressed, SUSPECT),
        by_history(GATE, Moved, Some(suspect(1, 3, 1))),
        by_history(Rule::Limit(0.5), Moved, Some(suspect(1, 1, 1))),
        by_history(GATE, Unchanged, None),
        by_history(GATE, Improved, None),
    ];
    insta::assert_snapshot!(said.join("\n"), @"
    12.1 → 16.0 ms (+32% slower than the median of 30); normal up to 13.4, limit 14.2; confirmed in 1 of 1 confirmation runs
    12.1 → 16.0 ms (+32% slower than the median of 30); normal up to 13.4, limit 14.2; unconfirmed: rerun to confirm
    12.1 → 16.0 ms (+32% slower than the median of 30); normal up to 13.4, limit 14.2; confirmed in 1 of 1 confirmation runs (2 needed): rerun to confirm
    12.1 → 16.0 ms (+32% slower than the median of 30); normal up to 13.4, limit 14.2; confirmed in 1 of 2 confirmation runs (more than half needed): rerun to confirm
    12.1 → 16.0 ms (+32% slower than the median of 30); normal up to 13.4, limit 14.2; unconfirmed, but configured to fail
    12.1 → 16.0 ms (+32% slower than the median of 30); normal up to 13.4, limit 14.2; not confirmed: 2 of 3 confirmation runs within the limit
    12.1 → 16.0 ms (+32% slower than the median of 30); normal up to 13.4, limit 14.2; within the chosen limit of +50%
    12.1 → 16.0 ms (+32% slower than the median of 30); normal up to 13.4, limit 14.2
    12.1 → 16.0 ms (+32% slower than the median of 30); an improvement beyond the run-to-run variation
    ");
}

#[test]
fn a_throughput_falls() {
    let found = history::Finding {
        values: 12,
        median: 1200.0,
        normal: 1100.0,
        limit: 1000.0,
        effect: 0.5,
        confirmation: SUSPECT,
        is_improved: false,
    };
    let found = Reason::History(found);
    insta::assert_snapshot!(reason(&compared("opsPerSecond", (1210.0, 800.0), GATE, Verdict::Inconclusive, found)), @"1.20 → 0.800 K/s (−33% slower than the median of 12); normal down to 1.10, limit 1.00; unconfirmed: rerun to confirm");
    let found = Reason::Limit(limit::Finding {
        loss: 0.4,
        limit: 0.33,
        distance: Some(0.51),
        confirmation: None,
    });
    insta::assert_snapshot!(reason(&compared("opsPerSecond", (100.0, 60.0), GATE, Verdict::Regressed, found)), @"100 → 60/s (−40% slower than the baseline); limit −33%");
    let said = |verdict, confirmed| {
        let runs = Confirmation {
            confirmed,
            confirmation_runs: 4,
            needed: 0,
        };
        let found = limit::Finding {
            loss: 0.4,
            limit: 0.33,
            distance: Some(0.51),
            confirmation: Some(runs),
        };
        reason(&compared(
            "opsPerSecond",
            (100.0, 60.0),
            GATE,
            verdict,
            Reason::Limit(found),
        ))
    };
    let said = [
        said(Verdict::Regressed, 3),
        said(Verdict::Moved, 1),
        said(Verdict::Inconclusive, 2),
    ];
    insta::assert_snapshot!(said.join("\n"), @"
    100 → 60/s (−40% slower than the baseline); limit −33%; confirmed in 3 of 4 confirmation runs
    100 → 60/s (−40% slower than the baseline); limit −33%; not confirmed: 3 of 4 confirmation runs within the limit
    100 → 60/s (−40% slower than the baseline); limit −33%; confirmed in 2 of 4 confirmation runs (more than half needed): rerun to confirm
    ");
}

#[test]
fn environment_shifts() {
    let shift = Shift {
        distance: 1.9,
        share: 0.93,
        rows: 41,
        median: 0.28,
        range: [0.253, 0.314],
    };
    let found = |shift| {
        Reason::Environment(environment::Finding {
            shift,
            history: Some(against_history(SUSPECT)),
        })
    };
    let said = |shift| {
        reason(&compared(
            "decodeMs",
            (12.4, 16.0),
            GATE,
            Verdict::Inconclusive,
            found(shift),
        ))
    };
    insta::assert_snapshot!(said(shift), @"environment shift: 38 of 41 benchmarks are 25–31% slower at once; this one: 12.1 → 16.0 ms (+32% slower than the median of 30)");
    insta::assert_snapshot!(said(Shift { distance: -2.25, range: [-0.203, -0.196], ..shift }), @"environment shift: 38 of 41 benchmarks are 20% faster at once; this one: 12.1 → 16.0 ms (+32% slower than the median of 30)");
}

fn by_pairs(metric: &str, verdict: Verdict, found: pairs::Finding) -> String {
    reason(&compared(
        metric,
        (12.0, 12.9),
        Rule::Limit(0.5),
        verdict,
        Reason::Pairs(found),
    ))
}

#[expect(clippy::too_many_lines, reason = "a table of sentences")]
#[test]
fn interleaved_pairs() {
    use pairs::Outcome::{Faster, Open, Same, Slower};
    let found = pairs::Finding {
        outcome: Slower,
        pairs: 40,
        margin: 1.02f64.ln(),
        slower: 38,
        faster: 1,
        within: 12,
        look: Some(pairs::LOOKS[4]),
        median: 0.0714,
        upper: Some(0.08),
        lower: Some(0.06),
        serial: None,
        until_next: Some(20),
        noise: 0.02,
        tail: None,
        control: Some(Same),
    };
    let mirrored = pairs::Finding {
        median: -0.0714,
        lower: Some(-0.08),
        upper: Some(-0.06),
        ..found
    };
    let said = [
        by_pairs("decodeMs", Verdict::Regressed, found),
        by_pairs("opsPerSecond", Verdict::Regressed, found),
        by_pairs("decodeMs", Verdict::Moved, found),
        by_pairs(
            "decodeMs",
            Verdict::Improved,
            pairs::Finding {
                outcome: Faster,
                slower: 1,
                faster: 38,
                ..mirrored
            },
        ),
        by_pairs(
            "decodeMs",
            Verdict::Unchanged,
            pairs::Finding {
                outcome: Same,
                slower: 3,
                within: 37,
                median: 0.001,
                lower: Some(-0.008),
                upper: Some(0.012),
                ..found
            },
        ),
        by_pairs(
            "decodeMs",
            Verdict::Inconclusive,
            pairs::Finding {
                outcome: Open,
                slower: 30,
                ..found
            },
        ),
        by_pairs(
            "decodeMs",
            Verdict::Inconclusive,
            pairs::Finding {
                outcome: Open,
                pairs: 60,
                look: Some(pairs::LOOKS[5]),
                serial: Some(0.611),
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
                look: None,
                until_next: Some(8),
                upper: None,
                ..found
            },
        ),
        by_pairs(
            "decodeMs",
            Verdict::Inconclusive,
            pairs::Finding {
                outcome: Open,
                tail: Some(0.3),
                until_next: None,
                ..found
            },
        ),
        by_pairs(
            "decodeMs",
            Verdict::Inconclusive,
            pairs::Finding {
                outcome: Open,
                control: Some(Faster),
                until_next: None,
                ..found
            },
        ),
        by_pairs(
            "decodeMs",
            Verdict::Unchanged,
            pairs::Finding {
                outcome: Same,
                margin: 1.005f64.ln(),
                within: 37,
                ..found
            },
        ),
    ];
    insta::assert_snapshot!(said.join("\n"), @"
    slower by more than 2% in 38 of 40 pairs; typically +7.4% slower [+6.2, +8.3] vs. the base
    slower by more than 2% in 38 of 40 pairs; typically −6.9% slower [−7.7, −5.8] vs. the base
    slower by more than 2% in 38 of 40 pairs; typically +7.4% slower [+6.2, +8.3] vs. the base; within the chosen limit of +50%
    faster by more than 2% in 38 of 40 pairs; typically −6.9% faster [−7.7, −5.8] vs. the base
    slower by less than 5% in 37 of 40 pairs; typically +0.1% slower [−0.8, +1.2] vs. the base
    slower by more than 2% in 30 of 40 pairs; typically +7.4% slower [+6.2, +8.3] vs. the base; 20 more pairs until the next analysis
    slower by more than 2% in 40 of 60 pairs; typically +7.4% slower [+6.2, +8.3] vs. the base; consecutive pairs depend on each other; this was the final analysis
    slower by more than 2% in 12 of 12 pairs; typically +7.4% slower than the base; too few: 8 more pairs until the first analysis
    slower by more than 2% in 38 of 40 pairs; typically +7.4% slower [+6.2, +8.3] vs. the base, but the median of its samples is +35% slower than the base
    slower by more than 2% in 38 of 40 pairs; typically +7.4% slower [+6.2, +8.3] vs. the base; the A/A check also flags this benchmark
    slower by less than 1.24% in 37 of 40 pairs; typically +7.4% slower [+6.2, +8.3] vs. the base
    ");
}

#[test]
fn launches_of_two_runs() {
    let test = samples::Test {
        launches: (8, 8),
        p: 0.000_23,
        effect: 1.123_f64.ln(),
        interval: (1.098_f64.ln(), 1.149_f64.ln()),
        rejected: true,
    };
    let said = |metric: &str, verdict, test, confirmation| {
        let found = Reason::Samples(samples::Finding {
            test,
            confirmation,
            is_improved: false,
        });
        reason(&compared(metric, (12.0, 13.5), GATE, verdict, found))
    };
    let said = [
        said("decodeMs", Verdict::Regressed, test, Some(suspect(1, 1, 1))),
        said("opsPerSecond", Verdict::Inconclusive, test, SUSPECT),
        said("decodeMs", Verdict::Moved, test, None),
        said(
            "decodeMs",
            Verdict::Unchanged,
            samples::Test {
                p: 0.21,
                rejected: false,
                launches: (8, 5),
                ..test
            },
            None,
        ),
    ];
    insta::assert_snapshot!(said.join("\n"), @"
    8 process runs per side: +12% slower [+9.8, +15] vs. the baseline, p = 0.00023; confirmed in 1 of 1 confirmation runs
    8 process runs per side: −11% slower [−13, −8.9] vs. the baseline, p = 0.00023; unconfirmed: rerun to confirm
    8 process runs per side: +12% slower [+9.8, +15] vs. the baseline, p = 0.00023; significant, but too small to be suspicious
    5 vs. 8 process runs in the baseline: +12% slower [+9.8, +15] vs. the baseline, p = 0.21; not significant
    ");
}

#[test]
fn counts() {
    use Verdict::{Improved, Regressed, Unchanged};
    let exact = |baseline: f64, current: f64, verdict| {
        let difference = Value::new(current - baseline).unwrap();
        let found = Reason::Exact(exact::Finding {
            difference,
            explained_by: None,
            is_by_history: false,
        });
        reason(&compared(
            "allocs",
            (baseline, current),
            Rule::Exact,
            verdict,
            found,
        ))
    };
    let varied = |baseline: f64, current: f64, verdict| {
        let [difference, low, high] =
            [current - baseline, 940.0, 31_400.0].map(|number| Value::new(number).unwrap());
        let found = Reason::Exact(exact::Finding {
            difference,
            explained_by: Some((low, high)),
            is_by_history: false,
        });
        reason(&compared(
            "allocs",
            (baseline, current),
            Rule::Exact,
            verdict,
            found,
        ))
    };
    let grown = |baseline: f64, current: f64, verdict, values| {
        let growth = (baseline > 0.0).then(|| (current - baseline) / baseline);
        let found = Reason::Count(exact::CountFinding {
            growth,
            limit: 0.002,
            values,
        });
        reason(&compared(
            "instructions",
            (baseline, current),
            Rule::Count(0.002),
            verdict,
            found,
        ))
    };
    let said = [
        exact(0.0, 3.0, Regressed),
        exact(3.0, 4.0, Regressed),
        exact(1000.0, 1001.0, Regressed),
        exact(7.0, 0.0, Improved),
        exact(7.0, 7.0, Unchanged),
        varied(1000.0, 1001.0, Unchanged),
        varied(1000.0, 2001.0, Verdict::Inconclusive),
        grown(0.0, 3.0, Regressed, 0),
        grown(3.0, 4.0, Regressed, 0),
        grown(1_000_000.0, 1_005_000.0, Regressed, 12),
        grown(1_000_000.0, 1_001_000.0, Unchanged, 0),
        grown(1_000_000.0, 900_000.0, Improved, 0),
    ];
    insta::assert_snapshot!(said.join("\n"), @"
    0 → 3; any increase fails
    3 → 4 (+1); any increase fails
    1,000 → 1,001 (+1); any increase fails
    7 → 0 (−7)
    no change
    1,000 → 1,001 (+1); process runs of the same code vary from 940 to 31,400
    1,000 → 2,001 (+1,001); process runs of the same code vary from 940 to 31,400
    0 → 3; any increase fails
    3 → 4 (+33% worse than the baseline); limit +0.2%
    1,000,000 → 1,005,000 (+0.5% worse than the baseline); limit +0.2% (from 12 earlier counts)
    1,000,000 → 1,001,000 (+0.1% worse than the baseline); within the limit of +0.2%
    1,000,000 → 900,000 (−10% better than the baseline); more than it usually varies
    ");
}

#[test]
fn other_rules() {
    let time = |verdict, found| reason(&compared("decodeMs", (12.1, 16.0), GATE, verdict, found));
    let tail = |found| Reason::Tail(found);
    let confirmation = Confirmation {
        confirmed: 1,
        confirmation_runs: 1,
        needed: 1,
    };
    let [effect, common, limit] = [1.3f64, 1.04, 1.1].map(f64::ln);
    let rest = common::Finding {
        effect,
        common,
        limit,
        rows: 41,
        confirmation,
    };
    let said = [
        time(Verdict::Regressed, Reason::Common(rest)),
        time(
            Verdict::Moved,
            Reason::Floor(limit::FloorFinding {
                difference: 3.9,
                floor: 5.0,
            }),
        ),
        time(
            Verdict::Moved,
            tail(Tail {
                quantile: 0.99,
                values: Some(800.0),
                needed: Some(3_000.0),
            }),
        ),
        time(
            Verdict::Moved,
            tail(Tail {
                quantile: 0.999,
                values: None,
                needed: Some(30_000.0),
            }),
        ),
        time(
            Verdict::Moved,
            tail(Tail {
                quantile: 1.0,
                values: Some(9.0),
                needed: None,
            }),
        ),
        time(Verdict::Moved, Reason::NotGated(NotGated::Informational)),
        time(
            Verdict::NotComparable,
            Reason::Obstacle(Obstacle::OtherMachine),
        ),
        time(
            Verdict::NotComparable,
            Reason::Obstacle(Obstacle::OtherMethodology("cold".into(), "warm".into())),
        ),
        time(
            Verdict::NotComparable,
            Reason::Obstacle(Obstacle::OtherToolchain),
        ),
        time(
            Verdict::NotComparable,
            Reason::Obstacle(Obstacle::FellToZero),
        ),
        time(
            Verdict::NotComparable,
            Reason::Obstacle(Obstacle::Implausible(23_456.0)),
        ),
        time(
            Verdict::NotComparable,
            Reason::Obstacle(Obstacle::NoReference("memcpy".into())),
        ),
        time(Verdict::Unmeasured, Reason::Obstacle(Obstacle::NoCurrent)),
    ];
    insta::assert_snapshot!(said.join("\n"), @"
    3 related benchmarks +4%, the rest +25% (limit +10%); confirmed in 1 of 1 confirmation runs
    12.1 → 16.0 ms (+32% slower than the baseline); the difference of 3.90 is below the minimum absolute change of 5.00 ms
    12.1 → 16.0 ms (+32% slower than the baseline); not gated: p99 of 800 values (needs 3,000)
    12.1 → 16.0 ms (+32% slower than the baseline); not gated: p99.9 of an unknown number of values (needs 30,000)
    12.1 → 16.0 ms (+32% slower than the baseline); not gated: the maximum is a single value
    12.1 → 16.0 ms (+32% slower than the baseline); not gated (informational)
    measured on different machine types
    different methodologies: cold in the baseline, warm in this run
    built by different toolchains
    fell to zero: the benchmark probably stopped working
    23,456× better: the benchmark probably stopped working
    its reference memcpy was not measured in both base and head
    in the baseline, but not in this run
    ");
}

#[test]
fn limits_have_enough_digits() {
    let drop = |current: f64, verdict| {
        let found = Reason::Limit(limit::Finding {
            loss: (current - 100.0) / 100.0,
            limit: 0.33,
            distance: None,
            confirmation: None,
        });
        reason(&compared(
            "decodeNs",
            (100.0, current),
            GATE,
            verdict,
            found,
        ))
    };
    let said = [
        drop(133.02, Verdict::Regressed),
        drop(130.0, Verdict::Moved),
        drop(60.0, Verdict::Improved),
        drop(99.9, Verdict::Unchanged),
    ];
    insta::assert_snapshot!(said.join("\n"), @"
    100 → 133 ns (+33.02% slower than the baseline); limit +33%
    100 → 130 ns (+30% slower than the baseline); within the limit of +33%
    100 → 60 ns (−40% faster than the baseline); the reverse would be a regression
    100 → 99.9 ns (−0.1% faster than the baseline)
    ");
}

#[test]
fn quotients_name_their_reference() {
    let found = history::Finding {
        values: 12,
        median: 1.2,
        normal: 1.25,
        limit: 1.32,
        effect: 0.25,
        confirmation: SUSPECT,
        is_improved: false,
    };
    let found = Reason::History(found);
    let mut quotient = compared("decodeMs", (12.0, 15.0), GATE, Verdict::Inconclusive, found);
    quotient.reference.relative_to = Some("memcpy".into());
    insta::assert_snapshot!(reason(&quotient), @"relative to memcpy: 1.20 → 1.50 (+25% slower than the median of 12); normal up to 1.25, limit 1.32; unconfirmed: rerun to confirm");
    quotient.judgement.reason = Reason::Limit(limit::Finding {
        loss: 0.25,
        limit: 0.33,
        distance: None,
        confirmation: None,
    });
    quotient.judgement.verdict = Verdict::Moved;
    insta::assert_snapshot!(reason(&quotient), @"relative to memcpy: +25% slower than the baseline; within the limit of +33%");
}

#[test]
fn budget_sentence_shows_limit_and_excess() {
    use Verdict::{Inconclusive, Regressed, Unchanged};
    let of = |numbers: (f64, f64), verdict, max: f64, confirmation| {
        let exceeded = (numbers.1 > max).then_some(Bound::Max(max));
        let finding = budget::Finding {
            budget: Budget {
                max: Some(max),
                min: None,
            },
            reference: None,
            current: numbers.1,
            exceeded,
            was_exceeded: numbers.0 > max,
            confirmation,
        };
        compared(
            "timeMs",
            numbers,
            Rule::Budget,
            verdict,
            Reason::Budget(finding),
        )
    };
    let said = |compared: &MetricComparison| reason(compared);
    let over = of((12.1, 17.0), Regressed, 16.0, None);
    insta::assert_snapshot!(said(&over), @"12.1 → 17.0 ms (+40% slower than the baseline); over the budget of 16 ms");
    insta::assert_snapshot!(said(&of((16.5, 17.0), Regressed, 16.0, None)), @"16.5 → 17.0 ms (+3% slower than the baseline); over the budget of 16 ms, like the baseline");
    insta::assert_snapshot!(said(&of((15.9, 16.1), Inconclusive, 16.0, SUSPECT)), @"15.9 → 16.1 ms (+1.3% slower than the baseline); over the budget of 16 ms; unconfirmed: rerun to confirm");
    insta::assert_snapshot!(said(&of((15.9, 15.8), Unchanged, 16.0, None)), @"15.9 → 15.8 ms (−0.6% faster than the baseline); within the budget of 16 ms");
    let mut new = over;
    (new.baseline, new.judgement.change) = (None, None);
    insta::assert_snapshot!(said(&new), @"17 ms; over the budget of 16 ms");
}

#[test]
fn unequal_numbers_say_by_how_many() {
    let finding = Reason::Equal(Value::Int(-2));
    let fewer = compared(
        "allocs",
        (1000.0, 998.0),
        Rule::Equal,
        Verdict::Regressed,
        finding,
    );
    insta::assert_snapshot!(reason(&fewer), @"1,000 → 998 (−2); any difference fails");
}
