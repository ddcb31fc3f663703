//! The report for programs: every verdict with its rule, numbers, limit and reason.
//!
//! This is wire format version 1, for writing and reading. It shares no types with the comparison. Absent evidence,
//! such as a history, is omitted.

mod facts;
mod parts;

use std::borrow::Cow;
use std::io::{self, Write};

use perf_config::Config;
use perf_verdict::rules::FindingReports;
use perf_verdict::rules::history::{BandReport, Level};
use perf_verdict::{Budget, Comparison, Confirmation, SelfComparison, Shift, Thresholds, Verdict};
use serde::{Deserialize, Serialize};

pub use self::facts::{BlindReport, Counts, Excused, FindingReport, Repeats, Waived, WaiverReport};
use crate::report::{MeasuredCommits, Remarks};

/// The version of the format. It changes when a reader of the previous version could misunderstand a report.
pub const VERSION: u32 = 1;

/// The output of `perf-gate compare --json`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Version of this format.
    pub version: u32,
    /// Why the comparison was skipped; null if it was not.
    pub skipped: Option<String>,
    /// Whether any value changed by more than its tolerance.
    pub changed: bool,
    /// Whether any metric regressed.
    pub regressed: bool,
    /// The number of benchmarks by verdict.
    pub counts: Counts,
    /// The largest change that is shown as unchanged, as a fraction of the baseline.
    pub tolerance: f64,
    /// The configured limit for stored values. Each metric's `limit` is the one that was applied.
    pub regression_limit: f64,
    /// The baseline's commits.
    pub baseline_commits: Vec<String>,
    /// The current run's commits.
    pub current_commits: Vec<String>,
    /// Confirmation runs.
    pub repeats: Repeats,
    /// The number of gated metrics that passed the self-test: an injected regression was detected.
    pub tested: usize,
    /// The A/A check: each side's process runs compared with each other; absent without pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_comparison: Option<SelfComparison>,
    /// Metrics that cannot fail: a tenfold cost passes.
    pub blind: Vec<BlindReport>,
    /// Defects in the inputs or the measurement; absent without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingReport>,
    /// The config's waivers and their effects.
    pub waivers: Vec<WaiverReport>,
    /// The scopes.
    pub scopes: Vec<ScopeReport>,
    /// Further notes for readers.
    pub notes: Vec<String>,
    /// Remarks from the program that requested the report, as Markdown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// The measured commits; rows may contain others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<MeasuredCommits>,
}

/// One scope.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ScopeReport {
    /// Its name.
    pub scope: String,
    /// The environment shift, if nearly all of the scope moved at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift: Option<Shift>,
    /// Benchmarks of base and head, and new ones with a budget.
    pub scenarios: Vec<ScenarioReport>,
    /// Keys of benchmarks that are only in the baseline and not waived.
    pub missing: Vec<String>,
    /// Waived benchmarks that are only in the baseline.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excused: Vec<Excused>,
    /// Keys of benchmarks without a baseline.
    pub new: Vec<String>,
}

/// One benchmark.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ScenarioReport {
    /// Its key.
    pub scenario: String,
    /// Its label.
    pub label: String,
    /// Its metrics' worst verdict.
    pub verdict: Verdict,
    /// The functions that caused its regression, each with its change, if it was profiled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<String>,
    /// Its metrics.
    pub metrics: Vec<MetricReport>,
}

/// One metric.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MetricReport {
    /// Its name in rows.
    pub metric: String,
    /// `lower`, `higher` or `unknown`.
    pub better: perf_model::metric::Direction,
    /// The numbers' unit.
    pub unit: perf_model::metric::Unit,
    /// The baseline's value; null if it was not measured.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub baseline: Option<serde_json::Number>,
    /// That value's commit, if it is older than the newest baseline, which does not contain the metric or was measured
    /// differently; may be empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older_baseline: Option<String>,
    /// The current value; null if it was not measured.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub current: Option<serde_json::Number>,
    /// (current − baseline) / baseline, independent of `deltas.plus`; null without a positive baseline.
    pub change: Option<f64>,
    /// The history's median, if the reports compare the current value with it instead of the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<ReferenceReport>,
    /// Its verdict.
    pub verdict: Verdict,
    /// The gate's rule: `limit`, `exact`, `count`, `equal`, `budget` if only its budget fails it, or `report` if it is
    /// not gated.
    pub rule: Cow<'static, str>,
    /// What decided: the gate's rule, or stronger evidence: `history`, `common`, `guard`, `samples`, `pairs`,
    /// `floor`, `tail` or `budget`.
    pub decided_by: Cow<'static, str>,
    /// The limit that was applied: the largest change for the worse that passes, as a share of the baseline, or of the
    /// history's median if a history decides. Pairs must prove that it is exceeded.
    pub limit: Option<f64>,
    /// The loss of throughput that is compared with the fixed limit; negative for a gain.
    pub loss: Option<f64>,
    /// The reason in words; absent for a gated metric that is within its limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether a regression is suspected, confirmed or not.
    pub suspect: bool,
    /// A suspected regression's confirmation runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation>,
    /// Whether it exceeds its soft limit.
    pub warned: bool,
    /// The waiver that excuses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waived: Option<Waived>,
    /// The benchmark whose value base and head are divided by before the comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative_to: Option<String>,
    /// The benchmark whose value is subtracted from base and head before the comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minus: Option<String>,
    /// The values that pass independent of the baseline, in `unit`; ratios with `relativeTo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// The run-to-run variation (1 σ) as a share of the cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// The minimum detectable change for the worse, (current − baseline) / baseline: negative for a throughput.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detectable: Option<f64>,
    /// Whether the chosen limit is tighter than the noise.
    pub too_tight: bool,
    /// The normal range of the history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub band: Option<BandReport>,
    /// The history's present level, if the level changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The deciding rule's finding.
    #[serde(flatten)]
    pub finding: FindingReports,
    /// Earlier values, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<f64>,
}

/// The median of the history, and the change from it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReferenceReport {
    /// The median in the metric's unit, or a quotient.
    pub median: f64,
    /// The number of earlier values.
    pub values: usize,
    /// (current − median) / median.
    pub change: f64,
}

/// Why text is not a report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The text is not JSON, or not a report.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A report of another version.
    #[error("its version is {_0}, not {VERSION}")]
    Version(u32),
}

impl MetricReport {
    /// True if it regressed without a waiver.
    pub fn is_regression(&self) -> bool {
        self.verdict == Verdict::Regressed && self.waived.is_none()
    }
}

impl Report {
    /// A comparison's report.
    pub fn new(
        comparison: &Comparison,
        config: &Config,
        notes: Vec<String>,
        remarks: &Remarks,
    ) -> Self {
        let tally = comparison.tally();
        let waivers = config.waivers.iter().zip(&comparison.waivers);
        let scopes = comparison.scopes.iter();
        Self {
            version: VERSION,
            skipped: None,
            changed: tally.changed,
            regressed: tally.regressed > 0,
            counts: Counts::of(&tally),
            tolerance: comparison.thresholds.tolerance,
            regression_limit: comparison.thresholds.limit,
            baseline_commits: comparison.baseline_commits.clone(),
            current_commits: comparison.current_commits.clone(),
            repeats: Repeats {
                needed: comparison.confirmation_runs.0,
                given: comparison.confirmation_runs.1,
            },
            tested: comparison.tested,
            self_comparison: comparison.self_comparison(),
            blind: comparison.blind.iter().map(facts::blind).collect(),
            findings: comparison.findings.iter().map(facts::finding).collect(),
            waivers: waivers.map(facts::waiver).collect(),
            scopes: scopes
                .map(|scope| parts::scope_report(scope, config, &remarks.profiled))
                .collect(),
            notes,
            remarks: remarks.notes.clone(),
            measured: remarks.measured.clone(),
        }
    }

    /// The report for a skipped comparison, with the reason.
    pub fn skipped(thresholds: Thresholds, why: String, remarks: &Remarks) -> Self {
        Self {
            version: VERSION,
            skipped: Some(why),
            tolerance: thresholds.tolerance,
            regression_limit: thresholds.limit,
            remarks: remarks.notes.clone(),
            measured: remarks.measured.clone(),
            ..Self::default()
        }
    }

    /// Reads a report.
    ///
    /// # Errors
    /// The text is not a report of this version.
    pub fn parse(text: &str) -> Result<Self, ReportError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let read: Result<Self, _> = serde_json::from_str(text);
        let version = match &read {
            Ok(report) => report.version,
            Err(_) => serde_json::from_str::<Versioned>(text)?.version,
        };
        if version == VERSION {
            Ok(read?)
        } else {
            Err(ReportError::Version(version))
        }
    }

    /// Writes the report with a line for each scope and each benchmark.
    pub fn write(mut self, out: &mut dyn Write) -> io::Result<()> {
        let mut scopes = Vec::new();
        for mut scope in std::mem::take(&mut self.scopes) {
            let mut scenarios = Vec::new();
            for scenario in scope.scenarios.drain(..) {
                scenarios.push(serde_json::to_string(&scenario)?);
            }
            scopes.push(with_lines(&scope, "scenarios", &scenarios)?);
        }
        writeln!(out, "{}", with_lines(&self, "scopes", &scopes)?)
    }
}

/// Inserts elements, one per line, into the empty list with this name.
fn with_lines(object: &impl Serialize, list: &str, elements: &[String]) -> io::Result<String> {
    let text = serde_json::to_string(object)?;
    if elements.is_empty() {
        return Ok(text);
    }
    // Quotes within a JSON string have a backslash, so this is the key.
    let empty = format!("\"{list}\":[]");
    let (before, after) = text.split_once(&empty).ok_or(io::ErrorKind::InvalidData)?;
    let elements = elements.join(",\n");
    Ok(format!("{before}\"{list}\":[\n{elements}]{after}"))
}
