//! The comparison request: its input files, and the commands that reproduce it in a clone of the repository.

use std::fs;
use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern};
use perf_cli::load::InputArgs;
use perf_cli::load::git::{self, RefPath};
use perf_cli::{Failure, file};
use perf_config::Config;
use perf_report::shell::{CommandLine, quoted};
use render_perf_deltas::{CompareRequest, Reproduction};

use super::base::{Base, BaselinePlace, MEASURED};
use super::outcome::Measured;
use super::place::{path, slashes};
use super::plan::{ActionPlan, RunMode};
use super::settings::BaselineStore;
use crate::run::{Share, benchmark_words, describe_machine, format_in};

/// Builds the comparison request.
pub fn build_request(
    plan: &ActionPlan,
    base: &Base,
    config: &Config,
    measured: &Measured,
) -> anyhow::Result<CompareRequest> {
    let source = rows(plan, config, base.config.clone())?;
    let (baseline_csv, baseline_git) = match &base.baseline {
        BaselinePlace::File(path) => (Some(path.clone()), None),
        BaselinePlace::Commit { commit, path, .. } => (
            None,
            Some(RefPath::new(&commit.to_string(), path).map_err(Failure::new)?),
        ),
    };
    let fail_on = plan
        .inputs
        .fail_on
        .as_ref()
        .filter(|verdicts| !verdicts.is_empty() || !plan.sets_status())
        .cloned();
    // A committed baseline has earlier versions. Other files have none.
    let has_versions = baseline_git.is_some()
        || plan.settings.store == BaselineStore::Commit && git::is_committed(base.baseline.file());
    Ok(CompareRequest {
        baseline_csv,
        baseline_git,
        require_baseline: base.has_baseline,
        history_git: (config.history.is_written && has_versions).then_some(config.history.last),
        confirm: confirmations(plan, config)?,
        paired: plan.settings.is_paired(),
        machine_specs: machine(plan, config)?,
        findings: measured.findings.clone(),
        fail_on,
        // Without pairs, the action makes its own confirmation runs.
        is_rerun: !plan.settings.run.is_empty() && !plan.settings.is_paired(),
        reproduction: Some(Reproduction {
            command: reproducing_command(plan, base, config),
            benchmark: benchmark(plan),
            measures: !plan.settings.run.is_empty(),
            answers_comments: answers_comments(),
        }),
        other_shards: measured
            .share
            .as_ref()
            .map(Share::names_of_others)
            .unwrap_or_default(),
        is_decisive: plan.mode == RunMode::PullRequest && plan.sets_status(),
        source,
        ..CompareRequest::default()
    })
}

/// The rows to compare: measured by the action, or read from the files in `results`.
pub fn rows(
    plan: &ActionPlan,
    config: &Config,
    named: Option<PathBuf>,
) -> anyhow::Result<InputArgs> {
    let source = InputArgs {
        config: named,
        ..InputArgs::default()
    };
    if !plan.settings.run.is_empty() {
        return Ok(InputArgs {
            input: vec![plan.folder.join(MEASURED)],
            ..source
        });
    }
    Ok(InputArgs {
        input: expand("results", &plan.inputs.results, true)?,
        format: format_in(None, config)?,
        platform: plan.inputs.platform.clone(),
        ..source
    })
}

/// The files of confirmation runs, from this action or from `files.confirm` in the config. May be empty.
fn confirmations(plan: &ActionPlan, config: &Config) -> Result<Vec<PathBuf>, Failure> {
    if plan.settings.run.is_empty() {
        return expand("files.confirm", &config.files().confirm, false);
    }
    if plan.settings.is_paired() {
        return Ok(Vec::new());
    }
    let runs = (1..).map(|number| plan.folder.join(confirmation_name(number)));
    Ok(runs.take_while(|path| path.is_file()).collect())
}

/// A confirmation run's file name.
pub fn confirmation_name(number: usize) -> String {
    format!("confirm-{number}.csv")
}

/// Describes this runner. `None` if another workflow measured the rows, or if `files.machine-specs` is false.
pub fn machine(plan: &ActionPlan, config: &Config) -> anyhow::Result<Option<PathBuf>> {
    if plan.is_after_workflow || config.files().machine_specs == Some(false) {
        return Ok(None);
    }
    let described = describe_machine(&plan.folder).ok_or_else(|| {
        Failure::new("cannot describe this runner")
            .hint("set `machine-specs = false` in `[files]` of the config to measure without a description")
    })?;
    Ok(Some(described))
}

/// As in a shell, `*` neither crosses folders nor matches hidden files.
const AS_A_SHELL: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// Expands paths and patterns, in their order and then by file name. An existing path is never read as a pattern.
fn expand(input: &str, lines: &[String], is_required: bool) -> Result<Vec<PathBuf>, Failure> {
    let mut files: Vec<PathBuf> = Vec::new();
    for line in lines {
        let pattern = path(&slashes(line));
        if let Ok(metadata) = fs::metadata(&pattern) {
            if !metadata.is_file() && !metadata.is_dir() {
                return Err(neither_file_nor_folder(line));
            }
            files.push(pattern.into());
            continue;
        }
        let found = matching(&pattern);
        if found.is_empty() && is_required {
            return Err(
                Failure::new(format!("no file matches `{line}`")).hint(format!(
                    "did the benchmark run and write there? see `{input}`"
                )),
            );
        }
        files.extend(found.into_iter().map(PathBuf::from));
    }
    Ok(files)
}

/// The error for devices and pipes: reading them may never end.
fn neither_file_nor_folder(line: &str) -> Failure {
    Failure::new(format!("`{line}` is neither a file nor a folder"))
        .hint("give the path of the file that the benchmark wrote")
}

/// Files that match a pattern, except those with names that aren't UTF-8.
fn matching(pattern: &str) -> Vec<String> {
    if Pattern::new(pattern).is_err() {
        return Vec::new();
    }
    let found = glob::glob_with(pattern, AS_A_SHELL)
        .into_iter()
        .flatten()
        .flatten();
    found.filter_map(|found| found.to_str().map(path)).collect()
}

/// The command line, quoted for a shell.
fn reproducing_command(plan: &ActionPlan, base: &Base, config: &Config) -> String {
    let line = if plan.settings.run.is_empty() {
        compare_command(plan, base, config)
    } else {
        run_command(plan, base)
    };
    match plan.inputs.directory.as_str() {
        "" | "." => line.text(),
        directory => format!("cd {} && {}", quoted(&slashes(directory)), line.text()),
    }
}

/// `perf-gate run`, without the benchmark's own command.
fn run_command(plan: &ActionPlan, base: &Base) -> CommandLine {
    let mut line = CommandLine::new("perf-gate run");
    match &base.commit {
        Some(commit) => line.option("--base", Some(commit)),
        None => line.option("--baseline", Some(&plan.settings.baseline)),
    }
    for (name, value) in plan.inputs.part.options() {
        line.option(name, Some(value));
    }
    for path in &plan.inputs.results {
        line.option("--output-of", Some(path));
    }
    line
}

/// `perf-gate compare` for the workflow's result files.
fn compare_command(plan: &ActionPlan, base: &Base, config: &Config) -> CommandLine {
    let inputs = &plan.inputs;
    let mut line = CommandLine::new("perf-gate compare");
    let results = inputs.results.iter().map(|file| path(file).into());
    line.files("--input", &results.collect::<Vec<PathBuf>>());
    line.option("--format", config.run().format.as_ref());
    let mut history = None;
    match &base.baseline {
        // A committed baseline is in every clone.
        BaselinePlace::Commit { commit, path, .. } => {
            line.option("--baseline-git", Some(format!("{commit}:{path}")));
            history = Some(config.history.last).filter(|_| config.history.is_written);
        }
        BaselinePlace::File(_) => line.option("--baseline-csv", Some(&plan.settings.baseline)),
    }
    line.option("--config", inputs.config.as_ref());
    line.option("--history-git", history);
    let confirm = config.files().confirm.iter().map(|file| path(file).into());
    line.files("--confirm", &confirm.collect::<Vec<PathBuf>>());
    line.option("--platform", inputs.platform.as_ref());
    line
}

/// The rest of the command line after [`reproducing_command`]: build, config and benchmark command.
fn benchmark(plan: &ActionPlan) -> Option<String> {
    let (settings, inputs) = (&plan.settings, &plan.inputs);
    if settings.run.is_empty() {
        return None;
    }
    let config = inputs.config.as_deref().map(Path::new);
    let build = settings.build.as_deref();
    Some(benchmark_words(build, config, &settings.run))
}

/// True if the checkout contains a workflow for commands in comments.
fn answers_comments() -> bool {
    let root = std::env::var_os("GITHUB_WORKSPACE")
        .map(PathBuf::from)
        .unwrap_or_default();
    let workflows = fs::read_dir(root.join(".github/workflows"))
        .into_iter()
        .flatten()
        .flatten();
    for workflow in workflows {
        let text = file::read_text(&workflow.path()).unwrap_or_default();
        if text.contains("perf-gate ci answer") {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_str().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        for name in [
            "b.log",
            "a.log",
            ".hidden.log",
            "c[1].log",
            "d.txt",
            "sub/e.log",
        ] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let names = |lines: &str| {
            let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
            let found = expand("results", &lines, true)?;
            let name = |file: &PathBuf| file.file_name().unwrap().to_string_lossy().into_owned();
            Ok::<_, Failure>(found.iter().map(name).collect::<Vec<_>>())
        };
        assert_eq!(
            names(&format!("{root}/*.log")).unwrap(),
            ["a.log", "b.log", "c[1].log"]
        );
        assert_eq!(
            names(&format!("{root}/c[1].log\n{root}/d.*")).unwrap(),
            ["c[1].log", "d.txt"]
        );
        assert_eq!(
            names(&format!("{root}/**/*.log")).unwrap(),
            ["a.log", "b.log", "c[1].log", "e.log"]
        );
        assert_eq!(names("").unwrap(), [""; 0]);
        for wrong in ["no-*.log", "["] {
            assert!(names(&format!("{root}/{wrong}")).is_err(), "{wrong}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_pipes_are_refused_before_they_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        std::os::unix::fs::symlink("/dev/zero", folder.path().join("link")).unwrap();
        for name in ["pipe", "link"] {
            let line = folder.path().join(name).to_string_lossy().into_owned();
            let error = expand("results", &[line], true).unwrap_err();
            assert!(
                error.to_string().contains("is neither a file nor a folder"),
                "{error}"
            );
        }
    }
}
