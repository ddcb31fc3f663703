//! `perf-gate.toml` as it is written: every key, with its meaning for people who write one.
//!
//! The doc comments here become the descriptions in the published JSON Schema. [`super::Config`] is the checked
//! result.

mod files;
mod formats;
mod policy;
mod report;

use std::borrow::Borrow;
use std::fmt;
use std::ops::{Deref, Range};

use indexmap::IndexMap;
use perf_model::metric::{Direction, Unit};
use serde::{Deserialize, Serialize};

pub use self::files::*;
pub use self::formats::*;
pub use self::policy::*;
pub use self::report::*;

/// The config of a project's performance numbers. Everything is optional; defaults are derived from the rows.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "perf-gate.toml"))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ConfigFile {
    /// The URL or path of this schema, for editors; ignored otherwise.
    #[serde(rename = "$schema")]
    pub schema: Option<String>,
    /// A scenario's default metric. Default: the first measured metric in the row.
    pub primary: Option<Spanned<String>>,
    /// How the numbers are produced, in your own words. Every row contains it, and rows with different
    /// methodologies are never compared: change it when the harness or its settings change.
    pub methodology: Option<Spanned<String>>,
    /// The benchmark: its command and its results.
    pub run: RunSection,
    /// The functions that caused a regression.
    pub why: WhySection,
    /// The project files.
    pub files: FilesSection,
    /// How refreshed files are committed.
    pub refresh: RefreshSection,
    /// How the action reports, and additional comments.
    pub comment: CommentSection,
    /// How rows are read and written.
    pub rows: RowsSection,
    /// The part of a run that a baseline keeps.
    pub baseline: BaselineSection,
    /// Where rows ran, in headline order.
    pub scopes: Vec<ScopeEntry>,
    /// The backends that executed the rows, by platform; the first match is used.
    pub backends: Vec<BackendEntry>,
    /// The metrics, by their name in rows, in the order of columns.
    pub metrics: IndexMap<Spanned<String>, MetricEntry>,
    /// The scenarios, in the order of tables.
    pub scenarios: Vec<ScenarioEntry>,
    /// The same work done by several libraries.
    pub comparison: Option<ComparisonSection>,
    /// The region of the document.
    pub page: PageSection,
    /// The table of differences.
    pub deltas: DeltasSection,
    /// The gates: rules that fail a change. Default: throughput and times by the limit, allocations exactly, wall
    /// clock never.
    pub gates: Option<Vec<GateEntry>>,
    /// The benchmarks that every run must have measured: keys, or `{ benchmark, scope }`; `*` matches any text, `?`
    /// one character. A run that misses one fails, and is not written to a baseline.
    pub required: Vec<Spanned<RequiredEntry>>,
    /// The benchmark files, as opposed to the measured code.
    pub harness: HarnessSection,
    /// The files whose changes require a review of the numbers.
    pub review: ReviewSection,
    /// How earlier baselines are used. If this section exists, the action uses them.
    pub history: Option<HistorySection>,
    /// Known regressions, excused until a date.
    pub waivers: Vec<WaiverEntry>,
    /// Additional formats of benchmark output; they are tried before the built-in ones.
    pub formats: Vec<Spanned<FormatSpec>>,
    /// The protocol that the harnesses of `perf-gate measure window` share.
    pub protocol: ProtocolSection,
    /// The benchmarks of `perf-gate measure`.
    pub measure: Vec<MeasureEntry>,
}

/// A required benchmark.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected a benchmark, or a table with `benchmark` or `scope`"
)]
pub enum RequiredEntry {
    /// The benchmark's key.
    Benchmark(String),
    /// A benchmark in a scope, or any benchmark in it.
    Scoped {
        /// The benchmark's key. Default: any.
        benchmark: Option<String>,
        /// The scope. Default: any.
        scope: Option<String>,
    },
}

impl RequiredEntry {
    /// The benchmark and the scope.
    pub(crate) fn parts(&self) -> (Option<&String>, Option<&String>) {
        match self {
            Self::Benchmark(benchmark) => (Some(benchmark), None),
            Self::Scoped { benchmark, scope } => (benchmark.as_ref(), scope.as_ref()),
        }
    }
}

/// How rows are read and written.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RowsSection {
    /// The treatment of a scenario that is not listed.
    pub unlisted: Unlisted,
    /// CSV lines without a header: the metrics after `scenario,platform,commit,runIndex`, one list for each number of
    /// columns. They are also the baseline's columns.
    pub layouts: Option<Vec<Spanned<Vec<String>>>>,
    /// Columns of a CSV with a header that are not metrics, such as a date or a note.
    pub ignore_columns: Vec<String>,
    /// The unit of latencies if the tool prints none, such as HdrHistogram.
    pub unit: Option<TimeUnit>,
    /// Whether malformed rows fail instead of being skipped.
    pub strict: bool,
    /// Benchmark names in earlier baselines, each with the current name to which its history belongs.
    pub renamed: IndexMap<String, String>,
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TimeUnit {
    /// Nanoseconds.
    Ns,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
}

impl TimeUnit {
    /// All units, finest first.
    pub const ALL: [Self; 4] = [Self::Ns, Self::Us, Self::Ms, Self::S];

    /// The text in the config.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Ns => "ns",
            Self::Us => "us",
            Self::Ms => "ms",
            Self::S => "s",
        }
    }
}

/// The treatment of rows whose scenario is not listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Unlisted {
    /// Kept, after the listed ones.
    #[default]
    Keep,
    /// Left out, and counted on standard error.
    Drop,
}

/// Where rows ran.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ScopeEntry {
    /// The name in headings and for `--scope`.
    pub name: Spanned<String>,
    /// A regular expression for the platforms of this scope. Default: the name as a whole word.
    pub platform: Option<Spanned<String>>,
    /// The backend if no pattern in `[[backends]]` matches the platform.
    pub backend: Option<String>,
    /// If a platform matches several scopes, the lowest number wins, then the first in the list. Default:
    /// higher than any number.
    pub precedence: Option<u32>,
}

/// A backend that executed a platform's rows.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BackendEntry {
    /// The name in headings.
    pub name: Spanned<String>,
    /// A regular expression for its platforms. Default: the name as a whole word.
    pub platform: Option<Spanned<String>>,
}

/// A metric: a column of numbers.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MetricEntry {
    /// The display name. Default: the name in rows.
    pub label: Option<String>,
    /// The unit of stored values. Default: implied by the name.
    pub unit: Option<Unit>,
    /// The better direction. Default: implied by the name.
    pub better: Option<Direction>,
    /// Whether any difference is real, as with counts. Default: implied by the name.
    pub exact: Option<bool>,
    /// Other names in rows.
    pub aliases: Vec<Spanned<String>>,
    /// Computed from metrics that are read: `+ - * /`, parentheses, numbers, names of metrics.
    pub formula: Option<Spanned<String>>,
    /// Shown as a result only in rows in which this other metric is zero or was not measured, such as a wall clock
    /// next to a throughput.
    pub fallback_for: Option<Spanned<String>>,
    /// How values are shown. Default: scaled and rounded to fit the column.
    pub format: Option<FormatEntry>,
    /// The noun for a difference of an exact metric: with `bytes`, "12 more bytes" and "12 fewer bytes". Default:
    /// "+12".
    pub noun: Option<String>,
    /// Decimals in the baseline. Default: as many as it takes to read the same number back.
    pub decimals: Option<Spanned<u8>>,
}

/// How a metric's values are shown: `value / divide`, rounded to `decimals`, then the suffix.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FormatEntry {
    /// The number that values are divided by.
    pub divide: Spanned<f64>,
    /// Digits after the decimal point; exact ties round away from zero.
    pub decimals: Spanned<u8>,
    /// Whether to separate groups of three digits with commas.
    pub thousands: bool,
    /// The text after the number, including a space if wanted.
    pub suffix: String,
}

impl Default for FormatEntry {
    fn default() -> Self {
        Self {
            divide: 1.0.into(),
            decimals: 0.into(),
            thousands: false,
            suffix: String::new(),
        }
    }
}

/// A benchmark.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ScenarioEntry {
    /// The key in rows.
    pub key: Spanned<String>,
    /// The name for people. Default: the key.
    pub label: Option<String>,
    /// The primary metric.
    pub primary: Option<Spanned<String>>,
}

/// A value, and its place in the config file. The schema describes the value alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Spanned<T>(toml::Spanned<T>);

impl<T> Spanned<T> {
    pub(crate) fn new(span: Range<usize>, value: T) -> Self {
        Self(toml::Spanned::new(span, value))
    }

    /// The value's byte range in the file; empty if it is not in the file.
    pub(crate) fn span(&self) -> Range<usize> {
        self.0.span()
    }
}

/// A value without a position in a file.
impl<T> From<T> for Spanned<T> {
    fn from(value: T) -> Self {
        Self::new(0..0, value)
    }
}

impl<T> From<&Spanned<T>> for Range<usize> {
    fn from(written: &Spanned<T>) -> Self {
        written.0.span()
    }
}

impl<T> Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.get_ref()
    }
}

impl<T: fmt::Display> fmt::Display for Spanned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl Borrow<str> for Spanned<String> {
    fn borrow(&self) -> &str {
        self
    }
}

#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Spanned<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> std::borrow::Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
}
