//! The tables of Go's benchstat: one for each unit, with a column for each file that it was given.
//!
//! ```text
//! pkg: example.com/parse
//!          │   old.txt   │              new.txt              │
//!          │   sec/op    │   sec/op     vs base              │
//! Long-8     112.8µ ± 1%   113.9µ ± 2%  +0.98% (p=0.002 n=6)
//! geomean    112.8µ        113.9µ       +0.98%
//!
//! name     old time/op    new time/op    delta
//! Long-8      113µs ± 1%     114µs ± 2%  +0.98%  (p=0.002 n=6+6)
//! ```
//!
//! The second kind is of versions before 2023. A benchmark need not be in all files: the place of its `±` says in which.
//!
//! Source: public results of both kinds, also of one file and of three.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("benchstat")
    .about("benchstat's tables: center and interval of time, memory and custom units, of each file")
    .contains(&["±"])
    .looks_like(|head| {
        ["│", "name "]
            .iter()
            .any(|mark| has_line(head, mark, |line| !units(line).is_empty()))
            .into()
    })
    .lines::<Reader>(&[]);

#[derive(Default)]
struct Reader {
    tables: Tables,
    package: String,
    /// The names of files of the table that begins, in the order of its columns.
    files: Vec<String>,
    columns: Vec<Column>,
    /// The units of the tables so far, of which each benchmark has one.
    known: Vec<String>,
}

struct Column {
    /// The number of characters before it.
    start: usize,
    file: String,
    unit: String,
}

impl LineReader for Reader {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let line = text(line);
        if line.contains('±') && !self.columns.is_empty() {
            return self.row(number, &line, sink);
        }
        self.columns.clear();
        if let Some(package) = line.strip_prefix("pkg: ") {
            package.trim().clone_into(&mut self.package);
        }
        let columns = units(&line);
        if let Some(first) = columns.first() {
            self.begin(number, &first.unit);
            self.columns = columns;
            for (column, file) in self.columns.iter_mut().zip(self.files.drain(..)) {
                column.file = file;
            }
            return true;
        }
        self.files = cells(&line)
            .skip(1)
            .map(|(_, cell)| cell.to_owned())
            .collect();
        !self.files.is_empty()
    }

    fn is_cut_off(&self, line: &[u8]) -> bool {
        !self.columns.is_empty() && !text(line).ends_with(['%', ')', '¹', '²', '│'])
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.tables.give(false, sink);
    }
}

impl Reader {
    /// Begins a table, whose benchmarks are those of the table before it if that has another unit.
    fn begin(&mut self, number: u64, unit: &str) {
        let unit = format!("{} {unit}", self.package);
        if self.known.is_empty() || self.known.contains(&unit) {
            self.tables.begin(number);
            self.known.clear();
        }
        self.known.push(unit);
    }

    fn row(&mut self, number: u64, line: &str, sink: &mut RowCollector<'_>) -> bool {
        let mut name = None;
        for (at, sign) in line.match_indices('±') {
            let before = line[..at].trim_end();
            let start = before
                .rfind(char::is_whitespace)
                .map_or(0, |blank| blank + 1);
            let name = *name.get_or_insert(line[..start].trim());
            let place = line[..at].chars().count();
            let Some(column) = self
                .columns
                .iter()
                .rev()
                .find(|column| column.start <= place)
            else {
                continue;
            };
            let (metric, value) = number_of(&before[start..], &column.unit);
            if name.is_empty() || value.is_none() {
                sink.skip(number, line.as_bytes(), || "no number".to_owned());
                continue;
            }
            let share = line[at + sign.len()..]
                .split_whitespace()
                .next()
                .and_then(|share| share.strip_suffix('%'));
            let share = share
                .and_then(|share| share.parse::<f64>().ok())
                .map(|percent| percent / 100.0);
            // The other end of an interval as wide as the number is unknown.
            let share = share.filter(|share| *share < 1.0);
            let name = joined([&*self.package, name], ".");
            let name = if self.columns.len() > 1 {
                with_details(&name, std::slice::from_ref(&column.file))
            } else {
                name
            };
            let mut metrics = Metrics::default();
            metrics.add_with_share(&metric, value, share);
            self.tables.extend(number, &name, metrics);
        }
        true
    }
}

/// The cells of the header of a table, with the number of characters before each.
fn cells(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    let cells = line.split('│').map(move |cell| {
        let begin = start;
        start += cell.chars().count() + 1;
        (begin, cell.trim())
    });
    let bars = line.matches('│').count();
    cells.take(bars)
}

/// The columns of a header with units; none of other lines.
fn units(line: &str) -> Vec<Column> {
    let is_unit = |word: &&str| word.ends_with("/op") || word.ends_with("/s") || *word == "speed";
    if line.contains('│') {
        let unit = |cell: &str| {
            cell.split_whitespace()
                .next()
                .unwrap_or_default()
                .to_owned()
        };
        let columns = cells(line).skip(1);
        let columns: Vec<_> = columns
            .map(|(start, cell)| Column {
                start,
                file: String::new(),
                unit: unit(cell),
            })
            .collect();
        let has_units =
            columns.iter().any(|column| is_unit(&&*column.unit)) || line.contains(" vs base ");
        return if has_units { columns } else { Vec::new() };
    }
    let Some(rest) = line.strip_prefix("name ") else {
        return Vec::new();
    };
    let shared = rest
        .strip_prefix("\\ ")
        .and_then(|rest| rest.split_whitespace().next());
    let mut columns = Vec::new();
    let (mut from, mut file) = (0, "");
    for word in line
        .split_whitespace()
        .filter(|word| !["name", "\\", "delta"].contains(word))
    {
        let Some(start) = line[from..].find(word).map(|at| from + at) else {
            continue;
        };
        from = start + word.len();
        match shared {
            Some(unit) if word != unit => {
                columns.push(Column {
                    start,
                    file: word.to_owned(),
                    unit: unit.to_owned(),
                });
            }
            Some(_) => {}
            None if is_unit(&word) => {
                let start = if file.is_empty() {
                    start
                } else {
                    start - file.len() - 1
                };
                columns.push(Column {
                    start,
                    file: file.to_owned(),
                    unit: word.to_owned(),
                });
                file = "";
            }
            None => file = word,
        }
    }
    columns
}

/// The metric and the number of a cell such as `112.8µ` or `8.05kB`.
fn number_of(cell: &str, unit: &str) -> (String, Option<Value>) {
    let end = cell
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(cell.len());
    let (number, scale) = cell.split_at(end);
    let seconds = || nanoseconds(number, &format!("{}s", scale.trim_end_matches('s')));
    let bytes = || {
        quantity(
            number,
            scale.trim_end_matches("/s").trim_end_matches('B'),
            "",
        )
    };
    match unit {
        "sec/op" | "time/op" => ("ns/op".to_owned(), seconds()),
        "B/op" | "alloc/op" => ("B/op".to_owned(), bytes()),
        "B/s" | "speed" => ("bytesPerSecond".to_owned(), bytes()),
        _ => {
            let small = || shifted(&seconds()?.to_string(), -9);
            (unit.to_owned(), quantity(number, scale, "").or_else(small))
        }
    }
}
