//! Required benchmarks: those that every run must have measured.

use std::fmt;

use perf_model::suggest::suggest;
use perf_model::suite::{Measurement, Suite};
use toml::Value;

use super::build::{Built, ConfigBuilder};
use super::{Config, Glob};
use crate::spanned::Spanned;

/// A benchmark or a scope that a run must have measured.
#[derive(Clone, Debug)]
pub struct Required {
    benchmark: Option<Glob>,
    scope: Option<Glob>,
}

impl Required {
    /// True if it names this benchmark, in whatever scope.
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
    /// `parse_*`, `parse_* in Mono`, or `scope Mono`.
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
    /// The required benchmarks and scopes that a run has not measured, in the order of the config.
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
                    format!("`{value}` names no {what}, expected a text"),
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
