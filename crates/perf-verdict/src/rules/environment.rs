//! Environment shifts: nearly all benchmarks move one way at once, which a change to the code rarely does.

use perf_stats::order::{median, sorted};
use serde::{Deserialize, Serialize};

use super::history::{self, Band};
use crate::engine::case::{Case, Decision, Judged, RuleEntry};
use crate::model::{Confirmation, Verdict};
use crate::rules::Reason;

pub(crate) const RULE: RuleEntry = RuleEntry { decide, ..RuleEntry::NONE };

/// The smallest standard deviation that a distance is measured in: 1% of the cost.
const FINEST: f64 = 0.01;
/// The median distance beyond which there is a shift.
const FAR: f64 = 1.5;
/// The share of rows that must move the same way.
const SHARE: f64 = 0.8;
/// The number of rows that a shift needs.
const ROWS: usize = 10;

/// Nearly all rows moved one way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ShiftReport"))]
pub struct Shift {
    /// The median distance from the history, in standard deviations of each row; positive is worse.
    pub distance: f64,
    /// The share of rows that moved this way.
    pub share: f64,
    /// The number of rows.
    pub rows: usize,
}

/// The shift of the other rows, and what the history says of this one.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The shift of the other rows.
    pub shift: Shift,
    /// The current value against its history, where it has one.
    pub history: Option<history::Finding>,
}

impl super::Finding for Finding {
    fn name(&self) -> Option<&'static str> {
        Some("guard")
    }

    fn effect(&self) -> Option<f64> {
        super::Finding::effect(self.history.as_ref()?)
    }

    fn suspicion(&self) -> Option<Confirmation> {
        self.history.as_ref()?.screening.suspicion()
    }
}

fn decide(case: &Case<'_>) -> Option<Decision> {
    let shift = case.context.shift.filter(|_| case.fixed_limit().is_some())?;
    let finding = Finding { shift, history: history::look(case) };
    let reason = Reason::Environment(Box::new(finding));
    Some(Decision::Reached(Judged::new(Verdict::Inconclusive, reason)))
}

/// How far a cost is from the median of its history or from the last value, whichever is nearer, in standard
/// deviations; zero between the two. A machine that changed some commits ago changed the last value too, and must not
/// make every later verdict inconclusive until half of the history is from after the change.
pub fn distance(cost: f64, band: &Band) -> f64 {
    let (low, high) = (band.median.min(band.last), band.median.max(band.last));
    (cost - cost.clamp(low, high)) / band.scale.max(FINEST)
}

/// The distances of all rows of a scope.
#[derive(Clone, Debug, Default)]
pub struct Distances {
    ordered: Vec<f64>,
}

impl Distances {
    /// Ignores distances that are not finite.
    pub fn new(distances: impl IntoIterator<Item = f64>) -> Self {
        let finite: Vec<f64> = distances.into_iter().filter(|distance| distance.is_finite()).collect();
        Self { ordered: sorted(&finite) }
    }

    /// The rows of several scopes.
    pub fn of_all(all: &[Self]) -> Self {
        Self::new(all.iter().flat_map(|distances| distances.ordered.iter().copied()))
    }

    /// Whether there are enough rows to detect a shift.
    pub fn has_enough_rows(&self) -> bool {
        self.ordered.len() >= ROWS
    }

    /// The shift of all rows, if there is one.
    pub fn shift(&self) -> Option<Shift> {
        shift(&self.ordered)
    }

    /// The shift of all rows but the one with this distance: an improvement must not end the shift that it is
    /// judged under.
    pub fn shift_without(&self, own: f64) -> Option<Shift> {
        let mut others = Others { ordered: &self.ordered, left_out: self.place(own) };
        others.shift()
    }

    fn place(&self, own: f64) -> usize {
        self.ordered.partition_point(|distance| *distance < own)
    }
}

/// Ordered distances without one.
struct Others<'g> {
    ordered: &'g [f64],
    left_out: usize,
}

impl Others<'_> {
    fn shift(&mut self) -> Option<Shift> {
        let rows = self.ordered.len().checked_sub(1)?;
        if rows < ROWS {
            return None;
        }
        let at = |place: usize| self.ordered[place + usize::from(place >= self.left_out)];
        let middle = if rows % 2 == 1 { at(rows / 2) } else { f64::midpoint(at(rows / 2 - 1), at(rows / 2)) };
        let own = self.ordered.get(self.left_out).copied().unwrap_or_default();
        let (worse, better) = sides(self.ordered);
        let (worse, better) = (worse - usize::from(own > 0.0), better - usize::from(own < 0.0));
        of(middle, worse, better, rows)
    }
}

fn shift(ordered: &[f64]) -> Option<Shift> {
    if ordered.len() < ROWS {
        return None;
    }
    let (worse, better) = sides(ordered);
    of(median(ordered)?, worse, better, ordered.len())
}

/// How many of the ordered distances are worse, and how many better than zero.
fn sides(ordered: &[f64]) -> (usize, usize) {
    let better = ordered.partition_point(|distance| *distance < 0.0);
    let worse = ordered.len() - ordered.partition_point(|distance| *distance <= 0.0);
    (worse, better)
}

#[expect(clippy::cast_precision_loss, reason = "rows are far fewer than 2^53")]
fn of(middle: f64, worse: usize, better: usize, rows: usize) -> Option<Shift> {
    let same = if middle > 0.0 { worse } else { better };
    let share = same as f64 / rows as f64;
    (middle.abs() > FAR && share > SHARE).then_some(Shift { distance: middle, share, rows })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nearly_all_rows_make_a_shift() {
        let distances = Distances::new([3.0; 20]);
        assert_eq!(distances.shift(), Some(Shift { distance: 3.0, share: 1.0, rows: 20 }));
        assert_eq!(Distances::new([3.0; 9]).shift(), None);
        let one = Distances::new((0..20).map(|row| if row == 0 { 50.0 } else { f64::from(row % 3) - 1.0 }));
        assert_eq!(one.shift(), None);
    }

    #[test]
    fn the_share_is_exclusive() {
        let rows = |worse: u32| Distances::new((0..20).map(|row| if row < worse { 4.0 } else { -4.0 }));
        assert_eq!(rows(16).shift(), None);
        assert!(rows(17).shift().is_some());
        assert!(Distances::new([-3.0; 10]).shift().is_some_and(|shift| shift.distance < 0.0));
    }

    #[test]
    fn the_last_value_is_usual_too() {
        let mut costs = vec![0.0; 20];
        costs.push(0.3);
        let band = Band::of(&costs, 30, 10).unwrap();
        let of = |cost| distance(cost, &band);
        assert!([0.3, 0.1, 0.0].iter().all(|cost| of(*cost).abs() < 1e-12));
        assert!((of(0.4) - 10.0).abs() < 1e-9 && (of(-0.1) + 10.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn a_row_left_out_does_not_count(
            distances in prop::collection::vec(-4i8..8, 1..40),
            which in any::<prop::sample::Index>(),
        ) {
            let mut distances: Vec<f64> = distances.into_iter().map(f64::from).collect();
            let all = Distances::new(distances.clone());
            let own = distances.swap_remove(which.index(distances.len()));
            prop_assert_eq!(all.shift_without(own), Distances::new(distances).shift());
        }
    }
}
