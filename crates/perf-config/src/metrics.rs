//! Metrics: settings, aliases, layouts and formulas.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexSet;

use super::KnownMetrics;
use super::build::{Built, ConfigBuilder, optional};
use super::file::{FormatEntry, MetricEntry};
use crate::file::Spanned;
use perf_model::key_column::KeyColumn;
use perf_model::metric::{self, Formula, Metric, NumberFormat};
use perf_model::row::Name;

impl ConfigBuilder<'_> {
    /// Maps aliases to metrics. The aliases are those in the config, and known abbreviations that the config does not use
    /// otherwise.
    pub(super) fn aliases(&self) -> Built<HashMap<String, Name>> {
        let mut aliases: HashMap<String, Name> = HashMap::new();
        for (name, entry) in &self.file.metrics {
            let name = self.metric_name(name, "metric")?;
            for alias in &entry.aliases {
                let written = self.metric_name(alias, "alias")?;
                if self.file.metrics.contains_key(written) {
                    let message = format!("the alias `{written}` is itself a metric");
                    return Err(self.error(alias, message));
                }
                if let Some(other) = aliases.insert(written.to_owned(), name.into()) {
                    let message = format!("the alias `{written}` already stands for `{other}`");
                    return Err(self.error(alias, message));
                }
            }
        }
        for (short, long) in metric::ABBREVIATIONS {
            if !self.file.metrics.contains_key(short) {
                aliases
                    .entry(short.to_owned())
                    .or_insert_with(|| long.into());
            }
        }
        Ok(aliases)
    }

    /// Returns the layouts, widest first, with aliases resolved.
    pub(super) fn layouts(&self) -> Built<Vec<Vec<Name>>> {
        let Some(written) = &self.file.rows.layouts else {
            let known = metric::LAYOUTS.into_iter();
            return Ok(known
                .map(|names| names.iter().map(|name| self.canonical(name)).collect())
                .collect());
        };
        let mut layouts: Vec<Vec<Name>> = Vec::new();
        for layout in written {
            let names = self.layout(layout)?;
            if layouts.iter().any(|other| other.len() == names.len()) {
                let message = format!(
                    "a second layout of {} metrics: lines would be ambiguous",
                    names.len()
                );
                return Err(self.error(layout, message));
            }
            layouts.push(names);
        }
        layouts.sort_by_key(|layout| std::cmp::Reverse(layout.len()));
        Ok(layouts)
    }

    fn layout(&self, layout: &Spanned<Vec<String>>) -> Built<Vec<Name>> {
        if layout.is_empty() {
            return Err(self.error(layout, "a layout needs at least one metric"));
        }
        let mut names = IndexSet::new();
        for written in &**layout {
            let written = Spanned::new(layout.span(), written.clone());
            let name = self.canonical(self.metric_name(&written, "metric")?);
            if !names.insert(Name::clone(&name)) {
                let mut alias = String::new();
                if **written != *name {
                    alias = format!(", here as `{written}`");
                }
                return Err(self.error(layout, format!("the layout lists `{name}` twice{alias}")));
            }
        }
        Ok(names.into_iter().collect())
    }

    /// Checks a metric's name in rows: it must not be one of the other row columns.
    fn metric_name<'n>(&self, name: &'n Spanned<String>, what: &str) -> Built<&'n str> {
        let text = self.name(name, what)?;
        if KeyColumn::of(text).is_some() {
            return Err(self.error(
                name,
                format!("`{text}` is a row column that is not a metric"),
            ));
        }
        Ok(text)
    }

    pub(super) fn metrics(&self) -> Built<KnownMetrics> {
        let built = self.file.metrics.iter().map(|(name, entry)| {
            let name = name.as_str();
            Ok((name.into(), Arc::new(self.metric_entry(name, entry)?)))
        });
        let metrics = built.collect::<Built<_>>()?;
        self.refuse_circles(&metrics)?;
        Ok(metrics)
    }

    fn metric_entry(&self, name: &str, entry: &MetricEntry) -> Built<Metric> {
        let mut metric = metric::metric(name);
        metric.label = entry.label.clone().unwrap_or(metric.label);
        metric.meaning.unit = entry.unit.unwrap_or(metric.meaning.unit);
        metric.meaning.direction = entry.better.unwrap_or(metric.meaning.direction);
        metric.meaning.exact = entry.exact.unwrap_or(metric.meaning.exact);
        metric.formula = optional(&entry.formula, |source| self.formula(source, name))?;
        if let Some(other) = &entry.fallback_for {
            metric.fallback_for = Some(self.resolve(other)?);
        }
        metric.format = optional(&entry.format, |format| self.format(format))?;
        metric.noun.clone_from(&entry.noun);
        if let Some(decimals) = &entry.decimals {
            metric.decimals = Some(self.decimals(decimals)?);
        }
        metric.default_gate = metric::default_gate(name, metric.meaning);
        Ok(metric)
    }

    fn formula(&self, source: &Spanned<String>, own: &str) -> Built<Formula> {
        let text = source.as_str();
        let bad = |message: String| self.error(source, format!("bad formula `{text}`: {message}"));
        let mut formula = Formula::parse(text).map_err(|(at, why)| {
            let before = text.get(..at).unwrap_or(text).chars().count();
            bad(format!("{why}, at character {}", before + 1))
        })?;
        formula.resolve(|written| {
            let name = self.resolve(&Spanned::new(source.span(), written.to_string()))?;
            match self.file.metrics.get(&*name) {
                _ if *name == *own => Err(bad("it refers to itself".to_owned())),
                Some(entry) if entry.formula.is_some() => {
                    Err(bad(format!("`{name}` is itself computed")))
                }
                _ => Ok(name),
            }
        })?;
        Ok(formula)
    }

    /// Rejects circular fallbacks, because none of their metrics would ever be shown as a result.
    fn refuse_circles(&self, metrics: &KnownMetrics) -> Built<()> {
        for (start, entry) in &self.file.metrics {
            let Some(written) = &entry.fallback_for else {
                continue;
            };
            let start = start.as_str();
            let mut next = Some(self.canonical(written));
            for _ in 0..=metrics.len() {
                let Some(name) = next else { break };
                if *name == *start {
                    let message = format!("`{name}` would be its own fallback");
                    return Err(self.error(written, message));
                }
                next = match metrics.get(&name) {
                    Some(metric) => metric.fallback_for.clone(),
                    None => metric::metric(&name).fallback_for,
                };
            }
        }
        Ok(())
    }

    fn format(&self, entry: &FormatEntry) -> Built<NumberFormat> {
        let divide = *entry.divide;
        if !divide.is_normal() {
            return Err(self.error(
                &entry.divide,
                format!("values cannot be divided by `{divide}`"),
            ));
        }
        let decimals = self.decimals(&entry.decimals)?;
        Ok(NumberFormat {
            divide,
            decimals,
            thousands: entry.thousands,
            suffix: entry.suffix.clone(),
        })
    }

    fn decimals(&self, decimals: &Spanned<u8>) -> Built<u8> {
        const MOST: u8 = 17; // enough to distinguish any two floats
        if **decimals <= MOST {
            return Ok(**decimals);
        }
        Err(self.error(
            decimals,
            format!("at most {MOST} decimals, not `{decimals}`"),
        ))
    }
}
