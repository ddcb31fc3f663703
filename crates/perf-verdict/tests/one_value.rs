//! The rules for a single baseline value.

use std::sync::Arc;

use perf_config::{Config, Reference};
use perf_model::metric::{Direction, Meaning, Metric, Unit};
use perf_model::row::{Outcome, Value};
use perf_model::suite::Definitions;
use perf_verdict::engine::judge::{Context, judge};
use perf_verdict::evidence::{Evidence, ExtraEvidence};
use perf_verdict::signals::{Signals, SuiteStats};
use perf_verdict::{Judgement, Limits, NotGated, Obstacle, Reason, Rule, Verdict};
use proptest::prelude::*;

const RATE: Meaning = Meaning {
    unit: Unit::PerSecond,
    direction: Direction::Higher,
    exact: false,
};
const TIME: Meaning = Meaning {
    unit: Unit::Ns,
    direction: Direction::Lower,
    exact: false,
};
const COUNT: Meaning = Meaning {
    unit: Unit::Count,
    direction: Direction::Lower,
    exact: true,
};

/// Judges two numbers with a tolerance of 2%.
fn judged(meaning: Meaning, baseline: Option<f64>, current: Option<f64>, rule: Rule) -> Judgement {
    let metric = Metric {
        meaning,
        ..Metric::clone(&Config::default().metric("timeNs"))
    };
    let [baseline, current] = [baseline, current].map(|number| number.and_then(Value::new));
    let evidence = Evidence {
        metric: Arc::new(metric),
        rule,
        limits: Limits::default(),
        baseline,
        current,
        shown: (baseline, current),
        reference: Reference::default(),
        budget: None,
        derived_from: None,
        older: None,
        outcome: Outcome::Measured,
        obstacle: None,
        exempt: None,
        tail: None,
        extra: ExtraEvidence::default(),
    };
    let history = Config::default().history;
    let (suite, shift, shifted_runs) = (SuiteStats::default(), None, &[][..]);
    judge(
        &evidence,
        &Signals::default(),
        &Context {
            without: None,
            tolerance: 0.02,
            limit: 0.33,
            history: &history,
            suite,
            shift,
            is_slower_by_code: false,
            residual: None,
            shifted_runs,
        },
    )
}

fn verdict(meaning: Meaning, baseline: f64, current: f64, rule: Rule) -> Verdict {
    judged(meaning, Some(baseline), Some(current), rule).verdict
}

#[test]
fn limit_is_exclusive() {
    use Verdict::{Improved, Moved, Regressed, Unchanged};
    let rule = Rule::Limit(0.25);
    for (current, expected) in [
        (75.0, Moved),
        (74.999, Regressed),
        (98.0, Unchanged),
        (97.9, Moved),
        (133.0, Moved),
        (134.0, Improved),
    ] {
        assert_eq!(verdict(RATE, 100.0, current, rule), expected, "{current}");
    }
}

#[test]
fn a_limit_is_the_growth_of_a_time() {
    use Verdict::{Improved, Moved, Regressed};
    let rule = Rule::Limit(0.5);
    for (current, expected) in [
        (150.0, Moved),
        (150.1, Regressed),
        (67.0, Moved),
        (66.6, Improved),
    ] {
        assert_eq!(verdict(TIME, 100.0, current, rule), expected, "{current}");
    }
}

#[test]
fn one_more_allocation_is_a_regression() {
    use Verdict::{Improved, Regressed, Unchanged};
    for (baseline, current, expected) in [
        (0.0, 1.0, Regressed),
        (1e15, 1e15 + 1.0, Regressed),
        (7.0, 0.0, Improved),
        (0.0, 0.0, Unchanged),
    ] {
        assert_eq!(
            verdict(COUNT, baseline, current, Rule::Exact),
            expected,
            "{baseline} → {current}"
        );
    }
}

#[test]
fn zero_is_measured() {
    use Verdict::{NotComparable, Regressed, Unchanged};
    let rule = Rule::Limit(0.33);
    assert_eq!(verdict(RATE, 0.0, 0.0, rule), Unchanged);
    assert_eq!(verdict(RATE, 0.0, 5.0, rule), NotComparable);
    assert_eq!(verdict(RATE, 5.0, 0.0, rule), Regressed);
    assert_eq!(verdict(TIME, 0.0, 0.0, rule), Unchanged);
}

#[test]
fn broken_measurements_are_not_comparable() {
    use Verdict::{Improved, NotComparable, Regressed};
    let rule = Rule::Limit(0.33);
    for (meaning, baseline, current, expected) in [
        (TIME, 5.0, 0.0, NotComparable),
        (TIME, 0.0, 5.0, NotComparable),
        (TIME, 5.0, 5e-3, NotComparable),
        (TIME, 5.0, 6e-3, Improved),
        (TIME, 5e-4, 5.0, Regressed),
        (RATE, 5.0, 5e3, NotComparable),
        (RATE, 5.0, 4.9e3, Improved),
        (RATE, 5e4, 5.0, Regressed),
        (COUNT, 5e6, 5.0, Improved),
    ] {
        assert_eq!(
            verdict(meaning, baseline, current, rule),
            expected,
            "{baseline} → {current}"
        );
    }
    let count = Meaning {
        exact: false,
        ..COUNT
    };
    assert_eq!(verdict(count, 5e6, 0.0, Rule::Count(0.002)), NotComparable);
}

#[test]
fn a_regression_is_always_shown_as_changed() {
    for (meaning, current, rule) in [(RATE, 99.0, Rule::Limit(0.005)), (TIME, 101.0, Rule::Exact)] {
        let judged = judged(meaning, Some(100.0), Some(current), rule);
        assert_eq!((judged.verdict, judged.moved), (Verdict::Regressed, true));
    }
}

#[test]
fn uncomparable_numbers_have_their_reason() {
    let reason = |b, c, rule| judged(RATE, b, c, rule).reason;
    let rule = Rule::Limit(0.33);
    for (baseline, current, obstacle) in [
        (None, Some(1.0), Obstacle::NoBaseline),
        (Some(1.0), None, Obstacle::NoCurrent),
        (Some(-2.0), Some(1.0), Obstacle::Negative),
        (Some(0.0), Some(1.0), Obstacle::ZeroBaseline),
    ] {
        assert_eq!(reason(baseline, current, rule), Reason::Obstacle(obstacle));
    }
    let informational = Reason::NotGated(NotGated::Informational);
    assert_eq!(reason(Some(1.0), Some(9.0), Rule::Report), informational);
}

proptest! {
    #[test]
    fn a_mirrored_regression_is_an_improvement(b in 1e-2f64..1e1, c in 1e-2f64..1e1, limit in 0.0f64..1.0) {
        for meaning in [RATE, TIME] {
            let rule = Rule::Limit(limit);
            let regressed = verdict(meaning, b, c, rule) == Verdict::Regressed;
            let improved = verdict(meaning, c, b, rule) == Verdict::Improved;
            prop_assert_eq!(regressed, improved);
        }
    }
}
