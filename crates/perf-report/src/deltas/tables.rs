//! The tables of a scope: what matters, and the rest.

use indexmap::IndexMap;
use perf_markdown::escape::inline;
use perf_markdown::table::Table;
use perf_model::metric::Metric;
use perf_model::parallel::in_halves;
use perf_model::row::Name;
use perf_verdict::Verdict;
use perf_verdict::{MetricComparison, ScenarioComparison, ScopeComparison};

use super::cells::Cells;
use super::columns::{Line, Shape};
use super::count::{List, Rows};
use super::{Context, MOST_ENTRIES, ScopeDeltas};
use crate::cell::Formats;
use crate::number::thousands;
use crate::words;

/// One scope's differences.
pub(super) fn scope(context: &Context<'_>, scope: &ScopeComparison) -> ScopeDeltas {
    let labels = |keys: &[Name]| List::of(MOST_ENTRIES, keys.iter(), |key| inline(context.config.label(key)));
    let shift = scope.shift.filter(|_| context.several);
    let shape = Shape::of(context, Some(scope));
    let cells = Cells { config: context.config, formats: formats(scope) };
    let rows = in_halves(scope.scenarios.iter().collect(), |scenarios: Vec<&ScenarioComparison>| {
        let lines = scenarios.into_iter().flat_map(|scenario| lines(&cells, scenario));
        lines.map(|line| Row::new(&cells, shape, &line)).collect()
    });
    let (mut top, rest): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.matters);
    top.sort_by_key(|row| row.verdict);
    ScopeDeltas {
        heading: if context.several { inline(&scope.scope) } else { String::new() },
        shift: shift.map_or_else(String::new, |shift| inline(&words::shift(&shift))),
        rest_summary: summary(&rest),
        table: table(shape, top),
        rest: table(shape, rest),
        missing: labels(&scope.missing),
        new: labels(&scope.new),
    }
}

/// One scale for each metric of the scope.
fn formats(scope: &ScopeComparison) -> Formats {
    let metrics = scope.scenarios.iter().flat_map(|scenario| &scenario.metrics);
    Formats::new(metrics.flat_map(|compared| {
        let metric: &Metric = &compared.metric;
        [(metric, compared.baseline), (metric, compared.current)]
    }))
}

/// One line for each metric, or one for the benchmark: the primary metric, then those that the config lists and those
/// that regressed, where both sides measured them.
fn lines<'c>(cells: &Cells<'_>, scenario: &'c ScenarioComparison) -> Vec<Line<'c>> {
    let Some(also) = &cells.config.deltas.also else {
        let line = |metric| Line { scenario, metrics: vec![metric], together: false };
        return scenario.metrics.iter().map(line).collect();
    };
    let is_secondary = |compared: &&MetricComparison| {
        let grave = matches!(compared.judgement.verdict, Verdict::Regressed | Verdict::Inconclusive);
        let shown = grave || also.contains(&compared.metric.name);
        shown && compared.baseline.is_some() && compared.current.is_some()
    };
    let secondary = scenario.metrics.iter().skip(1).filter(is_secondary);
    let metrics = scenario.metrics.first().into_iter().chain(secondary).collect();
    vec![Line { scenario, metrics, together: true }]
}

/// A finished line, and where it belongs.
struct Row {
    matters: bool,
    verdict: Verdict,
    cells: Vec<String>,
}

impl Row {
    fn new(cells: &Cells<'_>, shape: Shape, line: &Line<'_>) -> Self {
        let written = shape.columns().map(|column| (column.cell)(cells, line)).collect();
        Self { matters: line.matters(), verdict: line.verdict(), cells: written }
    }
}

fn table(shape: Shape, rows: Vec<Row>) -> Rows {
    let header = shape.columns().map(|column| column.title.to_owned()).collect();
    let regressed = rows.iter().filter(|row| row.verdict == Verdict::Regressed).count();
    let rows = rows.into_iter().map(|row| row.cells).collect();
    Rows::new(Table { header, align: Vec::new(), rows }, regressed)
}

/// `11 unchanged, 2 moved`.
fn summary(rows: &[Row]) -> String {
    let mut counts: IndexMap<Verdict, usize> = IndexMap::new();
    for row in rows {
        *counts.entry(row.verdict).or_default() += 1;
    }
    counts.sort_unstable_by(|a, left, b, right| right.cmp(left).then(a.cmp(b)));
    let count = |(verdict, count): (&Verdict, &usize)| {
        format!("{} {}", thousands(&count.to_string()), words::verdict(*verdict))
    };
    counts.iter().map(count).collect::<Vec<_>>().join(", ")
}
