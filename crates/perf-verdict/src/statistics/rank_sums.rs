//! Rank sums: the number of ways to choose ranks with a given sum.

/// The share of all ways to choose `chosen` of the ascending `ranks` whose sum is `sum` or more.
///
/// With ties, metrics cannot share a table. Two tables, for the lower and the upper half of the ranks, take a quarter
/// of the work of one table, and combining them costs little.
pub(super) fn share_from(ranks: &[usize], chosen: usize, sum: usize) -> f64 {
    let (low, high) = ranks.split_at(ranks.len() / 2);
    let (lower, upper) = (RankSums::new(low, chosen), RankSums::new(high, chosen));
    let (mut some, mut all) = (0.0, 0.0);
    for of_lower in 0..=chosen.min(low.len()) {
        let of_upper = chosen - of_lower;
        if of_upper > high.len() {
            continue;
        }
        // How often the upper ranks reach a sum.
        let mut from: Vec<f64> = upper.ways(of_upper).to_vec();
        for at in (0..from.len().saturating_sub(1)).rev() {
            from[at] += from[at + 1];
        }
        let needed = sum.saturating_sub(lower.least * of_lower + upper.least * of_upper);
        let ways = lower.ways(of_lower);
        // If the lower sum is enough by itself, every choice of upper ranks qualifies.
        let (partly, always) = ways.split_at(needed.min(ways.len()));
        let [each, enough] = [partly, always].map(|ways| ways.iter().sum::<f64>());
        some += enough * from[0] + products(partly, &from, needed);
        all += (each + enough) * from[0];
    }
    (some / all).clamp(0.0, 1.0)
}

/// The share of all ways to choose `chosen` of the ascending `ranks` whose sum is `sum` or less.
pub(super) fn share_up_to(ranks: &[usize], chosen: usize, sum: usize) -> f64 {
    let largest = ranks.last().copied().unwrap_or(0);
    let mirrored: Vec<usize> = ranks.iter().rev().map(|rank| largest - rank).collect();
    share_from(&mirrored, chosen, (largest * chosen).saturating_sub(sum))
}

/// The sum of `values[at] * others[needed - at]` where both exist.
fn products(values: &[f64], others: &[f64], needed: usize) -> f64 {
    // Values whose partner would be past the end have none.
    let first = (needed + 1).saturating_sub(others.len()).min(values.len());
    let end = (needed + 1 - first).min(others.len());
    let partners = others[..end].iter().rev();
    let pairs = values[first..].iter().zip(partners);
    pairs.map(|(value, partner)| value * partner).sum()
}

/// The number of ways to choose some of ascending ranks for each sum, by the recurrence of Mann and Whitney over the
/// ranks. Beyond 2⁵³ the numbers are rounded, each time by a part in 10¹⁶.
pub(super) struct RankSums {
    /// The lowest rank, from which sums are counted.
    least: usize,
    /// By the number of chosen ranks.
    ways: Vec<Vec<f64>>,
}

impl RankSums {
    /// For up to `most` chosen ranks.
    pub(super) fn new(ranks: &[usize], most: usize) -> Self {
        let least = ranks.first().copied().unwrap_or(0);
        let mut ways = vec![vec![1.0]];
        for rank in ranks.iter().map(|rank| rank - least) {
            if ways.len() <= most {
                ways.push(Vec::new());
            }
            for count in (1..ways.len()).rev() {
                let (fewer, more) = ways.split_at_mut(count);
                let (Some(fewer), Some(more)) = (fewer.last(), more.first_mut()) else {
                    continue;
                };
                // Ranks ascend, so the latest ranks have the largest sum.
                more.resize(rank + fewer.len(), 0.0);
                for (more, fewer) in more[rank..].iter_mut().zip(fewer) {
                    *more += fewer;
                }
            }
        }
        Self { least, ways }
    }

    /// The number of ways to choose this many ranks, for each sum from `chosen` times the lowest rank up.
    pub(super) fn into_ways(mut self, chosen: usize) -> Vec<f64> {
        self.ways
            .get_mut(chosen)
            .map(std::mem::take)
            .unwrap_or_default()
    }

    fn ways(&self, chosen: usize) -> &[f64] {
        self.ways.get(chosen).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Counts choices one by one.
    fn counted(ranks: &[usize], chosen: usize, is_counted: impl Fn(usize) -> bool) -> f64 {
        let (mut some, mut all) = (0, 0);
        for choice in 0_u32..1 << ranks.len() {
            if choice.count_ones() as usize == chosen {
                let is_chosen = |at: usize| choice & (1 << at) != 0;
                let sum = (0..ranks.len())
                    .filter(|at| is_chosen(*at))
                    .map(|at| ranks[at])
                    .sum();
                all += 1;
                some += i32::from(is_counted(sum));
            }
        }
        f64::from(some) / f64::from(all)
    }

    proptest! {
        #[test]
        fn shares_are_those_of_all_choices(
            mut ranks in prop::collection::vec(0_usize..30, 1..12),
            chosen: prop::sample::Index,
            sum in 0_usize..200,
        ) {
            ranks.sort_unstable();
            let chosen = chosen.index(ranks.len() + 1);
            let near = |share: f64, expected: f64| (share - expected).abs() < 1e-12;
            prop_assert!(near(share_from(&ranks, chosen, sum), counted(&ranks, chosen, |of| of >= sum)));
            prop_assert!(near(share_up_to(&ranks, chosen, sum), counted(&ranks, chosen, |of| of <= sum)));
        }
    }
}
