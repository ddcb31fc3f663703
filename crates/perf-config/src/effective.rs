//! The effective config: all settings in an equivalent config file.

use perf_model::suite::Definitions;

use super::Config;
use super::comparison::SEPARATOR;
use super::file::{ConfigFile, HistorySection};

/// Returns the config as TOML. Effective settings that are not in the file are written as comments, because setting
/// them explicitly would change their meaning: listed layouts become columns of every baseline, an explicit limit is
/// used even if a history would otherwise decide, and a `[history]` section makes the action use a history.
pub(super) fn text(config: &Config) -> Result<String, toml::ser::Error> {
    let mut known = Vec::new();
    if !config.declares_layouts() {
        known.push(format!("[rows]\nlayouts = {:?}\n", config.layouts));
    }
    if !config.deltas.explicit_limit {
        known.push(format!("[deltas]\nlimit = {}\n", config.deltas.limit));
    }
    if !config.history.is_written {
        let history = toml::to_string(&HistorySection::default())?;
        known.push(format!("[history]\n{history}"));
    }
    let listed = toml::to_string_pretty(&listed_settings(config))?;
    let mut text = listed.trim_end().to_owned() + "\n";
    if !known.is_empty() {
        text += "\n# In effect without being set:\n#\n";
        for line in known.join("\n").lines() {
            text += format!("# {line}").trim_end();
            text += "\n";
        }
    }
    Ok(text)
}

/// Returns the config file's settings, with the defaults of the listed entries filled in.
fn listed_settings(config: &Config) -> ConfigFile {
    let mut file = config.file.clone();
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
        // An implied `fallback-for` is left out, because it may refer to a metric that is not listed.
        let metric = config.metric(name);
        entry.label = Some(metric.label.clone());
        entry.unit = Some(metric.meaning.unit);
        entry.better = Some(metric.meaning.direction);
        entry.exact = Some(metric.meaning.exact);
        entry.decimals = metric.decimals.map(Into::into);
    }
    file
}
