//! Input files of a comparison: rows, confirmation runs and the machine description.

use std::fs;
use std::path::PathBuf;

use glob::{MatchOptions, Pattern};
use perf_cli::Failure;
use perf_cli::load::InputArgs;
use perf_config::Config;

use super::plan::ActionPlan;
use super::planning::{
    base::MEASURED,
    place::{path, slashes},
};
use crate::run::describe_machine;

/// The rows to compare: measured by the action, or read from the files in `results`.
pub(super) fn rows(
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
        format: crate::run::format_in(None, config)?,
        platform: plan.inputs.platform.clone(),
        ..source
    })
}

/// The files of confirmation runs, from this action or from `files.confirm` in the config. May be empty.
pub(super) fn confirmations(plan: &ActionPlan, config: &Config) -> Result<Vec<PathBuf>, Failure> {
    if plan.settings.run.is_empty() {
        return expand("files.confirm", &config.files().confirm, false);
    }
    if plan.settings.is_paired() {
        return Ok(Vec::new());
    }
    let runs = (1..).map(|number| plan.folder.join(confirmation_name(number)));
    Ok(runs.take_while(|path| path.is_file()).collect())
}

/// The file name of a confirmation run.
pub(super) fn confirmation_name(number: usize) -> String {
    format!("confirm-{number}.csv")
}

/// Describes this runner. `None` if another workflow measured the rows, or if `files.machine-specs` is false.
pub(super) fn machine(plan: &ActionPlan, config: &Config) -> anyhow::Result<Option<PathBuf>> {
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
