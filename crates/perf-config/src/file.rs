//! `perf-gate.toml` as written: every key, documented for people who write a config.
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
    /// The primary metric of scenarios that set none. Default: the first measured metric in the row.
    pub primary: Option<Spanned<String>>,
    /// How the numbers are produced, in your own words. Every row contains this text, and rows with different texts are
    /// never compared: change the text when the harness or its settings change.
    pub methodology: Option<Spanned<String>>,
    /// The benchmark: its command and its results.
    pub run: RunSection,
    /// The profiles that show which functions caused a regression.
    pub why: WhySection,
    /// The project files.
    pub files: FilesSection,
    /// How refreshed files are committed.
    pub refresh: RefreshSection,
    /// The action's comments, annotations and statuses.
    pub comment: CommentSection,
    /// How rows are read and written.
    pub rows: RowsSection,
    /// How much of a run a baseline keeps.
    pub baseline: BaselineSection,
    /// The environments in which rows were measured, in display order.
    pub scopes: Vec<ScopeEntry>,
    /// The backends that executed the rows, by platform; the first match is used.
    pub backends: Vec<BackendEntry>,
    /// The metrics, by their name in rows, in the order of columns.
    pub metrics: IndexMap<Spanned<String>, MetricEntry>,
    /// The scenarios, in the order of tables.
    pub scenarios: Vec<ScenarioEntry>,
    /// The comparison of libraries that do the same work.
    pub comparison: Option<ComparisonSection>,
    /// The marked section of the page.
    pub page: PageSection,
    /// The table of differences.
    pub deltas: DeltasSection,
    /// The gates: rules that fail a change. Default: times and throughput use the limit, allocations fail on any increase,
    /// and wall clock is not gated.
    pub gates: Option<Vec<GateEntry>>,
    /// The benchmarks that every run must measure: keys, or `{ benchmark, scope }`. `*` matches any text and `?` one
    /// character. A run without one of them fails, and is not written to a baseline.
    pub required: Vec<Spanned<RequiredEntry>>,
    /// The benchmark files, as opposed to the measured code.
    pub harness: HarnessSection,
    /// The files whose changes require a review of the numbers.
    pub review: ReviewSection,
    /// How earlier baselines are used. If this section exists, the action uses earlier baselines.
    pub history: Option<HistorySection>,
    /// Known regressions, excused until a date.
    pub waivers: Vec<WaiverEntry>,
    /// Additional formats of benchmark output; they are tried before the built-in ones.
    pub formats: Vec<Spanned<FormatSpec>>,
    /// The protocol that the harnesses of `perf-gate measure window` share.
    pub protocol: ProtocolSection,
    /// The benchmarks that `perf-gate measure` runs.
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
    /// A benchmark in a scope, a benchmark in any scope, or any benchmark in a scope.
    Scoped {
        /// The benchmark's key. Default: any benchmark.
        benchmark: Option<String>,
        /// The scope's name. Default: any scope.
        scope: Option<String>,
    },
}

impl RequiredEntry {
    /// Returns the benchmark and the scope; `None` stands for any.
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
    /// How rows of unlisted scenarios are treated.
    pub unlisted: Unlisted,
    /// The metrics in CSV lines without a header, after `scenario,platform,commit,runIndex`: one list for each number of
    /// columns. Baselines also contain these columns.
    pub layouts: Option<Vec<Spanned<Vec<String>>>>,
    /// Columns of a CSV with a header that are not metrics, such as a date or a note.
    pub ignore_columns: Vec<String>,
    /// The unit of latencies from tools that print none, such as HdrHistogram.
    pub unit: Option<TimeUnit>,
    /// Whether malformed rows are an error instead of being skipped.
    pub strict: bool,
    /// The renamed benchmarks: each name in earlier baselines, with the current name that continues its history.
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

    /// The unit as written in the config.
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

/// How rows of unlisted scenarios are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Unlisted {
    /// The rows are kept, after those of listed scenarios.
    #[default]
    Keep,
    /// The rows are left out, and their number is printed on standard error.
    Drop,
}

/// An environment in which rows were measured.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ScopeEntry {
    /// The name in headings and for `--scope`.
    pub name: Spanned<String>,
    /// A regular expression for the platforms of this scope. Default: the name as a whole word.
    pub platform: Option<Spanned<String>>,
    /// The backend's name if no pattern in `[[backends]]` matches the platform.
    pub backend: Option<String>,
    /// If a platform matches several scopes, the scope with the lowest number is used. Of several with the same number, the
    /// first in the list is used. Default: higher than any number.
    pub precedence: Option<u32>,
}

/// A backend that executed a platform's rows.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BackendEntry {
    /// The name in headings.
    pub name: Spanned<String>,
    /// A regular expression for the backend's platforms. Default: the name as a whole word.
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
    /// Whether lower or higher values are better. Default: implied by the name.
    pub better: Option<Direction>,
    /// Whether the metric has no noise, so that any difference is a real change, as with counts. Default: implied by the
    /// name.
    pub exact: Option<bool>,
    /// Other names for the metric in rows.
    pub aliases: Vec<Spanned<String>>,
    /// A formula that computes the metric from measured ones: `+ - * /`, parentheses, numbers and metric names.
    pub formula: Option<Spanned<String>>,
    /// Another metric. This metric, such as a wall clock, is only shown as a result in rows in which the other metric, such
    /// as a throughput, is zero or was not measured.
    pub fallback_for: Option<Spanned<String>>,
    /// How values are shown. Default: scaled and rounded to fit the column.
    pub format: Option<FormatEntry>,
    /// The noun for a difference of an exact metric: with `bytes`, "12 more bytes" and "12 fewer bytes". Default:
    /// "+12".
    pub noun: Option<String>,
    /// The number of decimals in the baseline. Default: as many as needed to read back the same number.
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

/// A benchmark that the config lists.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ScenarioEntry {
    /// The key in rows.
    pub key: Spanned<String>,
    /// The name for people. Default: the key.
    pub label: Option<String>,
    /// The scenario's primary metric. Default: the top-level `primary`.
    pub primary: Option<Spanned<String>>,
}

/// A value and its position in the config file. The schema only describes the value.
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
