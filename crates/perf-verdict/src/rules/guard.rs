//! Whether it is the machine that changed: when nearly all that is measured moves one way at once, that is not the
//! work of a change to the code.

use crate::rules::history::Band;
use perf_stats::order::{median, sorted};

/// The smallest scale that a distance is measured in: 1 % of the cost.
const FINEST: f64 = 0.01;
/// How far the middle distance must be from nothing.
const FAR: f64 = 1.5;
/// The share of one sign from which a shift is common to all.
const SHARE: f64 = 0.8;
/// How many rows a shift takes.
const ROWS: usize = 10;

/// That everything moved at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// The middle distance from what was usual, in scales of each row's noise; positive is worse.
    pub distance: f64,
    /// The share of rows that moved to this side.
    pub share: f64,
    /// How many rows were looked at.
    pub rows: usize,
}

/// How far a cost is from the median of its history or from the last value, whichever is nearer, in scales of its
/// noise; nothing between the two. A machine that changed some commits ago changed the last value too: it is no
/// news, and would make every later verdict inconclusive until half of the history is from after the change.
pub fn distance(cost: f64, band: &Band) -> f64 {
    let (low, high) = (band.median.min(band.last), band.median.max(band.last));
    (cost - cost.clamp(low, high)) / band.scale.max(FINEST)
}

/// The distances of all rows, ready to be asked about each.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    ordered: Vec<f64>,
}

impl Guard {
    /// Of the finite ones among these distances.
    pub fn new(distances: impl IntoIterator<Item = f64>) -> Self {
        let finite: Vec<f64> = distances.into_iter().filter(|distance| distance.is_finite()).collect();
        Self { ordered: sorted(&finite) }
    }

    /// Of the rows of several guards.
    pub fn of_all(guards: &[Self]) -> Self {
        Self::new(guards.iter().flat_map(|guard| guard.ordered.iter().copied()))
    }

    /// Whether there are rows enough for a shift to be told.
    pub fn is_telling(&self) -> bool {
        self.ordered.len() >= ROWS
    }

    /// The shift of all rows, if there is one.
    pub fn shift(&self) -> Option<Shift> {
        shift(&self.ordered)
    }

    /// The shift of all rows but the one of this distance, so that no row speaks in its own cause: made better, it
    /// could else lift the guard from itself.
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

/// Of ordered distances, how many are worse and how many better than nothing.
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
    fn everything_at_once_is_a_shift_and_one_row_is_none() {
        let guard = Guard::new([3.0; 20]);
        assert_eq!(guard.shift(), Some(Shift { distance: 3.0, share: 1.0, rows: 20 }));
        assert_eq!(Guard::new([3.0; 9]).shift(), None);
        let one = Guard::new((0..20).map(|row| if row == 0 { 50.0 } else { f64::from(row % 3) - 1.0 }));
        assert_eq!(one.shift(), None);
    }

    #[test]
    fn four_in_five_are_not_enough() {
        let rows = |worse: u32| Guard::new((0..20).map(|row| if row < worse { 4.0 } else { -4.0 }));
        assert_eq!(rows(16).shift(), None);
        assert!(rows(17).shift().is_some());
        assert!(Guard::new([-3.0; 10]).shift().is_some_and(|shift| shift.distance < 0.0));
    }

    #[test]
    fn a_machine_that_changed_commits_ago_is_no_news() {
        let mut costs = vec![0.0; 20];
        costs.push(0.3);
        let band = Band::of(&costs, 30, 10).unwrap();
        let of = |cost| distance(cost, &band);
        assert!([0.3, 0.1, 0.0].iter().all(|cost| of(*cost).abs() < 1e-12));
        assert!((of(0.4) - 10.0).abs() < 1e-9 && (of(-0.1) + 10.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn without_one_row_is_as_if_it_had_not_been_there(
            distances in prop::collection::vec(-4i8..8, 1..40),
            which in any::<prop::sample::Index>(),
        ) {
            let mut distances: Vec<f64> = distances.into_iter().map(f64::from).collect();
            let all = Guard::new(distances.clone());
            let own = distances.swap_remove(which.index(distances.len()));
            prop_assert_eq!(all.shift_without(own), Guard::new(distances).shift());
        }
    }
}
