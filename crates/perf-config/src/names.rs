//! Names that can only be checked against rows: metrics and benchmarks that the config refers to without declaring
//! them, and benchmarks that a run must contain.
//!
//! A metric that exists neither in the config nor in any row is an error, because its gate would always pass. A
//! benchmark may have been removed, so an unknown benchmark is an error only if its name is similar to another
//! benchmark's.

use std::fmt;
use std::ops::Range;

use indexmap::IndexSet;
use perf_model::metric::{Direction, GateRule, is_known};
use perf_model::suggest::{is_misspelt, suggest};
use perf_model::suite::{Definitions, Measurement, Suite};

use crate::build::{Built, ConfigBuilder};
use crate::file::{RequiredEntry, Spanned};
use crate::gates::is_pattern;
use crate::{Config, ConfigError, Glob};

/// The names in rows from base, head and earlier runs.
#[derive(Debug, Default)]
pub struct NamesOfRows<'r> {
    /// Metrics.
    pub metrics: IndexSet<&'r str>,
    /// Benchmarks.
    pub benchmarks: IndexSet<&'r str>,
    /// Scopes.
    pub scopes: IndexSet<&'r str>,
}

/// A reference to a name that the config does not declare.
#[derive(Clone, Debug)]
pub(super) struct Mention {
    name: String,
    kind: NameKind,
    /// The position, as an error without a message.
    place: ConfigError,
}

/// The kind of thing referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NameKind {
    Metric,
    Benchmark,
    Scope,
    /// A library in the comparison.
    Library,
    /// The work for which libraries are compared.
    Work,
    /// A metric whose gate needs a better direction.
    Oriented,
}

impl ConfigBuilder<'_> {
    /// The references to names that are neither declared nor well-known; patterns are left out.
    pub(super) fn mentions(&self) -> Vec<Mention> {
        let file = self.file;
        let mut metrics: Vec<&Spanned<String>> = Vec::new();
        let mut gated: Vec<&Spanned<String>> = Vec::new();
        let mut benchmarks: Vec<&Spanned<String>> = Vec::new();
        metrics.extend(&file.primary);
        for scenario in &file.scenarios {
            metrics.extend(&scenario.primary);
        }
        metrics.extend(file.deltas.also.iter().flatten());
        for gate in file.gates.iter().flatten() {
            metrics.extend(&gate.metric);
            metrics.extend(&gate.requires);
            metrics.extend(&gate.values);
            benchmarks.extend(&gate.relative_to);
            benchmarks.extend(&gate.minus);
            benchmarks.extend(gate.scenarios.iter().flatten());
            if let Some(GateRule::Limit | GateRule::Exact | GateRule::Count) = gate.rule {
                gated.extend(&gate.metric);
            }
        }
        for waiver in &file.waivers {
            metrics.extend(&waiver.metric);
            benchmarks.push(&waiver.scenario);
        }
        let mut mentions = Vec::new();
        if let Some(comparison) = &file.comparison {
            metrics.extend(comparison.matrices.iter().map(|matrix| &matrix.metric));
            for library in &comparison.technologies {
                mentions.push(self.mention(&library.key, &library.key, NameKind::Library));
            }
            for work in &comparison.scenarios {
                mentions.push(self.mention(&work.key, &work.key, NameKind::Work));
            }
        }
        for name in metrics {
            let text = self.canonical(name);
            // If the config lists metrics, a reference to another one is already an error.
            if !self.lists_metrics() && !is_known(&text) {
                mentions.push(self.mention(name, &text, NameKind::Metric));
            }
        }
        for name in gated {
            mentions.push(self.mention(name, &self.canonical(name), NameKind::Oriented));
        }
        for name in benchmarks {
            mentions.push(self.mention(name, name, NameKind::Benchmark));
        }
        for entry in &file.required {
            let (benchmark, scope) = entry.parts();
            for (kind, name) in [(NameKind::Benchmark, benchmark), (NameKind::Scope, scope)] {
                mentions.extend(name.map(|name| self.mention(entry, name, kind)));
            }
        }
        mentions.retain(|mention| !is_pattern(&mention.name));
        // Metrics first, because a misspelt one disables a gate.
        mentions.sort_by_key(|mention| mention.kind);
        mentions
    }

    fn mention(&self, span: impl Into<Range<usize>>, name: &str, kind: NameKind) -> Mention {
        Mention {
            name: name.to_owned(),
            kind,
            place: self.error(span, ""),
        }
    }
}

impl Config {
    /// Fails for misspelt names, and for gates that can never fail, given the names in all rows.
    ///
    /// # Errors
    /// The first error, with its line and column.
    pub fn check_names(&self, rows: &NamesOfRows<'_>) -> Result<(), ConfigError> {
        let (libraries, works) = self.sides_of(rows);
        for mention in &self.mentions {
            let name = mention.name.as_str();
            let (known, what) = match mention.kind {
                NameKind::Oriented => {
                    self.check_direction(mention)?;
                    continue;
                }
                NameKind::Metric => (&rows.metrics, "metric"),
                NameKind::Benchmark => (&rows.benchmarks, "benchmark"),
                NameKind::Scope => (&rows.scopes, "scope"),
                NameKind::Library => (&libraries, "library"),
                NameKind::Work => (&works, "work"),
            };
            if known.contains(name)
                || (mention.kind == NameKind::Benchmark && self.scenarios.contains_key(name))
            {
                continue;
            }
            let other = known.iter().find(|other| is_misspelt(name, other));
            let hint = match (mention.kind, other) {
                (_, Some(other)) => Some(format!("did you mean `{other}`?")),
                (NameKind::Metric, None) => suggest(name, known.iter().copied()),
                _ => continue,
            };
            let message =
                format!("no {what} is called `{name}`, neither in the config nor in any row");
            return Err(ConfigError {
                message,
                hint,
                ..mention.place.clone()
            });
        }
        Ok(())
    }

    /// Without a better direction, nothing is worse.
    fn check_direction(&self, mention: &Mention) -> Result<(), ConfigError> {
        let name = &mention.name;
        if self.metric(name).meaning.direction != Direction::Unknown {
            return Ok(());
        }
        let message =
            format!("this gate can never fail: the better direction of `{name}` is unknown");
        let hint = format!("set `better` in `[metrics.{name}]`, or use `rule = \"equal\"`");
        Err(ConfigError {
            message,
            hint: Some(hint),
            ..mention.place.clone()
        })
    }

    /// The libraries and the works in comparison rows.
    fn sides_of<'r>(&self, rows: &NamesOfRows<'r>) -> (IndexSet<&'r str>, IndexSet<&'r str>) {
        let Some(comparison) = &self.comparison else {
            return (IndexSet::new(), IndexSet::new());
        };
        let names = rows.benchmarks.iter();
        names.filter_map(|name| comparison.split_any(name)).unzip()
    }
}

/// A benchmark or a scope that a run must measure.
#[derive(Clone, Debug)]
pub struct Required {
    benchmark: Option<Glob>,
    scope: Option<Glob>,
}

impl Required {
    /// Whether it requires this benchmark, in any scope.
    pub fn is_benchmark(&self, name: &str) -> bool {
        self.benchmark
            .as_ref()
            .is_some_and(|glob| glob.matches(name))
    }

    fn is_in(&self, scope: &str, benchmark: &str) -> bool {
        let is = |wanted: &Option<Glob>, name: &str| {
            wanted.as_ref().is_none_or(|glob| glob.matches(name))
        };
        is(&self.scope, scope) && is(&self.benchmark, benchmark)
    }
}

impl fmt::Display for Required {
    /// Formats as `parse_*`, `parse_* in Mono`, or `scope Mono`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.benchmark, &self.scope) {
            (Some(benchmark), None) => write!(f, "`{}`", benchmark.as_str()),
            (Some(benchmark), Some(scope)) => {
                write!(f, "`{}` in scope `{}`", benchmark.as_str(), scope.as_str())
            }
            (None, Some(scope)) => write!(f, "scope `{}`", scope.as_str()),
            (None, None) => write!(f, "any benchmark"),
        }
    }
}

impl Config {
    /// The required benchmarks and scopes that a run did not measure, in config order.
    pub fn unmet(&self, suite: &Suite<'_>) -> Vec<&Required> {
        let mut unmet: Vec<&Required> = self.required.iter().collect();
        for scope in &suite.scopes {
            let has_values =
                |one: &&Measurement<'_>| one.rows.iter().any(|row| !row.metrics.is_empty());
            for one in scope.measurements.iter().filter(has_values) {
                unmet.retain(|required| !required.is_in(scope.name, one.scenario));
            }
        }
        unmet
    }
}

impl ConfigBuilder<'_> {
    pub(super) fn required(&self, entry: &Spanned<RequiredEntry>) -> Built<Required> {
        let glob = |name: Option<&String>, what: &str| {
            let Some(name) = name else { return Ok(None) };
            let name = Spanned::new(entry.span(), name.clone());
            Ok(Some(Glob::new(self.name(&name, what)?)))
        };
        let (benchmark, scope) = entry.parts();
        if benchmark.is_none() && scope.is_none() {
            let message = "a required entry needs a `benchmark` or a `scope`";
            return self.refuse(entry, message, "`{ scope = \"Mono\" }`");
        }
        Ok(Required {
            benchmark: glob(benchmark, "benchmark")?,
            scope: glob(scope, "scope")?,
        })
    }
}
