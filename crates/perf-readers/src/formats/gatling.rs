//! Gatling's `js/stats.json` with the times of all requests together, of groups, and of single requests, in
//! milliseconds.
//!
//! The file does not say which percentiles it contains, so they are assumed to be Gatling's defaults.
//!
//! Source: the templates of Gatling 3.9's charts for `stats.json` and `global_stats.json`.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("gatling")
    .about("Gatling's js/stats.json and global_stats.json: latency and its percentiles, requests per second, errors")
    .contains(&["\"numberOfRequests\""])
    .looks_like(|head| {
        json::has_keys(head, "{", &["numberOfRequests", "meanResponseTime", "percentiles1"]).into()
    })
    .document(read);

/// The maximum depth of groups.
const DEEPEST: usize = 12;

/// Returns the paths of the statistics of all requests, of groups and of single requests, and the paths of their names.
fn patterns() -> Vec<Vec<&'static str>> {
    let mut patterns = Vec::new();
    let mut group = Vec::new();
    for _ in 0..DEEPEST {
        for key in ["path", "name", "stats"] {
            patterns.push([&group[..], &[key]].concat());
        }
        group.extend(["contents", "*"]);
    }
    patterns
}

const METRICS: [(&str, &str); 9] = [
    ("requestsPerSecond", "meanNumberOfRequestsPerSecond/total"),
    ("latencyMs", "meanResponseTime/total"),
    ("latencyMs.stddev", "standardDeviation/total"),
    ("latencyMs.min", "minResponseTime/total"),
    ("latencyMs.max", "maxResponseTime/total"),
    ("latencyP50Ms", "percentiles1/total"),
    ("latencyP75Ms", "percentiles2/total"),
    ("latencyP95Ms", "percentiles3/total"),
    ("latencyP99Ms", "percentiles4/total"),
];

/// The current entry's path and name.
#[derive(Default)]
struct Names {
    path: String,
    name: String,
}

fn read(input: &Input<'_>, sink: &mut Rows<'_>) {
    if !json::has_keys(input.head(), "{", &["stats"]) {
        return json::pieces(input, sink, &[&[]], |piece: &Piece<'_>, sink| {
            row(piece, "All Requests", sink);
        });
    }
    let patterns = patterns();
    let patterns: Vec<&[&str]> = patterns.iter().map(Vec::as_slice).collect();
    let take = |names: &mut Names, piece: &Piece<'_>, sink: &mut Rows<'_>| match piece.pattern % 3 {
        0 => names.path = piece.text_or_empty(sink),
        1 => {
            *names = Names {
                path: String::new(),
                name: piece.text_or_empty(sink),
            }
        }
        // A group's name does not include the groups around it.
        _ => row(
            piece,
            if names.path.is_empty() {
                &names.name
            } else {
                &names.path
            },
            sink,
        ),
    };
    json::documents(input, sink, &patterns, take, |_, _| ());
}

fn row(piece: &Piece<'_>, name: &str, sink: &mut Rows<'_>) {
    let Some(stats) = piece.object(Shape::of("statistics", &[]), sink) else {
        return;
    };
    // Gatling writes `-` for a kind of request that did not occur.
    let (requests, errors) = (
        stats.number("numberOfRequests/total"),
        stats.number("numberOfRequests/ko"),
    );
    let cells = Cells::of(name);
    if requests == Some(Value::Int(0)) {
        return sink.without_metrics(piece.line, &cells, Outcome::Skipped);
    }
    let mut metrics = stats.metrics(&METRICS);
    metrics.add("errors", errors);
    sink.measured(
        piece.line,
        &cells.failed_if(requests.is_some() && requests == errors),
        &metrics,
    );
}
