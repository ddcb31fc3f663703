//! Catch2's report on the terminal: a header with the test case and its sections, and a table in which a benchmark
//! has a line of samples, one of its mean and one of its deviation, or a single one when nothing was analysed.
//! Each cell has a unit of its own.

use crate::formats::catch2::wrapped::{join, unwrapped};
use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("catch2")
    .about("Catch2's tables of benchmarks: mean and deviation with their intervals")
    .contains(&[HEADER])
    .looks_like(|head| {
        let is_header = |line: &str| begins_table(line.as_bytes()) && line.contains(" iterations ");
        has_line(head, HEADER, is_header).into()
    })
    .lines::<Lines>();

/// The beginning of a table's header.
const HEADER: &str = "benchmark name ";

/// True for the header of a table, also as an item of a list.
fn begins_table(line: &[u8]) -> bool {
    line.strip_prefix(b"-")
        .unwrap_or(line)
        .starts_with(HEADER.as_bytes())
}

/// The most bytes of a name that goes over several lines.
const LONGEST_NAME: usize = 4096;

/// The place of a line in the output.
#[derive(Default)]
enum Place {
    #[default]
    Elsewhere,
    /// Behind a rule, with what may be a test case and its sections, if another rule follows.
    Around(Vec<String>),
    /// Behind the first line of a table's header.
    Header,
    Rows,
}

#[derive(Default)]
struct Lines {
    place: Place,
    around: Vec<String>,
    only_means: bool,
    /// A name that continues on further lines, and its first line.
    name: (u64, String),
    open: Option<Benchmark>,
}

/// A benchmark whose table row goes on.
struct Benchmark {
    line: u64,
    scenario: String,
    mean: Option<[Option<Value>; 3]>,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if line.starts_with(b"-----") && line.iter().all(|byte| *byte == b'-') {
            self.rule(sink);
            return true;
        }
        if begins_table(line) {
            self.leave(sink);
            self.only_means = line.ends_with(b" mean");
            self.place = Place::Header;
            return true;
        }
        match &mut self.place {
            Place::Elsewhere => false,
            Place::Header if line.starts_with(b"  ") => true,
            Place::Header => {
                self.place = Place::Elsewhere;
                false
            }
            // Any line after a rule may be the name of a test case.
            Place::Around(around) => {
                let name = text(line).trim_end().to_owned();
                if name.is_empty() {
                    around.clear();
                } else if around.iter().map(String::len).sum::<usize>() + name.len() < LONGEST_NAME
                {
                    around.push(name);
                }
                false
            }
            Place::Rows if line.starts_with(b"=====") || line.starts_with(b".....") => {
                self.leave(sink);
                false
            }
            Place::Rows => self.row(number, &text(line), sink),
        }
    }

    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        // Behind a table there is a line of what became of all tests.
        let is_table =
            matches!(self.place, Place::Header | Place::Rows) && !line.starts_with(b"=====");
        let is_broken = is_table && (self.open.is_some() || !line.trim_ascii().is_empty());
        // `end` reports a row that is cut off.
        if is_broken && self.open.is_none() {
            sink.skip_cut_off(number, line);
        }
        is_broken || self.line(number, line, sink)
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        if let Some(open) = self.open.as_ref().filter(|open| open.mean.is_some()) {
            sink.skip(open.line, open.scenario.as_bytes(), || {
                "row is cut off after its mean".to_owned()
            });
        }
        self.leave(sink);
    }
}

impl Lines {
    /// A line of dashes: around a header, and between the header of a table and its rows.
    fn rule(&mut self, sink: &mut RowCollector<'_>) {
        self.place = match std::mem::take(&mut self.place) {
            // Another rule may stand before that of a header.
            Place::Around(around) => {
                self.around = unwrapped(&around);
                Place::Around(Vec::new())
            }
            Place::Header => Place::Rows,
            Place::Elsewhere | Place::Rows => {
                self.leave(sink);
                Place::Around(Vec::new())
            }
        };
    }

    /// The table has ended.
    fn leave(&mut self, sink: &mut RowCollector<'_>) {
        self.place = Place::Elsewhere;
        self.name = Default::default();
        self.close(sink);
    }

    /// The row of a benchmark has ended, whole or not.
    fn close(&mut self, sink: &mut RowCollector<'_>) {
        if let Some(open) = self.open.take() {
            match open.mean {
                Some(mean) => give(open.line, &Cells::of(&open.scenario), mean, None, sink),
                None => sink.skip(open.line, open.scenario.as_bytes(), || {
                    "row is cut off".to_owned()
                }),
            }
        }
    }

    /// A line of a table; whether it was one.
    fn row(&mut self, number: u64, line: &str, sink: &mut RowCollector<'_>) -> bool {
        if line.trim().is_empty() {
            self.name = Default::default();
            return true;
        }
        if let Some((name, _)) = line.split_once("Benchmark failed (") {
            let (line, scenario) = self.scenario(number, name);
            sink.without_metrics(line, &Cells::of(&scenario), Outcome::Failed);
            return true;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let (Some(times), Some(open)) = (times(&words), &mut self.open) else {
            self.close(sink);
            return self.first_row(number, line, &words, sink);
        };
        match open.mean {
            None => open.mean = Some(times),
            Some(mean) => {
                give(open.line, &Cells::of(&open.scenario), mean, times[0], sink);
                self.open = None;
            }
        }
        true
    }

    /// A benchmark's name, or a part of it, with the columns behind it.
    fn first_row(
        &mut self,
        number: u64,
        line: &str,
        words: &[&str],
        sink: &mut RowCollector<'_>,
    ) -> bool {
        let Some((name, [samples, iterations, value, unit])) = words.split_last_chunk::<4>() else {
            self.part_of_name(number, line);
            return false;
        };
        let is_count = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let Some(time) = time(value, unit).filter(|_| is_count(samples) && is_count(iterations))
        else {
            self.part_of_name(number, line);
            return false;
        };
        let end = name.last().map_or(0, |last| {
            last.as_ptr().addr() - line.as_ptr().addr() + last.len()
        });
        let (line, scenario) = self.scenario(number, &line[..end]);
        if self.only_means {
            give(
                line,
                &Cells::of(&scenario),
                [Some(time), None, None],
                None,
                sink,
            );
        } else {
            self.open = Some(Benchmark {
                line,
                scenario,
                mean: None,
            });
        }
        true
    }

    /// Any other line of a table may be part of a name.
    fn part_of_name(&mut self, number: u64, line: &str) {
        if self.name.1.is_empty() {
            self.name.0 = number;
        }
        if self.name.1.len() + line.len() < LONGEST_NAME {
            join(&mut self.name.1, line.trim());
        }
    }

    /// Returns the line where the benchmark began whose name ends with `rest`, and its full name.
    fn scenario(&mut self, number: u64, rest: &str) -> (u64, String) {
        self.part_of_name(number, rest);
        let (line, name) = std::mem::take(&mut self.name);
        (
            line,
            scenario(self.around.iter().map(String::as_str), &name),
        )
    }
}

/// Gives the row of a benchmark: the mean with the ends of its interval, and the deviation.
pub(super) fn give(
    line: u64,
    cells: &Cells<'_>,
    [mean, lower, upper]: [Option<Value>; 3],
    deviation: Option<Value>,
    sink: &mut RowCollector<'_>,
) {
    let metrics = [
        ("timeNs", mean),
        ("timeNs.lower", lower),
        ("timeNs.upper", upper),
        ("timeNs.stddev", deviation),
    ];
    sink.measured(line, cells, metrics);
}

/// Three times with their units, and nothing else.
fn times(words: &[&str]) -> Option<[Option<Value>; 3]> {
    let [a, a_unit, b, b_unit, c, c_unit] = words else {
        return None;
    };
    Some([
        Some(time(a, a_unit)?),
        Some(time(b, b_unit)?),
        Some(time(c, c_unit)?),
    ])
}

/// A time in nanoseconds.
fn time(value: &str, unit: &str) -> Option<Value> {
    if unit == "m" {
        return Value::new(shifted(value, 9)?.as_f64() * 60.0);
    }
    shifted(value, to_nanoseconds(unit)?)
}

/// `test case/section/benchmark`.
pub(crate) fn scenario<'a>(around: impl Iterator<Item = &'a str>, name: &'a str) -> String {
    around.chain([name]).collect::<Vec<_>>().join("/")
}
