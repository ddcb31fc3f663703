//! The result of a comparison, and its output formats.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use perf_cli::actions;
use perf_cli::load::machine_specs;
use perf_config::Config;
use perf_model::diagnostic::Diagnostic;
use perf_model::machine::MachineSpecs;
use perf_model::metric::{Direction, Unit};
use perf_model::row::{Name, Row, Value};
use perf_model::suite::{Filter, Suite};
use perf_report::json;
use perf_report::markdown::cut::Limit;
use perf_report::report::{
    Links, Remarks, Report, ReportRequest, Reproduction, TerminalOptions, failures,
};
use perf_verdict::{
    MetricComparison, ScenarioComparison, ScopeComparison, Tally, Thresholds, Verdict,
};
use serde::{Deserialize, Serialize};

use crate::cli::CompareRequest;
use crate::compared::Compared;
use crate::data::{ComparisonData, NoBaseline};
use crate::explained::{explained, width};
use crate::fail::{FailureReason, has_verdict};
use crate::reproduce;

/// The result of a comparison.
pub struct CompareReport {
    pub(crate) outcome: CompareOutcome,
    /// The config in force, including the inputs' declarations.
    pub(crate) config: Config,
    /// Everything that was read.
    pub(crate) data: ComparisonData,
    /// Notes above the report, and profiled functions below its rows.
    pub remarks: Remarks,
}

/// The comparison, or why nothing was compared.
pub(crate) enum CompareOutcome {
    /// Both sides had rows.
    Compared {
        compared: Box<Compared>,
        provenance: ComparisonProvenance,
        failed: Vec<FailureReason>,
    },
    /// Nothing was compared, because there is no baseline.
    Skipped {
        thresholds: Thresholds,
        none: NoBaseline,
        filter: Filter,
    },
}

/// The machine, the command that reproduces the comparison, and links to its commits and CI run.
pub(crate) struct ComparisonProvenance {
    reproduction: Reproduction,
    machine: Option<String>,
    links: Option<Links>,
}

impl ComparisonProvenance {
    /// The machine is shown only if it measured all rows.
    pub(crate) fn of(request: &CompareRequest, config: &Config, rows: &[Row]) -> Self {
        let specs = request
            .machine_specs
            .as_deref()
            .and_then(|path| machine_specs(path).ok());
        let specs = specs.filter(|specs| {
            !rows
                .iter()
                .any(|row| specs.is_elsewhere(&row.platform, row.machine_class.as_deref()))
        });
        let itself = || Reproduction {
            command: reproduce::command(request, config),
            ..Reproduction::default()
        };
        Self {
            reproduction: request.reproduction.clone().unwrap_or_else(itself),
            machine: specs.as_ref().and_then(MachineSpecs::short),
            links: links_from_env(),
        }
    }
}

/// A benchmark's explanation and outcome.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BenchmarkReport {
    /// The text of `--explain`.
    pub explanation: String,
    /// The largest growth of the cost of its gated metrics, as a share.
    pub loss: Option<f64>,
    /// Whether it regressed without a waiver.
    #[serde(default)]
    pub regressed: bool,
}

/// The counts and failure reasons for workflows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Benchmarks by verdict.
    pub tally: Tally,
    /// Confirmation runs that would settle all unconfirmed regressions.
    pub confirmations: usize,
    /// Why the gate fails, most serious reason first.
    pub failed: Vec<FailureReason>,
}

impl Counts {
    /// The result lines as name and value.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let tally = &self.tally;
        let truths = [
            ("changed", tally.changed),
            ("regressed", tally.regressed > 0),
        ];
        let counts = [
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
        ];
        let failed: Vec<&str> = self.failed.iter().map(|reason| reason.word()).collect();
        let truths = truths.map(|(name, value)| (name, value.to_string()));
        let counts = counts.map(|(name, count)| (name, count.to_string()));
        truths
            .into_iter()
            .chain(counts)
            .chain([("failed", failed.join(","))])
            .collect()
    }
}

impl CompareReport {
    /// The maximum length of a GitHub comment, with room for the lines that the commenting program adds.
    pub const COMMENT: Limit = Limit::Chars(59_000);

    /// The counts and failure reasons.
    pub fn counts(&self) -> Counts {
        match &self.outcome {
            CompareOutcome::Compared {
                compared, failed, ..
            } => Counts {
                tally: compared.tally,
                confirmations: compared.comparison.missing_confirmations(),
                failed: failed.clone(),
            },
            CompareOutcome::Skipped { .. } => Counts::default(),
        }
    }

    /// The comparison; `None` if nothing was compared.
    fn compared(&self) -> Option<&Compared> {
        match &self.outcome {
            CompareOutcome::Compared { compared, .. } => Some(compared),
            CompareOutcome::Skipped { .. } => None,
        }
    }

    fn scopes(&self) -> impl Iterator<Item = &ScopeComparison> {
        self.compared()
            .into_iter()
            .flat_map(|compared| &compared.comparison.scopes)
    }

    /// All compared benchmarks.
    fn scenarios(&self) -> impl Iterator<Item = &ScenarioComparison> {
        self.scopes().flat_map(|scope| &scope.scenarios)
    }

    /// The benchmarks to rerun: those with a time that is inconclusive, regressed or improved.
    pub fn suspects(&self) -> BTreeSet<Name> {
        self.benchmarks(|metric| {
            matches!(
                metric.judgement.verdict,
                Verdict::Inconclusive | Verdict::Regressed | Verdict::Improved
            )
        })
    }

    /// The benchmarks whose suspected regressions are all times or rates that are worse by at most this share.
    pub fn slower_by_at_most(&self, share: f64) -> BTreeSet<Name> {
        let is_within = |metric: &MetricComparison| {
            let are_whole = [metric.baseline, metric.current]
                .iter()
                .all(|side| matches!(side, Some(Value::Int(_))));
            let is_timed = match metric.metric.meaning.unit {
                Unit::Bytes | Unit::Count => false,
                Unit::None => !are_whole,
                _ => true,
            };
            is_timed
                && metric
                    .growth()
                    .is_some_and(|growth| growth > 0.0 && growth <= share)
        };
        let is_suspect = |metric: &MetricComparison| {
            matches!(
                metric.judgement.verdict,
                Verdict::Inconclusive | Verdict::Regressed
            )
        };
        let within = self.benchmarks(|metric| is_suspect(metric) && is_within(metric));
        let beyond = self.benchmarks(|metric| is_suspect(metric) && !is_within(metric));
        within.difference(&beyond).cloned().collect()
    }

    /// The benchmarks that regressed without a waiver.
    pub fn regressed(&self) -> BTreeSet<String> {
        self.with_verdict(&[Verdict::Regressed])
    }

    /// The benchmarks that regressed without a waiver, the largest change first.
    pub fn worst(&self) -> Vec<String> {
        let largest = |scenario: &ScenarioComparison| {
            let regressed = scenario
                .metrics
                .iter()
                .filter(|metric| has_verdict(metric, &[Verdict::Regressed]));
            let changes = regressed.map(|metric| metric.judgement.change.unwrap_or_default().abs());
            Some((
                changes.max_by(f64::total_cmp)?,
                scenario.scenario.to_string(),
            ))
        };
        let mut found: Vec<_> = self.scenarios().filter_map(largest).collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.into_iter().map(|(_, name)| name).collect()
    }

    fn with_verdict(&self, verdicts: &[Verdict]) -> BTreeSet<String> {
        let meant = self.scenarios().filter(|scenario| {
            scenario
                .metrics
                .iter()
                .any(|metric| has_verdict(metric, verdicts))
        });
        meant
            .map(|scenario| scenario.scenario.to_string())
            .collect()
    }

    /// Whether nearly all benchmarks in a scope changed at once.
    pub fn is_shifted(&self) -> bool {
        self.scopes().any(|scope| scope.shift.is_some())
    }

    /// A report on each compared benchmark, to be stored and shown later.
    pub fn benchmarks_by_name(&self) -> BTreeMap<String, BenchmarkReport> {
        let named = self.scenarios().filter_map(|compared| {
            let explanation = self.explained(&compared.scenario).ok()?;
            let losses = compared
                .metrics
                .iter()
                .filter(|metric| metric.judgement.is_gated());
            let loss = losses.filter_map(shown_growth).max_by(f64::total_cmp);
            let regressed = compared.fails();
            Some((
                compared.scenario.to_string(),
                BenchmarkReport {
                    explanation,
                    loss,
                    regressed,
                },
            ))
        });
        named.collect()
    }

    /// The benchmarks whose noise could hide a slowdown of this share, except new benchmarks and user-chosen limits.
    pub fn too_noisy_for(&self, share: f64) -> BTreeSet<Name> {
        self.benchmarks(|metric| {
            let power = &metric.judgement.power;
            power.noise.is_some() && power.detectable.is_some_and(|least| least > share)
        })
    }

    /// The benchmarks with a gated, inexact metric that matches.
    fn benchmarks(&self, is_meant: impl Fn(&MetricComparison) -> bool) -> BTreeSet<Name> {
        let is_meant = |metric: &MetricComparison| {
            metric.judgement.is_gated() && !metric.metric.meaning.exact && is_meant(metric)
        };
        let meant = self
            .scenarios()
            .filter(|scenario| scenario.metrics.iter().any(is_meant));
        meant
            .map(|scenario| Name::clone(&scenario.scenario))
            .collect()
    }

    /// The baseline's commit, if there is exactly one.
    pub fn baseline_commit(&self) -> Option<String> {
        let [commit] = &self.compared()?.comparison.baseline_commits[..] else {
            return None;
        };
        Some(commit.clone()).filter(|commit| !commit.is_empty())
    }

    /// Whether both sides have rows, but no benchmark in common.
    pub(crate) fn has_nothing_in_common(&self) -> bool {
        self.compared().is_some_and(|compared| {
            let tally = compared.tally;
            tally.compared + tally.not_comparable + tally.unmeasured == 0
        })
    }

    /// Whether the gate fails.
    pub fn has_failed(&self) -> bool {
        matches!(&self.outcome, CompareOutcome::Compared { failed, .. } if !failed.is_empty())
    }

    /// The result in one sentence, and a warning to print before it.
    pub(crate) fn conclusion(&self) -> (Option<Diagnostic>, Option<String>) {
        match &self.outcome {
            CompareOutcome::Compared { compared, .. } => {
                let comparison = &compared.comparison;
                let is_unlike = compared.tally.compared == 0
                    && comparison
                        .metrics()
                        .any(|metric| metric.judgement.is_unlike());
                let warning = is_unlike.then(|| {
                    Diagnostic::warning(
                        "nothing was compared: the baseline was measured on another machine type, by another method or with another toolchain",
                    )
                });
                let summary = self.with_request(|request| Report::new(&request).summary());
                (warning, summary)
            }
            CompareOutcome::Skipped { none, .. } => (Some(none.warning()), None),
        }
    }

    /// A line for each benchmark that fails the gate; empty if it passes.
    pub fn failures(&self) -> Vec<String> {
        if !self.has_failed() {
            return Vec::new();
        }
        self.with_request(|request| failures(&request))
            .unwrap_or_default()
    }

    /// Writes the JSON report.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let report = match &self.outcome {
            CompareOutcome::Compared { compared, .. } => {
                let notes = compared.all_sentences();
                json::Report::new(&compared.comparison, &self.config, notes, &self.remarks)
            }
            CompareOutcome::Skipped {
                thresholds, none, ..
            } => json::Report::skipped(*thresholds, none.sentence(), &self.remarks),
        };
        report.write(out)
    }

    /// The report for people.
    fn report(&self) -> Report {
        let report = match &self.outcome {
            CompareOutcome::Skipped { none, filter, .. } => {
                let measured = Suite::new(&self.data.current.rows, &self.config, filter);
                Report::nothing_compared(&none.why).with_measured(
                    &measured,
                    &self.config,
                    &none.create,
                )
            }
            CompareOutcome::Compared { .. } => self
                .with_request(|request| Report::new(&request))
                .unwrap_or_default(),
        };
        report.with_remarks(&self.remarks)
    }

    /// The Markdown report, shortened to this length.
    pub fn markdown(&self, limit: Limit) -> anyhow::Result<String> {
        Ok(self.report().markdown(limit)?)
    }

    /// The report's headline and provenance around another text.
    pub fn markdown_around(&self, text: &str) -> String {
        self.report().markdown_around(text)
    }

    /// The table for the terminal.
    pub(crate) fn table(&self, is_verbose: bool) -> String {
        match &self.outcome {
            CompareOutcome::Skipped { none, .. } => format!("{}\n", none.sentence()),
            CompareOutcome::Compared { .. } => self.report().terminal(TerminalOptions {
                width: width(),
                is_verbose,
            }),
        }
    }

    /// A benchmark's explanation for the terminal.
    pub(crate) fn explained(&self, scenario: &str) -> anyhow::Result<String> {
        match &self.outcome {
            CompareOutcome::Compared { compared, .. } => {
                explained(&compared.comparison, &self.config, scenario)
            }
            CompareOutcome::Skipped { none, .. } => Ok(format!("{}\n", none.sentence())),
        }
    }

    /// Calls a function with the request for a report; `None` without a comparison.
    fn with_request<T>(&self, make: impl FnOnce(ReportRequest<'_>) -> T) -> Option<T> {
        let CompareOutcome::Compared {
            compared,
            provenance,
            failed,
        } = &self.outcome
        else {
            return None;
        };
        let notes = compared.sentences();
        let failed: Vec<&str> = failed.iter().map(|reason| reason.word()).collect();
        Some(make(ReportRequest {
            notes: &notes,
            unlike: &compared.unlike,
            unmet: &compared.unmet,
            failed: &failed,
            reproduction: Some(&provenance.reproduction),
            machine: provenance.machine.as_deref(),
            links: provenance.links.as_ref(),
            ..ReportRequest::new(&compared.comparison, &self.config)
        }))
    }
}

/// The growth of the cost by the shown change (for pairs the median difference), or by the two numbers if they show
/// more.
fn shown_growth(metric: &MetricComparison) -> Option<f64> {
    let by_change = metric.judgement.change.map(|change| {
        if metric.metric.meaning.direction == Direction::Higher {
            1.0 / (1.0 + change) - 1.0
        } else {
            change
        }
    });
    let both = [by_change, metric.growth()];
    both.into_iter().flatten().max_by(f64::total_cmp)
}

/// The links from the workflow's environment; `None` outside a workflow.
fn links_from_env() -> Option<Links> {
    links(|name| std::env::var(name).ok())
}

fn links(variable: impl Fn(&str) -> Option<String>) -> Option<Links> {
    let repository = actions::repository(&variable)?;
    let run = variable("GITHUB_RUN_ID").filter(|run| run.bytes().all(|byte| byte.is_ascii_digit()));
    Some(Links {
        repository,
        run: run.filter(|run| !run.is_empty()),
    })
}

#[cfg(test)]
mod links_tests {
    use super::*;

    fn of(server: &str, name: &str, run: &str) -> Option<(String, Option<String>)> {
        let found = links(|variable| {
            let text = match variable {
                "GITHUB_SERVER_URL" => server,
                "GITHUB_REPOSITORY" => name,
                _ => run,
            };
            (!text.is_empty()).then(|| text.to_owned())
        });
        found.map(|links| (links.repository, links.run))
    }

    #[test]
    fn links_are_those_of_the_workflow() {
        let server = "https://github.example:8443";
        let repository = format!("{server}/octo/quill");
        assert_eq!(
            of(server, "octo/quill", "123"),
            Some((repository.clone(), Some("123".to_owned())))
        );
        assert_eq!(of(server, "octo/quill", "x"), Some((repository, None)));
    }

    #[test]
    fn without_a_plain_address_there_is_no_link() {
        assert_eq!(of("", "octo/quill", "1"), None);
        assert_eq!(of("javascript:x", "octo/quill", "1"), None);
        assert_eq!(of("https://github.com", "octo/qu)ill", "1"), None);
        assert_eq!(of("https://github.com", "octo", "1"), None);
    }
}
