//! The history of github-action-benchmark: `data.js`, or the same as JSON (`external-data-json-path`).
//!
//! `{entries: {suite: [{commit: {id}, date, tool, benches: [{name, value, unit}]}]}}`. The tool decides which metric a unit
//! is, so that rows have the names that the tool's own reader gives them.

use std::borrow::Cow;
use std::io::Read;

use serde::Deserialize;

use super::{Measurement, Measurements};
use crate::format::{Format, Kind, Likeness, Samples};
use crate::input::source::Source;
use crate::json::{self, Number, Piece};
use crate::rows::RowCollector;
use crate::tools::common::units;
use crate::tools::custom;
use perf_model::metric::Direction;
use perf_model::row::Value;

pub(super) const FORMAT: Format = Format {
    name: "github-action-benchmark",
    about: "history of github-action-benchmark: data.js, or its JSON; only as a history",
    samples: Samples::Launches,
    looks_like,
    kind: Kind::Document(read),
};

/// What `data.js` assigns its JSON to.
const VARIABLE: &[u8] = b"window.BENCHMARK_DATA";

fn looks_like(head: &[u8]) -> Likeness {
    let is_script = head.trim_ascii_start().starts_with(VARIABLE);
    (is_script || json::has_keys(head, b"{", &["entries", "commit", "benches"])).into()
}

#[derive(Deserialize)]
#[serde(expecting = "an entry")]
struct Entry<'a> {
    #[serde(borrow)]
    commit: Commit<'a>,
    /// In milliseconds since 1970.
    date: i64,
    #[serde(default, borrow)]
    tool: Cow<'a, str>,
    #[serde(borrow)]
    benches: Vec<Bench<'a>>,
}

#[derive(Deserialize)]
struct Commit<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Bench<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(default)]
    value: Number,
    #[serde(default, borrow)]
    unit: Cow<'a, str>,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    pass_variable(source)?;
    json::documents(source, sink, &[&["entries", "*", "*"]], take, Measurements::give)
}

/// Passes what stands before the JSON of a script.
fn pass_variable(source: &mut Source<'_>) -> std::io::Result<()> {
    let head = source.head();
    let script = head.trim_ascii_start().starts_with(VARIABLE);
    let Some(equals) = head.iter().position(|byte| *byte == b'=').filter(|_| script) else { return Ok(()) };
    source.read_exact(&mut vec![0; equals + 1])
}

fn take(report: &mut Measurements, piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
    let Some(entry) = piece.parse::<Entry<'_>>(sink) else { return };
    let place = piece.path.get(1).cloned().unwrap_or_default();
    for bench in &entry.benches {
        let Some(value) = bench.value.0 else { continue };
        let (metric, value) = metric(&entry.tool, &bench.unit, value, sink);
        let measurement = Measurement {
            place: place.clone(),
            scenario: bench.name.clone().into_owned(),
            commit: entry.commit.id.clone().into_owned(),
            measured_at: Some(entry.date.div_euclid(1000)),
            iteration: 0,
        };
        report.add(piece.line, measurement, metric, value);
    }
}

/// The metric of a tool's unit, and the value in it.
fn metric(tool: &str, unit: &str, value: Value, sink: &mut RowCollector<'_>) -> (String, Value) {
    // `go test` prints further numbers behind the first unit.
    let unit = unit.split('\t').next().unwrap_or_default().trim();
    let better = match tool {
        "customSmallerIsBetter" => Some(Direction::Lower),
        "customBiggerIsBetter" => Some(Direction::Higher),
        "pytest" if unit == "iter/sec" => return ("meanOpsPerSecond".to_owned(), value),
        _ => None,
    };
    let time = nanoseconds(unit, value).filter(|_| better.is_none());
    time.map_or_else(|| (custom::metric(unit, better, sink), value), |time| ("timeNs".to_owned(), time))
}

/// A time of an operation, as the readers of tools convert it.
fn nanoseconds(unit: &str, value: Value) -> Option<Value> {
    let unit = unit.strip_suffix("/iter").or_else(|| unit.strip_suffix("/op")).unwrap_or(unit);
    units::shifted(&value.to_string(), units::to_nanoseconds(unit)?)
}
