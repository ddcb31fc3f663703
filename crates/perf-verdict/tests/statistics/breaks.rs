//! Change points in simulated histories, and false alarms in flat ones.

use perf_verdict::statistics::breaks::{Break, breaks};
use perf_verdict::statistics::random::SplitMix;

/// Seeded random numbers.
struct Dice(SplitMix);

impl Dice {
    #[expect(clippy::cast_precision_loss, reason = "53 bits are random enough")]
    fn uniform(&mut self) -> f64 {
        self.0.bits() as f64 / 2.0_f64.powi(64)
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.uniform()).ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Values around `level(index)`, with 2% noise.
    fn series(&mut self, length: usize, level: impl Fn(usize) -> f64) -> Vec<f64> {
        (0..length)
            .map(|index| level(index) * (1.0 + 0.02 * self.normal()))
            .collect()
    }
}

fn step(at: usize) -> impl Fn(usize) -> f64 {
    move |index| if index < at { 100.0 } else { 110.0 }
}

fn places(found: &[Break]) -> Vec<usize> {
    found.iter().map(|found| found.at).collect()
}

/// The number of flat series of 60 values with this noise in which a change point is found.
fn false_alarms(series: usize, mut value: impl FnMut(&mut Dice) -> f64) -> usize {
    let mut dice = Dice(SplitMix::new(1));
    let mut flat = || (0..60).map(|_| value(&mut dice)).collect::<Vec<f64>>();
    (0..series)
        .filter(|_| !breaks(&flat(), 0.001, 3).is_empty())
        .count()
}

#[test]
fn flat_series_have_no_breaks() {
    assert!(
        false_alarms(1_000, |dice| 1.0 + 0.02 * dice.normal()) <= 2,
        "normal noise"
    );
    assert!(
        false_alarms(200, |dice| 1.0 - 0.02 * dice.uniform().max(1e-9).ln()) <= 1,
        "a long tail"
    );
    assert!(
        false_alarms(200, |dice| (40.0 + dice.normal()).round()) <= 1,
        "whole numbers"
    );
    let slow_runs = |dice: &mut Dice| {
        let slow = if dice.uniform() < 0.05 { 1.3 } else { 1.0 };
        slow * (1.0 + 0.02 * dice.normal())
    };
    assert!(false_alarms(200, slow_runs) <= 1, "some runs are slow");
}

#[test]
fn a_step_is_found_where_it_is() {
    for at in [5, 10, 20, 30, 45, 55] {
        let mut dice = Dice(SplitMix::new(2));
        let near = (0..50).filter(|_| {
            let found = breaks(&dice.series(60, step(at)), 0.001, 3);
            found.len() == 1 && found[0].at.abs_diff(at) <= 1
        });
        let near = near.count();
        assert!(near >= 49, "{near} of 50 at {at}");
    }
}

#[test]
fn a_short_history_shows_a_clear_step() {
    let mut dice = Dice(SplitMix::new(3));
    assert_eq!(places(&breaks(&dice.series(16, step(8)), 0.001, 3)), [8]);
}

#[test]
fn a_temporary_level_has_two_breaks() {
    let mut dice = Dice(SplitMix::new(4));
    let found = (0..100).filter(|_| {
        let series = dice.series(60, |index| {
            if (30..40).contains(&index) {
                110.0
            } else {
                100.0
            }
        });
        let at = places(&breaks(&series, 0.001, 3));
        matches!(at[..], [up, down] if up.abs_diff(30) <= 1 && down.abs_diff(40) <= 1)
    });
    let found = found.count();
    assert!(found >= 85, "{found} of 100");
}

#[test]
fn a_break_has_the_medians_around_it() {
    let before = [10.0, 10.1, 9.9, 10.0, 10.2, 9.8, 10.0, 10.1, 9.9, 10.0];
    let after = [12.0, 12.1, 11.9, 12.0, 12.2, 11.8, 12.0, 12.1, 11.9, 50.0];
    let series = [before, after].concat();
    let found = breaks(&series, 0.001, 3);
    assert_eq!(places(&found), [10]);
    assert_eq!((found[0].before, found[0].after), (10.0, 12.0));
    assert!(found[0].p > 0.0 && found[0].p <= 0.001, "{found:?}");
}

#[test]
fn series_without_noise() {
    assert_eq!(breaks(&[7.0; 60], 0.001, 3), []);
    assert_eq!(breaks(&[0.0; 60], 0.001, 3), []);
    let found = breaks(&[0.1, 0.1, 0.1, 0.1, 0.3, 0.3, 0.3], 0.001, 3);
    assert_eq!(
        found,
        [Break {
            at: 4,
            before: 0.1,
            after: 0.3,
            p: 0.0
        }]
    );
}

#[test]
fn one_outlier_is_not_a_level() {
    for place in 0..60 {
        let mut flat = [7.0; 60];
        flat[place] = 70.0;
        assert_eq!(breaks(&flat, 0.001, 1), [], "an outlier at {place}");
        let mut noisy = Dice(SplitMix::new(5)).series(60, step(30));
        noisy[place] = 1_000.0;
        let found = places(&breaks(&noisy, 0.001, 3));
        assert!(
            matches!(found[..], [at] if at.abs_diff(30) <= 2),
            "an outlier at {place}: {found:?}"
        );
    }
}

#[test]
fn shorter_levels_are_ignored() {
    let series = Dice(SplitMix::new(6)).series(60, step(50));
    assert_eq!(breaks(&series, 0.001, 10).len(), 1);
    assert!(
        breaks(&series, 0.001, 11)
            .iter()
            .all(|found| found.at <= 49)
    );
    assert_eq!(breaks(&series, 0.001, 31), []);
    assert_eq!(breaks(&series, 0.001, usize::MAX), []);
}

#[test]
fn unit_and_direction_do_not_matter() {
    let series = Dice(SplitMix::new(7)).series(60, step(20));
    let found = breaks(&series, 0.001, 3);
    let at = |change: fn(f64) -> f64| {
        let changed: Vec<f64> = series.iter().map(|value| change(*value)).collect();
        places(&breaks(&changed, 0.001, 3))
    };
    assert_eq!(places(&found), [20]);
    assert_eq!(at(|value| value * 1e300), [20]);
    assert_eq!(at(|value| value * 1e-300), [20]);
    assert_eq!(at(|value| -value), [20]);
}

#[test]
fn only_the_latest_values_of_a_long_series_are_searched() {
    let series = [vec![1.0; 300], vec![2.0; 1_200], vec![3.0; 1_200]].concat();
    assert_eq!(
        breaks(&series, 0.001, 3),
        [Break {
            at: 1_500,
            before: 2.0,
            after: 3.0,
            p: 0.0
        }]
    );
}
