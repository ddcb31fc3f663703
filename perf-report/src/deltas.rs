//! The table of differences: what a reviewer reads on a pull request.

use std::thread;

use perf_rows::catalogue::{Catalogue, Metric, Plus};
use perf_rows::metric::Direction;
use perf_rows::row::{Name, Value};
use perf_verdict::compare::{MetricComparison, ScenarioComparison, ScopeComparison};
use perf_verdict::{Because, Comparison, Tally, Verdict};
use serde::Serialize;

use crate::cell::{Formats, UNMEASURED};
use crate::markdown::{code, inline, line_start};
use crate::number::{fixed, thousands};
use crate::table::Table;
use crate::words;

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
    /// Regressed metrics, each with its reason.
    pub regressions: Vec<String>,
    /// What was measured on one side only, or cannot be compared, each with its reason.
    pub uncompared: Vec<String>,
    /// Everything else that a reader should know, such as what was left out.
    pub notes: Vec<String>,
    /// What was compared with what, by which limits, and how to read the cells.
    pub legend: String,
}

/// One scope's differences.
#[derive(Clone, Debug, Serialize)]
pub struct ScopeDeltas {
    /// Its heading; empty when there is only one scope and it is not worth one.
    pub heading: String,
    /// The table; empty when no scenario is on both sides.
    pub table: String,
    /// Labels of scenarios that only the baseline has.
    pub missing: Vec<String>,
    /// Labels of scenarios that only the current rows have.
    pub new: Vec<String>,
}

/// The differences of a comparison; `reproduce` is the command line that made it, up to and without `--explain`.
pub fn deltas(
    comparison: &Comparison,
    catalogue: &Catalogue,
    notes: &[String],
    reproduce: Option<&str>,
) -> Deltas {
    let _ = reproduce;
    let writer = Writer { catalogue, several: comparison.scopes.len() > 1 };
    Deltas {
        headline: headline(comparison, catalogue, &MARKDOWN),
        summary: summary(comparison, catalogue),
        scopes: comparison.scopes.iter().map(|scope| writer.scope(scope)).collect(),
        regressions: writer.reasons(comparison, |verdict| verdict == Verdict::Regressed),
        uncompared: writer
            .reasons(comparison, |verdict| matches!(verdict, Verdict::NotComparable | Verdict::Unmeasured)),
        notes: notes.iter().map(|note| inline(note)).collect(),
        legend: legend(comparison, catalogue),
    }
}

/// The headline as plain text.
pub fn summary(comparison: &Comparison, catalogue: &Catalogue) -> String {
    headline(comparison, catalogue, &PLAIN)
}

/// The report of a run that has nothing to be compared with.
pub fn without_baseline(why: &str) -> Deltas {
    Deltas { headline: inline(why), summary: why.to_owned(), ..Deltas::default() }
}

/// One line that lets a reader understand the numbers without knowing the tool.
fn legend(comparison: &Comparison, catalogue: &Catalogue) -> String {
    let commits = |what: &str, commits: &[String]| match commits {
        [] => String::new(),
        [only] => format!("{what}: {}. ", code(only)),
        [first, rest @ ..] => format!("{what}: {} and {} more. ", code(first), rest.len()),
    };
    let (current, baseline) = (&comparison.current_commits, &comparison.baseline_commits);
    let plus = match catalogue.deltas.plus {
        Plus::Better => "better",
        Plus::Larger => "more",
    };
    let also = catalogue.deltas.also.iter().flatten().map(|name| inline(&catalogue.metric(name).label));
    let also: Vec<String> = also.collect();
    let cells =
        if also.is_empty() { String::new() } else { format!(" Behind a comma: {}.", also.join(", ")) };
    let tolerance = words::percent(comparison.policy.tolerance, 2);
    let (current, baseline) = (commits("Measured", current), commits("Baseline", baseline));
    let unknown =
        metrics(comparison).any(|(_, _, metric)| metric.metric.meaning.direction == Direction::Unknown);
    let unknown = if unknown && catalogue.deltas.plus == Plus::Better {
        " ▲ and ▼: which way is better is not known."
    } else {
        ""
    };
    format!("{current}{baseline}+ is {plus}; up to {tolerance} is unchanged.{cells}{unknown}")
}

/// How a sentence is written: what input says, and what matters most.
struct Voice {
    text: fn(&str) -> String,
    strong: fn(&str) -> String,
}

const MARKDOWN: Voice = Voice { text: inline, strong: |text| format!("**{text}**") };
const PLAIN: Voice = Voice { text: str::to_owned, strong: str::to_owned };

/// What happened, in one sentence.
fn headline(comparison: &Comparison, catalogue: &Catalogue, voice: &Voice) -> String {
    let tally = comparison.tally();
    if tally.compared == 0 {
        return nothing_compared(tally, voice);
    }
    let several = comparison.scopes.len() > 1;
    let label = |scope: &ScopeComparison, scenario: &ScenarioComparison| {
        let place = if several { format!(" ({})", scope.scope) } else { String::new() };
        (voice.text)(&format!("{}{place}", catalogue.label(&scenario.scenario)))
    };
    let first = match (tally.regressed, worst(comparison)) {
        (0, _) | (_, None) => format!("No regression in {} compared", scenarios(tally.compared)),
        (1, Some((scope, scenario, why))) => {
            format!(
                "{}: {}",
                (voice.strong)(&format!("{} regressed", label(scope, scenario))),
                (voice.text)(&why)
            )
        }
        (count, Some((scope, scenario, why))) => {
            let strong = (voice.strong)(&format!("{count} of {} regressed", scenarios(tally.compared)));
            format!("{strong}, most of all {}: {}", label(scope, scenario), (voice.text)(&why))
        }
    };
    let others = [
        (tally.improved, "improved"),
        (tally.uncompared, "without a metric to compare"),
        (tally.unmeasured, "gated metrics not measured any more"),
        (tally.missing, "missing"),
        (tally.new, "new"),
    ];
    let others: Vec<String> = others
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if others.is_empty() { format!("{first}.") } else { format!("{first}; {}.", others.join(", ")) }
}

fn nothing_compared(tally: Tally, voice: &Voice) -> String {
    let sides = format!("{} only in the baseline, {} only in this run", scenarios(tally.missing), tally.new);
    let neither = match tally.uncompared {
        0 => String::new(),
        both => format!(", {both} on both sides without a metric to compare"),
    };
    format!("{}, so nothing is known: {sides}{neither}.", (voice.strong)("Nothing was compared"))
}

fn scenarios(count: usize) -> String {
    format!("{count} scenario{}", if count == 1 { "" } else { "s" })
}

/// The regressed metric that lost most, as far as throughput tells; else the first.
fn worst(comparison: &Comparison) -> Option<(&ScopeComparison, &ScenarioComparison, String)> {
    let regressed =
        metrics(comparison).filter(|(_, _, metric)| metric.judgement.verdict == Verdict::Regressed);
    let loss = |metric: &MetricComparison| match metric.judgement.because {
        Because::Drop { drop, .. } => drop,
        _ => 0.0,
    };
    let (scope, scenario, metric) =
        regressed.reduce(|worst, next| if loss(next.2) > loss(worst.2) { next } else { worst })?;
    Some((scope, scenario, format!("{} {}", metric.metric.label, words::reason(metric))))
}

/// A metric, and where it is.
type Found<'c> = (&'c ScopeComparison, &'c ScenarioComparison, &'c MetricComparison);

fn metrics(comparison: &Comparison) -> impl Iterator<Item = Found<'_>> {
    let all = comparison.scopes.iter().flat_map(|scope| scope.scenarios.iter().map(move |one| (scope, one)));
    all.flat_map(|(scope, one)| one.metrics.iter().map(move |metric| (scope, one, metric)))
}

fn baseline_cell(compared: &MetricComparison, formats: &Formats) -> String {
    formats.cell(&compared.metric, compared.baseline)
}

/// What was measured now, or what became of the measurement.
fn current_cell(compared: &MetricComparison, formats: &Formats) -> String {
    formats.cell_or(&compared.metric, compared.current, compared.outcome)
}

struct Writer<'c> {
    catalogue: &'c Catalogue,
    several: bool,
}

impl Writer<'_> {
    fn scope(&self, scope: &ScopeComparison) -> ScopeDeltas {
        let labels = |keys: &[Name]| bounded(keys.iter(), |key| inline(self.catalogue.label(key)));
        let heading = if self.several { inline(&scope.scope) } else { String::new() };
        let table = if scope.scenarios.is_empty() { String::new() } else { self.table(scope).to_markdown() };
        ScopeDeltas { heading, table, missing: labels(&scope.missing), new: labels(&scope.new) }
    }

    fn table(&self, scope: &ScopeComparison) -> Table {
        let metrics = scope.scenarios.iter().flat_map(|scenario| &scenario.metrics);
        let values = metrics.flat_map(|compared| {
            let metric: &Metric = &compared.metric;
            [(metric, compared.baseline), (metric, compared.current)]
        });
        let formats = Formats::new(values);
        let together = self.catalogue.deltas.also.is_some();
        let columns: &[&str] = if together {
            &["Scenario", "Baseline", "Current", "Delta", "Verdict"]
        } else {
            &["Scenario", "Metric", "Baseline", "Current", "Delta", "Verdict"]
        };
        let lines = |scenarios: &[ScenarioComparison]| -> Vec<Vec<String>> {
            let lines = scenarios.iter().flat_map(|scenario| {
                if together {
                    vec![self.scenario_line(scenario, &formats)]
                } else {
                    self.metric_lines(scenario, &formats)
                }
            });
            lines.collect()
        };
        let rows = in_halves(&scope.scenarios, lines);
        let header = columns.iter().map(|&column| column.to_owned()).collect();
        Table { header, align: Vec::new(), rows }
    }

    /// One line: the primary metric, then those that both sides measured.
    fn scenario_line(&self, scenario: &ScenarioComparison, formats: &Formats) -> Vec<String> {
        let also = self.catalogue.deltas.also.as_deref().unwrap_or_default();
        let mut shown: Vec<&MetricComparison> = scenario.metrics.iter().take(1).collect();
        let secondary = |compared: &&MetricComparison| {
            let shown =
                also.contains(&compared.metric.name) || compared.judgement.verdict == Verdict::Regressed;
            shown && compared.baseline.is_some() && compared.current.is_some()
        };
        shown.extend(scenario.metrics.iter().skip(1).filter(secondary));
        let side = |cell: fn(&MetricComparison, &Formats) -> String| {
            shown.iter().map(|compared| cell(compared, formats)).collect::<Vec<_>>().join(", ")
        };
        let (baseline, current) = (side(baseline_cell), side(current_cell));
        let mut delta: Vec<String> =
            shown.iter().take(1).map(|compared| self.delta(compared, formats)).collect();
        delta.extend(shown.iter().skip(1).filter_map(|compared| self.difference(compared, formats)));
        let label = inline(self.catalogue.label(&scenario.scenario));
        vec![label, baseline, current, delta.join(", "), verdict(scenario.verdict())]
    }

    /// One line for each metric.
    fn metric_lines(&self, scenario: &ScenarioComparison, formats: &Formats) -> Vec<Vec<String>> {
        let label = inline(self.catalogue.label(&scenario.scenario));
        let lines = scenario.metrics.iter().map(|compared| {
            vec![
                label.clone(),
                inline(&compared.metric.label),
                baseline_cell(compared, formats),
                current_cell(compared, formats),
                self.delta(compared, formats),
                verdict(compared.judgement.verdict),
            ]
        });
        lines.collect()
    }

    /// The percentage; where there is none, the difference of counts.
    fn delta(&self, compared: &MetricComparison, formats: &Formats) -> String {
        let counted = compared.metric.meaning.exact && compared.judgement.change.is_none();
        let difference = if counted { self.difference(compared, formats) } else { None };
        difference.unwrap_or_else(|| self.percent(compared))
    }

    /// `+2.04%`: in the direction that the catalogue calls plus.
    fn percent(&self, compared: &MetricComparison) -> String {
        let (Some(_), Some(change)) = (compared.current, compared.judgement.change) else {
            return if compared.baseline.is_some() && compared.baseline == compared.current {
                "0.00%".to_owned()
            } else {
                UNMEASURED.to_owned()
            };
        };
        let flip = self.catalogue.deltas.plus == Plus::Better
            && compared.metric.meaning.direction == Direction::Lower;
        let text = fixed(if flip { -change } else { change } * 100.0, 2);
        let zero = !text.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
        let falls = text.starts_with('-');
        match compared.metric.meaning.direction {
            _ if zero => format!("{text}%"),
            // Plus would say that it is better.
            Direction::Unknown if self.catalogue.deltas.plus == Plus::Better => {
                format!("{} {}%", if falls { "▼" } else { "▲" }, text.trim_start_matches('-'))
            }
            _ => format!("{}{text}%", if falls { "" } else { "+" }),
        }
    }

    /// The difference of a metric that stands beside the primary one, when there is one.
    fn difference(&self, compared: &MetricComparison, formats: &Formats) -> Option<String> {
        let (baseline, current) = (compared.baseline?, compared.current?);
        if baseline == current {
            return None;
        }
        if !compared.metric.meaning.exact {
            return Some(format!("{} {}", self.percent(compared), inline(&compared.metric.label)));
        }
        Some(exact_difference(&compared.metric, baseline, current, formats))
    }

    fn reasons(&self, comparison: &Comparison, wanted: fn(Verdict) -> bool) -> Vec<String> {
        let found = metrics(comparison).filter(|(_, _, metric)| wanted(metric.judgement.verdict));
        bounded(found, |(scope, one, metric)| self.reason(scope, one, metric))
    }

    fn reason(
        &self,
        scope: &ScopeComparison,
        scenario: &ScenarioComparison,
        compared: &MetricComparison,
    ) -> String {
        let label = self.catalogue.label(&scenario.scenario);
        let place = if self.several { format!(" ({})", scope.scope) } else { String::new() };
        line_start(&format!("{label}{place}, {}: {}", compared.metric.label, words::reason(compared)))
    }
}

/// What `work` makes of the items, in order; of many, on two cores.
fn in_halves<T: Sync, R: Send>(items: &[T], work: impl Fn(&[T]) -> Vec<R> + Sync) -> Vec<R> {
    const MANY: usize = 10_000;
    if items.len() < MANY {
        return work(items);
    }
    let (first, second) = items.split_at(items.len() / 2);
    thread::scope(|scope| {
        let second = scope.spawn(|| work(second));
        let mut all = work(first);
        all.extend(second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        all
    })
}

/// What the first of many say, and how many more there are: nobody reads more in a comment.
fn bounded<T>(mut all: impl Iterator<Item = T>, say: impl FnMut(T) -> String) -> Vec<String> {
    let mut told: Vec<String> = all.by_ref().take(TOLD).map(say).collect();
    let more = all.count();
    told.extend(
        (more > 0).then(|| format!("and {} more, as the JSON report lists", thousands(&more.to_string()))),
    );
    told
}

/// `12 more bytes` for a metric with a noun, `+12 B` for one without.
fn exact_difference(metric: &Metric, baseline: Value, current: Value, formats: &Formats) -> String {
    let difference = match (baseline, current) {
        (Value::Int(baseline), Value::Int(current)) => current.checked_sub(baseline).map(Value::Int),
        _ => None,
    };
    let difference =
        difference.or_else(|| Value::new(current.as_f64() - baseline.as_f64())).unwrap_or(Value::Int(0));
    let more = difference.as_f64() > 0.0;
    match &metric.noun {
        Some(noun) => {
            let size = difference.to_string();
            let way = if more { "more" } else { "fewer" };
            format!("{} {way} {}", thousands(size.trim_start_matches('-')), inline(noun))
        }
        None => format!("{}{}", if more { "+" } else { "" }, formats.show(metric, difference)),
    }
}

fn verdict(verdict: Verdict) -> String {
    let word = words::verdict(verdict);
    if verdict == Verdict::Regressed { format!("**{word}**") } else { word.to_owned() }
}
