//! vitest's `bench --outputJson`: the statistics of each benchmark in milliseconds. The times of all runs are included
//! if they were requested.

use crate::formats::common::prelude::*;
use crate::formats::tinybench;

pub(crate) const FORMAT: Format = Format::named("vitest")
    .about("vitest bench --outputJson: time, throughput and percentiles of every benchmark")
    .samples(Samples::Iterations)
    .keys("{", KEYS)
    .document(read);

const KEYS: KeySets = &[
    (
        &["files", "filepath", "groups", "fullName", "benchmarks"],
        Likeness::Yes,
    ),
    (
        &["files", "filepath", "groups"],
        Likeness::Near("has `files` with `groups`, but no `benchmarks`"),
    ),
];

const PATTERNS: &[&[&str]] = &[
    &["files", "*", "groups", "*", "fullName"],
    &["files", "*", "groups", "*", "benchmarks", "*"],
];

fn read(input: &Input<'_>, sink: &mut Rows<'_>) {
    // The file and the groups that contain the benchmarks that follow.
    let mut group = String::new();
    json::pieces(input, sink, PATTERNS, |piece: &Piece<'_>, sink| {
        if piece.pattern == 0 {
            group = piece.text_or_empty(sink);
        } else if let Some(benchmark) = piece.object(tinybench::STATISTICS, sink) {
            let name = format!("{group} > {}", benchmark.text_or_empty("name"));
            tinybench::rows(&benchmark, piece.line, &name, sink);
        }
    });
}
