//! The report for programs: every verdict with its rule, numbers, limit and reason.
//!
//! This is version 1 of the format, for writing and reading. Its structs are separate from the comparison's, except for
//! small ones such as [`Shift`] and [`Budget`]. Absent evidence, such as a history, is omitted.

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

/// The version of the format. It changes if a reader of the previous version could misunderstand a report.
pub const VERSION: u32 = 1;

/// The output of `perf-gate compare --json`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The version of this format.
    pub version: u32,
    /// Why the comparison was skipped; null if it was not skipped.
    pub skipped: Option<String>,
    /// Whether any value changed by more than its tolerance.
    pub changed: bool,
    /// Whether any metric regressed.
    pub regressed: bool,
    /// The number of benchmarks with each verdict.
    pub counts: Counts,
    /// The tolerance: the largest fraction of the baseline that is shown as unchanged.
    pub tolerance: f64,
    /// The configured limit for stored values. The limit that was applied to a metric is in its `limit`.
    pub regression_limit: f64,
    /// The commits in the baseline's rows.
    pub baseline_commits: Vec<String>,
    /// The commits in this run's rows.
    pub current_commits: Vec<String>,
    /// The numbers of confirmation runs.
    pub repeats: Repeats,
    /// The number of gated metrics that passed the self-test, which checks that an injected regression is detected.
    pub tested: usize,
    /// The A/A check, which compares each side's process runs with each other; absent without pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_comparison: Option<SelfComparison>,
    /// The metrics that cannot fail: they would pass even at ten times the cost.
    pub blind: Vec<BlindReport>,
    /// Defects in the inputs or the measurements; absent without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingReport>,
    /// The config's waivers and their effects.
    pub waivers: Vec<WaiverReport>,
    /// The scopes.
    pub scopes: Vec<ScopeReport>,
    /// Further notes for readers.
    pub notes: Vec<String>,
    /// Remarks, as Markdown, from the program that requested the report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// The commits that were measured, which may differ from the commits in the rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<MeasuredCommits>,
}

/// The comparison of one scope.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ScopeReport {
    /// The scope's name.
    pub scope: String,
    /// The environment shift, if nearly all of the scope's benchmarks changed at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift: Option<Shift>,
    /// The benchmarks that are in base and head, and new benchmarks with a budget.
    pub scenarios: Vec<ScenarioReport>,
    /// The keys of benchmarks that are only in the baseline and not waived.
    pub missing: Vec<String>,
    /// The waived benchmarks that are only in the baseline.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excused: Vec<Excused>,
    /// The keys of benchmarks that are not in the baseline.
    pub new: Vec<String>,
}

/// The comparison of one benchmark.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ScenarioReport {
    /// The benchmark's key.
    pub scenario: String,
    /// The benchmark's name for people.
    pub label: String,
    /// The worst verdict on the benchmark's metrics.
    pub verdict: Verdict,
    /// The functions that caused the benchmark's regression, each with its change; absent unless the benchmark was
    /// profiled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<String>,
    /// The benchmark's metrics.
    pub metrics: Vec<MetricReport>,
}

/// The comparison of one metric.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MetricReport {
    /// The metric's name in rows.
    pub metric: String,
    /// Which values are better: `lower`, `higher` or `unknown`.
    pub better: perf_model::metric::Direction,
    /// The unit in which the metric's values are stored.
    pub unit: perf_model::metric::Unit,
    /// The baseline's value; null if it was not measured.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub baseline: Option<serde_json::Number>,
    /// The commit of the baseline's value, if it is older than the newest baseline. This happens if the newest baseline
    /// does not contain the metric or was measured differently. May be empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older_baseline: Option<String>,
    /// The current value; null if it was not measured.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub current: Option<serde_json::Number>,
    /// (current − baseline) / baseline, regardless of `deltas.plus`; null without a positive baseline.
    pub change: Option<f64>,
    /// The history's median, if the current value is compared with it instead of the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<ReferenceReport>,
    /// The verdict on the metric.
    pub verdict: Verdict,
    /// The gate's rule: `limit`, `exact`, `count` or `equal`; `budget` if only the budget can fail the metric, or `report`
    /// if the metric is not gated.
    pub rule: Cow<'static, str>,
    /// What decided the verdict: the gate's rule, or stronger evidence: `history`, `common`, `guard`, `samples`, `pairs`,
    /// `newest`, `mixture`, `floor`, `tail` or `budget`.
    pub decided_by: Cow<'static, str>,
    /// The limit that was applied: the largest change for the worse that passes, as a share of the baseline, or of the
    /// history's median if a history decides. With pairs, a regression needs proof that the limit is exceeded.
    pub limit: Option<f64>,
    /// The loss that is compared with the fixed limit; negative for a gain.
    pub loss: Option<f64>,
    /// The reason for the verdict, in words; absent if a gated metric is within its limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether a regression is or was suspected, regardless of its confirmation.
    pub suspect: bool,
    /// The state of the confirmation of a suspected regression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation>,
    /// Whether the metric exceeds its soft limit.
    pub warned: bool,
    /// The waiver that excuses the metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waived: Option<Waived>,
    /// The reference: before the comparison, the values of base and head are divided by this benchmark's values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative_to: Option<String>,
    /// Before the comparison, this benchmark's values are subtracted from the values of base and head.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minus: Option<String>,
    /// The range of acceptable values, which does not depend on the baseline, in `unit`; with `relativeTo`, a range of
    /// ratios.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// The run-to-run variation (1 σ) as a fraction of the cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// The minimum detectable change for the worse, as (current − baseline) / baseline, so negative for a throughput.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detectable: Option<f64>,
    /// Whether the configured limit is tighter than the noise allows.
    pub too_tight: bool,
    /// The normal range of earlier values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub band: Option<BandReport>,
    /// The metric's current level, if its level changed during its history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The details of the rule that decided.
    #[serde(flatten)]
    pub finding: FindingReports,
    /// The earlier values, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<f64>,
}

/// The median of the history, and the change from this median.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReferenceReport {
    /// The median in the metric's unit, or a ratio with `relativeTo`.
    pub median: f64,
    /// The number of earlier values.
    pub values: usize,
    /// (current − median) / median.
    pub change: f64,
}

/// The reason why a text is not a report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The text is not valid JSON, or is not a report.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The report has another version.
    #[error("its version is {_0}, not {VERSION}")]
    Version(u32),
}

impl MetricReport {
    /// True if the metric regressed and no waiver excuses it.
    pub fn is_regression(&self) -> bool {
        self.verdict == Verdict::Regressed && self.waived.is_none()
    }
}

impl Report {
    /// Creates a comparison's report.
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

    /// Creates the report for a comparison that was skipped for the reason `why`.
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

    /// Parses a report.
    ///
    /// # Errors
    /// Fails if the text is not a report of this version.
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

    /// Writes the report as JSON, with one line per scope and per benchmark.
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

/// Fills the empty list `list` in the object's JSON with elements, one per line.
fn with_lines(object: &impl Serialize, list: &str, elements: &[String]) -> io::Result<String> {
    let text = serde_json::to_string(object)?;
    if elements.is_empty() {
        return Ok(text);
    }
    // Quotes within a JSON string are escaped, so this match is the key.
    let empty = format!("\"{list}\":[]");
    let (before, after) = text.split_once(&empty).ok_or(io::ErrorKind::InvalidData)?;
    let elements = elements.join(",\n");
    Ok(format!("{before}\"{list}\":[\n{elements}]{after}"))
}
