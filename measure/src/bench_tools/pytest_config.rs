//! Reads pytest's options in a project's config.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use super::options;

/// Config files in the order in which pytest looks for them.
const FILES: [&str; 5] = [
    "pytest.ini",
    ".pytest.ini",
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
];
/// The headings of pytest's sections in these files.
const HEADINGS: [&str; 4] = [
    "[pytest]",
    "[tool.pytest.ini_options]",
    "[tool.pytest]",
    "[tool:pytest]",
];

/// Returns the options in `addopts` of the config file that pytest uses: the nearest one at or above the first path in the
/// arguments. Returns no options if the arguments specify a config file.
pub fn options(arguments: &[OsString], folder: &Path) -> Vec<OsString> {
    if options::find(arguments, &["-c", "--config-file"]).is_some() {
        return Vec::new();
    }
    // `folder` may be an empty path, which has no absolute path.
    let mut start = folder.join(".");
    for word in arguments.iter().filter_map(|word| word.to_str()) {
        let path = folder.join(word.split("::").next().unwrap_or(word));
        if path.exists() {
            start = path;
            break;
        }
    }
    let Ok(start) = std::path::absolute(start) else {
        return Vec::new();
    };
    let mut found = start.ancestors().filter_map(options_in);
    found.next().unwrap_or_default()
}

/// Returns the options in a directory's config file, if it exists.
fn options_in(folder: &Path) -> Option<Vec<OsString>> {
    for file in FILES {
        let path = folder.join(file);
        let text = fs::read_to_string(&path).unwrap_or_default();
        let has_section = text.lines().any(|line| HEADINGS.contains(&line.trim_end()));
        // `pytest.ini` is used even without a section.
        if has_section || file.ends_with("pytest.ini") && path.is_file() {
            return Some(words_of_addopts(&text));
        }
    }
    None
}

/// Returns the words of `addopts`, which is a string or, in TOML, possibly a list. A line that starts with neither a key nor
/// a heading continues the value above it.
fn words_of_addopts(text: &str) -> Vec<OsString> {
    let (mut words, mut is_value) = (Vec::new(), false);
    for line in text.lines() {
        let mut value = line;
        if line.starts_with(|letter: char| letter.is_alphanumeric() || letter == '[') {
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
