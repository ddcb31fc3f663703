//! The messages of a step to the job: annotations, outputs and the log.

use perf_cli::actions::{Level, annotation, delimiter, write_output};
use perf_cli::term::{self, printable};
use perf_cli::{Failure, ResultExt};

const TITLE: &str = "perf-gate";

/// Shows an error on the run's page, with its hints on lines of their own.
pub(super) fn error(message: &str, hints: &[impl AsRef<str>]) {
    show(Level::Error, message, hints);
}

/// Shows a warning.
pub(super) fn warning(message: &str, hints: &[impl AsRef<str>]) {
    show(Level::Warning, message, hints);
}

/// Shows a notice.
pub(super) fn notice(message: &str, hints: &[impl AsRef<str>]) {
    show(Level::Notice, message, hints);
}

fn show(level: Level, message: &str, hints: &[impl AsRef<str>]) {
    let mut line = annotation(level, TITLE, message).trim_end().to_owned();
    for hint in hints {
        line += "%0Ahint: ";
        line += &printable(hint.as_ref()).replace('%', "%25");
    }
    // Nobody is left to tell.
    let _ = term::stdout(&(line + "\n"));
}

/// Prints text that may repeat what a stranger wrote: the workflow obeys none of it.
pub(super) fn guarded(text: &str) -> anyhow::Result<()> {
    guarding(|| term::stdout(text))
}

/// Runs something that prints such text.
pub(super) fn guarding<T>(run: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    let token = delimiter()?;
    term::stdout(&format!("::stop-commands::{token}\n"))?;
    let result = run();
    // The end is on a line of its own, however the text ended.
    term::stdout(&format!("\n::{token}::\n"))?;
    result
}

/// Writes an output of the step.
pub(super) fn output(name: &str, value: &str) -> anyhow::Result<()> {
    let path = super::environment::variable("GITHUB_OUTPUT")
        .ok_or_else(|| Failure::new("GITHUB_OUTPUT is not set"))
        .hint("`perf-gate ci step` is called by the action's `action.yml`")?;
    Ok(write_output(path.as_ref(), name, value)?)
}
