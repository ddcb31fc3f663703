//! CSV without a header from rustls' `ci-bench`: `icounts.csv` (instructions), `memory.csv` (total and peak
//! allocations), and the times of every run in nanoseconds. In the first two files, each name ends with a side, client
//! or server.
//!
//! If this format is selected by name, benchmarks can have any name: a single number counts instructions, four numbers
//! are about memory, and otherwise they are times.

use crate::formats::common::prelude::*;
use crate::input::line_count;
use crate::text_rows::{each_line, report_unended};

pub(crate) const FORMAT: Format = Format::named("rustls-ci-bench")
    .about("rustls ci-bench: icounts.csv, memory.csv and the CSV of wall times")
    .samples(Samples::Iterations)
    .file("icounts.csv")
    .looks_like(looks_like)
    .document(read);

/// Prefixes of all rustls names: the only clue in a CSV file without a header.
const KINDS: [&str; 2] = ["handshake_", "transfer_"];

/// The kinds of session resumption, one of which follows the prefix in every name.
const RESUMPTIONS: [&str; 3] = ["no_resume_", "session_id_", "tickets_"];

/// One odd line is accepted for each group of this many lines.
const LINES_PER_ODD: u64 = 10;

fn looks_like(head: &str) -> Likeness {
    // The last line may continue after the head, so it is not checked.
    let whole = &head[..head.rfind('\n').map_or(head.len(), |end| end + 1)];
    let lines = whole.lines().filter(|line| !line.trim().is_empty());
    let most = line_count(whole) + 1;
    let (mut fit, mut named, mut odd) = (0, 0, 0);
    for line in lines {
        // There are too many odd lines, even if all remaining lines are results.
        if odd * LINES_PER_ODD > (most - odd).max(LINES_PER_ODD) {
            return Likeness::No;
        }
        match parse(line) {
            Some((name, _)) => {
                fit += 1;
                named += u64::from(is_of_rustls(name));
            }
            None => odd += 1,
        }
    }
    if fit == 0 || odd * LINES_PER_ODD > fit.max(LINES_PER_ODD) {
        Likeness::No
    } else if named * 2 > fit {
        Likeness::Yes
    } else {
        Likeness::Near(
            "has lines `name,number` without a unit: `--format rustls-ci-bench` reads them as instruction counts",
        )
    }
}

/// Whether the name may be from rustls.
fn is_of_rustls(name: &str) -> bool {
    let rest = KINDS.iter().find_map(|kind| name.strip_prefix(kind));
    rest.is_some_and(|rest| RESUMPTIONS.iter().any(|resumed| rest.starts_with(resumed)))
}

fn read(input: &Input<'_>, sink: &mut Rows<'_>) {
    let mut last_row = 0;
    each_line(input, sink, |number, line, sink| match parse(line) {
        Some((name, numbers)) => {
            last_row = number;
            row(number, name, &numbers, sink);
        }
        None if line.trim().is_empty() => {}
        None => sink.skip(number, line, || "expected a name and integers".to_owned()),
    });
    if last_row == line_count(input.text) {
        report_unended(last_row, input.text, sink);
    }
}

/// Returns a line's name and numbers; `None` if it is not a result.
fn parse(line: &str) -> Option<(&str, Vec<Value>)> {
    let (name, numbers) = line.trim().split_once(',')?;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-:/ ()[]<>=+#".contains(&byte);
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.bytes().all(is_part);
    let whole = |text: &str| text.parse::<u64>().ok().and_then(|_| Value::parse(text));
    let numbers = numbers.split(',').map(whole).collect::<Option<Vec<_>>>()?;
    is_name.then_some((name, numbers))
}

fn row(line: u64, name: &str, numbers: &[Value], sink: &mut Rows<'_>) {
    let has_side = name.ends_with("_server") || name.ends_with("_client");
    // In rustls' files, the numbers for a side are counts, and others are times. In other projects' files, one or four
    // numbers are counts.
    let is_timed = if is_of_rustls(name) {
        !has_side
    } else {
        numbers.len() != 1 && numbers.len() != 4
    };
    let cells = Cells::of(name);
    match numbers {
        _ if is_timed => {
            let times: Vec<Option<Value>> = numbers.iter().copied().map(Some).collect();
            sink.samples(line, &cells, "timeNs", &times);
        }
        [count] => sink.measured(line, &cells, [("instructions", Some(*count))]),
        [_, _, _, _] => {
            let names = ["allocatedBytes", "allocations", "peakBytes", "peakBlocks"];
            sink.measured(
                line,
                &cells,
                names.into_iter().zip(numbers.iter().copied().map(Some)),
            );
        }
        _ => sink.skip(line, name, || {
            format!("`{name}` has {} numbers, expected 1 or 4", numbers.len())
        }),
    }
}
