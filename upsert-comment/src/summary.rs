//! The report in the job summary.

use std::path::Path;

use perf_cli::actions::{append_summary, summary_room};
use perf_cli::term;
use perf_report::fit::{Limit, fit};

/// Appends a report to the job summary in that file, cut if the file has not enough room.
///
/// # Errors
/// When the file cannot be read or written.
pub(crate) fn write(path: &Path, markdown: &str) -> anyhow::Result<()> {
    let fitted = fit(markdown, Limit::Bytes(summary_room(path)?), None);
    if fitted.text.is_empty() {
        term::warn("the report is not in the job summary: it is full");
        return Ok(());
    }
    if fitted.is_cut() {
        let (rows, others) = (fitted.rows, fitted.others);
        term::warn(&format!(
            "the job summary is full: {rows} rows and {others} other parts of the report were left out"
        ));
    }
    Ok(append_summary(path, &fitted.text)?)
}
