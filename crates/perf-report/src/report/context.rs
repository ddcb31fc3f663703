//! The input of a report, and lookups shared by its parts.

use std::cmp::Reverse;

use indexmap::IndexMap;
use perf_config::{Config, FailOn};
use perf_verdict::{Comparison, MetricComparison, ScenarioComparison, ScopeComparison, Tally};
use serde::{Deserialize, Serialize};

use super::state::{RowState, loss};
use crate::names::BenchmarkName;
use crate::subject::Subject;

/// Everything that a report shows in addition to its comparison.
#[derive(Clone, Debug, Default)]
pub struct ReportDetails {
    /// Further notes for readers, as sentences.
    pub notes: Vec<String>,
    /// How the sides differ in machine or methodology, as a fragment; may be empty.
    pub unlike: String,
    /// The benchmarks that the config requires and this run did not measure.
    pub unmet: Vec<String>,
    /// Why the run fails, most serious reason first.
    pub failed: Vec<FailureReason>,
    /// The command that reproduces a verdict.
    pub reproduction: Option<Reproduction>,
    /// The machine of the current run.
    pub machine: Option<String>,
    /// The URLs of commits and of the run, if known.
    pub links: Option<Links>,
}

/// Why the gate fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureReason {
    /// Benchmarks that the config requires were not measured.
    Required,
    /// Both sides have rows, but none could be compared.
    NothingCompared,
    /// The results of one machine type were not compared, but others were.
    NotCompared,
    /// A verdict of `--fail-on` occurred.
    Verdict(FailOn),
}

impl FailureReason {
    /// The word in `failed=`.
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
    /// The end of every command that measures: the build, the config and the benchmark, such as `-- cargo bench`; may be empty.
    pub benchmark: Option<String>,
    /// True if the command measures both sides again instead of explaining.
    pub measures: bool,
    /// True if a workflow in the repository handles commands in comments.
    pub answers_comments: bool,
}

/// The URLs of a repository and of the workflow run.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// The repository, such as `https://github.com/octo/quill`.
    pub repository: String,
    /// The run's number.
    pub run: Option<String>,
}

/// The data that all parts of a report share.
pub(super) struct ReportContext<'c> {
    pub(super) comparison: &'c Comparison,
    pub(super) config: &'c Config,
    pub(super) details: &'c ReportDetails,
    pub(super) tally: Tally,
    /// The word for improved benchmarks: `faster` if all improved metrics are times or rates, otherwise `improved`.
    pub(super) improved: &'static str,
}

/// A metric and its place in the comparison.
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

    /// True if this verdict fails the run.
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

/// The metrics that failed or are inconclusive, grouped by benchmark, the most severe and then the largest loss first.
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
        // Positive floats are ordered like their bits.
        let largest = losses.fold(0.0, f64::max).to_bits();
        (state, Reverse(largest), *key)
    });
    benchmarks.into_values().collect()
}

/// An entry of a section.
#[derive(Default)]
pub(super) struct Entry {
    pub(super) name: Option<BenchmarkName>,
    /// The metric after the name.
    pub(super) metric: Option<String>,
    pub(super) text: String,
    /// The URL of a chart.
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
