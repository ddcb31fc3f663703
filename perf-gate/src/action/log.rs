//! A step's annotations, outputs and log lines.

use std::path::PathBuf;
use std::sync::OnceLock;

use perf_cli::actions::{Level, annotation, delimiter, write_output};
use perf_cli::term::{self, printable};
use perf_cli::{Failure, ResultExt};

const TITLE: &str = "perf-gate";

/// Annotates the job with an error, one line per hint.
pub fn error(message: &str, hints: &[impl AsRef<str>]) {
    show(Level::Error, message, hints);
}

/// Annotates the job with a warning.
pub fn warning(message: &str, hints: &[impl AsRef<str>]) {
    show(Level::Warning, message, hints);
}

/// Annotates the job with a notice.
pub fn notice(message: &str, hints: &[impl AsRef<str>]) {
    show(Level::Notice, message, hints);
}

fn show(level: Level, message: &str, hints: &[impl AsRef<str>]) {
    let mut line = annotation(level, TITLE, message).trim_end().to_owned();
    for hint in hints {
        line += "%0Ahint: ";
        line += &printable(hint.as_ref()).replace('%', "%25");
    }
    // A closed stdout is not an error, because nobody could read the error.
    let _ = term::stdout(&(line + "\n"));
}

/// Makes the runner ignore workflow commands in everything that `run` prints.
pub fn without_commands<T>(run: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    let token = delimiter()?;
    term::stdout(&format!("::stop-commands::{token}\n"))?;
    let result = run();
    // The leading newline is for text that doesn't end with one.
    term::stdout(&format!("\n::{token}::\n"))?;
    result
}

/// The file for outputs, if the environment does not contain it.
static OUTPUTS: OnceLock<PathBuf> = OnceLock::new();

/// Sets the file for outputs.
pub fn set_output_file(path: &str) {
    let _ = OUTPUTS.set(path.into());
}

/// The file for outputs.
pub fn output_file() -> anyhow::Result<PathBuf> {
    if let Some(path) = OUTPUTS.get() {
        return Ok(path.clone());
    }
    let path = super::environment::variable("GITHUB_OUTPUT")
        .ok_or_else(|| Failure::new("GITHUB_OUTPUT is not set"))
        .hint("`perf-gate ci step` is called by the action's `action.yml`")?;
    Ok(path.into())
}

/// Writes an output of the step.
pub fn output(name: &str, value: &str) -> anyhow::Result<()> {
    Ok(write_output(&output_file()?, name, value)?)
}
