//! The rules for one baseline value: a threshold for what is timed, equality for what is counted.

use perf_model::metric::{Direction, Meaning};
use perf_model::row::Value;

use crate::verdict::{Reason, Rule, Verdict};

/// What one baseline value decides.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What it comes to.
    pub verdict: Verdict,
    /// Why.
    pub because: Reason,
    /// (current − baseline) / baseline; `None` without a positive baseline.
    pub change: Option<f64>,
    /// Whether people should be told.
    pub moved: bool,
}

/// Compares two numbers of one metric. `tolerance` is a fraction of the baseline; counts have none.
pub fn judge(
    meaning: Meaning,
    baseline: Option<Value>,
    current: Option<Value>,
    rule: Rule,
    tolerance: f64,
) -> Finding {
    let (Some(baseline), Some(current)) = (baseline, current) else {
        let because = if baseline.is_none() { Reason::NoBaseline } else { Reason::NoCurrent };
        return Finding { verdict: Verdict::Unmeasured, because, change: None, moved: false };
    };
    let (b, c) = (baseline.as_f64(), current.as_f64());
    let change = (b > 0.0).then(|| (c - b) / b);
    let moved = if meaning.exact {
        baseline != current
    } else {
        change.map_or(baseline != current, |change| change.abs() > tolerance)
    };
    let told = if moved { Verdict::Moved } else { Verdict::Unchanged };
    let (verdict, because) = match (meaning.direction, rule) {
        _ if b < 0.0 || c < 0.0 => (Verdict::NotComparable, Reason::Negative),
        (_, Rule::Report) => (told, Reason::NotGated),
        (Direction::Unknown, _) => (told, Reason::NoDirection),
        (direction, Rule::Exact) => {
            (exact(direction, baseline, current), Reason::Difference(difference(baseline, current)))
        }
        (direction, Rule::Count(limit)) => grown(direction, baseline, current, limit, told),
        (Direction::Higher, Rule::Threshold(_)) if b == 0.0 && c > 0.0 => {
            (Verdict::NotComparable, Reason::ZeroBaseline)
        }
        (direction, Rule::Threshold(limit)) => {
            let drop = drop_of_throughput(direction, b, c);
            let gain = drop_of_throughput(direction, c, b);
            let verdict = match () {
                () if drop > limit => Verdict::Regressed,
                () if gain > limit => Verdict::Improved,
                () => told,
            };
            (verdict, Reason::Drop { drop, limit })
        }
    };
    let moved = moved || matches!(verdict, Verdict::Regressed | Verdict::Improved);
    Finding { verdict, because, change, moved }
}

/// Counts that may step a little.
fn grown(
    direction: Direction,
    baseline: Value,
    current: Value,
    limit: f64,
    told: Verdict,
) -> (Verdict, Reason) {
    let (b, c) = (baseline.as_f64(), current.as_f64());
    let growth = (b > 0.0).then(|| (c - b) / b);
    let because = Reason::Growth { growth, limit, values: 0 };
    let beyond = growth.is_none_or(|growth| growth.abs() > limit);
    let verdict = if beyond { exact(direction, baseline, current) } else { told };
    (verdict, because)
}

/// Current less baseline; exact for counts, however large.
fn difference(baseline: Value, current: Value) -> Value {
    let counted = match (baseline, current) {
        (Value::Int(baseline), Value::Int(current)) => current.checked_sub(baseline).map(Value::Int),
        _ => None,
    };
    counted.or_else(|| Value::new(current.as_f64() - baseline.as_f64())).unwrap_or(Value::Int(0))
}

fn exact(direction: Direction, baseline: Value, current: Value) -> Verdict {
    let more = match (baseline, current) {
        (Value::Int(baseline), Value::Int(current)) => baseline.cmp(&current),
        _ => baseline.as_f64().total_cmp(&current.as_f64()),
    };
    let worse = if direction == Direction::Higher { more.reverse() } else { more };
    match worse {
        std::cmp::Ordering::Less => Verdict::Regressed,
        std::cmp::Ordering::Equal => Verdict::Unchanged,
        std::cmp::Ordering::Greater => Verdict::Improved,
    }
}

/// (b − c) / b for what should be high; for what should be low, the same of the reciprocals, so that half
/// again the time and two thirds of the throughput are one and the same.
fn drop_of_throughput(direction: Direction, baseline: f64, current: f64) -> f64 {
    let (whole, part) =
        if direction == Direction::Higher { (baseline, current) } else { (current, baseline) };
    let loss = whole - part;
    if loss == 0.0 { 0.0 } else { loss / whole }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perf_model::metric::Unit;
    use proptest::prelude::*;

    const RATE: Meaning = Meaning { unit: Unit::PerSecond, direction: Direction::Higher, exact: false };
    const TIME: Meaning = Meaning { unit: Unit::Ns, direction: Direction::Lower, exact: false };
    const COUNT: Meaning = Meaning { unit: Unit::Count, direction: Direction::Lower, exact: true };

    fn verdict(meaning: Meaning, baseline: f64, current: f64, rule: Rule) -> Verdict {
        judge(meaning, Value::new(baseline), Value::new(current), rule, 0.02).verdict
    }

    #[test]
    fn a_drop_of_exactly_the_threshold_passes() {
        use Verdict::{Improved, Moved, Regressed, Unchanged};
        let rule = Rule::Threshold(0.25);
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
    fn a_time_regresses_when_its_throughput_would() {
        use Verdict::{Improved, Moved, Regressed};
        let rule = Rule::Threshold(0.5);
        for (current, expected) in [(200.0, Moved), (200.1, Regressed), (50.0, Moved), (49.9, Improved)] {
            assert_eq!(verdict(TIME, 100.0, current, rule), expected, "{current}");
        }
    }

    #[test]
    fn one_more_allocation_is_a_regression_and_none_at_all_a_win() {
        use Verdict::{Improved, Regressed, Unchanged};
        for (baseline, current, expected) in [
            (0.0, 1.0, Regressed),
            (1e15, 1e15 + 1.0, Regressed),
            (7.0, 0.0, Improved),
            (0.0, 0.0, Unchanged),
        ] {
            assert_eq!(verdict(COUNT, baseline, current, Rule::Exact), expected, "{baseline} → {current}");
        }
    }

    #[test]
    fn zero_is_a_number() {
        use Verdict::{Improved, NotComparable, Regressed, Unchanged};
        let rule = Rule::Threshold(0.33);
        assert_eq!(verdict(RATE, 0.0, 0.0, rule), Unchanged);
        assert_eq!(verdict(RATE, 0.0, 5.0, rule), NotComparable);
        assert_eq!(verdict(RATE, 5.0, 0.0, rule), Regressed);
        assert_eq!(verdict(TIME, 0.0, 5.0, rule), Regressed);
        assert_eq!(verdict(TIME, 5.0, 0.0, rule), Improved);
    }

    #[test]
    fn what_fails_is_always_told() {
        let judged = judge(RATE, Value::new(100.0), Value::new(99.0), Rule::Threshold(0.005), 0.02);
        assert_eq!((judged.verdict, judged.moved), (Verdict::Regressed, true));
        let judged = judge(TIME, Value::new(100.0), Value::new(101.0), Rule::Exact, 0.02);
        assert_eq!((judged.verdict, judged.moved), (Verdict::Regressed, true));
    }

    #[test]
    fn what_cannot_be_judged_says_why() {
        let judged = |b: Option<f64>, c: Option<f64>, rule| {
            judge(RATE, b.and_then(Value::new), c.and_then(Value::new), rule, 0.02).because
        };
        let rule = Rule::Threshold(0.33);
        assert_eq!(judged(None, Some(1.0), rule), Reason::NoBaseline);
        assert_eq!(judged(Some(1.0), None, rule), Reason::NoCurrent);
        assert_eq!(judged(Some(-2.0), Some(1.0), rule), Reason::Negative);
        assert_eq!(judged(Some(1.0), Some(9.0), Rule::Report), Reason::NotGated);
    }

    proptest! {
        #[test]
        fn a_regression_the_other_way_round_is_an_improvement(b in 1e-9f64..1e12, c in 1e-9f64..1e12, limit in 0.0f64..1.0) {
            for meaning in [RATE, TIME] {
                let rule = Rule::Threshold(limit);
                let regressed = verdict(meaning, b, c, rule) == Verdict::Regressed;
                let improved = verdict(meaning, c, b, rule) == Verdict::Improved;
                prop_assert_eq!(regressed, improved);
            }
        }
    }
}
