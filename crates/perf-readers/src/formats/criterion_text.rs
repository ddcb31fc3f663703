//! criterion's report on the terminal:
//!
//! ```text
//! parse/short             time:   [153.72 ns 155.60 ns 157.89 ns]
//!                         thrpt:  [134.90 MiB/s 135.93 MiB/s 136.74 MiB/s]
//! ```
//!
//! A long name stands on a line of its own. What follows `change:` is relative and no measurement. Several binaries
//! may have benchmarks of one name, so results wait for the end of the input.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::formats::common::cargo;
use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("criterion-text")
    .about("criterion's report on the terminal: typical time and throughput with their intervals")
    .contains(&[" time:"])
    .looks_like(|head| {
        memchr::memmem::find_iter(head, TIME)
            .any(|at| is_measured(&head[at..]))
            .into()
    })
    .lines::<Report>();

const TIME: &[u8] = b" time:";
const THROUGHPUT: &[u8] = b" thrpt:  [";

static FIND_TIME: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(TIME));

/// The most bytes of a name.
const LONGEST_NAME: usize = 1024;

/// The text behind the bracket of a text that begins with [`TIME`], whose blanks may be lost.
fn inside(text: &[u8]) -> Option<&[u8]> {
    let blanks = text[TIME.len()..]
        .iter()
        .take_while(|byte| **byte == b' ')
        .count();
    text[TIME.len() + blanks..].strip_prefix(b"[")
}

/// True if a text that begins with [`TIME`] has six words in its brackets; a change has fewer, as it has no units.
fn is_measured(text: &[u8]) -> bool {
    let Some(inside) = inside(text) else {
        return false;
    };
    let line = &inside[..memchr::memchr2(b'\n', b']', inside).unwrap_or(inside.len())];
    begins_measured(text)
        && line
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty())
            .count()
            == 6
}

/// True if a digit or a space follows the bracket: changes have a sign.
fn begins_measured(text: &[u8]) -> bool {
    inside(text)
        .and_then(<[u8]>::first)
        .is_some_and(|byte| byte.is_ascii_digit() || *byte == b' ')
}

#[derive(Default)]
struct Report {
    /// The line before, which is a name when that of the benchmark is long.
    before: Vec<u8>,
    binary: Option<Rc<str>>,
    benchmarks: Vec<Benchmark>,
    is_open: bool,
}

/// A benchmark, with its line and the metrics read so far.
struct Benchmark {
    name: String,
    binary: Option<Rc<str>>,
    line: u64,
    metrics: Metrics,
}

impl LineReader for Report {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let taken = match FIND_TIME
            .find(line)
            .filter(|at| begins_measured(&line[*at..]))
        {
            Some(at) => self.time(number, line, at, sink),
            None => line.last() == Some(&b']') && self.throughput(line),
        };
        self.is_open &= taken;
        if !taken && let Some(binary) = cargo::binary(line) {
            self.binary = Some(binary.into());
        }
        self.before.clear();
        self.before
            .extend_from_slice(&line[..line.len().min(LONGEST_NAME)]);
        taken
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        let mut binaries: HashMap<&str, Option<&Rc<str>>> = HashMap::new();
        let mut repeated: HashSet<&str> = HashSet::new();
        for Benchmark { name, binary, .. } in &self.benchmarks {
            if *binaries.entry(name).or_insert(binary.as_ref()) != binary.as_ref() {
                repeated.insert(name);
            }
        }
        for Benchmark {
            name,
            binary,
            line,
            metrics,
        } in &self.benchmarks
        {
            let of_binary = binary.as_ref().filter(|_| repeated.contains(&**name));
            let name = of_binary.map_or_else(|| name.clone(), |binary| format!("{binary}::{name}"));
            sink.measured(*line, &Cells::of(&name), metrics);
        }
    }
}

impl Report {
    /// Reads the line that begins a benchmark, which has its time at this place.
    fn time(&mut self, number: u64, line: &[u8], at: usize, sink: &mut RowCollector<'_>) -> bool {
        self.is_open = false;
        if !line.contains(&b']') {
            sink.skip(number, line, || "line is cut off".to_owned());
            return true;
        }
        if !is_measured(&line[at..]) {
            return false;
        }
        let name = match line[..at].trim_ascii() {
            b"" => self.before.trim_ascii(),
            name => name,
        };
        let name = text(name).into_owned();
        let text = text(inside(&line[at..]).unwrap_or_default());
        let Some(values) = three(&text, nanoseconds) else {
            sink.skip(number, line, || {
                "expected three times with units".to_owned()
            });
            return true;
        };
        let metrics = interval("timeNs", values);
        self.benchmarks.push(Benchmark {
            name,
            binary: self.binary.clone(),
            line: number,
            metrics,
        });
        self.is_open = true;
        true
    }

    /// Reads what a benchmark does in that time.
    fn throughput(&mut self, line: &[u8]) -> bool {
        let open = self.benchmarks.last_mut().filter(|_| self.is_open);
        let (Some(at), Some(open)) = (memchr::memmem::find(line, THROUGHPUT), open) else {
            return false;
        };
        let text = text(&line[at + THROUGHPUT.len()..]);
        let rates = [
            ("bytesPerSecond", "B/s"),
            ("bitsPerSecond", "b/s"),
            ("itemsPerSecond", "elem/s"),
        ];
        let read = |(metric, base): (&str, &str)| {
            Some(interval(
                metric,
                three(&text, |number, unit| quantity(number, unit, base))?,
            ))
        };
        let Some(metrics) = rates.into_iter().find_map(read) else {
            return false;
        };
        open.metrics.extend(metrics);
        true
    }
}

/// The lower end, the typical value and the upper end in `1 ns 2 ns 3 ns]`.
fn three(text: &str, read: impl Fn(&str, &str) -> Option<Value>) -> Option<[Value; 3]> {
    let (inside, _) = text.split_once(']')?;
    let words: Vec<&str> = inside.split_ascii_whitespace().collect();
    match words.as_slice() {
        [a, a_unit, b, b_unit, c, c_unit] => {
            Some([read(a, a_unit)?, read(b, b_unit)?, read(c, c_unit)?])
        }
        _ => None,
    }
}

fn interval(metric: &str, [lower, typical, upper]: [Value; 3]) -> Metrics {
    let mut metrics = Metrics::default();
    let parts = [("", typical), (".lower", lower), (".upper", upper)];
    metrics.add_parts(metric, parts.map(|(part, value)| (part, Some(value))));
    metrics
}
