//! Properties of the statistics for any values, and the results for invalid ones.

#![expect(clippy::float_cmp, reason = "exact results")]

use perf_verdict::statistics::breaks::breaks;
use perf_verdict::statistics::signed_rank::binomial_tail;
use perf_verdict::statistics::{means, multiple, order, ranks, shift};
use proptest::prelude::*;

/// Few distinct values, so that ties occur.
fn tied(most: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((1..20_i32).prop_map(f64::from), 1..most)
}

fn anything(most: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(any::<f64>(), 0..most)
}

fn times(values: &[f64], factor: f64) -> Vec<f64> {
    values.iter().map(|value| value * factor).collect()
}

fn reversed(values: &[f64]) -> Vec<f64> {
    values.iter().rev().copied().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn p_values_do_not_depend_on_order(current in tied(15), base in tied(15)) {
        let p = ranks::mann_whitney(&current, &base);
        prop_assert_eq!(p, ranks::mann_whitney(&reversed(&current), &reversed(&base)));
    }

    /// Sizes below and above the limit of exact p-values.
    #[test]
    fn p_values_do_not_depend_on_scale(current in tied(60), base in tied(60), power in -20..20_i32) {
        let factor = 2.0_f64.powi(power);
        let p = ranks::mann_whitney(&current, &base);
        prop_assert_eq!(p, ranks::mann_whitney(&times(&current, factor), &times(&base, factor)));
    }

    #[test]
    fn one_sided_p_values_add_up_with_ties(current in tied(60), base in tied(60)) {
        let above = ranks::mann_whitney(&current, &base).unwrap();
        let below = ranks::mann_whitney(&base, &current).unwrap();
        prop_assert!(above + below >= 1.0 - 1e-9, "{} and {}", above, below);
        let either = ranks::mann_whitney_two_sided(&current, &base).unwrap();
        prop_assert_eq!(either, (2.0 * above.min(below)).min(1.0));
    }

    #[test]
    fn no_p_value_is_below_the_smallest(current in tied(12), base in tied(12)) {
        let p = ranks::mann_whitney(&current, &base).unwrap();
        prop_assert!(p >= ranks::smallest_p(current.len(), base.len()) * (1.0 - 1e-9));
    }

    #[test]
    fn the_shift_is_equivariant(
        current in tied(12), base in tied(12), added in -50..50_i32,
    ) {
        let added = f64::from(added);
        let moved: Vec<f64> = current.iter().map(|value| value + added).collect();
        let before = shift::hodges_lehmann(&current, &base, 0.9).unwrap();
        let after = shift::hodges_lehmann(&moved, &base, 0.9).unwrap();
        prop_assert_eq!(after.effect, before.effect + added);
        prop_assert_eq!(after.low, before.low + added);
        prop_assert_eq!(after.high, before.high + added);
        prop_assert!(before.low <= before.effect && before.effect <= before.high);
    }

    #[test]
    fn swapped_sides_negate_the_shift(current in tied(12), base in tied(12)) {
        let there = shift::hodges_lehmann(&current, &base, 0.9).unwrap();
        let back = shift::hodges_lehmann(&base, &current, 0.9).unwrap();
        prop_assert_eq!((back.effect, back.low, back.high), (-there.effect, -there.high, -there.low));
    }

    #[test]
    fn significance_follows_the_order_of_p_values(p in prop::collection::vec(0.0..=1.0_f64, 0..40), q in 0.0..0.99_f64) {
        let found = multiple::benjamini_hochberg(&p, q);
        for (i, a) in p.iter().enumerate() {
            prop_assert!(!found[i] || *a <= q);
            for (j, b) in p.iter().enumerate() {
                prop_assert!(a > b || found[i] || !found[j]);
            }
        }
        prop_assert!(multiple::benjamini_hochberg(&p, 1.0).iter().all(|found| *found));
    }

    #[test]
    fn a_larger_rate_finds_no_less(p in prop::collection::vec(0.0..0.2_f64, 0..40), q in 0.0..0.5_f64) {
        let strict = multiple::benjamini_hochberg(&p, q);
        let loose = multiple::benjamini_hochberg(&p, q + 0.1);
        prop_assert!(strict.iter().zip(&loose).all(|(strict, loose)| !strict || *loose));
    }

    #[test]
    fn quantiles_lie_between_values_and_rise(values in anything(20), q in 0.0..=0.9_f64) {
        let sorted = order::sorted(&values);
        if let (Some(low), Some(high)) = (order::quantile(&sorted, q), order::quantile(&sorted, q + 0.1)) {
            prop_assert!(sorted[0] <= low && low <= high && high <= sorted[sorted.len() - 1]);
        } else {
            prop_assert!(values.is_empty() || values.iter().any(|value| !value.is_finite()));
        }
    }

    #[test]
    fn tails_are_monotonic(n in 0..300_usize, k in 0..300_usize, p in 0.0..0.9_f64) {
        let tail = binomial_tail(n, k, p);
        prop_assert!((0.0..=1.0).contains(&tail));
        prop_assert!(binomial_tail(n, k + 1, p) <= tail + 1e-12);
        prop_assert!(binomial_tail(n, k, p + 0.1) >= tail - 1e-12);
    }

    #[test]
    fn nothing_panics(a in anything(60), b in anything(60), q in any::<f64>(), n in any::<usize>(), k in any::<usize>()) {
        let sorted = order::sorted(&a);
        let _ = (order::quantile(&sorted, q), order::mad(&sorted), order::scale(&a));
        let _ = binomial_tail(n, k, q);
        let _ = (ranks::mann_whitney(&a, &b), multiple::benjamini_hochberg(&a, q), means::t_tests(&a, &b));
        let _ = (shift::hodges_lehmann(&a, &b, 0.9), breaks(&a, q, n));
    }
}

#[test]
fn invalid_values_have_no_statistics() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -f64::NAN] {
        let values = [1.0, bad, 2.0, 3.0, 4.0, 5.0, 6.0];
        let sorted = order::sorted(&values);
        assert_eq!(order::median(&sorted), None);
        assert_eq!(order::mad(&sorted), None);
        assert_eq!(order::scale(&values), None);
        assert_eq!(ranks::mann_whitney(&values, &[1.0]), None);
        assert_eq!(ranks::mann_whitney(&[1.0], &values), None);
        assert_eq!(shift::hodges_lehmann(&values, &[1.0], 0.9), None);
        assert_eq!(means::t_tests(&values, &[1.0, 2.0]), None);
        assert_eq!(breaks(&values, 1.0, 3), []);
    }
    assert_eq!(order::median(&[]), None);
    assert_eq!(order::scale(&[1.0]), None);
    assert_eq!(ranks::mann_whitney(&[], &[1.0]), None);
    assert_eq!(shift::hodges_lehmann(&[1.0], &[], 0.9), None);
}

#[test]
fn huge_input_is_answered() {
    let many: Vec<f64> = (0..200_000_u32).map(f64::from).collect();
    let more: Vec<f64> = many.iter().map(|value| value + 5_000.0).collect();
    assert!(ranks::mann_whitney(&more, &many).unwrap() < 1e-9);
    assert_eq!(
        shift::hodges_lehmann(&more, &many, 0.9).unwrap().effect,
        5_000.0
    );
    let far = shift::hodges_lehmann(&[f64::MAX; 9], &[0.5; 9], 0.9).unwrap();
    assert_eq!(far.effect, f64::MAX);
    assert_eq!(shift::hodges_lehmann(&[f64::MAX], &[f64::MIN], 0.9), None);
    assert_eq!(order::quantile(&[f64::MIN, f64::MAX], 0.5), Some(0.0));
    assert_eq!(order::scale(&[f64::MIN, f64::MAX]), None);
}

#[test]
fn invalid_probabilities_are_harmless() {
    assert_eq!(binomial_tail(5, 3, f64::NAN), 1.0);
    assert_eq!(binomial_tail(5, 3, -1.0), 0.0);
    assert_eq!(binomial_tail(5, 3, 2.0), 1.0);
    let odd = [f64::NAN, 0.01, -1.0, 7.0];
    for (q, small) in [(0.019, false), (0.021, true), (0.99, true)] {
        let found = multiple::benjamini_hochberg(&odd, q);
        assert_eq!(found, [false, small, true, false], "{q}");
    }
    assert_eq!(
        multiple::benjamini_hochberg(&[0.0, 0.5], f64::NAN),
        [false, false]
    );
}

#[test]
fn launches_needed_by_a_suite() {
    let needed = [0, 1, 10, 60, 200].map(|metrics| ranks::launches_needed(metrics, 0.05));
    assert_eq!(needed, [3, 3, 5, 7, 8]);
    assert_eq!(ranks::launches_needed(1, 0.0), usize::MAX);
    assert_eq!(ranks::launches_needed(1, f64::NAN), usize::MAX);
    assert_eq!(ranks::smallest_p(3, 3), 0.05);
    assert_eq!(ranks::smallest_p(0, 9), 1.0);
    assert_eq!(ranks::smallest_p(usize::MAX, usize::MAX), 0.0);
}

/// One metric is slower in every process run; all others are unchanged.
#[test]
fn one_launch_fewer_than_needed_is_not_significant() {
    for metrics in [1, 10, 60, 200] {
        let found = |launches: usize| {
            let base: Vec<f64> = (0..100).map(f64::from).take(launches).collect();
            let slower: Vec<f64> = base.iter().map(|value| value + 100.0).collect();
            let mut p = vec![1.0; metrics];
            p[0] = ranks::mann_whitney(&slower, &base).unwrap();
            multiple::benjamini_hochberg(&p, 0.05)[0]
        };
        let needed = ranks::launches_needed(metrics, 0.05);
        assert!(found(needed) && !found(needed - 1), "{metrics} metrics");
    }
}

#[test]
fn equal_values_have_a_p_value_of_one() {
    assert_eq!(ranks::mann_whitney(&[0.0; 9], &[-0.0; 5]), Some(1.0));
    assert_eq!(ranks::mann_whitney(&[2.0; 60], &[2.0; 60]), Some(1.0));
    assert_eq!(order::scale(&[0.1; 7]), Some(0.0));
    let none = shift::hodges_lehmann(&[0.1; 9], &[0.1; 9], 0.9).unwrap();
    assert_eq!(
        format!("{none:?}"),
        "Shift { effect: 0.0, low: 0.0, high: 0.0 }"
    );
    assert_eq!(means::t_tests(&[0.1; 3], &[0.1; 4]), Some([1.0; 2]));
    assert_eq!(means::t_tests(&[0.1; 3], &[0.2; 4]), Some([0.0; 2]));
}
