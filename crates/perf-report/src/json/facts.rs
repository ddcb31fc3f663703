//! Evidence beyond one value a side: a band, launches, pairs, levels, waivers. Shares are of the metric's value or of the
//! cost, as each field says.

use std::borrow::Cow;

use perf_config::{Config, Waiver};
use perf_verdict::Reason;
use perf_verdict::compare::MetricComparison;
use perf_verdict::oriented;
use perf_verdict::rules::guard::Shift;
use perf_verdict::self_test::{Blind, Missed};
use perf_verdict::verdict::Found;
use perf_verdict::waive::WaiverUse;
use serde::{Deserialize, Serialize};

use crate::words;

/// The normal band of earlier baselines. Values are in the metric's unit, or quotients if it is compared relative to
/// another benchmark.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BandReport {
    /// The number of earlier values.
    pub values: usize,
    /// Their median.
    pub median: f64,
    /// The worst normal value.
    pub normal: f64,
    /// The limit: a value beyond it is a suspected regression.
    pub limit: f64,
}

/// The comparison of process launches. Effects are shares of the cost: 0.5 is 50% more.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SamplesReport {
    /// The p-value: how likely a difference this large is without a regression.
    pub p: f64,
    /// The median difference.
    pub effect: f64,
    /// The lower end of its 95% confidence interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Launches of the baseline and of the current run.
    pub launches: [usize; 2],
}

/// Interleaved pairs. Effects are shares of the cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PairsReport {
    /// How many were compared.
    pub pairs: usize,
    /// How many of them were slower by more than 2%; for an improvement, how many were faster.
    pub slower: usize,
    /// How many are needed for a verdict; null before the first interim analysis.
    pub needed: Option<usize>,
    /// The median difference.
    pub median: f64,
    /// The lower 95% confidence bound of the median; null with too few pairs.
    pub low: Option<f64>,
    /// The upper 95% confidence bound of the median; null with too few pairs.
    pub high: Option<f64>,
    /// How many pairs until the next interim analysis; null after the last.
    pub until_next: Option<usize>,
    /// Process launches a side for one pair.
    pub launches: usize,
}

/// The comparison with the best sustained level. Shares are of the cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RatchetReport {
    /// How much worse the current level is.
    pub lost: f64,
    /// The limit.
    pub limit: f64,
    /// How many values ago the best level ended.
    pub ago: usize,
}

/// The confirmation runs of a suspected regression.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Confirmation {
    /// Confirmation runs beyond the limit.
    pub confirmed: usize,
    /// Confirmation runs.
    pub repeats: usize,
    /// How many beyond the limit confirm the regression.
    pub needed: usize,
}

/// An environment shift: nearly everything moved at once.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ShiftReport {
    /// The median distance from each row's median, in units of its noise; positive is worse.
    pub distance: f64,
    /// The share of rows that moved in this direction.
    pub share: f64,
    /// The number of rows.
    pub rows: usize,
}

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

/// A number that went through a logarithm, without the last digits, which are not exact.
pub(super) fn rounded(number: f64) -> f64 {
    format!("{number:.11e}").parse().unwrap_or(number)
}

/// A distance of costs as a share.
fn share(distance: f64) -> f64 {
    rounded(oriented::share(distance))
}

pub(super) fn band(compared: &MetricComparison) -> Option<BandReport> {
    let band = compared.band()?;
    let value = |cost| rounded(oriented::value(compared.metric.meaning.direction, cost));
    Some(BandReport {
        values: band.values,
        median: value(band.median),
        normal: value(band.normal),
        limit: value(band.limit),
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
        injected: injected.into(),
        verdict: words::verdict(verdict).into(),
    }
}
