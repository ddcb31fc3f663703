//! How far numbers may move: the table of differences, and what fails a change.

use toml::Spanned;

use super::build::{Builder, Built};
use super::file::{DeltasSection, GateEntry};
use super::{Family, GateRows, GateRule, Glob, Plus};
use crate::row::Name;

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

impl Builder<'_> {
    pub(super) fn deltas(&self, section: &DeltasSection) -> Built<Deltas> {
        let also = section.also.as_ref();
        Ok(Deltas {
            tolerance: self.tolerance(&section.tolerance)?,
            threshold: self.threshold(&section.threshold)?,
            plus: section.plus,
            also: also.map(|names| names.iter().map(|name| self.metric(name)).collect()).transpose()?,
        })
    }

    pub(super) fn gate(&self, entry: &GateEntry) -> Built<Gate> {
        let glob = |source: &Spanned<String>| {
            Glob::new(source.get_ref())
                .map_err(|why| self.error(source.span(), format!("bad pattern: {why}")))
        };
        if let (GateRule::Exact, Some(threshold)) = (entry.rule, &entry.threshold) {
            let error = self.error(threshold.span(), "an exact gate has no threshold");
            return Err(error.with_hint("`rule = \"threshold\"` is the one that has".to_owned()));
        }
        Ok(Gate {
            metric: self.metric(&entry.metric)?,
            rule: entry.rule,
            threshold: entry.threshold.as_ref().map(|number| self.threshold(number)).transpose()?,
            rows: entry.rows,
            scenarios: entry.scenarios.as_ref().map(|list| list.iter().map(glob).collect()).transpose()?,
            requires: self.metric_option(entry.requires.as_ref())?,
        })
    }

    fn tolerance(&self, number: &Spanned<f64>) -> Built<f64> {
        let range = 0.0..=f64::MAX;
        self.fraction(number, range.contains(number.get_ref()), "`tolerance` must be a fraction from 0 up")
    }

    /// Throughput cannot drop by the whole of it and still be measured: at 1 a gate would never fail.
    fn threshold(&self, number: &Spanned<f64>) -> Built<f64> {
        let range = 0.0..1.0;
        self.fraction(
            number,
            range.contains(number.get_ref()),
            "`threshold` must be a fraction from 0 up, below 1",
        )
    }

    fn fraction(&self, number: &Spanned<f64>, is_fit: bool, rule: &str) -> Built<f64> {
        if is_fit {
            return Ok(*number.get_ref());
        }
        let error = self.error(number.span(), format!("{rule}, not `{}`", number.get_ref()));
        Err(error.with_hint("0.33 stands for 33 %".to_owned()))
    }
}
