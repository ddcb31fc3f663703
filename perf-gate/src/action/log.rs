//! The messages of a step to the job: annotations, outputs and the log.

use std::fmt::Write;

use perf_cli::actions::{Level, annotation, write_output};
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
///
/// # Errors
/// When the system gives no random numbers.
pub(super) fn guarded(text: &str) -> anyhow::Result<()> {
    guarding(|| term::stdout(text))
}

/// Runs something that prints such text.
///
/// # Errors
/// Those of what is run; when the system gives no random numbers.
pub(super) fn guarding<T>(run: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    let token = random()?;
    term::stdout(&format!("::stop-commands::{token}\n"))?;
    let result = run();
    // The end is on a line of its own, however the text ended.
    term::stdout(&format!("\n::{token}::\n"))?;
    result
}

/// 128 bits that nobody can guess.
fn random() -> anyhow::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        Failure::new("the system gives no random numbers").because(std::io::Error::from(error))
    })?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

/// Writes an output of the step.
///
/// # Errors
/// Outside of a workflow, and when the file cannot be written.
pub(super) fn output(name: &str, value: &str) -> anyhow::Result<()> {
    let path = super::environment::variable("GITHUB_OUTPUT")
        .ok_or_else(|| Failure::new("GITHUB_OUTPUT is not set"))
        .hint("`perf-gate action` is called by the action's `action.yml`")?;
    Ok(write_output(path.as_ref(), name, value)?)
}
