//! The result of a comparison, and its output formats.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::anyhow;
use perf_cli::{ResultExt, term};
use perf_config::Config;
use perf_model::diagnostic::Diagnostic;
use perf_model::metric::Direction;
use perf_model::row::{Name, Value};
use perf_model::suggest::suggest;
use perf_model::suite::{Filter, Suite};
use perf_report::explain::explain;
use perf_report::json;
use perf_report::markdown::cut::Limit;
use perf_report::report::{
    FailureReason, Remarks, Report, ReportDetails, TerminalOptions, failures,
};
use perf_verdict::{
    Comparison, MetricComparison, ScenarioComparison, ScopeComparison, Tally, Thresholds, Verdict,
};
use serde::{Deserialize, Serialize};

use crate::data::{ComparisonData, NoBaseline, varies_between_runs};

/// The result of a comparison.
pub struct CompareReport {
    /// The comparison, or the reason why the baseline does not exist.
    pub(crate) outcome: Result<Compared, NoBaseline>,
    /// The filter for platforms and the scope.
    pub(crate) filter: Filter,
    /// The config, with the metrics that the inputs declare.
    pub(crate) config: Config,
    /// All input rows, and the notes from reading them.
    pub(crate) data: ComparisonData,
    /// The notes above the report, and the profiled functions below its rows.
    pub remarks: Remarks,
}

/// A comparison, and the other data that its reports show.
pub(crate) struct Compared {
    pub comparison: Comparison,
    pub details: ReportDetails,
}

/// A benchmark's explanation and result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BenchmarkReport {
    /// The text of `--explain`.
    pub explanation: String,
    /// The largest cost increase of the benchmark's gated metrics, as a fraction.
    pub loss: Option<f64>,
    /// Whether the benchmark regressed and no waiver excuses it.
    #[serde(default)]
    pub regressed: bool,
}

/// The counts and failure reasons that workflows read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// The number of benchmarks with each verdict.
    pub tally: Tally,
    /// The number of further confirmation runs that would settle all unconfirmed regressions.
    pub confirmations: usize,
    /// Why the gate fails, starting with the most serious reason.
    pub failed: Vec<FailureReason>,
}

impl Counts {
    /// Returns the result lines as names and values.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let tally = &self.tally;
        let failed: Vec<&str> = self.failed.iter().map(|reason| reason.word()).collect();
        let mut lines = vec![
            ("changed", tally.changed.to_string()),
            ("regressed", (tally.regressed > 0).to_string()),
        ];
        for (name, count) in [
            ("improved", tally.improved),
            ("inconclusive", tally.inconclusive),
            ("missing", tally.missing),
            ("new", tally.new),
            ("not-comparable", tally.not_comparable),
            ("compared", tally.compared),
            ("unmeasured", tally.unmeasured),
            ("waived", tally.waived),
            ("blind", tally.blind),
            ("confirm", self.confirmations),
        ] {
            lines.push((name, count.to_string()));
        }
        lines.push(("failed", failed.join(",")));
        lines
    }
}

impl CompareReport {
    /// The maximum length of a GitHub comment, minus room for the lines that the commenting program adds.
    pub const COMMENT: Limit = Limit::Chars(59_000);

    /// Returns the counts and failure reasons.
    pub fn counts(&self) -> Counts {
        match &self.outcome {
            Ok(compared) => Counts {
                tally: compared.comparison.tally(),
                confirmations: compared.comparison.missing_confirmations(),
                failed: compared.details.failed.clone(),
            },
            Err(_) => Counts::default(),
        }
    }

    /// Returns all scopes. The list is empty if nothing was compared.
    fn scopes(&self) -> &[ScopeComparison] {
        match &self.outcome {
            Ok(compared) => &compared.comparison.scopes,
            Err(_) => &[],
        }
    }

    /// Returns all compared benchmarks.
    fn scenarios(&self) -> impl Iterator<Item = &ScenarioComparison> {
        self.scopes().iter().flat_map(|scope| &scope.scenarios)
    }

    /// Returns the benchmarks to rerun: those with a noisy gated metric that is inconclusive, regressed or improved.
    pub fn suspects(&self) -> BTreeSet<Name> {
        self.benchmarks(|metric| {
            let verdict = metric.judgement.verdict;
            is_gated_and_noisy(metric) && (is_suspect(metric) || verdict == Verdict::Improved)
        })
    }

    /// Returns the benchmarks whose suspected regressions are all times or rates, with a cost increase of at most `share`.
    pub fn slower_by_at_most(&self, share: f64) -> BTreeSet<Name> {
        let mut within = BTreeSet::new();
        let mut beyond = BTreeSet::new();
        for scenario in self.scenarios() {
            for metric in &scenario.metrics {
                if !is_gated_and_noisy(metric) || !is_suspect(metric) {
                    continue;
                }
                // Times and rates would have different digits in another run.
                let mut values = [metric.baseline, metric.current].into_iter();
                let is_whole = values.all(|value| matches!(value, Some(Value::Int(_))));
                let is_timed = varies_between_runs(metric.metric.meaning.unit, is_whole);
                let growth = metric.growth().unwrap_or(f64::INFINITY);
                let names = if is_timed && growth > 0.0 && growth <= share {
                    &mut within
                } else {
                    &mut beyond
                };
                names.insert(Name::clone(&scenario.scenario));
            }
        }
        &within - &beyond
    }

    /// Returns the benchmarks that regressed and that no waiver excuses, starting with the largest change.
    pub fn worst(&self) -> Vec<String> {
        let mut found = Vec::new();
        for scenario in self.scenarios().filter(|scenario| scenario.fails()) {
            let mut largest: f64 = 0.0;
            for metric in &scenario.metrics {
                if has_verdict(metric, Verdict::Regressed) {
                    largest = largest.max(metric.judgement.change.unwrap_or_default().abs());
                }
            }
            found.push((largest, scenario.scenario.to_string()));
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.into_iter().map(|(_, name)| name).collect()
    }

    /// Whether nearly all benchmarks in some scope changed at once.
    pub fn is_shifted(&self) -> bool {
        self.scopes().iter().any(|scope| scope.shift.is_some())
    }

    /// Returns a report on each compared benchmark, which can be stored and shown later.
    pub fn benchmarks_by_name(&self) -> BTreeMap<Name, BenchmarkReport> {
        let mut reports = BTreeMap::new();
        for compared in self.scenarios() {
            let Ok(explanation) = self.explained(&compared.scenario) else {
                continue;
            };
            let mut loss: Option<f64> = None;
            for metric in &compared.metrics {
                if metric.judgement.is_gated() {
                    // For pairs, the shown change is the median of the pairs' changes.
                    let growths = [metric.growth(), shown_growth(metric)];
                    loss = growths.into_iter().flatten().chain(loss).reduce(f64::max);
                }
            }
            let report = BenchmarkReport {
                explanation,
                loss,
                regressed: compared.fails(),
            };
            reports.insert(Name::clone(&compared.scenario), report);
        }
        reports
    }

    /// Returns the benchmarks whose noise could hide a slowdown of `share`. Metrics whose noise is unknown are left out.
    pub fn too_noisy_for(&self, share: f64) -> BTreeSet<Name> {
        self.benchmarks(|metric| {
            let power = &metric.judgement.power;
            let is_hidden = power.detectable.is_some_and(|least| least > share);
            is_gated_and_noisy(metric) && power.noise.is_some() && is_hidden
        })
    }

    /// Returns the benchmarks with a metric for which `is_meant` is true.
    fn benchmarks(&self, is_meant: impl Fn(&MetricComparison) -> bool) -> BTreeSet<Name> {
        let mut names = BTreeSet::new();
        for scenario in self.scenarios() {
            if scenario.metrics.iter().any(&is_meant) {
                names.insert(Name::clone(&scenario.scenario));
            }
        }
        names
    }

    /// Whether base and head were compared, but have no benchmark in common.
    pub(crate) fn has_nothing_in_common(&self) -> bool {
        self.outcome.as_ref().is_ok_and(|compared| {
            let tally = compared.comparison.tally();
            tally.compared + tally.not_comparable + tally.unmeasured == 0
        })
    }

    /// Returns the result in one sentence. If nothing could be compared because base and head are too different, a warning
    /// comes first.
    pub(crate) fn conclusion(&self) -> Vec<Diagnostic> {
        let compared = match &self.outcome {
            Ok(compared) => compared,
            Err(none) => return vec![none.warning()],
        };
        let mut conclusion = Vec::new();
        if compared.comparison.tally().compared == 0 && is_unlike(&compared.comparison) {
            conclusion.push(Diagnostic::warning(
                "nothing was compared: the baseline was measured on another machine type, by another method or with another toolchain",
            ));
        }
        let report = Report::new(&compared.comparison, &self.config, &compared.details);
        conclusion.push(Diagnostic::note(report.summary()));
        conclusion
    }

    /// Returns a line for each benchmark that fails the gate. The list is empty if the gate passes.
    pub fn failures(&self) -> Vec<String> {
        match &self.outcome {
            Ok(compared) if !compared.details.failed.is_empty() => {
                failures(&compared.comparison, &self.config, &compared.details)
            }
            _ => Vec::new(),
        }
    }

    /// Returns the report as JSON.
    pub fn json(&self) -> anyhow::Result<String> {
        let report = match &self.outcome {
            Ok(compared) => {
                let mut notes = compared.details.notes.clone();
                let unlike = &compared.details.unlike;
                if !unlike.is_empty() {
                    notes.insert(0, not_compared(unlike).sentence());
                }
                json::Report::new(&compared.comparison, &self.config, notes, &self.remarks)
            }
            Err(none) => {
                let thresholds = Thresholds::of(&self.config);
                json::Report::skipped(thresholds, none.sentence(), &self.remarks)
            }
        };
        let mut json = Vec::new();
        report.write(&mut json)?;
        Ok(String::from_utf8(json)?)
    }

    /// Returns the report for people. Without a baseline, it shows the run's results.
    pub fn report(&self) -> Report {
        let report = match &self.outcome {
            Ok(compared) => Report::new(&compared.comparison, &self.config, &compared.details),
            Err(none) => {
                let rows = &self.data.current.rows;
                let measured = Suite::new(rows, &self.config, &self.filter);
                Report::nothing_compared(&none.why).with_measured(
                    &measured,
                    &self.config,
                    &none.create,
                )
            }
        };
        report.with_remarks(&self.remarks)
    }

    /// Returns the report as Markdown, shortened to `limit`.
    pub fn markdown(&self, limit: Limit) -> anyhow::Result<String> {
        Ok(self.report().markdown(limit)?)
    }

    /// Returns the headline and the provenance of the report as Markdown, with `text` below them.
    pub fn markdown_around(&self, text: &str) -> String {
        self.report().markdown_around(text)
    }

    /// Returns the table for a terminal.
    pub(crate) fn table(&self, is_verbose: bool) -> String {
        match &self.outcome {
            Ok(_) => self.report().terminal(TerminalOptions {
                width: width(),
                is_verbose,
            }),
            Err(none) => format!("{}\n", none.sentence()),
        }
    }

    /// Returns a benchmark's explanation for a terminal.
    pub(crate) fn explained(&self, scenario: &str) -> anyhow::Result<String> {
        const NAMED: usize = 4;
        let comparison = match &self.outcome {
            Ok(compared) => &compared.comparison,
            Err(none) => return Ok(format!("{}\n", none.sentence())),
        };
        if let Some(text) = explain(comparison, &self.config, scenario, width()) {
            return Ok(term::printable_lines(&text));
        }
        let known: BTreeSet<&str> = self.scenarios().map(|one| &*one.scenario).collect();
        let mut matching: Vec<&str> = known.iter().copied().collect();
        matching.retain(|name| name.contains(scenario));
        let hint = match &matching[..] {
            // If a part of a name matches only one benchmark, explain that benchmark.
            [only] => return self.explained(only),
            [] => suggest(scenario, known).unwrap_or_default(),
            several => {
                let first = several[..several.len().min(NAMED)].join("`, `");
                format!("pass a longer part, such as `{first}`")
            }
        };
        let name = term::printable(scenario);
        Err(anyhow!("no benchmark is called `{name}`")).hint(term::printable(&hint))
    }
}

/// Whether the base and the head of any metric differ in machine type, method or toolchain.
pub(crate) fn is_unlike(comparison: &Comparison) -> bool {
    let mut metrics = comparison.metrics();
    metrics.any(|metric| metric.judgement.is_unlike())
}

/// Whether a metric has this verdict and no waiver excuses it.
pub(crate) fn has_verdict(metric: &MetricComparison, verdict: Verdict) -> bool {
    metric.judgement.verdict == verdict && metric.judgement.waived.is_none()
}

pub(crate) fn not_compared(unlike: &str) -> Diagnostic {
    Diagnostic::note(format!("{unlike}: times are not compared"))
}

/// Returns the terminal's width in columns, from `COLUMNS` or from the terminal itself.
fn width() -> usize {
    const UNKNOWN: usize = 100;
    let columns = std::env::var("COLUMNS").ok();
    let columns = columns.and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    columns.or_else(terminal).unwrap_or(UNKNOWN).clamp(40, 1000)
}

fn is_suspect(metric: &MetricComparison) -> bool {
    matches!(
        metric.judgement.verdict,
        Verdict::Inconclusive | Verdict::Regressed
    )
}

fn is_gated_and_noisy(metric: &MetricComparison) -> bool {
    metric.judgement.is_gated() && !metric.metric.meaning.exact
}

/// Converts the change that reports show to a fractional cost increase.
fn shown_growth(metric: &MetricComparison) -> Option<f64> {
    let change = metric.judgement.change?;
    match metric.metric.meaning.direction {
        Direction::Higher => Some(1.0 / (1.0 + change) - 1.0),
        _ => Some(change),
    }
}
