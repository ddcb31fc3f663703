//! github-action-benchmark's history: `data.js`, or the same data as JSON (`external-data-json-path`).
//!
//! The JSON is `{entries: {suite: [{commit: {id}, date, tool, benches: [{name, value, unit}]}]}}`. The metric depends
//! on the unit and on the tool, so that names match the tool's own reader.

use super::{Measurement, Measurements};
use crate::formats::common::prelude::*;

pub(super) const FORMAT: Format = Format::named("github-action-benchmark")
    .about("history of github-action-benchmark: data.js, or its JSON; only as a history")
    .looks_like(|head| {
        (is_script(head) || json::has_keys(head, "{", &["entries", "commit", "benches"])).into()
    })
    .document(read);

/// The variable that contains the JSON in `data.js`.
const VARIABLE: &str = "window.BENCHMARK_DATA";

fn is_script(head: &str) -> bool {
    head.trim_start().starts_with(VARIABLE)
}

const ENTRY: Shape = Shape::of("an entry", &["commit", "date", "benches"]);

fn read(input: &Input<'_>, sink: &mut Rows<'_>) {
    let mut json = input.text;
    if is_script(json) {
        json = json.split_once('=').map_or("", |(_, json)| json);
    }
    json::documents(
        &Input::new(json),
        sink,
        &[&["entries", "*", "*"]],
        take,
        Measurements::give,
    );
}

fn take(report: &mut Measurements, piece: &Piece<'_>, sink: &mut Rows<'_>) {
    let Some(entry) = piece.object(ENTRY, sink) else {
        return;
    };
    let place = piece.path.get(1).cloned().unwrap_or_default();
    // In milliseconds since 1970.
    let date = entry.whole("date");
    for bench in entry.list("benches") {
        let Some(value) = bench.number("value") else {
            continue;
        };
        let (metric, value) = metric(
            entry.text_or_empty("tool"),
            bench.text_or_empty("unit"),
            value,
            sink,
        );
        let measurement = Measurement {
            place: place.clone(),
            scenario: bench.text_or_empty("name").to_owned(),
            commit: entry.text_or_empty("commit/id").to_owned(),
            measured_at: date.map(|date| date.div_euclid(1000)),
            iteration: 0,
        };
        report.add(piece.line, measurement, metric, value);
    }
}

/// Returns the metric for a tool's unit, and the value in the unit of that metric.
fn metric(tool: &str, unit: &str, value: Value, sink: &mut Rows<'_>) -> (String, Value) {
    // `go test` prints more numbers after the first unit.
    let unit = unit.split('\t').next().unwrap_or_default().trim();
    let better = match tool {
        "customSmallerIsBetter" => Some(Direction::Lower),
        "customBiggerIsBetter" => Some(Direction::Higher),
        // This rate is the inverse of the mean time. It is converted, because pytest-benchmark's own output is gated on
        // times.
        "pytest" if unit == "iter/sec" => {
            let mean = Value::new(value.as_f64().recip());
            return mean.map_or_else(
                || ("meanOpsPerSecond".to_owned(), value),
                |mean| ("timeS".to_owned(), mean),
            );
        }
        _ => None,
    };
    let time = time(unit, value).filter(|_| better.is_none());
    time.map_or_else(
        || (custom::metric(0, unit, better, sink), value),
        |time| ("timeNs".to_owned(), time),
    )
}

/// Converts a time per operation to nanoseconds, like the tools' readers.
fn time(unit: &str, value: Value) -> Option<Value> {
    let unit = unit
        .strip_suffix("/iter")
        .or_else(|| unit.strip_suffix("/op"))
        .unwrap_or(unit);
    shifted(&value.to_string(), to_nanoseconds(unit)?)
}
