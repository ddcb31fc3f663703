//! From what is written to what it means: every reference is resolved, every pattern compiled, and the first
//! mistake told with its place.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use indexmap::IndexMap;
use indexmap::map::Entry;
use toml::Spanned;

use super::file::{
    CatalogueFile, ColumnEntry, ComparisonSection, DeltasSection, FormatEntry, GateEntry, LabelledKey,
    MatrixEntry, MetricEntry, PageSection, ScopeEntry,
};
use super::{
    Catalogue, CatalogueError, Column, Comparison, Deltas, Formula, Gate, Glob, Matrix, Metric, NumberFormat,
    PRIMARY, Page, Pattern, Scenario, Scope, suggest, well_known,
};
use crate::row::Name;

type Built<T> = Result<T, CatalogueError>;

pub(super) fn build(file: CatalogueFile, text: &str) -> Built<Catalogue> {
    let builder = Builder { text, metrics: metric_names(&file) };
    let layouts = builder.layouts(&file)?;
    let metrics = builder.metrics(&file)?;
    Ok(Catalogue {
        primary: builder.metric_option(file.primary.as_ref())?,
        unlisted: file.rows.unlisted,
        layouts,
        ignore_columns: file.rows.ignore_columns.clone(),
        scopes: builder.scopes(&file.scopes)?,
        backends: builder.backends(&file)?,
        aliases: builder.aliases(&file),
        metrics,
        unlisted_metrics: Arc::default(),
        scenarios: builder.scenarios(&file)?,
        comparison: file.comparison.as_ref().map(|section| builder.comparison(section)).transpose()?,
        page: builder.page(&file.page)?,
        deltas: builder.deltas(&file.deltas)?,
        gates: file.gates.as_ref().map(|gates| builder.gates(gates)).transpose()?,
        file,
    })
}

/// What is in force: the file, with what it leaves out filled in.
pub(super) fn effective(catalogue: &Catalogue) -> CatalogueFile {
    let mut file = catalogue.file.clone();
    let layout = |names: &Vec<Name>| Spanned::new(0..0, names.iter().map(ToString::to_string).collect());
    file.rows.layouts = Some(catalogue.layouts.iter().map(layout).collect());
    for (entry, scope) in file.scopes.iter_mut().zip(&catalogue.scopes) {
        entry.platform = Some(Spanned::new(0..0, scope.pattern.as_str().to_owned()));
        entry.precedence = Some(scope.precedence);
    }
    let read = catalogue.layouts.iter().flatten().map(ToString::to_string);
    let listed: Vec<String> = file.metrics.keys().cloned().chain(read).collect();
    for name in listed {
        let metric = catalogue.metric(&name);
        let entry = file.metrics.entry(name).or_default();
        entry.label = Some(metric.label.clone());
        entry.unit = Some(metric.meaning.unit);
        entry.better = Some(metric.meaning.direction);
        entry.exact = Some(metric.meaning.exact);
        entry.decimals = metric.decimals.map(|decimals| Spanned::new(0..0, decimals));
        entry.fallback_for = metric.fallback_for.as_ref().map(|other| Spanned::new(0..0, other.to_string()));
    }
    file
}

/// Every metric that the file defines, or reads by a layout: what other places may refer to. `None` when it
/// does neither, as rows then define their own.
fn metric_names(file: &CatalogueFile) -> Option<Vec<String>> {
    if file.metrics.is_empty() {
        return None;
    }
    let layouts = file.rows.layouts.iter().flatten();
    let read = layouts.flat_map(|layout| layout.get_ref().iter().cloned());
    Some(file.metrics.keys().cloned().chain(read).collect())
}

struct Builder<'a> {
    text: &'a str,
    metrics: Option<Vec<String>>,
}

impl Builder<'_> {
    fn error(&self, span: Range<usize>, message: impl Into<String>) -> CatalogueError {
        CatalogueError::at(self.text, span, message)
    }

    fn metric(&self, name: &Spanned<String>) -> Built<Name> {
        let known = self.metrics.as_ref().is_none_or(|metrics| metrics.contains(name.get_ref()));
        if known {
            return Ok(name.get_ref().as_str().into());
        }
        let error = self.error(name.span(), format!("no metric is called `{}`", name.get_ref()));
        let names = self.metrics.iter().flatten().map(String::as_str);
        Err(error.with_hint(suggest(name.get_ref(), names)))
    }

    fn metric_option(&self, name: Option<&Spanned<String>>) -> Built<Option<Name>> {
        name.map(|name| self.metric(name)).transpose()
    }

    fn pattern(&self, source: &Spanned<String>) -> Built<Pattern> {
        let bad = |why| self.error(source.span(), format!("bad pattern `{}`: {why}", source.get_ref()));
        Pattern::new(source.get_ref()).map_err(bad)
    }

    fn word_or_pattern(&self, word: &str, pattern: Option<&Spanned<String>>) -> Built<Pattern> {
        pattern.map_or_else(|| Ok(Pattern::word(word)), |pattern| self.pattern(pattern))
    }

    fn fraction(&self, number: &Spanned<f64>, what: &str) -> Built<f64> {
        let value = *number.get_ref();
        if value.is_finite() && value >= 0.0 {
            return Ok(value);
        }
        let hint = Some("0.33 stands for 33 %".to_owned());
        Err(self
            .error(number.span(), format!("`{what}` must be a fraction from 0 up, not `{value}`"))
            .with_hint(hint))
    }

    fn layouts(&self, file: &CatalogueFile) -> Built<Vec<Vec<Name>>> {
        let Some(written) = &file.rows.layouts else {
            let known = well_known::LAYOUTS.iter();
            return Ok(known.map(|names| names.iter().map(|name| Name::from(*name)).collect()).collect());
        };
        let mut layouts: Vec<Vec<Name>> = Vec::new();
        for layout in written {
            let names = layout.get_ref();
            let repeated = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name));
            let problem = match repeated {
                _ if names.is_empty() => Some("a layout needs at least one metric".to_owned()),
                Some((_, name)) => Some(format!("the layout names `{name}` twice")),
                None if layouts.iter().any(|other| other.len() == names.len()) => {
                    Some(format!("a second layout of {} metrics: lines could not be told apart", names.len()))
                }
                None => None,
            };
            if let Some(problem) = problem {
                return Err(self.error(layout.span(), problem));
            }
            layouts.push(names.iter().map(|name| name.as_str().into()).collect());
        }
        layouts.sort_by_key(|layout| std::cmp::Reverse(layout.len()));
        Ok(layouts)
    }

    fn metrics(&self, file: &CatalogueFile) -> Built<IndexMap<Name, Arc<Metric>>> {
        let built = file
            .metrics
            .iter()
            .map(|(name, entry)| Ok((name.as_str().into(), Arc::new(self.metric_entry(name, entry)?))));
        built.collect()
    }

    fn metric_entry(&self, name: &str, entry: &MetricEntry) -> Built<Metric> {
        let mut metric = well_known::metric(name);
        if let Some(label) = &entry.label {
            metric.label.clone_from(label);
        }
        metric.meaning.unit = entry.unit.unwrap_or(metric.meaning.unit);
        metric.meaning.direction = entry.better.unwrap_or(metric.meaning.direction);
        metric.meaning.exact = entry.exact.unwrap_or(metric.meaning.exact);
        metric.formula = entry.formula.as_ref().map(|source| self.formula(source, name)).transpose()?;
        if let Some(other) = &entry.fallback_for {
            metric.fallback_for = Some(self.metric(other)?);
        }
        metric.format = entry.format.as_ref().map(|format| self.format(format)).transpose()?;
        metric.noun.clone_from(&entry.noun);
        if let Some(decimals) = &entry.decimals {
            metric.decimals = Some(self.decimals(decimals)?);
        }
        metric.default_gate = well_known::default_gate(name, metric.meaning);
        Ok(metric)
    }

    fn formula(&self, source: &Spanned<String>, own: &str) -> Built<Formula> {
        let bad = |message: String| {
            self.error(source.span(), format!("bad formula `{}`: {message}", source.get_ref()))
        };
        let formula = Formula::parse(source.get_ref())
            .map_err(|(at, why)| bad(format!("{why}, at character {}", at + 1)))?;
        for name in formula.metrics() {
            if **name == *own {
                return Err(bad("it needs itself".to_owned()));
            }
            self.metric(&Spanned::new(source.span(), name.to_string()))?;
        }
        Ok(formula)
    }

    fn format(&self, entry: &FormatEntry) -> Built<NumberFormat> {
        let divide = *entry.divide.get_ref();
        if !divide.is_normal() {
            return Err(self.error(entry.divide.span(), format!("values cannot be divided by `{divide}`")));
        }
        let decimals = self.decimals(&entry.decimals)?;
        Ok(NumberFormat { divide, decimals, thousands: entry.thousands, suffix: entry.suffix.clone() })
    }

    fn decimals(&self, decimals: &Spanned<u8>) -> Built<u8> {
        const MOST: u8 = 17; // what tells any two floats apart
        if *decimals.get_ref() <= MOST {
            return Ok(*decimals.get_ref());
        }
        Err(self.error(decimals.span(), format!("at most {MOST} decimals, not `{}`", decimals.get_ref())))
    }

    fn scopes(&self, entries: &[ScopeEntry]) -> Built<Vec<Scope>> {
        let mut scopes: Vec<Scope> = Vec::new();
        for (at, entry) in (0u32..).zip(entries) {
            let name = entry.name.get_ref().as_str();
            if scopes.iter().any(|other| *other.name == *name) {
                return Err(self.error(entry.name.span(), format!("a second scope is called `{name}`")));
            }
            scopes.push(Scope {
                name: name.into(),
                pattern: self.word_or_pattern(name, entry.platform.as_ref())?,
                backend: entry.backend.clone(),
                precedence: entry.precedence.unwrap_or(at),
            });
        }
        Ok(scopes)
    }

    fn backends(&self, file: &CatalogueFile) -> Built<Vec<(String, Pattern)>> {
        let built = file.backends.iter().map(|entry| {
            Ok((entry.name.clone(), self.word_or_pattern(&entry.name, entry.platform.as_ref())?))
        });
        built.collect()
    }

    #[expect(clippy::unused_self, reason = "one builder call for each part of the catalogue")]
    fn aliases(&self, file: &CatalogueFile) -> HashMap<String, Name> {
        let pairs = file.metrics.iter().flat_map(|(name, entry)| {
            entry.aliases.iter().map(move |alias| (alias.clone(), Name::from(name.as_str())))
        });
        pairs.collect()
    }

    fn scenarios(&self, file: &CatalogueFile) -> Built<IndexMap<Name, Scenario>> {
        let mut scenarios = IndexMap::with_capacity(file.scenarios.len());
        for entry in &file.scenarios {
            let primary = self.metric_option(entry.primary.as_ref())?;
            let scenario = Scenario { label: entry.label.clone(), primary };
            self.insert_once(&mut scenarios, &entry.key, scenario, "scenario")?;
        }
        Ok(scenarios)
    }

    fn insert_once<T>(
        &self,
        map: &mut IndexMap<Name, T>,
        key: &Spanned<String>,
        value: T,
        what: &str,
    ) -> Built<()> {
        match map.entry(key.get_ref().as_str().into()) {
            Entry::Vacant(slot) => {
                slot.insert(value);
                Ok(())
            }
            Entry::Occupied(_) => {
                Err(self.error(key.span(), format!("a second {what} has the key `{}`", key.get_ref())))
            }
        }
    }

    fn labelled(&self, entries: &[LabelledKey], what: &str) -> Built<IndexMap<Name, String>> {
        let mut labelled = IndexMap::with_capacity(entries.len());
        for entry in entries {
            let label = entry.label.clone().unwrap_or_else(|| entry.key.get_ref().clone());
            self.insert_once(&mut labelled, &entry.key, label, what)?;
        }
        Ok(labelled)
    }

    fn comparison(&self, section: &ComparisonSection) -> Built<Comparison> {
        let technologies = self.labelled(&section.technologies, "technology")?;
        for (text, what) in [(&section.prefix, "prefix"), (&section.separator, "separator")] {
            if text.get_ref().is_empty() {
                return Err(self.error(text.span(), format!("the comparison's {what} is empty")));
            }
        }
        let subject = section.subject.get_ref().as_str();
        if !technologies.contains_key(subject) {
            let error = self.error(
                section.subject.span(),
                format!("the subject `{subject}` is not among the technologies"),
            );
            return Err(error.with_hint(suggest(subject, technologies.keys().map(|key| &**key))));
        }
        Ok(Comparison {
            prefix: section.prefix.get_ref().clone(),
            separator: section.separator.get_ref().clone(),
            subject: subject.into(),
            label: section.label.clone(),
            technologies,
            scenarios: self.labelled(&section.scenarios, "comparison scenario")?,
            matrices: section.matrices.iter().map(|entry| self.matrix(entry)).collect::<Built<_>>()?,
        })
    }

    fn matrix(&self, entry: &MatrixEntry) -> Built<Matrix> {
        let metric = self.metric(&entry.metric)?;
        let heading = entry.heading.clone().unwrap_or_else(|| format!("Comparison - {metric} ({{where}})"));
        Ok(Matrix { metric, heading, bold_winner: entry.bold_winner })
    }

    fn page(&self, section: &PageSection) -> Built<Page> {
        let level = *section.heading_level.get_ref();
        if !(1..=6).contains(&level) {
            return Err(self
                .error(section.heading_level.span(), format!("headings have levels 1 to 6, not `{level}`")));
        }
        let columns = section.columns.as_ref();
        Ok(Page {
            region: section.region.clone(),
            heading_level: level,
            heading: section.heading.clone(),
            scenario_label: section.scenario_label.clone(),
            columns: columns
                .map(|columns| columns.iter().map(|entry| self.column(entry)).collect())
                .transpose()?,
        })
    }

    fn column(&self, entry: &ColumnEntry) -> Built<Column> {
        let metric = if entry.metric.get_ref() == PRIMARY { None } else { Some(self.metric(&entry.metric)?) };
        Ok(Column { label: entry.label.clone(), metric, always: entry.always })
    }

    fn deltas(&self, section: &DeltasSection) -> Built<Deltas> {
        let also = section.also.as_ref();
        Ok(Deltas {
            tolerance: self.fraction(&section.tolerance, "tolerance")?,
            threshold: self.fraction(&section.threshold, "threshold")?,
            plus: section.plus,
            also: also.map(|names| names.iter().map(|name| self.metric(name)).collect()).transpose()?,
        })
    }

    fn gates(&self, entries: &[GateEntry]) -> Built<Vec<Gate>> {
        entries.iter().map(|entry| self.gate(entry)).collect()
    }

    fn gate(&self, entry: &GateEntry) -> Built<Gate> {
        let glob = |source: &Spanned<String>| {
            Glob::new(source.get_ref())
                .map_err(|why| self.error(source.span(), format!("bad pattern: {why}")))
        };
        Ok(Gate {
            metric: self.metric(&entry.metric)?,
            rule: entry.rule,
            threshold: entry
                .threshold
                .as_ref()
                .map(|number| self.fraction(number, "threshold"))
                .transpose()?,
            rows: entry.rows,
            scenarios: entry.scenarios.as_ref().map(|list| list.iter().map(glob).collect()).transpose()?,
            requires: self.metric_option(entry.requires.as_ref())?,
        })
    }
}
