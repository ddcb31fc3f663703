//! Python: `requirements.txt` with the files it includes, or `pyproject.toml` with its lock file and settings.

mod pyproject;
mod requirement;
mod requirements;
mod settings;

use perf_model::packages::Consumer;

use super::ReadConsumer;
use crate::checker::Checker;

/// Reads either kind of file, by its extension.
pub(super) fn read(checker: &mut Checker<'_>, path: &str, consumer: &Consumer) -> ReadConsumer {
    let is_toml = path
        .rsplit_once('.')
        .is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("toml"));
    if is_toml {
        pyproject::read(checker, path, consumer)
    } else {
        requirements::read(checker, path)
    }
}
