//! The input of a report, and lookups that several parts of the report use.

use std::cmp::Reverse;

use indexmap::IndexMap;
use perf_config::{Config, FailOn};
use perf_verdict::{Comparison, MetricComparison, ScenarioComparison, ScopeComparison, Tally};
use serde::{Deserialize, Serialize};

use super::state::{RowState, loss};
use crate::names::BenchmarkName;
use crate::subject::Subject;

/// The data that a report shows in addition to the comparison.
#[derive(Clone, Debug, Default)]
pub struct ReportDetails {
    /// Further notes for readers, as sentences.
    pub notes: Vec<String>,
    /// How base and head differ in machine or methodology: a fragment that may be empty.
    pub unlike: String,
    /// The benchmarks that the config requires, but that this run did not measure.
    pub unmet: Vec<String>,
    /// Why the run fails, starting with the most serious reason.
    pub failed: Vec<FailureReason>,
    /// The command that reproduces the verdicts, if known.
    pub reproduction: Option<Reproduction>,
    /// The machine on which the current run was measured, if known.
    pub machine: Option<String>,
    /// The URLs of commits and of the run, if known.
    pub links: Option<Links>,
}

/// The reason why the gate fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureReason {
    /// Benchmarks that the config requires were not measured.
    Required,
    /// Base and head have rows, but none could be compared.
    NothingCompared,
    /// The results of one machine type were not compared, although others were.
    NotCompared,
    /// A verdict that `--fail-on` lists occurred.
    Verdict(FailOn),
}

impl FailureReason {
    /// The word for this reason in the result line `failed=`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::NothingCompared => "nothing-compared",
            Self::NotCompared => "not-compared",
            Self::Verdict(verdict) => verdict.word(),
        }
    }
}

/// The command line that reproduces the verdicts.
#[derive(Clone, Debug, Default)]
pub struct Reproduction {
    /// The command line without `--explain`.
    pub command: String,
    /// The end of every command that measures: the build, the config and the benchmark, such as `-- cargo bench`. `None` if
    /// the verdicts come from files; may be empty.
    pub benchmark: Option<String>,
    /// True if the command measures base and head again instead of explaining the verdicts.
    pub measures: bool,
    /// True if the repository has a workflow that handles commands in comments.
    pub answers_comments: bool,
}

/// The URLs of a repository and of the workflow run.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// The repository, such as `https://github.com/octo/quill`.
    pub repository: String,
    /// The workflow run's number, if known.
    pub run: Option<String>,
}

/// The data that all parts of a report use.
pub(super) struct ReportContext<'c> {
    pub(super) comparison: &'c Comparison,
    pub(super) config: &'c Config,
    pub(super) details: &'c ReportDetails,
    pub(super) tally: Tally,
    /// The word for improved benchmarks: `faster` if all improved metrics are times or rates, otherwise `improved`.
    pub(super) improved: &'static str,
}

/// A metric with its benchmark and its scope.
#[derive(Clone, Copy)]
pub(super) struct FoundMetric<'c> {
    pub(super) scope: &'c ScopeComparison,
    pub(super) scenario: &'c ScenarioComparison,
    pub(super) metric: &'c MetricComparison,
}

impl<'c> ReportContext<'c> {
    pub(super) fn new(
        comparison: &'c Comparison,
        config: &'c Config,
        details: &'c ReportDetails,
    ) -> Self {
        let mut improved = comparison
            .metrics()
            .filter(|metric| RowState::of(metric) == RowState::Improved);
        let improved = if improved.all(MetricComparison::is_speed) {
            "faster"
        } else {
            "improved"
        };
        Self {
            comparison,
            config,
            details,
            tally: comparison.tally(),
            improved,
        }
    }

    pub(super) fn scenarios(
        &self,
    ) -> impl Iterator<Item = (&'c ScopeComparison, &'c ScenarioComparison)> + use<'c> {
        let scopes = self.comparison.scopes.iter();
        scopes.flat_map(|scope| {
            scope
                .scenarios
                .iter()
                .map(move |scenario| (scope, scenario))
        })
    }

    pub(super) fn metrics(&self) -> impl Iterator<Item = FoundMetric<'c>> + use<'c> {
        self.scenarios().flat_map(|(scope, scenario)| {
            scenario.metrics.iter().map(move |metric| FoundMetric {
                scope,
                scenario,
                metric,
            })
        })
    }

    pub(super) fn metrics_in(
        &self,
        state: RowState,
    ) -> impl Iterator<Item = FoundMetric<'c>> + use<'c> {
        self.metrics()
            .filter(move |found| RowState::of(found.metric) == state)
    }

    /// True if the run fails because of this verdict.
    pub(super) fn fails(&self, verdict: FailOn) -> bool {
        let reason = FailureReason::Verdict(verdict);
        self.details.failed.contains(&reason)
    }

    pub(super) fn name(&self, scope: &str, scenario: &str) -> BenchmarkName {
        let scope = (self.comparison.scopes.len() > 1).then(|| scope.to_owned());
        BenchmarkName::new(scenario, self.config.label(scenario), scope)
    }

    pub(super) fn name_of(&self, found: &FoundMetric<'_>) -> BenchmarkName {
        self.name(&found.scope.scope, &found.scenario.scenario)
    }

    pub(super) fn subject(&self, compared: &'c MetricComparison) -> Subject<'c> {
        Subject::new(compared, self.config)
    }
}

impl FoundMetric<'_> {
    /// True if the metric is the primary one, which represents the benchmark.
    pub(super) fn is_primary(&self) -> bool {
        let first = self.scenario.metrics.first();
        first.is_some_and(|first| std::ptr::eq(first, self.metric))
    }
}

/// Returns the metrics that failed or are inconclusive, grouped by benchmark. The most severe benchmarks come first, and
/// among these the largest loss.
pub(super) fn explained<'c>(context: &ReportContext<'c>) -> Vec<Vec<FoundMetric<'c>>> {
    let mut benchmarks: IndexMap<[&str; 2], Vec<FoundMetric<'c>>> = IndexMap::new();
    for found in context.metrics() {
        if RowState::of(found.metric).is_explained() {
            let key = [found.scope.scope.as_str(), &*found.scenario.scenario];
            benchmarks.entry(key).or_default().push(found);
        }
    }
    benchmarks.sort_by_cached_key(|key, metrics| {
        let state = metrics.iter().map(|found| RowState::of(found.metric)).min();
        let losses = metrics.iter().filter_map(|found| loss(found.metric));
        // Positive floats have the same order as their bits.
        let largest = losses.fold(0.0, f64::max).to_bits();
        (state, Reverse(largest), *key)
    });
    benchmarks.into_values().collect()
}

/// An entry in a section.
#[derive(Default)]
pub(super) struct Entry {
    pub(super) name: Option<BenchmarkName>,
    /// The metric's label, which is shown after the name.
    pub(super) metric: Option<String>,
    pub(super) text: String,
    /// The URL of the metric's chart, if there is one.
    pub(super) chart: Option<String>,
}

impl From<String> for Entry {
    fn from(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }
}
