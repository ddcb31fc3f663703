//! The methodology of a measurement: the config's text, and fingerprints of the benchmark files.
//!
//! The *benchmark files* are the sources of the benchmark, as opposed to the measured code; `[harness] paths` in the
//! config lists them. Their *fingerprint* is part of the methodology, so times are not compared across changes to these
//! files. The files in `[harness] toolchain` have a separate fingerprint, for counts that depend on the compiler. A
//! fingerprint hashes the files in the work tree: sorted paths and contents, with line endings as git stores them. A
//! link is hashed as its target's path.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::{Failure, term};
use anyhow::Context;
use perf_config::{Config, HarnessSection, PathPattern};
use perf_model::diagnostic::Diagnostic;
use perf_model::methodology::{HARNESS, TOOLCHAIN};
use perf_model::row::{LONGEST_TEXT, Name};
use sha2::{Digest, Sha256};

/// Large folders without sources. They are not searched.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];

/// The number of hash bytes in a fingerprint.
const SHOWN: usize = 6;

/// Limits for the benchmark files. They turn an overly broad pattern into an error instead of a long wait.
#[derive(Clone, Copy)]
struct BenchmarkFileLimits {
    /// The maximum number of files and folders to search.
    entries: usize,
    /// The maximum number of bytes to read, in all files together.
    bytes: u64,
}

const LIMITS: BenchmarkFileLimits = BenchmarkFileLimits {
    entries: 200_000,
    bytes: 64 * 1024 * 1024,
};

/// The root of the measured project: the root of the working directory's repository or, outside a repository, the working
/// directory. The location of the config does not matter, so a config from another commit applies to the files here.
pub fn root() -> anyhow::Result<PathBuf> {
    Ok(root_of(
        &std::env::current_dir().context("cannot determine the working directory")?,
    ))
}

/// The root of the repository that contains a folder or, outside a repository, the folder itself.
pub fn root_of(folder: &Path) -> PathBuf {
    let repository = folder
        .ancestors()
        .find(|folder| folder.join(".git").exists());
    repository.unwrap_or(folder).to_path_buf()
}

/// The methodology of newly measured rows: the config's text, then the fingerprints of the benchmark files and the
/// toolchain files below `root`, such as `harness:1a2b3c4d5e6f`, or `harness:none` if no file matches. It is `None` if
/// the config sets neither a text nor patterns. The diagnostics are warnings about patterns that match no file.
///
/// # Errors
/// Fails if a folder or a file is unreadable, or if the files exceed the limits.
pub fn methodology(
    config: &Config,
    root: &Path,
) -> anyhow::Result<(Option<Name>, Vec<Diagnostic>)> {
    let (fingerprints, found) = fingerprints(config, root)?;
    let words = config
        .methodology
        .iter()
        .map(ToString::to_string)
        .chain(fingerprints);
    let text = words.collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return Ok((None, found));
    }
    if text.len() > LONGEST_TEXT {
        let message = format!(
            "the methodology is longer than {LONGEST_TEXT} bytes with the fingerprints of `[harness]`"
        );
        return Err(Failure::new(message)
            .hint("shorten `methodology` in the config")
            .into());
    }
    Ok((Some(text.into()), found))
}

/// Like [`methodology`], but only the fingerprints, one word for each.
pub fn fingerprints(
    config: &Config,
    root: &Path,
) -> anyhow::Result<(Vec<String>, Vec<Diagnostic>)> {
    let HarnessSection {
        paths, toolchain, ..
    } = &config.harness;
    let (mut words, mut found) = (Vec::new(), Vec::new());
    for (prefix, patterns) in [(HARNESS, paths), (TOOLCHAIN, toolchain)] {
        if !patterns.is_empty() {
            let fingerprint = fingerprint(patterns, root, LIMITS)?;
            found.extend(fingerprint.is_none().then(|| no_files(prefix, patterns)));
            words.push(format!(
                "{prefix}{}",
                fingerprint.as_deref().unwrap_or("none")
            ));
        }
    }
    Ok((words, found))
}

fn no_files(prefix: &str, patterns: &[PathPattern]) -> Diagnostic {
    let patterns: Vec<String> = patterns
        .iter()
        .map(|pattern| format!("`{}`", pattern.as_str()))
        .collect();
    let what = prefix.trim_end_matches(':');
    Diagnostic::warning(format!(
        "the {what} has no files: nothing matches {}",
        patterns.join(", ")
    ))
}

/// Hashes the matching files. Returns `None` if no file matches.
fn fingerprint(
    patterns: &[PathPattern],
    root: &Path,
    limits: BenchmarkFileLimits,
) -> anyhow::Result<Option<String>> {
    let files = files(patterns, root, limits)?;
    if files.is_empty() {
        return Ok(None);
    }
    let mut hash = Sha256::new();
    let mut left = limits.bytes;
    for (path, file) in &files {
        let read = content(file, &mut left)
            .with_context(|| format!("cannot read `{}`", term::shown(file)))?;
        let content = unix_lines(&read);
        // Include the length, so that content cannot imitate a path.
        hash.update((path.len() as u64).to_le_bytes());
        hash.update(path.as_bytes());
        hash.update((content.len() as u64).to_le_bytes());
        hash.update(&content);
    }
    let mut digits = String::new();
    for byte in hash.finalize().iter().take(SHOWN) {
        let _ = write!(digits, "{byte:02x}");
    }
    Ok(Some(digits))
}

/// Finds the matching files, by their paths from the root.
fn files(
    patterns: &[PathPattern],
    root: &Path,
    limits: BenchmarkFileLimits,
) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![(root.to_path_buf(), String::new())];
    let mut seen = 0;
    while let Some((folder, prefix)) = folders.pop() {
        let unreadable = || format!("cannot read the folder `{}`", term::shown(&folder));
        for entry in fs::read_dir(&folder).with_context(unreadable)? {
            let entry = entry.with_context(unreadable)?;
            seen += 1;
            if seen > limits.entries {
                return Err(too_large(&format!(
                    "the search for `[harness]` files visited more than {} files",
                    limits.entries
                )));
            }
            let name = entry.file_name();
            let path = format!("{prefix}{}", name.to_string_lossy());
            let kind = entry.file_type().with_context(unreadable)?;
            if kind.is_dir() {
                if !SKIPPED.iter().any(|skipped| name == *skipped) && leads_to(patterns, &path) {
                    folders.push((entry.path(), path + "/"));
                }
            } else if (kind.is_file() || kind.is_symlink())
                && patterns.iter().any(|pattern| pattern.matches(&path))
            {
                found.insert(path, entry.path());
            }
        }
    }
    Ok(found)
}

/// Whether a folder can contain matching files: it must match a pattern's directories before the first wildcard.
fn leads_to(patterns: &[PathPattern], folder: &str) -> bool {
    patterns.iter().any(|pattern| {
        let literal = pattern
            .as_str()
            .trim_end_matches('/')
            .split('/')
            .take_while(|name| !name.contains(['*', '?']));
        literal
            .zip(folder.split('/'))
            .all(|(one, other)| one == other)
    })
}

fn content(file: &Path, left: &mut u64) -> anyhow::Result<Vec<u8>> {
    if fs::symlink_metadata(file)?.is_symlink() {
        // Hash the target's path: on systems without links, git checks the link out as a file that contains this path.
        return Ok(fs::read_link(file)?
            .to_string_lossy()
            .replace('\\', "/")
            .into_bytes());
    }
    let mut content = Vec::new();
    let length = File::open(file)?
        .take(*left + 1)
        .read_to_end(&mut content)?;
    *left = left
        .checked_sub(length as u64)
        .ok_or_else(|| too_large("the `[harness]` files are too large"))?;
    Ok(content)
}

fn too_large(message: &str) -> anyhow::Error {
    Failure::new(message)
        .hint("use narrower patterns in `[harness]`, such as `benches/**` instead of `**`")
        .into()
}

/// The content with CRLF replaced by LF, so that `autocrlf` does not change the hash.
fn unix_lines(content: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(content.len());
    for (at, byte) in content.iter().enumerate() {
        if *byte != b'\r' || content.get(at + 1) != Some(&b'\n') {
            kept.push(*byte);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with these files.
    fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn config(paths: &str) -> Config {
        Config::parse(&format!("[harness]\npaths = [{paths}]\n")).unwrap()
    }

    fn of(files: &[(&str, &str)]) -> String {
        let said = methodology(
            &config(r#""bench/**", "tools/run.sh""#),
            project(files).path(),
        );
        said.unwrap().0.unwrap().to_string()
    }

    const HARNESS: [(&str, &str); 2] = [("bench/a.rs", "loop {}\n"), ("tools/run.sh", "run\n")];

    #[test]
    fn the_same_files_are_the_same_harness_and_others_are_another() {
        assert_eq!(of(&HARNESS), "harness:1b9273e07cc9");
        let one = of(&HARNESS);
        let [a, b] = HARNESS;
        // The order, other files, and the system's line endings do not matter.
        assert_eq!(
            of(&[b, a, ("src/lib.rs", "x"), ("bench/target/debug/a", "x")]),
            one
        );
        assert_eq!(of(&[("bench/a.rs", "loop {}\r\n"), b]), one);
        for other in [
            vec![a],
            vec![a, b, ("bench/deep/er/c.rs", "")],
            vec![("bench/b.rs", a.1), b],
            vec![("bench/a.rs", "loop { }\n"), b],
            vec![("bench/a.rs", "loop {}\r\r\n"), b],
        ] {
            assert_ne!(of(&other), one, "{other:?}");
        }
    }

    #[test]
    fn methodology_of_the_config_is_kept() {
        let none = |text: &str| {
            methodology(&Config::parse(text).unwrap(), Path::new("no such folder"))
                .unwrap()
                .0
        };
        assert_eq!(none(""), None);
        assert_eq!(
            none("methodology = 'min of 5'").as_deref(),
            Some("min of 5")
        );
        let folder = project(&HARNESS);
        let both =
            Config::parse("methodology = 'min of 5'\n[harness]\npaths = ['none/**']").unwrap();
        let (said, found) = methodology(&both, folder.path()).unwrap();
        assert_eq!(said.as_deref(), Some("min of 5 harness:none"));
        assert_eq!(
            found[0].to_string(),
            "the harness has no files: nothing matches `none/**`"
        );
        let all = "methodology = 'min of 5'\n[harness]\npaths = ['bench/**']\ntoolchain = ['tools/run.sh']";
        let said = methodology(&Config::parse(all).unwrap(), folder.path()).unwrap();
        assert_eq!(
            said.0.as_deref(),
            Some("min of 5 harness:49a73f26319b toolchain:10fe421d34ec")
        );
    }

    #[test]
    fn unreachable_folders_are_not_searched() {
        let wide = config(r#""bench/deep/", "a/*/c.rs""#).harness.paths;
        for folder in ["bench", "bench/deep", "bench/deep/er", "a", "a/b", "a/b/c"] {
            assert!(leads_to(&wide, folder), "{folder}");
        }
        for folder in ["benches", "bench/other", "b", "a2"] {
            assert!(!leads_to(&wide, folder), "{folder}");
        }
        assert!(leads_to(&config(r#""**/c.rs""#).harness.paths, "any/where"));
    }

    #[test]
    fn too_many_or_too_large_files_are_rejected() {
        let folder = project(&HARNESS);
        let all = config(r#""**""#).harness.paths;
        let why = |limits| fingerprint(&all, folder.path(), limits).unwrap_err();
        let few = crate::failure::message(&why(BenchmarkFileLimits {
            entries: 3,
            ..LIMITS
        }));
        assert_eq!(
            few,
            "the search for `[harness]` files visited more than 3 files"
        );
        let small = crate::failure::message(&why(BenchmarkFileLimits {
            bytes: 11,
            ..LIMITS
        }));
        assert!(
            small.ends_with("run.sh`: the `[harness]` files are too large"),
            "{small}"
        );
        assert!(
            fingerprint(
                &all,
                folder.path(),
                BenchmarkFileLimits {
                    entries: 4,
                    bytes: 12
                }
            )
            .is_ok()
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_are_distinguished_and_not_followed() {
        use std::os::unix::fs::symlink;
        let folder = project(&HARNESS);
        let one = || {
            methodology(&config(r#""bench/**""#), folder.path())
                .unwrap()
                .0
        };
        let before = one();
        symlink("..", folder.path().join("bench/up")).unwrap();
        let linked = one();
        assert_ne!(before, linked);
        fs::remove_file(folder.path().join("bench/up")).unwrap();
        fs::write(folder.path().join("bench/up"), "..").unwrap();
        assert_eq!(one(), linked, "as on systems without links");
    }
}
