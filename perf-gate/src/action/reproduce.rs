//! The command by which a reader comes to the same verdict in a clone of the repository. It names what the repository and
//! the output of the run have, and no file of the job.

use super::base::Base;
use super::inputs::{Inputs, Store};
use super::options::listed;
use super::place::{path, slashes};
use super::plan::Plan;

/// The words of a command line, quoted for a shell.
pub(super) fn command(plan: &Plan, base: &Base) -> String {
    let inputs = &plan.inputs;
    let words = if inputs.is_measuring() { measuring(inputs, base) } else { comparing(inputs, base) };
    let line = shell_words::join(words);
    match inputs.directory.as_str() {
        "" | "." => line,
        directory => format!("cd {} && {line}", shell_words::quote(&slashes(directory))),
    }
}

/// Measures both sides again.
fn measuring(inputs: &Inputs, base: &Base) -> Vec<String> {
    let mut words = vec!["perf-gate".to_owned(), "run".to_owned()];
    words.extend(base.commit.iter().flat_map(|commit| option("--base-ref", &commit.to_string())));
    words.extend(option("--build", &inputs.build));
    words.extend(option("--format", &inputs.format));
    words.extend(option("--output-of", inputs.input.trim()));
    words.extend(option("--config", &inputs.config));
    words.push("--".to_owned());
    words.extend(inputs.measure.iter().cloned());
    words
}

/// Compares the output of the run.
fn comparing(inputs: &Inputs, base: &Base) -> Vec<String> {
    let lines = |text: &str| {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(path).collect::<Vec<_>>()
    };
    let mut words = vec!["perf-gate".to_owned(), "compare".to_owned()];
    words.extend(listed("--input", lines(&inputs.input)));
    words.extend(option("--format", &inputs.format));
    // What the base has at a commit, every clone has.
    words.extend(match inputs.baseline_store {
        // Without a baseline, a branch of its own may not be there.
        Store::Branch if !base.has_baseline => option("--baseline-csv", &inputs.baseline),
        Store::Commit | Store::Branch => base.baseline.clone(),
        Store::Cache | Store::Workspace => option("--baseline-csv", &inputs.baseline),
    });
    words.extend(option("--config", &inputs.config));
    words.extend(option("--history-git", &inputs.history));
    if !inputs.confirm.trim().is_empty() {
        words.extend(listed("--confirm", lines(&inputs.confirm)));
    }
    words.extend(inputs.paired.then(|| "--paired".to_owned()));
    words.extend(option("--platform", &inputs.platform));
    words.extend(option("--scope", &inputs.scope));
    words.extend(option("--platform-substring", &inputs.platform_substring));
    words.extend(option("--tolerance", &inputs.tolerance));
    words.extend(option("--regression-threshold", &inputs.regression_threshold));
    words
}

/// An option and its value, unless that was left out.
fn option(name: &str, value: &str) -> Vec<String> {
    match value {
        "" => vec![],
        // It must not pass for an option.
        _ if value.starts_with('-') => vec![format!("{name}={value}")],
        _ => vec![name.to_owned(), value.to_owned()],
    }
}
