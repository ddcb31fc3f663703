//! CSV with one value a line, as dashboards export it: `suite,name,unixMs,commit,value,unit`, with more columns or not.

use serde::Deserialize;

use super::{Measurement, Measurements};
use crate::format::{Format, Kind, Samples};
use crate::input::source::Source;
use crate::rows::RowCollector;
use crate::tools::custom;
use perf_model::row::Value;

/// The columns that make a file one of these.
const COLUMNS: [&str; 6] = ["suite", "name", "unixMs", "commit", "value", "unit"];

pub(super) const FORMAT: Format = Format {
    name: "values-csv",
    about: "CSV with one value a line: suite, name, unixMs, commit, value, unit; only as a history",
    samples: Samples::Launches,
    looks_like: |head| has_columns(head).into(),
    kind: Kind::Document(read),
};

fn has_columns(head: &[u8]) -> bool {
    let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first = String::from_utf8_lossy(first);
    let names: Vec<&str> = first.trim_start_matches('\u{feff}').split(',').map(str::trim).collect();
    COLUMNS.iter().all(|column| names.contains(column))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    suite: String,
    name: String,
    unix_ms: i64,
    commit: String,
    value: String,
    unit: String,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::Headers).from_reader(source);
    let mut report = Measurements::default();
    let mut last = 1;
    for record in reader.deserialize::<Line>() {
        last += 1;
        match record {
            Ok(line) => take(&mut report, last, line, sink),
            Err(error) => refuse(error, last, sink)?,
        }
    }
    sink.lines(last);
    report.give(sink);
    Ok(())
}

/// Reports a malformed line.
fn refuse(error: csv::Error, line: u64, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    let line = error.position().map_or(line, csv::Position::line);
    match error.into_kind() {
        csv::ErrorKind::Io(error) => return Err(error),
        csv::ErrorKind::Deserialize { err, .. } => {
            sink.skip(line, b"", || format!("malformed row: {}", err.kind()));
        }
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            sink.skip(line, b"", || format!("{len} columns, expected {expected_len}"));
        }
        _ => sink.skip(line, b"", || "malformed row".to_owned()),
    }
    Ok(())
}

fn take(report: &mut Measurements, number: u64, line: Line, sink: &mut RowCollector<'_>) {
    // A line without a number is a benchmark that did not run.
    let Some(value) = Value::parse(line.value.trim()) else { return };
    // Some tools put further numbers behind the unit.
    let unit = line.unit.split('\t').next().unwrap_or_default();
    let metric = custom::metric(unit, None, sink);
    let measurement = Measurement {
        place: line.suite,
        scenario: line.name,
        commit: line.commit,
        measured_at: Some(line.unix_ms.div_euclid(1000)),
        iteration: 0,
    };
    report.add(number, measurement, metric, value);
}
