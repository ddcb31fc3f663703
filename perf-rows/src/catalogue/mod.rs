//! The catalogue: what a project says about its rows in `perf-gate.toml`.
//!
//! [`file`] is how it is written, [`Catalogue`] what it means. An empty catalogue is a good one: scenarios come
//! in order of first appearance, metrics are known by name and unit, and every platform is a scope.

mod build;
mod error;
pub mod file;
mod formula;
mod pattern;
mod well_known;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use indexmap::IndexMap;

pub use self::error::CatalogueError;
pub(crate) use self::error::suggest;
pub use self::file::{CatalogueFile, GateRows, GateRule, Plus, Unlisted};
pub use self::formula::Formula;
pub use self::pattern::{Glob, Pattern};
use crate::metric::Meaning;
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
    /// The scopes, in headline order; empty when every platform is one.
    pub scopes: Vec<Scope>,
    backends: Vec<(String, Pattern)>,
    metrics: IndexMap<Name, Arc<Metric>>,
    /// What names alone told so far, as rows of one metric come in thousands.
    unlisted_metrics: Arc<Mutex<HashMap<String, Arc<Metric>>>>,
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
}

/// Where rows ran.
#[derive(Clone, Debug)]
pub struct Scope {
    /// Its name.
    pub name: Name,
    pattern: Pattern,
    backend: Option<String>,
    precedence: u32,
}

/// What is measured.
#[derive(Clone, Debug, Default)]
pub struct Scenario {
    /// The name for people.
    pub label: Option<String>,
    /// The metric that stands for it.
    pub primary: Option<Name>,
}

/// A column of numbers.
#[derive(Clone, Debug)]
pub struct Metric {
    /// The name that rows use.
    pub name: Name,
    /// The name for people.
    pub label: String,
    /// Unit, direction, and whether it is counted.
    pub meaning: Meaning,
    /// How it is computed when it is not read.
    pub formula: Option<Formula>,
    /// The metric in whose absence it is a result.
    pub fallback_for: Option<Name>,
    /// How values are shown; `None` scales and rounds them to fit.
    pub format: Option<NumberFormat>,
    /// What a difference is counted in.
    pub noun: Option<String>,
    /// Decimals in the baseline; `None` keeps the number.
    pub decimals: Option<u8>,
    /// How it fails a change in a catalogue without gates.
    pub default_gate: Option<GateRule>,
}

/// How values are shown: `value / divide` with so many decimals, then the suffix.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberFormat {
    /// What values are divided by.
    pub divide: f64,
    /// Digits behind the point.
    pub decimals: u8,
    /// Whether groups of three digits are set apart.
    pub thousands: bool,
    /// What follows the number.
    pub suffix: String,
}

/// The same work done by several libraries.
#[derive(Clone, Debug)]
pub struct Comparison {
    prefix: String,
    separator: String,
    /// Key of the project's own technology.
    pub subject: Name,
    /// Heading of the first column.
    pub label: String,
    /// Keys and labels of the libraries, in order.
    pub technologies: IndexMap<Name, String>,
    /// Keys and labels of the work, in order.
    pub scenarios: IndexMap<Name, String>,
    /// One matrix for each metric.
    pub matrices: Vec<Matrix>,
}

/// A table of technologies × scenarios.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// The metric in the cells.
    pub metric: Name,
    /// The heading, with places to fill in.
    pub heading: String,
    /// Whether the best cells of each column are bold.
    pub bold_winner: bool,
}

/// The document's region.
#[derive(Clone, Debug)]
pub struct Page {
    /// The name in the markers.
    pub region: Option<String>,
    /// How deep the headings are, 1–6.
    pub heading_level: u8,
    /// Heading of each scope's table, with places to fill in.
    pub heading: String,
    /// Heading of the column of scenarios.
    pub scenario_label: String,
    /// The columns behind the scenario; `None` is one for each metric that is a result.
    pub columns: Option<Vec<Column>>,
}

/// A column of a scope's table.
#[derive(Clone, Debug)]
pub struct Column {
    /// The heading.
    pub label: String,
    /// The metric, or `None` for the one that stands for each scenario.
    pub metric: Option<Name>,
    /// Whether it stays when nothing was measured.
    pub always: bool,
}

/// The table of differences.
#[derive(Clone, Debug)]
pub struct Deltas {
    /// How far a number may move before people are told.
    pub tolerance: f64,
    /// How far throughput may drop before a change fails.
    pub threshold: f64,
    /// What plus means.
    pub plus: Plus,
    /// Metrics shown beside the primary one; `None` gives each metric a line.
    pub also: Option<Vec<Name>>,
}

/// What fails a change.
#[derive(Clone, Debug)]
pub struct Gate {
    /// The metric that is looked at.
    pub metric: Name,
    /// How it fails.
    pub rule: GateRule,
    /// The threshold of this gate alone.
    pub threshold: Option<f64>,
    /// Which rows it looks at.
    pub rows: GateRows,
    scenarios: Option<Vec<Glob>>,
    /// A metric that the baseline must have more than zero of.
    pub requires: Option<Name>,
}

/// What a scenario's key says: the project's own, or one side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family<'a> {
    /// One of the project's own scenarios.
    Own,
    /// A technology doing comparable work.
    Comparison {
        /// Key of the technology.
        technology: &'a str,
        /// Key of the work.
        work: &'a str,
    },
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

    /// Everything that is in force, as a `perf-gate.toml`.
    pub fn effective(&self) -> String {
        let text = toml::to_string_pretty(&build::effective(self)).unwrap_or_default();
        text.trim_end().to_owned() + "\n"
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
        self.aliases.get(written).map_or_else(|| well_known::canonical(written), AsRef::as_ref)
    }

    /// The scope of a platform: its place in headline order and its name. Without listed scopes each platform
    /// is one; with them, a platform that matches none has no scope.
    pub fn scope_of<'a>(&'a self, platform: &'a str) -> Option<(usize, &'a str)> {
        if self.scopes.is_empty() {
            return Some((0, platform));
        }
        let matching = self.scopes.iter().enumerate().filter(|(_, scope)| scope.pattern.matches(platform));
        matching.min_by_key(|(_, scope)| scope.precedence).map(|(at, scope)| (at, &*scope.name))
    }

    /// What executed the rows of a platform: the first backend that it names, else its scope's.
    pub fn backend_of(&self, platform: &str) -> Option<&str> {
        let named = self.backends.iter().find(|(_, pattern)| pattern.matches(platform));
        named.map(|(name, _)| name.as_str()).or_else(|| {
            let (at, _) = self.scope_of(platform)?;
            self.scopes.get(at)?.backend.as_deref()
        })
    }

    /// Whether a scenario is the project's own or a side of a comparison.
    pub fn family<'a>(&self, scenario: &'a str) -> Family<'a> {
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

impl Comparison {
    /// Technology and work of a comparison row's scenario: by the longest listed technology, else up to the
    /// first separator.
    fn split<'a>(&self, scenario: &'a str) -> Option<(&'a str, &'a str)> {
        let rest = scenario.strip_prefix(&*self.prefix)?;
        let listed = self.technologies.keys().filter_map(|key| {
            let work = rest.strip_prefix(&**key)?.strip_prefix(&*self.separator)?;
            Some((&rest[..key.len()], work))
        });
        listed.max_by_key(|(technology, _)| technology.len()).or_else(|| rest.split_once(&*self.separator))
    }
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
}
