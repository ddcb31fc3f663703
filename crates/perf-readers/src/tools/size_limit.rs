//! size-limit's `--json`: the size of each bundle in bytes, and the time to load and to run it in seconds.
//!
//! A bundle above its limit has failed.
//!
//! Source: `create-reporter.js` of size-limit 11.

use std::borrow::Cow;

use serde::Deserialize;

use crate::format::{Format, Kind, Likeness, Samples};
use crate::input::source::Source;
use crate::json::{self, Loose, Piece};
use crate::rows::{Cells, RowCollector};
use perf_model::row::Outcome;

pub(crate) const FORMAT: Format = Format {
    name: "size-limit",
    about: "size-limit --json: size of every bundle, time to load and to run it",
    samples: Samples::Launches,
    looks_like: |head| {
        let has = |keys: &[&str]| json::has_keys(head, b"[", keys);
        Likeness::from(
            has(&["name", "size"])
                && (has(&["passed"]) || has(&["sizeLimit"]) || has(&["loading", "running"])),
        )
    },
    kind: Kind::Document(read),
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a bundle")]
struct Bundle<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(default)]
    passed: Option<bool>,
    #[serde(default)]
    size: Loose,
    #[serde(default)]
    loading: Loose,
    #[serde(default)]
    running: Loose,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    json::pieces(source, sink, &[&["*"]], |piece: &Piece<'_>, sink| {
        let Some(bundle) = piece.parse::<Bundle<'_>>(sink) else { return };
        let outcome = if bundle.passed == Some(false) { Outcome::Failed } else { Outcome::Measured };
        let metrics =
            [("sizeBytes", bundle.size.0), ("loadingS", bundle.loading.0), ("runningS", bundle.running.0)];
        sink.measured(piece.line, &Cells { outcome, ..Cells::of(&bundle.name) }, metrics);
    })
}
