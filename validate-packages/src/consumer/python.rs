//! Python: `requirements.txt` with the files it includes, or `pyproject.toml` with its lock file and settings.

mod pyproject;
mod requirement;
mod requirements;
mod settings;

use perf_model::packages::Consumer;

use super::Consumed;
use crate::checker::{Checker, Reported};

/// Reads either kind of file, by its extension; `None` if it does not exist.
pub(super) fn read(
    checker: &mut Checker<'_>,
    path: &str,
    consumer: &Consumer,
) -> Result<Option<Consumed>, Reported> {
    let is_toml = path.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("toml"));
    if is_toml { pyproject::read(checker, path, consumer) } else { requirements::read(checker, path) }
}
