//! Pairs, resampled from A/A runs.
//!
//! Two successive runs form a pair, and the base is chosen at random. Blocks of 60 pairs are drawn with replacement. So the
//! result only describes these runs, and more blocks do not make it more certain.

use std::collections::HashSet;

use perf_config::Config;
use perf_verdict::rules::pairs::{self, LOOKS, Outcome};

use crate::random::RandomStream;
use crate::rate::{GROWTHS, Power};
use crate::runs::RunHistory;
use crate::series::costs;

/// The minimum number of pairs for a metric. Fewer would not represent 60.
pub const FEWEST: usize = 20;

/// The rates of drawn blocks, and the number of available pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// The rates of blocks that are found slower. Without intervals, because their trials are dependent.
    pub power: Power,
    /// The number of metrics with enough pairs.
    pub metrics: usize,
    /// The number of metrics with fewer than [`FEWEST`] pairs.
    pub left_out: usize,
    /// The smallest number of pairs of a metric with enough pairs, or the largest number if no metric has enough.
    pub pairs: usize,
    /// The smallest number of distinct pairs of such a metric.
    pub distinct: usize,
}

/// Draws blocks for each metric with enough pairs. One block of every metric forms a pull request.
pub fn draw(runs: &[RunHistory], config: &Config, blocks: usize, seed: u64) -> Drawn {
    let rows = runs
        .iter()
        .flat_map(|history| &history.runs)
        .flat_map(|run| &run.rows);
    let gated = costs(rows, config)
        .into_values()
        .filter(|costs| !costs.is_empty());
    let all = gated.map(|costs| pairs_of(&costs));
    let (rows, few): (Vec<_>, Vec<_>) = all.partition(|pairs| pairs.len() >= FEWEST);
    let fewest = rows.iter().map(Vec::len).min();
    let most_of_few = few.iter().map(Vec::len).max().unwrap_or_default();
    Drawn {
        power: if rows.is_empty() {
            Power::default()
        } else {
            blocks_of(&rows, blocks, seed)
        },
        metrics: rows.len(),
        left_out: few.len(),
        pairs: fewest.unwrap_or(most_of_few),
        distinct: rows
            .iter()
            .map(|pairs| distinct(pairs))
            .min()
            .unwrap_or_default(),
    }
}

fn distinct(pairs: &[(f64, f64)]) -> usize {
    pairs
        .iter()
        .map(|(one, other)| (one.to_bits(), other.to_bits()))
        .collect::<HashSet<_>>()
        .len()
}

fn blocks_of(rows: &[Vec<(f64, f64)>], blocks: usize, seed: u64) -> Power {
    let mut power = Power::default();
    for block in 0..blocks {
        let mut random = RandomStream::new(seed, block as u64);
        let mut is_false = false;
        for pairs in rows {
            let drawn = draw_pairs(pairs, &mut random);
            is_false |= is_slower(&drawn, 0.0);
            for (found, growth) in power.found.iter_mut().zip(GROWTHS) {
                found.add(is_slower(&drawn, growth));
            }
        }
        power.false_alarms.add(is_false);
    }
    power
}

fn pairs_of(costs: &[f64]) -> Vec<(f64, f64)> {
    costs
        .chunks_exact(2)
        .map(|pair| (pair[0], pair[1]))
        .collect()
}

fn draw_pairs(pairs: &[(f64, f64)], random: &mut RandomStream) -> Vec<(f64, f64)> {
    let one = |_| {
        let (one, other) = pairs[random.below(pairs.len())];
        if random.below(2) == 0 {
            (one, other)
        } else {
            (other, one)
        }
    };
    (0..LOOKS[LOOKS.len() - 1].pairs).map(one).collect()
}

fn is_slower(pairs: &[(f64, f64)], growth: f64) -> bool {
    let slower: Vec<(f64, f64)> = pairs
        .iter()
        .map(|(base, current)| (*base, current + growth.ln_1p()))
        .collect();
    pairs::look(&slower).is_some_and(|finding| finding.outcome == Outcome::Slower)
}
