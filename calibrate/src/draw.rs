//! Pairs, drawn from A/A runs: launches of a program that nothing changed.
//!
//! Two launches in a row are a pair, of which chance says which is the base. Blocks of 60 pairs are drawn with
//! replacement, so the answer is about launches such as these, and no better than they are many.

use indexmap::IndexMap;
use perf_rows::catalogue::{Catalogue, GateRule};
use perf_rows::row::{Name, Row};
use perf_verdict::oriented::cost;
use perf_verdict::rules::pairs::{self, LOOKS, Outcome};

use crate::random::Random;
use crate::rate::{GROWTHS, Power};
use crate::runs::History;

/// The costs of each row's launches, in order.
type Launches = IndexMap<(Name, Name, Name), Vec<f64>>;

/// Draws so many blocks for each row that has two launches or more. A pull request is one block of every row.
pub fn draw(runs: &[History], catalogue: &Catalogue, blocks: usize, seed: u64) -> Power {
    let mut power = Power::default();
    let rows: Vec<Vec<(f64, f64)>> =
        launches(runs, catalogue).into_values().map(|costs| pairs_of(&costs)).collect();
    let rows: Vec<_> = rows.into_iter().filter(|pairs| !pairs.is_empty()).collect();
    for block in 0..if rows.is_empty() { 0 } else { blocks } {
        let mut random = Random::new(seed, block as u64);
        let mut is_false = false;
        for pairs in &rows {
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

fn launches(runs: &[History], catalogue: &Catalogue) -> Launches {
    let mut launches = Launches::new();
    let rows = runs.iter().flat_map(|history| &history.runs).flat_map(|run| &run.rows);
    for (row, name, value) in
        rows.flat_map(|row: &Row| row.metrics.iter().map(move |(name, value)| (row, name, value)))
    {
        let metric = catalogue.metric(name);
        let is_gated = metric.default_gate.is_some_and(|gate| gate.rule == GateRule::Threshold);
        if let Some(cost) = cost(metric.meaning.direction, value.as_f64()).filter(|_| is_gated) {
            let key = [&row.platform, &row.scenario, name].map(Name::clone);
            launches.entry(key.into()).or_default().push(cost);
        }
    }
    launches
}

fn pairs_of(costs: &[f64]) -> Vec<(f64, f64)> {
    costs.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}

fn take(pairs: &[(f64, f64)], random: &mut Random) -> Vec<(f64, f64)> {
    let one = |_| {
        let (one, other) = pairs[random.below(pairs.len())];
        if random.below(2) == 0 { (one, other) } else { (other, one) }
    };
    (0..LOOKS[LOOKS.len() - 1].0).map(one).collect()
}

fn is_slower(pairs: &[(f64, f64)], growth: f64) -> bool {
    let slower: Vec<(f64, f64)> =
        pairs.iter().map(|(base, current)| (*base, current + growth.ln_1p())).collect();
    pairs::look(&slower).is_some_and(|finding| finding.outcome == Outcome::Slower)
}
