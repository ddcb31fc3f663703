//! Obstacles to the same path for both sides, and to different paths.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use perf_cli::Failure;
use perf_cli::term::{printable, shown};

use crate::git::git;
use crate::pairs::request::PairsRequest;
use crate::process::program;

/// Programs that run in a server, which sees the files outside of the mount view.
const SERVED: [&str; 5] = ["bazel", "bazelisk", "buck2", "docker", "docker-compose"];

/// The reason why commits cannot be measured at the checkout's path.
pub(crate) fn to_one_path(request: &PairsRequest, root: &Path, commits: &[&str]) -> Option<String> {
    if !cfg!(target_os = "linux") {
        return Some("only Linux can show different files at the same path".to_owned());
    }
    let commands = [&request.base.command, &request.current.command]
        .into_iter()
        .chain(&request.build);
    if let Some(program) = commands
        .into_iter()
        .find_map(|words| SERVED.into_iter().find(|name| program(words) == *name))
    {
        return Some(format!(
            "`{program}` runs in a server, which would see the head's files"
        ));
    }
    let is_sparse = git(root, &["config", "--type=bool", "core.sparseCheckout"]);
    if is_sparse.is_ok_and(|value| value == "true") {
        return Some("the checkout is sparse".to_owned());
    }
    let differ = |commit: &&&str| {
        let changes = git(
            root,
            &[
                "diff",
                "--raw",
                "--no-renames",
                "--ignore-submodules=dirty",
                commit,
            ],
        );
        changes.map_or(true, |changes| {
            changes.lines().any(|change| change.contains("160000 "))
        })
    };
    commits
        .iter()
        .find(differ)
        .map(|_| "base and head have different submodules".to_owned())
}

/// Rejects directories with mount points inside, which an overlay would hide.
///
/// # Errors
/// A mount point below a root.
pub(crate) fn reject_mounts_below(roots: &[PathBuf]) -> anyhow::Result<()> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let points = mounts.lines().filter_map(|mount| mount.split(' ').nth(4));
    for point in points.map(|point| PathBuf::from(point.replace("\\040", " "))) {
        if roots
            .iter()
            .any(|root| point != *root && point.starts_with(root))
        {
            return Err(Failure::new(format!(
                "another file system is mounted at `{}`",
                shown(&point)
            ))
            .into());
        }
    }
    Ok(())
}

/// The reason why both sides would run the checkout's code even at two paths: something outside refers to its path.
pub(crate) fn to_two_paths(root: &Path, words: &[OsString]) -> Option<String> {
    let names_root = |text: &str| text.contains(&*root.to_string_lossy());
    for variable in ["PYTHONPATH", "NODE_PATH"] {
        if std::env::var(variable).is_ok_and(|value| names_root(&value)) {
            return Some(format!("{variable} contains the checkout's path"));
        }
    }
    let editable = site_packages(root, words)
        .into_iter()
        .find_map(|folder| editable_in(&folder, &names_root))?;
    Some(format!(
        "`{}` is an editable install of the checkout",
        printable(&editable)
    ))
}

/// A file in a package directory that makes Python import from the checkout.
fn editable_in(folder: &Path, names_root: &impl Fn(&str) -> bool) -> Option<String> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let leads_there = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let file = match () {
            () if name.ends_with(".dist-info") => path.join("direct_url.json"),
            () if name.ends_with(".pth")
                || name.ends_with(".egg-link")
                || name.starts_with("__editable__") =>
            {
                path.to_owned()
            }
            () => return false,
        };
        let text = fs::read_to_string(&file).unwrap_or_default();
        names_root(&text)
            && (!file.ends_with("direct_url.json") || text.contains("\"editable\": true"))
    };
    let found = entries
        .map(|entry| entry.path())
        .find(|path| leads_there(path))?;
    Some(shown(&found))
}

/// The package directories of the Python environments that the command might use.
fn site_packages(root: &Path, words: &[OsString]) -> Vec<PathBuf> {
    let mut environments = vec![root.join(".venv"), root.join("venv")];
    environments.extend(std::env::var_os("VIRTUAL_ENV").map(PathBuf::from));
    for word in words {
        // The folder above `bin`.
        environments.extend(root.join(word).ancestors().nth(2).map(Path::to_owned));
    }
    let mut found: Vec<PathBuf> = python_packages().into_iter().collect();
    for environment in environments {
        let versions = fs::read_dir(environment.join("lib"));
        for version in versions.into_iter().flatten().flatten() {
            found.push(version.path().join("site-packages"));
        }
    }
    found
}

/// The package directory of the `python3` in PATH, which a version manager may keep elsewhere.
fn python_packages() -> Option<PathBuf> {
    let script = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let mut python = Command::new("python3");
    let output = python
        .args(["-c", script])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    Some(PathBuf::from(
        String::from_utf8_lossy(&output.stdout).trim_end(),
    ))
    .filter(|folder| folder.is_dir())
}
