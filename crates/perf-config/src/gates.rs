//! Gates: the rules and limits that fail a change, and the metrics and scenarios that they refer to.

use std::ops::Range;

use perf_model::metric::{self, GateRule, Unit, quantile_of};
use perf_model::row::Name;
use perf_model::suggest::suggest;
use perf_model::suite::Family;

use crate::build::{Built, ConfigBuilder, GATED, each, optional, plain_text};
use crate::file::{GateEntry, Spanned};
use crate::glob::{Glob, is_pattern, matches};
use crate::{Amount, Budget, GateRows};

/// A gate: a rule or a budget for a metric, and the rows that it covers.
#[derive(Clone, Debug)]
pub struct Gate {
    /// The gated metric, or a pattern for several.
    pub metric: Name,
    /// Whether the config sets no metric, so the gate covers only metrics that have a limit by default.
    pub is_for_usual_metrics: bool,
    /// The rule for changes from the baseline; `None` if the gate only has a budget.
    pub rule: Option<GateRule>,
    /// Whether metrics without a gate stay ungated, instead of using their default rules.
    pub is_only: bool,
    /// The range of acceptable values, which does not depend on the baseline.
    pub budget: Option<Budget>,
    /// The gate's own limit; `None` uses the general limit.
    pub limit: Option<f64>,
    /// The change for the worse above which the gate warns. It is below `limit` if both are set.
    pub warn: Option<f64>,
    /// The smallest absolute difference that can fail. With a metric pattern, it is used for metrics with a compatible
    /// unit.
    pub floor: Option<Amount>,
    /// Which rows the gate covers: all, the project's own, or comparison rows.
    pub rows: GateRows,
    /// The benchmarks that the gate covers; `None` covers all.
    pub scenarios: Option<Vec<Glob>>,
    /// A metric whose baseline value must be above zero for the gate to cover a row.
    pub requires: Option<Name>,
    /// The scenarios in the same run that values are compared relative to.
    pub reference: Reference,
    /// The metric with the number of values from which a percentile was computed.
    pub values: Option<Name>,
}

/// Scenarios that values are compared relative to. The value of `minus` is subtracted from the gated value and from the
/// value of `relative_to`. Then the first difference is divided by the second.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    /// The scenario whose value is subtracted.
    pub minus: Option<Name>,
    /// The scenario whose value, after subtraction, is the divisor.
    pub relative_to: Option<Name>,
}

impl Reference {
    /// Whether values are compared without a reference.
    pub fn is_none(&self) -> bool {
        self.names().next().is_none()
    }

    /// Returns the scenarios that must be measured in addition to the gated one.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.minus.iter().chain(&self.relative_to)
    }
}

impl Gate {
    /// Whether the gate covers this scenario. A gate does not cover its own reference scenarios.
    pub fn covers(&self, scenario: &str, family: Family<'_>) -> bool {
        if self
            .reference
            .names()
            .any(|reference| **reference == *scenario)
        {
            return false;
        }
        let rows = match self.rows {
            GateRows::All => true,
            GateRows::Scenarios => family == Family::Own,
            GateRows::Comparison => family != Family::Own,
        };
        rows && self.lists(scenario)
    }

    /// Whether the gate covers all benchmarks, lists this one, or uses it as a reference.
    pub(super) fn lists(&self, scenario: &str) -> bool {
        let Some(globs) = &self.scenarios else {
            return true;
        };
        let mut references = self.reference.names();
        globs.iter().any(|glob| glob.matches(scenario))
            || references.any(|reference| **reference == *scenario)
    }

    /// Whether the gate's rule covers all benchmarks. Later gates with a rule for the same metric are then never used.
    pub(super) fn is_for_all(&self) -> bool {
        let is_for_any =
            self.scenarios.is_none() && self.requires.is_none() && self.reference.is_none();
        self.rule.is_some() && self.rows == GateRows::All && is_for_any
    }

    /// Whether the gate covers this metric.
    pub fn looks_at(&self, metric: &str) -> bool {
        matches(&self.metric, metric)
    }

    /// Whether the gate's metric contains wildcards and may match several metrics.
    pub fn is_pattern(&self) -> bool {
        is_pattern(&self.metric)
    }
}

const AMOUNTS: &str = "write `\"16 ms\"`, `\"64 KiB\"`, or a number in the metric's unit";

impl ConfigBuilder<'_> {
    pub(super) fn gates(&self, entries: &[GateEntry]) -> Built<Vec<Gate>> {
        let mut gates: Vec<Gate> = Vec::with_capacity(entries.len());
        for entry in entries {
            let gate = self.gate(entry)?;
            // Only the first gate whose rule covers a metric applies, so a later one would have no effect.
            let is_covering = |first: &Gate| first.is_for_all() && first.metric == gate.metric;
            if gate.rule.is_some()
                && let Some(first) = gates.iter().position(is_covering)
            {
                let message = format!(
                    "this gate is never used: the gate on line {} covers all benchmarks of `{}`",
                    self.error(entries[first].span(), "").line,
                    gate.metric
                );
                let hint = "put the gate with `scenarios` first, or remove one of the two gates";
                return self.refuse(entry.span(), message, hint);
            }
            gates.push(gate);
        }
        Ok(gates)
    }

    fn gate(&self, entry: &GateEntry) -> Built<Gate> {
        let metric = match &entry.metric {
            Some(metric) => self.metrics_like(metric)?,
            None => "*".into(),
        };
        let budget = self.budget(entry, &metric)?;
        // Only the `limit` rule uses a limit.
        let implied = entry.limit.as_ref().map(|_| GateRule::Limit);
        let rule = entry.rule.or(implied);
        self.refuse_unused_settings(entry, &metric, rule, budget)?;
        let limit = optional(&entry.limit, |number| self.gate_limit(number, rule))?;
        if let (Some(written), Some(GateRule::Limit | GateRule::Exact | GateRule::Count)) =
            (&entry.metric, entry.rule)
        {
            self.mention(GATED, written, &metric);
        }
        let scenarios = optional(&entry.scenarios, |keys| {
            each(keys, |key| Ok(self.benchmark_pattern(key)))
        })?;
        Ok(Gate {
            is_for_usual_metrics: entry.metric.is_none(),
            rule,
            is_only: entry.only,
            budget,
            limit,
            warn: optional(&entry.warn, |warn| self.warn(warn, limit, rule))?,
            floor: optional(&entry.floor, |floor| self.floor(floor, &metric))?,
            rows: entry.rows,
            scenarios,
            requires: optional(&entry.requires, |name| self.metric(name))?,
            reference: Reference {
                minus: optional(&entry.minus, |name| self.reference(name, entry))?,
                relative_to: optional(&entry.relative_to, |name| self.reference(name, entry))?,
            },
            values: optional(&entry.values, |values| self.values(values, &metric))?,
            metric,
        })
    }

    /// Creates the pattern for gated or waived benchmarks.
    pub(super) fn benchmark_pattern(&self, key: &Spanned<String>) -> Glob {
        self.mention("benchmark", key, key);
        Glob::new(key)
    }

    /// Rejects gates that cover nothing or can never fail. Also rejects settings for changes if the gate does not limit
    /// changes.
    fn refuse_unused_settings(
        &self,
        entry: &GateEntry,
        metric: &str,
        rule: Option<GateRule>,
        budget: Option<Budget>,
    ) -> Built<()> {
        if entry.scenarios.as_ref().is_some_and(Vec::is_empty) {
            let message = "`scenarios` is empty: this gate covers no benchmark";
            return self.refuse(entry.span(), message, "leave it out for all benchmarks");
        }
        if entry.rows == GateRows::Comparison && self.file.comparison.is_none() {
            let message = "`rows` needs a `[comparison]`";
            return self.refuse(entry.span(), message, "leave `rows` out for all benchmarks");
        }
        if let Some(rule) = rule
            && rule != GateRule::None
        {
            let is_largest = !is_pattern(metric) && quantile_of(metric) == Some(1.0);
            if is_largest && rule != GateRule::Equal {
                let message = format!(
                    "this gate can never fail: `{metric}` is a maximum, which varies too much to compare"
                );
                let hint = "limit it with `max`, or gate a percentile such as `latencyP99Ms`";
                return self.refuse(entry.span(), message, hint);
            }
            return Ok(());
        }
        // Without a rule that can fail, only the budget has an effect.
        let unused = [
            ("limit", entry.limit.as_ref().map(Spanned::span)),
            ("warn", entry.warn.as_ref().map(Spanned::span)),
            ("floor", entry.floor.as_ref().map(Spanned::span)),
        ];
        for (key, span) in unused {
            if let Some(span) = span {
                let hint = "`rule = \"limit\"` limits the change against the baseline";
                let message = format!("`{key}` has no effect: this gate does not limit changes");
                return self.refuse(span, message, hint);
            }
        }
        if budget.is_none() && rule.is_none() {
            let hint = "`rule = \"limit\"` limits the change, `max` the value";
            return self.refuse(entry.span(), "a gate needs a `rule`, `max` or `min`", hint);
        }
        Ok(())
    }

    /// Resolves a reference to a metric, or to several if it contains wildcards.
    pub(super) fn metrics_like(&self, written: &Spanned<String>) -> Built<Name> {
        if !is_pattern(written) {
            return self.metric(written);
        }
        if self.lists_metrics() && !self.known.iter().any(|name| matches(written, name)) {
            let known = self.known.iter().map(AsRef::as_ref);
            let error = self.error(written, format!("no metric matches `{written}`"));
            return Err(error.with_hint(suggest(written, known)));
        }
        Ok(written.as_str().into())
    }

    fn gate_limit(&self, number: &Spanned<toml::Value>, rule: Option<GateRule>) -> Built<f64> {
        let whose = match rule {
            Some(GateRule::Limit) | None => return self.limit(number, "limit"),
            Some(GateRule::Exact) => "an exact gate",
            Some(GateRule::Count) => "a count gate",
            Some(GateRule::Equal) => "an equality gate",
            Some(GateRule::None) => "a gate that never fails",
        };
        self.refuse(
            number,
            format!("{whose} has no limit"),
            "only `rule = \"limit\"` has a limit",
        )
    }

    fn warn(
        &self,
        number: &Spanned<toml::Value>,
        limit: Option<f64>,
        rule: Option<GateRule>,
    ) -> Built<f64> {
        if let Some(GateRule::Exact | GateRule::Equal) = rule {
            let message = "this gate fails on any change for the worse, so it never warns";
            return self.refuse(number, message, "leave `warn` out");
        }
        let warn = self.limit(number, "warn")?;
        match limit {
            Some(limit) if warn >= limit => {
                let message =
                    format!("`warn` must be less than `limit`, not `{warn}` with `{limit}`");
                let hint = "a change beyond the limit already fails, so `warn` would never apply";
                self.refuse(number, message, hint)
            }
            _ => Ok(warn),
        }
    }

    fn reference(&self, written: &Spanned<String>, entry: &GateEntry) -> Built<Name> {
        let name = self.name(written, "scenario")?;
        let gated = entry.scenarios.as_deref();
        if gated.is_some_and(|gated| gated.iter().all(|scenario| scenario.as_str() == name)) {
            let message = format!("`{name}` would only be compared with itself");
            return self.refuse(written, message, "list the gated scenarios in `scenarios`");
        }
        self.mention("benchmark", written, name);
        Ok(name.into())
    }

    fn values(&self, written: &Spanned<String>, metric: &str) -> Built<Name> {
        if !is_pattern(metric) && quantile_of(metric).is_none() {
            let message = format!("`{metric}` is not a percentile");
            let hint = "percentiles have names such as `latencyP99Ms`";
            return self.refuse(written, message, hint);
        }
        self.metric(written)
    }

    fn budget(&self, entry: &GateEntry, metric: &str) -> Built<Option<Budget>> {
        let end = |key, written: &Spanned<_>| self.end_of_budget(key, written, entry, metric);
        let budget = Budget {
            max: optional(&entry.max, |written| end("max", written))?,
            min: optional(&entry.min, |written| end("min", written))?,
        };
        if let (Some(written), Some(min)) = (&entry.min, budget.min)
            && min.amount == 0.0
        {
            let message = "`min` must be above 0: no value is below it";
            return self.refuse(written, message, "leave it out");
        }
        if let (Some(written), Some(max), Some(min)) = (&entry.max, budget.max, budget.min) {
            let units = self.units(metric);
            let known = units.first().copied().filter(|unit| *unit != Unit::None);
            let unit = known.or(max.unit).or(min.unit).unwrap_or(Unit::None);
            if max
                .in_unit(unit)
                .zip(min.in_unit(unit))
                .is_some_and(|(max, min)| max < min)
            {
                let message = format!("`max` `{max}` is below `min` `{min}`: no value passes");
                return Err(self.error(written, message));
            }
        }
        Ok((budget != Budget::default()).then_some(budget))
    }

    fn end_of_budget(
        &self,
        key: &str,
        written: &Spanned<toml::Value>,
        entry: &GateEntry,
        metric: &str,
    ) -> Built<Amount> {
        let bad = |why| {
            self.error(written, format!("bad `{key}`: {why}"))
                .hint(AMOUNTS)
        };
        let amount = Amount::parse(&plain_text(written)).map_err(bad)?;
        if amount.amount < 0.0 {
            return Err(bad(format!("`{amount}` is below 0")));
        }
        if amount.unit.is_some() && entry.relative_to.is_some() {
            let message = format!("with `relative-to`, `{key}` is a ratio without a unit");
            let hint = format!("`{key} = 2` is twice the reference's value");
            return self.refuse(written, message, hint);
        }
        self.in_unit_of(metric, key, amount, written)
    }

    fn floor(&self, written: &Spanned<String>, metric: &str) -> Built<Amount> {
        let bad = |why| {
            let message = format!("bad floor `{written}`: {why}");
            let hint = "write `50 ns`, `0.2 ms`, `64 B`, `1 KiB`, or a number alone";
            self.error(written, message).hint(hint)
        };
        let floor = Amount::parse(written).map_err(bad)?;
        if floor.amount > 0.0 {
            self.in_unit_of(metric, "floor", floor, written)
        } else {
            Err(bad(format!("`{floor}` is not above 0")))
        }
    }

    /// Rejects an amount that cannot be converted to the unit of any gated metric.
    fn in_unit_of(
        &self,
        metric: &str,
        key: &str,
        amount: Amount,
        written: impl Into<Range<usize>>,
    ) -> Built<Amount> {
        let units = self.units(metric);
        let fits = |unit: &Unit| *unit == Unit::None || amount.in_unit(*unit).is_some();
        if units.is_empty() || units.iter().any(fits) {
            return Ok(amount);
        }
        let message = format!("the {key} `{amount}` does not fit the unit of `{metric}`");
        self.refuse(
            written,
            message,
            "a number without a unit is in the metric's unit",
        )
    }

    /// Returns the units of covered metrics, if known. An unlisted metric's unit is derived from its name.
    fn units(&self, gated: &str) -> Vec<Unit> {
        let unit = |name: &str| match self.metrics.get(name) {
            Some(metric) => metric.meaning.unit,
            None => metric::metric(name).meaning.unit,
        };
        if !is_pattern(gated) {
            return vec![unit(gated)];
        }
        let known = self.known.iter().filter(|name| matches(gated, name));
        known.map(|name| unit(name)).collect()
    }
}
