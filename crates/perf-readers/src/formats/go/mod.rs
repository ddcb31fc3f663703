//! Go's benchmarks, as `go test -bench` prints them, and as events of `go test -json`.
//!
//! A *stream* is what one package prints. Its *context* are the lines `goos:`, `goarch:`, `pkg:` and `cpu:` that
//! stand before its results. Which number at the end of a name is that of the processors is only known when all
//! results of a package are, so results wait until the end.

mod events;
mod found;
mod labels;
mod numbers;
mod stream;

use self::events::Events;
use self::found::{Found, Out};
use self::stream::Stream;
use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("go")
    .about("go test -bench, as text or -json: ns/op, B/op, allocs/op, MB/s and custom units")
    .samples(Samples::Iterations)
    .looks_like(looks_like)
    .lines::<Lines>(&["s/op", "goos: ", ": Benchmark", "\"Action\":\"o"]);

/// A result, an event of a package, or the context that stands before results.
fn looks_like(head: &[u8]) -> Likeness {
    let has_events = || has_all(head, &["\"Action\":\"output\"", "\"Package\":\""]);
    let has_result = || has_line(head, "Benchmark", |line| numbers::result(line).is_some());
    let failed = || {
        ["--- FAIL: Benchmark", "--- SKIP: Benchmark"]
            .iter()
            .any(|mark| has_all(head, &[mark]))
    };
    (has_all(head, &["goos: ", "goarch: "]) || has_events() || has_result() || failed()).into()
}

#[derive(Default)]
struct Lines {
    text: Stream,
    events: Events,
    found: Found,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if line.starts_with(b"{") {
            return self.events.line(
                number,
                line,
                &mut Out {
                    found: &mut self.found,
                    sink,
                },
            );
        }
        self.text.line(
            number,
            line,
            &mut Out {
                found: &mut self.found,
                sink,
            },
        )
    }

    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if line.starts_with(b"{") {
            return self.line(number, line, sink);
        }
        self.text.unended(
            number,
            line,
            &mut Out {
                found: &mut self.found,
                sink,
            },
        )
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        let mut out = Out {
            found: &mut self.found,
            sink,
        };
        self.text.end(&mut out);
        self.events.end(&mut out);
        std::mem::take(&mut self.found).give(sink);
    }
}
