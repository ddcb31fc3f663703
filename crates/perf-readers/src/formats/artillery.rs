//! Artillery's `--output`: the totals of a test, of version 1 and of version 2, in milliseconds.
//!
//! A metric of version 2 is a scenario here, whose numbers are metrics by what they mean, as of k6.
//!
//! Source: the metrics of Artillery 2 (`ssms.js` of its core) and of version 1 (`stats2.js`).

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("artillery")
    .about("Artillery --output: latency and its percentiles, counters, rates, errors")
    .looks_like(|head| json::likeness(head, b"{", KEYS))
    .document(|source, sink| json::pieces(source, sink, &[&["aggregate"]], rows));

const KEYS: &[(&[&str], Likeness)] = &[
    (&["aggregate", "counters", "histograms"], Likeness::Yes),
    (&["aggregate", "counters", "summaries"], Likeness::Yes),
    (
        &["aggregate", "scenariosCreated", "latency", "codes"],
        Likeness::Yes,
    ),
    (
        &["aggregate", "intermediate"],
        Likeness::Near("has `aggregate`, but neither `counters` nor `latency`"),
    ),
];

/// Reads the totals of either version; those of every ten seconds are left out.
fn rows(piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
    let Some(totals) = piece.object(Shape::of("the totals of a test", &[]), sink) else {
        return;
    };
    if totals.at("counters").numbers().next().is_none() {
        return first_version(&totals, piece.line, sink);
    }
    // Some versions have no summaries, which are the same as the histograms.
    let summaries = if totals.has("summaries") {
        "summaries"
    } else {
        "histograms"
    };
    let trends = totals.at(summaries).entries().iter();
    let trends = trends.map(|(name, values)| (&**name, trend(name, values.numbers())));
    let numbers = |of: &str, metric: fn(&str) -> &'static str| {
        totals
            .at(of)
            .numbers()
            .map(move |(name, value)| (name, Metrics::from([(metric(name), Some(value))])))
    };
    let all = trends
        .chain(numbers("counters", counted))
        .chain(numbers("rates", rate));
    give_by_name(all.collect(), piece.line, sink);
}

/// Gives the rows of version 2, whose names stand in any order.
pub(crate) fn give_by_name(mut rows: Vec<(&str, Metrics)>, line: u64, sink: &mut RowCollector<'_>) {
    rows.sort_by_key(|(name, _)| *name);
    for (name, metrics) in &rows {
        sink.measured(line, &Cells::of(name), metrics);
    }
}

fn first_version(totals: &Json<'_>, line: u64, sink: &mut RowCollector<'_>) {
    let answered = totals.number("requestsCompleted") != Some(Value::Int(0));
    let mut metrics = Metrics::default();
    if answered {
        metrics.add("requestsPerSecond", totals.number("rps/mean"));
        metrics.extend(trend("latency", totals.at("latency").numbers()));
    }
    let errors = totals
        .at("errors")
        .numbers()
        .map(|(_, count)| count.as_f64());
    metrics.add("errors", Value::new(errors.sum()));
    sink.measured(line, &Cells::of("artillery").failed_if(!answered), &metrics);
}

/// The mean, its spread and percentiles. Of a metric of the test's own the unit is not known.
pub(crate) fn trend<'n>(name: &str, values: impl Iterator<Item = (&'n str, Value)>) -> Metrics {
    let is_time = ["latency", "response_time", "session_length", "duration"]
        .iter()
        .any(|word| name.contains(word));
    let (of, unit) = if is_time {
        ("latency", "Ms")
    } else {
        ("value", "")
    };
    let metric = |field: &str| match field {
        "mean" => Some(format!("{of}{unit}")),
        "min" => Some(format!("{of}{unit}.min")),
        "max" => Some(format!("{of}{unit}.max")),
        "median" => Some(format!("{of}P50{unit}")),
        "p999" => Some(format!("{of}P99.9{unit}")),
        "p50" => None,
        _ => {
            let percentile = field
                .strip_prefix('p')
                .filter(|at| at.parse::<u8>().is_ok())?;
            Some(format!("{of}P{percentile}{unit}"))
        }
    };
    let mut metrics: Metrics = values
        .filter_map(|(field, value)| Some((metric(field)?, Some(value))))
        .collect();
    metrics.lead(&["latencyMs", "value"]);
    metrics
}

/// Returns the metric of a rate: requests or other events per second.
pub(crate) fn rate(name: &str) -> &'static str {
    if name.ends_with("request_rate") {
        "requestsPerSecond"
    } else {
        "eventsPerSecond"
    }
}

/// Returns the metric of a counter.
pub(crate) fn counted(name: &str) -> &'static str {
    match name {
        "vusers.failed" => "failures",
        _ if name.starts_with("errors.") || name.contains(".errors.") => "errors",
        _ if name.ends_with(".requests") => "requests",
        _ => "total",
    }
}
