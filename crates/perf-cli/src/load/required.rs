//! Benchmarks that every run must have measured.

use perf_config::Config;
use perf_model::row::Row;
use perf_model::suite::{Filter, Suite};

use crate::{Failure, term};

/// The benchmarks that the config requires of a run, and its rows lack.
pub fn unmet(rows: &[Row], config: &Config) -> Vec<String> {
    if config.required.is_empty() {
        return Vec::new();
    }
    let suite = Suite::new(rows, config, &Filter::default());
    config
        .unmet(&suite)
        .into_iter()
        .map(|required| term::printable(&required.to_string()))
        .collect()
}

/// The message of a run that lacks it.
pub fn not_measured(unmet: &[String]) -> String {
    format!(
        "required benchmarks were not measured: {}",
        unmet.join(", ")
    )
}

/// Refuses a run that lacks what the config requires.
pub fn require(rows: &[Row], config: &Config) -> Result<(), Failure> {
    let unmet = unmet(rows, config);
    let hint = "run the whole suite, or change `required` in the config";
    if unmet.is_empty() {
        Ok(())
    } else {
        Err(Failure::new(not_measured(&unmet)).hint(hint))
    }
}
