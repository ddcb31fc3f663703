//! `cargo bench`: recognises the benchmark tool by the manifest and the sources of the bench targets.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::bench_tools::NotRecognised;

use crate::bench_tools::kinds::ToolKind;
use crate::bench_tools::options;
use crate::bench_tools::start::{Start, mentions};

/// A bench target.
struct Target {
    name: String,
    /// `None` for an unknown tool.
    tool: Option<ToolKind>,
    /// Whether cargo skips it unless features are enabled.
    is_optional: bool,
}

/// Recognises the tool of `cargo bench`.
///
/// # Errors
/// The reason why it is unknown.
pub(crate) fn start(words: &[OsString], at: usize, folder: &Path) -> Result<Start, NotRecognised> {
    let unknown = || NotRecognised::Program("cargo".to_owned());
    let verb =
        (at + 1..words.len()).find(|place| !words[*place].as_encoded_bytes().starts_with(b"+"));
    let verb = verb
        .filter(|place| words[*place] == "bench")
        .ok_or_else(unknown)?;
    let arguments: Vec<OsString> = words[verb + 1..]
        .iter()
        .take_while(|word| *word != "--")
        .cloned()
        .collect();
    let chosen: Vec<String> = options::values(&arguments, &["--bench"]).collect();
    let packages = packages(&arguments, folder);
    let mut targets: Vec<Target> = packages
        .iter()
        .flat_map(|package| targets(package))
        .collect();
    if !chosen.is_empty() {
        targets.retain(|target| chosen.contains(&target.name));
    }
    let first = targets
        .first()
        .ok_or_else(|| NotRecognised::NoBenchmarks("cargo bench".to_owned()))?;
    let tool = first.tool.ok_or_else(unknown)?;
    let is_mixed = targets.iter().any(|target| target.tool != Some(tool));
    // If it is selected with `--bench`, missing features are an error.
    let is_unclear = tool == ToolKind::Criterion
        && chosen.is_empty()
        && targets.iter().any(|target| target.is_optional);
    if is_mixed || is_unclear {
        return Err(NotRecognised::MixedTargets);
    }
    let names = targets.into_iter().map(|target| target.name);
    let names = if tool == ToolKind::Criterion && chosen.is_empty() {
        names.collect()
    } else {
        Vec::new()
    };
    let in_seconds =
        tool == ToolKind::Criterion && packages.iter().any(|package| has_old_criterion(package));
    Ok(Start {
        targets: names,
        in_seconds,
        ..Start::of(tool, verb + 1)
    })
}

fn manifest(folder: &Path) -> Option<Table> {
    fs::read_to_string(folder.join("Cargo.toml"))
        .ok()?
        .parse()
        .ok()
}

/// Whether the package uses Criterion before 0.4, which only accepts whole seconds.
fn has_old_criterion(package: &Path) -> bool {
    let Some(table) = manifest(package) else {
        return false;
    };
    let entries = ["dev-dependencies", "dependencies"];
    let mut entries = entries
        .iter()
        .filter_map(|name| table.get(*name)?.get("criterion"));
    entries.any(|entry| {
        let is_inherited = entry.get("workspace").and_then(Value::as_bool) == Some(true);
        let inherited = if is_inherited {
            inherited_dependency(package, "criterion")
        } else {
            None
        };
        let entry = inherited.as_ref().unwrap_or(entry);
        let version = entry
            .as_str()
            .or_else(|| entry.get("version")?.as_str())
            .unwrap_or_default();
        let version = version.trim_start_matches(|mark: char| !mark.is_ascii_digit());
        ["0.1", "0.2", "0.3"].contains(&version.get(..3).unwrap_or_default())
    })
}

/// The dependency that the package inherits from its workspace.
fn inherited_dependency(package: &Path, name: &str) -> Option<Value> {
    let package = fs::canonicalize(package).ok()?;
    let mut roots = package.ancestors().filter_map(manifest);
    roots.find_map(|root| {
        root.get("workspace")?
            .get("dependencies")?
            .get(name)
            .cloned()
    })
}

/// The directories of the packages that cargo selects.
fn packages(arguments: &[OsString], folder: &Path) -> Vec<PathBuf> {
    let own = options::values(arguments, &["--manifest-path"]).last();
    let manifest_folder =
        own.and_then(|path| Path::new(&path).parent().map(|path| folder.join(path)));
    let folder = manifest_folder.unwrap_or_else(|| folder.to_owned());
    let Some(root) = manifest(&folder) else {
        return Vec::new();
    };
    // `@` and a version may follow the name.
    let names: Vec<String> = options::values(arguments, &["-p", "--package"])
        .map(|package| package.split('@').next().unwrap_or_default().to_owned())
        .collect();
    let all = options::find(arguments, &["--workspace", "--all"]).is_some();
    if names.is_empty() && !all && root.contains_key("package") {
        return vec![folder];
    }
    let mut members = members(
        &root,
        &folder,
        if all || !names.is_empty() {
            "members"
        } else {
            "default-members"
        },
    );
    if members.is_empty() {
        members = self::members(&root, &folder, "members");
    }
    members.push(folder);
    members.retain(|member| {
        let name = manifest(member)
            .and_then(|table| Some(table.get("package")?.get("name")?.as_str()?.to_owned()));
        name.is_some_and(|name| names.is_empty() || names.contains(&name))
    });
    members
}

/// The directories of workspace members. `folder/*` stands for every subdirectory.
fn members(root: &Table, folder: &Path, key: &str) -> Vec<PathBuf> {
    let listed = root
        .get("workspace")
        .and_then(|workspace| workspace.get(key)?.as_array());
    let mut members = Vec::new();
    for member in listed.into_iter().flatten().filter_map(Value::as_str) {
        match member.strip_suffix("/*") {
            Some(above) => {
                let entries = fs::read_dir(folder.join(above))
                    .into_iter()
                    .flatten()
                    .flatten();
                members.extend(entries.map(|entry| entry.path()));
            }
            None => members.push(folder.join(member)),
        }
    }
    members.sort();
    members
}

/// The bench targets of a package, listed in the manifest or discovered by cargo.
fn targets(package: &Path) -> Vec<Target> {
    let Some(table) = manifest(package) else {
        return Vec::new();
    };
    let listed = table
        .get("bench")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_table);
    let mut targets: Vec<Target> = listed.filter_map(|bench| target(package, bench)).collect();
    let discovers = table
        .get("package")
        .and_then(|package| package.get("autobenches")?.as_bool())
        .unwrap_or(true);
    let entries = fs::read_dir(package.join("benches"))
        .into_iter()
        .flatten()
        .flatten();
    for path in entries.map(|entry| entry.path()).filter(|_| discovers) {
        let is_file = path.extension().is_some_and(|end| end == "rs");
        let Some(name) = path
            .file_stem()
            .map(|name| name.to_string_lossy().into_owned())
        else {
            continue;
        };
        let is_target = is_file || path.join("main.rs").is_file();
        if is_target && !targets.iter().any(|target| target.name == name) {
            // It uses Rust's own benchmark harness.
            targets.push(Target {
                name,
                tool: Some(ToolKind::Libtest),
                is_optional: false,
            });
        }
    }
    targets
}

fn target(package: &Path, bench: &Table) -> Option<Target> {
    let name = bench.get("name")?.as_str()?.to_owned();
    let own_main = bench.get("harness").and_then(Value::as_bool) == Some(false);
    let paths = match bench.get("path").and_then(Value::as_str) {
        Some(path) => vec![package.join(path)],
        None => {
            vec![
                package.join(format!("benches/{name}.rs")),
                package.join(format!("benches/{name}/main.rs")),
            ]
        }
    };
    let uses = |text: &str| paths.iter().any(|path| mentions(path, &[text]));
    let tool = match () {
        () if !own_main => Some(ToolKind::Libtest),
        () if uses("criterion") => Some(ToolKind::Criterion),
        () if uses("divan") => Some(ToolKind::Divan),
        () if uses("bencher") => Some(ToolKind::Bencher),
        () => None,
    };
    let is_optional = bench
        .get("required-features")
        .and_then(Value::as_array)
        .is_some_and(|list| !list.is_empty());
    Some(Target {
        name,
        tool,
        is_optional,
    })
}
