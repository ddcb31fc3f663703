//! The comparison request: its input files, and the commands that reproduce it in a clone of the repository.

use std::fs;
use std::path::{Path, PathBuf};

use glob::MatchOptions;
use perf_cli::load::InputArgs;
use perf_cli::load::git::{self, RefPath};
use perf_cli::{Failure, file};
use perf_config::Config;
use perf_report::shell::{CommandLine, quoted};
use render_perf_deltas::{CompareRequest, Reproduction};

use super::base::{Base, MEASURED};
use super::environment::variable;
use super::inputs::BaselineStore;
use super::place::path;
use super::plan::ActionPlan;
use crate::run::{benchmark_words, format_in};

/// Builds the comparison request.
pub fn build_request(
    plan: &ActionPlan,
    base: &Base,
    config: &Config,
) -> anyhow::Result<CompareRequest> {
    let source = rows(plan, config, plan.config_file.clone())?;
    let mut baseline_git = None;
    if let (Some(commit), Some(path)) = (&base.commit, &base.path) {
        baseline_git = Some(RefPath::new(&commit.to_string(), path).map_err(Failure::new)?);
    }
    let is_paired = plan.settings.is_paired();
    let has_file = baseline_git.is_none() && !is_paired;
    let baseline_csv = has_file.then(|| base.baseline.clone());
    let fail_on = plan.inputs.fail_on.clone();
    let fail_on = fail_on.filter(|verdicts| !verdicts.is_empty() || !plan.sets_status());
    // A committed baseline has earlier versions. Other files have none.
    let has_versions = baseline_git.is_some()
        || plan.settings.store == BaselineStore::Commit && git::is_committed(&base.baseline);
    let mut request = CompareRequest {
        baseline_csv,
        baseline_git,
        require_baseline: base.has_baseline,
        history_git: (config.history.is_written && has_versions).then_some(config.history.last),
        paired: is_paired,
        machine_specs: plan.machine_specs.clone(),
        fail_on,
        // Without pairs, the action makes its own confirmation runs.
        is_rerun: !plan.settings.run.is_empty() && !is_paired,
        is_decisive: plan.pull_request.is_some() && plan.sets_status(),
        source,
        ..CompareRequest::default()
    };
    if plan.settings.run.is_empty() {
        request.confirm = expand("files.confirm", &config.files().confirm, false)?;
    }
    request.reproduction = Some(reproduction(plan, base, config, &request));
    Ok(request)
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
        let pattern = path(line);
        if let Ok(metadata) = fs::metadata(&pattern) {
            // Reading a device or a pipe may never end.
            if !metadata.is_file() && !metadata.is_dir() {
                let message = format!("`{line}` is neither a file nor a folder");
                return Err(Failure::new(message)
                    .hint("give the path of the file that the benchmark wrote"));
            }
            files.push(pattern.into());
            continue;
        }
        let before = files.len();
        // Invalid patterns match nothing, and files whose names aren't UTF-8 are left out.
        if let Ok(found) = glob::glob_with(&pattern, AS_A_SHELL) {
            for file in found.flatten() {
                files.extend(file.to_str().map(|file| path(file).into()));
            }
        }
        if is_required && files.len() == before {
            let hint = format!("did the benchmark run and write there? see `{input}`");
            return Err(Failure::new(format!("no file matches `{line}`")).hint(hint));
        }
    }
    Ok(files)
}

/// The commands that reproduce the comparison in a clone, where this run's files don't exist.
fn reproduction(
    plan: &ActionPlan,
    base: &Base,
    config: &Config,
    request: &CompareRequest,
) -> Reproduction {
    let (settings, inputs) = (&plan.settings, &plan.inputs);
    let has_run = !settings.run.is_empty();
    let mut command;
    let mut benchmark = None;
    if has_run {
        let mut line = CommandLine::new("perf-gate run");
        if settings.is_paired() {
            line.option("--base", base.commit.as_ref());
        } else {
            line.option("--baseline", Some(&settings.baseline));
        }
        for (name, value) in inputs.part.options() {
            line.option(name, Some(value));
        }
        for path in &inputs.results {
            line.option("--output-of", Some(path));
        }
        command = line.text();
        benchmark = Some(benchmark_words(
            settings.build.as_deref(),
            inputs.config.as_deref(),
            &settings.run,
        ));
    } else {
        let mut local = request.clone();
        local.source.input = inputs
            .results
            .iter()
            .map(|file| path(file).into())
            .collect();
        local.source.config.clone_from(&inputs.config);
        local.machine_specs = None;
        let confirm = config.files().confirm.iter();
        local.confirm = confirm.map(|file| path(file).into()).collect();
        if local.baseline_csv.is_some() {
            local.baseline_csv = Some(settings.baseline.clone().into());
        }
        command = local.command(config);
    }
    if !["", "."].contains(&&*inputs.directory) {
        command = format!("cd {} && {command}", quoted(&inputs.directory));
    }
    Reproduction {
        command,
        benchmark,
        measures: has_run,
        answers_comments: answers_comments(),
    }
}

/// True if the checkout contains a workflow for commands in comments.
fn answers_comments() -> bool {
    let root = variable("GITHUB_WORKSPACE").unwrap_or_default();
    let folder = fs::read_dir(Path::new(&root).join(".github/workflows"));
    let workflows = folder.into_iter().flatten().flatten();
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
