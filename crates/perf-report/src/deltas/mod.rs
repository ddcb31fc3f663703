//! The differences: what a reviewer reads on a pull request.
//!
//! One sentence, then the table of what *matters*, then everything else folded away: the other rows, the reason of each
//! verdict, waivers, trends. A line *matters* if a reviewer may have to do something about it.

mod cells;
mod columns;
mod count;
mod details;
mod fit;
mod headline;
mod legend;
mod lists;
mod markdown;
mod matter;
mod tables;

use perf_config::Config;
use perf_markdown::escape::inline;
use perf_model::metric::Direction;
use perf_verdict::{Comparison, Tally, Verdict};
use perf_verdict::{MetricComparison, ScenarioComparison, ScopeComparison};
use serde::{Serialize, Serializer};

use self::count::{First, List, Rows};

/// The length of each list.
const MOST_ENTRIES: usize = 50;

/// The report as a model: what it says, in order of importance, and how much of that is shown. A template of a project's
/// own is filled with it; every text is Markdown already.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Deltas {
    /// The outcome in one sentence.
    pub headline: String,
    /// The same as plain text.
    pub summary: String,
    #[serde(serialize_with = "shown_scopes")]
    scopes: Vec<ScopeDeltas>,
    /// Regressed metrics without a waiver, each with its reason.
    regressions: List,
    /// The benchmarks that matter, the gravest first, as `details` and `more_details`.
    #[serde(flatten)]
    details: First<Unfolded>,
    /// Metrics that cannot be compared or are no longer measured, each with its reason.
    uncompared: List,
    /// Gated metrics whose injected regression was not detected.
    blind: List,
    /// Expired and unused waivers.
    stale_waivers: List,
    /// What waivers excuse, each with the reason.
    waived: List,
    /// Metrics that are too noisy for their limits or for any, each with what would help.
    noisy: List,
    /// Where the level of a metric changed on the main branch, the largest changes first.
    trend: List,
    /// Everything else that a reader should know.
    notes: List,
    /// What was compared with what, by which limits, and how to read the cells.
    legend: String,
    /// What the length limit leaves out.
    left_out: String,
}

/// One scope's differences.
#[derive(Clone, Debug, Default, Serialize)]
struct ScopeDeltas {
    /// Empty if there is only one scope.
    heading: String,
    /// The environment shift, if there was one.
    shift: String,
    /// What matters.
    table: Rows,
    /// All other lines.
    rest: Rows,
    /// The verdicts of all other lines, such as `11 unchanged`.
    rest_summary: String,
    /// Labels of benchmarks that are in the baseline, but not in this run.
    missing: List,
    /// Labels of benchmarks without a baseline.
    new: List,
}

/// The verdicts of one benchmark, to be unfolded.
#[derive(Clone, Debug, Default, Serialize)]
struct Unfolded {
    /// HTML.
    summary: String,
    /// The reason of each verdict, with its rule and numbers.
    lines: Vec<String>,
    /// The command that explains it on the reader's own machine, for a code block; empty if it is not known.
    command: String,
}

/// The differences of a comparison. `reproduce` is the command line of the comparison, up to and without `--explain`.
pub fn deltas(comparison: &Comparison, config: &Config, notes: &[String], reproduce: Option<&str>) -> Deltas {
    let context = Context::new(comparison, config);
    Deltas {
        headline: headline::markdown(&context),
        summary: headline::plain(&context),
        scopes: comparison.scopes.iter().map(|scope| tables::scope(&context, scope)).collect(),
        regressions: lists::regressions(&context),
        details: details::details(&context, reproduce),
        uncompared: lists::uncompared(&context),
        blind: lists::blind(&context),
        stale_waivers: lists::stale_waivers(&context),
        waived: lists::waived(&context),
        noisy: lists::noisy(&context),
        trend: lists::trend(&context),
        notes: List::of(usize::MAX, notes.iter(), |note| inline(note)),
        legend: legend::legend(&context),
        left_out: String::new(),
    }
}

/// The headline as plain text.
pub fn summary(comparison: &Comparison, config: &Config) -> String {
    headline::plain(&Context::new(comparison, config))
}

/// The report of a run without a baseline.
pub fn without_baseline(why: &str) -> Deltas {
    Deltas { headline: inline(why), summary: why.to_owned(), ..Deltas::default() }
}

impl ScopeDeltas {
    /// Whether any of its entries is shown, or there was none to leave out.
    fn is_shown(&self) -> bool {
        let counts = [self.table.count, self.rest.count, self.missing.count, self.new.count];
        counts.iter().any(|count| count.is_shown()) || counts.iter().all(|count| count.hidden() == 0)
    }
}

fn shown_scopes<S: Serializer>(scopes: &[ScopeDeltas], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(scopes.iter().filter(|scope| scope.is_shown()))
}

/// What the report is made from.
struct Context<'c> {
    comparison: &'c Comparison,
    config: &'c Config,
    /// Whether there are several scopes, so that a benchmark's name needs its scope.
    several: bool,
    tally: Tally,
    /// The metrics with more to say than a line of a table. Most have not.
    notable: Vec<Found<'c>>,
    /// Whether the better direction of some metric is unknown.
    has_unknown: bool,
}

/// A metric, and where it is.
#[derive(Clone, Copy)]
struct Found<'c> {
    scope: &'c ScopeComparison,
    scenario: &'c ScenarioComparison,
    metric: &'c MetricComparison,
}

impl<'c> Context<'c> {
    fn new(comparison: &'c Comparison, config: &'c Config) -> Self {
        let mut context = Self {
            comparison,
            config,
            several: comparison.scopes.len() > 1,
            tally: comparison.tally(),
            notable: Vec::new(),
            has_unknown: false,
        };
        for (scope, scenario) in context.scenarios() {
            for metric in &scenario.metrics {
                context.has_unknown |= metric.metric.meaning.direction == Direction::Unknown;
                if is_notable(metric) {
                    context.notable.push(Found { scope, scenario, metric });
                }
            }
        }
        context
    }

    fn scenarios(&self) -> impl Iterator<Item = (&'c ScopeComparison, &'c ScenarioComparison)> + use<'c> {
        let scopes = self.comparison.scopes.iter();
        scopes.flat_map(|scope| scope.scenarios.iter().map(move |scenario| (scope, scenario)))
    }

    /// The metrics with this verdict and without a waiver. The verdict is not one of a metric that is well.
    fn judged(&self, verdict: Verdict) -> impl Iterator<Item = Found<'c>> {
        let is_meant = move |found: &Found<'_>| {
            found.metric.judgement.verdict == verdict && found.metric.judgement.waived.is_none()
        };
        self.notable.iter().copied().filter(is_meant)
    }

    /// The benchmark's label, with its scope if there are several; plain text.
    fn place(&self, scope: &str, scenario: &str) -> String {
        let label = self.config.label(scenario);
        if self.several { format!("{label} ({scope})") } else { label.to_owned() }
    }
}

/// Whether it is not well, or was judged by more than one number a side.
fn is_notable(compared: &MetricComparison) -> bool {
    let judgement = &compared.judgement;
    let is_well = matches!(judgement.verdict, Verdict::Unchanged | Verdict::Moved | Verdict::Improved);
    !is_well || judgement.waived.is_some() || compared.extra.is_some()
}

impl Found<'_> {
    /// A name to sort by.
    fn name(&self) -> [&str; 3] {
        [&self.scope.scope, &self.scenario.scenario, &self.metric.metric.name]
    }
}
