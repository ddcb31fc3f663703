//! Files in the folder of the job that a step leaves for a later one, as JSON.

use std::path::Path;

use perf_cli::file;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Leaves a value for a later step.
pub(super) fn leave(path: &Path, value: &impl Serialize) -> anyhow::Result<()> {
    file::write_if_changed(path, serde_json::to_string(value)?.as_bytes()).map(drop)
}

/// Reads what an earlier step left.
pub(super) fn left<T: DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    Ok(serde_json::from_str(&file::read_text(path)?)?)
}
