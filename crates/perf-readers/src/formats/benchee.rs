//! Benchee's tables, which show the time, memory and reductions of each job for each input.
//!
//! ```text
//! ##### With input Big #####
//! Name               ips        average  deviation         median         99th %
//! flat_map        2.40 K      416.92 μs    ±12.87%      406.27 μs      683.19 μs
//! ```
//!
//! Source: `lib/benchee/formatters/console` of Benchee 1.3.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("benchee")
    .about("Elixir's Benchee: time with its deviation and percentiles, memory, reductions")
    .contains(&[" deviation "])
    .looks_like(|head| {
        has_line(head, " deviation ", |line| {
            Section::of(line) == Some(Section::Time)
        })
        .into()
    })
    .lines::<Lines>();

/// The quantity in the rows below a header.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Time,
    Memory,
    Reductions,
}

impl Section {
    fn of(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["Name", "ips", "average", "deviation", "median", ..] => Some(Self::Time),
            ["Name", "Memory", "usage", ..] | ["Name", "average", "deviation", ..] => {
                Some(Self::Memory)
            }
            ["Name", "Reduction", "count", ..] => Some(Self::Reductions),
            _ => None,
        }
    }
}

#[derive(Default)]
struct Lines {
    tables: Tables,
    section: Option<Section>,
    /// The quantity that a heading announced for the next table. The table's own header may not show the quantity.
    announced: Option<Section>,
    input: String,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        let line = line.trim_end();
        if let Some(input) = line.strip_prefix("##### With input ") {
            input
                .trim_end_matches('#')
                .trim()
                .clone_into(&mut self.input);
            self.announced = None;
            return true;
        }
        // Another run begins, possibly without inputs.
        if line.starts_with("Operating System: ") {
            self.input.clear();
        }
        match line {
            "Memory usage statistics:" => self.announced = Some(Section::Memory),
            "Reduction count statistics:" => self.announced = Some(Section::Reductions),
            _ => {}
        }
        if let Some(section) = Section::of(line) {
            let is_time = section == Section::Time;
            if is_time {
                self.announced = None;
                self.tables.begin(number);
            }
            self.section = self.announced.or(Some(section));
            return true;
        }
        let Some(section) = self.section else {
            return false;
        };
        let row = match section {
            Section::Time => time(line),
            Section::Memory => amount(line, "allocatedMemoryBytes", |number, unit| {
                binary_bytes(number, unit).filter(|_| !unit.is_empty())
            }),
            Section::Reductions => amount(line, "reductions", scaled),
        };
        match row {
            Some((name, metrics)) => self.tables.extend(number, &self.name(name), metrics),
            None if line.contains('±') => {
                sink.skip(number, line, || "not a table row".to_owned());
            }
            None => {
                self.section = None;
                return false;
            }
        }
        true
    }

    fn is_cut_off(&self, line: &str) -> bool {
        self.section.is_some() && !line.is_empty()
    }

    fn end(&mut self, sink: &mut Rows<'_>) {
        self.tables.give(sink);
    }
}

impl Lines {
    fn name(&self, name: &str) -> String {
        if self.input.is_empty() {
            name.to_owned()
        } else {
            format!("{name} ({})", self.input)
        }
    }
}

/// Reads a row with times. Returns the job's name and metrics.
fn time(line: &str) -> Option<(&str, Metrics)> {
    let (before, behind) = line.split_once('±')?;
    let (before, unit) = before.trim_end().rsplit_once(' ')?;
    let (before, number) = before.trim_end().rsplit_once(' ')?;
    let average = of_unit(number, unit)?;
    let (before, last) = before.trim_end().rsplit_once(' ')?;
    let (name, rate) = match last {
        "K" | "M" | "B" | "T" => {
            let (name, number) = before.trim_end().rsplit_once(' ')?;
            (name, scaled(number, last))
        }
        number => (before, Value::parse(number)),
    };
    let words: Vec<&str> = behind.split_whitespace().collect();
    let share = words.first()?.strip_suffix('%').and_then(Value::parse);
    let deviation = share.and_then(|share| percentage_of(average, share));
    let at = |place: usize| of_unit(words.get(place)?, words.get(place + 1)?);
    let metrics = Metrics::from([
        ("timeNs", Some(average)),
        ("timeNs.stddev", deviation),
        ("timeP50Ns", at(1)),
        ("timeP99Ns", at(3)),
        ("opsPerSecond", rate),
    ]);
    Some((name.trim(), metrics))
}

fn of_unit(number: &str, unit: &str) -> Option<Value> {
    nanoseconds(number, time_symbol(unit))
}

/// Converts a number with a suffix for thousands, millions, billions or trillions.
fn scaled(number: &str, suffix: &str) -> Option<Value> {
    let places = ["", "K", "M", "B", "T"]
        .iter()
        .position(|known| *known == suffix)?;
    shifted(number, i32::try_from(places).ok()? * 3)
}

/// Reads a row with memory or reductions. If the samples differ, their average comes first.
fn amount<'l>(
    line: &'l str,
    metric: &'static str,
    convert: fn(&str, &str) -> Option<Value>,
) -> Option<(&'l str, Metrics)> {
    // The average is followed by a comparison or by the deviation.
    let end = line.find(" - ").or(line.find('±')).unwrap_or(line.len());
    let (before, unit) = line[..end].trim_end().rsplit_once(' ')?;
    let value = match before.trim_end().rsplit_once(' ') {
        Some((name, number)) => convert(number, unit).map(|value| (name, value)),
        None => None,
    };
    let (name, value) = value.or_else(|| Some((before, convert(unit, "")?)))?;
    Some((name.trim(), Metrics::from([(metric, Some(value))])))
}
