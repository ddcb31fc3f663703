//! The U test of Mann and Whitney (1947, doi:10.1214/aoms/1177730491): whether one sample tends to be larger than
//! another, for any distribution.
//!
//! *U* is the number of pairs of a current and a base value in which the current value is larger, plus half of the
//! ties. The p-value is the share of all assignments of the values to the two sides whose U is at least as large.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use super::{at_most, normal_tail, real};

/// With up to this many pairs of values, the p-value is exact: 40 values against 40.
pub const EXACT_PAIRS: usize = 1_600;

/// Returns the one-sided p-value for "the current values are larger than the base values".
///
/// The p-value is exact, including ties, for up to [`EXACT_PAIRS`] pairs of values. For more, it is the normal
/// approximation with corrections for ties and continuity. Returns `None` if a side is empty or contains a value that
/// is not finite.
pub fn mann_whitney(current: &[f64], base: &[f64]) -> Option<f64> {
    let ranked = Ranked::new(current, base)?;
    Some(if current.len().saturating_mul(base.len()) <= EXACT_PAIRS {
        ranked.exact()
    } else {
        ranked.normal()
    })
}

/// Returns the two-sided p-value: twice the smaller one-sided p-value. Returns `None` under the same conditions as
/// [`mann_whitney`].
pub fn mann_whitney_two_sided(a: &[f64], b: &[f64]) -> Option<f64> {
    let above = mann_whitney(a, b)?;
    // The two one-sided p-values add up to at least one, so a p-value below a half is the smaller of the two.
    let smaller = if above < 0.5 {
        above
    } else {
        mann_whitney(b, a)?.min(above)
    };
    Some((2.0 * smaller).min(1.0))
}

/// Returns the smallest possible p-value, 1/C(n + m, n). It occurs if one side is entirely above the other side. Ties
/// only increase it.
pub fn smallest_p(n: usize, m: usize) -> f64 {
    let (few, many) = (n.min(m), real(n.max(m)));
    let mut ways = 1.0;
    for i in 1..=few {
        ways *= (many + real(i)) / real(i);
        // Each step at least doubles the number, so a huge `n` overflows after a few steps.
        if ways.is_infinite() {
            return 0.0;
        }
    }
    1.0 / ways.round()
}

/// Returns the minimum number of process runs per side with which a single slower metric among `metrics` can be
/// significant at a false discovery rate of `q`. Zero metrics are treated as one. Returns `usize::MAX` if no number
/// suffices, because `q` is zero, negative or NaN.
pub fn launches_needed(metrics: usize, q: f64) -> usize {
    let limit = q / real(metrics.max(1));
    if limit.is_nan() || limit <= 0.0 {
        return usize::MAX;
    }
    let mut launches = 1;
    // This terminates, because the smallest p-value underflows to zero at a little more than 500 process runs.
    while !at_most(smallest_p(launches, launches), limit) {
        launches += 1;
    }
    launches
}

/// Two samples, ranked together.
struct Ranked {
    /// Twice the rank of each value, from zero and in ascending order. Ties share their mean rank.
    ranks: Vec<usize>,
    /// The sum of [`Self::ranks`] over the current values.
    sum: usize,
    current: usize,
    base: usize,
    /// Σ(t³ − t) over the groups of t tied values.
    ties: f64,
}

impl Ranked {
    fn new(current: &[f64], base: &[f64]) -> Option<Self> {
        if !(super::usable(current) && super::usable(base)) {
            return None;
        }
        let mut pooled: Vec<(f64, bool)> = current.iter().map(|&value| (value, true)).collect();
        pooled.extend(base.iter().map(|&value| (value, false)));
        pooled.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut ranked = Self {
            ranks: Vec::with_capacity(pooled.len()),
            sum: 0,
            current: current.len(),
            base: base.len(),
            ties: 0.0,
        };
        // `>=` treats minus zero and zero, which are neighbours in this order, as tied.
        for tied in pooled.chunk_by(|a, b| a.0 >= b.0) {
            // The first rank plus the last rank of the group is twice the group's mean rank.
            let rank = 2 * ranked.ranks.len() + tied.len() - 1;
            ranked.ranks.extend(std::iter::repeat_n(rank, tied.len()));
            ranked.sum += rank * tied.iter().filter(|(_, current)| *current).count();
            let t = real(tied.len());
            ranked.ties += t * t * t - t;
        }
        Some(ranked)
    }

    /// Returns the share of all choices of the current values whose rank sum is at least as large as the actual one.
    fn exact(&self) -> f64 {
        // Doubled ranks are integers. If no rank is fractional, all doubled ranks are even and can be halved.
        let unit = if self.ranks.iter().all(|rank| rank.is_multiple_of(2)) {
            2
        } else {
            1
        };
        let ranks: Vec<usize> = self.ranks.iter().map(|rank| rank / unit).collect();
        let sum = self.sum / unit;
        // By symmetry, it suffices to choose the values of the smaller side.
        let chosen = self.current.min(self.base);
        let ways = if self.ties > 0.0 {
            Arc::new(ways_by_sum(&ranks, chosen))
        } else {
            untied_ways(chosen, ranks.len())
        };
        let extreme = if self.current <= self.base {
            &ways[sum..]
        } else {
            &ways[..=ranks.iter().sum::<usize>() - sum]
        };
        (extreme.iter().sum::<f64>() / ways.iter().sum::<f64>()).clamp(0.0, 1.0)
    }

    fn normal(&self) -> f64 {
        let (n, m) = (real(self.current), real(self.base));
        let all = n + m;
        let u = real(self.sum) / 2.0 - n * (n - 1.0) / 2.0;
        let variance = n * m / 12.0 * (all + 1.0 - self.ties / (all * (all - 1.0)));
        if variance <= 0.0 {
            return 1.0;
        }
        normal_tail((u - n * m / 2.0 - 0.5) / variance.sqrt())
    }
}

/// Returns, for each sum, how many ways there are to choose `chosen` of these ascending ranks with that sum, by the
/// recurrence of Mann and Whitney. Numbers beyond 2⁵³ are rounded at each step, with a relative error of about 10⁻¹⁶.
fn ways_by_sum(ranks: &[usize], chosen: usize) -> Vec<f64> {
    // Indexed by the number of chosen ranks, then by their sum.
    let mut ways = vec![vec![1.0]];
    for rank in ranks {
        if ways.len() <= chosen {
            ways.push(Vec::new());
        }
        for count in (1..ways.len()).rev() {
            let (fewer, more) = ways.split_at_mut(count);
            let (fewer, more) = (&fewer[count - 1], &mut more[0]);
            // Ranks ascend, so a choice that includes the latest rank can have the largest sum so far.
            more.resize(rank + fewer.len(), 0.0);
            for (more, fewer) in more[*rank..].iter_mut().zip(fewer) {
                *more += fewer;
            }
        }
    }
    ways.pop().unwrap_or_default()
}

/// The tables of [`untied_ways`], by the number of chosen values and the number of all values.
type Tables = HashMap<(usize, usize), Arc<Vec<f64>>>;

/// Like [`ways_by_sum`], but for the ranks of `all` different values. A table depends only on the two numbers, so it is
/// computed once and cached.
fn untied_ways(chosen: usize, all: usize) -> Arc<Vec<f64>> {
    static TABLES: LazyLock<Mutex<Tables>> = LazyLock::new(Mutex::default);
    let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    let table = tables.entry((chosen, all)).or_insert_with(|| {
        let ranks: Vec<usize> = (0..all).collect();
        Arc::new(ways_by_sum(&ranks, chosen))
    });
    Arc::clone(table)
}

/// Returns P[U ≤ u] for each u from 0 to n·m, without ties.
pub(super) fn distribution(n: usize, m: usize) -> Vec<f64> {
    let (few, many) = (n.min(m), n.max(m));
    let ways = untied_ways(few, few + many);
    let counts = &ways[few * few.saturating_sub(1) / 2..];
    let all: f64 = counts.iter().sum();
    let mut so_far = 0.0;
    counts
        .iter()
        .map(|count| {
            so_far += count;
            so_far / all
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ways_count_all_choices(
            mut ranks in prop::collection::vec(0_usize..30, 1..12),
            chosen: prop::sample::Index,
        ) {
            ranks.sort_unstable();
            let chosen = chosen.index(ranks.len() + 1);
            let ways = ways_by_sum(&ranks, chosen);
            let mut counted = vec![0.0; ways.len()];
            for choice in 0_u32..1 << ranks.len() {
                if choice.count_ones() as usize == chosen {
                    let of_choice = (0..ranks.len()).filter(|at| choice & (1 << at) != 0);
                    counted[of_choice.map(|at| ranks[at]).sum::<usize>()] += 1.0;
                }
            }
            prop_assert_eq!(ways, counted);
        }
    }
}
