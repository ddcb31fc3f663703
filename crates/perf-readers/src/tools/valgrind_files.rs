//! Files of Valgrind's tools, which name the command: `cachegrind.out.<pid>`, `callgrind.out.<pid>` and
//! `dhat.out.<pid>`. Only the totals are read.

use std::io;

use serde::Deserialize;

use crate::format::{Format, Kind, Samples};
use crate::input::{lines, source::Source, text::text};
use crate::json::{self, Piece};
use crate::rows::RowCollector;
use crate::text_rows::skip_overlong;
use crate::tools::common::{command, valgrind::Events};
use perf_model::row::Value;

pub(crate) const COUNTS: Format = Format {
    name: "callgrind",
    about: "files of Cachegrind and Callgrind: the totals of every event",
    samples: Samples::Launches,
    looks_like: |head| {
        let start = &head[..head.len().min(4096)];
        let has = |text: &[u8]| memchr::memmem::find(start, text).is_some();
        let begins = start.starts_with(b"# callgrind format")
            || start.starts_with(b"version: ")
            || start.starts_with(b"desc: ");
        (begins && (has(b"\nevents: ") || has(b"\ncmd: "))).into()
    },
    kind: Kind::Document(counts),
};

pub(crate) const DHAT: Format = Format {
    name: "dhat",
    about: "files of DHAT: bytes and blocks that were allocated in all, at the peak and at the end",
    samples: Samples::Launches,
    looks_like: |head| json::has_keys(head, b"{", &["dhatFileVersion", "cmd"]).into(),
    kind: Kind::Document(allocations),
};

/// The totals of a file, whose parts are added up: a process may write several.
#[derive(Default)]
struct Totals {
    line: u64,
    command: String,
    events: Vec<String>,
    /// Behind the costs of a part, and before them; Callgrind may write both, of which the first is exact.
    behind: Vec<i64>,
    summary: Vec<i64>,
}

fn counts(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> io::Result<()> {
    let mut totals = Totals::default();
    let seen = lines::each(source, |number, line| {
        // Most lines are costs.
        if line.first().is_some_and(u8::is_ascii_lowercase) {
            if line.starts_with(b"cmd:") && !totals.command.is_empty() {
                std::mem::take(&mut totals).give(number, sink);
                sink.next_document();
            }
            totals.line(number, line);
        }
    })?;
    skip_overlong(&seen.overlong, sink);
    sink.lines(seen.lines);
    totals.give(seen.lines, sink);
    Ok(())
}

impl Totals {
    fn line(&mut self, number: u64, line: &[u8]) {
        let Some(at) = memchr::memchr(b':', &line[..line.len().min(16)]) else { return };
        let value = text(&line[at + 1..]);
        let words = value.split_whitespace();
        let sums = match &line[..at] {
            b"cmd" => {
                self.command = command::shown(value.trim());
                return;
            }
            b"events" => {
                self.events = words.map(str::to_owned).collect();
                return;
            }
            b"totals" => &mut self.behind,
            b"summary" => &mut self.summary,
            _ => return,
        };
        self.line = number;
        for (at, count) in words.filter_map(|word| word.parse::<i64>().ok()).enumerate() {
            match sums.get_mut(at) {
                Some(sum) => *sum = sum.saturating_add(count),
                None => sums.push(count),
            }
        }
    }

    fn give(&self, lines: u64, sink: &mut RowCollector<'_>) {
        let sums = if self.behind.is_empty() { &self.summary } else { &self.behind };
        if sums.is_empty() {
            let why = || "file is cut off: neither `summary:` nor `totals:`".to_owned();
            return sink.skip(lines, self.command.as_bytes(), why);
        }
        let mut events = Events::default();
        for (event, sum) in self.events.iter().zip(sums) {
            events.add("", event, Some(Value::Int(*sum)));
        }
        events.row(self.line, &self.command, sink);
    }
}

/// What one place in the program allocated: in all, at the peak of the whole program, and at its end.
#[derive(Default, Deserialize)]
#[serde(default, expecting = "a place that allocates")]
struct Place {
    tb: Option<i64>,
    tbk: Option<i64>,
    gb: Option<i64>,
    gbk: Option<i64>,
    eb: Option<i64>,
    ebk: Option<i64>,
}

#[derive(Default)]
struct Allocations {
    line: u64,
    command: String,
    sums: [Option<i64>; 6],
}

fn allocations(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> io::Result<()> {
    let take = |all: &mut Allocations, piece: &Piece<'_>, sink: &mut RowCollector<'_>| {
        if piece.pattern == 0 {
            all.line = piece.line;
            all.command = command::shown(&piece.parse::<String>(sink).unwrap_or_default());
        } else if let Some(Place { tb, tbk, gb, gbk, eb, ebk }) = piece.parse(sink) {
            for (sum, number) in all.sums.iter_mut().zip([tb, tbk, gb, gbk, eb, ebk]) {
                *sum = number.map(|number| sum.unwrap_or_default().saturating_add(number)).or(*sum);
            }
        }
    };
    json::documents(source, sink, &[&["cmd"], &["pps", "*"]], take, |all, sink| {
        const NAMES: [&str; 6] = [
            "Total bytes",
            "Total blocks",
            "At t-gmax bytes",
            "At t-gmax blocks",
            "At t-end bytes",
            "At t-end blocks",
        ];
        let mut events = Events::default();
        for (name, sum) in NAMES.iter().zip(all.sums) {
            if let Some(sum) = sum {
                events.add("", name, Some(Value::Int(sum)));
            }
        }
        if !events.is_empty() {
            events.row(all.line, &all.command, sink);
        }
    })
}
