//! Files that changed since the baseline was measured: benchmark files (`[harness]`), and the hot path (`[review]`).

use perf_cli::load::{benchmark_files, git};
use perf_cli::{file, term};
use perf_config::{Config, PathPattern};
use perf_model::diagnostic::{Diagnostic, counted, named};
use perf_model::methodology::HARNESS;
use perf_model::row::Name;
use perf_readers::ParseReport;

/// The locations of CODEOWNERS, in the order in which GitHub searches them.
const CODEOWNERS: [&str; 3] = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];

/// The note that benchmark files changed since the baseline's commit, if git knows it. A paired base is then marked as
/// another benchmark.
pub(crate) fn mark_changed_benchmark(
    config: &Config,
    baseline: &mut ParseReport,
) -> Option<Diagnostic> {
    const NAMED: usize = 5;
    let (commit, changed) = changed_since(baseline, &config.harness.paths).ok()?;
    if changed.is_empty() {
        return None;
    }
    let changed: Vec<String> = changed
        .iter()
        .map(|path| format!("`{}`", term::printable(path)))
        .collect();
    let files = counted(changed.len() as u64, "benchmark file");
    let message = format!(
        "{files} (`[harness]`) changed since the baseline: {}",
        named(&changed, NAMED)
    );
    if config.deltas.paired {
        let other = format!("{HARNESS}{commit}").into();
        perf_cli::load::stamp_methodology(&mut baseline.rows, Some(&other));
    }
    Some(Diagnostic::note(message))
}

/// The note that lists the files in `[review] paths` that differ from the baseline's commit, with their owners; or the
/// warning that this is unknown.
pub(crate) fn review(config: &Config, baseline: &ParseReport) -> Option<Diagnostic> {
    const NAMED: usize = 10;
    let (_, changed) = match changed_since(baseline, config.review()) {
        Ok(changed) => changed,
        Err(why) => return Some(undetermined(&why)),
    };
    if changed.is_empty() {
        return None;
    }
    let root = benchmark_files::root().unwrap_or_default();
    let mut places = CODEOWNERS.iter();
    let text = places.find_map(|place| file::read_text(&root.join(place)).ok());
    let owners = text.unwrap_or_default();
    let mut files = Vec::new();
    for path in &changed {
        files.push(with_owners(path, &owners));
    }
    let message = format!(
        "review these numbers, because the hot path changed: {}",
        named(&files, NAMED)
    );
    Some(Diagnostic::note(message))
}

/// The warning that a change of the hot path cannot be determined.
fn undetermined(why: &str) -> Diagnostic {
    let message = format!("cannot tell whether the hot path (`[review]`) changed: {why}");
    let hint = if git::is_shallow() {
        "the clone is shallow: let `actions/checkout` fetch all commits with `fetch-depth: 0`, or run \
         `git fetch --unshallow`"
    } else {
        "fetch the commit with `git fetch`, or store it in the baseline with `perf-gate baseline --commit`"
    };
    Diagnostic::warning(message).hint(hint)
}

/// The baseline's commit, and the files that match the patterns and changed since; an error if git does not know them,
/// which completes "cannot tell whether … changed:".
fn changed_since(
    baseline: &ParseReport,
    patterns: &[PathPattern],
) -> Result<(Name, Vec<String>), String> {
    // Calling git takes longer than most comparisons.
    if patterns.is_empty() {
        return Ok((Name::from(""), Vec::new()));
    }
    let mut commits = baseline.rows.iter().map(|row| &row.commit);
    let Some(commit) = commits.find(|commit| !commit.is_empty()) else {
        return Err("the baseline does not specify a commit".to_owned());
    };
    let Some(mut changed) = git::changed_since(commit) else {
        let shown = term::printable(git::short(commit));
        return Err(format!("git does not know the baseline's commit `{shown}`"));
    };
    changed.retain(|path| patterns.iter().any(|pattern| pattern.matches(path)));
    Ok((Name::clone(commit), changed))
}

/// A path, with its owners in a CODEOWNERS file, which the last matching pattern sets.
fn with_owners(path: &str, codeowners: &str) -> String {
    let mut owners = String::new();
    for line in codeowners.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let Some(written) = words.next() else {
            continue;
        };
        let mut source = written.strip_prefix('/').unwrap_or(written).to_owned();
        // A pattern without a folder matches in every folder.
        if !written.trim_end_matches('/').contains('/') {
            source = format!("**/{source}");
        }
        if PathPattern::new(&source).is_ok_and(|pattern| pattern.matches(path)) {
            owners = words.collect::<Vec<_>>().join(" ");
        }
    }
    let shown = term::printable(path);
    if owners.is_empty() {
        return format!("`{shown}`");
    }
    format!("`{shown}` (owned by `{}`)", term::printable(&owners))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_matching_pattern_sets_the_owners() {
        let owners = "* @all\n*.rs @rust @core # Rust\n/src/bus/ @bus\ndocs/ @docs\n/src/free.rs\n";
        for (path, named) in [
            ("README.md", "`README.md` (owned by `@all`)"),
            ("src/a/b.rs", "`src/a/b.rs` (owned by `@rust @core`)"),
            ("src/bus/a.rs", "`src/bus/a.rs` (owned by `@bus`)"),
            ("a/docs/b.md", "`a/docs/b.md` (owned by `@docs`)"),
            ("src/free.rs", "`src/free.rs`"),
        ] {
            assert_eq!(with_owners(path, owners), named);
        }
    }
}
