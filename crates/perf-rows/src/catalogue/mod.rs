//! The catalogue: what a project says about its rows in `perf-gate.toml`.
//!
//! [`mod@file`] is how it is written, [`Catalogue`] what it means. An empty catalogue is a good one: scenarios come
//! in order of first appearance, metrics are known by name and unit, and every platform is a scope.

mod build;
mod comparison;
mod date;
mod deltas;
mod effective;
mod error;
mod fail_on;
pub mod file;
mod floor;
mod formula;
mod gates;
mod harness;
mod history;
mod metrics;
mod page;
mod pattern;
mod scopes;
mod waivers;
mod well_known;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::fast::RandomState;
use indexmap::IndexMap;

pub use self::comparison::{Comparison, Family, Matrix};
pub use self::date::{Date, NoDate};
pub use self::deltas::Deltas;
pub use self::error::{CatalogueError, suggest};
pub use self::fail_on::{FailOn, UnknownVerdict};
pub use self::file::{CatalogueFile, GateRows, GateRule, Plus, Suspects, Unlisted};
pub use self::floor::Floor;
pub use self::formula::Formula;
pub use self::gates::Gate;
pub use self::harness::{Harness, PathPattern};
pub use self::history::HistoryPolicy;
pub use self::metrics::{Declared, DefaultGate, Metric, NumberFormat};
pub use self::page::{Column, Page};
pub use self::pattern::{Glob, Pattern};
pub use self::scopes::Scope;
pub use self::waivers::Waiver;
pub(crate) use self::well_known::spread_of;
use crate::row::Name;

/// The name that a page's column or a scenario gives to "the metric that stands for the scenario".
pub const PRIMARY: &str = "primary";

/// What a project says about its rows, checked: every name that is referred to exists.
#[derive(Clone, Debug)]
pub struct Catalogue {
    file: CatalogueFile,
    /// The metric that stands for a scenario that names none.
    pub primary: Option<Name>,
    /// What happens to scenarios that are not listed.
    pub unlisted: Unlisted,
    /// Metric columns of CSV lines without a header, widest first.
    pub layouts: Vec<Vec<Name>>,
    /// Columns that are not metrics.
    pub ignore_columns: Vec<String>,
    /// Columns that are dates besides `measuredAt`, in small letters without separators; a history may have others.
    pub date_columns: Vec<&'static str>,
    /// How the project measures, in its own words; numbers of different making are not compared.
    pub methodology: Option<Name>,
    /// The scopes, in headline order; empty when every platform is one.
    pub scopes: Vec<Scope>,
    backends: Vec<(String, Pattern)>,
    metrics: Metrics,
    /// What names alone told so far, as rows of one metric come in thousands.
    unlisted_metrics: Arc<Mutex<HashMap<String, Arc<Metric>, RandomState>>>,
    /// Other names that rows use, and the metrics that they stand for.
    aliases: HashMap<String, Name>,
    /// The listed scenarios, in order.
    pub scenarios: IndexMap<Name, Scenario>,
    /// The same work done by several libraries.
    pub comparison: Option<Comparison>,
    /// The document's region.
    pub page: Page,
    /// The table of differences.
    pub deltas: Deltas,
    /// What fails a change; `None` derives it from each metric.
    pub gates: Option<Vec<Gate>>,
    /// What measures besides the code that is measured.
    pub harness: Harness,
    /// How earlier baselines are used.
    pub history: HistoryPolicy,
    /// Regressions that are known and excused for a while.
    pub waivers: Vec<Waiver>,
}

/// Metrics by their names.
type Metrics = IndexMap<Name, Arc<Metric>, RandomState>;

/// What is measured.
#[derive(Clone, Debug, Default)]
pub struct Scenario {
    /// The name for people.
    pub label: Option<String>,
    /// The metric that stands for it.
    pub primary: Option<Name>,
}

impl Catalogue {
    /// Reads `perf-gate.toml`.
    ///
    /// # Errors
    /// The first mistake, with its line and column.
    pub fn parse(text: &str) -> Result<Self, CatalogueError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let file: CatalogueFile =
            toml::from_str(text).map_err(|error| CatalogueError::from_toml(text, &error))?;
        build::build(file, text)
    }

    /// Everything that is in force, as a `perf-gate.toml` that says the same; what is known without being listed
    /// stands in comments.
    ///
    /// # Errors
    /// When it cannot be written as TOML; no such catalogue is known.
    pub fn effective(&self) -> Result<String, toml::ser::Error> {
        effective::text(self)
    }

    /// What is known of a metric: from the catalogue, by its well-known name, or by its unit.
    pub fn metric(&self, name: &str) -> Arc<Metric> {
        if let Some(listed) = self.metrics.get(name) {
            return Arc::clone(listed);
        }
        let mut known = self.unlisted_metrics.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(metric) = known.get(name) {
            return Arc::clone(metric);
        }
        let metric = Arc::new(well_known::metric(name));
        known.insert(name.to_owned(), Arc::clone(&metric));
        metric
    }

    /// The same for another thread, sharing no metric: two that count the users of one wait for each other.
    #[must_use]
    pub fn apart(&self) -> Self {
        let mut apart = self.clone();
        for metric in apart.metrics.values_mut() {
            *metric = Arc::new(Metric::clone(metric));
        }
        let known = self.unlisted_metrics.lock().unwrap_or_else(PoisonError::into_inner);
        let own = known.iter().map(|(name, metric)| (name.clone(), Arc::new(Metric::clone(metric))));
        apart.unlisted_metrics = Arc::new(Mutex::new(own.collect()));
        apart
    }

    /// Takes over what inputs said of metrics that the catalogue does not list. What was learnt first, or used
    /// already, stays.
    pub fn learn(&self, declared: &IndexMap<Name, Declared>) {
        let mut known = self.unlisted_metrics.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, declared) in declared {
            known.entry(name.to_string()).or_insert_with(|| Arc::new(well_known::declared(name, declared)));
        }
    }

    /// Whether the catalogue itself says which columns rows have.
    pub fn declares_layouts(&self) -> bool {
        self.file.rows.layouts.is_some()
    }

    /// The metrics that the catalogue lists, in order.
    pub fn listed_metrics(&self) -> impl Iterator<Item = &Arc<Metric>> {
        self.metrics.values()
    }

    /// The name that a column or key of a row stands for.
    pub fn metric_name<'a>(&'a self, written: &'a str) -> &'a str {
        self.aliases.get(written).map_or(written, AsRef::as_ref)
    }

    /// The scope of a platform: its place in headline order and its name. Without listed scopes each platform
    /// is one; with them, a platform that matches none has no scope.
    pub fn scope_of<'a>(&'a self, platform: &'a str) -> Option<(usize, &'a str)> {
        if self.scopes.is_empty() {
            return Some((0, platform));
        }
        let matching = self.scopes.iter().enumerate().filter(|(_, scope)| scope.pattern.matches(platform));
        matching.min_by_key(|(_, scope)| scope.rank()).map(|(at, scope)| (at, &*scope.name))
    }

    /// What executed the rows of a platform: the first backend that it names, else its scope's.
    pub fn backend_of(&self, platform: &str) -> Option<&str> {
        let named = self.backends.iter().find(|(_, pattern)| pattern.matches(platform));
        named.map(|(name, _)| name.as_str()).or_else(|| {
            let (at, _) = self.scope_of(platform)?;
            self.scopes.get(at)?.backend.as_deref()
        })
    }

    /// Whether a scenario is the project's own, as every listed one is, or a side of a comparison.
    pub fn family<'a>(&self, scenario: &'a str) -> Family<'a> {
        if self.scenarios.contains_key(scenario) {
            return Family::Own;
        }
        let split = self.comparison.as_ref().and_then(|comparison| comparison.split(scenario));
        split.map_or(Family::Own, |(technology, work)| Family::Comparison { technology, work })
    }

    /// Whether the catalogue names a scenario, or lists none at all.
    pub fn lists(&self, scenario: &str) -> bool {
        match (self.family(scenario), &self.comparison) {
            (Family::Comparison { technology, work }, Some(comparison)) => {
                comparison.technologies.contains_key(technology) && comparison.scenarios.contains_key(work)
            }
            _ => self.scenarios.is_empty() || self.scenarios.contains_key(scenario),
        }
    }

    /// A scenario's name for people: its label, or the label of the work that it compares.
    pub fn label<'a>(&'a self, scenario: &'a str) -> &'a str {
        match (self.family(scenario), &self.comparison) {
            (Family::Comparison { work, .. }, Some(comparison)) => {
                comparison.scenarios.get(work).map_or(work, String::as_str)
            }
            _ => self.scenarios.get(scenario).and_then(|listed| listed.label.as_deref()).unwrap_or(scenario),
        }
    }

    /// The metric that the catalogue says stands for a scenario.
    pub fn primary_of(&self, scenario: &str) -> Option<&Name> {
        self.scenarios.get(scenario).and_then(|listed| listed.primary.as_ref()).or(self.primary.as_ref())
    }
}

impl Default for Catalogue {
    /// The catalogue of a project that has none.
    fn default() -> Self {
        build::build(CatalogueFile::default(), "")
            .unwrap_or_else(|_| unreachable!("an empty catalogue is valid"))
    }
}
