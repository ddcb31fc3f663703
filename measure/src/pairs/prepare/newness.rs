//! Detects bases that do not contain the benchmark yet, because the change adds it.

use std::collections::HashSet;

use perf_cli::ResultExt;
use perf_config::Config;

use super::sides::Sides;
use crate::bench_tools::options;
use crate::git::git;
use crate::guardian::Stopped;
use crate::pairs::request::PairsRequest;
use crate::process::{CommandSpec, program, split_words};
use crate::schedule::Side;

/// An extended regular expression that matches definitions of benchmarks in source files.
const MARKS: &str = r"func Benchmark[A-Z_]|@Benchmark|\[Benchmark|#\[bench\]|#\[divan::bench|criterion_group!|BENCHMARK\(|BENCHMARK_CAPTURE\(|BENCHMARK_F\(|ankerl::nanobench";

impl Sides {
    /// Returns the reason why the base has nothing to measure: it is a commit that does not contain the benchmark, or some
    /// of its files. If there is a build, untracked files do not matter, because the build may create them.
    ///
    /// # Errors
    /// Fails if git fails.
    pub fn missing_benchmark(
        &self,
        request: &PairsRequest,
        config: &Config,
    ) -> anyhow::Result<Option<String>> {
        if !self.has_base_commit() {
            return Ok(None);
        }
        let line = &self.side(Side::Current).command;
        let commit = &*self.side(Side::Base).commit;
        let now = list_files(line, &["--cached", "--others", "--exclude-standard", ":/"])?;
        let tree = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit];
        let tree = git(&line.folder, &tree)?;
        let mut base: HashSet<String> = tree.split('\0').map(str::to_owned).collect();
        let is_harness = |path: &&String| {
            let mut patterns = config.harness.paths.iter();
            patterns.any(|pattern| pattern.matches(path))
        };
        if self.has_head_benchmark {
            base.extend(now.iter().filter(is_harness).cloned());
        }
        for path in named_files(line)? {
            if !now.contains(&path) || base.contains(&path) {
                continue;
            }
            if request.build.is_none() || !list_files(line, &["--others", ":/"])?.contains(&path) {
                return Ok(Some(format!("it has no `{path}`")));
            }
        }
        if let Some(name) = bench_target(line)
            && has_target(&now, &name)
            && !has_target(&base, &name)
        {
            return Ok(Some(format!("it has no benchmark `{name}`")));
        }
        let has_harness = |files: &HashSet<String>| files.iter().any(|path| is_harness(&path));
        if has_harness(&now) && !has_harness(&base) {
            return Ok(Some("it has no `[harness]` file".to_owned()));
        }
        let is_marked = |tree: &[&str]| {
            let search = [&["grep", "--quiet", "--extended-regexp", "-e", MARKS], tree].concat();
            git(&line.folder, &search).is_ok()
        };
        if !self.has_head_benchmark
            && is_marked(&["--untracked", "--", ":/"])
            && !is_marked(&[commit, "--", ":/"])
        {
            return Ok(Some("it has no benchmark in its sources".to_owned()));
        }
        Ok(None)
    }

    /// If a base commit failed, adds a hint about a missing file or a missing build command.
    pub fn advise<T>(&self, side: Side, result: anyhow::Result<T>) -> anyhow::Result<T> {
        let is_base_commit = side == Side::Base && self.has_base_commit();
        match result {
            Err(error) if is_base_commit && !error.is::<Stopped>() => {
                let command = &self.side(Side::Current).command;
                let hint = unknown_to_git(command).unwrap_or_else(|| {
                    "if the base needs packages or a build, add it to `build`, such as `--build 'npm ci'`"
                        .to_owned()
                });
                Err(error).hint(hint)
            }
            result => result,
        }
    }
}

/// Returns a hint if the command contains an untracked file, which the base cannot contain.
fn unknown_to_git(line: &CommandSpec) -> Option<String> {
    let others = list_files(line, &["--others", "--exclude-standard", ":/"]).ok()?;
    let mut named = named_files(line).ok()?.into_iter();
    let path = named.find(|path| others.contains(path))?;
    Some(format!(
        "the base does not contain `{path}`, which is untracked: commit it, or add it to .gitignore"
    ))
}

/// Returns the files that `git ls-files` lists with these arguments, relative to the repository.
fn list_files(line: &CommandSpec, arguments: &[&str]) -> anyhow::Result<HashSet<String>> {
    let list = [&["ls-files", "-z", "--full-name"], arguments].concat();
    let all = git(&line.folder, &list)?;
    Ok(all.split('\0').map(str::to_owned).collect())
}

/// Returns the words of the command as paths relative to the repository.
fn named_files(line: &CommandSpec) -> anyhow::Result<Vec<String>> {
    let prefix = git(&line.folder, &["rev-parse", "--show-prefix"])?;
    Ok(words_of(line)
        .iter()
        .map(|word| format!("{prefix}{word}"))
        .collect())
}

fn words_of(line: &CommandSpec) -> Vec<String> {
    let mut words = split_words(&line.words);
    words.retain(|word| !word.starts_with('-'));
    for word in &mut words {
        if let Some(path) = word.strip_prefix("./") {
            *word = path.to_owned();
        }
    }
    words
}

/// Returns the name in `cargo bench --bench NAME`.
fn bench_target(line: &CommandSpec) -> Option<String> {
    let name = options::values(&line.words, &["--bench"]).last();
    name.filter(|_| program(&line.words) == "cargo")
}

fn has_target(files: &HashSet<String>, name: &str) -> bool {
    ["", "/main"].iter().any(|rest| {
        let path = format!("/benches/{name}{rest}.rs");
        files.iter().any(|file| format!("/{file}").ends_with(&path))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_found_in_words_and_scripts() {
        let line = CommandSpec::parse("sh -c './run.sh --fast <data/in.json'").unwrap();
        assert_eq!(words_of(&line), ["sh", "run.sh", "data/in.json"]);
        let line = CommandSpec::parse("cargo bench --bench parse").unwrap();
        assert_eq!(bench_target(&line).as_deref(), Some("parse"));
    }
}
