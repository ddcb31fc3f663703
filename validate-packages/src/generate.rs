//! Generates the `Packages/manifest.json` of a temporary Unity project from the pins.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use perf_cli::{Exit, Failure, file, term};
use perf_model::packages::{Manifest, Registry};
use serde::Serialize;

use crate::{read_manifest, slashed};

/// Write the `Packages/manifest.json` of a Unity project with the pinned packages
#[derive(clap::Args, Debug)]
pub struct GenerateArgs {
    /// An additional dependency, such as the project's own package; can be repeated
    #[arg(long, value_name = "ID=VERSION", value_parser = dependency)]
    with: Vec<(String, String)>,

    /// A package whose tests the project can run; can be repeated
    #[arg(long, value_name = "ID")]
    testable: Vec<String>,

    /// Include the packages for integration tests
    #[arg(long)]
    integration: bool,

    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Writes the manifest of a temporary project from the pins of the project at `root`.
pub(crate) fn run(
    args: &GenerateArgs,
    root: &Path,
    manifest: Option<&Path>,
) -> anyhow::Result<Exit> {
    let (path, text) = read_manifest(root, manifest)?;
    let shown = slashed(&path);
    let manifest =
        Manifest::read(&text).map_err(|error| Failure::new(format!("{shown}: {error}")))?;
    let mut dependencies: BTreeMap<&str, &str> = BTreeMap::new();
    for section in manifest.unity_sections() {
        if section.required || args.integration {
            let pins = section.pins.iter();
            dependencies.extend(pins.map(|(id, version)| (id.as_str(), version.as_str())));
        }
    }
    if dependencies.is_empty() {
        return Err(Failure::new("no Unity package is pinned")
            .hint("add it to `packages` of the manifest")
            .into());
    }
    for (id, version) in &args.with {
        if dependencies.insert(id, version).is_some() {
            let message = format!("`{}` is pinned by the manifest", term::printable(id));
            return Err(Failure::new(message).hint("remove it from `--with`").into());
        }
    }
    let mut text = serde_json::to_string_pretty(&ProjectManifest {
        dependencies,
        scoped_registries: manifest.registry.iter().collect(),
        testables: &args.testable,
    })?;
    text.push('\n');
    match &args.output {
        Some(path) => file::write_if_changed(path, text.as_bytes()).map(drop)?,
        None => term::data(&text)?,
    }
    Ok(Exit::Ok)
}

/// A Unity project's manifest in the form that Unity's package manager reads.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProjectManifest<'m> {
    dependencies: BTreeMap<&'m str, &'m str>,
    scoped_registries: Vec<&'m Registry>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    testables: &'m [String],
}

fn dependency(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((id, version)) if !id.is_empty() && !version.is_empty() => {
            Ok((id.to_owned(), version.to_owned()))
        }
        _ => Err("expected a form such as com.example.mine=file:../../..".to_owned()),
    }
}
