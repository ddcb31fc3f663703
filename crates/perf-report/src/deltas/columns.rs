//! The columns of the tables: a column is one entry of [`COLUMNS`].

use perf_markdown::escape::inline;
use perf_verdict::Verdict;
use perf_verdict::{MetricComparison, ScenarioComparison, ScopeComparison};

use super::cells::{self, Cells};
use super::matter::{any_matters, matters};
use super::{Context, Found};

/// One column.
pub(super) struct Column {
    pub(super) title: &'static str,
    /// What the legend says about it; empty where the title says enough.
    pub(super) legend: &'static str,
    pub(super) when: fn(Shape) -> bool,
    pub(super) cell: fn(&Cells<'_>, &Line<'_>) -> String,
}

/// All columns, from left to right.
pub(super) const COLUMNS: &[Column] = &[
    Column { title: "Benchmark", legend: "", when: |_| true, cell: |cells, line| cells.label(line) },
    Column {
        title: "Metric",
        legend: "",
        when: |shape| !shape.together,
        cell: |_, line| line.of_primary(|compared| inline(&compared.metric.label)),
    },
    Column {
        title: "Baseline",
        legend: "",
        when: |_| true,
        cell: |cells, line| line.of_each(|compared| cells.baseline(compared)),
    },
    Column {
        title: "Current",
        legend: "",
        when: |_| true,
        cell: |cells, line| line.of_each(|compared| cells.current(compared)),
    },
    Column { title: "Delta", legend: "", when: |_| true, cell: |cells, line| cells.deltas(line) },
    Column { title: "Verdict", legend: "", when: |_| true, cell: |_, line| cells::verdict(line) },
    Column {
        title: "History",
        legend: "History: previous values and the current one; up is larger.",
        when: |shape| shape.history,
        cell: |_, line| line.of_primary(cells::history),
    },
    Column {
        title: "Noise",
        legend: "Noise: run-to-run variation (1 σ).",
        when: |shape| shape.evidence,
        cell: |_, line| line.of_primary(cells::noise),
    },
    Column {
        title: "MDC",
        legend: "MDC: smallest change for the worse that would be detected.",
        when: |shape| shape.evidence,
        cell: |cells, line| line.of_primary(|compared| cells.detectable(compared)),
    },
];

/// What the lines of a table have, which decides the columns.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// Whether a benchmark has one line for all its metrics.
    pub(super) together: bool,
    /// Whether the run-to-run variation of a metric is known.
    evidence: bool,
    /// Whether a metric has earlier values.
    history: bool,
}

impl Shape {
    /// The shape of one scope's tables, or of all tables.
    pub(super) fn of(context: &Context<'_>, scope: Option<&ScopeComparison>) -> Self {
        let any = |has: fn(&MetricComparison) -> bool| {
            let is_here = |found: &&Found<'_>| scope.is_none_or(|scope| std::ptr::eq(found.scope, scope));
            context.notable.iter().filter(is_here).any(|found| has(found.metric))
        };
        Self {
            together: context.config.deltas.also.is_some(),
            evidence: any(|compared| compared.judgement.power.noise.is_some_and(|noise| noise > 0.0)),
            history: any(|compared| compared.extra.as_ref().is_some_and(|more| !more.history.is_empty())),
        }
    }

    pub(super) fn columns(self) -> impl Iterator<Item = &'static Column> {
        COLUMNS.iter().filter(move |column| (column.when)(self))
    }
}

/// One line of a table: a metric, or a benchmark with those of its metrics that are shown.
pub(super) struct Line<'c> {
    pub(super) scenario: &'c ScenarioComparison,
    /// The primary metric first.
    pub(super) metrics: Vec<&'c MetricComparison>,
    pub(super) together: bool,
}

impl Line<'_> {
    pub(super) fn matters(&self) -> bool {
        if self.together { any_matters(self.scenario) } else { self.metrics.iter().any(|it| matters(it)) }
    }

    pub(super) fn verdict(&self) -> Verdict {
        match self.metrics.first().filter(|_| !self.together) {
            Some(metric) => metric.judgement.verdict,
            None => self.scenario.verdict(),
        }
    }

    fn of_primary(&self, cell: impl Fn(&MetricComparison) -> String) -> String {
        self.metrics.first().map_or_else(String::new, |compared| cell(compared))
    }

    fn of_each(&self, cell: impl Fn(&MetricComparison) -> String) -> String {
        self.metrics.iter().map(|compared| cell(compared)).collect::<Vec<_>>().join(", ")
    }
}
