//! Breaks: where a series changes its level, found afterwards, when values of the new level have come in.
//!
//! The method is hierarchical E-divisive means (Matteson and James 2014, doi:10.1080/01621459.2013.849605): split
//! the series where the values before and after differ most by their energy statistic, then split both parts.
//! There, a split is significant when few random permutations of the part have as much energy. Here, as in Hunter
//! (Fleming et al. 2023, doi:10.1145/3578244.3583719), now Apache Otava, a test of the two neighbouring parts says
//! so, which needs no random numbers: splits are first taken on weak evidence, since a level that comes and goes
//! looks weak until both of its ends are found, and then the weakest is undone, and its neighbours are tested anew,
//! until all that remain are significant.
//!
//! Hunter's test is Welch's. Alone it is too liberal at a split that was chosen for being the best of many: with
//! p ≤ 0.001 it finds something in several of a hundred flat series of 60 values, in more where the noise is skewed
//! or rounded, and one outlier hides a real step from it. So a split's p-value here is corrected twice:
//!
//! - The smaller p-value of two tests counts, doubled: the exact rank test of Mann and Whitney, which takes any noise
//!   and any outlier but cannot say much about short levels, and, for those, the larger of Welch's and Student's,
//!   because each errs where a short level happens to scatter less, or more, than the other one.
//! - It is multiplied by the number of places where the two neighbouring parts could have been split.

use std::ops::Range;

use super::{means, order, ranks, real, usable};

/// Splits are tried up to this p-value, before the correction; those that stay weak are undone.
const CANDIDATE: f64 = 0.05;

/// Levels shorter than this are outliers.
const SHORTEST: usize = 3;

/// Only so many of the latest values are looked at: the effort grows with their square.
const LONGEST: usize = 1_000;

/// A place where a series changes its level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Break {
    /// The index of the first value of the new level.
    pub at: usize,
    /// The median of the level before, back to the break before or the start.
    pub before: f64,
    /// The median of the level after, up to the next break or the end.
    pub after: f64,
    /// How often chance alone makes neighbouring levels differ so much at their best split.
    pub p: f64,
}

/// The breaks of a series of values in time order, first to last: those whose p-value is at most `p`, between levels
/// of at least `shortest` values (three at the least). Only the latest 1,000 values are searched.
/// None are found in a series with a value that is not finite, nor for a `p` that is no number.
pub fn breaks(values: &[f64], p: f64, shortest: usize) -> Vec<Break> {
    let skipped = values.len().saturating_sub(LONGEST);
    let values = &values[skipped..];
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    if !usable(values) || largest <= 0.0 || p.is_nan() {
        return Vec::new();
    }
    // Between −1 and 1 nothing that is added or squared below is too large for a number.
    let scaled: Vec<f64> = values.iter().map(|value| value / largest).collect();
    let mut search = Search { series: &scaled, shortest: shortest.max(SHORTEST), places: vec![0] };
    search.split(0..values.len(), p.max(CANDIDATE));
    search.places.push(values.len());
    let p_values = search.keep(p);
    let levels: Vec<f64> =
        search.places.windows(2).filter_map(|level| middle(&values[level[0]..level[1]])).collect();
    let found = search.places.iter().skip(1).zip(p_values).zip(levels.windows(2));
    found.map(|((at, p), level)| Break { at: at + skipped, before: level[0], after: level[1], p }).collect()
}

fn middle(level: &[f64]) -> Option<f64> {
    order::median(&order::sorted(level))
}

struct Search<'a> {
    series: &'a [f64],
    shortest: usize,
    /// Where levels start, ascending; once all are found, also where the last one ends.
    places: Vec<usize>,
}

impl Search<'_> {
    /// Splits a part of the series, and what comes of it, wherever there is weak evidence.
    fn split(&mut self, part: Range<usize>, candidate: f64) {
        // Parts that wait are taken from the left, so that places come in ascending order.
        let mut waiting = vec![part];
        while let Some(part) = waiting.pop() {
            let at =
                super::energy::split(&self.series[part.clone()], self.shortest).map(|at| part.start + at);
            match at {
                Some(at) if differ(&self.series[part.start..at], &self.series[at..part.end]) <= candidate => {
                    waiting.extend([at..part.end, part.start..at]);
                }
                _ if part.start > 0 => self.places.push(part.start),
                _ => {}
            }
        }
    }

    /// Undoes the weakest break until all that remain have a p-value of at most `p`; their p-values.
    fn keep(&mut self, p: f64) -> Vec<f64> {
        let mut p_values: Vec<f64> = (1..self.places.len() - 1).map(|index| self.p_value(index)).collect();
        while let Some((weakest, worst)) =
            p_values.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))
        {
            if worst <= p {
                break;
            }
            p_values.remove(weakest);
            self.places.remove(weakest + 1);
            // The levels on both sides have become one, which the breaks at its ends now border on.
            for neighbour in [weakest.checked_sub(1), Some(weakest)].into_iter().flatten() {
                if neighbour < p_values.len() {
                    p_values[neighbour] = self.p_value(neighbour + 1);
                }
            }
        }
        p_values
    }

    /// The corrected p-value of the break at the place of this index.
    fn p_value(&self, index: usize) -> f64 {
        let [start, at, end] = [self.places[index - 1], self.places[index], self.places[index + 1]];
        let places = end - start - 2 * self.shortest + 1;
        (differ(&self.series[start..at], &self.series[at..end]) * real(places)).min(1.0)
    }
}

/// How often two levels of a series without a break would differ as much, if where they meet were known beforehand.
fn differ(before: &[f64], after: &[f64]) -> f64 {
    let ranks = ranks::mann_whitney_two_sided(before, after).unwrap_or(1.0);
    let welch = means::welch(before, after).unwrap_or(1.0);
    let student = means::student(before, after).unwrap_or(1.0);
    (2.0 * ranks.min(welch.max(student))).min(1.0)
}
