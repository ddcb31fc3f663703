//! Lighthouse's report of a page as JSON, and the `manifest.json` of Lighthouse CI, which has the scores of every run.
//!
//! Source: the report (LHR) of Lighthouse 12, and the manifest of Lighthouse CI 0.14.

use std::borrow::Cow;

use serde::Deserialize;

use crate::format::{Format, Kind, Samples};
use crate::input::source::Source;
use crate::json::{self, Fields, Loose, Piece};
use crate::rows::{Cells, RowCollector};
use crate::tools::common::names::{address, camel_case, run_indices};
use crate::tools::common::tables::Metrics;
use perf_model::metric::{Declared, Direction, Meaning, Unit};
use perf_model::row::{Outcome, Value};

pub(crate) const FORMAT: Format = Format {
    name: "lighthouse",
    about: "Lighthouse --output=json, and Lighthouse CI's manifest.json: scores, times and bytes of a page",
    samples: Samples::Launches,
    looks_like: |head| {
        let is_report = json::has_keys(head, b"{", &["lighthouseVersion", "requestedUrl"]);
        (is_report || is_manifest(head)).into()
    },
    kind: Kind::Document(read),
};

fn is_manifest(head: &[u8]) -> bool {
    json::has_keys(head, b"[", &["url", "isRepresentativeRun", "summary"])
}

/// A number that an audit measured.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "an audit")]
struct Audit<'a> {
    numeric_value: Loose,
    #[serde(borrow)]
    numeric_unit: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(expecting = "a category")]
struct Category {
    #[serde(default)]
    score: Loose,
}

#[derive(Deserialize)]
#[serde(expecting = "a run")]
struct Run<'a> {
    #[serde(borrow)]
    url: Cow<'a, str>,
    #[serde(borrow)]
    summary: Fields<'a>,
}

/// A report of one page.
#[derive(Default)]
struct Report {
    line: u64,
    urls: [String; 3],
    scores: Metrics,
    audits: Metrics,
    failed: bool,
}

/// The addresses, the best first, and the other values of a report.
const PATTERNS: &[&[&str]] = &[
    &["requestedUrl"],
    &["finalDisplayedUrl"],
    &["finalUrl"],
    &["categories", "*"],
    &["audits", "*"],
    &["runtimeError", "code"],
];

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    if is_manifest(source.head()) {
        return manifest(source, sink);
    }
    json::documents(source, sink, PATTERNS, Report::piece, Report::give)
}

fn manifest(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    let take = |runs: &mut Vec<(u64, String, Metrics)>, piece: &Piece<'_>, sink: &mut RowCollector<'_>| {
        let Some(run) = piece.parse::<Run<'_>>(sink) else { return };
        let scores = run.summary.numbers().map(|(category, score)| (score_of(category), Some(score)));
        runs.push((piece.line, address(&run.url), scores.collect()));
    };
    json::documents(source, sink, &[&["*"]], take, |runs, sink| {
        let run_indices = run_indices(runs.iter().map(|(_, url, _)| url.as_str()));
        for ((line, url, scores), run_index) in runs.iter().zip(run_indices) {
            declare(scores, sink);
            let metrics = scores.iter().map(|(metric, score)| (metric.as_str(), *score));
            sink.measured(*line, &Cells { run_index, ..Cells::of(url) }, metrics);
        }
    })
}

impl Report {
    fn piece(&mut self, piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
        let name = piece.path.last().map(String::as_str).unwrap_or_default();
        match piece.pattern {
            at @ 0..=2 => {
                self.line = piece.line;
                self.urls[at] = piece.parse::<Option<String>>(sink).flatten().unwrap_or_default();
            }
            3 => {
                let score = piece.parse::<Category>(sink).and_then(|category| category.score.0);
                self.scores.push((score_of(name), score));
            }
            4 => {
                let audit = piece.parse::<Audit<'_>>(sink).unwrap_or_default();
                self.audits.extend(audit.metric(name));
            }
            _ => self.failed |= piece.text() != b"\"NO_ERROR\"",
        }
    }

    fn give(self, sink: &mut RowCollector<'_>) {
        let Some(url) = self.urls.iter().find(|url| !url.is_empty()) else { return };
        let outcome = if self.failed { Outcome::Failed } else { Outcome::Measured };
        declare(&self.scores, sink);
        declare(&self.audits, sink);
        let metrics = self.scores.iter().chain(&self.audits).filter(|_| !self.failed);
        let metrics = metrics.map(|(metric, value)| (metric.as_str(), *value));
        sink.measured(self.line, &Cells { outcome, ..Cells::of(&address(url)) }, metrics);
    }
}

impl Audit<'_> {
    /// `largestContentfulPaintMs`; what has no unit keeps its name.
    fn metric(&self, name: &str) -> Option<(String, Option<Value>)> {
        let value = self.numeric_value.0?;
        let unit = match self.numeric_unit.as_deref() {
            Some("millisecond") => "Ms",
            Some("byte") => "Bytes",
            _ => "",
        };
        Some((format!("{}{unit}", camel_case(name)), Some(value)))
    }
}

fn score_of(category: &str) -> String {
    format!("{}Score", camel_case(category))
}

/// Scores are better high; of what has no other unit, such as shifts of the layout, less is better.
fn declare(metrics: &Metrics, sink: &mut RowCollector<'_>) {
    for (metric, _) in metrics {
        let direction = if metric.ends_with("Score") { Direction::Higher } else { Direction::Lower };
        if Meaning::of_name(metric).direction != direction {
            let meaning = Meaning { unit: Unit::None, direction, exact: false };
            sink.declare(metric, Declared { label: None, meaning });
        }
    }
}
