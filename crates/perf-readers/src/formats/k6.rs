//! k6's summaries, of all three kinds: what `handleSummary` is given, what `--summary-export` writes, and what it
//! writes with `--new-machine-readable-summary`.
//!
//! A metric of k6 is a scenario here, whose numbers are metrics by what they mean: a trend of times is a latency,
//! a counter a total and a rate. The middle kind does not say what a metric is, so its numbers tell.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("k6")
    .about(
        "k6 handleSummary data, --summary-export in both shapes: trends, counters, rates, checks, thresholds",
    )
    .looks_like(|head| json::likeness(head, b"{", KEYS))
    .document(read);

const KEYS: &[(&[&str], Likeness)] = &[
    (&["metrics", "root_group"], Likeness::Yes),
    (&["metrics", "results", "k6_version"], Likeness::Yes),
    (&["metrics", "results", "k6Version"], Likeness::Yes),
    (
        &["metrics", "iterations", "vus", "data_sent"],
        Likeness::Yes,
    ),
    (
        &["metrics", "iterations", "iteration_duration"],
        Likeness::Yes,
    ),
    (&["metrics", "http_reqs"], Likeness::Near(NEITHER)),
    (&["metrics", "http_req_duration"], Likeness::Near(NEITHER)),
    (&["metrics", "contains", "values"], Likeness::Near(NEITHER)),
    (&["metrics"], Likeness::No),
    (
        &["root_group"],
        Likeness::Near("has `root_group`, but no `metrics`"),
    ),
];

const NEITHER: &str = "has `metrics` as in k6, but neither `iterations` nor `root_group`";

/// The most groups nested around a check.
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
    duration: Option<Value>,
    /// In the order of the file, which differs between runs.
    rows: Vec<Row>,
}

impl Summary {
    fn piece(&mut self, piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
        if piece.pattern == DURATION {
            self.duration = piece.parse::<Loose>(sink).and_then(|duration| duration.0);
        } else if METRICS.contains(&piece.pattern) {
            if let Some(written) = piece.object(Shape::of("a metric", &[]), sink) {
                self.metric(piece, &written, sink);
            }
        } else if let Some(check) = piece.object(Shape::of("a check", &["name"]), sink) {
            let name = check.text_or_empty("name");
            // The groups around it, and the name.
            let path = check.text("path").unwrap_or(name).trim_start_matches("::");
            let metrics = [
                ("failures", check.number("fails")),
                ("passes", check.number("passes")),
            ];
            sink.measured(piece.line, &Cells::of(&format!("check {path}")), metrics);
        }
    }

    fn metric(&mut self, piece: &Piece<'_>, written: &Json<'_>, sink: &mut RowCollector<'_>) {
        let Some(name) = written
            .text("name")
            .or(piece.path.last().map(String::as_str))
        else {
            return;
        };
        // One kind has the numbers beside.
        let values = if written.has("values") {
            written.at("values")
        } else {
            written
        };
        let Some(kept) = Kept::of(written, values) else {
            return sink.skip(piece.line, piece.text(), || {
                format!("`{name}` has no known values")
            });
        };
        self.rows.push(Row {
            line: piece.line,
            name: name.into(),
            failed: written
                .at("thresholds")
                .entries()
                .iter()
                .any(|(_, threshold)| is_crossed(threshold)),
            metrics: kept.metrics(name, written.text("contains"), values, self.duration),
        });
    }

    fn give(mut self, sink: &mut RowCollector<'_>) {
        self.rows.sort_by(|a, b| a.name.cmp(&b.name));
        for Row {
            line,
            name,
            failed,
            metrics,
        } in self.rows
        {
            sink.measured(line, &Cells::of(&name).failed_if(failed), &metrics);
        }
    }
}

/// Declares the unit and the direction of metrics whose names do not tell.
pub(super) fn declare(sink: &mut RowCollector<'_>) {
    let meanings = [
        ("transferredBytes", Unit::Bytes, Direction::Unknown),
        ("eventsPerSecond", Unit::PerSecond, Direction::Unknown),
        ("droppedIterations", Unit::Count, Direction::Lower),
        (
            "droppedIterationsPerSecond",
            Unit::PerSecond,
            Direction::Lower,
        ),
        ("errorRate", Unit::None, Direction::Lower),
        ("successRate", Unit::None, Direction::Higher),
    ];
    for (metric, unit, direction) in meanings {
        sink.means(metric, unit, direction);
    }
}

/// True if a threshold has failed; in `--summary-export`, `true` is a failure.
fn is_crossed(threshold: &Json<'_>) -> bool {
    *threshold == Json::Flag(true) || *threshold.at("ok") == Json::Flag(false)
}

struct Row {
    line: u64,
    name: Box<str>,
    failed: bool,
    metrics: Metrics,
}

/// The type of a k6 metric, which decides the statistics that k6 keeps.
#[derive(Clone, Copy)]
pub(super) enum Kept {
    Trend,
    Counter,
    Rate,
    Gauge,
}

impl Kept {
    /// By the type of the metric, else by the names of its values.
    fn of(flat: &Json<'_>, values: &Json<'_>) -> Option<Self> {
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
        values: &Json<'_>,
        duration: Option<Value>,
    ) -> Metrics {
        // What a metric is narrowed down to stands behind its name.
        let base = name.split('{').next().unwrap_or_default();
        match self {
            Self::Trend => trend(base, contains, values),
            Self::Counter => counter(base, contains, values, duration),
            Self::Rate => rate(base, values),
            Self::Gauge => values.metrics(&[
                ("value", "value"),
                ("value.min", "min"),
                ("value.max", "max"),
            ]),
        }
    }
}

/// Times are always in milliseconds. The mean comes first, then the percentiles in ascending order.
fn trend(base: &str, contains: Option<&str>, values: &Json<'_>) -> Metrics {
    let is_time = contains.map_or_else(|| is_builtin_time(base), |contains| contains == "time");
    let (of, unit) = if is_time {
        ("latency", "Ms")
    } else {
        ("value", "")
    };
    let mut metrics = Metrics::default();
    let parts = [("", "avg"), (".min", "min"), (".max", "max")];
    metrics.add_parts(
        &format!("{of}{unit}"),
        parts.map(|(part, field)| (part, values.number(field))),
    );
    let percentile = |(field, value)| {
        let at: &str = if field == "med" {
            "50"
        } else {
            str::strip_prefix(field, "p(")?.strip_suffix(')')?
        };
        Some((at.parse().unwrap_or(f64::MAX), at, value))
    };
    let mut percentiles: Vec<(f64, &str, Value)> =
        values.numbers().filter_map(percentile).collect();
    percentiles.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
    metrics.extend(
        percentiles
            .into_iter()
            .map(|(_, at, value)| (format!("{of}P{at}{unit}"), Some(value))),
    );
    metrics
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
    values: &Json<'_>,
    duration: Option<Value>,
) -> Metrics {
    let (total, rate) = match base {
        "iterations" => ("iterations", "iterationsPerSecond"),
        "dropped_iterations" => ("droppedIterations", "droppedIterationsPerSecond"),
        "data_sent" | "data_received" => ("transferredBytes", "bytesPerSecond"),
        _ if base.ends_with("_reqs") => ("requests", "requestsPerSecond"),
        _ if contains == Some("data") => ("transferredBytes", "bytesPerSecond"),
        _ => ("total", "eventsPerSecond"),
    };
    let count = values.number("count");
    let divided = || Value::new(count?.as_f64() / duration?.as_f64());
    Metrics::from([
        (rate, values.number("rate").or_else(divided)),
        (total, count),
    ])
}

/// Of requests that failed, those that pass are the failures.
fn rate(base: &str, values: &Json<'_>) -> Metrics {
    let share = values.number("rate").or_else(|| values.number("value"));
    let (passes, fails) = (
        values.number("passes").or_else(|| values.number("matches")),
        values.number("fails"),
    );
    match base {
        "http_req_failed" => Metrics::from([("errorRate", share), ("errors", passes)]),
        "checks" => Metrics::from([("successRate", share), ("failures", fails)]),
        "checks_failed" => Metrics::from([("errorRate", share), ("failures", passes)]),
        "checks_succeeded" => Metrics::from([("successRate", share)]),
        _ => Metrics::from([("rate", share), ("matches", passes)]),
    }
}
