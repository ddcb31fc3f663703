//! A suite: rows grouped by scope and scenario, as reports show them.
//!
//! The base and the head of a comparison, and the page, are built from suites. A *measurement* is all rows of one
//! scenario in one scope that belong together. The first row determines the platform, commit, machine type and
//! methodology. Rows that match the first row are the measurement's samples, one per run index. All other rows, and
//! rows that repeat a run index, are left out and counted. If the suite is compared with another suite, the first row
//! is the first one that was measured in the same way as the other suite's rows, because a baseline may contain rows
//! from several machine types.

mod measurement;
mod units;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;
use indexmap::IndexMap;

pub use self::measurement::{Measurement, Rows, median};
pub use self::units::RunUnits;

use crate::diagnostic::{Diagnostic, counted};
use crate::methodology::is_same;
use crate::metric::Metric;
use crate::row::{Conditions, Name, Outcome, Row};

/// The kind of a scenario, derived from its key: one of the project's own scenarios, or part of a library comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family<'a> {
    /// One of the project's own scenarios.
    Own,
    /// A technology that does comparable work.
    Comparison {
        /// The technology's key.
        technology: &'a str,
        /// The work's key.
        work: &'a str,
    },
}

/// The part of a config that is needed to group rows.
pub trait Definitions {
    /// The scope of a platform: its position in headline order, and its name. `None` if the platform belongs to no scope.
    fn scope_of<'a>(&'a self, platform: &'a str) -> Option<(usize, &'a str)>;
    /// The family of a scenario.
    fn family<'a>(&self, scenario: &'a str) -> Family<'a>;
    /// A scenario's sort key in its scope. Scenarios with equal keys keep their order of appearance.
    fn rank(&self, scenario: &str) -> (bool, usize, usize);
    /// The definition of a metric.
    fn metric(&self, name: &str) -> Arc<Metric>;
    /// The primary metric of a scenario, if the config sets one.
    fn primary_of(&self, scenario: &str) -> Option<&Name>;
}

/// Selects rows by platform and scope.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Text that a row's platform must contain.
    pub platform_substring: Option<String>,
    /// The scope that a row must belong to.
    pub scope: Option<String>,
}

/// Why a row is left out.
#[derive(Clone, Copy)]
enum Excluded {
    ByPlatform,
    ByScope,
}

impl Filter {
    /// The scope of a platform's rows, or the reason why they are left out.
    fn scope_of<'a>(
        &self,
        platform: &'a str,
        config: &'a impl Definitions,
    ) -> Result<(usize, &'a str), Excluded> {
        if !platform.contains(self.platform_substring.as_deref().unwrap_or_default()) {
            return Err(Excluded::ByPlatform);
        }
        let is_wanted =
            |scope: &(usize, &str)| self.scope.as_deref().is_none_or(|wanted| wanted == scope.1);
        config
            .scope_of(platform)
            .filter(is_wanted)
            .ok_or(Excluded::ByScope)
    }
}

/// Rows, grouped by scope in headline order.
#[derive(Debug)]
pub struct Suite<'r> {
    /// The scopes that contain rows, in headline order.
    pub scopes: Vec<ScopeRows<'r>>,
    /// The number of rows that were left out, by reason.
    pub left_out: LeftOut,
    /// The position of each scope in `scopes`, for fast lookups, because there may be thousands.
    positions: HashMap<&'r str, usize, RandomState>,
}

/// The number of rows left out of a suite, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Rows whose platform does not contain the filter's text.
    pub platform: usize,
    /// Rows whose platform belongs to no scope, or to another scope than the requested one.
    pub scope: usize,
    /// Rows that differ from the scenario's first row in platform, commit or methodology, or that repeat a run index.
    pub superseded: usize,
    /// Rows that differ from the scenario's first row in the machine type.
    pub other_class: usize,
}

impl LeftOut {
    /// Returns a note for each reason why rows were left out.
    pub fn diagnostics(self) -> impl Iterator<Item = Diagnostic> {
        let reasons = [
            (self.platform, "left out: another platform"),
            (self.scope, "left out: another scope"),
            (
                self.superseded,
                "not compared: the scenario has a better row (another platform or commit, or the same run)",
            ),
            (
                self.other_class,
                "not compared: the scenario's row was measured on another machine type",
            ),
        ];
        let found = reasons.into_iter().filter(|(rows, _)| *rows > 0);
        found.map(|(rows, why)| Diagnostic::note(format!("{} {why}", counted(rows as u64, "row"))))
    }
}

/// The measurements of one scope.
#[derive(Debug)]
pub struct ScopeRows<'r> {
    /// The scope's name. Empty if the rows contain no platform.
    pub name: &'r str,
    /// The platform of the scope's first row.
    pub platform: &'r Name,
    /// The measurements: the scenarios in the config, in its order, then all others in order of appearance.
    pub measurements: Vec<Measurement<'r>>,
}

impl<'r> Suite<'r> {
    /// Groups the rows that pass `filter`.
    pub fn new(rows: &'r [Row], config: &'r impl Definitions, filter: &Filter) -> Self {
        Self::arranged(rows, config, filter, None)
    }

    /// Like [`Self::new`], but for a comparison with `other`. If a scenario's rows were measured in different ways, prefers
    /// rows that were measured as in `other`.
    pub fn beside(
        other: &Suite<'_>,
        rows: &'r [Row],
        config: &'r impl Definitions,
        filter: &Filter,
    ) -> Self {
        Self::arranged(rows, config, filter, Some(other))
    }

    fn arranged(
        rows: &'r [Row],
        config: &'r impl Definitions,
        filter: &Filter,
        other: Option<&Suite<'_>>,
    ) -> Self {
        // Each benchmark's first row in the other suite, by scope and scenario.
        let mut measured: HashMap<(&str, &str), &Row, RandomState> = HashMap::default();
        for scope in other.iter().flat_map(|other| &other.scopes) {
            for one in &scope.measurements {
                if let Some(first) = one.rows.first() {
                    measured.insert((scope.name, &**one.scenario), *first);
                }
            }
        }
        let mut left_out = LeftOut::default();
        let mut placed: IndexMap<(usize, &str), ScopeBuilder<'r>, RandomState> =
            IndexMap::default();
        // The scope of rows with these conditions. The key is the address of the conditions, because rows share them.
        let mut scope_of: HashMap<*const Conditions, Result<usize, Excluded>, RandomState> =
            HashMap::default();
        for row in rows {
            let conditions: &'r Conditions = &row.key.conditions;
            let scope = *scope_of.entry(conditions).or_insert_with(|| {
                let scope = filter.scope_of(&conditions.platform, config)?;
                let entry = placed.entry(scope);
                let at = entry.index();
                entry.or_default();
                Ok(at)
            });
            match scope {
                Err(Excluded::ByPlatform) => left_out.platform += 1,
                Err(Excluded::ByScope) => left_out.scope += 1,
                Ok(at) => {
                    let Some(((_, name), scope)) = placed.get_index_mut(at) else {
                        continue;
                    };
                    let is_wanted = |row: &Row| {
                        let first = measured.get(&(*name, &*row.scenario));
                        first.is_some_and(|first| Unlike::of(first, row).is_none())
                    };
                    scope.add(row, is_wanted, &mut left_out);
                }
            }
        }
        placed.sort_by(|a, _, b, _| a.0.cmp(&b.0));
        let mut scopes = Vec::new();
        let mut positions = HashMap::default();
        for ((_, name), scope) in placed {
            if let Some(scope) = scope.finish(name, config) {
                positions.insert(name, scopes.len());
                scopes.push(scope);
            }
        }
        Self {
            scopes,
            left_out,
            positions,
        }
    }

    /// Whether no row passed the filter.
    pub fn is_empty(&self) -> bool {
        self.scopes.is_empty()
    }

    /// The scope with this name.
    pub fn scope(&self, name: &str) -> Option<&ScopeRows<'r>> {
        self.scopes.get(*self.positions.get(name)?)
    }

    /// Every measurement in every scope.
    pub fn measurements(&self) -> impl Iterator<Item = &Measurement<'r>> {
        self.scopes.iter().flat_map(|scope| &scope.measurements)
    }
}

#[derive(Default)]
struct ScopeBuilder<'r> {
    scenarios: IndexMap<&'r Name, ScenarioSamples<'r>, RandomState>,
}

#[derive(Default)]
struct ScenarioSamples<'r> {
    rows: Rows<'r>,
    run_indices: HashSet<i64, RandomState>,
}

/// A difference in how two rows were measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unlike {
    /// The methodologies differ.
    Method,
    /// The machine types differ.
    Machine,
}

impl Unlike {
    /// Finds the first difference. Ignores a property that only one row states.
    fn of(one: &Row, other: &Row) -> Option<Self> {
        let methods = one.methodology.as_ref().zip(other.methodology.as_ref());
        if methods.is_some_and(|(one, other)| !is_same(one, other)) {
            return Some(Self::Method);
        }
        let classes = one.machine_class.as_ref().zip(other.machine_class.as_ref());
        classes
            .filter(|(one, other)| one != other)
            .map(|_| Self::Machine)
    }
}

impl<'r> ScopeBuilder<'r> {
    fn add(&mut self, row: &'r Row, is_wanted: impl Fn(&Row) -> bool, left_out: &mut LeftOut) {
        let samples = self.scenarios.entry(&row.scenario).or_default();
        let first = samples.rows.first();
        let is_other_class = first.is_some_and(|first| first.machine_class != row.machine_class);
        let superseded = if is_other_class {
            &mut left_out.other_class
        } else {
            &mut left_out.superseded
        };
        let mut belongs = first.is_none_or(|first| {
            first.platform == row.platform
                && first.commit == row.commit
                && !is_other_class
                && first.methodology == row.methodology
        });
        if !belongs && is_wanted(row) && !samples.rows.iter().any(|first| is_wanted(first)) {
            *superseded += samples.rows.len();
            *samples = ScenarioSamples::default();
            belongs = true;
        }
        // A skipped or failed row contributes no numbers, and must always be reported.
        let is_not_measured = row.outcome != Outcome::Measured;
        if belongs && (samples.run_indices.insert(row.run_index) || is_not_measured) {
            samples.rows.push(row);
        } else {
            *superseded += 1;
        }
    }

    fn finish(self, name: &'r str, config: &impl Definitions) -> Option<ScopeRows<'r>> {
        let platform = &self.scenarios.values().next()?.rows.first()?.platform;
        let mut measurements = Vec::with_capacity(self.scenarios.len());
        for (scenario, samples) in self.scenarios {
            measurements.push(Measurement {
                scenario,
                family: config.family(scenario),
                rows: samples.rows,
            });
        }
        measurements.sort_by_cached_key(|one| config.rank(one.scenario));
        Some(ScopeRows {
            name,
            platform,
            measurements,
        })
    }
}
