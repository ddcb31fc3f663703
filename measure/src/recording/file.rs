//! The recording: a baseline CSV whose methodology contains the version. So every other program can read recordings, but
//! none compares different versions.

use std::path::Path;

use anyhow::anyhow;
use perf_cli::load::read_strictly;
use perf_cli::{ResultExt, term};
use perf_config::Config;
use perf_model::row::Row;

/// The methodology of the rows. Its version changes when the way of measuring changes.
pub const METHODOLOGY: &str = "recording v1: iterations in turn, net of a no-op";
/// The version in [`METHODOLOGY`].
const VERSION: &str = "1";

/// Reads a recording.
///
/// # Errors
/// Fails if the recording does not exist, has another version, or cannot be read.
pub fn read(path: &Path) -> anyhow::Result<Vec<Row>> {
    let name = term::shown(path);
    if !path.exists() {
        return Err(anyhow!("no recording: `{name}` does not exist"))
            .hint("record with `perf-gate measure record` first");
    }
    let hint = "record again with `perf-gate measure record`";
    let rows = read_strictly(path, &Config::default()).hint(hint)?.rows;
    for row in &rows {
        let methodology = row.methodology.as_deref().unwrap_or_default();
        if methodology == METHODOLOGY {
            continue;
        }
        let version = methodology.strip_prefix("recording v");
        let message = match version.and_then(|rest| rest.split_once(':')) {
            Some((other, _)) => {
                let other = term::printable_within(other, 20);
                format!(
                    "`{name}` has recording version {other}, but this program reads version {VERSION}"
                )
            }
            None => format!("`{name}` is not a recording"),
        };
        return Err(anyhow!(message)).hint(hint);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    #[test]
    fn other_versions_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.csv");
        let error = |text| {
            std::fs::write(&path, text).unwrap();
            read(&path)
                .unwrap_err()
                .to_string()
                .replace(&*path.to_string_lossy(), "r.csv")
        };
        insta::assert_snapshot!(error("scenario,runIndex,timeS,methodology\nparse,0,1,recording v2: twice\n"), @"`r.csv` has recording version 2, but this program reads version 1");
        insta::assert_snapshot!(error("scenario,runIndex,timeS\nparse,0,1\n"), @"`r.csv` is not a recording");
    }

    #[test]
    fn written_recording_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.csv");
        let metrics = rows::metrics([("timeS", perf_model::row::Value::new(0.5))]);
        let rows = [rows::row("parse", METHODOLOGY, 3, metrics)];
        rows::write(&rows, Some(&path)).unwrap();
        assert_eq!(read(&path).unwrap(), rows);
    }
}
