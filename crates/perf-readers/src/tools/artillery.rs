//! Artillery's `--output`: the totals of a test, of version 1 and of version 2, in milliseconds.
//!
//! A metric of version 2 is a scenario here, whose numbers are metrics by what they mean, as of k6.
//!
//! Source: the metrics of Artillery 2 (`ssms.js` of its core) and of version 1 (`stats2.js`).

use indexmap::IndexMap;
use serde::Deserialize;

use crate::format::{Format, Kind, Likeness, Samples};
use crate::input::source::Source;
use crate::json::{self, Fields, Loose, Piece};
use crate::rows::{Cells, RowCollector};
use crate::tools::common::tables::{Metrics, lead};
use perf_model::row::{Outcome, Value};

pub(crate) const FORMAT: Format = Format {
    name: "artillery",
    about: "Artillery --output: latency and its percentiles, counters, rates, errors",
    samples: Samples::Launches,
    looks_like,
    kind: Kind::Document(read),
};

fn looks_like(head: &[u8]) -> Likeness {
    let has = |keys: &[&str]| json::has_keys(head, b"{", keys);
    match has(&["aggregate"]) {
        true if has(&["counters", "histograms"]) || has(&["counters", "summaries"]) => Likeness::Yes,
        true if has(&["scenariosCreated", "latency", "codes"]) => Likeness::Yes,
        true if has(&["intermediate"]) => {
            Likeness::Near("has `aggregate`, but neither `counters` nor `latency`")
        }
        _ => Likeness::No,
    }
}

/// The totals of either version; those of every ten seconds are left out.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "the totals of a test")]
struct Totals<'a> {
    #[serde(borrow)]
    counters: Option<Fields<'a>>,
    #[serde(borrow)]
    rates: Option<Fields<'a>>,
    #[serde(borrow)]
    summaries: Option<IndexMap<String, Fields<'a>>>,
    /// The same as the summaries, which some versions do not have.
    #[serde(borrow)]
    histograms: Option<IndexMap<String, Fields<'a>>>,
    requests_completed: Loose,
    #[serde(borrow)]
    latency: Option<Fields<'a>>,
    #[serde(borrow)]
    rps: Option<Fields<'a>>,
    #[serde(borrow)]
    errors: Option<Fields<'a>>,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    json::pieces(source, sink, &[&["aggregate"]], |piece: &Piece<'_>, sink| {
        let Some(totals) = piece.parse::<Totals<'_>>(sink) else { return };
        match &totals.counters {
            Some(counters) if counters.numbers().next().is_some() => totals.rows(piece.line, counters, sink),
            _ => totals.row(piece.line, sink),
        }
    })
}

impl Totals<'_> {
    /// Of version 2. Names stand in any order.
    fn rows(&self, line: u64, counters: &Fields<'_>, sink: &mut RowCollector<'_>) {
        let mut rows: Vec<(String, Metrics)> = Vec::new();
        let summaries = self.summaries.as_ref().or(self.histograms.as_ref());
        for (name, values) in summaries.into_iter().flatten() {
            rows.push((name.clone(), trend(name, values.numbers())));
        }
        for (name, value) in counters.numbers() {
            rows.push((name.to_owned(), vec![(counted(name).to_owned(), Some(value))]));
        }
        for (name, value) in self.rates.iter().flat_map(Fields::numbers) {
            rows.push((name.to_owned(), vec![(rate(name).to_owned(), Some(value))]));
        }
        rows.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (name, metrics) in &rows {
            sink.measured_all(line, &Cells::of(name), metrics);
        }
    }

    /// Of version 1.
    fn row(&self, line: u64, sink: &mut RowCollector<'_>) {
        let answered = self.requests_completed.0 != Some(Value::Int(0));
        let mut metrics = Metrics::new();
        if answered {
            let rate = self.rps.as_ref().and_then(|rate| rate.number("mean"));
            metrics.push(("requestsPerSecond".to_owned(), rate));
            metrics.extend(self.latency.iter().flat_map(|latency| trend("latency", latency.numbers())));
        }
        let errors = self.errors.iter().flat_map(Fields::numbers).map(|(_, count)| count.as_f64());
        metrics.push(("errors".to_owned(), Value::new(errors.sum())));
        let outcome = if answered { Outcome::Measured } else { Outcome::Failed };
        sink.measured_all(line, &Cells { outcome, ..Cells::of("artillery") }, &metrics);
    }
}

/// The mean, its spread and percentiles. Of a metric of the test's own the unit is not known.
pub(crate) fn trend<'n>(name: &str, values: impl Iterator<Item = (&'n str, Value)>) -> Metrics {
    let is_time =
        ["latency", "response_time", "session_length", "duration"].iter().any(|word| name.contains(word));
    let (of, unit) = if is_time { ("latency", "Ms") } else { ("value", "") };
    let metric = |field: &str| match field {
        "mean" => Some(format!("{of}{unit}")),
        "min" => Some(format!("{of}{unit}.min")),
        "max" => Some(format!("{of}{unit}.max")),
        "median" => Some(format!("{of}P50{unit}")),
        "p999" => Some(format!("{of}P99.9{unit}")),
        "p50" => None,
        _ => {
            let percentile = field.strip_prefix('p').filter(|at| at.parse::<u8>().is_ok())?;
            Some(format!("{of}P{percentile}{unit}"))
        }
    };
    let mut metrics: Metrics =
        values.filter_map(|(field, value)| Some((metric(field)?, Some(value)))).collect();
    lead(&mut metrics, &["latencyMs", "value"]);
    metrics
}

/// What happens at a rate.
pub(crate) fn rate(name: &str) -> &'static str {
    if name.ends_with("request_rate") { "requestsPerSecond" } else { "eventsPerSecond" }
}

/// What a counter counts.
pub(crate) fn counted(name: &str) -> &'static str {
    match name {
        "vusers.failed" => "failures",
        _ if name.starts_with("errors.") || name.contains(".errors.") => "errors",
        _ if name.ends_with(".requests") => "requests",
        _ => "total",
    }
}
