//! The tables of a scope: what matters, and the rest.

use indexmap::IndexMap;
use perf_model::metric::Metric;
use perf_model::row::Name;
use perf_verdict::{MetricComparison, ScenarioComparison, ScopeComparison, Verdict, in_halves};

use super::cells::{self, Cells};
use super::matter::{any_matters, matters};
use super::{Found, ScopeDeltas, Told, bounded};
use crate::cell::Formats;
use crate::number::thousands;
use crate::words;
use perf_markdown::escape::inline;
use perf_markdown::table::Table;

/// One scope's differences.
pub(super) fn scope(told: &Told<'_>, scope: &ScopeComparison) -> ScopeDeltas {
    let labels = |keys: &[Name]| bounded(keys.iter(), |key| inline(told.config.label(key)));
    let mut deltas = ScopeDeltas {
        heading: if told.several { inline(&scope.scope) } else { String::new() },
        missing: labels(&scope.missing),
        new: labels(&scope.new),
        ..ScopeDeltas::default()
    };
    if let Some(shift) = scope.shift.filter(|_| told.several) {
        deltas.shift = inline(&words::shift(&shift));
    }
    let writer = Writer::new(told, scope);
    let lines = in_halves(scope.scenarios.iter().collect(), |scenarios| writer.lines(&scenarios));
    let (mut top, rest): (Vec<Line>, Vec<Line>) = lines.into_iter().partition(|line| line.matters);
    top.sort_by_key(|line| line.verdict);
    deltas.rest_summary = summary(&rest);
    deltas.table = writer.table(top);
    deltas.rest = writer.table(rest);
    deltas
}

/// Whether it is known of a row, of this scope or of any, how far it strays.
pub(super) fn has_evidence(told: &Told<'_>, scope: Option<&ScopeComparison>) -> bool {
    any(told, scope, |compared| compared.judgement.power.noise.is_some_and(|noise| noise > 0.0))
}

/// Whether a row, of this scope or of any, has earlier values.
pub(super) fn has_history(told: &Told<'_>, scope: Option<&ScopeComparison>) -> bool {
    any(told, scope, |compared| compared.extra.as_ref().is_some_and(|more| !more.history.is_empty()))
}

fn any(told: &Told<'_>, scope: Option<&ScopeComparison>, is: impl Fn(&MetricComparison) -> bool) -> bool {
    let is_meant = |found: &&Found<'_>| scope.is_none_or(|scope| std::ptr::eq(found.scope, scope));
    told.telling.iter().filter(is_meant).any(|found| is(found.metric))
}

/// One line of a table, and where it belongs.
struct Line {
    matters: bool,
    verdict: Verdict,
    cells: Vec<String>,
}

/// `11 unchanged, 2 moved`.
fn summary(lines: &[Line]) -> String {
    let mut counts: IndexMap<Verdict, usize> = IndexMap::new();
    for line in lines {
        *counts.entry(line.verdict).or_default() += 1;
    }
    counts.sort_unstable_by(|a, left, b, right| right.cmp(left).then(a.cmp(b)));
    let count = |(verdict, count): (&Verdict, &usize)| {
        format!("{} {}", thousands(&count.to_string()), words::verdict(*verdict))
    };
    counts.iter().map(count).collect::<Vec<_>>().join(", ")
}

/// Writes the lines of one scope.
struct Writer<'c> {
    cells: Cells<'c>,
    /// Whether a scenario has one line, whatever it has metrics.
    together: bool,
    with_evidence: bool,
    with_history: bool,
}

impl<'c> Writer<'c> {
    fn new(told: &Told<'c>, scope: &ScopeComparison) -> Self {
        let metrics = scope.scenarios.iter().flat_map(|scenario| &scenario.metrics);
        let values = metrics.flat_map(|compared| {
            let metric: &Metric = &compared.metric;
            [(metric, compared.baseline), (metric, compared.current)]
        });
        Self {
            cells: Cells { config: told.config, formats: Formats::new(values) },
            together: told.config.deltas.also.is_some(),
            with_evidence: has_evidence(told, Some(scope)),
            with_history: has_history(told, Some(scope)),
        }
    }

    fn lines(&self, scenarios: &[&ScenarioComparison]) -> Vec<Line> {
        let lines = scenarios.iter().flat_map(|scenario| {
            if self.together { vec![self.scenario_line(scenario)] } else { self.metric_lines(scenario) }
        });
        lines.collect()
    }

    fn table(&self, lines: Vec<Line>) -> String {
        if lines.is_empty() {
            return String::new();
        }
        let metric = if self.together { None } else { Some("Metric") };
        let numbers = ["Baseline", "Current", "Delta", "Verdict"];
        let power: &[&str] = if self.with_evidence { &["Noise", "Notices"] } else { &[] };
        let history = if self.with_history { Some("History") } else { None };
        let columns = ["Scenario"].into_iter().chain(metric).chain(numbers);
        let columns = columns.chain(history).chain(power.iter().copied());
        let header = columns.map(str::to_owned).collect();
        let rows = lines.into_iter().map(|line| line.cells).collect();
        Table { header, align: Vec::new(), rows }.to_markdown()
    }

    /// One line: the primary metric, then those that both sides measured.
    fn scenario_line(&self, scenario: &ScenarioComparison) -> Line {
        let also = self.cells.config.deltas.also.as_deref().unwrap_or_default();
        let mut shown: Vec<&MetricComparison> = scenario.metrics.iter().take(1).collect();
        let secondary = |compared: &&MetricComparison| {
            let grave = matches!(compared.judgement.verdict, Verdict::Regressed | Verdict::Inconclusive);
            let shown = also.contains(&compared.metric.name) || grave;
            shown && compared.baseline.is_some() && compared.current.is_some()
        };
        shown.extend(scenario.metrics.iter().skip(1).filter(secondary));
        let side = |cell: &dyn Fn(&MetricComparison) -> String| {
            shown.iter().map(|compared| cell(compared)).collect::<Vec<_>>().join(", ")
        };
        let (cells, label) = (&self.cells, inline(self.cells.config.label(&scenario.scenario)));
        let (baseline, current) = (side(&|it| cells.baseline(it)), side(&|it| cells.current(it)));
        let mut delta: Vec<String> = shown.iter().take(1).map(|compared| cells.delta(compared)).collect();
        delta.extend(shown.iter().skip(1).filter_map(|compared| cells.difference(compared)));
        let verdict = cells::scenario_verdict(scenario);
        let mut line = vec![label, baseline, current, delta.join(", "), verdict];
        if let Some(primary) = scenario.metrics.first() {
            self.add_evidence(&mut line, primary);
        }
        Line { matters: any_matters(scenario), verdict: scenario.verdict(), cells: line }
    }

    /// One line for each metric.
    fn metric_lines(&self, scenario: &ScenarioComparison) -> Vec<Line> {
        let label = inline(self.cells.config.label(&scenario.scenario));
        let cells = &self.cells;
        let lines = scenario.metrics.iter().map(|compared| {
            let mut line = vec![
                label.clone(),
                inline(&compared.metric.label),
                cells.baseline(compared),
                cells.current(compared),
                cells.delta(compared),
                cells::verdict(compared),
            ];
            self.add_evidence(&mut line, compared);
            Line { matters: matters(compared), verdict: compared.judgement.verdict, cells: line }
        });
        lines.collect()
    }

    fn add_evidence(&self, line: &mut Vec<String>, compared: &MetricComparison) {
        if self.with_history {
            line.push(cells::history(compared));
        }
        if self.with_evidence {
            line.extend([cells::noise(compared), self.cells.notices(compared)]);
        }
    }
}
