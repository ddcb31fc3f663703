//! The differences: what a reviewer reads on a pull request.
//!
//! One sentence, then the table of what *matters*, then everything else folded away: the other rows, why each verdict
//! is what it is, waivers, trends. A line *matters* when a reviewer may have to do something about it.

mod cells;
mod details;
mod headline;
mod legend;
mod lists;
mod matter;
mod tables;

use perf_config::Config;
use perf_model::metric::Direction;
use perf_verdict::{Comparison, MetricComparison, ScenarioComparison, ScopeComparison, Tally, Verdict};
use serde::Serialize;

use crate::number::thousands;
use perf_markdown::escape::inline;

/// How many items of one list are told.
const TOLD: usize = 50;

/// What the template of differences is filled with. Every text is Markdown already.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Deltas {
    /// The one sentence that a reader in a hurry needs.
    pub headline: String,
    /// The same as plain text.
    pub summary: String,
    /// One for each scope.
    pub scopes: Vec<ScopeDeltas>,
    /// Regressed metrics that no waiver excuses, each with its reason.
    pub regressions: Vec<String>,
    /// Each scenario that matters, to be unfolded; the graver ones first.
    pub details: Vec<Unfolded>,
    /// How many further ones there are; empty when there are none.
    pub more_details: String,
    /// What was measured on one side only, or cannot be compared, each with its reason.
    pub uncompared: Vec<String>,
    /// Gated metrics that the gate would let pass whatever they cost.
    pub blind: Vec<String>,
    /// Waivers that are over, and those that excuse nothing.
    pub stale_waivers: Vec<String>,
    /// What waivers excuse, each with the reason.
    pub waived: Vec<String>,
    /// Metrics whose data stray too far for their limits or for any, each with what would do instead.
    pub noisy: Vec<String>,
    /// Where the level of a metric changed on the main branch; the larger changes first.
    pub trend: Vec<String>,
    /// Everything else that a reader should know, such as what was left out.
    pub notes: Vec<String>,
    /// What was compared with what, by which limits, and how to read the cells.
    pub legend: String,
}

/// One scope's differences.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ScopeDeltas {
    /// Its heading; empty when there is only one scope and it is not worth one.
    pub heading: String,
    /// That nearly all of it moved at once; empty when it did not.
    pub shift: String,
    /// The table of what matters; empty when nothing does.
    pub table: String,
    /// The table of all other lines; empty when there are none.
    pub rest: String,
    /// What they came to, such as `11 unchanged`.
    pub rest_summary: String,
    /// Labels of scenarios that only the baseline has.
    pub missing: Vec<String>,
    /// Labels of scenarios that only the current rows have.
    pub new: Vec<String>,
}

/// One scenario's verdicts, to be unfolded.
#[derive(Clone, Debug, Serialize)]
pub struct Unfolded {
    /// What can be unfolded, as HTML.
    pub summary: String,
    /// Sentences about its metrics: why, and by which rule and numbers.
    pub lines: Vec<String>,
    /// The command that explains it on the reader's own machine; empty when it is not known. For a code block.
    pub command: String,
}

/// The differences of a comparison. `reproduce` is the command line that compared, up to and without `--explain`.
pub fn deltas(comparison: &Comparison, config: &Config, notes: &[String], reproduce: Option<&str>) -> Deltas {
    let told = Told::new(comparison, config);
    let (details, more_details) = details::details(&told, reproduce);
    Deltas {
        headline: headline::markdown(&told),
        summary: headline::plain(&told),
        scopes: comparison.scopes.iter().map(|scope| tables::scope(&told, scope)).collect(),
        regressions: lists::regressions(&told),
        details,
        more_details,
        uncompared: lists::uncompared(&told),
        blind: lists::blind(&told),
        stale_waivers: lists::stale_waivers(&told),
        waived: lists::waived(&told),
        noisy: lists::noisy(&told),
        trend: lists::trend(&told),
        notes: notes.iter().map(|note| inline(note)).collect(),
        legend: legend::legend(&told),
    }
}

/// The headline as plain text.
pub fn summary(comparison: &Comparison, config: &Config) -> String {
    headline::plain(&Told::new(comparison, config))
}

/// The report of a run that has nothing to be compared with.
pub fn without_baseline(why: &str) -> Deltas {
    Deltas { headline: inline(why), summary: why.to_owned(), ..Deltas::default() }
}

/// What is told, and what it is told by.
struct Told<'c> {
    comparison: &'c Comparison,
    config: &'c Config,
    /// Whether a scenario's name alone does not say which one is meant.
    several: bool,
    /// How many scenarios came to what.
    tally: Tally,
    /// The metrics of which there is more to say than a line of a table: of most, by far, there is not.
    telling: Vec<Found<'c>>,
    /// Whether it is not known of some metric which way is better.
    has_unknown: bool,
}

/// A metric, and where it is.
#[derive(Clone, Copy)]
struct Found<'c> {
    scope: &'c ScopeComparison,
    scenario: &'c ScenarioComparison,
    metric: &'c MetricComparison,
}

impl<'c> Told<'c> {
    fn new(comparison: &'c Comparison, config: &'c Config) -> Self {
        let mut told = Self {
            comparison,
            config,
            several: comparison.scopes.len() > 1,
            tally: comparison.tally(),
            telling: Vec::new(),
            has_unknown: false,
        };
        for (scope, scenario) in told.scenarios() {
            for metric in &scenario.metrics {
                told.has_unknown |= metric.metric.meaning.direction == Direction::Unknown;
                if is_telling(metric) {
                    told.telling.push(Found { scope, scenario, metric });
                }
            }
        }
        told
    }

    fn scenarios(&self) -> impl Iterator<Item = (&'c ScopeComparison, &'c ScenarioComparison)> + use<'c> {
        let scopes = self.comparison.scopes.iter();
        scopes.flat_map(|scope| scope.scenarios.iter().map(move |scenario| (scope, scenario)))
    }

    /// What came to this verdict, which is none of those that most come to, and no waiver excuses.
    fn judged(&self, verdict: Verdict) -> impl Iterator<Item = Found<'c>> {
        let is_meant = move |found: &Found<'_>| {
            found.metric.judgement.verdict == verdict && found.metric.judgement.waived.is_none()
        };
        self.telling.iter().copied().filter(is_meant)
    }

    /// The scenario's name for people, and where it is when that is not clear; plain text.
    fn place(&self, scope: &str, scenario: &str) -> String {
        let label = self.config.label(scenario);
        if self.several { format!("{label} ({scope})") } else { label.to_owned() }
    }
}

/// Whether it was judged by more than one number a side, or came to what people must see.
fn is_telling(compared: &MetricComparison) -> bool {
    let judgement = &compared.judgement;
    let is_well = matches!(judgement.verdict, Verdict::Unchanged | Verdict::Moved | Verdict::Improved);
    !is_well || judgement.waived.is_some() || compared.extra.is_some()
}

impl Found<'_> {
    /// What it is called, so that an order can be made of it.
    fn name(&self) -> [&str; 3] {
        [&self.scope.scope, &self.scenario.scenario, &self.metric.metric.name]
    }
}

/// What the first of many say, and how many more there are: nobody reads more in a comment.
fn bounded<T>(all: impl Iterator<Item = T>, say: impl FnMut(T) -> String) -> Vec<String> {
    let (mut told, more) = first_of(all, TOLD, say);
    told.extend(and_more(more));
    told
}

/// What the first say, and how many others there are.
fn first_of<T, R>(mut all: impl Iterator<Item = T>, most: usize, say: impl FnMut(T) -> R) -> (Vec<R>, usize) {
    let told = all.by_ref().take(most).map(say).collect();
    (told, all.count())
}

fn and_more(more: usize) -> Option<String> {
    (more > 0).then(|| format!("and {} more, as the JSON report lists", thousands(&more.to_string())))
}
