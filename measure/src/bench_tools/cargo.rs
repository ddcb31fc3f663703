//! Recognises the benchmark tool of `cargo bench` by the sources of the bench targets.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use super::NotRecognised;
use super::kinds::ToolKind;
use super::options::{self, word_at};
use super::parts::{BenchTool, mentions};

/// The parts of `cargo metadata` that we read.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    #[serde(default)]
    workspace_default_members: Vec<String>,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    manifest_path: PathBuf,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
    src_path: PathBuf,
    #[serde(default, rename = "required-features")]
    required_features: Vec<String>,
}

/// Recognises the benchmark tool that `cargo bench` runs. `at` is the index of `cargo`.
///
/// # Errors
/// Fails with the reason if the tool is unknown.
pub fn start(words: &[OsString], at: usize, folder: &Path) -> Result<BenchTool, NotRecognised> {
    let unknown = || NotRecognised::Program("cargo".to_owned());
    let none = || NotRecognised::NoBenchmarks("cargo bench".to_owned());
    // A toolchain, such as `+nightly`, may precede the subcommand.
    let verb = at + 1 + usize::from(word_at(words, at + 1).starts_with('+'));
    if word_at(words, verb) != "bench" {
        return Err(unknown());
    }
    let end = words.iter().position(|word| word == "--");
    let arguments = &words[verb + 1..end.unwrap_or(words.len()).max(verb + 1)];
    let packages = packages(&words[at..verb], arguments, folder).ok_or_else(none)?;
    let chosen: Vec<String> = options::values(arguments, &["--bench"]).collect();
    let mut targets: Vec<&Target> = Vec::new();
    for target in packages.iter().flat_map(|package| &package.targets) {
        let is_chosen = chosen.is_empty() || chosen.contains(&target.name);
        if is_chosen && target.kind.iter().any(|kind| kind == "bench") {
            targets.push(target);
        }
    }
    if targets.is_empty() {
        return Err(none());
    }
    let tools: Vec<Option<ToolKind>> = targets.iter().map(|target| tool_of(target)).collect();
    let tool = tools.iter().flatten().next().copied();
    let tool = tool.ok_or_else(unknown)?;
    if tools.iter().any(|other| *other != Some(tool)) {
        return Err(NotRecognised::MixedTargets);
    }
    let mut start = BenchTool::split(tool, words, verb + 1);
    if tool == ToolKind::Criterion && chosen.is_empty() {
        // The targets will be selected with `--bench`, which fails for a target whose required features are not enabled.
        if targets
            .iter()
            .any(|target| !target.required_features.is_empty())
        {
            return Err(NotRecognised::MixedTargets);
        }
        start.targets = targets.iter().map(|target| target.name.clone()).collect();
    }
    Ok(start)
}

/// Returns the packages that cargo selects, or `None` if cargo cannot read the manifests.
fn packages(cargo: &[OsString], arguments: &[OsString], folder: &Path) -> Option<Vec<Package>> {
    let manifest = options::values(arguments, &["--manifest-path"]).last();
    let manifest = folder.join(manifest.unwrap_or_else(|| "Cargo.toml".to_owned()));
    let output = Command::new(&cargo[0])
        .args(&cargo[1..])
        .args([
            "metadata",
            "--no-deps",
            "--format-version=1",
            "--manifest-path",
        ])
        .arg(&manifest)
        .output()
        .ok()?;
    let metadata: Metadata = serde_json::from_slice(&output.stdout).ok()?;
    // A version may follow the name, as in `name@1.0`.
    let names: Vec<String> = options::values(arguments, &["-p", "--package"])
        .map(|package| package.split('@').next().unwrap_or_default().to_owned())
        .collect();
    let all = options::find(arguments, &["--workspace", "--all"]).is_some();
    let manifest = fs::canonicalize(&manifest).ok()?;
    let has_own = metadata
        .packages
        .iter()
        .any(|package| package.manifest_path == manifest);
    let mut packages = metadata.packages;
    packages.retain(|package| {
        if !names.is_empty() {
            names.contains(&package.name)
        } else if has_own && !all {
            package.manifest_path == manifest
        } else {
            all || metadata.workspace_default_members.contains(&package.id)
        }
    });
    Some(packages)
}

/// Returns the tool that a bench target uses, or `None` if it is unknown.
fn tool_of(target: &Target) -> Option<ToolKind> {
    let tools = [
        ("criterion", ToolKind::Criterion),
        ("divan", ToolKind::Divan),
        ("#[bench]", ToolKind::Libtest),
    ];
    let uses = |(text, _): &(&str, ToolKind)| mentions(&target.src_path, &[text]);
    tools.into_iter().find(uses).map(|(_, tool)| tool)
}
