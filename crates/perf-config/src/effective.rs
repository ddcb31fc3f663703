//! The effective config: all settings in an equivalent config file.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use perf_model::suite::Definitions;
use serde::Serialize;

use super::comparison::SEPARATOR;
use super::file::{ConfigFile, HistorySection, MetricEntry};
use super::{Config, Metric};
use perf_model::row::Name;

/// Effective settings that are not in the file, shown in comments. Listing them would change their meaning: listed
/// layouts become columns of every baseline, a limit is used even if a history would otherwise decide, a `[history]`
/// section makes the action use a history, and a list of metrics excludes all others.
#[derive(Serialize)]
struct KnownSettings {
    rows: Option<BTreeMap<&'static str, Vec<Vec<String>>>>,
    deltas: Option<BTreeMap<&'static str, f64>>,
    history: Option<HistorySection>,
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    metrics: IndexMap<String, MetricEntry>,
}

/// The config as TOML.
pub(super) fn text(config: &Config) -> Result<String, toml::ser::Error> {
    let listed = toml::to_string_pretty(&listed_settings(config))?;
    let known = toml::to_string(&known_settings(config))?;
    let mut text = listed.trim_end().to_owned() + "\n";
    if !known.is_empty() {
        text += "\n# Known without being listed:\n#\n";
        let comments = known
            .lines()
            .map(|line| format!("# {line}").trim_end().to_owned() + "\n");
        text.extend(comments);
    }
    Ok(text)
}

/// The file, with the defaults of its entries filled in.
fn listed_settings(config: &Config) -> ConfigFile {
    let mut file = config.file.clone();
    if let Some(layouts) = &mut file.rows.layouts {
        *layouts = texts(&config.layouts).map(Into::into).collect();
    }
    for (entry, scope) in file.scopes.iter_mut().zip(&config.scopes) {
        entry.platform = Some(scope.pattern.source().to_owned().into());
    }
    if let Some(section) = &mut file.comparison
        && section.prefix.is_some()
    {
        let separator = || SEPARATOR.to_owned().into();
        section.separator.get_or_insert_with(separator);
    }
    for (name, entry) in &mut file.metrics {
        fill(entry, &config.metric(name));
    }
    file
}

fn known_settings(config: &Config) -> KnownSettings {
    let layouts = || [("layouts", texts(&config.layouts).collect())].into();
    let limit = || [("limit", config.deltas.limit)].into();
    let mut metrics = IndexMap::new();
    for name in config.layouts.iter().flatten() {
        if config.lists_metric(name) {
            continue;
        }
        let metric = config.metric(name);
        let mut entry = MetricEntry::default();
        fill(&mut entry, &metric);
        let fallback_for = metric.fallback_for.as_ref();
        entry.fallback_for = fallback_for.map(|other| other.to_string().into());
        metrics.insert(name.to_string(), entry);
    }
    KnownSettings {
        rows: (!config.declares_layouts()).then(layouts),
        deltas: (!config.deltas.explicit_limit).then(limit),
        history: (!config.history.is_written).then(HistorySection::default),
        metrics,
    }
}

/// Adds an entry's defaults. An implied fallback is left out: it may belong to a metric that is not listed.
fn fill(entry: &mut MetricEntry, metric: &Metric) {
    entry.label = Some(metric.label.clone());
    entry.unit = Some(metric.meaning.unit);
    entry.better = Some(metric.meaning.direction);
    entry.exact = Some(metric.meaning.exact);
    entry.decimals = metric.decimals.map(Into::into);
}

fn texts(layouts: &[Vec<Name>]) -> impl Iterator<Item = Vec<String>> {
    layouts
        .iter()
        .map(|layout| layout.iter().map(ToString::to_string).collect())
}
