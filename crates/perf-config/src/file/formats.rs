//! Output formats that the config describes: `[[formats]]`.

use std::borrow::Cow;
use std::sync::OnceLock;

use indexmap::IndexMap;
use perf_model::metric::{Direction, Unit};
use regex::bytes::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

/// The maximum size of a compiled expression in bytes. It bounds the time to match a line.
const LARGEST: usize = 256 * 1024;

/// An output format: JSON, a table with a header, or lines. A *field* is a path in JSON, a column in a
/// table, or a named group in a line.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FormatSpec {
    /// The format's name in reports.
    pub name: String,
    /// A one-line description of the output.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Strings that every input in this format contains near its beginning.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contains: Vec<String>,
    /// JSON: the path of each result. It consists of keys separated by `/`, with `[]` for every value in a list and `*` for
    /// every value in an object; `.` is the whole document.
    pub json: Option<String>,
    /// JSON: sets of keys. The output is in this format if it contains all keys of one set. Default: the last key of every
    /// path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<Vec<String>>,
    /// JSON: keys that each result must contain. A result without one of them is malformed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// JSON: keys that no result contains. Values with one of these keys are ignored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// JSON: the path, within `json`, of a list whose values are the results. A value's fields override the fields around
    /// the list.
    pub each: Option<String>,
    /// Table: columns that the header contains. The separator is a comma, a semicolon, a tab or a vertical bar.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Lines: regular expressions with named groups. The first begins a result, the last ends it, and those in between add
    /// to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Expression>,
    /// Lines: regular expressions that each match a whole result. The first match is used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<Expression>,
    /// Lines: expressions for lines above the results, such as a table header, whose groups apply to all results
    /// up to the next such line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub above: Vec<Expression>,
    /// Lines: whether a result is read even if its last lines are missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub open_end: bool,
    /// Lines: makes each result a block of lines, which messages call by this name. An incomplete block's values are
    /// used, and repeated names are samples. If progress output overwrites a line, only the text after the last
    /// carriage return is read. A line with the group `end` ends the block.
    pub block: Option<String>,
    /// Lines: the group that makes a block complete, even if its last line is missing.
    pub needs: Option<String>,
    /// The benchmark's name: templates with fields in braces. The first whose fields all have values is used. Default:
    /// `{name}`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub benchmark: Vec<String>,
    /// The metrics by name, with the field that contains each metric. Default: the fields `value`, `unit`, `metric` and
    /// `direction`.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub metrics: IndexMap<String, MetricSource>,
    /// Sets of fields and values that mark a failed benchmark: `*` for any value, `!0` for any value but 0, an empty
    /// string for no value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<IndexMap<String, String>>,
    /// How to treat several numbers for one benchmark.
    #[serde(skip_serializing_if = "is_default")]
    pub samples: Repeated,
}

/// How to treat several numbers for one benchmark in one output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Repeated {
    /// They are process runs, which are independent samples.
    #[default]
    Launches,
    /// They are iterations of one process.
    Iterations,
}

/// Whether a field has its default value. Such fields are left out when a format is written.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A metric's field, or a table with more settings.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "a field, or a table with `value`, `sum` or `samples` and other known keys"
)]
pub enum MetricSource {
    /// The field that contains the number. A `*` in the field stands for the same text as the `*` in the metric's name.
    /// `[KEY]` visits each value of a list, and the value of its KEY replaces the `*`.
    Field(String),
    /// A table with the field and further settings.
    Table(Box<MetricTable>),
}

impl MetricSource {
    /// Returns the settings. If only the field is set, the others have their defaults.
    pub fn table(&self) -> Cow<'_, MetricTable> {
        match self {
            Self::Field(value) => Cow::Owned(MetricTable {
                value: Some(value.clone()),
                ..MetricTable::default()
            }),
            Self::Table(table) => Cow::Borrowed(table),
        }
    }
}

/// The fields that contain a metric's numbers, and the meaning of the numbers.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MetricTable {
    /// The field with the number.
    pub value: Option<String>,
    /// The list of samples. In a line, the samples are separated by commas.
    pub samples: Option<String>,
    /// The object whose whole numbers are added up. In a line, these are `KEY:COUNT` pairs separated by spaces.
    pub sum: Option<String>,
    /// The keys that are added up; a `*` at the end matches any text. Default: all keys.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// The keys that are not added up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<String>,
    /// The smallest number that a `*` may stand for, such as the lowest percentile.
    pub at_least: Option<f64>,
    /// Whether the tool omits the number if it is 0, as some tools do for errors.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub absent_is_zero: bool,
    /// The number's unit, or in braces the field that contains the unit. The number is converted to the unit in the
    /// metric's name.
    pub r#in: Option<String>,
    /// The field with half the width of the interval.
    pub margin: Option<String>,
    /// The metric's unit. Default: implied by its name.
    pub unit: Option<Unit>,
    /// Whether lower or higher values are better. Default: implied by the metric's name.
    pub better: Option<Direction>,
    /// The display name. Default: the name in rows.
    pub label: Option<String>,
}

/// A regular expression for a line, compiled when it is first used. Classes such as `\d` are ASCII.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Expression {
    source: String,
    #[serde(skip)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    regex: OnceLock<Result<Regex, String>>,
}

impl From<String> for Expression {
    fn from(source: String) -> Self {
        Self {
            source,
            regex: OnceLock::new(),
        }
    }
}

impl Expression {
    /// Returns the compiled expression, or the reason why it is invalid.
    pub fn regex(&self) -> Result<&Regex, &str> {
        let compiled = self.regex.get_or_init(|| {
            let built = RegexBuilder::new(&self.source)
                .unicode(false)
                .size_limit(LARGEST)
                .build();
            built.map_err(|error| {
                let why = error.to_string();
                let last = why.lines().last().unwrap_or_default();
                last.strip_prefix("error: ").unwrap_or(last).to_owned()
            })
        });
        compiled.as_ref().map_err(String::as_str)
    }
}

impl FormatSpec {
    /// The expressions for lines that begin a result.
    pub fn beginnings(&self) -> &[Expression] {
        if self.alternatives.is_empty() {
            &self.lines[..self.lines.len().min(1)]
        } else {
            &self.alternatives
        }
    }

    /// Checks rules that the types cannot express, and returns a message if one is violated.
    pub fn check(&self) -> Result<(), String> {
        if self.name.trim().is_empty() {
            return Err("a format needs a `name`".to_owned());
        }
        let kinds = [
            self.json.is_some(),
            !self.columns.is_empty(),
            !self.lines.is_empty(),
            !self.alternatives.is_empty(),
        ];
        if kinds.iter().filter(|is_used| **is_used).count() != 1 {
            return Err(format!(
                "the format `{}` needs one of `json`, `columns`, `lines` and `alternatives`",
                self.name
            ));
        }
        let lines = self.lines.iter().chain(&self.alternatives);
        for line in lines.chain(&self.above) {
            let source = &line.source;
            let regex = line
                .regex()
                .map_err(|why| format!("`{source}` is not a regular expression: {why}"))?;
            if regex.capture_names().flatten().next().is_none() {
                return Err(format!(
                    "`{source}` has no named group, such as `(?<value>[\\d.]+)`"
                ));
            }
        }
        for (name, source) in &self.metrics {
            let table = source.table();
            if table.value.is_none() && table.samples.is_none() && table.sum.is_none() {
                return Err(format!(
                    "the metric `{name}` needs one of `value`, `samples` and `sum`"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_reported() {
        let check = |text: &str| toml::from_str::<FormatSpec>(text).unwrap().check();
        for (text, message) in [
            ("json = '.'", "a format needs a `name`"),
            (
                "name = 'x'",
                "the format `x` needs one of `json`, `columns`, `lines` and `alternatives`",
            ),
            (
                "name = 'x'\nalternatives = ['(?<value>a)']\nlines = ['(?<value>a)']",
                "the format `x` needs one of `json`, `columns`, `lines` and `alternatives`",
            ),
            (
                "name = 'x'\nlines = ['(?<value>a)']\nabove = ['# .']",
                "`# .` has no named group, such as `(?<value>[\\d.]+)`",
            ),
            (
                "name = 'x'\nlines = ['a']",
                "`a` has no named group, such as `(?<value>[\\d.]+)`",
            ),
            (
                "name = 'x'\nlines = ['(?<value>']",
                "`(?<value>` is not a regular expression: unclosed group",
            ),
            (
                "name = 'x'\njson = '.'\nmetrics.a.margin = 'b'",
                "the metric `a` needs one of `value`, `samples` and `sum`",
            ),
        ] {
            assert_eq!(check(text), Err(message.to_owned()), "{text}");
        }
        assert_eq!(
            check("name = 'x'\nlines = ['(?<name>\\w+) (?<value>\\d+)']\nmetrics.a = 'value'"),
            Ok(())
        );
    }
}
