//! Lighthouse's report of a page as JSON, and the `manifest.json` of Lighthouse CI, which has the scores of every run.
//!
//! Source: the report (LHR) of Lighthouse 12, and the manifest of Lighthouse CI 0.14.

use crate::formats::common::names::{camel_case, run_indices};
use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("lighthouse")
    .about("Lighthouse --output=json, and Lighthouse CI's manifest.json: scores, times and bytes of a page")
    .looks_like(|head| {
        let is_report = json::has_keys(head, b"{", &["lighthouseVersion", "requestedUrl"]);
        (is_report || is_manifest(head)).into()
    })
    .document(read);

fn is_manifest(head: &[u8]) -> bool {
    json::has_keys(head, b"[", &["url", "isRepresentativeRun", "summary"])
}

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
    let take =
        |runs: &mut Vec<(u64, String, Metrics)>, piece: &Piece<'_>, sink: &mut RowCollector<'_>| {
            let Some(run) = piece.object(Shape::of("a run", &["url", "summary"]), sink) else {
                return;
            };
            let scores = run
                .at("summary")
                .numbers()
                .map(|(category, score)| (score_of(category), Some(score)));
            runs.push((
                piece.line,
                address(run.text_or_empty("url")),
                scores.collect(),
            ));
        };
    json::documents(source, sink, &[&["*"]], take, |runs, sink| {
        let run_indices = run_indices(runs.iter().map(|(_, url, _)| url.as_str()));
        for ((line, url, scores), run_index) in runs.iter().zip(run_indices) {
            declare(scores, sink);
            sink.measured(
                *line,
                &Cells {
                    run_index,
                    ..Cells::of(url)
                },
                scores,
            );
        }
    })
}

impl Report {
    fn piece(&mut self, piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
        let name = piece.path.last().map(String::as_str).unwrap_or_default();
        match piece.pattern {
            at @ 0..=2 => {
                self.line = piece.line;
                self.urls[at] = piece
                    .parse::<Option<String>>(sink)
                    .flatten()
                    .unwrap_or_default();
            }
            3 => {
                let shape = Shape::of("a category", &[]).without(&["auditRefs"]);
                let category = piece.object(shape, sink).unwrap_or_default();
                self.scores.add(score_of(name), category.number("score"));
            }
            4 => {
                let shape = Shape::of("an audit", &[]).without(&["details"]);
                let audit = piece.object(shape, sink).unwrap_or_default();
                // `largestContentfulPaintMs`; what has no unit keeps its name.
                let unit = match audit.text_or_empty("numericUnit") {
                    "millisecond" => "Ms",
                    "byte" => "Bytes",
                    _ => "",
                };
                self.audits.add(
                    format!("{}{unit}", camel_case(name)),
                    audit.number("numericValue"),
                );
            }
            _ => self.failed |= piece.text() != b"\"NO_ERROR\"",
        }
    }

    fn give(self, sink: &mut RowCollector<'_>) {
        let Some(url) = self.urls.iter().find(|url| !url.is_empty()) else {
            return;
        };
        declare(&self.scores, sink);
        declare(&self.audits, sink);
        let metrics = self
            .scores
            .iter()
            .chain(&self.audits)
            .filter(|_| !self.failed);
        let name = sink.apart(address(url), url);
        sink.measured(self.line, &Cells::of(&name).failed_if(self.failed), metrics);
    }
}

fn score_of(category: &str) -> String {
    format!("{}Score", camel_case(category))
}

/// Scores are better high; of what has no other unit, such as shifts of the layout, less is better.
fn declare(metrics: &Metrics, sink: &mut RowCollector<'_>) {
    for metric in metrics.names() {
        let direction = if metric.ends_with("Score") {
            Direction::Higher
        } else {
            Direction::Lower
        };
        sink.means_direction(metric, Unit::None, direction);
    }
}
