//! Writing a report while it is made: two threads make the text of some benchmarks at a time, so that a report of
//! hundreds of megabytes is never in memory.

use std::io::{self, Write};

use perf_config::Config;
use perf_model::parallel;
use perf_verdict::{Comparison, ScenarioComparison, ScopeComparison};
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use super::{ScenarioReport, ScopeReport, of, parts};

/// How many benchmarks are in memory at a time.
const AT_A_TIME: usize = 4_096;

/// How deep a scope, and a benchmark of one, is in a report.
const SCOPE: usize = 2;
const SCENARIO: usize = 4;

/// Writes the report of a comparison.
pub(super) fn write(
    comparison: &Comparison,
    config: &Config,
    notes: Vec<String>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let report = of(comparison, config, notes, Vec::<ScopeReport>::new());
    around(&report, 0, "scopes", out, |out| {
        for (at, scope) in comparison.scopes.iter().enumerate() {
            separate(at == 0, SCOPE, out)?;
            write_scope(scope, config, out)?;
        }
        Ok(comparison.scopes.is_empty())
    })?;
    out.write_all(b"\n")
}

fn write_scope(scope: &ScopeComparison, config: &Config, out: &mut dyn Write) -> io::Result<()> {
    let report = parts::with_scenarios(scope, config, Vec::<ScenarioReport>::new());
    around(&report, SCOPE, "scenarios", out, |out| {
        // Their memory is used again and again: to ask for hundreds of megabytes takes long.
        let mut texts = [Vec::new(), Vec::new()];
        for (at, some) in scope.scenarios.chunks(AT_A_TIME).enumerate() {
            let (first, second) = some.split_at(some.len() / 2);
            let [one, other] = &mut texts;
            let is_first = at == 0;
            let (one_written, other_written) = parallel::both(
                || write_scenarios(first, is_first, config, one),
                || write_scenarios(second, is_first && first.is_empty(), config, other),
            );
            one_written.and(other_written)?;
            texts.iter().try_for_each(|text| out.write_all(text))?;
        }
        Ok(scope.scenarios.is_empty())
    })
}

/// Benchmarks of one scope, as they stand in its list.
fn write_scenarios(
    scenarios: &[ScenarioComparison],
    is_first: bool,
    config: &Config,
    text: &mut Vec<u8>,
) -> io::Result<()> {
    text.clear();
    for (at, scenario) in scenarios.iter().enumerate() {
        separate(is_first && at == 0, SCENARIO, text)?;
        serialize(&parts::scenario_report(scenario, config), SCENARIO, text)?;
    }
    Ok(())
}

/// Writes an object at this depth whose list of this name is empty, with the elements that `elements` writes into it;
/// `elements` returns whether it wrote none.
fn around(
    object: &impl Serialize,
    depth: usize,
    list: &str,
    out: &mut dyn Write,
    elements: impl FnOnce(&mut dyn Write) -> io::Result<bool>,
) -> io::Result<()> {
    let mut text = Vec::new();
    serialize(object, depth, &mut text)?;
    let text = String::from_utf8(text).map_err(io::Error::other)?;
    // No text within JSON has a line break.
    let start = format!("\n{}\"{list}\": [", Indented::spaces(depth + 1));
    let place = text.find(&start).map(|at| at + start.len());
    let (before, after) =
        place.and_then(|place| text.split_at_checked(place)).ok_or(io::ErrorKind::InvalidData)?;
    out.write_all(before.as_bytes())?;
    if !elements(out)? {
        write!(out, "\n{}", Indented::spaces(depth + 1))?;
    }
    out.write_all(after.as_bytes())
}

/// What stands before an element of a list.
fn separate(is_first: bool, depth: usize, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(if is_first { b"\n" } else { b",\n" })?;
    out.write_all(Indented::spaces(depth).as_bytes())
}

fn serialize(value: &impl Serialize, depth: usize, text: &mut Vec<u8>) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(text, Indented { depth, has_value: false });
    Ok(value.serialize(&mut serializer)?)
}

/// JSON as `serde_json` indents it, at a depth of its own. A line's indentation is one write.
struct Indented {
    depth: usize,
    has_value: bool,
}

impl Indented {
    /// What begins a line behind another element, at most.
    const LINE: &str = ",\n                                                                ";

    /// The indentation at a depth.
    fn spaces(depth: usize) -> &'static str {
        Self::line_from(2, depth)
    }

    /// A part of what begins a line at a depth: from the comma, from the line break, or from behind both.
    fn line_from(from: usize, depth: usize) -> &'static str {
        Self::LINE.get(from..2 + 2 * depth).unwrap_or(&Self::LINE[from..])
    }

    fn begin<W: ?Sized + Write>(&mut self, bracket: u8, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        self.has_value = false;
        writer.write_all(&[bracket])
    }

    fn end<W: ?Sized + Write>(&mut self, bracket: u8, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        if self.has_value {
            writer.write_all(Self::line_from(1, self.depth).as_bytes())?;
        }
        writer.write_all(&[bracket])
    }

    fn begin_element<W: ?Sized + Write>(&self, is_first: bool, writer: &mut W) -> io::Result<()> {
        writer.write_all(Self::line_from(usize::from(is_first), self.depth).as_bytes())
    }
}

impl Formatter for Indented {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(b'[', writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(b']', writer)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, is_first: bool) -> io::Result<()> {
        self.begin_element(is_first, writer)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(b'{', writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(b'}', writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, is_first: bool) -> io::Result<()> {
        self.begin_element(is_first, writer)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }
}
