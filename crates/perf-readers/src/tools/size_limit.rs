//! size-limit's `--json`: the size of each bundle in bytes, and the time to load and to run it in seconds.
//!
//! A bundle above its limit has failed.
//!
//! Source: `create-reporter.js` of size-limit 11.

use crate::tools::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("size-limit")
    .about("size-limit --json: size of every bundle, time to load and to run it")
    .looks_like(|head| json::likeness(head, b"[", KEYS))
    .document(|source, sink| json::pieces(source, sink, &[&["*"]], row));

const KEYS: &[(&[&str], Likeness)] = &[
    (&["name", "size", "passed"], Likeness::Yes),
    (&["name", "size", "sizeLimit"], Likeness::Yes),
    (&["name", "size", "loading", "running"], Likeness::Yes),
];

const METRICS: [(&str, &str); 3] = [("sizeBytes", "size"), ("loadingS", "loading"), ("runningS", "running")];

fn row(piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
    let Some(bundle) = piece.object(Shape::of("a bundle", &["name"]), sink) else { return };
    let failed = *bundle.at("passed") == Json::Flag(false);
    let name = bundle.text_or_empty("name");
    sink.measured(piece.line, &Cells::of(name).failed_if(failed), &bundle.metrics(&METRICS));
}
