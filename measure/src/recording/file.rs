//! The recording: a baseline CSV with the version in the methodology. So every other program can read it, and none compares
//! different versions.

use std::path::Path;

use perf_cli::{Failure, file, term};
use perf_config::Config;
use perf_model::row::Row;
use perf_readers::Collector;

/// The methodology of the rows. Its version changes with the way of measuring.
pub(super) const METHODOLOGY: &str = "recording v1: iterations in turn, net of a no-op";
/// The prefix of the methodology in all versions.
const MARK: &str = "recording v";

/// Reads a recording.
///
/// # Errors
/// It does not exist, has another version, or cannot be read.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<Row>> {
    let name = term::shown(path);
    let Some(text) = file::read_text_if_exists(path)? else {
        return Err(
            Failure::new(format!("no recording: `{name}` does not exist"))
                .hint("record with `perf-gate measure record` first")
                .into(),
        );
    };
    let again = |message: String| {
        Failure::new(message).hint("record again with `perf-gate measure record`")
    };
    let config = Config::default();
    let mut collector = Collector::new(&config);
    collector.read(&name, &mut text.as_bytes())?;
    let report = collector.finish();
    if let Some(row) = report.skipped().next() {
        return Err(again(format!("`{name}` is damaged: {}", row.text)).into());
    }
    let own = version(METHODOLOGY);
    let first = report.rows.first().and_then(version_of);
    let other = report.rows.iter().map(version_of).find(|one| *one != own);
    match other.unwrap_or(first) {
        None => Err(again(format!("`{name}` is not a recording")).into()),
        Some(other) if Some(other) != own => {
            let (other, own) = (term::printable_within(other, 20), own.unwrap_or_default());
            let message = format!(
                "`{name}` has recording version {other}, but this program reads version {own}"
            );
            Err(again(message).into())
        }
        Some(_) => Ok(report.rows),
    }
}

fn version_of(row: &Row) -> Option<&str> {
    version(row.methodology.as_deref()?)
}

fn version(methodology: &str) -> Option<&str> {
    Some(methodology.strip_prefix(MARK)?.split_once(':')?.0)
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
