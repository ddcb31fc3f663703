//! `--explain-input`: shows how each input line was read.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

use perf_readers::{ParseReport, propose};

use crate::input::{cannot_read, open};
use crate::term::printable;

/// The maximum number of entries shown for an input line, and the maximum number of characters shown of the line.
const MOST_ENTRIES: usize = 3;
const EXCERPT: usize = 160;

/// Lists all input lines that were read, or that look like results but were not read.
pub(super) fn list_lines(parsed: &ParseReport) -> anyhow::Result<String> {
    let mut listing = String::new();
    for (at, input) in parsed.inputs.iter().enumerate() {
        let _ = writeln!(listing, "{}: read as {}", input.name, input.format);
        let texts = texts(&input.name)?;
        let mut lines = entries(parsed, at);
        for (number, text) in &texts {
            if propose::looks_like_result(text) {
                let missed = || vec!["! looks like a result, but no format reads it".to_owned()];
                lines.entry(*number).or_insert_with(missed);
            }
        }
        for (number, entries) in lines {
            let text = texts.get(&number).map_or("", |text| text.trim_start());
            let excerpt: String = text.chars().take(EXCERPT).collect();
            let _ = writeln!(listing, "{number:7}  {}", printable(&excerpt));
            for entry in entries.iter().take(MOST_ENTRIES) {
                let _ = writeln!(listing, "       {entry}");
            }
            if entries.len() > MOST_ENTRIES {
                let more = entries.len() - MOST_ENTRIES;
                let _ = writeln!(listing, "       {more} more");
            }
        }
    }
    Ok(listing)
}

/// The rows that each line of an input contains, or the reason why the line was skipped.
fn entries(parsed: &ParseReport, input: usize) -> BTreeMap<u64, Vec<String>> {
    let mut lines: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for (row, origin) in parsed.rows.iter().zip(&parsed.origins) {
        if origin.input() != input {
            continue;
        }
        let metrics = row.metrics.iter();
        let values: Vec<String> = metrics
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let [name, values] = [&row.scenario, &*values.join(" ")].map(printable);
        let line = lines.entry(origin.line()).or_default();
        line.push(format!("= {name}: {values}"));
    }
    for skipped in parsed.skipped() {
        if skipped.input == Some(input) {
            let reason = printable(ParseReport::reason(skipped));
            let line = lines.entry(skipped.line.unwrap_or_default()).or_default();
            line.push(format!("! {reason}"));
        }
    }
    lines
}

/// An input's lines by number. Empty for standard input, which cannot be read twice.
fn texts(name: &str) -> anyhow::Result<BTreeMap<u64, String>> {
    let path = Path::new(name);
    if !path.is_file() {
        return Ok(BTreeMap::new());
    }
    let mut bytes = Vec::new();
    let read = open(path)?.read_to_end(&mut bytes);
    read.map_err(|error| cannot_read(name, error))?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.split('\n').map(|line| line.trim_end().to_owned());
    Ok((1..).zip(lines).collect())
}
