//! Pairs, drawn from A/A runs: launches of a program that nothing changed.
//!
//! Two launches in a row are a pair, and chance decides which is the base. Blocks of 60 pairs are drawn with
//! replacement, so the answer is about these launches, and drawing more blocks makes nothing surer.

use std::collections::HashSet;

use perf_config::Config;
use perf_verdict::rules::pairs::{self, LOOKS, Outcome};

use crate::random::RandomStream;
use crate::rate::{GROWTHS, Power};
use crate::runs::RunHistory;
use crate::series::costs;

/// The least number of pairs of a metric: fewer say nothing about what 60 would show.
pub const FEWEST: usize = 20;

/// The rates of drawn blocks, and the pairs that they were drawn from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// The rates of blocks that are found slower. Their trials are not independent, so they have no intervals.
    pub power: Power,
    /// Metrics of rows that were drawn from.
    pub metrics: usize,
    /// Metrics with fewer than [`FEWEST`] pairs, from which nothing was drawn.
    pub left_out: usize,
    /// Pairs of the metric that has the fewest; of those left out, where nothing was drawn, of that with the most.
    pub pairs: usize,
    /// Distinct pairs of the metric that has the fewest of them.
    pub distinct: usize,
}

/// Draws `blocks` blocks for each metric of a row with enough pairs. A pull request is one block of every one.
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
            let taken = take(pairs, &mut random);
            is_false |= is_slower(&taken, 0.0);
            for (found, growth) in power.found.iter_mut().zip(GROWTHS) {
                found.add(is_slower(&taken, growth));
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

fn take(pairs: &[(f64, f64)], random: &mut RandomStream) -> Vec<(f64, f64)> {
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
