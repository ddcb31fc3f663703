//! The input of a report, and lookups that its parts share.

use crate::markdown::escape::{code, html, inline};
use perf_config::{Config, FailOn};
use perf_model::metric::Unit;
use perf_verdict::{Comparison, Tally, Verdict};
use perf_verdict::{MetricComparison, ScenarioComparison, ScopeComparison};

use super::cells::state::RowState;
use crate::prefix::SharedEnds;
use crate::sentences::subject;
use crate::words::Subject;

/// A comparison, and what a report says beside it.
#[derive(Clone, Copy)]
pub struct ReportRequest<'r> {
    /// The comparison.
    pub comparison: &'r Comparison,
    /// The config that it was made with.
    pub config: &'r Config,
    /// Further notes for readers, as sentences.
    pub notes: &'r [String],
    /// The difference of the two sides in machine or methodology, as a fragment; empty if there is none.
    pub unlike: &'r str,
    /// The benchmarks that the config requires of every run and this one has not measured.
    pub unmet: &'r [String],
    /// The reasons why the run fails, as `failed=` lists them.
    pub failed: &'r [&'static str],
    /// The command that reproduces a verdict.
    pub reproduction: Option<&'r Reproduction>,
    /// The machine of the current run.
    pub machine: Option<&'r str>,
    /// The addresses of commits and of the run, where they are known.
    pub links: Option<&'r Links>,
}

/// The command line that comes to the same verdict.
#[derive(Clone, Debug, Default)]
pub struct Reproduction {
    /// The command line up to and without `--explain`.
    pub command: String,
    /// What follows in every command that measures: the build, the config and the benchmark, such as `-- cargo bench`; may be empty.
    pub benchmark: Option<String>,
    /// True if it measures both sides again, and so explains nothing.
    pub measures: bool,
    /// True if a workflow of the repository answers commands in comments.
    pub answers_comments: bool,
}

/// The addresses of a repository and of the workflow run.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// The repository, such as `https://github.com/octo/quill`.
    pub repository: String,
    /// The number of the run.
    pub run: Option<String>,
}

impl<'r> ReportRequest<'r> {
    /// Nothing but a comparison.
    pub fn new(comparison: &'r Comparison, config: &'r Config) -> Self {
        Self {
            comparison,
            config,
            notes: &[],
            unlike: "",
            unmet: &[],
            failed: &[],
            reproduction: None,
            machine: None,
            links: None,
        }
    }
}

/// The data that all parts of a report share.
pub(super) struct ReportContext<'c> {
    pub(super) request: &'c ReportRequest<'c>,
    pub(super) comparison: &'c Comparison,
    pub(super) config: &'c Config,
    pub(super) tally: Tally,
    /// The metrics with more to say than a row of a table. Most have not.
    pub(super) notable: Vec<FoundMetric<'c>>,
    /// The word for improved benchmarks: `faster` if all improved metrics are times or rates, else `improved`.
    pub(super) improved: &'static str,
}

/// A metric, and where it is.
#[derive(Clone, Copy)]
pub(super) struct FoundMetric<'c> {
    pub(super) scope: &'c ScopeComparison,
    pub(super) scenario: &'c ScenarioComparison,
    pub(super) metric: &'c MetricComparison,
}

impl<'c> ReportContext<'c> {
    pub(super) fn new(request: &'c ReportRequest<'c>) -> Self {
        let (comparison, config) = (request.comparison, request.config);
        let mut context = Self {
            request,
            comparison,
            config,
            tally: comparison.tally(),
            notable: Vec::new(),
            improved: "",
        };
        context.notable = context
            .metrics()
            .filter(|found| is_notable(found.metric))
            .collect();
        let mut improved = context
            .metrics()
            .filter(|found| RowState::of(found.metric) == RowState::Improved);
        context.improved = if improved.all(|found| is_speed(found.metric)) {
            "faster"
        } else {
            "improved"
        };
        context
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

    /// True if this verdict fails the run.
    pub(super) fn fails(&self, verdict: FailOn) -> bool {
        self.request.failed.contains(&verdict.word())
    }

    pub(super) fn place(&self, scope: &str, scenario: &str) -> BenchmarkName {
        let scope = (self.comparison.scopes.len() > 1).then(|| scope.to_owned());
        BenchmarkName::of(self.config, scope, scenario)
    }

    pub(super) fn place_of(&self, found: &FoundMetric<'_>) -> BenchmarkName {
        self.place(&found.scope.scope, &found.scenario.scenario)
    }

    pub(super) fn subject(&self, compared: &'c MetricComparison) -> Subject<'c> {
        subject(compared, self.config)
    }
}

/// True for a metric that lists may name: not within its limits, waived, or judged by more than one number a side.
fn is_notable(compared: &MetricComparison) -> bool {
    let judgement = &compared.judgement;
    let is_well = matches!(
        judgement.verdict,
        Verdict::Unchanged | Verdict::Moved | Verdict::Improved
    );
    !is_well || judgement.waived.is_some() || compared.extra.is_some()
}

fn is_speed(compared: &MetricComparison) -> bool {
    let meaning = &compared.metric.meaning;
    let is_rate = matches!(
        meaning.unit,
        Unit::PerSecond | Unit::BytesPerSecond | Unit::None
    );
    !meaning.exact && (is_rate || meaning.unit.seconds().is_some())
}

impl FoundMetric<'_> {
    /// A name to sort by.
    pub(super) fn name(&self) -> [&str; 3] {
        [
            &self.scope.scope,
            &self.scenario.scenario,
            &self.metric.metric.name,
        ]
    }

    /// True if the metric is the primary one, which stands for the benchmark.
    pub(super) fn is_primary(&self) -> bool {
        self.scenario
            .metrics
            .first()
            .is_some_and(|first| std::ptr::eq(first, self.metric))
    }
}

/// Text that may break between these parts, as Markdown.
pub(super) fn breakable(label: &str) -> String {
    parts(label)
        .iter()
        .map(|part| inline(part))
        .collect::<Vec<_>>()
        .join("<wbr>")
}

/// The parts of a long identifier between which it may break: after separators and before humps, long enough for a narrow screen.
pub fn parts(label: &str) -> Vec<String> {
    const SHORTEST: usize = 12;
    let is_separator = |c: char| "_/:.-,=+([;&".contains(c);
    let mut parts: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for c in label.chars() {
        let is_long = parts
            .last()
            .is_some_and(|part| part.chars().count() >= SHORTEST);
        let is_hump = before.is_lowercase() && c.is_uppercase();
        if is_long && (is_hump || is_separator(before) && !is_separator(c)) {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
        before = c;
    }
    parts
}

/// The name of a benchmark, with its scope if there are several.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct BenchmarkName {
    label: String,
    /// True if the label is the benchmark's key, which is an identifier rather than words.
    is_key: bool,
    scope: Option<String>,
}

impl BenchmarkName {
    pub(super) fn of(config: &Config, scope: Option<String>, scenario: &str) -> Self {
        let label = config.label(scenario);
        let is_key = label == scenario
            && !label.contains(|c: char| c.is_whitespace() || c == '|' || c == '`');
        Self {
            label: label.to_owned(),
            is_key,
            scope,
        }
    }

    pub(super) fn plain(&self) -> String {
        self.written(str::to_owned, str::to_owned)
    }

    /// The identifier, where it is one.
    pub(super) fn key(&self) -> Option<&str> {
        self.is_key.then_some(&*self.label)
    }

    /// The name below a title that has its beginning and its end.
    pub(super) fn within(&self, shared: SharedEnds<'_>) -> Self {
        let inner = self
            .label
            .strip_prefix(shared.begin)
            .and_then(|rest| rest.strip_suffix(shared.end));
        let mark = |end: &str| if end.is_empty() { "" } else { "…" };
        let label = inner.map(|inner| format!("{}{inner}{}", mark(shared.begin), mark(shared.end)));
        Self {
            label: label.unwrap_or_else(|| self.label.clone()),
            ..self.clone()
        }
    }

    /// An identifier is a code span, in which GitHub finds no emoji, mention or link.
    pub(super) fn markdown(&self) -> String {
        self.cell(SharedEnds::default(), false)
    }

    /// The name in bold, the scope not.
    pub(super) fn strong(&self) -> String {
        self.cell(SharedEnds::default(), true)
    }

    /// The name in a table below a title with these ends, in bold or not. Where one is long, identifiers are text that breaks at
    /// its separators, since a code span would widen the table.
    pub(super) fn cell(&self, shared: SharedEnds<'_>, is_strong: bool) -> String {
        let name = match (self.is_key, shared.is_long) {
            (true, true) => breakable,
            (true, false) => code,
            (false, _) => inline,
        };
        let strong = |label: &str| {
            if is_strong {
                format!("**{}**", name(label))
            } else {
                name(label)
            }
        };
        self.within(shared).written(strong, inline)
    }

    /// For a `<summary>`.
    pub(super) fn html(&self) -> String {
        let coded = |label: &str| format!("<code>{}</code>", html(label));
        if self.is_key {
            self.written(coded, html)
        } else {
            self.written(html, html)
        }
    }

    fn written(&self, label: impl Fn(&str) -> String, scope: impl Fn(&str) -> String) -> String {
        let name = label(&self.label);
        match &self.scope {
            Some(within) => format!("{name} ({})", scope(within)),
            None => name,
        }
    }
}
