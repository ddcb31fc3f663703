//! The facts beside verdicts: waivers, confirmation runs, the self-test.

use perf_config::{Config, Waiver};
use perf_verdict::{Blind, Missed, Verdict, WaiverUse};
use serde::Serialize;

use crate::words;

/// A waiver, and what it was good for.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaiverReport {
    /// The scenario's key, with wildcards.
    pub scenario: String,
    /// The metric's name, with wildcards; null is all of them.
    pub metric: Option<String>,
    /// Why.
    pub reason: String,
    /// Who says so.
    pub by: String,
    /// The last day.
    pub until: String,
    /// How many metrics and missing scenarios it excuses, or would if it were not over.
    pub covered: usize,
    /// Whether its last day has passed.
    pub expired: bool,
}

/// The waiver that excuses something.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Waived {
    /// Its place in `waivers`.
    pub waiver: usize,
    /// Why.
    pub reason: String,
}

/// A missing scenario that a waiver excuses.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Excused {
    /// Its key.
    pub scenario: String,
    /// What excuses it.
    #[serde(flatten)]
    pub waived: Waived,
}

/// A gated metric that the gate would let pass whatever it costs.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BlindReport {
    /// Its scenario.
    pub scenario: String,
    /// Its name.
    pub metric: String,
    /// What was injected: `regression` or `improvement`.
    pub injected: &'static str,
    /// The verdict that it came to.
    pub verdict: &'static str,
}

/// How many further runs there are.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Repeats {
    /// How many confirm a suspect.
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
        injected,
        verdict: words::verdict(verdict),
    }
}
