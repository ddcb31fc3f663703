//! What stands beside the verdicts: waivers, confirmation runs, the self-test.

use std::borrow::Cow;

use perf_config::{Config, Waiver};
use perf_verdict::{Blind, Missed, Verdict, WaiverUse};
use serde::{Deserialize, Serialize};

use crate::words;

/// A waiver, and what it excuses.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaiverReport {
    /// The benchmark's key, with wildcards.
    pub scenario: String,
    /// The metric's name, with wildcards; null is all of them.
    pub metric: Option<String>,
    /// Why.
    pub reason: String,
    /// Who waived it.
    pub by: String,
    /// The last day.
    pub until: String,
    /// How many metrics and missing benchmarks it excuses, or would if it had not expired.
    pub covered: usize,
    /// Whether it has expired.
    pub expired: bool,
}

/// A reference to a waiver.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Waived {
    /// Its place in `waivers`.
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

/// A gated metric that failed the self-test of the gate.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BlindReport {
    /// Its benchmark.
    pub scenario: String,
    /// Its name.
    pub metric: String,
    /// What was injected: `regression` or `improvement`.
    pub injected: Cow<'static, str>,
    /// The verdict on it.
    pub verdict: Cow<'static, str>,
}

/// Confirmation runs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Repeats {
    /// How many confirm a suspected regression.
    pub needed: usize,
    /// How many were given.
    pub given: usize,
}

pub(super) fn waiver((waiver, used): (&Waiver, &WaiverUse)) -> WaiverReport {
    WaiverReport {
        scenario: waiver.scenario.clone(),
        metric: waiver.metric.clone(),
        reason: waiver.reason.clone(),
        by: waiver.by.clone(),
        until: waiver.until.to_string(),
        covered: used.covered,
        expired: used.is_expired,
    }
}

pub(super) fn waived(at: usize, config: &Config) -> Option<Waived> {
    let waiver = config.waivers.get(at)?;
    Some(Waived { waiver: at, reason: waiver.reason.clone() })
}

pub(super) fn blind(blind: &Blind) -> BlindReport {
    let (injected, verdict) = match blind.why {
        Missed::Regression(verdict) => ("regression", verdict),
        Missed::Improvement => ("improvement", Verdict::Regressed),
    };
    BlindReport {
        scenario: blind.scenario.to_string(),
        metric: blind.metric.to_string(),
        injected: injected.into(),
        verdict: words::verdict(verdict).into(),
    }
}
