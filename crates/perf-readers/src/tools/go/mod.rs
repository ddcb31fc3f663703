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

use memchr::memmem;

use self::events::Events;
use self::found::Found;
use self::stream::Stream;
use crate::tools::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("go")
    .about("go test -bench, as text or -json: ns/op, B/op, allocs/op, MB/s and custom units")
    .samples(Samples::Iterations)
    .looks_like(looks_like)
    .lines::<Lines>(&["s/op", "goos: ", ": Benchmark", "\"Action\":\"o"]);

/// A result, an event of a package, or the context that stands before results.
fn looks_like(head: &[u8]) -> Likeness {
    let has = |text: &[u8]| memmem::find(head, text).is_some();
    let context = has(b"goos: ") && has(b"goarch: ");
    let events = has(b"\"Action\":\"output\"") && has(b"\"Package\":\"");
    let mut lines = memmem::find_iter(head, b"Benchmark").filter_map(|at| {
        let starts = at == 0 || head[at - 1] == b'\n';
        starts.then(|| head[at..].split(|byte| *byte == b'\n').next().unwrap_or_default())
    });
    let is_result = |line: &[u8]| numbers::result(&text(line)).is_some();
    let failed = || [&b"--- FAIL: Benchmark"[..], b"--- SKIP: Benchmark"].into_iter().any(has);
    (context || events || lines.any(is_result) || failed()).into()
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
            return self.events.line(number, line, &mut self.found, sink);
        }
        self.text.line(number, line, &mut self.found, sink)
    }

    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if line.starts_with(b"{") {
            return self.line(number, line, sink);
        }
        self.text.unended(number, line, &mut self.found, sink)
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.text.end(sink);
        self.events.end(&mut self.found, sink);
        std::mem::take(&mut self.found).give(sink);
    }
}
