//! Locust's `--csv`: the requests of a test in `*_stats.csv`, with times in milliseconds.
//!
//! Source: `StatsCSV` in `locust/stats.py` of Locust 2.

use crate::formats::common::csv_records::{self, Record, delimiter};
use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("locust")
    .about("Locust --csv, *_stats.csv: latency and its percentiles, requests per second, errors of every request")
    .looks_like(|head| is_stats(head).into())
    .document(read);

/// Column names. The second name in a list is from versions before 1.
const REQUESTS: [&str; 2] = ["Request Count", "# requests"];
const FAILURES: [&str; 2] = ["Failure Count", "# failures"];
const MEAN: [&str; 1] = ["Average Response Time"];
const KIND: [&str; 2] = ["Type", "Method"];

fn is_stats(head: &str) -> bool {
    let columns = |version: usize| ["Name", REQUESTS[version], FAILURES[version], MEAN[0]];
    (0..2).any(|version| delimiter(head, &columns(version)).is_some())
}

fn read(input: &Input<'_>, sink: &mut Rows<'_>) {
    // The endpoints must add up to the total. This checks files from distributed runs, in which the workers' numbers
    // are added.
    let mut sum = 0_u64;
    csv_records::records(input, sink, &["Name"], |record, sink| {
        let requests = match record.number(&REQUESTS) {
            Some(Value::Int(requests)) => u64::try_from(requests).unwrap_or_default(),
            _ => 0,
        };
        let name = record.text(&["Name"]);
        if ["Aggregated", "Total"].contains(&&*name) {
            let listed = std::mem::take(&mut sum);
            if listed != 0 {
                sink.expect_results(record.line, "requests", requests, listed);
            }
        } else {
            sum += requests;
        }
        row(record, sink);
    });
}

fn row(record: &Record<'_>, sink: &mut Rows<'_>) {
    let (kind, name) = (record.text(&KIND), record.text(&["Name"]));
    let kind = if kind == "None" || name == "Aggregated" || name == "Total" {
        ""
    } else {
        &*kind
    };
    let name = format!("{kind} {name}");
    let (requests, failures) = (record.number(&REQUESTS), record.number(&FAILURES));
    let outcome = match requests {
        Some(Value::Int(0)) => Outcome::Skipped,
        _ if requests.is_some() && requests == failures => Outcome::Failed,
        _ => Outcome::Measured,
    };
    let metrics = if outcome == Outcome::Skipped {
        Metrics::default()
    } else {
        metrics(record)
    };
    sink.measured(
        record.line,
        &Cells {
            outcome,
            ..Cells::of(name.trim())
        },
        &metrics,
    );
}

fn metrics(record: &Record<'_>) -> Metrics {
    let mut metrics = Metrics::from([
        ("requestsPerSecond", record.number(&["Requests/s"])),
        ("latencyMs", record.number(&MEAN)),
        ("latencyMs.min", record.number(&["Min Response Time"])),
        ("latencyMs.max", record.number(&["Max Response Time"])),
        ("latencyP50Ms", record.number(&["Median Response Time"])),
    ]);
    let percentile = |(column, value): (&str, Cow<'_, str>)| {
        let percentile: f64 = column.strip_suffix('%')?.parse().ok()?;
        // Median and maximum have separate columns.
        (percentile > 50.0 && percentile < 100.0).then(|| {
            (
                format!("latencyP{percentile}Ms"),
                Value::parse(value.trim()),
            )
        })
    };
    metrics.extend(record.iter().filter_map(percentile));
    metrics.add("contentBytes", record.number(&["Average Content Size"]));
    metrics.add("errors", record.number(&FAILURES));
    metrics
}
