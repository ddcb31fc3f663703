//! Unity's Performance Testing package: each test prints a line `##performancetestresult2:{…}`
//! (`##performancetestresult:` before version 2), in the `<output>` of NUnit's XML and in the log of a player.
//!
//! What the machine is stands in a line of its own, behind some of the results, so they wait until the end.

mod result;

use quick_xml::events::BytesStart;

use crate::formats::common::prelude::*;
use crate::xml::{self, Markup, attribute};

/// In NUnit's XML.
pub(crate) const FORMAT: Format = Format::named("unity")
    .about("Unity Performance Testing in NUnit XML: every sample of every group, with its unit and direction")
    .samples(Samples::Iterations)
    .looks_like(|head| {
        let is_nunit = matches!(xml::root(head), Some(b"test-run" | b"test-results" | b"test-suite"));
        (is_nunit && has_result(head)).into()
    })
    .document(|source, sink| xml::read(source, sink, &mut Tests::default()));

/// In the log of an editor or a player.
pub(crate) const LOG: Format = Format::named("unity-log")
    .about("Unity Performance Testing in the log of an editor or a player")
    .samples(Samples::Iterations)
    .contains(&["##performancetest"])
    .looks_like(|head| (xml::root(head).is_none() && has_result(head)).into())
    .lines::<Results>();

const MARK: &[u8] = b"##performancetest";
const RESULT: &[u8] = b"##performancetestresult";
const RUN_INFO: &[u8] = b"##performancetestruninfo";

fn has_result(head: &[u8]) -> bool {
    memchr::memmem::find(head, RESULT).is_some()
}

/// The results of an input, and where they were measured.
#[derive(Default)]
struct Results {
    results: Vec<(u64, String, Outcome, Json<'static>)>,
    machine_class: String,
}

impl Results {
    /// Reads a line of what the tests of a platform printed; true if it has results.
    fn take(
        &mut self,
        number: u64,
        line: &[u8],
        platform: &str,
        outcome: Outcome,
        sink: &mut RowCollector<'_>,
    ) -> bool {
        let (mut rest, mut is_taken) = (line, false);
        while let Some(behind) = self.take_first(number, rest, platform, outcome, sink) {
            is_taken = true;
            let Some(next) = memchr::memmem::find(behind, MARK) else {
                break;
            };
            rest = &behind[next..];
        }
        is_taken
    }

    /// Takes what a text begins with, and returns what stands behind it.
    fn take_first<'l>(
        &mut self,
        number: u64,
        line: &'l [u8],
        platform: &str,
        outcome: Outcome,
        sink: &mut RowCollector<'_>,
    ) -> Option<&'l [u8]> {
        if let Some(json) = json(line, RUN_INFO) {
            let (info, rest) = first(json);
            let hardware =
                ["Hardware", "PlayerSystemInfo"].map(|key| format!("{key}/ProcessorType"));
            if let Ok(info) = info {
                self.machine_class = machine_class(
                    hardware
                        .iter()
                        .find_map(|at| info.text(at))
                        .unwrap_or_default(),
                );
            }
            return Some(rest);
        }
        let (result, rest) = first(json(line, RESULT)?);
        match result.map(|result| (result::missing(&result), result)) {
            Ok((None, result)) => {
                self.results
                    .push((number, platform.to_owned(), outcome, result.into_owned()));
            }
            Ok((Some(key), _)) => {
                sink.skip(number, line, || {
                    format!("unexpected result: missing field `{key}`")
                });
            }
            Err(error) => sink.skip(number, line, || format!("unexpected result: {error}")),
        }
        Some(rest)
    }

    fn give(&mut self, sink: &mut RowCollector<'_>) {
        for (line, platform, outcome, result) in self.results.drain(..) {
            let cells = Cells {
                platform: &platform,
                outcome,
                process: Process::of_line(line),
                machine_class: Some(&self.machine_class),
                ..Cells::of(result::name(&result).unwrap_or_default())
            };
            for group in result.list("SampleGroups") {
                result::give(group, line, &cells, sink);
            }
        }
    }
}

/// The value at the beginning, and what the test printed behind it without a line end, as before version 2.
fn first(json: &[u8]) -> (serde_json::Result<Json<'_>>, &[u8]) {
    let mut values = serde_json::Deserializer::from_slice(json).into_iter();
    let value = values
        .next()
        .unwrap_or_else(|| serde_json::from_slice(json));
    (value, json.get(values.byte_offset()..).unwrap_or_default())
}

/// Returns the text after `prefix`, a version and a colon.
fn json<'l>(line: &'l [u8], prefix: &[u8]) -> Option<&'l [u8]> {
    let version = line.strip_prefix(prefix)?;
    let colon = version.iter().position(|byte| !byte.is_ascii_digit())?;
    version[colon..].strip_prefix(b":")
}

impl LineReader for Results {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let Some(at) = memchr::memmem::find(line, MARK) else {
            return false;
        };
        self.take(number, &line[at..], "", Outcome::Measured, sink)
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.give(sink);
    }
}

/// The tests of an NUnit report.
#[derive(Default)]
pub(crate) struct Tests {
    platform: String,
    open: Option<Test>,
    results: Results,
    /// Performance tests that ended before they had a result.
    without: Vec<Test>,
}

struct Test {
    line: u64,
    name: String,
    outcome: Outcome,
    measures: bool,
    has_result: bool,
}

impl Markup for Tests {
    fn start(&mut self, line: u64, tag: &BytesStart<'_>) {
        match tag.local_name().into_inner() {
            "test-case" => {
                let name = attribute(tag, "fullname")
                    .or_else(|| attribute(tag, "name"))
                    .unwrap_or_default();
                let outcome = match attribute(tag, "result").as_deref() {
                    Some("Failed" | "Failure" | "Error") => Outcome::Failed,
                    Some("Skipped" | "Ignored" | "NotRunnable") => Outcome::Skipped,
                    _ => Outcome::Measured,
                };
                self.open = Some(Test {
                    line,
                    name,
                    outcome,
                    measures: false,
                    has_result: false,
                });
            }
            "property" => {
                let value = attribute(tag, "value");
                match (attribute(tag, "name").as_deref(), &mut self.open) {
                    (Some("Category"), Some(test)) => {
                        test.measures |= value.as_deref() == Some("Performance");
                    }
                    (Some("platform"), None) => self.platform = value.unwrap_or_default(),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str, _: &mut RowCollector<'_>) {
        if name == "test-case" {
            let without = |test: &Test| {
                test.measures && !test.has_result && test.outcome != Outcome::Measured
            };
            self.without.extend(self.open.take().filter(without));
        }
    }

    fn text(&mut self, line: u64, text: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text.trim_ascii_start();
        if !text.starts_with(b"##") {
            return false;
        }
        let outcome = self
            .open
            .as_ref()
            .map_or(Outcome::Measured, |test| test.outcome);
        let taken = self.results.take(line, text, &self.platform, outcome, sink);
        if let Some(test) = self.open.as_mut().filter(|_| taken) {
            test.has_result = true;
        }
        taken
    }

    fn finish(&mut self, _: Option<u64>, sink: &mut RowCollector<'_>) {
        let has_own_rows = sink.rows() > 0;
        self.results.give(sink);
        for test in self.without.iter().filter(|_| !has_own_rows) {
            let (platform, machine_class) = (&*self.platform, Some(&*self.results.machine_class));
            let cells = Cells {
                platform,
                machine_class,
                ..Cells::of(&test.name)
            };
            sink.without_metrics(test.line, &cells, test.outcome);
        }
    }
}
