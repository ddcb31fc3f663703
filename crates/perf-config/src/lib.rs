//! The config: a project's settings in `perf-gate.toml`.
//!
//! [`mod@file`] defines the file's format, and [`Config`] is the checked result. An empty config is valid: scenarios are in
//! order of first appearance, metrics are derived from their names, and every platform is a scope.

mod amount;
mod build;
mod comparison;
mod deltas;
mod effective;
mod error;
pub mod file;
mod gates;
mod glob;
mod history;
mod metrics;
mod names;
mod page;
mod scopes;
mod waivers;

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use indexmap::IndexMap;

pub use self::amount::{Amount, Budget};
pub use self::comparison::{LibraryComparison, Matrix};
pub use self::deltas::DeltasConfig;
pub use self::error::ConfigError;
pub use self::file::*;
pub use self::gates::{Gate, Reference};
pub use self::glob::{Glob, PathPattern};
pub use self::history::HistoryPolicy;
pub use self::names::{NamesOfRows, Required};
pub use self::scopes::{Pattern, Scope};
pub use self::waivers::{Date, Waiver};
use perf_model::metric::{self, Declarations, Metric};
use perf_model::row::Name;
use perf_model::suite::{Definitions, Family};

/// The metric name in a page column that stands for each scenario's primary metric.
pub const PRIMARY: &str = "primary";

/// The maximum config size in bytes, which is enough for a hundred thousand names. Parsing takes up to eighty times the
/// size in memory.
const LARGEST: usize = 4 * 1024 * 1024;

/// A project's checked config: all references are resolved.
#[derive(Clone, Debug)]
pub struct Config {
    file: ConfigFile,
    /// The primary metric of scenarios that set none.
    pub primary: Option<Name>,
    /// Whether unlisted scenarios are kept or dropped.
    pub unlisted: Unlisted,
    /// Metric columns in CSV lines without a header, widest first.
    pub layouts: Vec<Vec<Name>>,
    /// The columns of rows that are not metrics.
    pub ignore_columns: Vec<String>,
    /// The unit of latencies if the tool prints none.
    pub unit: Option<TimeUnit>,
    /// The methodology, in the project's own words; numbers with different methodologies are not compared.
    pub methodology: Option<Name>,
    /// The scopes, in display order. If the list is empty, every platform is a scope.
    pub scopes: Vec<Scope>,
    backends: Vec<(String, Pattern)>,
    /// The listed metrics in order, followed by those that [`Self::with_metrics`] added.
    metrics: KnownMetrics,
    /// Names that can only be checked against rows.
    mentions: Vec<build::Mention>,
    /// Metric names by alias.
    aliases: HashMap<String, Name>,
    /// The listed scenarios, in order.
    pub scenarios: IndexMap<Name, ListedScenario>,
    /// The same work done by several libraries.
    pub comparison: Option<LibraryComparison>,
    /// The marked section of the page.
    pub page: PageSection,
    /// The table of differences.
    pub deltas: DeltasConfig,
    /// The gates. A metric that no gate with a rule covers uses its default rule, unless a gate has `only`. An empty list
    /// gates nothing.
    pub gates: Option<Vec<Gate>>,
    /// The benchmarks and scopes that every run must measure.
    pub required: Vec<Required>,
    /// The files that numbers depend on in addition to the measured code: benchmark files and toolchain.
    pub harness: HarnessSection,
    /// How earlier baselines are used.
    pub history: HistoryPolicy,
    /// Known regressions, excused until a date.
    pub waivers: Vec<Waiver>,
}

/// Metrics by their names.
type KnownMetrics = IndexMap<Name, Arc<Metric>, RandomState>;

/// A scenario that the config lists.
#[derive(Clone, Debug, Default)]
pub struct ListedScenario {
    /// The name for people; `None` uses the key.
    pub label: Option<String>,
    /// The scenario's primary metric; `None` uses [`Config::primary`].
    pub primary: Option<Name>,
}

impl Config {
    /// Parses `perf-gate.toml`.
    ///
    /// # Errors
    /// Returns the first mistake, with its line and column.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.len() > LARGEST {
            let message = format!("the config is larger than {} MiB", LARGEST / (1024 * 1024));
            return Err(ConfigError::at(text, 0..0, message));
        }
        let file: ConfigFile =
            toml::from_str(text).map_err(|error| ConfigError::from_toml(text, &error))?;
        build::build(file, text)
    }

    /// Returns all settings as an equivalent `perf-gate.toml`. Effective settings that are not in the file are comments.
    pub fn effective(&self) -> Result<String, toml::ser::Error> {
        effective::text(self)
    }

    /// The settings for the baseline: samples, digits, and the rows that a refresh replaces.
    pub fn baseline(&self) -> &BaselineSection {
        &self.file.baseline
    }

    /// The benchmark's command and results.
    pub fn run(&self) -> &RunSection {
        &self.file.run
    }

    /// The settings for profiling regressions.
    pub fn why(&self) -> &WhySection {
        &self.file.why
    }

    /// The project files.
    pub fn files(&self) -> &FilesSection {
        &self.file.files
    }

    /// The settings for committing refreshed files.
    pub fn refresh(&self) -> &RefreshSection {
        &self.file.refresh
    }

    /// The files whose changes require a review of the numbers.
    pub fn review(&self) -> &[PathPattern] {
        &self.file.review.paths
    }

    /// The settings of the comments that the action posts.
    pub fn comment(&self) -> &CommentSection {
        &self.file.comment
    }

    /// The formats that the config describes.
    pub fn formats(&self) -> impl Iterator<Item = &FormatSpec> {
        self.file.formats.iter().map(|format| &**format)
    }

    /// Whether malformed rows are an error.
    pub fn is_strict(&self) -> bool {
        self.file.rows.strict
    }

    /// Returns the renamed benchmarks, as pairs of the name in earlier baselines and the current name.
    pub fn renamed(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = &self.file.rows.renamed;
        // Limited to the number of renames, because they may be circular.
        let last = |new: &String| {
            std::iter::successors(all.get(new), |name| all.get(*name))
                .take(all.len())
                .last()
        };
        all.iter()
            .map(move |(old, new)| (old.as_str(), last(new).unwrap_or(new).as_str()))
    }

    /// The benchmarks that `perf-gate measure` runs.
    pub fn measure(&self) -> &[MeasureEntry] {
        &self.file.measure
    }

    /// The protocol that the harnesses of `perf-gate measure window` share.
    pub fn protocol(&self) -> &ProtocolSection {
        &self.file.protocol
    }

    /// Returns the config with additional metrics: those that inputs declare and the config does not list, and those in
    /// rows. Adding the metrics in rows makes lookups fast.
    #[must_use]
    pub fn with_metrics<'n>(
        mut self,
        declared: &Declarations,
        used: impl IntoIterator<Item = &'n Name>,
    ) -> Self {
        for (name, declared) in declared.iter() {
            if !self.lists_metric(name) {
                let metric = Arc::new(metric::declared(name, declared));
                self.metrics.insert(Name::clone(name), metric);
            }
        }
        for name in used {
            let metric = self.metric(name);
            self.metrics.insert(Name::clone(name), metric);
        }
        self
    }

    /// Whether a metric's default rule applies to a benchmark: no gate with a rule covers both, and no gate excludes other
    /// metrics. An empty list of gates excludes all.
    pub fn leaves_default(&self, metric: &str, scenario: &str) -> bool {
        let Some(gates) = &self.gates else {
            return true;
        };
        let mut replacing = gates.iter().filter(|gate| {
            gate.is_only || gate.rule.is_some() && gate.looks_at(metric) && gate.lists(scenario)
        });
        !gates.is_empty() && replacing.next().is_none()
    }

    /// Whether any gate has a budget, which can fail without a baseline.
    pub fn has_budgets(&self) -> bool {
        self.gates
            .iter()
            .flatten()
            .any(|gate| gate.budget.is_some())
    }

    /// Returns the config for rereading a file: all rows and columns are kept, including those that the config drops from
    /// new files.
    #[must_use]
    pub fn keeping_all(self) -> Self {
        Self {
            unlisted: Unlisted::Keep,
            ignore_columns: Vec::new(),
            ..self
        }
    }

    /// Returns the config with another unit for latencies from tools that print none.
    #[must_use]
    pub fn with_unit(mut self, unit: TimeUnit) -> Self {
        (self.unit, self.file.rows.unit) = (Some(unit), Some(unit));
        self
    }

    /// Whether the config lists row layouts.
    pub fn declares_layouts(&self) -> bool {
        self.file.rows.layouts.is_some()
    }

    /// Whether the config lists a metric.
    pub fn lists_metric(&self, name: &str) -> bool {
        self.file.metrics.contains_key(name)
    }

    /// The metrics that the config lists, in order.
    pub fn listed_metrics(&self) -> impl Iterator<Item = &Arc<Metric>> {
        self.metrics.values().take(self.file.metrics.len())
    }

    /// Resolves the name in a row's column or key, which may be an alias.
    pub fn metric_name<'a>(&'a self, written: &'a str) -> &'a str {
        self.aliases.get(written).map_or(written, AsRef::as_ref)
    }

    /// Returns the backend that executed a platform's rows: the first whose pattern matches, or otherwise the scope's
    /// backend.
    pub fn backend_of(&self, platform: &str) -> Option<&str> {
        for (name, pattern) in &self.backends {
            if pattern.matches(platform) {
                return Some(name);
            }
        }
        let (at, _) = self.scope_of(platform)?;
        self.scopes.get(at)?.backend.as_deref()
    }

    /// Splits a comparison row's scenario into library and work. A listed scenario is never part of the comparison.
    fn compared<'a>(&self, scenario: &'a str) -> Option<(&LibraryComparison, &'a str, &'a str)> {
        if self.scenarios.contains_key(scenario) {
            return None;
        }
        let comparison = self.comparison.as_ref()?;
        let (library, work) = comparison.split(scenario)?;
        Some((comparison, library, work))
    }

    /// Whether the config lists a scenario. If it lists none, every scenario outside the comparison is listed.
    pub fn lists(&self, scenario: &str) -> bool {
        if let Some((comparison, library, work)) = self.compared(scenario) {
            return comparison.technologies.contains_key(library)
                && comparison.scenarios.contains_key(work);
        }
        self.scenarios.is_empty() || self.scenarios.contains_key(scenario)
    }

    /// Returns a scenario's name for people. In a comparison row, this is the label of the work.
    pub fn label<'a>(&'a self, scenario: &'a str) -> &'a str {
        if let Some((comparison, _, work)) = self.compared(scenario) {
            return comparison.scenarios.get(work).map_or(work, String::as_str);
        }
        let listed = self.scenarios.get(scenario);
        listed
            .and_then(|listed| listed.label.as_deref())
            .unwrap_or(scenario)
    }
}

impl Definitions for Config {
    // Without listed scopes, each platform is a scope. With listed scopes, a platform that matches none belongs to no
    // scope.
    fn scope_of<'a>(&'a self, platform: &'a str) -> Option<(usize, &'a str)> {
        if self.scopes.is_empty() {
            return Some((0, platform));
        }
        let scopes = self.scopes.iter().enumerate();
        let (at, scope) = scopes
            .filter(|(_, scope)| scope.pattern.matches(platform))
            .min_by_key(|(_, scope)| scope.rank)?;
        Some((at, &scope.name))
    }

    fn family<'a>(&self, scenario: &'a str) -> Family<'a> {
        match self.compared(scenario) {
            Some((_, technology, work)) => Family::Comparison { technology, work },
            None => Family::Own,
        }
    }

    // The project's own scenarios come before comparisons, and listed ones before others, each in config order.
    fn rank(&self, scenario: &str) -> (bool, usize, usize) {
        let last = usize::MAX;
        let Some((comparison, library, work)) = self.compared(scenario) else {
            let at = self.scenarios.get_index_of(scenario);
            return (false, at.unwrap_or(last), 0);
        };
        let work = comparison.scenarios.get_index_of(work);
        let library = comparison.technologies.get_index_of(library);
        (true, work.unwrap_or(last), library.unwrap_or(last))
    }

    // A metric that is neither in the config nor in any row is derived from its name.
    fn metric(&self, name: &str) -> Arc<Metric> {
        match self.metrics.get(name) {
            Some(metric) => Arc::clone(metric),
            None => Arc::new(metric::metric(name)),
        }
    }

    fn primary_of(&self, scenario: &str) -> Option<&Name> {
        self.scenarios
            .get(scenario)
            .and_then(|listed| listed.primary.as_ref())
            .or(self.primary.as_ref())
    }
}

impl Default for Config {
    /// The config of a project without a config file.
    fn default() -> Self {
        build::build(ConfigFile::default(), "")
            .unwrap_or_else(|_| unreachable!("an empty config is valid"))
    }
}
