//! The files of a run: rows, confirmation runs, the description of the machine.

use std::fs;
use std::path::PathBuf;

use glob::{MatchOptions, Pattern};
use perf_cli::Failure;
use perf_cli::load::InputArgs;
use perf_config::Config;

use super::plan::ActionPlan;
use super::planning::{
    baseline::MEASURED,
    place::{path, slashes},
};
use crate::run::describe_machine;

/// The rows of the run: what the action measured, or the files that `results` names.
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
        input: find("results", &plan.inputs.results, true)?,
        format: crate::run::format_in(None, config)?,
        platform: plan.inputs.platform.clone(),
        ..source
    })
}

/// The files of confirmation runs: those that the action made, or that `files.confirm` of the config names. There need
/// not be any.
pub(super) fn confirmations(plan: &ActionPlan, config: &Config) -> Result<Vec<PathBuf>, Failure> {
    if plan.settings.run.is_empty() {
        return find("files.confirm", &config.files().confirm, false);
    }
    if plan.settings.is_paired() {
        return Ok(Vec::new());
    }
    let runs = (1..).map(|number| plan.folder.join(confirmation(number)));
    Ok(runs.take_while(|path| path.is_file()).collect())
}

/// The file of a confirmation run in the folder of the run.
pub(super) fn confirmation(number: usize) -> String {
    format!("confirm-{number}.csv")
}

/// The description of this runner, unless the rows are not its own or the config wants none.
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

/// Matching as in a shell: `*` neither crosses folders nor matches hidden files.
const AS_A_SHELL: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// The files that lines name, in the order of the lines and then of their names. What exists is no pattern.
fn find(input: &str, lines: &[String], is_required: bool) -> Result<Vec<PathBuf>, Failure> {
    let mut files: Vec<PathBuf> = Vec::new();
    for line in lines {
        let pattern = path(&slashes(line));
        if let Ok(metadata) = fs::metadata(&pattern) {
            if !metadata.is_file() && !metadata.is_dir() {
                return Err(no_file(line));
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

/// A device may have no end, and a pipe may wait for one for ever.
fn no_file(line: &str) -> Failure {
    Failure::new(format!("`{line}` is neither a file nor a folder"))
        .hint("give the path of the file that the benchmark wrote")
}

/// The files that match a pattern; none whose name is not UTF-8, as that cannot be an argument of a subcommand.
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
        for name in ["b.log", "a.log", ".hidden.log", "c[1].log", "d.txt"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let names = |lines: &str| {
            let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
            let found = find("results", &lines, true)?;
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
        assert_eq!(names("").unwrap(), [""; 0]);
        for wrong in ["no-*.log", "[", "**/*.log"] {
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
            let error = find("results", &[line], true).unwrap_err();
            assert!(
                error.to_string().contains("is neither a file nor a folder"),
                "{error}"
            );
        }
    }
}
