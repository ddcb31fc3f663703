//! All three kinds of k6 summaries: the data for `handleSummary`, and the files from `--summary-export` and
//! `--new-machine-readable-summary`.
//!
//! Each k6 metric becomes a scenario, and its numbers become metrics according to its type: a trend of times is a
//! latency, and a counter has a total and a rate. Files from `--summary-export` do not contain the types, which are
//! then inferred from the numbers.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("k6")
    .about(
        "k6 handleSummary data, --summary-export in both shapes: trends, counters, rates, checks, thresholds",
    )
    .keys("{", KEYS)
    .document(read);

const KEYS: KeySets = &[
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

fn read(input: &Input<'_>, sink: &mut Rows<'_>) {
    declare(sink);
    json::pieces(input, sink, &[&[]], |piece, sink| {
        if let Some(summary) = piece.parse::<Json<'_>>(sink) {
            give(piece.line, &summary, sink);
        }
    });
}

fn give(line: u64, summary: &Json<'_>, sink: &mut Rows<'_>) {
    // The duration in seconds. It is only in the kind of summary that contains no rates.
    let duration = summary.number("config/duration");
    checks(line, summary.at("root_group"), sink);
    for (_, check) in items(summary.at("results/checks/results")) {
        give_check(line, check, sink);
    }
    // The rows are sorted, because the order in the file differs between runs.
    let mut rows: Vec<(&str, bool, Metrics)> = Vec::new();
    for path in ["metrics", "results/metrics", "results/checks/metrics"] {
        for (key, written) in items(summary.at(path)) {
            let name = written.text("name").unwrap_or(key);
            // In one kind of summary, the metric itself contains the numbers.
            let values = if written.has("values") {
                written.at("values")
            } else {
                written
            };
            let Some(kept) = Kept::of(written, values) else {
                sink.skip(line, name, || format!("`{name}` has no known values"));
                continue;
            };
            let thresholds = written.at("thresholds").entries();
            let has_failed = thresholds
                .iter()
                .any(|(_, threshold)| is_crossed(threshold));
            let metrics = kept.metrics(name, written.text("contains"), values, duration);
            rows.push((name, has_failed, metrics));
        }
    }
    rows.sort_by_key(|(a, ..)| *a);
    for (name, has_failed, metrics) in rows {
        sink.measured(line, &Cells::of(name).failed_if(has_failed), &metrics);
    }
}

/// Returns an object's values with their keys, or a list's values with empty keys.
fn items<'j>(json: &'j Json<'j>) -> Vec<(&'j str, &'j Json<'j>)> {
    let entries = json.entries().iter().map(|(key, value)| (&**key, value));
    entries
        .chain(json.list("").iter().map(|value| ("", value)))
        .collect()
}

/// Emits the checks in a group and its subgroups.
fn checks(line: u64, group: &Json<'_>, sink: &mut Rows<'_>) {
    for (key, value) in group.entries() {
        for (_, item) in items(value) {
            match &**key {
                "checks" => give_check(line, item, sink),
                "groups" => checks(line, item, sink),
                _ => {}
            }
        }
    }
}

fn give_check(line: u64, check: &Json<'_>, sink: &mut Rows<'_>) {
    let name = check.text_or_empty("name");
    // The path consists of the groups and the name.
    let path = check.text("path").unwrap_or(name).trim_start_matches("::");
    let metrics = [
        ("failures", check.number("fails")),
        ("passes", check.number("passes")),
    ];
    sink.measured(line, &Cells::of(&format!("check {path}")), metrics);
}

/// Declares the unit and the direction of metrics whose names do not imply them.
fn declare(sink: &mut Rows<'_>) {
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

/// Whether a threshold was crossed. In `--summary-export`, `true` means that it was.
fn is_crossed(threshold: &Json<'_>) -> bool {
    *threshold == Json::Flag(true) || *threshold.at("ok") == Json::Flag(false)
}

/// A k6 metric's type, which determines its statistics.
#[derive(Clone, Copy)]
enum Kept {
    Trend,
    Counter,
    Rate,
    Gauge,
}

impl Kept {
    /// Returns a metric's type. If the summary does not contain the type, the fields with the metric's values show it.
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

    fn metrics(
        self,
        name: &str,
        contains: Option<&str>,
        values: &Json<'_>,
        duration: Option<Value>,
    ) -> Metrics {
        // A condition in braces may follow a metric's name.
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

/// Returns a trend's metrics: the mean and the extremes, then the percentiles in ascending order. Times are always in
/// milliseconds.
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

/// Returns a rate's metrics. For `http_req_failed`, the passes are failed requests.
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
