//! Formats errors for tests.

use std::path::Path;

use perf_cli::failure;

/// The message and its hints, one per line, with the folder shown as `DIR`.
pub fn error_text(error: &anyhow::Error, folder: &Path) -> String {
    let mut text = failure::message(error);
    for hint in failure::hints(error) {
        text = format!("{text}\nhint: {hint}");
    }
    text.replace(&folder.display().to_string(), "DIR")
        .replace('\\', "/")
}
