//! Logs of histograms (`.hlog`): a line for each interval, encoded. The intervals of a tag are one measurement.
//!
//! Values are nanoseconds; metrics are milliseconds, as in the output of HdrHistogram's own tools.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use crate::formats::common::names::of_file;
use crate::formats::common::prelude::*;
use crate::formats::hdrhistogram::encoded;
use crate::formats::hdrhistogram::encoded::{Counts, MOST_VALUES, TOO_MANY};
use crate::formats::hdrhistogram::percentiles::{PERCENTILES, latencies};
use crate::formats::hdrhistogram::unit::outcome;

pub(crate) const FORMAT: Format = Format::named("hdrhistogram-log")
    .about("logs of HdrHistogram (.hlog): mean, deviation and percentiles of each tag")
    .looks_like(looks_like)
    .lines::<Lines>();

/// A header, or an interval: hdr-histogram-js leaves the header to its caller.
fn looks_like(head: &[u8]) -> Likeness {
    let headers = [
        "#[Histogram log format version",
        "\"Interval_Compressed_Histogram\"",
    ];
    let has_interval = || has_line(head, ",HIST", |line| interval(line.as_bytes()).is_some());
    (headers.iter().any(|header| has_all(head, &[header])) || has_interval()).into()
}

#[derive(Default)]
struct Lines {
    /// The counts of each tag, with the line of its first interval.
    tags: IndexMap<String, (u64, Counts)>,
    values: usize,
    reported: BTreeSet<&'static str>,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if line.starts_with(b"#[") || line.starts_with(b"\"StartTimestamp\"") {
            return true;
        }
        let begins = |byte: &u8| byte.is_ascii_digit() || *byte == b'T';
        if !line.first().is_some_and(begins) {
            return false;
        }
        let Some((tag, payload)) = interval(line) else {
            return false;
        };
        if let Err(why) = self.add(number, &tag, payload) {
            // A log of another version has it on every line.
            if !encoded::UNSUPPORTED.contains(&why) || self.reported.insert(why) {
                sink.skip(number, line, || why.to_owned());
            }
        }
        true
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        for (tag, (line, counts)) in std::mem::take(&mut self.tags) {
            let name = if tag.is_empty() {
                of_file(sink.input(), "histogram").to_owned()
            } else {
                tag
            };
            give(line, &name, &counts, sink);
        }
    }
}

/// The tag of an interval, if it has one, and the encoded histogram.
fn interval(line: &[u8]) -> Option<(String, &[u8])> {
    let (tag, rest) = match line.strip_prefix(b"Tag=") {
        Some(tagged) => {
            let end = memchr::memchr(b',', tagged)?;
            (text(&tagged[..end]).into_owned(), &tagged[end + 1..])
        }
        None => (String::new(), line),
    };
    let mut cells = rest.splitn(4, |byte| *byte == b',');
    let is_number = |cell: &[u8]| {
        std::str::from_utf8(cell).is_ok_and(|cell| Value::parse(cell.trim()).is_some())
    };
    let numbers = cells
        .by_ref()
        .take(3)
        .filter(|cell| is_number(cell))
        .count();
    let payload = cells
        .next()
        .filter(|payload| numbers == 3 && payload.starts_with(b"HIST"))?;
    Some((tag, payload.trim_ascii()))
}

impl Lines {
    fn add(&mut self, line: u64, tag: &str, payload: &[u8]) -> Result<(), &'static str> {
        let counts = encoded::decode(payload)?;
        if self.values + counts.len() > MOST_VALUES {
            return Err(TOO_MANY);
        }
        let (_, merged) = self
            .tags
            .entry(tag.to_owned())
            .or_insert_with(|| (line, Counts::default()));
        let before = merged.len();
        merged.add(counts);
        self.values += merged.len() - before;
        Ok(())
    }
}

fn give(line: u64, name: &str, counts: &Counts, sink: &mut RowCollector<'_>) {
    let scaled = |value: Option<Value>| shifted(&value?.to_string(), -6);
    let whole = |value: Option<u64>| {
        scaled(
            value
                .and_then(|value| i64::try_from(value).ok())
                .map(Value::Int),
        )
    };
    let mean = counts.mean();
    let deviation = mean.and_then(|mean| Value::new(counts.deviation(mean)));
    let summary = [
        ("", scaled(mean.and_then(Value::new))),
        (".stddev", scaled(deviation)),
        (".min", whole(counts.least())),
        (".max", whole(counts.most())),
    ];
    let metrics = latencies(
        "Ms",
        summary,
        PERCENTILES.map(|(percentile, _)| whole(counts.percentile(percentile))),
    );
    sink.measured(
        line,
        &Cells {
            outcome: outcome(sink.input()),
            ..Cells::of(name)
        },
        &metrics,
    );
}
