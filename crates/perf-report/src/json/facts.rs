//! Waivers, confirmation runs, findings and the self-test.

use std::borrow::Cow;

use perf_config::{Config, Waiver};
use perf_model::finding::{FindingEffect, FindingKind};
use perf_verdict::{Blind, CannotFail, SideFinding, Tally, Verdict, WaiverUse};
use serde::{Deserialize, Serialize};

/// The number of benchmarks by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct Counts {
    /// Measured in base and head, and compared.
    pub compared: usize,
    /// Regressed.
    pub regressed: usize,
    /// Inconclusive: no metric regressed, and for one the data cannot show whether it did.
    pub inconclusive: usize,
    /// Improved.
    pub improved: usize,
    /// Measured in base and head, but a gated metric could not be compared.
    pub not_comparable: usize,
    /// Gated metrics that are in the baseline, but not in this run.
    pub unmeasured: usize,
    /// In the baseline, but not in this run.
    pub missing: usize,
    /// Without a baseline.
    pub new: usize,
    /// Regressed or missing, but waived.
    pub waived: usize,
    /// With a metric over its soft limit.
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
    /// The benchmark's key, with wildcards.
    pub scenario: String,
    /// The metric's name, with wildcards; null for all.
    pub metric: Option<String>,
    /// Why.
    pub reason: String,
    /// Who waived it.
    pub by: String,
    /// The last valid day.
    pub until: String,
    /// The number of metrics and missing benchmarks that it excuses, or would excuse if it had not expired.
    pub covered: usize,
    /// Whether it has expired.
    pub expired: bool,
}

/// A reference to a waiver.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Waived {
    /// Its index in `waivers`.
    pub waiver: usize,
    /// Why.
    pub reason: String,
}

/// A missing benchmark with a waiver.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Excused {
    /// Its key.
    pub scenario: String,
    /// Its waiver.
    #[serde(flatten)]
    pub waived: Waived,
}

/// A metric that cannot fail: a tenfold cost would pass.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BlindReport {
    /// Its scope.
    #[serde(default)]
    pub scope: String,
    /// Its benchmark.
    pub scenario: String,
    /// Its name.
    pub metric: String,
    /// The injected change: `regression`.
    pub injected: Cow<'static, str>,
    /// Its verdict; null if it was not judged.
    pub verdict: Option<Verdict>,
    /// Why it cannot fail: `self-test` (it fails the self-test), `not-gated`, `fail-on`, `waived`, `floor` or `history`.
    pub why: Cow<'static, str>,
    /// The minimum absolute change in the metric's unit, or the history's limit as growth of the cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
}

/// A defect of an input or of a measurement.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FindingReport {
    /// Its kind.
    pub kind: FindingKind,
    /// The benchmark's key; absent if it concerns the whole input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// The input line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Description of the defect.
    pub text: String,
    /// Whether it concerns the baseline rather than this run.
    pub in_baseline: bool,
    /// Its effect.
    pub effect: FindingEffect,
}

/// Confirmation runs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Repeats {
    /// The number that confirms a suspected regression.
    pub needed: usize,
    /// The number that exists.
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
