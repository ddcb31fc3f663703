//! Bencher Metric Format: `{benchmark: {measure: {value, lower_value, upper_value}}}`.
//!
//! Measures have no units but those of their names; the few that the format's own service has are known.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde::Deserialize;

use crate::catalogue::Declared;
use crate::metric::{Direction, Meaning, Unit};
use crate::read::json::{self, Number, Piece};
use crate::read::sink::{Cells, Sink};
use crate::read::source::Source;
use crate::read::{Format, Kind, Likeness};
use crate::row::Value;

pub(in crate::read) const FORMAT: Format = Format {
    name: "bmf",
    about: "Bencher Metric Format: measures of every benchmark with their intervals",
    looks_like,
    kind: Kind::Document(read),
};

const BEGINNING: &[&str] = &["{", "*", ":", "{", "*", ":", "{", "value|lower_value|upper_value", ":", "0"];

/// Measures of the service, and of the tools that it reads.
const KNOWN: &[&str] = &[
    "latency",
    "throughput",
    "build-time",
    "file-size",
    "binary-size",
    "instructions",
    "estimated-cycles",
    "l1-hits",
    "l1-accesses",
    "l2-hits",
    "l2-accesses",
    "l3-accesses",
    "ll-hits",
    "ram-hits",
    "ram-accesses",
    "total-read-write",
    "total-accesses",
    "peak-memory",
    "allocations",
];

/// Other objects in objects have values, too: what tells a metric is its measure, or an end of its interval.
fn looks_like(head: &[u8]) -> Likeness {
    if !json::begins(head, BEGINNING) {
        return Likeness::No;
    }
    let has_end = || ["lower_value", "upper_value"].iter().any(|end| json::has_keys(head, b"{", &[end]));
    if has_end() || memchr::memchr_iter(b'{', head).any(|at| is_known(head, at)) {
        return Likeness::Yes;
    }
    Likeness::Near(
        "looks like the Bencher Metric Format, but no measure is known; name it with `--format bmf`",
    )
}

/// Whether the object that opens at this place is a known measure.
fn is_known(head: &[u8], at: usize) -> bool {
    let key = || {
        let key = head[..at].trim_ascii_end().strip_suffix(b":")?.trim_ascii_end().strip_suffix(b"\"")?;
        std::str::from_utf8(&key[memchr::memrchr(b'"', key)? + 1..]).ok()
    };
    json::begins(&head[at..], &BEGINNING[6..]) && key().is_some_and(|key| KNOWN.contains(&&*canonical(key)))
}

/// A measure's name as the service has it in addresses.
fn canonical(measure: &str) -> String {
    measure.to_lowercase().replace([' ', '_'], "-")
}

#[derive(Deserialize)]
#[serde(expecting = "a measure")]
struct Measure {
    value: Number,
    #[serde(default)]
    lower_value: Number,
    #[serde(default)]
    upper_value: Number,
}

fn read(source: &mut Source<'_>, sink: &mut Sink<'_>) -> std::io::Result<()> {
    json::pieces(source, sink, &[&["*"]], |piece: &Piece<'_>, sink| {
        let Some(measures) = piece.parse::<IndexMap<Cow<'_, str>, Measure>>(sink) else { return };
        let Some(name) = piece.path.last() else { return };
        let mut metrics: Vec<(String, Option<Value>)> = Vec::new();
        for (measure, Measure { value, lower_value, upper_value }) in &measures {
            declare(measure, sink);
            metrics.push((measure.to_string(), value.0));
            metrics.push((format!("{measure}.lower"), lower_value.0));
            metrics.push((format!("{measure}.upper"), upper_value.0));
        }
        sink.measured(
            piece.line,
            &Cells::of(name),
            metrics.iter().map(|(metric, value)| (metric.as_str(), *value)),
        );
    })
}

fn declare(measure: &str, sink: &mut Sink<'_>) {
    let (unit, direction) = match canonical(measure).as_str() {
        "latency" => (Unit::Ns, Direction::Lower),
        "throughput" => (Unit::PerSecond, Direction::Higher),
        "build-time" => (Unit::S, Direction::Lower),
        "file-size" => (Unit::Bytes, Direction::Lower),
        _ => return,
    };
    sink.declare(measure, Declared { label: None, meaning: Meaning { unit, direction, exact: false } });
}
