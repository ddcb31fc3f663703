//! The report for programs: every verdict with its rule, numbers, limit and reason.
//!
//! This is the wire format of version 1; it is made from the comparison and shares no type with it. What was not looked
//! at, such as a history where there is none, is left out.

mod facts;
mod parts;

use perf_config::Config;
use perf_verdict::rules::FindingReports;
use perf_verdict::rules::environment::Shift;
use perf_verdict::rules::history::BandReport;
use perf_verdict::{Comparison, Confirmation, Policy};
use serde::Serialize;

pub use self::facts::{BlindReport, Excused, Repeats, Waived, WaiverReport};

/// The version of the format: it changes when a program that read the last one could be misled.
pub const VERSION: u32 = 1;

/// What `render-perf-deltas --json` writes.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Version of this format.
    pub version: u32,
    /// Why there was nothing to compare with, when there was not.
    pub skipped: Option<String>,
    /// Any number moved beyond its tolerance.
    pub changed: bool,
    /// Any metric failed its gate.
    pub regressed: bool,
    /// How many scenarios both sides have that could be compared.
    pub compared: usize,
    /// How many scenarios improved.
    pub improved: usize,
    /// How many scenarios have a metric of which the data cannot tell whether it regressed, and no regressed one.
    pub inconclusive: usize,
    /// How many scenarios both sides measured, and could not be compared.
    pub not_comparable: usize,
    /// How many scenarios regressed or are missing and are excused by a waiver.
    pub waived: usize,
    /// How many scenarios have a metric over its soft limit.
    pub warned: usize,
    /// How many scenarios only the baseline has.
    pub missing: usize,
    /// How many scenarios only the current rows have.
    pub new: usize,
    /// How far a number may move before people are told, as a fraction of the baseline.
    pub tolerance: f64,
    /// How far throughput may drop before a change fails, as a fraction of the baseline.
    pub regression_threshold: f64,
    /// The commits that the baseline measured.
    pub baseline_commits: Vec<String>,
    /// The commits that were measured now.
    pub current_commits: Vec<String>,
    /// How many gated metrics the baseline has and the current rows have not.
    pub unmeasured: usize,
    /// Further runs: how many there are, and how many confirm a suspect.
    pub repeats: Repeats,
    /// How many gated metrics were shown to be caught, had they regressed.
    pub tested: usize,
    /// Gated metrics that the gate would let pass whatever they cost.
    pub blind: Vec<BlindReport>,
    /// The waivers of the config, and what each was good for.
    pub waivers: Vec<WaiverReport>,
    /// One for each scope.
    pub scopes: Vec<ScopeReport>,
    /// What else a reader should know, such as what was left out.
    pub notes: Vec<String>,
}

/// One scope.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ScopeReport {
    /// Its name.
    pub scope: String,
    /// That nearly all of it moved at once, so that the machine did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift: Option<Shift>,
    /// Scenarios of both sides.
    pub scenarios: Vec<ScenarioReport>,
    /// Keys of scenarios that only the baseline has, and that no waiver excuses.
    pub missing: Vec<String>,
    /// Scenarios that only the baseline has, and that a waiver excuses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub excused: Vec<Excused>,
    /// Keys of scenarios that only the current rows have.
    pub new: Vec<String>,
}

/// One scenario.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ScenarioReport {
    /// Its key.
    pub scenario: String,
    /// Its name for people.
    pub label: String,
    /// The gravest verdict of its metrics.
    pub verdict: &'static str,
    /// Its metrics.
    pub metrics: Vec<MetricReport>,
}

/// One metric.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MetricReport {
    /// Its name in rows.
    pub metric: String,
    /// `lower`, `higher` or `unknown`.
    pub better: perf_model::metric::Direction,
    /// The unit of the numbers here.
    pub unit: perf_model::metric::Unit,
    /// The baseline's number; null when it was not measured.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub baseline: Option<serde_json::Number>,
    /// The current number; null when it was not measured.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub current: Option<serde_json::Number>,
    /// (current − baseline) / baseline; null without a positive baseline.
    pub change: Option<f64>,
    /// `regressed`, `inconclusive`, `improved`, `moved`, `unchanged`, `not comparable` or `unmeasured`.
    pub verdict: &'static str,
    /// The gate's rule: `threshold`, `exact`, `count`, or `report` when nothing gates it.
    pub rule: &'static str,
    /// What the verdict rests on: the rule, or what is stronger: `history`, `guard`, `samples`, `pairs`, `ratchet`,
    /// `floor` or `tail`.
    pub decided_by: &'static str,
    /// The limit of the threshold rule on `drop`, or of the count rule on the growth.
    pub limit: Option<f64>,
    /// The drop of throughput that the threshold rule looked at; negative for a gain.
    pub drop: Option<f64>,
    /// The reason in words.
    pub reason: String,
    /// Whether the data suspect a regression, confirmed or not.
    pub suspect: bool,
    /// What further runs say of a suspect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation>,
    /// Whether it is over its soft limit.
    pub warned: bool,
    /// The waiver that excuses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waived: Option<Waived>,
    /// The scenario whose number both are divided by before they are judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative_to: Option<String>,
    /// How far the number strays without any change, as a share of the cost; one standard deviation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// The smallest growth of the cost that would be noticed, as a share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notices: Option<f64>,
    /// Whether the chosen limit is tighter than the noise.
    pub too_tight: bool,
    /// What is normal, where there is a history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub band: Option<BandReport>,
    /// What the rule that decided found.
    #[serde(flatten)]
    pub finding: FindingReports,
    /// Earlier values, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<f64>,
}

impl Report {
    /// The report of a comparison.
    pub fn new(comparison: &Comparison, config: &Config, notes: Vec<String>) -> Self {
        let tally = comparison.tally();
        Self {
            changed: tally.changed,
            regressed: tally.regressed > 0,
            compared: tally.compared,
            improved: tally.improved,
            inconclusive: tally.inconclusive,
            not_comparable: tally.not_comparable,
            waived: tally.waived,
            warned: tally.warned,
            missing: tally.missing,
            new: tally.new,
            unmeasured: tally.unmeasured,
            repeats: Repeats { needed: comparison.repeats.0, given: comparison.repeats.1 },
            tested: comparison.tested,
            blind: comparison.blind.iter().map(facts::blind).collect(),
            waivers: config.waivers.iter().zip(&comparison.waivers).map(facts::waiver).collect(),
            baseline_commits: comparison.baseline_commits.clone(),
            current_commits: comparison.current_commits.clone(),
            scopes: comparison.scopes.iter().map(|scope| parts::scope_report(scope, config)).collect(),
            notes,
            ..Self::skipped(comparison.policy, None)
        }
    }

    /// The report of a run that was not compared, and why.
    pub fn skipped(policy: Policy, why: Option<String>) -> Self {
        Self {
            version: VERSION,
            skipped: why,
            changed: false,
            regressed: false,
            compared: 0,
            improved: 0,
            inconclusive: 0,
            not_comparable: 0,
            waived: 0,
            warned: 0,
            missing: 0,
            new: 0,
            tolerance: policy.tolerance,
            regression_threshold: policy.threshold,
            baseline_commits: Vec::new(),
            current_commits: Vec::new(),
            unmeasured: 0,
            repeats: Repeats::default(),
            tested: 0,
            blind: Vec::new(),
            waivers: Vec::new(),
            scopes: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The report as indented JSON with a final newline.
    pub fn to_json(&self) -> String {
        // Only maps with keys that are no text, and failing `Serialize` implementations, cannot be written.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}
