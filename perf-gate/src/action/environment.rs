//! The step's environment variables, and the ones that its child processes get.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use perf_cli::Failure;
use perf_cli::actions::TOKENS;

/// Files through which a step passes values to the workflow.
const FILES: [&str; 5] = [
    "GITHUB_ENV",
    "GITHUB_OUTPUT",
    "GITHUB_PATH",
    "GITHUB_STATE",
    "GITHUB_STEP_SUMMARY",
];

/// A variable's value, or `None` if it is unset or empty.
pub fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// A variable that the runner or `action.yml` sets.
pub fn required(name: &str) -> Result<String, Failure> {
    variable(name).ok_or_else(|| {
        Failure::new(format!("{name} is not set"))
            .hint("`perf-gate ci step` is called by the action's `action.yml`")
    })
}

/// Fails if a token is set. Steps that run or read untrusted files must not have one.
pub fn refuse_token(step: &str) -> Result<(), Failure> {
    let Some(name) = TOKENS.iter().find(|name| variable(name).is_some()) else {
        return Ok(());
    };
    Err(Failure::new(format!(
        "`perf-gate ci step {step}` must not get a token, but `{name}` is set"
    ))
    .hint(format!(
        "set `{name}` in the `env` of the steps that need it, not of the job or the workflow"
    )))
}

/// Variables hidden from the project's commands: tokens, and the files through which a step passes values to the workflow.
pub fn workflow_variables() -> Vec<OsString> {
    let is_hidden = |name: &OsString| {
        let text = name.to_string_lossy();
        FILES.contains(&&*text) || text.starts_with("PERF_") || text.ends_with("_TOKEN")
    };
    env::vars_os()
        .map(|(name, _)| name)
        .filter(is_hidden)
        .collect()
}

/// The `PATH` without relative folders, empty ones, and folders that are in the workspace or link into it.
pub fn path_outside_workspace() -> OsString {
    let workspace = variable("GITHUB_WORKSPACE").unwrap_or_else(|| ".".to_owned());
    filtered(
        &env::var_os("PATH").unwrap_or_default(),
        Path::new(&workspace),
    )
}

fn filtered(path: &OsStr, workspace: &Path) -> OsString {
    let workspace = workspace
        .canonicalize()
        .unwrap_or_else(|_| workspace.to_owned());
    let is_outside = |folder: &PathBuf| {
        let real = folder.canonicalize().ok().filter(|_| folder.is_absolute());
        real.is_some_and(|real| !real.starts_with(&workspace))
    };
    let path = env::join_paths(env::split_paths(path).filter(is_outside)).unwrap_or_default();
    // An empty `PATH` would mean the current folder.
    if path.is_empty() {
        "/usr/bin:/bin".into()
    } else {
        path
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn workspace_folders_are_removed_from_path() {
        let root = tempfile::tempdir().unwrap();
        let [workspace, outside, link] =
            ["work", "work-tools", "link"].map(|name| root.path().join(name));
        fs::create_dir_all(workspace.join("bin")).unwrap();
        fs::create_dir(&outside).unwrap();
        symlink(workspace.join("bin"), &link).unwrap();
        let kept = |folders: &[&Path]| filtered(&env::join_paths(folders).unwrap(), &workspace);
        let inside = [
            &workspace.join("bin"),
            &workspace,
            &link,
            Path::new("bin"),
            Path::new(""),
            Path::new("."),
        ];
        assert_eq!(kept(&inside), "/usr/bin:/bin");
        assert_eq!(kept(&[&inside[..], &[&outside]].concat()), outside);
    }
}
