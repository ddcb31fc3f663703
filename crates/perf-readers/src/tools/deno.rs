//! `deno bench --json`, in nanoseconds.
//!
//! Source: the JSON reporter of `deno bench` in Deno 2.9.6.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::format::{Format, Kind, Likeness, Samples};
use crate::input::source::Source;
use crate::json::{self, Fields, Piece};
use crate::rows::{Cells, RowCollector};
use perf_model::row::Outcome;

pub(crate) const FORMAT: Format = Format {
    name: "deno",
    about: "deno bench --json: time with its extremes and percentiles of every benchmark",
    samples: Samples::Launches,
    looks_like: |head| {
        let has = json::has_keys(head, b"{", &["runtime", "benches"]);
        Likeness::from(has && memchr::memmem::find(head, b"Deno/").is_some())
    },
    kind: Kind::Document(read),
};

#[derive(Deserialize)]
#[serde(expecting = "a benchmark")]
struct Bench<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(default, borrow)]
    group: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    results: Vec<Result<'a>>,
}

/// One of these stands there.
#[derive(Deserialize)]
struct Result<'a> {
    #[serde(default, borrow)]
    ok: Option<Fields<'a>>,
    #[serde(default)]
    failed: Option<IgnoredAny>,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    json::pieces(source, sink, &[&["benches", "*"]], |piece: &Piece<'_>, sink| {
        let Some(bench) = piece.parse::<Bench<'_>>(sink) else { return };
        let name = match bench.group.as_deref() {
            None | Some("") => bench.name.to_string(),
            Some(group) => format!("{group}/{}", bench.name),
        };
        for result in &bench.results {
            result.row(piece.line, &name, sink);
        }
    })
}

impl Result<'_> {
    fn row(&self, line: u64, name: &str, sink: &mut RowCollector<'_>) {
        let number = |field: &str| self.ok.as_ref().and_then(|fields| fields.number(field));
        let metrics = [
            ("timeNs", "avg"),
            ("timeNs.min", "min"),
            ("timeNs.max", "max"),
            ("timeP75Ns", "p75"),
            ("timeP99Ns", "p99"),
            ("timeP99.5Ns", "p995"),
            ("timeP99.9Ns", "p999"),
        ];
        let outcome = if self.failed.is_some() { Outcome::Failed } else { Outcome::Measured };
        let metrics = metrics.map(|(metric, field)| (metric, number(field)));
        sink.measured(line, &Cells { outcome, ..Cells::of(name) }, metrics);
    }
}
