//! Go benchmarks, as `go test -bench` prints them, and as events of `go test -json`.
//!
//! ```text
//! goos: linux
//! goarch: amd64
//! pkg: example.com/p
//! BenchmarkParse-8    1000    1234 ns/op    56 B/op    2 allocs/op
//! PASS
//! ok      example.com/p   1.2s
//! ```
//!
//! A number at the end of a name may be the number of processors. This is only clear from all results of a package, so
//! results are emitted at the end of the input.

mod package;
mod results;

use std::collections::BTreeMap;

use self::package::PackageOutput;
use self::results::Results;
use crate::formats::common::prelude::*;
use crate::input::escapes::without_escapes;

pub(crate) const FORMAT: Format = Format::named("go")
    .about("go test -bench, as text or -json: ns/op, B/op, allocs/op, MB/s and custom units")
    .samples(Samples::Iterations)
    .looks_like(looks_like)
    .lines::<Lines>();

/// Recognises a result, a package's events, the context before results, and failed or skipped benchmarks.
fn looks_like(head: &str) -> Likeness {
    let has_context = has_all(head, &["goos: ", "goarch: "]);
    let has_events = has_all(head, &["\"Action\":\"output\"", "\"Package\":\""]);
    let has_outcome =
        has_all(head, &["--- FAIL: Benchmark"]) || has_all(head, &["--- SKIP: Benchmark"]);
    let is_likely = has_context || has_events || has_outcome;
    (is_likely || has_line(head, "Benchmark", |line| package::result(line).is_some())).into()
}

#[derive(Default)]
struct Lines {
    text: PackageOutput,
    /// The packages whose events have not ended. Several packages may print at the same time.
    packages: BTreeMap<String, EventOutput>,
    results: Results,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        if line.starts_with('{') {
            self.event(number, line, sink)
        } else {
            self.text.line(number, line, &mut self.results, sink)
        }
    }

    fn unended(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        if line.starts_with('{') {
            self.event(number, line, sink)
        } else {
            self.text.unended(number, line, &mut self.results, sink)
        }
    }

    fn end(&mut self, sink: &mut Rows<'_>) {
        self.text.end(sink);
        for mut package in std::mem::take(&mut self.packages).into_values() {
            package.end(&mut self.results, sink);
        }
        std::mem::take(&mut self.results).give(sink);
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event<'a> {
    #[serde(borrow)]
    action: Cow<'a, str>,
    package: Option<String>,
    #[serde(borrow)]
    test: Option<Cow<'a, str>>,
    #[serde(borrow)]
    output: Option<Cow<'a, str>>,
}

impl Lines {
    fn event(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        if !has_all(line, &["\"Action\":\""]) {
            return false;
        }
        let begins = line.starts_with("{\"Time\":\"") || line.starts_with("{\"Action\":\"");
        let Ok(event) = serde_json::from_str::<Event<'_>>(line) else {
            if begins {
                sink.skip(number, line, || "event is cut off or not JSON".to_owned());
            }
            return begins;
        };
        let Some(package) = event.package else {
            return begins;
        };
        match (&*event.action, event.output) {
            ("output", Some(output)) => {
                let waiting = self.packages.entry(package).or_default();
                waiting.add(number, &output, &mut self.results, sink);
            }
            ("pass" | "fail" | "skip", _) if event.test.is_none() => {
                if let Some(mut ended) = self.packages.remove(&package) {
                    ended.end(&mut self.results, sink);
                }
            }
            _ => {}
        }
        true
    }
}

/// A package's output, which is put together from events. A name and its result are in separate events, although they
/// are one line.
#[derive(Default)]
struct EventOutput {
    package: PackageOutput,
    /// The unfinished line's number.
    line: u64,
    /// The unfinished line's text.
    text: String,
}

impl EventOutput {
    fn add(&mut self, number: u64, output: &str, results: &mut Results, sink: &mut Rows<'_>) {
        for piece in output.split_inclusive('\n') {
            if self.text.is_empty() {
                self.line = number;
            }
            self.text.push_str(piece);
            if piece.ends_with('\n') {
                self.give_line(results, sink);
            }
        }
    }

    fn give_line(&mut self, results: &mut Results, sink: &mut Rows<'_>) {
        let text = std::mem::take(&mut self.text);
        let text = without_escapes(&text);
        let line = text.trim_end_matches(['\n', '\r']);
        self.package.line(self.line, line, results, sink);
    }

    fn end(&mut self, results: &mut Results, sink: &mut Rows<'_>) {
        if !self.text.is_empty() {
            self.give_line(results, sink);
        }
        self.package.end(sink);
    }
}
