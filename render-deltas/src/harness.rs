//! The files of the benchmark itself that changed since the baseline was measured.

use perf_cli::load::git;
use perf_cli::term;
use perf_config::{Config, PathPattern};
use perf_model::diagnostic::{Diagnostic, counted, named};
use perf_model::methodology::HARNESS;
use perf_model::row::Name;
use perf_readers::ParseReport;

/// The number of files that a note names.
const NAMED: usize = 5;

/// The files of `[harness] paths` that differ from those of the baseline's commit, where git knows it. Rows of a base that
/// was measured beside the run, and do not say what the benchmark looked like, are then of another benchmark.
pub(crate) fn changed(
    config: &Config,
    baseline: &mut ParseReport,
    is_paired: bool,
) -> Option<Diagnostic> {
    let (commit, changed) = changed_since(baseline, &config.harness.paths)?;
    let changed: Vec<String> = changed
        .iter()
        .map(|path| format!("`{}`", term::printable(path)))
        .collect();
    let files = counted(changed.len() as u64, "file");
    let message = format!(
        "{files} of the benchmark itself (`[harness]`) changed since the baseline: {}",
        named(&changed, NAMED)
    );
    if is_paired {
        let other = format!("{HARNESS}{commit}").into();
        perf_cli::load::stamp_methodology(&mut baseline.rows, Some(&other));
    }
    Some(Diagnostic::note(message))
}

/// The baseline's commit, and the files that some patterns cover and that changed since; `None` without such files, and
/// where git does not know the commit.
pub(crate) fn changed_since(
    baseline: &ParseReport,
    patterns: &[PathPattern],
) -> Option<(Name, Vec<String>)> {
    // Asking git takes longer than most comparisons.
    if patterns.is_empty() {
        return None;
    }
    let commit = baseline
        .rows
        .iter()
        .map(|row| &row.commit)
        .find(|commit| !commit.is_empty())?;
    let mut changed = git::changed_since(commit)?;
    changed.retain(|path| patterns.iter().any(|pattern| pattern.matches(path)));
    (!changed.is_empty()).then(|| (Name::clone(commit), changed))
}
