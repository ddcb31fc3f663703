//! Unity's Performance Testing package: each test prints a line `##performancetestresult2:{…}`
//! (`##performancetestresult:` before version 2), in the `<output>` of NUnit's XML and in a player's log.
//!
//! The machine is on a separate line after some of the results, so rows are emitted at the end of the input.

use crate::formats::common::prelude::*;

/// The format of results in NUnit's XML.
pub(crate) const FORMAT: Format = Format::named("unity")
    .about("Unity Performance Testing in NUnit XML: every sample of every group, with its unit and direction")
    .samples(Samples::Iterations)
    .looks_like(|head| {
        let is_nunit = matches!(xml::root(head), Some("test-run" | "test-results" | "test-suite"));
        (is_nunit && has_result(head)).into()
    })
    .document(|input, sink| xml::read(input, sink, &mut Tests::default()));

/// The format of results in the log of an editor or a player.
pub(crate) const LOG: Format = Format::named("unity-log")
    .about("Unity Performance Testing in the log of an editor or a player")
    .samples(Samples::Iterations)
    .contains(&["##performancetest"])
    .looks_like(|head| (xml::root(head).is_none() && has_result(head)).into())
    .lines::<Results>();

const MARK: &str = "##performancetest";
const RESULT: &str = "##performancetestresult";
const RUN_INFO: &str = "##performancetestruninfo";

fn has_result(head: &str) -> bool {
    head.find(RESULT).is_some()
}

/// The results of an input, and the machine that they are from.
#[derive(Default)]
struct Results {
    results: Vec<(u64, String, Outcome, Json<'static>)>,
    machine_class: String,
}

impl Results {
    /// Reads a line that a test on `platform` printed. Returns whether it contains a result or the machine. Before
    /// version 2, other text can be on the same line.
    fn take(
        &mut self,
        number: u64,
        line: &str,
        platform: &str,
        outcome: Outcome,
        sink: &mut Rows<'_>,
    ) -> bool {
        let mut is_taken = false;
        for at in memchr::memmem::find_iter(line.as_bytes(), MARK.as_bytes()) {
            let line = &line[at..];
            if let Some(info) = json(line, RUN_INFO) {
                is_taken = true;
                if let Ok(info) = first(info) {
                    let processor = info.text("Hardware/ProcessorType");
                    let processor = processor.or(info.text("PlayerSystemInfo/ProcessorType"));
                    self.machine_class = machine_class(processor.unwrap_or_default());
                }
            } else if let Some(result) = json(line, RESULT) {
                is_taken = true;
                let problem = match first(result) {
                    Err(error) => error.to_string(),
                    Ok(result) if name(&result).is_none() => "missing field `Name`".to_owned(),
                    Ok(result) if !result.has("SampleGroups") => {
                        "missing field `SampleGroups`".to_owned()
                    }
                    Ok(result) => {
                        let platform = platform.to_owned();
                        self.results
                            .push((number, platform, outcome, result.into_owned()));
                        continue;
                    }
                };
                sink.skip(number, line, || format!("unexpected result: {problem}"));
            }
        }
        is_taken
    }

    fn give(&mut self, sink: &mut Rows<'_>) {
        for (line, platform, outcome, result) in self.results.drain(..) {
            let cells = Cells {
                platform: &platform,
                outcome,
                process: Process::of_line(line),
                machine_class: Some(&self.machine_class),
                ..Cells::of(name(&result).unwrap_or_default())
            };
            for group in result.list("SampleGroups") {
                give(group, line, &cells, sink);
            }
        }
    }
}

fn name<'r>(result: &'r Json<'_>) -> Option<&'r str> {
    result.text("Name").or(result.text("TestName"))
}

/// Parses the JSON value at the start of `json`.
fn first(json: &str) -> serde_json::Result<Json<'_>> {
    let mut values = serde_json::Deserializer::from_str(json).into_iter();
    values.next().unwrap_or_else(|| serde_json::from_str(json))
}

/// Returns the text after `prefix`, a version and a colon.
fn json<'l>(line: &'l str, prefix: &str) -> Option<&'l str> {
    let version = line.strip_prefix(prefix)?;
    let colon = version.find(|c: char| !c.is_ascii_digit())?;
    version[colon..].strip_prefix(":")
}

impl LineReader for Results {
    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        let Some(at) = line.find(MARK) else {
            return false;
        };
        self.take(number, &line[at..], "", Outcome::Measured, sink)
    }

    fn end(&mut self, sink: &mut Rows<'_>) {
        self.give(sink);
    }
}

/// The tests of an NUnit report.
#[derive(Default)]
pub(crate) struct Tests {
    platform: String,
    open: Option<Test>,
    results: Results,
    /// Performance tests that ended without a result.
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

    fn end(&mut self, name: &str, _: &mut Rows<'_>) {
        if name == "test-case" {
            let without = |test: &Test| {
                test.measures && !test.has_result && test.outcome != Outcome::Measured
            };
            self.without.extend(self.open.take().filter(without));
        }
    }

    fn text(&mut self, line: u64, text: &str, sink: &mut Rows<'_>) -> bool {
        let text = text.trim_start();
        if !text.starts_with("##") {
            return false;
        }
        let open = self.open.as_ref();
        let outcome = open.map_or(Outcome::Measured, |test| test.outcome);
        let is_taken = self.results.take(line, text, &self.platform, outcome, sink);
        if let Some(test) = &mut self.open {
            test.has_result |= is_taken;
        }
        is_taken
    }

    fn finish(&mut self, _: Option<u64>, sink: &mut Rows<'_>) {
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

/// Returns the number of places by which the decimal point of a value moves, the suffix for the metric's name, and the
/// unit after the conversion. Units are numbered as in Unity's `SampleUnit`.
fn scale(unit: Option<i64>) -> (i32, &'static str, Unit) {
    match unit.and_then(|unit| i32::try_from(unit).ok()) {
        Some(unit @ 0..=3) => (unit * 3, "Ns", Unit::Ns),
        Some(unit @ 4..=7) => ((unit - 4) * 3, "Bytes", Unit::Bytes),
        _ => (0, "", Unit::None),
    }
}

/// Emits a sample group's rows with the test's cells.
fn give(group: &Json<'_>, line: u64, cells: &Cells<'_>, sink: &mut Rows<'_>) {
    // The first version stores the definition separately.
    let definition = if group.has("Definition") {
        group.at("Definition")
    } else {
        group
    };
    let name = definition.text_or_empty("Name");
    let is_rate = definition.flag("IncreaseIsBetter");
    let (places, suffix, unit) = scale(definition.whole("Unit").or(definition.whole("SampleUnit")));
    // The package's default name for a test's only group carries no information.
    let own_name = if name == "Time" { "" } else { name };
    let scenario = joined([cells.scenario, own_name], " ");
    let cells = Cells {
        scenario: &scenario,
        ..*cells
    };
    // Times and sizes that should be low have common metrics. Other metrics are named after their group.
    let metric = match unit {
        Unit::Ns if !is_rate => "timeNs".to_owned(),
        Unit::Bytes if !is_rate => "memoryBytes".to_owned(),
        _ => format!("{name}{suffix}"),
    };
    if unit == Unit::None || is_rate {
        let better = if is_rate {
            Direction::Higher
        } else {
            Direction::Lower
        };
        sink.means(&metric, unit, better);
    }
    let samples: Vec<_> = group
        .list("Samples")
        .iter()
        .map(|sample| sample.shifted("", places))
        .collect();
    if !samples.is_empty() {
        return sink.samples(line, &cells, &metric, &samples);
    }
    let parts = [
        ("", "Median"),
        (".stddev", "StandardDeviation"),
        (".min", "Min"),
        (".max", "Max"),
    ];
    let mut metrics = Metrics::default();
    metrics.add_parts(
        &metric,
        parts.map(|(part, field)| (part, group.shifted(field, places))),
    );
    sink.measured(line, &cells, &metrics);
}
