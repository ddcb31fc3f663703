//! airspeed velocity's results, `results/<machine>/<commit>-<environment>.json`: for each benchmark and each combination
//! of its parameters a number, in seconds for times and bytes for memory.
//!
//! Source: `asv/results.py` of asv 0.6 (version 2 of the file, with `result_columns`) and 0.4 (version 1, where a result
//! is an object, or a number).
//! Which unit a benchmark has stands in another file, so the prefix of its name tells it. Of a result that is missing,
//! `null` is a failure and `NaN` a combination that was left out.

use std::io::{self, Read};

use indexmap::IndexMap;
use serde::Deserialize;

use crate::tools::common::prelude::*;

pub(crate) const FORMAT: Format = Format {
    name: "asv",
    about: "airspeed velocity's results, results/<machine>/*.json: time or memory of every benchmark with its interval",
    samples: Samples::Iterations,
    looks_like: |head| json::likeness(head, b"{", KEYS),
    kind: Kind::Document(read),
};

const KEYS: &[(&[&str], Likeness)] = &[
    (&["commit_hash", "results", "result_columns"], Likeness::Yes),
    (&["commit_hash", "results", "env_name"], Likeness::Yes),
    (&["commit_hash", "results", "params", "requirements"], Likeness::Yes),
];

/// The longest file that is read: it is held in memory as a whole.
const LONGEST: u64 = 256 * 1024 * 1024;

/// What stands for a combination that was left out, in place of `NaN`.
const LEFT_OUT: &str = "left out";

const INFINITIES: [&[u8]; 2] = [b"-Infinity", b"Infinity"];

#[derive(Deserialize)]
#[serde(expecting = "results of asv")]
struct Report<'a> {
    commit_hash: String,
    #[serde(default)]
    python: Option<String>,
    #[serde(default)]
    requirements: IndexMap<String, Option<String>>,
    #[serde(default, borrow)]
    params: Json<'a>,
    #[serde(default)]
    result_columns: Vec<String>,
    results: IndexMap<String, serde_json::Value>,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> io::Result<()> {
    let mut text = Vec::new();
    source.take(LONGEST).read_to_end(&mut text)?;
    let last_line = u64::from(text.last().is_some_and(|last| *last != b'\n'));
    sink.lines(memchr::memchr_iter(b'\n', &text).count() as u64 + last_line);
    let text = marked(&text);
    let mut place = Place { at: 0, line: 1, is_lost: false };
    let mut reports = serde_json::Deserializer::from_slice(&text).into_iter::<Report<'_>>();
    loop {
        let start = reports.byte_offset();
        match reports.next() {
            Some(Ok(report)) => {
                sink.next_document();
                place.go_to(start, &text);
                report.give(&mut place, &text, sink);
            }
            Some(Err(error)) => {
                sink.skip(json::line_of(&error), b"", || format!("unexpected JSON: {}", json::plain(&error)));
                return Ok(());
            }
            None => return Ok(()),
        }
    }
}

/// The text with a string in place of each `NaN`, which is not JSON, and without
/// infinities.
fn marked(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let (mut at, mut in_string) = (0, false);
    while let Some(byte) = text.get(at) {
        match byte {
            b'N' if !in_string && text[at..].starts_with(b"NaN") => {
                plain.extend_from_slice(format!("\"{LEFT_OUT}\"").as_bytes());
                at += 3;
                continue;
            }
            // The interval of a single sample.
            b'-' | b'I' if !in_string && INFINITIES.iter().any(|word| text[at..].starts_with(word)) => {
                plain.extend_from_slice(b"null");
                at += if *byte == b'-' { 9 } else { 8 };
                continue;
            }
            b'\\' if in_string => {
                plain.push(*byte);
                at += 1;
            }
            b'"' => in_string = !in_string,
            _ => {}
        }
        plain.extend(text.get(at));
        at += 1;
    }
    plain
}

impl Report<'_> {
    fn give(&self, place: &mut Place, text: &[u8], sink: &mut RowCollector<'_>) {
        let platform = self.platform();
        let class = self.params.text("cpu").filter(|cpu| !cpu.is_empty()).map(machine_class);
        for (name, columns) in &self.results {
            let line = place.line_of(text, name);
            let cells = Cells {
                platform: &platform,
                commit: &self.commit_hash,
                machine_class: class.as_deref(),
                ..Cells::of(name)
            };
            if self.result_columns.is_empty() {
                let of_first = of_first_version(columns);
                let column = |wanted: &str| of_first.get(wanted);
                benchmark(line, name, &cells, &column, sink);
                continue;
            }
            let column = |wanted: &str| {
                let at = self.result_columns.iter().position(|column| column == wanted)?;
                columns.get(at)
            };
            benchmark(line, name, &cells, &column, sink);
        }
    }

    /// `Linux x86_64, Python 3.12, numpy 2.0`: another environment is another measurement.
    fn platform(&self) -> String {
        let word = |key: &str| self.params.text(key).and_then(|text| text.split_whitespace().next());
        let machine: Vec<&str> = [word("os"), word("arch")].into_iter().flatten().collect();
        let python = self.python.as_deref().filter(|python| !python.contains(['/', '\\']));
        let python = python.filter(|python| !python.is_empty()).map(|python| format!("Python {python}"));
        let requirement = |(name, version): (&String, &Option<String>)| {
            format!("{name} {}", version.as_deref().unwrap_or_default()).trim().to_owned()
        };
        let requirements = self.requirements.iter().map(requirement);
        let parts = std::iter::once(machine.join(" ")).chain(python).chain(requirements);
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

/// The columns of a result of version 1: a number, or an object with the statistics of each combination.
fn of_first_version(result: &serde_json::Value) -> IndexMap<&'static str, serde_json::Value> {
    let list = |value: &serde_json::Value| serde_json::Value::from(vec![value.clone()]);
    let Some(fields) = result.as_object() else {
        return IndexMap::from([("result", list(result))]);
    };
    let result = fields.get("result").unwrap_or(&serde_json::Value::Null);
    let is_whole = result.is_array() || result.is_null();
    let mut columns = IndexMap::from([("result", if is_whole { result.clone() } else { list(result) })]);
    columns.extend(fields.get("params").map(|params| ("params", params.clone())));
    let all = fields.get("stats").and_then(serde_json::Value::as_array).map_or(&[][..], Vec::as_slice);
    for (column, at) in [("stats_ci_99_a", 0), ("stats_ci_99_b", 1)] {
        let end = |stats: &serde_json::Value| {
            stats.get("ci_99").and_then(|ends| ends.get(at)).cloned().unwrap_or_default()
        };
        columns.insert(column, all.iter().map(end).collect());
    }
    columns
}

/// How far the text was searched, in which benchmarks stand in the order of their results.
struct Place {
    at: usize,
    line: u64,
    is_lost: bool,
}

impl Place {
    /// The line of the next benchmark of this name. When one is written in another way, nobody looks for more.
    fn line_of(&mut self, text: &[u8], name: &str) -> u64 {
        let find = |written: &str| memchr::memmem::find(&text[self.at..], written.as_bytes());
        let quoted = serde_json::Value::from(name).to_string();
        let found = match self.is_lost {
            true => None,
            false if name.is_ascii() => find(&quoted),
            // As Python writes it, or as it is.
            false => find(&escaped(&quoted)).or_else(|| find(&quoted)),
        };
        match found {
            Some(found) => self.go_to(self.at + found, text),
            None => self.is_lost = true,
        }
        self.line
    }

    fn go_to(&mut self, at: usize, text: &[u8]) {
        if at > self.at {
            self.line += memchr::memchr_iter(b'\n', &text[self.at..at]).count() as u64;
            self.at = at;
        }
    }
}

/// A JSON text in ASCII.
fn escaped(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            ascii.push(c);
        } else {
            ascii.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    ascii
}

/// The rows of all combinations of parameters.
fn benchmark<'v>(
    line: u64,
    name: &str,
    cells: &Cells<'_>,
    column: &dyn Fn(&str) -> Option<&'v serde_json::Value>,
    sink: &mut RowCollector<'_>,
) {
    let metric = metric_of(name);
    let list = |wanted: &str| column(wanted).and_then(serde_json::Value::as_array);
    // A benchmark that failed as a whole has no list.
    let Some(results) = list("result") else {
        return sink.measured(line, &Cells { outcome: Outcome::Failed, ..*cells }, []);
    };
    let combinations = combinations(list("params").map_or(&[][..], Vec::as_slice));
    for (at, result) in results.iter().enumerate() {
        let number = |wanted: &str| list(wanted).and_then(|all| all.get(at)).and_then(number);
        let outcome = match result {
            serde_json::Value::Null => Outcome::Failed,
            serde_json::Value::String(_) => Outcome::Skipped,
            _ => Outcome::Measured,
        };
        let scenario = match combinations.get(at).map(String::as_str) {
            None | Some("") => name.to_owned(),
            Some(parameters) => format!("{name}({parameters})"),
        };
        let cells = Cells { scenario: &scenario, outcome, ..*cells };
        let samples = list("samples").and_then(|all| all.get(at)?.as_array());
        let samples: Vec<Option<Value>> = samples.into_iter().flatten().map(self::number).collect();
        sink.samples(line, &cells, metric, &samples);
        if samples.is_empty() {
            let [lower, upper] = [format!("{metric}.lower"), format!("{metric}.upper")];
            let metrics = [
                (metric, self::number(result)),
                (&*lower, number("stats_ci_99_a")),
                (&*upper, number("stats_ci_99_b")),
            ];
            sink.measured(line, &cells, metrics);
        }
    }
}

fn number(value: &serde_json::Value) -> Option<Value> {
    let number = value.as_number()?;
    serde_json::from_str::<Loose>(&number.to_string()).ok()?.0
}

/// The values of each combination, the last parameter changing first.
fn combinations(parameters: &[serde_json::Value]) -> Vec<String> {
    let mut all = vec![String::new()];
    for values in parameters.iter().filter_map(serde_json::Value::as_array) {
        let value =
            |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let values: Vec<String> = values.iter().map(value).collect();
        let with = |before: &String| {
            let between = if before.is_empty() { "" } else { ", " };
            values.iter().map(|value| format!("{before}{between}{value}")).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

/// What the prefix of a benchmark's name says that it measures.
fn metric_of(name: &str) -> &'static str {
    let last = name.rsplit('.').next().unwrap_or_default().to_lowercase();
    match last.split('_').next() {
        Some("mem") => "memoryBytes",
        Some("peakmem") => "peakMemoryBytes",
        Some("track") => "value",
        _ => "timeS",
    }
}
