//! Benchmark files (`[harness]`) that changed since the baseline was measured.

use perf_cli::load::git;
use perf_cli::term;
use perf_config::{Config, PathPattern};
use perf_model::diagnostic::{Diagnostic, counted, named};
use perf_model::methodology::HARNESS;
use perf_model::row::Name;
use perf_readers::ParseReport;

/// The number of files in a note.
const NAMED: usize = 5;

/// The note that benchmark files changed since the baseline's commit, if git knows it. A paired base is then marked as
/// another benchmark.
pub(crate) fn changed(
    config: &Config,
    baseline: &mut ParseReport,
    is_paired: bool,
) -> Option<Diagnostic> {
    let Changed::Files(commit, changed) = changed_since(baseline, &config.harness.paths)? else {
        return None;
    };
    let changed: Vec<String> = changed
        .iter()
        .map(|path| format!("`{}`", term::printable(path)))
        .collect();
    let files = counted(changed.len() as u64, "benchmark file");
    let message = format!(
        "{files} (`[harness]`) changed since the baseline: {}",
        named(&changed, NAMED)
    );
    if is_paired {
        let other = format!("{HARNESS}{commit}").into();
        perf_cli::load::stamp_methodology(&mut baseline.rows, Some(&other));
    }
    Some(Diagnostic::note(message))
}

/// The files that changed since the baseline's commit.
pub(crate) enum Changed {
    /// The commit, and the changed files.
    Files(Name, Vec<String>),
    /// Why it is unknown; completes "cannot tell whether … changed:".
    Unknown(String),
}

/// The files that match the patterns and changed since the baseline's commit; `None` if there are none.
pub(crate) fn changed_since(baseline: &ParseReport, patterns: &[PathPattern]) -> Option<Changed> {
    // Calling git takes longer than most comparisons.
    if patterns.is_empty() {
        return None;
    }
    let mut commits = baseline.rows.iter().map(|row| &row.commit);
    let Some(commit) = commits.find(|commit| !commit.is_empty()) else {
        return Some(Changed::Unknown("the baseline has no commit".to_owned()));
    };
    let Some(mut changed) = git::changed_since(commit) else {
        let shown = term::printable(git::short(commit));
        let why = format!("git does not know the baseline's commit `{shown}`");
        return Some(Changed::Unknown(why));
    };
    changed.retain(|path| patterns.iter().any(|pattern| pattern.matches(path)));
    (!changed.is_empty()).then(|| Changed::Files(Name::clone(commit), changed))
}
