//! Gates: the rules and limits that fail a change, the metrics and scenarios that they refer to, and their checks.

use perf_model::metric::{self, GateRule, Unit, quantile_of};
use perf_model::row::Name;
use perf_model::suggest::suggest;
use perf_model::suite::Family;

use crate::build::{Built, ConfigBuilder};
use crate::file::{GateEntry, Spanned};
use crate::{Amount, Budget, Config, ConfigError, GateRows, Glob, Unlisted};

/// A gate: a rule or a budget for a metric, and the rows it applies to.
#[derive(Clone, Debug)]
pub struct Gate {
    /// The metric that is looked at, or with wildcards the metrics.
    pub metric: Name,
    metrics: Glob,
    /// The rule against the baseline; `None` where only the budget decides.
    pub rule: Option<GateRule>,
    /// True if metrics that no gate names have no rule, instead of their default one.
    pub is_only: bool,
    /// The values that pass whatever the baseline is.
    pub budget: Option<Budget>,
    /// The limit of this gate alone.
    pub limit: Option<f64>,
    /// A change beyond it is reported without failing; less than the limit.
    pub warn: Option<f64>,
    /// A smaller difference never fails. With wildcards it is for the metrics that have such a unit.
    pub floor: Option<Amount>,
    /// The rows it applies to: all, the project's own, or comparison rows.
    pub rows: GateRows,
    /// The benchmarks it applies to; all without a list.
    pub scenarios: Option<Vec<Glob>>,
    /// A metric that the baseline must have more than zero of.
    pub requires: Option<Name>,
    /// The scenarios of the same run that a value is judged relative to.
    pub reference: Reference,
    /// The metric that says of how many values a percentile was taken.
    pub values: Option<Name>,
}

/// The scenarios that a value is judged relative to: one is subtracted, one divides the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    /// The scenario whose value is subtracted.
    pub minus: Option<Name>,
    /// The scenario by whose value, less the subtracted one, it is divided.
    pub relative_to: Option<Name>,
}

impl Reference {
    /// True if a value is judged as it is.
    pub fn is_none(&self) -> bool {
        self.names().next().is_none()
    }

    /// The scenarios that must also have been measured.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.minus.iter().chain(&self.relative_to)
    }
}

impl Gate {
    /// True if the gate applies to this scenario.
    pub fn covers(&self, scenario: &str, family: Family<'_>) -> bool {
        if self
            .reference
            .names()
            .any(|reference| **reference == *scenario)
        {
            return false;
        }
        let rows = match self.rows {
            GateRows::All => true,
            GateRows::Scenarios => family == Family::Own,
            GateRows::Comparison => family != Family::Own,
        };
        rows && self.lists(scenario)
    }

    /// True if the gate is for all benchmarks, lists this one, or judges others relative to it.
    pub(super) fn lists(&self, scenario: &str) -> bool {
        let Some(globs) = &self.scenarios else {
            return true;
        };
        let mut references = self.reference.names();
        globs.iter().any(|glob| glob.matches(scenario))
            || references.any(|reference| **reference == *scenario)
    }

    /// True if its rule is for all benchmarks, so that no later rule of its metric is asked.
    pub(super) fn is_for_all(&self) -> bool {
        let is_for_any =
            self.scenarios.is_none() && self.requires.is_none() && self.reference.is_none();
        self.rule.is_some() && self.rows == GateRows::All && is_for_any
    }

    /// True if the gate applies to this metric.
    pub fn looks_at(&self, metric: &str) -> bool {
        if self.is_pattern() {
            self.metrics.matches(metric)
        } else {
            *self.metric == *metric
        }
    }

    /// True if its metric has wildcards, so that it may apply to several.
    pub fn is_pattern(&self) -> bool {
        is_pattern(&self.metric)
    }
}

pub(super) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

impl ConfigBuilder<'_> {
    pub(super) fn gate(&self, entry: &GateEntry) -> Built<Gate> {
        let (metric, metrics) = self.metrics_like(&entry.metric)?;
        let budget = self.budget(entry)?;
        // Only one rule has a limit.
        let rule = entry
            .rule
            .or_else(|| entry.limit.as_ref().map(|_| GateRule::Limit));
        self.refuse_idle(entry, &metric, rule, budget)?;
        let limit = entry
            .limit
            .as_ref()
            .map(|number| self.gate_limit(number, rule));
        let limit = limit.transpose()?;
        let glob = |source: &Spanned<String>| Glob::new(source.get_ref());
        let reference = |name: &Option<_>| {
            name.as_ref()
                .map(|name| self.reference(name, entry))
                .transpose()
        };
        Ok(Gate {
            rule,
            is_only: entry.only,
            budget,
            limit,
            warn: entry
                .warn
                .as_ref()
                .map(|warn| self.warn(warn, limit, rule))
                .transpose()?,
            floor: entry
                .floor
                .as_ref()
                .map(|floor| self.floor(floor))
                .transpose()?,
            rows: entry.rows,
            scenarios: entry
                .scenarios
                .as_ref()
                .map(|list| list.iter().map(glob).collect()),
            requires: self.metric_option(entry.requires.as_ref())?,
            reference: Reference {
                minus: reference(&entry.minus)?,
                relative_to: reference(&entry.relative_to)?,
            },
            values: entry
                .values
                .as_ref()
                .map(|values| self.values(values, &metric))
                .transpose()?,
            metric,
            metrics,
        })
    }

    /// A gate that can never fail, and limits that its rule does not have.
    fn refuse_idle(
        &self,
        entry: &GateEntry,
        metric: &str,
        rule: Option<GateRule>,
        budget: Option<Budget>,
    ) -> Built<()> {
        if entry.scenarios.as_ref().is_some_and(Vec::is_empty) {
            let message = "`scenarios` is empty: this gate looks at no benchmark";
            return self.refuse(
                entry.metric.span(),
                message,
                "leave it out for all benchmarks",
            );
        }
        if entry.rows == GateRows::Comparison && self.file.comparison.is_none() {
            let message = "`rows` needs a `[comparison]`";
            return self.refuse(
                entry.metric.span(),
                message,
                "leave `rows` out for all benchmarks",
            );
        }
        match rule {
            None | Some(GateRule::None) => {}
            Some(GateRule::Equal) => return Ok(()),
            Some(_) if !is_pattern(metric) && quantile_of(metric) == Some(1.0) => {
                let message = format!(
                    "this gate can never fail: `{metric}` is a single value, the largest of many"
                );
                let hint = "limit it with `max`, or gate a percentile such as `latencyP99Ms`";
                return self.refuse(entry.metric.span(), message, hint);
            }
            Some(_) => return Ok(()),
        }
        let key = [
            entry.limit.as_ref().map(|it| ("limit", it.span())),
            entry.warn.as_ref().map(|it| ("warn", it.span())),
            entry.floor.as_ref().map(|it| ("floor", it.span())),
        ];
        if let Some((key, span)) = key.into_iter().flatten().next() {
            let hint = "`rule = \"limit\"` limits the change against the baseline";
            return self.refuse(span, format!("`{key}` needs a `rule`"), hint);
        }
        if budget.is_none() && rule.is_none() {
            let hint = "`rule = \"limit\"` fails on a change, `max` on a value";
            return self.refuse(
                entry.metric.span(),
                "a gate needs a `rule`, `max` or `min`",
                hint,
            );
        }
        Ok(())
    }

    /// A metric that something refers to, or several with wildcards.
    pub(super) fn metrics_like(&self, written: &Spanned<String>) -> Built<(Name, Glob)> {
        let glob = Glob::new(written.get_ref());
        if !is_pattern(written.get_ref()) {
            let name = self.metric(written)?;
            let glob = Glob::new(&name);
            return Ok((name, glob));
        }
        if self
            .known
            .as_ref()
            .is_none_or(|known| known.iter().any(|name| glob.matches(name)))
        {
            return Ok((written.get_ref().as_str().into(), glob));
        }
        let error = self.error(
            written.span(),
            format!("no metric is called like `{}`", written.get_ref()),
        );
        let known = self.known.iter().flatten().map(AsRef::as_ref);
        Err(error.with_hint(suggest(written.get_ref(), known)))
    }

    fn gate_limit(&self, number: &Spanned<toml::Value>, rule: Option<GateRule>) -> Built<f64> {
        let whose = match rule {
            Some(GateRule::Limit) | None => return self.limit(number, "limit"),
            Some(GateRule::Exact) => "an exact gate",
            Some(GateRule::Count) => "a gate of counts",
            Some(GateRule::Equal) => "a gate of equal numbers",
            Some(GateRule::None) => "a gate that never fails",
        };
        self.refuse(
            number.span(),
            format!("{whose} has no limit"),
            "`rule = \"limit\"` is the one that has",
        )
    }

    fn warn(
        &self,
        number: &Spanned<toml::Value>,
        limit: Option<f64>,
        rule: Option<GateRule>,
    ) -> Built<f64> {
        if let Some(GateRule::Exact | GateRule::Equal) = rule {
            let message = "an exact gate fails on every change, so it never warns";
            return self.refuse(number.span(), message, "leave `warn` out");
        }
        let warn = self.limit(number, "warn")?;
        match limit {
            Some(limit) if warn >= limit => {
                let message =
                    format!("`warn` must be less than `limit`, not `{warn}` with `{limit}`");
                let hint = "a change beyond the limit already fails, so `warn` would never apply";
                self.refuse(number.span(), message, hint)
            }
            _ => Ok(warn),
        }
    }

    fn reference(&self, written: &Spanned<String>, entry: &GateEntry) -> Built<Name> {
        let name = self.name(written, "scenario")?;
        let is_alone =
            |list: &Vec<Spanned<String>>| list.iter().all(|scenario| scenario.get_ref() == name);
        if entry.scenarios.as_ref().is_some_and(is_alone) {
            let message = format!("`{name}` would only be compared with itself");
            return self.refuse(
                written.span(),
                message,
                "list the gated scenarios in `scenarios`",
            );
        }
        Ok(name.into())
    }

    fn values(&self, written: &Spanned<String>, metric: &str) -> Built<Name> {
        if !is_pattern(metric) && quantile_of(metric).is_none() {
            let message = format!("`{metric}` is not known as a percentile");
            return self.refuse(
                written.span(),
                message,
                "names of percentiles are like `latencyP99Ms`",
            );
        }
        self.metric(written)
    }
}

/// Checks units and order of the amounts, and that references are listed.
pub(super) fn check(config: &Config, text: &str) -> Result<(), ConfigError> {
    check_order(config, text)?;
    let entries = config.file.gates.iter().flatten();
    for (entry, gate) in entries.zip(config.gates.iter().flatten()) {
        let units = units(config, gate);
        let budget = gate.budget.unwrap_or_default();
        let floor = entry
            .floor
            .as_ref()
            .map(|written| written.span())
            .zip(gate.floor);
        let max = entry
            .max
            .as_ref()
            .map(|written| written.span())
            .zip(budget.max);
        let min = entry
            .min
            .as_ref()
            .map(|written| written.span())
            .zip(budget.min);
        for (key, (span, amount)) in [("floor", floor), ("max", max), ("min", min)]
            .into_iter()
            .filter_map(|(key, amount)| Some((key, amount?)))
        {
            if !is_fit(amount, &units) {
                let message = format!(
                    "`{}` has another unit than the {key} `{amount}`",
                    gate.metric
                );
                let hint = "a number without a unit is in the metric's unit";
                return Err(ConfigError::at(text, span, message).hint(hint));
            }
        }
        if let (Some(written), Some(max), Some(min)) = (&entry.max, budget.max, budget.min)
            && is_below(max, min, &units)
        {
            let message = format!("`max` `{max}` is below `min` `{min}`: no value passes");
            return Err(ConfigError::at(text, written.span(), message));
        }
        check_reference(config, text, entry.relative_to.as_ref())?;
        check_reference(config, text, entry.minus.as_ref())?;
    }
    Ok(())
}

/// The first gate with a rule decides, so a later gate for the same metric never would.
fn check_order(config: &Config, text: &str) -> Result<(), ConfigError> {
    let entries: Vec<_> = config
        .file
        .gates
        .iter()
        .flatten()
        .zip(config.gates.iter().flatten())
        .collect();
    for (at, (entry, gate)) in entries.iter().enumerate() {
        let is_before = |(_, first): &&(&GateEntry, &Gate)| {
            first.is_for_all() && first.metric == gate.metric && gate.rule.is_some()
        };
        let Some((first, _)) = entries[..at].iter().find(is_before) else {
            continue;
        };
        let first = ConfigError::at(text, first.metric.span(), "");
        let message = format!(
            "this gate can never decide: that of line {} is for all benchmarks of `{}`",
            first.line, gate.metric
        );
        let hint = "put the gate for some `scenarios` first, or remove one of them";
        return Err(ConfigError::at(text, entry.metric.span(), message).hint(hint));
    }
    Ok(())
}

/// Rows of an unlisted scenario may be dropped, and then nothing can be judged relative to it.
fn check_reference(
    config: &Config,
    text: &str,
    written: Option<&Spanned<String>>,
) -> Result<(), ConfigError> {
    let Some(written) =
        written.filter(|name| config.unlisted == Unlisted::Drop && !config.lists(name.get_ref()))
    else {
        return Ok(());
    };
    let name = written.get_ref();
    let message = format!("no scenario is called `{name}`, and rows of unlisted ones are dropped");
    let listed = config.scenarios.keys().map(AsRef::as_ref);
    Err(ConfigError::at(text, written.span(), message).with_hint(suggest(name, listed)))
}

/// Whether an amount is smaller than another one, in the unit of one of the metrics.
fn is_below(one: Amount, other: Amount, units: &[Unit]) -> bool {
    let unit = [one.unit, other.unit]
        .into_iter()
        .flatten()
        .chain(units.iter().copied())
        .next();
    let unit = units
        .first()
        .copied()
        .filter(|unit| *unit != Unit::None)
        .or(unit)
        .unwrap_or(Unit::None);
    one.in_unit(unit)
        .zip(other.in_unit(unit))
        .is_some_and(|(one, other)| one < other)
}

/// The units of the metrics that a gate applies to, if known. Unlisted metrics get the unit of their name.
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

/// True if an amount can be converted to any of the units, or one of them is not known.
fn is_fit(amount: Amount, units: &[Unit]) -> bool {
    units.is_empty()
        || units
            .iter()
            .any(|unit| *unit == Unit::None || amount.in_unit(*unit).is_some())
}
