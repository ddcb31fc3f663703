//! How each input line was read: `--explain-input`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use perf_model::row::Row;
use perf_readers::{ParseReport, propose};
use serde_json::{Map, Value, json};

use crate::input::{cannot_read, open};
use crate::term;

/// The maximum number of rows per line, and of characters per line, in a listing.
const MOST_ROWS: usize = 3;
const EXCERPT: usize = 160;

/// A line with rows, or a line that looks like one.
#[derive(Default)]
struct Line<'r> {
    number: u64,
    text: String,
    rows: Vec<&'r Row>,
    reasons: Vec<String>,
}

/// All input lines that were read, or look as if they should have been: as a listing, or as JSON.
pub(super) fn explained(parsed: &ParseReport, as_json: bool) -> anyhow::Result<String> {
    let mut inputs = Vec::new();
    let mut listing = String::new();
    for (at, input) in parsed.inputs.iter().enumerate() {
        let lines = lines(parsed, at, &input.name)?;
        if as_json {
            let lines: Vec<Value> = lines.iter().map(object).collect();
            inputs.push(json!({ "input": input.name, "format": input.format, "lines": lines }));
        } else {
            let _ = writeln!(listing, "{}: read as {}", input.name, input.format);
            for line in &lines {
                list(line, &mut listing);
            }
        }
    }
    Ok(if as_json {
        format!("{:#}\n", Value::from(inputs))
    } else {
        listing
    })
}

/// An input's lines. Standard input cannot be read twice, so its lines have no text.
fn lines<'r>(parsed: &'r ParseReport, input: usize, name: &str) -> anyhow::Result<Vec<Line<'r>>> {
    let mut told: BTreeMap<u64, Line<'r>> = BTreeMap::new();
    for (row, origin) in parsed
        .rows
        .iter()
        .zip(&parsed.origins)
        .filter(|(_, origin)| origin.input() == input)
    {
        told.entry(origin.line()).or_default().rows.push(row);
    }
    let skipped = parsed.skipped();
    for skipped in skipped.filter(|skipped| skipped.input == Some(input)) {
        told.entry(skipped.line.unwrap_or_default())
            .or_default()
            .reasons
            .push(ParseReport::reason(skipped).to_owned());
    }
    let path = Path::new(name);
    if path.is_file() {
        let mut text = BufReader::new(open(path)?);
        let (mut number, mut bytes) = (0, Vec::new());
        while text
            .read_until(b'\n', &mut bytes)
            .map_err(|error| cannot_read(name, error))?
            > 0
        {
            number += 1;
            let line = String::from_utf8_lossy(&bytes);
            let line = line.trim_end();
            if let Some(known) = told.get_mut(&number) {
                line.clone_into(&mut known.text);
            } else if propose::looks_like_result(line) {
                let reasons = vec!["looks like a result, but no format reads it".to_owned()];
                told.insert(
                    number,
                    Line {
                        text: line.to_owned(),
                        reasons,
                        ..Line::default()
                    },
                );
            }
            bytes.clear();
        }
    }
    Ok(told
        .into_iter()
        .map(|(number, line)| Line { number, ..line })
        .collect())
}

fn metrics(row: &Row) -> impl Iterator<Item = (&str, String)> {
    row.metrics
        .iter()
        .map(|(name, value)| (&**name, value.to_string()))
}

fn list(line: &Line<'_>, listing: &mut String) {
    let text: String = line.text.trim_start().chars().take(EXCERPT).collect();
    let _ = writeln!(listing, "{:7}  {}", line.number, term::printable(&text));
    for row in line.rows.iter().take(MOST_ROWS) {
        let values: Vec<String> = metrics(row)
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let _ = writeln!(
            listing,
            "       = {}: {}",
            term::printable(&row.scenario),
            term::printable(&values.join(" "))
        );
    }
    if let Some(more) = line
        .rows
        .len()
        .checked_sub(MOST_ROWS)
        .filter(|more| *more > 0)
    {
        let _ = writeln!(listing, "       = {more} more");
    }
    for reason in &line.reasons {
        let _ = writeln!(listing, "       ! {}", term::printable(reason));
    }
}

fn object(line: &Line<'_>) -> Value {
    let row = |row: &&Row| {
        let metrics: Map<String, Value> = metrics(row)
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect();
        json!({ "scenario": &*row.scenario, "runIndex": row.run_index, "metrics": metrics })
    };
    let rows: Vec<Value> = line.rows.iter().map(row).collect();
    json!({ "line": line.number, "text": line.text, "rows": rows, "skipped": line.reasons })
}
