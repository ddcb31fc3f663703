//! Amounts that gates name: budgets, which hold whatever the baseline is, and minimum absolute changes.

use perf_model::metric::{self, Unit};
use perf_model::row::Name;
use perf_model::suggest::suggest;
use toml::Spanned;

use super::build::{Builder, Built};
use super::file::GateEntry;
use super::{Amount, Config, ConfigError, Gate, Unlisted};

/// The values that pass whatever the baseline is; at least one end is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// The largest.
    pub max: Option<Amount>,
    /// The smallest.
    pub min: Option<Amount>,
}

const AMOUNTS: &str = "write `\"16 ms\"`, `\"64 KiB\"`, or a number in the unit of the metric";

impl Builder<'_> {
    pub(super) fn budget(&self, entry: &GateEntry) -> Built<Option<Budget>> {
        let end = |key, written: &Option<_>| {
            written.as_ref().map(|written| self.end_of_budget(key, written, entry)).transpose()
        };
        let budget = Budget { max: end("max", &entry.max)?, min: end("min", &entry.min)? };
        if let (Some(written), Some(min)) = (&entry.min, budget.min)
            && min.amount == 0.0
        {
            let error = self.error(written.span(), "`min` must be above 0: no value is below it");
            return Err(error.with_hint("leave it out".to_owned()));
        }
        Ok((budget.max.is_some() || budget.min.is_some()).then_some(budget))
    }

    fn end_of_budget(&self, key: &str, written: &Spanned<toml::Value>, entry: &GateEntry) -> Built<Amount> {
        let amount = match written.get_ref() {
            toml::Value::String(text) => Amount::parse(text),
            #[expect(clippy::cast_precision_loss, reason = "a limit, compared with measured numbers")]
            toml::Value::Integer(whole) => Ok(Amount { amount: *whole as f64, unit: None }),
            toml::Value::Float(number) if number.is_finite() => Ok(Amount { amount: *number, unit: None }),
            other => Err(format!("`{other}` is not a number")),
        };
        let bad =
            |why| self.error(written.span(), format!("bad `{key}`: {why}")).with_hint(AMOUNTS.to_owned());
        let amount = amount.map_err(bad)?;
        if amount.amount < 0.0 {
            return Err(bad(format!("`{amount}` is below 0")));
        }
        if amount.unit.is_some() && entry.relative_to.is_some() {
            let error =
                self.error(written.span(), format!("with `relative-to`, `{key}` is a ratio without a unit"));
            return Err(error.with_hint(format!("`{key} = 2` is twice the value of the reference")));
        }
        Ok(amount)
    }

    pub(super) fn floor(&self, written: &Spanned<String>) -> Built<Amount> {
        let floor = Amount::parse(written.get_ref()).and_then(|floor| {
            match floor.amount {
                0.0.. => Some(floor).filter(|floor| floor.amount > 0.0),
                _ => None,
            }
            .ok_or_else(|| format!("`{floor}` is not above 0"))
        });
        floor.map_err(|why| {
            let error = self.error(written.span(), format!("bad floor `{}`: {why}", written.get_ref()));
            error.with_hint("write `50 ns`, `0.2 ms`, `64 B`, `1 KiB`, or a number alone".to_owned())
        })
    }
}

/// Checks what gates say of metrics and scenarios, once those are known.
pub(super) fn check(config: &Config, text: &str) -> Built<()> {
    let entries = config.file.gates.iter().flatten();
    for (entry, gate) in entries.zip(config.gates.iter().flatten()) {
        let units = units(config, gate);
        let budget = gate.budget.unwrap_or(Budget { max: None, min: None });
        let floor = entry.floor.as_ref().map(Spanned::span).zip(gate.floor);
        let max = entry.max.as_ref().map(Spanned::span).zip(budget.max);
        let min = entry.min.as_ref().map(Spanned::span).zip(budget.min);
        for (key, (span, amount)) in [("floor", floor), ("max", max), ("min", min)]
            .into_iter()
            .filter_map(|(key, amount)| Some((key, amount?)))
        {
            if !is_fit(amount, &units) {
                let message = format!("`{}` has another unit than the {key} `{amount}`", gate.metric);
                let hint = "a number alone is in the unit of the metric";
                return Err(ConfigError::at(text, span, message).with_hint(hint.to_owned()));
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

/// Rows of an unlisted scenario may be dropped, and then nothing can be judged relative to it.
fn check_reference(config: &Config, text: &str, written: Option<&Spanned<String>>) -> Built<()> {
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
    let unit = [one.unit, other.unit].into_iter().flatten().chain(units.iter().copied()).next();
    let unit = units.first().copied().filter(|unit| *unit != Unit::None).or(unit).unwrap_or(Unit::None);
    one.in_unit(unit).zip(other.in_unit(unit)).is_some_and(|(one, other)| one < other)
}

/// The units of the metrics that a gate is known to look at. Metrics that are not listed get the unit of
/// their name.
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

/// Whether an amount can be said in any of the units, or one of them is not known.
fn is_fit(amount: Amount, units: &[Unit]) -> bool {
    units.is_empty() || units.iter().any(|unit| *unit == Unit::None || amount.in_unit(*unit).is_some())
}
