//! pytest options in a project's config.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::bench_tools::options;

/// The options in `addopts` of pytest's config file: the nearest one at or above the first path in the arguments.
pub(crate) fn options(arguments: &[OsString], folder: &Path) -> Vec<OsString> {
    if options::find(arguments, &["-c", "--config-file"]).is_some() {
        return Vec::new();
    }
    let named = arguments
        .iter()
        .filter_map(|word| word.to_str()?.split("::").next());
    let mut named = named
        .map(|path| folder.join(path))
        .filter(|path| path.exists());
    let start = named.next().unwrap_or_else(|| folder.to_owned());
    let start = std::path::absolute(if start == Path::new("") {
        PathBuf::from(".")
    } else {
        start
    });
    let found = start
        .ok()
        .and_then(|start| start.ancestors().find_map(options_in));
    shell_words::split(&found.unwrap_or_default())
        .unwrap_or_default()
        .into_iter()
        .map(Into::into)
        .collect()
}

/// The options in a directory's config file, if there is one. pytest reads the first of several.
fn options_in(folder: &Path) -> Option<String> {
    let text = |file: &str| fs::read_to_string(folder.join(file)).ok();
    let ini = |file: &str| text(file).map(|text| section(&text, "pytest").unwrap_or_default());
    ini("pytest.ini")
        .or_else(|| ini(".pytest.ini"))
        .or_else(|| options_in_manifest(&text("pyproject.toml")?.parse().ok()?))
        .or_else(|| section(&text("tox.ini")?, "pytest"))
        .or_else(|| section(&text("setup.cfg")?, "tool:pytest"))
}

/// The options in `pyproject.toml`: a string or a list of words.
fn options_in_manifest(manifest: &Table) -> Option<String> {
    let pytest = manifest.get("tool")?.get("pytest")?;
    Some(
        match pytest.get("ini_options").unwrap_or(pytest).get("addopts") {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(words)) => shell_words::join(words.iter().filter_map(Value::as_str)),
            _ => String::new(),
        },
    )
}

/// The options in a section of an INI file; `None` without this section. Indented lines continue a value.
fn section(text: &str, name: &str) -> Option<String> {
    let heading = format!("[{name}]");
    let mut lines = text.lines().skip_while(|line| line.trim_end() != heading);
    lines.next()?;
    // Blank lines and comments do not end a value.
    let is_text = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let own = lines
        .take_while(|line| !line.starts_with('['))
        .filter(is_text);
    let mut is_value = false;
    let values = own.filter_map(|line| {
        if !line.starts_with([' ', '\t']) {
            is_value = line
                .split('=')
                .next()
                .is_some_and(|key| key.trim() == "addopts");
            return is_value.then(|| line.split_once('=').map_or("", |(_, value)| value));
        }
        is_value.then_some(line)
    });
    Some(values.collect::<Vec<_>>().join(" "))
}
