//! The recording: a line with its version, then rows as in every baseline.

use std::path::Path;

use perf_cli::{Failure, file, term};
use perf_config::Config;
use perf_model::row::Row;
use perf_readers::{Collector, baseline};

/// How the first line begins.
const MARK: &str = "# measure-perf recording, version ";
/// The version that is written and read.
const VERSION: u32 = 1;

/// Writes a recording.
pub(super) fn write(path: &Path, rows: &[Row]) -> anyhow::Result<()> {
    let text = format!("{MARK}{VERSION}\n{}", baseline::write(rows, &[], &Config::default())?);
    file::write_if_changed(path, text.as_bytes()).map(drop)
}

/// Reads a recording.
///
/// # Errors
/// None there, another version, or rows that cannot be read.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<Row>> {
    let Some(text) = file::read_text_if_exists(path)? else {
        return Err(Failure::new(format!("no recording: `{}` does not exist", term::shown(path)))
            .hint("record with `measure-perf record` first")
            .into());
    };
    parse(&text, &term::shown(path))
}

fn parse(text: &str, name: &str) -> anyhow::Result<Vec<Row>> {
    let (first, rows) = text.split_once('\n').unwrap_or((text, ""));
    let again = "record again with `measure-perf record`";
    let Some(version) = first.trim_end().strip_prefix(MARK) else {
        return Err(Failure::new(format!("`{name}` is not a recording")).hint(again).into());
    };
    if version != VERSION.to_string() {
        let version = term::printable_within(version, 20);
        let message =
            format!("`{name}` has version {version} of the recording, and this program reads {VERSION}");
        return Err(Failure::new(message).hint(again).into());
    }
    let config = Config::default();
    let mut collector = Collector::new(&config);
    collector.read(name, &mut rows.as_bytes())?;
    let report = collector.finish();
    if let Some(row) = report.skipped.first() {
        let message = format!("`{name}` is damaged: {}", row.reason);
        return Err(Failure::new(message).hint(again).into());
    }
    Ok(report.rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_refused() {
        let error = |text| parse(text, "r.csv").unwrap_err().to_string();
        insta::assert_snapshot!(error("# measure-perf recording, version 2\nscenario,runIndex,timeS\n"), @"`r.csv` has version 2 of the recording, and this program reads 1");
        insta::assert_snapshot!(error("scenario,runIndex,timeS\nparse,0,1\n"), @"`r.csv` is not a recording");
    }

    #[test]
    fn recording_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.csv");
        let metrics = crate::rows::metrics([("timeS", perf_model::row::Value::new(0.5))]);
        let rows = [crate::rows::row("parse", "16 iterations", 3, metrics)];
        write(&path, &rows).unwrap();
        assert_eq!(read(&path).unwrap(), rows);
    }
}
