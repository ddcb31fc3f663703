//! Checks the gates once metrics and scenarios are known.

use perf_model::metric::{self, Unit};
use perf_model::row::Name;
use perf_model::suggest::suggest;

use super::amount::Amount;
use super::file::GateEntry;
use super::{Config, ConfigError, Gate, Unlisted};
use crate::file::Spanned;

/// Checks the units and the order of amounts, and that references are listed.
pub(super) fn check(config: &Config, text: &str) -> Result<(), ConfigError> {
    check_order(config, text)?;
    let entries = config.file.gates.iter().flatten();
    for (entry, gate) in entries.zip(config.gates.iter().flatten()) {
        let units = units(config, gate);
        let budget = gate.budget.unwrap_or_default();
        let amounts = [
            ("floor", entry.floor.as_ref().map(Spanned::span), gate.floor),
            ("max", entry.max.as_ref().map(Spanned::span), budget.max),
            ("min", entry.min.as_ref().map(Spanned::span), budget.min),
        ];
        for (key, span, amount) in amounts {
            if let (Some(span), Some(amount)) = (span, amount)
                && !is_fit(amount, &units)
            {
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
            return Err(ConfigError::at(text, written, message));
        }
        check_reference(config, text, entry.relative_to.as_ref())?;
        check_reference(config, text, entry.minus.as_ref())?;
    }
    Ok(())
}

/// The first gate with a rule is used, so a later one for the same metric never would be.
fn check_order(config: &Config, text: &str) -> Result<(), ConfigError> {
    let entries = config.file.gates.iter().flatten();
    let mut earlier: Vec<(&GateEntry, &Gate)> = Vec::new();
    for (entry, gate) in entries.zip(config.gates.iter().flatten()) {
        let mut covering = earlier.iter();
        let first = covering.find(|(_, first)| first.is_for_all() && first.metric == gate.metric);
        if let Some((first, _)) = first
            && gate.rule.is_some()
        {
            let first = ConfigError::at(text, first.span(), "");
            let message = format!(
                "this gate is never used: the gate on line {} covers all benchmarks of `{}`",
                first.line, gate.metric
            );
            let hint = "put the gate for some `scenarios` first, or remove one of them";
            return Err(ConfigError::at(text, entry.span(), message).hint(hint));
        }
        earlier.push((entry, gate));
    }
    Ok(())
}

/// If rows of unlisted scenarios are dropped, nothing can be compared relative to an unlisted scenario.
fn check_reference(
    config: &Config,
    text: &str,
    written: Option<&Spanned<String>>,
) -> Result<(), ConfigError> {
    let Some(written) = written else {
        return Ok(());
    };
    if config.unlisted == Unlisted::Keep || config.lists(written) {
        return Ok(());
    }
    let message =
        format!("no scenario is called `{written}`, and rows of unlisted ones are dropped");
    let listed = config.scenarios.keys().map(AsRef::as_ref);
    Err(ConfigError::at(text, written, message).with_hint(suggest(written, listed)))
}

/// Whether an amount is smaller than another one, in the unit of any of the metrics.
fn is_below(one: Amount, other: Amount, units: &[Unit]) -> bool {
    let known = units.first().copied().filter(|unit| *unit != Unit::None);
    let unit = known.or(one.unit).or(other.unit).unwrap_or(Unit::None);
    match (one.in_unit(unit), other.in_unit(unit)) {
        (Some(one), Some(other)) => one < other,
        _ => false,
    }
}

/// The units of the metrics that a gate covers, if known. An unlisted metric's unit is derived from its name.
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

/// Whether an amount can be converted to any of the units, or one of them is unknown.
fn is_fit(amount: Amount, units: &[Unit]) -> bool {
    units.is_empty()
        || units
            .iter()
            .any(|unit| *unit == Unit::None || amount.in_unit(*unit).is_some())
}
