//! pytest options in a project's config.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::bench_tools::options;

/// Config files in the order in which pytest looks for them, and the headings of their sections for pytest.
const FILES: [(&str, &[&str]); 5] = [
    ("pytest.ini", &["[pytest]"]),
    (".pytest.ini", &["[pytest]"]),
    (
        "pyproject.toml",
        &["[tool.pytest.ini_options]", "[tool.pytest]"],
    ),
    ("tox.ini", &["[pytest]"]),
    ("setup.cfg", &["[tool:pytest]"]),
];

/// The options in `addopts` of pytest's config file: the nearest one at or above the first path in the arguments.
pub(crate) fn options(arguments: &[OsString], folder: &Path) -> Vec<OsString> {
    if options::find(arguments, &["-c", "--config-file"]).is_some() {
        return Vec::new();
    }
    let mut start = folder.to_owned();
    for word in arguments.iter().filter_map(|word| word.to_str()) {
        let path = folder.join(word.split("::").next().unwrap_or(word));
        if path.exists() {
            start = path;
            break;
        }
    }
    if start == Path::new("") {
        start = PathBuf::from(".");
    }
    let Ok(start) = std::path::absolute(start) else {
        return Vec::new();
    };
    let mut found = start.ancestors().filter_map(options_in);
    found.next().unwrap_or_default()
}

/// The options in a directory's config file, if there is one.
fn options_in(folder: &Path) -> Option<Vec<OsString>> {
    for (file, headings) in FILES {
        let text = fs::read_to_string(folder.join(file)).unwrap_or_default();
        for heading in headings {
            if text.lines().any(|line| line.trim_end() == *heading) {
                return Some(options_in_section(&text, heading));
            }
        }
        // `pytest.ini` is used even without a section.
        if file.ends_with("pytest.ini") && folder.join(file).is_file() {
            return Some(Vec::new());
        }
    }
    None
}

/// The words of `addopts`: a text or, in TOML, also a list. Lines that do not start with a key continue a value.
fn options_in_section(text: &str, heading: &str) -> Vec<OsString> {
    let (mut words, mut is_value) = (Vec::new(), false);
    let lines = text.lines().skip_while(|line| line.trim_end() != heading);
    for line in lines.skip(1).take_while(|line| !line.starts_with('[')) {
        let mut value = line;
        if line.starts_with(|letter: char| letter.is_alphanumeric()) {
            let (key, rest) = line.split_once('=').unwrap_or((line, ""));
            (is_value, value) = (key.trim() == "addopts", rest);
        }
        if is_value && !line.trim_start().starts_with('#') {
            let value = value.replace(['[', ']', '"', '\'', ','], " ");
            words.extend(value.split_whitespace().map(OsString::from));
        }
    }
    words
}
