//! The command that reproduces the verdict in a clone of the repository. It uses no files that exist only in the job.

use std::fs;
use std::path::{Path, PathBuf};

use perf_cli::file;
use perf_config::Config;

use crate::action::{
    plan::ActionPlan,
    planning::baseline::{Base, BaselinePlace},
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
    match &base.commit {
        Some(commit) => words.extend(option("--base", &commit.to_string())),
        None => words.extend(option("--baseline", &plan.settings.baseline)),
    }
    words.extend(
        plan.inputs
            .part
            .options()
            .into_iter()
            .flat_map(|(name, value)| option(name, &value)),
    );
    words.extend(
        plan.inputs
            .results
            .iter()
            .flat_map(|path| option("--output-of", path)),
    );
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
    let lines = |lines: &[String]| lines.iter().map(|line| path(line)).collect::<Vec<_>>();
    let mut words = vec![
        "perf-gate".to_owned(),
        "compare".to_owned(),
        "--input".to_owned(),
    ];
    words.extend(lines(&plan.inputs.results));
    words.extend(
        config
            .run()
            .format
            .iter()
            .flat_map(|format| option("--format", format)),
    );
    // A committed baseline is in every clone.
    words.extend(match &base.baseline {
        BaselinePlace::Commit { commit, path, .. } => {
            option("--baseline-git", &format!("{commit}:{path}"))
        }
        BaselinePlace::File(_) => option("--baseline-csv", &plan.settings.baseline),
    });
    words.extend(
        plan.inputs
            .config
            .iter()
            .flat_map(|path| option("--config", path)),
    );
    if config.history.is_written && matches!(base.baseline, BaselinePlace::Commit { .. }) {
        words.extend(option("--history-git", &config.history.last.to_string()));
    }
    if !config.files().confirm.is_empty() {
        words.extend(
            ["--confirm".to_owned()]
                .into_iter()
                .chain(lines(&config.files().confirm)),
        );
    }
    words.extend(
        plan.inputs
            .platform
            .iter()
            .flat_map(|platform| option("--platform", platform)),
    );
    words
}
