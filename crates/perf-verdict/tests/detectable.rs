//! The minimum detectable slowdown of pairs, checked against simulated series.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use perf_verdict::rules::pairs::{LOOKS, Outcome, look};

/// With less noise, the bounds of later analyses are below 5%, which an earlier one may call unchanged.
const NOISE: f64 = 0.06;

/// A normally distributed number: the sum of twelve uniform ones.
fn normal(state: &mut u64) -> f64 {
    let mut even = || {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(*state >> 32).unwrap()) / f64::from(u32::MAX)
    };
    (0..12).map(|_| even()).sum::<f64>() - 6.0
}

/// The share of series with this number of pairs in which this slowdown is detected.
fn found(pairs: usize, slowdown: f64) -> f64 {
    const SERIES: u32 = 1_000;
    let mut state = 1;
    let is_found = |_: &u32| {
        let pairs: Vec<_> = (0..pairs)
            .map(|_| (0.0, slowdown + NOISE * normal(&mut state)))
            .collect();
        look(&pairs).unwrap().outcome == Outcome::Slower
    };
    let hits = (0..SERIES).filter(is_found).count();
    f64::from(u32::try_from(hits).unwrap()) / f64::from(SERIES)
}

#[test]
fn smallest_detectable_slowdown_is_found_in_95_percent() {
    let bounds = LOOKS.map(|look| 1.02f64.ln() + look.finds * NOISE);
    for (look, bound) in LOOKS.iter().zip(bounds).skip(1).take(5) {
        let share = found(look.pairs, bound);
        // At the first analyses, a tenth of independent series look dependent.
        let least = if look.pairs > 30 { 0.92 } else { 0.83 };
        assert!((least..0.99).contains(&share), "{}: {share}", look.pairs);
    }
    assert!(found(16, bounds[0] * 0.7) < 0.7);
}
