//! The numbers of a run without a baseline.

use std::sync::Arc;

use crate::markdown::escape::{code, inline};
use crate::markdown::table::{Align, Table};
use perf_config::Config;
use perf_model::metric::Metric;
use perf_model::suite::{Family, Measurement, Suite};

use super::cells::count::{List, RankedRows};
use super::context::BenchmarkName;
use super::model::DeltasModel;
use super::table::MOST_WITHIN;
use crate::cell::Formats;
use crate::prefix::SharedEnds;

impl DeltasModel {
    /// The same with what the run measured, and the command that writes a baseline from it; an empty one is not shown.
    #[must_use]
    pub fn with_measured(self, suite: &Suite<'_>, config: &Config, create: &str) -> Self {
        let has_scopes = suite.scopes.len() > 1;
        let own = |line: &&Measurement<'_>| line.family == Family::Own && !line.is_blank();
        let lines = suite.scopes.iter().flat_map(|scope| {
            scope
                .measurements
                .iter()
                .filter(own)
                .map(|line| (has_scopes.then_some(scope.name), line))
        });
        let named: Vec<_> = lines
            .map(|(scope, line)| {
                (
                    BenchmarkName::of(config, scope.map(str::to_owned), line.scenario),
                    line,
                )
            })
            .collect();
        let shared = SharedEnds::none(named.iter().filter_map(|(name, _)| name.key()));
        let mut all = named.iter().flat_map(|(name, line)| {
            let row = move |metric| row(&name.cell(shared, false), line, &metric, config);
            line.results(config).into_iter().map(row)
        });
        let rows: Vec<_> = all.by_ref().take(MOST_WITHIN).collect();
        let header = ["Benchmark", "Metric", "Current"].map(str::to_owned).into();
        let table = Table {
            header,
            align: vec![Align::None, Align::None, Align::Right],
            rows,
        };
        let create =
            (!create.is_empty()).then(|| format!("To compare the next run: {}", code(create)));
        Self {
            table: RankedRows::new(table, 0, all.count()),
            notes: List::of(1, create.into_iter(), |line| line),
            ..self
        }
    }
}

fn row(name: &str, line: &Measurement<'_>, metric: &Arc<Metric>, config: &Config) -> Vec<String> {
    let value = line.value(metric, config);
    let shown = Formats::default().cell_or(metric, value, line.outcome());
    vec![name.to_owned(), inline(&metric.label), shown]
}
