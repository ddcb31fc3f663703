//! The facts beside one number a side: a band, launches, pairs, levels, waivers. Shares are of the metric's number or
//! of the cost, as each field says.

use perf_config::{Config, Waiver};
use perf_verdict::Reason;
use perf_verdict::compare::MetricComparison;
use perf_verdict::oriented;
use perf_verdict::rules::guard::Shift;
use perf_verdict::self_test::{Blind, Missed};
use perf_verdict::verdict::Found;
use perf_verdict::waive::WaiverUse;
use serde::Serialize;

use crate::words;

/// What is normal, as earlier baselines tell. Numbers are in the metric's unit, or quotients where it is judged
/// relative to another scenario.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BandReport {
    /// How many earlier values it was made of.
    pub values: usize,
    /// The middle one.
    pub median: f64,
    /// The worst that is normal.
    pub normal: f64,
    /// Beyond this a value is suspect.
    pub limit: f64,
}

/// The comparison of two runs' launches. Effects are shares of the cost: 0.5 is half as much again.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SamplesReport {
    /// How likely the current side would look so slow by luck.
    pub p: f64,
    /// The middle of all differences.
    pub effect: f64,
    /// Where its interval of 95 % begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
    /// Launches of the baseline and of the current run.
    pub launches: [usize; 2],
}

/// Interleaved pairs. Effects are shares of the cost.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PairsReport {
    /// How many were looked at.
    pub pairs: usize,
    /// How many of them were slower by more than 2 %; of an improvement, how many were faster.
    pub slower: usize,
    /// How many would have had to be; null before the first look.
    pub needed: Option<usize>,
    /// The middle difference.
    pub median: f64,
    /// What the median is above, with 95 % certainty; null of too few pairs.
    pub low: Option<f64>,
    /// What it is below, with 95 % certainty; null of too few pairs.
    pub high: Option<f64>,
    /// How many pairs until the next look; null after the last.
    pub until_next: Option<usize>,
    /// Launches a side that made one pair.
    pub launches: usize,
}

/// What is left of the best sustained level. Shares are of the cost.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RatchetReport {
    /// How much worse the level is now.
    pub lost: f64,
    /// How much may be lost.
    pub limit: f64,
    /// How many values ago the best level ended.
    pub ago: usize,
}

/// What further runs say of a suspect.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Confirmation {
    /// Further runs that are beyond the limit too.
    pub confirmed: usize,
    /// Further runs.
    pub repeats: usize,
    /// How many it takes.
    pub needed: usize,
}

/// That nearly everything moved at once.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ShiftReport {
    /// The middle distance from the median, in scales of each row's noise; positive is worse.
    pub distance: f64,
    /// The share of rows that moved to this side.
    pub share: f64,
    /// How many rows were looked at.
    pub rows: usize,
}

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

/// A number that went through a logarithm, without the last digits, which that made up.
pub(super) fn rounded(number: f64) -> f64 {
    format!("{number:.11e}").parse().unwrap_or(number)
}

/// A distance of costs as a share.
fn share(distance: f64) -> f64 {
    rounded(oriented::share(distance))
}

pub(super) fn band(compared: &MetricComparison) -> Option<BandReport> {
    let band = compared.band()?;
    let told = |cost| rounded(oriented::value(compared.metric.meaning.direction, cost));
    Some(BandReport {
        values: band.values,
        median: told(band.median),
        normal: told(band.normal),
        limit: told(band.limit),
    })
}

pub(super) fn samples(because: &Reason) -> Option<SamplesReport> {
    let Reason::Samples(found) = because else { return None };
    let test = &found.test;
    Some(SamplesReport {
        p: test.p,
        effect: share(test.effect),
        low: share(test.interval.0),
        high: share(test.interval.1),
        launches: [test.launches.0, test.launches.1],
    })
}

pub(super) fn pairs(because: &Reason) -> Option<PairsReport> {
    let Reason::Pairs(found) = because else { return None };
    Some(PairsReport {
        pairs: found.pairs,
        slower: found.slower,
        needed: found.needed,
        median: share(found.median),
        low: found.lower.map(share),
        high: found.upper.map(share),
        until_next: found.until_next,
        launches: found.launches,
    })
}

pub(super) fn ratchet(because: &Reason) -> Option<RatchetReport> {
    let Reason::Ratchet(found) = because else { return None };
    Some(RatchetReport { lost: share(found.level - found.best), limit: share(found.limit), ago: found.ago })
}

pub(super) fn confirmation(because: &Reason) -> Option<Confirmation> {
    let found = match because {
        Reason::History(found) => found.finding,
        Reason::EnvironmentShift(shifted) => shifted.1.as_ref()?.finding,
        Reason::Samples(found) => found.finding,
        _ => return None,
    };
    let Found::Suspect { confirmed, repeats, needed } = found else { return None };
    Some(Confirmation { confirmed, repeats, needed })
}

pub(super) fn shift(shift: &Shift) -> ShiftReport {
    ShiftReport { distance: shift.distance, share: shift.share, rows: shift.rows }
}

pub(super) fn waiver((waiver, used): (&Waiver, &WaiverUse)) -> WaiverReport {
    WaiverReport {
        scenario: waiver.scenario.clone(),
        metric: waiver.metric.clone(),
        reason: waiver.reason.clone(),
        by: waiver.by.clone(),
        until: waiver.until.to_string(),
        covered: used.covered,
        expired: used.is_over,
    }
}

pub(super) fn waived(at: usize, config: &Config) -> Option<Waived> {
    let waiver = config.waivers.get(at)?;
    Some(Waived { waiver: at, reason: waiver.reason.clone() })
}

pub(super) fn blind(blind: &Blind) -> BlindReport {
    let (injected, verdict) = match blind.why {
        Missed::Regression(verdict) => ("regression", verdict),
        Missed::Improvement => ("improvement", perf_verdict::Verdict::Regressed),
    };
    BlindReport {
        scenario: blind.scenario.to_string(),
        metric: blind.metric.to_string(),
        injected,
        verdict: words::verdict(verdict),
    }
}
