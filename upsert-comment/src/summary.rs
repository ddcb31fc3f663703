//! The report in the job summary.

use std::path::Path;

use perf_cli::actions::{append_summary, summary_room};
use perf_cli::term;
use perf_markdown::cut::{Limit, cut};

/// Appends a report to the job summary in that file, cut if the file has not enough room.
///
/// # Errors
/// When the file cannot be read or written.
pub(crate) fn write(path: &Path, markdown: &str) -> anyhow::Result<()> {
    let notice = "> The end of this report is left out, because the job summary is full.";
    let text = cut(markdown, Limit::Bytes(summary_room(path)?), notice);
    if text.is_empty() {
        term::warn("the report is not in the job summary, as other text has filled it");
        return Ok(());
    }
    if text != markdown {
        term::warn("the end of the report is not in the job summary, which is full");
    }
    Ok(append_summary(path, &text)?)
}
