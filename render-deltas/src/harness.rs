//! The files of the benchmark itself that changed since the baseline was measured.

use perf_cli::load::git;
use perf_cli::term;
use perf_config::Config;
use perf_model::diagnostic::{Diagnostic, counted, named};
use perf_model::methodology::HARNESS;
use perf_readers::ParseReport;

/// The number of files that a note names.
const NAMED: usize = 5;

/// The files of `[harness] paths` that differ from those of the baseline's commit, where git knows it. Rows of a base that
/// was measured beside the run, and do not say what the benchmark looked like, are then of another benchmark.
pub(crate) fn changed(config: &Config, baseline: &mut ParseReport, is_paired: bool) -> Option<Diagnostic> {
    let patterns = &config.harness.paths;
    if patterns.is_empty() {
        return None;
    }
    let commit = baseline.rows.iter().map(|row| row.commit.clone()).find(|commit| !commit.is_empty())?;
    let all = git::changed_since(&commit)?;
    let changed: Vec<String> = all
        .iter()
        .filter(|path| patterns.iter().any(|pattern| pattern.matches(path)))
        .map(|path| format!("`{}`", term::printable(path)))
        .collect();
    let files = counted(changed.len() as u64, "file");
    let message = format!(
        "{files} of the benchmark itself (`[harness]`) changed since the baseline: {}",
        named(&changed, NAMED)
    );
    if changed.is_empty() {
        return None;
    }
    if is_paired {
        let other = format!("{HARNESS}{commit}").into();
        perf_cli::load::stamp_methodology(&mut baseline.rows, Some(&other));
    }
    Some(Diagnostic::note(message))
}
