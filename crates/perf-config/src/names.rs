//! Names that can only be checked against rows: metrics and benchmarks that the config refers to without declaring
//! them, and benchmarks that a run must contain.
//!
//! A metric that exists neither in the config nor in any row is an error, because its gate would always pass. A
//! benchmark may have been removed, so an unknown benchmark is an error only if its name is similar to another
//! benchmark's.

use std::fmt;

use indexmap::IndexSet;
use perf_model::metric::Direction;
use perf_model::suggest::{is_misspelt, suggest};
use perf_model::suite::{Definitions, Measurement, Suite};

use crate::build::{Built, ConfigBuilder, GATED, Mention};
use crate::file::{RequiredEntry, Spanned};
use crate::{Config, ConfigError, Glob};

/// The names in rows from base, head and earlier runs.
#[derive(Debug, Default)]
pub struct NamesOfRows<'r> {
    /// Metric names.
    pub metrics: IndexSet<&'r str>,
    /// Benchmark keys.
    pub benchmarks: IndexSet<&'r str>,
    /// Scope names.
    pub scopes: IndexSet<&'r str>,
}

impl Mention {
    fn error(&self, message: String, hint: Option<String>) -> ConfigError {
        ConfigError {
            message,
            hint,
            ..self.place.clone()
        }
    }
}

impl Config {
    /// Checks the config's names against the names in all rows. Rejects misspelt names, and gates that can never fail
    /// because it is unknown whether lower or higher values are better.
    ///
    /// # Errors
    /// Returns the first mistake, with its line and column.
    pub fn check_names(&self, rows: &NamesOfRows<'_>) -> Result<(), ConfigError> {
        let (mut libraries, mut works) = (IndexSet::new(), IndexSet::new());
        if let Some(comparison) = &self.comparison {
            let names = rows.benchmarks.iter();
            (libraries, works) = names.filter_map(|name| comparison.split_any(name)).unzip();
        }
        for mention in &self.mentions {
            let (name, what) = (mention.name.as_str(), mention.kind);
            let known = match what {
                // If it is unknown which direction is better, no change is for the worse.
                GATED if self.metric(name).meaning.direction == Direction::Unknown => {
                    let message = format!(
                        "this gate can never fail: the better direction of `{name}` is unknown"
                    );
                    let hint =
                        format!("set `better` in `[metrics.{name}]`, or use `rule = \"equal\"`");
                    return Err(mention.error(message, Some(hint)));
                }
                GATED => continue,
                "metric" => &rows.metrics,
                "benchmark" if self.scenarios.contains_key(name) => continue,
                "benchmark" => &rows.benchmarks,
                "scope" => &rows.scopes,
                "library" => &libraries,
                _ => &works,
            };
            if known.contains(name) {
                continue;
            }
            let hint = match known.iter().find(|other| is_misspelt(name, other)) {
                Some(other) => Some(format!("did you mean `{other}`?")),
                None if what == "metric" => suggest(name, known.iter().copied()),
                None => continue,
            };
            let message =
                format!("no {what} is called `{name}`, neither in the config nor in any row");
            return Err(mention.error(message, hint));
        }
        Ok(())
    }
}

/// A benchmark, a scope, or a benchmark in a scope that a run must measure.
#[derive(Clone, Debug)]
pub struct Required {
    benchmark: Option<Glob>,
    scope: Option<Glob>,
}

impl Required {
    /// Whether the entry's benchmark pattern matches this benchmark. The entry's scope is ignored.
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
    /// Formats as `parse_*`, `parse_*` in scope `Mono`, or scope `Mono`, with backticks.
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
    /// Returns the required benchmarks and scopes that a run did not measure, in config order.
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
        let glob = |name: Option<&String>, what: &'static str| {
            let Some(name) = name else { return Ok(None) };
            self.mention(what, entry, name);
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
