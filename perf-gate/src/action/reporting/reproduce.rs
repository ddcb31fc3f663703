//! The command that reproduces the verdict in a clone of the repository. It uses no files that exist only in the job.

use std::fs;
use std::path::{Path, PathBuf};

use perf_cli::file;
use perf_config::Config;

use crate::action::{
    plan::ActionPlan,
    planning::base::{Base, BaselinePlace},
    planning::place::{path, slashes},
};
use crate::run::{end, option};

/// The command line, quoted for a shell.
pub fn command(plan: &ActionPlan, base: &Base, config: &Config) -> String {
    let words = if plan.settings.run.is_empty() {
        compare_command(plan, base, config)
    } else {
        run_command(plan, base)
    };
    let line = shell_words::join(words);
    match plan.inputs.directory.as_str() {
        "" | "." => line,
        directory => format!("cd {} && {line}", shell_words::quote(&slashes(directory))),
    }
}

/// `perf-gate run`, without the benchmark's own command.
fn run_command(plan: &ActionPlan, base: &Base) -> Vec<String> {
    let mut words = vec!["perf-gate".to_owned(), "run".to_owned()];
    words.extend(match &base.commit {
        Some(commit) => option("--base", &commit.to_string()),
        None => option("--baseline", &plan.settings.baseline),
    });
    for (name, value) in plan.inputs.part.options() {
        words.extend(option(name, &value));
    }
    for path in &plan.inputs.results {
        words.extend(option("--output-of", path));
    }
    words
}

/// The rest of the command line after [`command`]: build, config and benchmark command.
pub fn benchmark(plan: &ActionPlan) -> Option<String> {
    let ActionPlan {
        settings, inputs, ..
    } = plan;
    (!settings.run.is_empty()).then(|| {
        end(
            settings.build.as_deref(),
            inputs.config.as_deref().map(Path::new),
            &settings.run,
        )
    })
}

/// True if the checkout contains a workflow for commands in comments.
pub fn answers_comments() -> bool {
    let root = std::env::var_os("GITHUB_WORKSPACE")
        .map(PathBuf::from)
        .unwrap_or_default();
    let workflows = fs::read_dir(root.join(".github/workflows"))
        .into_iter()
        .flatten()
        .flatten();
    for workflow in workflows {
        let text = file::read_text(&workflow.path()).unwrap_or_default();
        // The second is an older name of the first.
        if text.contains("perf-gate ci answer") || text.contains("perf-gate command") {
            return true;
        }
    }
    false
}

/// `perf-gate compare` for the workflow's result files.
fn compare_command(plan: &ActionPlan, base: &Base, config: &Config) -> Vec<String> {
    let inputs = &plan.inputs;
    let mut words = ["perf-gate", "compare", "--input"]
        .map(str::to_owned)
        .to_vec();
    words.extend(inputs.results.iter().map(|line| path(line)));
    let mut add = |name: &str, value: Option<&str>| {
        words.extend(option(name, value.unwrap_or_default()));
    };
    add("--format", config.run().format.as_deref());
    match &base.baseline {
        // A committed baseline is in every clone.
        BaselinePlace::Commit { commit, path, .. } => {
            add("--baseline-git", Some(&format!("{commit}:{path}")));
        }
        BaselinePlace::File(_) => add("--baseline-csv", Some(&plan.settings.baseline)),
    }
    add("--config", inputs.config.as_deref());
    if config.history.is_written && matches!(base.baseline, BaselinePlace::Commit { .. }) {
        add("--history-git", Some(&config.history.last.to_string()));
    }
    if !config.files().confirm.is_empty() {
        words.push("--confirm".to_owned());
        words.extend(config.files().confirm.iter().map(|line| path(line)));
    }
    words.extend(option(
        "--platform",
        inputs.platform.as_deref().unwrap_or_default(),
    ));
    words
}
