//! How each input line was read: `--explain-input`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use perf_model::row::Row;
use perf_readers::{ParseReport, propose};

use crate::input::{cannot_read, open};
use crate::term;

/// The maximum number of rows per line, and of characters per line, in a listing.
const MOST_ROWS: usize = 3;
const EXCERPT: usize = 160;

/// A line with rows, or a line that looks like one.
#[derive(Default)]
struct Line<'r> {
    text: String,
    rows: Vec<&'r Row>,
    reasons: Vec<String>,
}

/// Lists all input lines that were read, or look as if they should have been.
pub(super) fn list_lines(parsed: &ParseReport) -> anyhow::Result<String> {
    let mut listing = String::new();
    for (at, input) in parsed.inputs.iter().enumerate() {
        let _ = writeln!(listing, "{}: read as {}", input.name, input.format);
        for (number, line) in lines(parsed, at, &input.name)? {
            list(number, &line, &mut listing);
        }
    }
    Ok(listing)
}

/// An input's lines by number. Standard input cannot be read twice, so its lines have no text.
fn lines<'r>(
    parsed: &'r ParseReport,
    input: usize,
    name: &str,
) -> anyhow::Result<BTreeMap<u64, Line<'r>>> {
    let mut lines: BTreeMap<u64, Line<'r>> = BTreeMap::new();
    for (row, origin) in parsed.rows.iter().zip(&parsed.origins) {
        if origin.input() == input {
            lines.entry(origin.line()).or_default().rows.push(row);
        }
    }
    for skipped in parsed.skipped() {
        if skipped.input == Some(input) {
            let line = lines.entry(skipped.line.unwrap_or_default()).or_default();
            line.reasons.push(ParseReport::reason(skipped).to_owned());
        }
    }
    let path = Path::new(name);
    if !path.is_file() {
        return Ok(lines);
    }
    for (number, bytes) in (1..).zip(BufReader::new(open(path)?).split(b'\n')) {
        let bytes = bytes.map_err(|error| cannot_read(name, error))?;
        let text = String::from_utf8_lossy(&bytes).trim_end().to_owned();
        if let Some(known) = lines.get_mut(&number) {
            known.text = text;
        } else if propose::looks_like_result(&text) {
            let reasons = vec!["looks like a result, but no format reads it".to_owned()];
            let rows = Vec::new();
            lines.insert(
                number,
                Line {
                    text,
                    rows,
                    reasons,
                },
            );
        }
    }
    Ok(lines)
}

fn list(number: u64, line: &Line<'_>, listing: &mut String) {
    let text: String = line.text.trim_start().chars().take(EXCERPT).collect();
    let _ = writeln!(listing, "{number:7}  {}", term::printable(&text));
    for row in line.rows.iter().take(MOST_ROWS) {
        let values: Vec<String> = row
            .metrics
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let _ = writeln!(
            listing,
            "       = {}: {}",
            term::printable(&row.scenario),
            term::printable(&values.join(" "))
        );
    }
    if line.rows.len() > MOST_ROWS {
        let more = line.rows.len() - MOST_ROWS;
        let _ = writeln!(listing, "       = {more} more");
    }
    for reason in &line.reasons {
        let _ = writeln!(listing, "       ! {}", term::printable(reason));
    }
}
