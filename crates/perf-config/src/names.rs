//! Names that can only be checked against rows: metrics and benchmarks that the config refers to without declaring
//! them, and benchmarks that a run must contain.
//!
//! A metric that exists neither in the config nor in any row is an error, because its gate would always pass. A
//! benchmark may have been removed, so an unknown benchmark is an error only if its name is similar to another
//! benchmark's.

use std::fmt;

use indexmap::IndexSet;
use perf_model::metric::{Direction, GateRule, is_known};
use perf_model::suggest::{is_misspelt, suggest};
use perf_model::suite::{Definitions, Measurement, Suite};
use toml::Value;

use crate::build::{Built, ConfigBuilder};
use crate::file::Spanned;
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
#[derive(Clone, Copy, Debug, PartialEq)]
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
        let metrics = if self.known.is_none() {
            self.metric_mentions()
        } else {
            Vec::new()
        };
        let (benchmarks, scopes) = self.benchmark_mentions();
        let comparison = self.file.comparison.iter();
        let libraries = comparison
            .clone()
            .flat_map(|section| &section.technologies)
            .map(|entry| &entry.key);
        let works = comparison
            .flat_map(|section| &section.scenarios)
            .map(|entry| &entry.key);
        let named = |kind: NameKind| move |name: &Spanned<String>| self.mention_at(name, kind);
        let gates = self.file.gates.iter().flatten();
        let oriented = gates.filter(|gate| {
            matches!(
                gate.rule,
                Some(GateRule::Limit | GateRule::Exact | GateRule::Count)
            )
        });
        let oriented = oriented.filter_map(|gate| gate.metric.as_ref());
        let metrics = metrics
            .into_iter()
            .filter(|name| !is_known(&self.canonical(name.get_ref())));
        metrics
            .map(named(NameKind::Metric))
            .chain(benchmarks.iter().map(named(NameKind::Benchmark)))
            .chain(scopes.iter().map(named(NameKind::Scope)))
            .chain(libraries.map(named(NameKind::Library)))
            .chain(works.map(named(NameKind::Work)))
            .chain(oriented.map(named(NameKind::Oriented)))
            .filter(|mention| !is_pattern(&mention.name))
            .collect()
    }

    fn mention_at(&self, name: &Spanned<String>, kind: NameKind) -> Mention {
        let place = self.error(name.span(), "");
        let name = match kind {
            NameKind::Metric | NameKind::Oriented => self.canonical(name.get_ref()).to_string(),
            _ => name.get_ref().clone(),
        };
        Mention { name, kind, place }
    }

    fn metric_mentions(&self) -> Vec<&Spanned<String>> {
        let gates = self.file.gates.iter().flatten();
        let gates = gates
            .flat_map(|gate| {
                [
                    gate.metric.as_ref(),
                    gate.requires.as_ref(),
                    gate.values.as_ref(),
                ]
            })
            .flatten();
        let comparison = self
            .file
            .comparison
            .iter()
            .flat_map(|section| &section.matrices);
        gates
            .chain(self.file.primary.iter())
            .chain(
                self.file
                    .scenarios
                    .iter()
                    .filter_map(|scenario| scenario.primary.as_ref()),
            )
            .chain(self.file.deltas.also.iter().flatten())
            .chain(
                self.file
                    .waivers
                    .iter()
                    .filter_map(|waiver| waiver.metric.as_ref()),
            )
            .chain(comparison.map(|matrix| &matrix.metric))
            .collect()
    }

    /// References to benchmarks and scopes.
    fn benchmark_mentions(&self) -> (Vec<Spanned<String>>, Vec<Spanned<String>>) {
        let gates = self.file.gates.iter().flatten();
        let gates = gates.flat_map(|gate| {
            gate.scenarios
                .iter()
                .flatten()
                .chain(&gate.relative_to)
                .chain(&gate.minus)
        });
        let waivers = self.file.waivers.iter().map(|waiver| &waiver.scenario);
        let required = |key: &'static str| {
            self.file.required.iter().filter_map(move |entry| {
                let name = match entry.get_ref() {
                    Value::Table(table) => table.get(key)?,
                    name if key == "benchmark" => name,
                    _ => return None,
                };
                Some(Spanned::new(entry.span(), name.as_str()?.to_owned()))
            })
        };
        (
            gates
                .chain(waivers)
                .cloned()
                .chain(required("benchmark"))
                .collect(),
            required("scope").collect(),
        )
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
        let comparison = self.comparison.iter();
        comparison
            .flat_map(|one| {
                rows.benchmarks
                    .iter()
                    .filter_map(|name| one.split_any(name))
            })
            .unzip()
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

const KEYS: [&str; 2] = ["benchmark", "scope"];

impl ConfigBuilder<'_> {
    pub(super) fn required(&self, entry: &Spanned<Value>) -> Built<Required> {
        let text = |value: &Value, what: &str| {
            let Value::String(text) = value else {
                return Err(self.error(
                    entry.span(),
                    format!("`{value}` is not a {what}, expected a text"),
                ));
            };
            Ok(Glob::new(
                self.name(&Spanned::new(entry.span(), text.clone()), what)?,
            ))
        };
        match entry.get_ref() {
            Value::Table(table) => {
                if let Some(key) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
                    let error = self.error(entry.span(), format!("unknown key `{key}`"));
                    return Err(error.with_hint(suggest(key, KEYS)));
                }
                if table.is_empty() {
                    let message = "a required entry needs a `benchmark` or a `scope`";
                    return self.refuse(entry.span(), message, "`{ scope = \"Mono\" }`");
                }
                let named = |key| table.get(key).map(|value| text(value, key)).transpose();
                Ok(Required {
                    benchmark: named("benchmark")?,
                    scope: named("scope")?,
                })
            }
            value => Ok(Required {
                benchmark: Some(text(value, "benchmark")?),
                scope: None,
            }),
        }
    }
}
