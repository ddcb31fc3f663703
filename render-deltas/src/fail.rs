//! The reasons why a comparison fails: the verdicts of `fail-on` that occurred, and missing results.

use std::str::FromStr;

use perf_config::{Config, FailOn};
use perf_verdict::{Comparison, MetricComparison, Tally, Verdict};
use serde::{Deserialize, Serialize};

use crate::compared::Compared;

/// The verdicts that fail; if it is empty, nothing fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailOnList(pub Vec<FailOn>);

impl FailOnList {
    /// The config's verdicts, otherwise `regressed` and `missing`.
    pub(crate) fn of(config: &Config) -> Self {
        let written = config.deltas.fail_on.clone();
        Self(written.unwrap_or_else(|| vec![FailOn::Regressed, FailOn::Missing]))
    }
}

impl FromStr for FailOnList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        FailOn::parse_list(text).map(Self)
    }
}

/// Why the gate fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureReason {
    /// Benchmarks that the config requires were not measured.
    Required,
    /// Both sides have rows, but none could be compared.
    NothingCompared,
    /// The results of one machine type were not compared, but others were.
    NotCompared,
    /// A verdict of `--fail-on` occurred.
    Verdict(FailOn),
}

impl FailureReason {
    /// The word in `failed=`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::NothingCompared => "nothing-compared",
            Self::NotCompared => "not-compared",
            Self::Verdict(verdict) => verdict.word(),
        }
    }
}

/// Why a comparison fails, most serious reason first. Comparing nothing fails unless `fail-on` is `none`. Another
/// machine or methodology is an excuse, except in a decisive comparison: rows could claim either to pass.
pub(crate) fn failed(
    fail_on: &FailOnList,
    compared: &Compared,
    is_decisive: bool,
) -> Vec<FailureReason> {
    let mut failed = Vec::new();
    if fail_on.0.is_empty() {
        return failed;
    }
    if !compared.unmet.is_empty() {
        failed.push(FailureReason::Required);
    }
    let has_nothing = compared.has_baseline && compared.tally.compared == 0;
    if has_nothing && (is_decisive || !compared.is_unlike()) {
        failed.push(FailureReason::NothingCompared);
    }
    if compared.leaves_class_out {
        failed.push(FailureReason::NotCompared);
    }
    for verdict in FailOn::ALL {
        let is_found = has(&compared.comparison, compared.tally, verdict);
        if is_found && fail_on.0.contains(&verdict) {
            failed.push(FailureReason::Verdict(verdict));
        }
    }
    failed
}

fn has(comparison: &Comparison, tally: Tally, verdict: FailOn) -> bool {
    let any = |is: fn(&MetricComparison) -> bool| comparison.metrics().any(is);
    match verdict {
        FailOn::Regressed => tally.regressed > 0,
        FailOn::Missing => tally.missing + tally.unmeasured > 0,
        FailOn::Inconclusive => {
            comparison.is_input_doubtful()
                || comparison.hidden_doublings().is_some()
                || any(|metric| has_verdict(metric, &[Verdict::Inconclusive]))
        }
        FailOn::NotComparable => {
            tally.not_comparable > 0
                || any(|metric| {
                    has_verdict(metric, &[Verdict::NotComparable]) && metric.judgement.is_gated()
                })
        }
        FailOn::Unmeasured => tally.unmeasured > 0,
        FailOn::New => tally.new > 0,
        FailOn::Moved => any(|metric| metric.judgement.moved && metric.judgement.waived.is_none()),
        FailOn::Improved => any(|metric| has_verdict(metric, &[Verdict::Improved])),
    }
}

/// Whether a metric has one of these verdicts without a waiver.
pub(crate) fn has_verdict(metric: &MetricComparison, verdicts: &[Verdict]) -> bool {
    verdicts.contains(&metric.judgement.verdict) && metric.judgement.waived.is_none()
}
