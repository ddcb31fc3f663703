//! The metrics of inputs, as the config knows them from then on.

use std::collections::HashMap;

use perf_config::Config;
use perf_model::diagnostic::Diagnostic;
use perf_model::metric::Declarations;
use perf_model::row::{Metrics, Row};
use perf_readers::ParseReport;

/// The config with what inputs declare about metrics, whatever the order of the inputs, and with the metrics of their
/// rows; and the metrics that inputs declare differently.
pub fn with_inputs<'r>(
    config: Config,
    reports: impl Iterator<Item = &'r ParseReport> + Clone,
) -> (Config, Vec<Diagnostic>) {
    let declared = reports.clone().map(|report| &report.declared);
    with_declared(config, declared, reports.flat_map(|report| &report.rows))
}

/// As [`with_inputs`], of what is left of inputs.
pub fn with_declared<'r>(
    config: Config,
    declared: impl Iterator<Item = &'r Declarations>,
    rows: impl Iterator<Item = &'r Row>,
) -> (Config, Vec<Diagnostic>) {
    let declared = declared.fold(Declarations::default(), |mut all, one| {
        all.merge(one);
        all
    });
    // Thousands of rows share one list of names, most often with the row before.
    let mut last = None;
    let is_other =
        |row: &&Row| last.replace(row.metrics.names_at()) != Some(row.metrics.names_at());
    let used = rows
        .filter(is_other)
        .map(|row| (row.metrics.names_at(), &row.metrics));
    let used: HashMap<usize, &Metrics> = used.collect();
    let conflicts = declared
        .conflicts()
        .filter(|name| !config.lists_metric(name));
    let found = conflicts.map(|name| conflict(name)).collect();
    let used = used
        .values()
        .flat_map(|metrics| metrics.iter().map(|(name, _)| name));
    (config.with_metrics(&declared, used), found)
}

fn conflict(name: &str) -> Diagnostic {
    let message = format!("inputs declare `{name}` with different units, directions or labels");
    Diagnostic::warning(message)
        .hint("set `unit` and `better` of the metric in `[metrics]` of the config")
}
