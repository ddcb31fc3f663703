//! k6's summaries, of all three kinds: what `handleSummary` is given, what `--summary-export` writes, and what it
//! writes with `--new-machine-readable-summary`.
//!
//! A metric of k6 is a scenario here, whose numbers are metrics by what they mean: a trend of times is a latency,
//! a counter a total and a rate. The middle kind does not say what a metric is, so its numbers tell.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use indexmap::IndexMap;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use crate::format::{Format, Kind, Likeness, Samples};
use crate::input::source::Source;
use crate::json::{self, Fields, Loose, Piece, Scalar};
use crate::rows::{Cells, RowCollector};
use perf_model::metric::{Declared, Direction, Meaning, Unit};
use perf_model::row::{Interner, Outcome, Value};

pub(crate) const FORMAT: Format = Format {
    name: "k6",
    about: "k6 handleSummary data, --summary-export in both shapes: trends, counters, rates, checks, thresholds",
    samples: Samples::Launches,
    looks_like,
    kind: Kind::Document(read),
};

fn looks_like(head: &[u8]) -> Likeness {
    let has = |keys: &[&str]| json::has_keys(head, b"{", keys);
    match has(&["metrics"]) {
        true if has(&["root_group"]) || has(&["results", "k6_version"]) || has(&["results", "k6Version"]) => {
            Likeness::Yes
        }
        true if has(&["iterations", "vus", "data_sent"]) || has(&["iterations", "iteration_duration"]) => {
            Likeness::Yes
        }
        true if has(&["http_reqs"]) || has(&["http_req_duration"]) || has(&["contains", "values"]) => {
            Likeness::Near("has `metrics` as in k6, but neither `iterations` nor `root_group`")
        }
        false if has(&["root_group"]) => Likeness::Near("has `root_group`, but no `metrics`"),
        _ => Likeness::No,
    }
}

/// How many groups may be around a check.
const DEEPEST: usize = 8;

const DURATION: usize = 0;
const METRICS: std::ops::RangeInclusive<usize> = 1..=3;

/// The ways to the test's length, to metrics, and to checks, which stand in groups in groups.
fn patterns() -> Vec<Vec<&'static str>> {
    let mut patterns = vec![
        vec!["config", "duration"],
        vec!["metrics", "*"],
        vec!["results", "metrics", "*"],
        vec!["results", "checks", "metrics", "*"],
        vec!["results", "checks", "results", "*"],
    ];
    let mut group = vec!["root_group"];
    for _ in 0..DEEPEST {
        patterns.push([&group[..], &["checks", "*"]].concat());
        group.extend(["groups", "*"]);
    }
    patterns
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    let patterns = patterns();
    let patterns: Vec<&[&str]> = patterns.iter().map(Vec::as_slice).collect();
    declare(sink);
    json::documents(source, sink, &patterns, Summary::piece, Summary::give)
}

/// The summary of one test.
#[derive(Default)]
struct Summary {
    /// In seconds; only the kind that has it does not divide by it.
    duration: Loose,
    /// In the order of the file, which differs between runs.
    found: Vec<Found>,
    metrics: Metrics,
}

impl Summary {
    fn piece(&mut self, piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
        if piece.pattern == DURATION {
            self.duration = piece.parse(sink).unwrap_or_default();
        } else if METRICS.contains(&piece.pattern) {
            if let Some(written) = piece.parse::<Written<'_>>(sink) {
                self.metric(piece, &written, sink);
            }
        } else if let Some(check) = piece.parse::<Check<'_>>(sink) {
            check.row(piece.line, sink);
        }
    }

    fn metric(&mut self, piece: &Piece<'_>, written: &Written<'_>, sink: &mut RowCollector<'_>) {
        let Written { flat, values, has_failed } = written;
        let Some(name) = flat.text("name").or(piece.path.last().map(String::as_str)) else { return };
        let values = values.as_ref().unwrap_or(flat);
        let Some(kept) = Kept::of(flat, values) else {
            return sink.skip(piece.line, piece.text(), || format!("`{name}` has no known values"));
        };
        self.found.push(Found {
            line: piece.line,
            name: name.into(),
            outcome: if *has_failed { Outcome::Failed } else { Outcome::Measured },
            metrics: kept.metrics(name, flat.text("contains"), values, self.duration, &mut self.metrics),
        });
    }

    fn give(mut self, sink: &mut RowCollector<'_>) {
        self.found.sort_by(|a, b| a.name.cmp(&b.name));
        for Found { line, name, outcome, metrics } in self.found {
            let cells = Cells { outcome, ..Cells::of(&name) };
            sink.measured(line, &cells, self.metrics.of(metrics));
        }
    }
}

/// What the names of metrics do not tell.
pub(super) fn declare(sink: &mut RowCollector<'_>) {
    let meanings = [
        ("transferredBytes", Unit::Bytes, Direction::Unknown),
        ("eventsPerSecond", Unit::PerSecond, Direction::Unknown),
        ("droppedIterations", Unit::Count, Direction::Lower),
        ("droppedIterationsPerSecond", Unit::PerSecond, Direction::Lower),
        ("errorRate", Unit::None, Direction::Lower),
        ("successRate", Unit::None, Direction::Higher),
    ];
    for (metric, unit, direction) in meanings {
        sink.declare(metric, Declared { label: None, meaning: Meaning { unit, direction, exact: false } });
    }
}

/// A metric.
#[derive(Default)]
struct Written<'a> {
    flat: Fields<'a>,
    /// Its numbers, but in the kind that has them beside.
    values: Option<Fields<'a>>,
    /// Whether a threshold was crossed.
    has_failed: bool,
}

impl<'de: 'a, 'a> Deserialize<'de> for Written<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SeenMetric)
    }
}

struct SeenMetric;

impl<'de> Visitor<'de> for SeenMetric {
    type Value = Written<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a metric")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut metric = Written::default();
        while let Some(Scalar::Text(name)) = entries.next_key()? {
            match &*name {
                "values" => metric.values = entries.next_value()?,
                "thresholds" => {
                    let thresholds: IndexMap<Cow<'_, str>, Threshold> = entries.next_value()?;
                    metric.has_failed = thresholds.into_values().any(Threshold::has_failed);
                }
                _ => metric.flat.push(name, entries.next_value()?),
            }
        }
        Ok(metric)
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Threshold {
    Judged {
        ok: bool,
    },
    /// In `--summary-export`, where `true` is a failure.
    Crossed(bool),
}

impl Threshold {
    fn has_failed(self) -> bool {
        match self {
            Self::Judged { ok } => !ok,
            Self::Crossed(crossed) => crossed,
        }
    }
}

/// The row of a metric.
struct Found {
    line: u64,
    name: Box<str>,
    outcome: Outcome,
    /// Their places in [`Metrics`].
    metrics: Range<usize>,
}

/// The numbers of all rows of a summary, with their names, which thousands of rows share.
#[derive(Default)]
pub(super) struct Metrics {
    names: Interner,
    all: Vec<(u32, Option<Value>)>,
    /// The name that is put together; reused, to avoid allocating.
    name: String,
}

impl Metrics {
    /// Adds a number, whose name has these parts.
    fn add(&mut self, name: [&str; 4], value: Option<Value>) {
        self.name.clear();
        self.name.extend(name);
        self.all.push((self.names.place(&self.name), value));
    }

    /// Those at these places.
    pub(super) fn of(&self, places: Range<usize>) -> impl Iterator<Item = (&str, Option<Value>)> {
        self.all[places].iter().map(|(name, value)| (&**self.names.at(*name), *value))
    }
}

/// What k6 keeps of a metric.
#[derive(Clone, Copy)]
pub(super) enum Kept {
    Trend,
    Counter,
    Rate,
    Gauge,
}

impl Kept {
    /// By the type of the metric, else by the names of its values.
    fn of(flat: &Fields<'_>, values: &Fields<'_>) -> Option<Self> {
        let has = |field: &str| values.number(field).is_some();
        match flat.text("type") {
            Some("trend") => Some(Self::Trend),
            Some("counter") => Some(Self::Counter),
            Some("rate") => Some(Self::Rate),
            Some("gauge") => Some(Self::Gauge),
            _ if values
                .numbers()
                .any(|(field, _)| ["avg", "med"].contains(&field) || field.starts_with("p(")) =>
            {
                Some(Self::Trend)
            }
            _ if has("count") => Some(Self::Counter),
            _ if has("passes") || has("matches") => Some(Self::Rate),
            _ => has("value").then_some(Self::Gauge),
        }
    }

    pub(super) fn metrics(
        self,
        name: &str,
        contains: Option<&str>,
        values: &Fields<'_>,
        duration: Loose,
        metrics: &mut Metrics,
    ) -> Range<usize> {
        let start = metrics.all.len();
        // What a metric is narrowed down to stands behind its name.
        let base = name.split('{').next().unwrap_or_default();
        let named = match self {
            Self::Trend => {
                trend(base, contains, values, metrics);
                Vec::new()
            }
            Self::Counter => counter(base, contains, values, duration),
            Self::Rate => rate(base, values),
            Self::Gauge => vec![
                ("value", values.number("value")),
                ("value.min", values.number("min")),
                ("value.max", values.number("max")),
            ],
        };
        for (name, value) in named {
            metrics.add([name, "", "", ""], value);
        }
        start..metrics.all.len()
    }
}

/// Times are always in milliseconds. The mean comes first, then the percentiles in ascending order.
fn trend(base: &str, contains: Option<&str>, values: &Fields<'_>, metrics: &mut Metrics) {
    let is_time = contains.map_or_else(|| is_builtin_time(base), |contains| contains == "time");
    let (of, unit) = if is_time { ("latency", "Ms") } else { ("value", "") };
    for (part, field) in [("", "avg"), (".min", "min"), (".max", "max")] {
        metrics.add([of, unit, part, ""], values.number(field));
    }
    let mut percentiles: Vec<(f64, &str, Value)> = values
        .numbers()
        .filter_map(|(field, value)| {
            let percentile = match field {
                "med" => "50",
                _ => field.strip_prefix("p(")?.strip_suffix(')')?,
            };
            Some((of_hundred(percentile), percentile, value))
        })
        .collect();
    percentiles.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
    for (_, percentile, value) in percentiles {
        metrics.add([of, "P", percentile, unit], Some(value));
    }
}

fn of_hundred(percentile: &str) -> f64 {
    percentile.parse().unwrap_or(f64::MAX)
}

fn is_builtin_time(base: &str) -> bool {
    base.ends_with("_duration")
        || base.starts_with("http_req_")
        || ["ws_connecting", "ws_ping"].contains(&base)
        || (base.starts_with("browser_web_vital_") && base != "browser_web_vital_cls")
}

fn counter(
    base: &str,
    contains: Option<&str>,
    values: &Fields<'_>,
    duration: Loose,
) -> Vec<(&'static str, Option<Value>)> {
    let (total, rate) = match base {
        "iterations" => ("iterations", "iterationsPerSecond"),
        "dropped_iterations" => ("droppedIterations", "droppedIterationsPerSecond"),
        "data_sent" | "data_received" => ("transferredBytes", "bytesPerSecond"),
        _ if base.ends_with("_reqs") => ("requests", "requestsPerSecond"),
        _ if contains == Some("data") => ("transferredBytes", "bytesPerSecond"),
        _ => ("total", "eventsPerSecond"),
    };
    let count = values.number("count");
    let divided = || Value::new(count?.as_f64() / duration.0?.as_f64());
    vec![(rate, values.number("rate").or_else(divided)), (total, count)]
}

/// Of requests that failed, those that pass are the failures.
fn rate(base: &str, values: &Fields<'_>) -> Vec<(&'static str, Option<Value>)> {
    let share = values.number("rate").or_else(|| values.number("value"));
    let (passes, fails) =
        (values.number("passes").or_else(|| values.number("matches")), values.number("fails"));
    match base {
        "http_req_failed" => vec![("errorRate", share), ("errors", passes)],
        "checks" => vec![("successRate", share), ("failures", fails)],
        "checks_failed" => vec![("errorRate", share), ("failures", passes)],
        "checks_succeeded" => vec![("successRate", share)],
        _ => vec![("rate", share), ("matches", passes)],
    }
}

#[derive(Deserialize)]
#[serde(expecting = "a check")]
struct Check<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    /// The groups around it, and the name.
    #[serde(default, borrow)]
    path: Option<Cow<'a, str>>,
    #[serde(default)]
    passes: Loose,
    #[serde(default)]
    fails: Loose,
}

impl Check<'_> {
    fn row(&self, line: u64, sink: &mut RowCollector<'_>) {
        let path = self.path.as_deref().unwrap_or(&self.name).trim_start_matches("::");
        let metrics = [("failures", self.fails.0), ("passes", self.passes.0)];
        sink.measured(line, &Cells::of(&format!("check {path}")), metrics);
    }
}
