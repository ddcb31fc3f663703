//! Obstacles to measuring base and head at the same path, and at different paths.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use anyhow::bail;
use perf_cli::term::shown;

use crate::git::git;
use crate::process::{has_end, program};

/// Programs that run in a server, which sees the files outside of the mount view.
const SERVED: [&str; 5] = ["bazel", "bazelisk", "buck2", "docker", "docker-compose"];
/// The file that states the origin of an installed Python package (PEP 610).
const SOURCE: &str = "direct_url.json";
/// The text in [`SOURCE`] that marks an editable install.
const EDITABLE: &str = "\"editable\": true";

/// Returns the reason why commits cannot be measured at the checkout's path, if there is one.
pub fn to_one_path(commands: &[&[OsString]], root: &Path, commits: &[&str]) -> Option<String> {
    if !cfg!(target_os = "linux") {
        return Some("only Linux can show different files at the same path".to_owned());
    }
    for words in commands {
        if let Some(served) = SERVED.into_iter().find(|name| program(words) == *name) {
            return Some(format!(
                "`{served}` runs in a server, which would see the head's files"
            ));
        }
    }
    let is_sparse = git(root, &["config", "--type=bool", "core.sparseCheckout"]);
    if is_sparse.is_ok_and(|value| value == "true") {
        return Some("the checkout is sparse".to_owned());
    }
    for commit in commits {
        let options = ["--raw", "--no-renames", "--ignore-submodules=dirty", commit];
        let changes = git(root, &[&["diff"], &options[..]].concat());
        let is_submodule = |change: &str| change.contains("160000 ");
        if changes.map_or(true, |changes| changes.lines().any(is_submodule)) {
            return Some("base and head have different submodules".to_owned());
        }
    }
    None
}

/// Rejects directories that contain mount points, which an overlay would hide.
///
/// # Errors
/// Fails if there is a mount point below a root.
pub fn reject_mounts_below(roots: &[PathBuf]) -> anyhow::Result<()> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let points = mounts.lines().filter_map(|mount| mount.split(' ').nth(4));
    for point in points.map(|point| PathBuf::from(point.replace("\\040", " "))) {
        if roots
            .iter()
            .any(|root| point != *root && point.starts_with(root))
        {
            bail!("another file system is mounted at `{}`", shown(&point));
        }
    }
    Ok(())
}

/// Returns the reason why both sides would run the checkout's code even at two paths: something outside of the checkout
/// refers to the checkout's path.
pub fn to_two_paths(root: &Path, words: &[OsString]) -> Option<String> {
    let root_path = root.to_string_lossy();
    for variable in ["PYTHONPATH", "NODE_PATH"] {
        if std::env::var(variable).is_ok_and(|value| value.contains(&*root_path)) {
            return Some(format!("{variable} contains the checkout's path"));
        }
    }
    for entry in package_entries(root, words) {
        let is_link = entry.file_name().is_some_and(|name| {
            name.to_string_lossy().starts_with("__editable__")
                || has_end(name, &["pth", "egg-link"])
        });
        let link = if is_link { &entry } else { &entry.join(SOURCE) };
        let text = fs::read_to_string(link).unwrap_or_default();
        if (is_link || text.contains(EDITABLE)) && text.contains(&*root_path) {
            let path = shown(&entry);
            return Some(format!("`{path}` is an editable install of the checkout"));
        }
    }
    None
}

/// Returns the files with Python code that `pip install .` copied from the checkout. Both sides would import them.
pub fn installed_copies(root: &Path, words: &[OsString]) -> Vec<PathBuf> {
    let url = format!("file://{}", root.display());
    let urls = [format!("{url}\""), format!("{url}/")];
    let mut copies = Vec::new();
    for entry in package_entries(root, words) {
        let source = fs::read_to_string(entry.join(SOURCE)).unwrap_or_default();
        if source.contains(EDITABLE) || !urls.iter().any(|url| source.contains(url)) {
            continue;
        }
        let record = fs::read_to_string(entry.join("RECORD")).unwrap_or_default();
        for line in record.lines() {
            let file = entry.with_file_name(line.split(',').next().unwrap_or(line));
            if !has_end(&file, &["py", "so"]) {
                continue;
            }
            // If there is a compiled module, Python opens only this module.
            copies.extend(paths_in(&file.with_file_name("__pycache__")));
            copies.push(file);
        }
    }
    copies
}

/// Returns the contents of the package directories of all Python environments that the command might use.
fn package_entries(root: &Path, words: &[OsString]) -> Vec<PathBuf> {
    let mut environments = vec![root.join(".venv"), root.join("venv")];
    environments.extend(std::env::var_os("VIRTUAL_ENV").map(PathBuf::from));
    for word in words {
        // The environment is the directory above `bin`.
        environments.extend(root.join(word).ancestors().nth(2).map(Path::to_owned));
    }
    let mut folders = vec![DEFAULT_PACKAGES.clone()];
    for environment in environments {
        for version in paths_in(&environment.join("lib")) {
            folders.push(version.join("site-packages"));
        }
    }
    let mut entries = Vec::new();
    for folder in folders {
        entries.extend(paths_in(&fs::canonicalize(folder).unwrap_or_default()));
    }
    entries
}

/// Returns the paths of a directory's entries, if it is readable.
fn paths_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path())
}

/// The package directory that `python3` reports, because a version manager may keep it anywhere. The path is empty if
/// Python is not installed.
static DEFAULT_PACKAGES: LazyLock<PathBuf> = LazyLock::new(|| {
    let script = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let output = Command::new("python3").args(["-c", script]).output();
    let printed = output.map(|output| output.stdout).unwrap_or_default();
    PathBuf::from(String::from_utf8_lossy(&printed).trim_end())
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editable_installs_of_every_build_backend_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let package = root.join(".venv/lib/python3.12/site-packages/x-1.0.dist-info");
        fs::create_dir_all(&package).unwrap();
        let obstacle = |editable: bool| {
            let url = root.display();
            let text =
                format!(r#"{{"dir_info": {{"editable": {editable}}}, "url": "file://{url}"}}"#);
            fs::write(package.join("direct_url.json"), text).unwrap();
            to_two_paths(root, &[])
        };
        let found = obstacle(true).unwrap();
        assert!(
            found.contains("is an editable install of the checkout"),
            "{found}"
        );
        assert_eq!(obstacle(false), None);
    }
}
