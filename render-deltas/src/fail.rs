//! The reasons why a comparison fails: the verdicts of `fail-on` that occurred, and missing results.

use perf_config::FailOn;
use perf_verdict::{Comparison, MetricComparison, Tally, Verdict};
use serde::{Deserialize, Serialize};

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

/// Whether a verdict of `fail-on` occurred.
pub(crate) fn has_occurred(comparison: &Comparison, tally: Tally, verdict: FailOn) -> bool {
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
