//! What fails a change: the gates, and what they refer to.

use perf_model::metric::{self, GateRule};
use perf_model::suggest::suggest;
use perf_model::suite::Family;
use toml::Spanned;

use super::build::{Builder, Built};
use super::file::GateEntry;
use super::{Config, ConfigError, Floor, GateRows, Glob, Unlisted};
use perf_model::metric::{Unit, quantile_of};
use perf_model::row::Name;

/// What fails a change.
#[derive(Clone, Debug)]
pub struct Gate {
    /// The metric that is looked at, or with wildcards the metrics.
    pub metric: Name,
    metrics: Glob,
    /// How it fails.
    pub rule: GateRule,
    /// The threshold of this gate alone.
    pub threshold: Option<f64>,
    /// A change beyond it is reported without failing; less than the threshold.
    pub warn: Option<f64>,
    /// A smaller difference never fails. With wildcards it is for the metrics that have such a unit.
    pub floor: Option<Floor>,
    /// Which rows it looks at.
    pub rows: GateRows,
    scenarios: Option<Vec<Glob>>,
    /// A metric that the baseline must have more than zero of.
    pub requires: Option<Name>,
    /// The scenario by whose value of the same run a value is divided.
    pub relative_to: Option<Name>,
    /// The metric that says of how many values a percentile was taken.
    pub values: Option<Name>,
}

impl Gate {
    /// Whether the gate looks at this scenario.
    pub fn covers(&self, scenario: &str, family: Family<'_>) -> bool {
        let rows = match self.rows {
            GateRows::All => true,
            GateRows::Scenarios => family == Family::Own,
            GateRows::Comparison => family != Family::Own,
        };
        rows && self.scenarios.as_ref().is_none_or(|globs| globs.iter().any(|glob| glob.matches(scenario)))
    }

    /// Whether the gate looks at this metric.
    pub fn looks_at(&self, metric: &str) -> bool {
        if self.is_pattern() { self.metrics.matches(metric) } else { *self.metric == *metric }
    }

    /// Whether it may look at several metrics.
    pub fn is_pattern(&self) -> bool {
        is_pattern(&self.metric)
    }
}

fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

impl Builder<'_> {
    pub(super) fn gate(&self, entry: &GateEntry) -> Built<Gate> {
        let (metric, metrics) = self.metrics_like(&entry.metric)?;
        let threshold = entry.threshold.as_ref().map(|number| self.gate_threshold(number, entry.rule));
        let threshold = threshold.transpose()?;
        let glob = |source: &Spanned<String>| Glob::new(source.get_ref());
        Ok(Gate {
            rule: entry.rule,
            threshold,
            warn: entry.warn.as_ref().map(|warn| self.warn(warn, threshold, entry.rule)).transpose()?,
            floor: entry.floor.as_ref().map(|floor| self.floor(floor)).transpose()?,
            rows: entry.rows,
            scenarios: entry.scenarios.as_ref().map(|list| list.iter().map(glob).collect()),
            requires: self.metric_option(entry.requires.as_ref())?,
            relative_to: entry.relative_to.as_ref().map(|name| self.reference(name, entry)).transpose()?,
            values: entry.values.as_ref().map(|values| self.values(values, &metric)).transpose()?,
            metric,
            metrics,
        })
    }

    /// A metric that something refers to, or several with wildcards.
    pub(super) fn metrics_like(&self, written: &Spanned<String>) -> Built<(Name, Glob)> {
        let glob = Glob::new(written.get_ref());
        if !is_pattern(written.get_ref()) {
            let name = self.metric(written)?;
            let glob = Glob::new(&name);
            return Ok((name, glob));
        }
        if self.known.as_ref().is_none_or(|known| known.iter().any(|name| glob.matches(name))) {
            return Ok((written.get_ref().as_str().into(), glob));
        }
        let error = self.error(written.span(), format!("no metric is called like `{}`", written.get_ref()));
        let known = self.known.iter().flatten().map(AsRef::as_ref);
        Err(error.with_hint(suggest(written.get_ref(), known)))
    }

    fn gate_threshold(&self, number: &Spanned<f64>, rule: GateRule) -> Built<f64> {
        let whose = match rule {
            GateRule::Threshold => return self.threshold(number, "threshold"),
            GateRule::Exact => "an exact gate",
            GateRule::Count => "a gate of counts",
        };
        let error = self.error(number.span(), format!("{whose} has no threshold"));
        Err(error.with_hint("`rule = \"threshold\"` is the one that has".to_owned()))
    }

    fn warn(&self, number: &Spanned<f64>, threshold: Option<f64>, rule: GateRule) -> Built<f64> {
        if rule == GateRule::Exact {
            let error = self.error(number.span(), "an exact gate fails whatever it could warn of");
            return Err(error.with_hint("leave `warn` out".to_owned()));
        }
        let warn = self.threshold(number, "warn")?;
        match threshold {
            Some(threshold) if warn >= threshold => {
                let message =
                    format!("`warn` must be less than `threshold`, not `{warn}` with `{threshold}`");
                let hint = "a change beyond the threshold already fails, so `warn` would never apply";
                Err(self.error(number.span(), message).with_hint(hint.to_owned()))
            }
            _ => Ok(warn),
        }
    }

    fn floor(&self, written: &Spanned<String>) -> Built<Floor> {
        Floor::parse(written.get_ref()).map_err(|why| {
            let error = self.error(written.span(), format!("bad floor `{}`: {why}", written.get_ref()));
            error.with_hint("write `50 ns`, `0.2 ms`, `64 B`, `1 KiB`, or a number alone".to_owned())
        })
    }

    fn reference(&self, written: &Spanned<String>, entry: &GateEntry) -> Built<Name> {
        let name = self.name(written, "scenario")?;
        let is_alone = |list: &Vec<Spanned<String>>| list.iter().all(|scenario| scenario.get_ref() == name);
        if entry.scenarios.as_ref().is_some_and(is_alone) {
            let error = self.error(written.span(), format!("`{name}` would only be compared with itself"));
            return Err(error.with_hint("name the scenarios that are judged in `scenarios`".to_owned()));
        }
        Ok(name.into())
    }

    fn values(&self, written: &Spanned<String>, metric: &str) -> Built<Name> {
        if !is_pattern(metric) && quantile_of(metric).is_none() {
            let error = self.error(written.span(), format!("`{metric}` is not known as a percentile"));
            return Err(error.with_hint("names of percentiles are like `latencyP99Ms`".to_owned()));
        }
        self.metric(written)
    }
}

/// Checks what gates say of metrics and scenarios, once those are known.
pub(super) fn check(config: &Config, text: &str) -> Built<()> {
    let entries = config.file.gates.iter().flatten();
    for (entry, gate) in entries.zip(config.gates.iter().flatten()) {
        if let (Some(written), Some(floor)) = (&entry.floor, gate.floor)
            && !is_fit(floor, &units(config, gate))
        {
            let message = format!("`{}` has another unit than the floor `{floor}`", gate.metric);
            let hint = "a number alone is in the unit of the metric";
            return Err(ConfigError::at(text, written.span(), message).with_hint(hint.to_owned()));
        }
        if let (Some(written), Some(name)) = (&entry.relative_to, &gate.relative_to)
            && config.unlisted == Unlisted::Drop
            && !config.lists(name)
        {
            let message = format!("no scenario is called `{name}`, and rows of unlisted ones are dropped");
            let listed = config.scenarios.keys().map(AsRef::as_ref);
            return Err(ConfigError::at(text, written.span(), message).with_hint(suggest(name, listed)));
        }
    }
    Ok(())
}

/// The units of the metrics that a gate is known to look at. Nothing is said of metrics that are not listed: what
/// inputs declare of them counts.
fn units(config: &Config, gate: &Gate) -> Vec<Unit> {
    let unit = |name: &Name| match config.metrics.get(name) {
        Some(metric) => metric.meaning.unit,
        None => metric::metric(name).meaning.unit,
    };
    if !gate.is_pattern() {
        return vec![unit(&gate.metric)];
    }
    let known = config.metrics.keys().chain(config.layouts.iter().flatten());
    known.filter(|name| gate.looks_at(name)).map(unit).collect()
}

/// Whether a floor can be said in any of the units, or one of them is not known.
fn is_fit(floor: Floor, units: &[Unit]) -> bool {
    units.is_empty() || units.iter().any(|unit| *unit == Unit::None || floor.in_unit(*unit).is_some())
}
