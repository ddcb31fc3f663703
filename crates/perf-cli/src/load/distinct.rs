//! Files of one command that must not be the same.

use std::path::{Path, PathBuf};

use crate::{Failure, term};

/// Refuses to write an output over an input, or over another output.
///
/// # Errors
/// The first two paths that are one file.
pub fn check_no_overwrite(
    outputs: &[Option<&Path>],
    inputs: &[Option<&Path>],
) -> anyhow::Result<()> {
    let outputs: Vec<&Path> = outputs
        .iter()
        .flatten()
        .copied()
        .filter(|path| path.as_os_str() != "-")
        .collect();
    for (at, output) in outputs.iter().enumerate() {
        let others = outputs[..at].iter().chain(inputs.iter().flatten());
        if let Some(other) = others.into_iter().find(|other| is_same_file(output, other)) {
            let message = format!(
                "`{}` would be written over `{}`",
                term::shown(output),
                term::shown(other)
            );
            return Err(Failure::new(message)
                .hint("give the output another name")
                .into());
        }
    }
    Ok(())
}

/// Refuses a file that is given for two of the runs, as each must be a measurement of its own.
///
/// # Errors
/// The first file that is.
pub fn check_distinct_runs(run: &[PathBuf], further: &[PathBuf]) -> anyhow::Result<()> {
    for (at, again) in further.iter().enumerate() {
        let others = run.iter().chain(&further[..at]);
        if others
            .into_iter()
            .any(|other| again.as_os_str() != "-" && is_same_file(again, other))
        {
            let message = format!("`{}` is given twice", term::shown(again));
            return Err(Failure::new(message)
                .hint("a run cannot confirm itself: run the benchmark again")
                .into());
        }
    }
    Ok(())
}

/// True if two paths lead to one file, which need not exist.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    one == other || real(one) == real(other)
}
