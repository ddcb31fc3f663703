//! CSV with one value per line, as dashboards export it: `suite,name,unixMs,commit,value,unit`, possibly with more
//! columns.

use super::{Measurement, Measurements};
use crate::formats::common::csv_records::{self, Record};
use crate::formats::common::prelude::*;

pub(super) const FORMAT: Format = Format::named("values-csv")
    .about("CSV, one value per line: suite, name, unixMs, commit, value, unit; only as a history")
    .looks_like(|head| csv_records::delimiter(head, &COLUMNS).is_some().into())
    .document(read);

/// The columns that identify the format.
const COLUMNS: [&str; 6] = ["suite", "name", "unixMs", "commit", "value", "unit"];

fn read(input: &Input<'_>, sink: &mut Rows<'_>) {
    let mut measurements = Measurements::default();
    csv_records::tables(input, sink, &COLUMNS, |record, sink| match record {
        Some(record) => take(&mut measurements, record, sink),
        None => std::mem::take(&mut measurements).give(sink),
    });
}

fn take(measurements: &mut Measurements, record: &Record<'_>, sink: &mut Rows<'_>) {
    let text = |column: &str| record.text(&[column]).into_owned();
    let Ok(milliseconds) = text("unixMs").trim().parse::<i64>() else {
        return sink.skip(record.line, "", || {
            "malformed row: `unixMs` is not a whole number".to_owned()
        });
    };
    // A line without a number means that the benchmark did not run.
    let Some(value) = record.number(&["value"]) else {
        return;
    };
    // Some tools append more numbers to the unit.
    let metric = custom::metric(
        record.line,
        text("unit").split('\t').next().unwrap_or_default(),
        None,
        sink,
    );
    let measurement = Measurement {
        place: text("suite"),
        scenario: text("name"),
        commit: text("commit"),
        measured_at: Some(milliseconds.div_euclid(1000)),
        iteration: 0,
    };
    measurements.add(record.line, measurement, metric, value);
}
