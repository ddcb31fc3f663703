//! vitest's `bench --outputJson`: statistics of each benchmark in milliseconds, and the times of all runs when they
//! are asked for.

use std::borrow::Cow;

use crate::format::{Format, Kind, Likeness, Samples};
use crate::input::source::Source;
use crate::json::{self, Piece};
use crate::rows::RowCollector;
use crate::tools::tinybench::Statistics;

pub(crate) const FORMAT: Format = Format {
    name: "vitest",
    about: "vitest bench --outputJson: time, throughput and percentiles of every benchmark",
    samples: Samples::Iterations,
    looks_like,
    kind: Kind::Document(read),
};

fn looks_like(head: &[u8]) -> Likeness {
    match json::has_keys(head, b"{", &["files", "filepath", "groups"]) {
        false => Likeness::No,
        true if json::has_keys(head, b"{", &["fullName", "benchmarks"]) => Likeness::Yes,
        true => Likeness::Near("has `files` with `groups`, but no `benchmarks`"),
    }
}

const PATTERNS: &[&[&str]] =
    &[&["files", "*", "groups", "*", "fullName"], &["files", "*", "groups", "*", "benchmarks", "*"]];

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    // The file and the names of the groups around the benchmarks that follow.
    let mut group = String::new();
    json::pieces(source, sink, PATTERNS, |piece: &Piece<'_>, sink| {
        if piece.pattern == 0 {
            group = piece.parse::<Cow<'_, str>>(sink).unwrap_or_default().into_owned();
        } else if let Some(benchmark) = piece.parse::<Statistics<'_>>(sink) {
            let name = benchmark.name.as_deref().unwrap_or_default();
            benchmark.rows(piece.line, &format!("{group} > {name}"), sink);
        }
    })
}
