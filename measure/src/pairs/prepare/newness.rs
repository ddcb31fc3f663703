//! Detection of bases that do not contain the benchmark yet, because the change adds it.

use std::collections::HashSet;

use perf_config::Config;

use crate::bench_tools::options;
use crate::git::git;
use crate::process::{CommandSpec, program};

/// An extended regular expression that matches definitions of benchmarks in source files.
const MARKS: &str = r"func Benchmark[A-Z_]|@Benchmark|\[Benchmark|#\[bench\]|#\[divan::bench|criterion_group!|BENCHMARK\(|BENCHMARK_CAPTURE\(|BENCHMARK_F\(|ankerl::nanobench";

/// The reason why a commit has nothing to measure: it does not contain some of the benchmark's files. Untracked files do not
/// matter if there is a build, which may create them.
///
/// # Errors
/// A git error.
pub fn missing_benchmark(
    line: &CommandSpec,
    commit: &str,
    config: &Config,
    has_harness_of_current: bool,
    is_built: bool,
) -> anyhow::Result<Option<String>> {
    let names = |arguments: &[&str]| -> anyhow::Result<HashSet<String>> {
        Ok(git(&line.folder, arguments)?
            .split('\0')
            .map(str::to_owned)
            .collect())
    };
    // Both relative to the repository's top-level directory.
    let mut base = names(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit])?;
    let now = names(&[
        "ls-files",
        "-z",
        "--full-name",
        "--cached",
        "--others",
        "--exclude-standard",
        ":/",
    ])?;
    let prefix = git(&line.folder, &["rev-parse", "--show-prefix"])?;
    let is_harness = |path: &&String| {
        config
            .harness
            .paths
            .iter()
            .any(|pattern| pattern.matches(path))
    };
    if has_harness_of_current {
        base.extend(now.iter().filter(is_harness).cloned());
    }
    let made = if is_built {
        names(&["ls-files", "-z", "--full-name", "--others", ":/"])?
    } else {
        HashSet::new()
    };
    let is_added =
        |path: &String| now.contains(path) && !base.contains(path) && !made.contains(path);
    if let Some(path) = named_files(line, &prefix).into_iter().find(is_added) {
        return Ok(Some(format!("it has no `{path}`")));
    }
    let target =
        bench_target(line).filter(|name| has_target(&now, name) && !has_target(&base, name));
    if let Some(name) = target {
        return Ok(Some(format!("it has no benchmark `{name}`")));
    }
    let [has_now, has_base] = [&now, &base].map(|files| files.iter().any(|path| is_harness(&path)));
    if has_now && !has_base {
        return Ok(Some("it has no `[harness]` file".to_owned()));
    }
    if has_harness_of_current {
        return Ok(None);
    }
    let is_marked = |tree: &[&str]| {
        let search = [&["grep", "--quiet", "--extended-regexp", "-e", MARKS], tree].concat();
        git(&line.folder, &search).is_ok()
    };
    Ok(
        (is_marked(&["--untracked", "--", ":/"]) && !is_marked(&[commit, "--", ":/"]))
            .then(|| "it has no benchmark in its sources".to_owned()),
    )
}

/// A hint about an untracked file in the command, which the base does not contain.
pub fn unknown_to_git(line: &CommandSpec) -> Option<String> {
    let others = [
        "ls-files",
        "-z",
        "--full-name",
        "--others",
        "--exclude-standard",
        ":/",
    ];
    let others = git(&line.folder, &others).ok()?;
    let prefix = git(&line.folder, &["rev-parse", "--show-prefix"]).ok()?;
    let is_unknown = |path: &String| others.split('\0').any(|other| other == path);
    let path = named_files(line, &prefix).into_iter().find(is_unknown)?;
    Some(format!(
        "the base does not contain `{path}`, which is untracked: commit it, or add it to .gitignore"
    ))
}

/// The words of the command, including those within `sh -c '…'`, as paths relative to the repository.
fn named_files(line: &CommandSpec, prefix: &str) -> Vec<String> {
    let words = line.words.iter().map(|word| word.to_string_lossy());
    let inner = words.flat_map(|word| match shell_words::split(&word) {
        Ok(inner) if inner.len() > 1 => inner,
        _ => vec![word.into_owned()],
    });
    let path = |word: String| {
        let word = word.trim_start_matches(['<', '>']);
        format!("{prefix}{}", word.strip_prefix("./").unwrap_or(word))
    };
    inner
        .filter(|word| !word.is_empty() && !word.starts_with('-'))
        .map(path)
        .collect()
}

/// The name in `cargo bench --bench NAME`.
fn bench_target(line: &CommandSpec) -> Option<String> {
    let is_cargo = program(&line.words) == "cargo";
    options::values(&line.words, &["--bench"])
        .last()
        .filter(|_| is_cargo)
}

fn has_target(files: &HashSet<String>, name: &str) -> bool {
    let paths = [
        format!("benches/{name}.rs"),
        format!("benches/{name}/main.rs"),
    ];
    files.iter().any(|file| {
        paths
            .iter()
            .any(|path| file == path || file.ends_with(&format!("/{path}")))
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn file_names_are_found_in_words_and_scripts() {
        let line =
            CommandSpec::parse("sh -c './run.sh --fast <data/in.json'", Path::new("/")).unwrap();
        assert_eq!(
            named_files(&line, "sub/"),
            ["sub/sh", "sub/run.sh", "sub/data/in.json"]
        );
        let line = CommandSpec::parse("cargo bench --bench parse", Path::new("/")).unwrap();
        assert_eq!(bench_target(&line).as_deref(), Some("parse"));
    }
}
