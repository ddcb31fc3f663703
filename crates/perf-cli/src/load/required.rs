//! Benchmarks that every run must have measured.

use perf_config::Config;
use perf_model::row::Row;
use perf_model::suite::{Filter, Suite};

use crate::{Failure, term};

/// What the config requires of a run, and its rows lack: one message; `None` where nothing lacks.
pub fn unmet(rows: &[Row], config: &Config) -> Option<String> {
    if config.required.is_empty() {
        return None;
    }
    let suite = Suite::new(rows, config, &Filter::default());
    let unmet: Vec<String> =
        config.unmet(&suite).into_iter().map(|required| term::printable(&required.to_string())).collect();
    (!unmet.is_empty()).then(|| format!("required benchmarks were not measured: {}", unmet.join(", ")))
}

/// Refuses a run that lacks what the config requires.
///
/// # Errors
/// The message of [`unmet`].
pub fn require(rows: &[Row], config: &Config) -> Result<(), Failure> {
    let hint = "run the whole suite, or change `required` in the config";
    unmet(rows, config).map_or(Ok(()), |message| Err(Failure::new(message).hint(hint)))
}
