//! Results from all pairs in a suite: false alarms in unchanged code, and the minimum detectable slowdown.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::comparison::Comparison;
use crate::evidence::gate::NotGated;
use crate::evidence::instrument::Instrument;
use crate::rules::Reason;

/// Unchanged code compared with itself by the rule for pairs (the A/A check).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelfComparison {
    /// Benchmarks with a false alarm.
    pub flagged: usize,
    /// Benchmarks with enough pairs.
    pub benchmarks: usize,
}

impl Comparison {
    /// Compares each side's process runs with each other; `None` without pairs.
    pub fn self_comparison(&self) -> Option<SelfComparison> {
        let mut found = SelfComparison {
            flagged: 0,
            benchmarks: 0,
        };
        for scenario in self.scopes.iter().flat_map(|scope| &scope.scenarios) {
            let mut is_flagged = None;
            for metric in &scenario.metrics {
                if let Reason::Pairs(finding) = &metric.judgement.reason
                    && metric.judgement.is_gated()
                    && finding.control.is_some()
                {
                    is_flagged = Some(is_flagged == Some(true) || finding.is_flagged());
                }
            }
            found.benchmarks += usize::from(is_flagged.is_some());
            found.flagged += usize::from(is_flagged == Some(true));
        }
        (found.benchmarks > 0).then_some(found)
    }

    /// The minimum detectable slowdown in these pairs, as a share: the median over the benchmarks, for each clock. The
    /// most sensitive clock comes first.
    pub fn detectable_by_clock(&self) -> Vec<(Instrument, f64)> {
        let mut clocks: BTreeMap<Instrument, Vec<f64>> = BTreeMap::new();
        for metric in self.metrics() {
            let is_clock = match metric.judgement.not_gated() {
                None | Some(NotGated::Quieter(_)) => metric.has_pairs(),
                Some(_) => false,
            };
            if is_clock
                && let Some(clock) = Instrument::of(&metric.metric)
                && let Some(share) = metric.judgement.power.detectable
            {
                clocks.entry(clock).or_default().push(share);
            }
        }
        let mut found: Vec<(Instrument, f64)> = Vec::with_capacity(clocks.len());
        for (clock, mut shares) in clocks {
            shares.sort_by(f64::total_cmp);
            found.push((clock, shares[shares.len() / 2]));
        }
        found.sort_by(|one, other| one.1.total_cmp(&other.1));
        found
    }
}
