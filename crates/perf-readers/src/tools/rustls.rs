//! rustls' `ci-bench`, CSV without a header: `icounts.csv` (instructions), `memory.csv` (what was allocated in
//! all and at the peak) and the times in nanoseconds of every run. The first two have a side in their names.

use std::io;

use crate::format::{Format, Kind, Likeness, Samples};
use crate::input::{lines, source::Source, text::text};
use crate::rows::{Cells, RowCollector};
use crate::text_rows::{report_unended, skip_overlong};
use perf_model::row::Value;

pub(crate) const FORMAT: Format = Format {
    name: "rustls-ci-bench",
    about: "rustls ci-bench: icounts.csv, memory.csv and the CSV of wall times",
    samples: Samples::Iterations,
    looks_like,
    kind: Kind::Document(read),
};

/// Prefixes of all names: the only hint in a CSV file without a header.
const KINDS: [&str; 2] = ["handshake_", "transfer_"];

/// How the session was resumed, which stands behind that.
const RESUMPTIONS: [&str; 3] = ["no_resume_", "session_id_", "tickets_"];

fn looks_like(head: &[u8]) -> Likeness {
    // The last line may go on behind the head.
    let (whole, rest) = head.split_at(memchr::memrchr(b'\n', head).unwrap_or(head.len()));
    let rest_fits = rest.trim_ascii().is_empty() || std::str::from_utf8(rest.trim_ascii()).is_ok_and(begins);
    let mut lines =
        whole.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).peekable();
    let has_lines = lines.peek().is_some();
    (has_lines
        && rest_fits
        && lines.all(|line| std::str::from_utf8(line).is_ok_and(|line| parse(line).is_some())))
    .into()
}

fn begins(line: &str) -> bool {
    KINDS.iter().any(|kind| line.starts_with(&kind[..kind.len().min(line.len())]))
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> io::Result<()> {
    let mut last_row = 0;
    let seen = lines::each(source, |number, line| {
        let text = text(line);
        match parse(&text) {
            Some((name, numbers)) => {
                last_row = number;
                row(number, name, &numbers, sink);
            }
            None if text.trim().is_empty() => {}
            None => sink.skip(number, line, || "expected a name and integers".to_owned()),
        }
    })?;
    skip_overlong(&seen.overlong, sink);
    if let Some(last) = seen.unended.filter(|_| last_row == seen.lines) {
        report_unended(seen.lines, last, sink);
    }
    sink.lines(seen.lines);
    Ok(())
}

/// The name and the numbers of a line.
fn parse(line: &str) -> Option<(&str, Vec<Value>)> {
    let (name, numbers) = line.trim().split_once(',')?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'));
    let whole = |text: &str| text.parse::<u64>().ok().and_then(|_| Value::parse(text));
    let numbers = numbers.split(',').map(whole).collect::<Option<Vec<_>>>()?;
    let rest = KINDS.iter().find_map(|kind| name.strip_prefix(kind));
    let is_resumed = rest.is_some_and(|rest| RESUMPTIONS.iter().any(|resumed| rest.starts_with(resumed)));
    (is_name && is_resumed).then_some((name, numbers))
}

fn row(line: u64, name: &str, numbers: &[Value], sink: &mut RowCollector<'_>) {
    let has_side = name.ends_with("_server") || name.ends_with("_client");
    let cells = Cells::of(name);
    match numbers {
        _ if !has_side => {
            let times: Vec<Option<Value>> = numbers.iter().copied().map(Some).collect();
            sink.samples(line, &cells, "timeNs", &times);
        }
        [count] => sink.measured(line, &cells, [("instructions", Some(*count))]),
        [bytes, blocks, peak_bytes, peak_blocks] => {
            let metrics = [
                ("allocatedBytes", bytes),
                ("allocations", blocks),
                ("peakBytes", peak_bytes),
                ("peakBlocks", peak_blocks),
            ];
            sink.measured(line, &cells, metrics.map(|(metric, value)| (metric, Some(*value))));
        }
        _ => sink.skip(line, name.as_bytes(), || {
            format!("`{name}` has {} numbers, expected 1 or 4", numbers.len())
        }),
    }
}
