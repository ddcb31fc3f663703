//! The report and its limits: the comparison, the page, the differences, the gates.

use serde::{Deserialize, Serialize};

use perf_model::metric::GateRule;

use crate::FailOn;
use crate::file::Spanned;

/// A comparison of libraries that do the same work. Its rows are those whose scenario matches `pattern`, or consists of
/// prefix, technology, separator and scenario.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ComparisonSection {
    /// The form of the scenarios in comparison rows, such as `{work}/{library}`. The library is one of the technologies.
    /// Default: prefix, library, separator and work.
    pub pattern: Option<Spanned<String>>,
    /// The text before the technology in comparison scenarios, if no `pattern` is set.
    pub prefix: Option<Spanned<String>>,
    /// The text between technology and scenario after a `prefix`. Default: `_`.
    pub separator: Option<Spanned<String>>,
    /// The key of the project's own technology, which is the only one whose differences are reported.
    pub subject: Spanned<String>,
    /// The heading of the first column.
    #[serde(default = "technology")]
    pub label: String,
    /// The libraries, in the order of the table's lines.
    pub technologies: Vec<LabelledKey>,
    /// The work, in the order of the table's columns.
    pub scenarios: Vec<LabelledKey>,
    /// The matrices, one for each metric.
    #[serde(default)]
    pub matrices: Vec<MatrixEntry>,
}

fn technology() -> String {
    "Technology".to_owned()
}

/// A key in rows, and its name for people.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LabelledKey {
    /// The key in rows.
    pub key: Spanned<String>,
    /// The name for people. Default: the key.
    pub label: Option<String>,
}

/// A table of technologies × scenarios for one metric, for the first scope that measured it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MatrixEntry {
    /// The metric in the cells.
    pub metric: Spanned<String>,
    /// The heading. `{scope}` and `{backend}` are filled in, and `{where}` becomes "scope (backend)".
    pub heading: Option<Spanned<String>>,
    /// Whether the best cells of each column are bold, judged by the shown digits.
    #[serde(default)]
    pub bold_winner: bool,
}

/// The marked section of the page.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PageSection {
    /// The section's name in the page's markers. Default: the page's only marked section.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[A-Za-z0-9._-]+$")))]
    pub region: Option<Spanned<String>>,
    /// The level of the headings.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 6)))]
    pub heading_level: Spanned<u8>,
    /// The heading of each scope's table; `{scope}`, `{backend}` and `{where}` are filled in.
    pub heading: Spanned<String>,
    /// The heading of the scenario column.
    pub scenario_label: String,
    /// The columns after the scenario. Default: one for each result metric.
    pub columns: Option<Vec<ColumnEntry>>,
    /// Whether numbers are right-aligned. Default: true unless `columns` is set.
    pub align_right: Option<bool>,
}

impl Default for PageSection {
    fn default() -> Self {
        Self {
            region: None,
            heading_level: 3.into(),
            heading: "{where}".to_owned().into(),
            scenario_label: "Scenario".to_owned(),
            columns: None,
            align_right: None,
        }
    }
}

impl PageSection {
    /// Whether numbers are right-aligned: the setting or its default.
    pub fn aligns_right(&self) -> bool {
        self.align_right.unwrap_or(self.columns.is_none())
    }
}

/// A column in a scope's table.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ColumnEntry {
    /// The heading.
    pub label: String,
    /// The metric in the cells; `primary` is each scenario's primary metric.
    pub metric: Spanned<String>,
    /// Whether to show the column even if nothing was measured.
    #[serde(default)]
    pub always: bool,
}

/// The table of differences.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DeltasSection {
    /// Tolerance: smaller changes relative to the baseline are shown as unchanged.
    pub tolerance: Spanned<f64>,
    /// The largest change for the worse that passes, relative to the baseline: an increase of a time, a decrease
    /// of a throughput. `0.33` or `"33%"`; 1 or more only as a percentage. Default: 0.33.
    #[serde(alias = "threshold")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<NumberOrText>"))]
    pub limit: Option<Spanned<toml::Value>>,
    /// What a plus sign before a percentage means.
    pub plus: Plus,
    /// The metrics on a scenario's line after its primary metric, if base and head measured them. Default: each metric has
    /// its own line.
    pub also: Option<Vec<Spanned<String>>>,
    /// The verdicts that fail a change; if the list is empty, nothing fails. Default: regressed and missing.
    pub fail_on: Option<Vec<Spanned<FailOn>>>,
    /// The only scope that is compared. Default: all scopes.
    pub scope: Option<Spanned<String>>,
    /// Whether base and head rows with the same `runIndex` were measured as a pair, alternately.
    pub paired: bool,
    /// The URL of the published site, to whose charts the comment links.
    pub site: Option<Spanned<String>>,
}

impl Default for DeltasSection {
    fn default() -> Self {
        Self {
            tolerance: 0.02.into(),
            limit: None,
            plus: Plus::default(),
            also: None,
            fail_on: None,
            scope: None,
            paired: false,
            site: None,
        }
    }
}

/// What a plus sign before a percentage means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Plus {
    /// The number grew, regardless of whether that is better.
    #[default]
    Larger,
    /// The number improved: a time that fell by 10% is shown as +10%.
    Better,
}

/// A gate: a rule or a limit that fails a change.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GateEntry {
    /// The gated metric; `*` matches any text, `?` one character. Default: every time and rate that
    /// has a limit by default.
    pub metric: Option<Spanned<String>>,
    /// The rule by which a change from the baseline fails. Default: `limit` if a `limit` is set, otherwise the metric's
    /// default rule.
    pub rule: Option<GateRule>,
    /// Whether only metrics with a gate are gated. Default: `false`, so that other metrics use their default rules.
    #[serde(default)]
    pub only: bool,
    /// The largest value that passes, with or without a baseline: `16 ms`, `64 KiB`, or a number in the metric's unit. With
    /// `relative-to`, it is a ratio.
    #[cfg_attr(feature = "schema", schemars(with = "Option<NumberOrText>"))]
    pub max: Option<Spanned<toml::Value>>,
    /// The smallest value that passes, written like `max`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<NumberOrText>"))]
    pub min: Option<Spanned<toml::Value>>,
    /// The largest change that passes, like `limit` in `[deltas]`. Default: `--regression-threshold`, otherwise the
    /// value in `[deltas]`. Without a `rule`, it implies `rule = "limit"`; other rules allow no `limit`.
    #[serde(alias = "threshold")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<NumberOrText>"))]
    pub limit: Option<Spanned<toml::Value>>,
    /// The change for the worse above which the report warns. It must be less than `limit`, and `rule = "exact"` and `rule =
    /// "equal"` do not allow it.
    #[cfg_attr(feature = "schema", schemars(with = "Option<NumberOrText>"))]
    pub warn: Option<Spanned<toml::Value>>,
    /// The minimum absolute change, such as `50 ns`, `0.2 ms`, `64 B`, `1 KiB`, or a number in the metric's unit. A smaller
    /// difference never fails. Default: half a byte for sizes, and one and a half clock ticks for times whose samples show
    /// them.
    pub floor: Option<Spanned<String>>,
    /// The rows that the gate covers.
    #[serde(default)]
    pub rows: GateRows,
    /// The keys of the scenarios that the gate covers; `*` matches any text, `?` one character. Default: all scenarios.
    pub scenarios: Option<Vec<Spanned<String>>>,
    /// A metric. The gate only covers rows whose baseline value of this metric is above zero.
    pub requires: Option<Spanned<String>>,
    /// The reference scenario. The gated value is divided by this scenario's value in the same run, so the result is
    /// comparable on any machine.
    pub relative_to: Option<Spanned<String>>,
    /// A scenario, such as an empty loop, whose value in the same run is subtracted before the comparison. With
    /// `relative-to`, it is subtracted from both dividend and divisor.
    pub minus: Option<Spanned<String>>,
    /// The metric that contains the number of values from which a percentile was computed. The percentile is only gated if
    /// there are enough values.
    pub values: Option<Spanned<String>>,
}

impl GateEntry {
    /// Returns the gate's position in the file, for messages.
    pub(crate) fn span(&self) -> std::ops::Range<usize> {
        let mut names = self.metric.iter().chain(self.scenarios.iter().flatten());
        if let Some(name) = names.next() {
            return name.span();
        }
        self.limit.as_ref().map_or(0..0, Spanned::span)
    }
}

/// An amount or a share.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum NumberOrText {
    /// An amount in the metric's unit, or a share below 1.
    Number(f64),
    /// An amount with its unit, such as `16 ms`, or a percentage, such as `150%`.
    Text(String),
}

/// The rows that a gate covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum GateRows {
    /// The project's own scenarios and its own comparison rows.
    #[default]
    All,
    /// The project's own scenarios.
    Scenarios,
    /// The project's own comparison rows.
    Comparison,
}
