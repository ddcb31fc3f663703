//! The statistics compared with SciPy and NumPy: `vectors/make.py` wrote the numbers.

use perf_verdict::statistics::signed_rank::binomial_tail;
use perf_verdict::statistics::{means, multiple, order, ranks, shift};
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[expect(clippy::unwrap_used, reason = "the files are part of the tests")]
fn cases<Case: DeserializeOwned>(json: &str) -> Vec<Case> {
    let cases: Vec<Case> = serde_json::from_str(json).unwrap();
    assert!(cases.len() > 15);
    cases
}

/// Whether a number is as expected, within a relative 1e-9, or near zero within rounding errors.
#[track_caller]
fn same(actual: f64, expected: f64, what: &str) {
    let near = 1e-9 * expected.abs() + 1e-15;
    assert!(
        (actual - expected).abs() <= near,
        "{what}: {actual:e} is not {expected:e}"
    );
}

#[derive(Deserialize)]
struct Order {
    values: Vec<f64>,
    quantiles: Vec<(f64, f64)>,
    median: f64,
    mad: f64,
    scale: Option<f64>,
}

#[test]
fn quantiles_and_scales() {
    for case in cases::<Order>(include_str!("vectors/order.json")) {
        let sorted = order::sorted(&case.values);
        for (q, expected) in case.quantiles {
            same(order::quantile(&sorted, q).unwrap(), expected, "quantile");
        }
        same(order::median(&sorted).unwrap(), case.median, "median");
        same(order::mad(&sorted).unwrap(), case.mad, "mad");
        assert_eq!(order::scale(&case.values).is_some(), case.scale.is_some());
        same(
            order::scale(&case.values).unwrap_or(0.0),
            case.scale.unwrap_or(0.0),
            "scale",
        );
    }
}

#[derive(Deserialize)]
struct Tail {
    n: usize,
    k: usize,
    p: f64,
    #[serde(rename = "tail")]
    chance: f64,
}

#[test]
fn binomial_tails() {
    for Tail { n, k, p, chance } in cases(include_str!("vectors/tails.json")) {
        same(
            binomial_tail(n, k, p),
            chance,
            &format!("tail({n}, {k}, {p})"),
        );
    }
}

#[test]
fn each_analysis_uses_a_third_of_the_error() {
    for (n, k) in [(20, 18), (40, 32), (60, 44)] {
        assert!(binomial_tail(n, k, 0.5) <= 0.001 / 3.0);
        assert!(
            binomial_tail(n, k - 1, 0.5) > 0.001 / 3.0,
            "{k} is not the smallest of {n}"
        );
    }
}

#[derive(Deserialize)]
struct Samples {
    current: Vec<f64>,
    base: Vec<f64>,
    p: f64,
}

#[test]
fn mann_whitney() {
    for Samples { current, base, p } in cases(include_str!("vectors/mann_whitney.json")) {
        let what = format!("{} v {}", current.len(), base.len());
        same(ranks::mann_whitney(&current, &base).unwrap(), p, &what);
    }
}

#[derive(Deserialize)]
struct Many {
    p: Vec<f64>,
    adjusted: Vec<f64>,
}

#[test]
fn benjamini_hochberg() {
    for Many { p, adjusted } in cases(include_str!("vectors/multiple.json")) {
        // The smallest rate at which each test is significant is its adjusted p-value.
        for rate in &adjusted {
            for q in [0.05, rate * (1.0 - 1e-9), rate * (1.0 + 1e-9)] {
                let expected: Vec<bool> = adjusted.iter().map(|p| *p <= q).collect();
                assert_eq!(multiple::benjamini_hochberg(&p, q), expected, "{q}");
            }
        }
    }
}

#[derive(Deserialize)]
struct Shifts {
    current: Vec<f64>,
    base: Vec<f64>,
    confidence: f64,
    effect: f64,
    low: Option<f64>,
    high: Option<f64>,
}

#[test]
fn hodges_lehmann() {
    for case in cases::<Shifts>(include_str!("vectors/shift.json")) {
        let shift = shift::hodges_lehmann(&case.current, &case.base, case.confidence).unwrap();
        same(shift.effect, case.effect, "effect");
        assert_eq!(Some(shift.low), case.low.or(Some(f64::NEG_INFINITY)));
        assert_eq!(Some(shift.high), case.high.or(Some(f64::INFINITY)));
    }
}

#[derive(Deserialize)]
struct Means {
    a: Vec<f64>,
    b: Vec<f64>,
    welch: f64,
    student: f64,
}

#[test]
fn tests_of_means() {
    for Means {
        a,
        b,
        welch,
        student,
    } in cases(include_str!("vectors/means.json"))
    {
        let found = means::t_tests(&a, &b).unwrap();
        same(found[0], welch, "welch");
        same(found[1], student, "student");
    }
}
