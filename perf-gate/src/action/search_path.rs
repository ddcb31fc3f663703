//! The `PATH` for programs such as `git`, without the workspace, which may contain a pull request's files.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The `PATH` without relative folders, empty ones, and folders that are or link to the workspace.
pub(super) fn outside_workspace() -> OsString {
    let workspace = env::var_os("GITHUB_WORKSPACE")
        .filter(|folder| !folder.is_empty())
        .map_or_else(|| ".".into(), PathBuf::from);
    filtered(&env::var_os("PATH").unwrap_or_default(), &workspace)
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
