//! Results from all pairs in a suite: false alarms in unchanged code, and the minimum detectable slowdown.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::comparison::{Comparison, MetricComparison};
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
        let scenarios = self.scopes.iter().flat_map(|scope| &scope.scenarios);
        let flags = scenarios.filter_map(|scenario| {
            let gated = scenario
                .metrics
                .iter()
                .filter(|metric| metric.judgement.is_gated());
            let findings = gated.filter_map(|metric| match &metric.judgement.reason {
                Reason::Pairs(finding) => finding.control.map(|_| finding.is_flagged()),
                _ => None,
            });
            findings.reduce(|one, other| one || other)
        });
        let flags: Vec<bool> = flags.collect();
        let flagged = flags.iter().filter(|flagged| **flagged).count();
        (!flags.is_empty()).then_some(SelfComparison {
            flagged,
            benchmarks: flags.len(),
        })
    }

    /// The minimum detectable slowdown in these pairs, as a share: the median over the benchmarks, for each clock. The
    /// most sensitive clock comes first.
    pub fn detectable_by_clock(&self) -> Vec<(Instrument, f64)> {
        let mut clocks: BTreeMap<Instrument, Vec<f64>> = BTreeMap::new();
        let is_clock = |metric: &&MetricComparison| {
            matches!(
                metric.judgement.not_gated(),
                None | Some(NotGated::Quieter(_))
            ) && metric
                .extra
                .as_ref()
                .is_some_and(|extra| !extra.pairs.is_empty())
        };
        for metric in self.metrics().filter(is_clock) {
            let clock = Instrument::of(&metric.metric);
            if let Some((clock, share)) = clock.zip(metric.judgement.power.detectable) {
                clocks.entry(clock).or_default().push(share);
            }
        }
        let median = |mut shares: Vec<f64>| {
            shares.sort_by(f64::total_cmp);
            shares[shares.len() / 2]
        };
        let mut found: Vec<(Instrument, f64)> = clocks
            .into_iter()
            .map(|(clock, shares)| (clock, median(shares)))
            .collect();
        found.sort_by(|one, other| one.1.total_cmp(&other.1));
        found
    }
}
