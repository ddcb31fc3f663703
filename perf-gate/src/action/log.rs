//! A step's annotations, outputs and log lines.

use anyhow::Error;
use perf_cli::actions::{Level, annotation, delimiter, write_output};
use perf_cli::failure;
use perf_cli::term::{self, printable};

use super::environment::required;

/// Annotates the job, one line per hint.
pub fn show(level: Level, message: &str, hints: &[&str]) {
    let mut line = annotation(level, "perf-gate", message)
        .trim_end()
        .to_owned();
    for hint in hints {
        line += "%0Ahint: ";
        line += &printable(hint).replace('%', "%25");
    }
    // A closed stdout is not an error, because nobody could read the error.
    let _ = term::stdout(&(line + "\n"));
}

/// Annotates the job with an error, and returns its text for the report.
pub fn show_error(level: Level, error: &Error) -> String {
    let (message, hints) = (failure::message(error), failure::hints(error));
    show(level, &message, &hints);
    let mut text = format!("error: {message}");
    for hint in hints {
        text += "\nhint: ";
        text += hint;
    }
    text
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

/// Writes an output of the step.
pub fn output(name: &str, value: &str) -> anyhow::Result<()> {
    Ok(write_output(
        required("GITHUB_OUTPUT")?.as_ref(),
        name,
        value,
    )?)
}
