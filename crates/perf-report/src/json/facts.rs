//! Waivers, confirmation runs, findings, and metrics that cannot fail.

use std::borrow::Cow;

use perf_config::{Config, Waiver};
use perf_model::finding::{FindingEffect, FindingKind};
use perf_verdict::{Blind, CannotFail, SideFinding, Tally, Verdict, WaiverUse};
use serde::{Deserialize, Serialize};

/// The number of benchmarks with each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct Counts {
    /// Benchmarks that were measured in base and head, and compared.
    pub compared: usize,
    /// Benchmarks with a regressed metric.
    pub regressed: usize,
    /// Benchmarks with an inconclusive metric and no regressed one.
    pub inconclusive: usize,
    /// Benchmarks that improved.
    pub improved: usize,
    /// Benchmarks that were measured in base and head, but have a gated metric that could not be compared.
    pub not_comparable: usize,
    /// Gated metrics, not benchmarks, that are in the baseline, but not in this run.
    pub unmeasured: usize,
    /// Benchmarks that are in the baseline, but not in this run.
    pub missing: usize,
    /// Benchmarks that are not in the baseline.
    pub new: usize,
    /// Benchmarks that are waived: regressed, inconclusive or missing.
    pub waived: usize,
    /// Benchmarks with a metric over its soft limit.
    pub warned: usize,
}

impl Counts {
    pub(super) fn of(tally: &Tally) -> Self {
        Self {
            compared: tally.compared,
            regressed: tally.regressed,
            inconclusive: tally.inconclusive,
            improved: tally.improved,
            not_comparable: tally.not_comparable,
            unmeasured: tally.unmeasured,
            missing: tally.missing,
            new: tally.new,
            waived: tally.waived,
            warned: tally.warned,
        }
    }
}

/// A waiver and its effect.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaiverReport {
    /// The benchmark's key, which may contain wildcards.
    pub scenario: String,
    /// The metric's name, which may contain wildcards; null if the waiver covers all metrics.
    pub metric: Option<String>,
    /// Why the regression is waived.
    pub reason: String,
    /// The person who waived the regression.
    pub by: String,
    /// The last day on which the waiver is valid.
    pub until: String,
    /// The number of metrics and missing benchmarks that the waiver excuses, or would excuse if it had not expired.
    pub covered: usize,
    /// Whether the waiver has expired.
    pub expired: bool,
}

/// A reference to a waiver.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Waived {
    /// The waiver's index in `waivers`.
    pub waiver: usize,
    /// Why the regression is waived.
    pub reason: String,
}

/// A missing benchmark with a waiver.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Excused {
    /// The benchmark's key.
    pub scenario: String,
    /// The waiver that excuses the missing benchmark.
    #[serde(flatten)]
    pub waived: Waived,
}

/// A metric that cannot fail: it would pass even at ten times the cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BlindReport {
    /// The metric's scope.
    #[serde(default)]
    pub scope: String,
    /// The metric's benchmark.
    pub scenario: String,
    /// The metric's name.
    pub metric: String,
    /// The injected change, always `regression`.
    pub injected: Cow<'static, str>,
    /// The verdict on the injected change; null if no verdict was reached.
    pub verdict: Option<Verdict>,
    /// Why the metric cannot fail: `self-test` (the injected regression was not detected), `not-gated`, `no-baseline`,
    /// `fail-on`, `waived`, `floor` or `history`.
    pub why: Cow<'static, str>,
    /// For `floor`, the minimum absolute change in the metric's unit. For `history`, the history's limit as growth of the
    /// cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
}

/// A defect in an input or a measurement.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FindingReport {
    /// The kind of defect.
    pub kind: FindingKind,
    /// The affected benchmark's key; absent if the whole input is affected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// The 1-based input line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// A description of the defect.
    pub text: String,
    /// Whether the defect is in the baseline rather than in this run.
    pub in_baseline: bool,
    /// The defect's effect on the verdicts.
    pub effect: FindingEffect,
}

/// The numbers of confirmation runs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Repeats {
    /// The number of confirmation runs that are needed to confirm a suspected regression.
    pub needed: usize,
    /// The number of confirmation runs that were passed.
    pub given: usize,
}

pub(super) fn waiver((waiver, used): (&Waiver, &WaiverUse)) -> WaiverReport {
    WaiverReport {
        scenario: waiver.scenario.as_str().to_owned(),
        metric: waiver
            .metric
            .as_ref()
            .map(|metric| metric.as_str().to_owned()),
        reason: waiver.reason.clone(),
        by: waiver.by.clone(),
        until: waiver.until.to_string(),
        covered: used.covered,
        expired: used.is_expired,
    }
}

pub(super) fn finding(found: &SideFinding) -> FindingReport {
    FindingReport {
        kind: found.finding.kind,
        scenario: found.finding.benchmark.as_deref().map(str::to_owned),
        line: found.finding.line,
        text: found.finding.text.clone(),
        in_baseline: found.is_in_baseline,
        effect: found.effect,
    }
}

pub(super) fn waived(at: usize, config: &Config) -> Option<Waived> {
    let waiver = config.waivers.get(at)?;
    Some(Waived {
        waiver: at,
        reason: waiver.reason.clone(),
    })
}

pub(super) fn blind(blind: &Blind) -> BlindReport {
    let (why, verdict, limit) = match blind.why {
        CannotFail::Undetected(verdict) => ("self-test", Some(verdict), None),
        CannotFail::NotGated(_) => ("not-gated", None, None),
        CannotFail::NoBaseline => ("no-baseline", None, None),
        CannotFail::NotFailing(verdict) => ("fail-on", Some(verdict), None),
        CannotFail::Waived(_) => ("waived", None, None),
        CannotFail::Floor(limit) => ("floor", None, Some(limit)),
        CannotFail::Band(limit) => ("history", None, Some(limit)),
    };
    BlindReport {
        scope: blind.scope.clone(),
        scenario: blind.scenario.to_string(),
        metric: blind.metric.to_string(),
        injected: "regression".into(),
        verdict,
        why: why.into(),
        limit,
    }
}
