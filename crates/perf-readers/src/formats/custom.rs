//! The JSON that github-action-benchmark takes from any tool: `[{name, unit, value, range, extra}]`.
//!
//! It does not contain the direction; that is in the tool's name in the action's input. So there are three formats:
//! `custom` infers the direction from the unit, the other two are selected by name. A metric is named by its unit in
//! all three.

use std::borrow::Cow;
use std::cell::RefCell;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use indexmap::IndexMap;
use serde::Deserialize;

use crate::formats::common::prelude::*;
use perf_model::metric::Declared;
use perf_model::row::MOST_METRICS;

pub(crate) const FORMAT: Format = Format::named("custom")
    .about("JSON `[{name, unit, value, range}]` of github-action-benchmark; direction inferred from the unit")
    .looks_like(looks_like)
    .document(|source, sink| read(None, source, sink));

pub(crate) const SMALLER: Format = Format::named("custom-smaller-is-better")
    .about("the same, smaller is better; only with `--format`")
    .document(|source, sink| read(Some(Direction::Lower), source, sink));

pub(crate) const BIGGER: Format = Format::named("custom-bigger-is-better")
    .about("the same, bigger is better; only with `--format`")
    .document(|source, sink| read(Some(Direction::Higher), source, sink));

fn looks_like(head: &[u8]) -> Likeness {
    let begins = json::begins(head, &["[", "{", "name|unit|value|range|extra", ":"]);
    match begins && json::has_keys(head, b"[", &["name", "value"]) {
        true if json::has_keys(head, b"[", &["unit"]) => Likeness::Yes,
        true => Likeness::Near("has `name` and `value`, but no `unit`"),
        false
            if head
                .trim_ascii_start()
                .starts_with(b"window.BENCHMARK_DATA") =>
        {
            Likeness::Near("is the history of github-action-benchmark: pass it with `--history`")
        }
        false => Likeness::No,
    }
}

#[derive(Deserialize)]
#[serde(expecting = "a benchmark")]
struct Benchmark<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    unit: Cow<'a, str>,
    value: Number,
    /// `± 20`, `3` or `5%`.
    #[serde(default, borrow)]
    range: Option<Json<'a>>,
}

/// The numbers of a name, in one unit or several.
struct Scenario {
    line: u64,
    name: Box<str>,
    first: Measured,
    others: Vec<Measured>,
}

/// The place of the unit, and the number with the ends of its range.
type Measured = (usize, [Option<Value>; 3]);

#[derive(Default)]
struct Report {
    scenarios: Vec<Scenario>,
    /// The first scenario of each name, with the hash of the name.
    places: HashTable<(u64, usize)>,
    state: RandomState,
}

/// A unit's metrics (of the number, and of the ends of its range), and the factor of their numbers.
struct UnitMetrics {
    names: [String; 3],
    factor: f64,
}

type Units = IndexMap<String, UnitMetrics, RandomState>;

fn read(
    better: Option<Direction>,
    source: &mut Source<'_>,
    sink: &mut RowCollector<'_>,
) -> std::io::Result<()> {
    let units = RefCell::new(Units::default());
    let take = |report: &mut Report, piece: &Piece<'_>, sink: &mut RowCollector<'_>| {
        if let Some(benchmark) = piece.parse::<Benchmark<'_>>(sink) {
            let mut units = units.borrow_mut();
            let unit = place(&mut units, piece.line, &benchmark.unit, better, sink);
            report.add(piece.line, unit, benchmark, &units);
        }
    };
    json::documents(source, sink, &[&["*"]], take, |report, sink| {
        report.give(&units.borrow(), sink);
        if units.borrow().len() > MOST_METRICS {
            units.borrow_mut().clear();
        }
    })
}

impl Report {
    fn give(&self, units: &Units, sink: &mut RowCollector<'_>) {
        for Scenario {
            line,
            name,
            first,
            others,
        } in &self.scenarios
        {
            let named = |(unit, ends): &Measured| {
                let names = units[*unit].names.each_ref().map(String::as_str);
                names.into_iter().zip(*ends)
            };
            sink.measured(
                *line,
                &Cells::of(name),
                std::iter::once(first).chain(others).flat_map(named),
            );
        }
    }

    fn add(&mut self, line: u64, unit: usize, benchmark: Benchmark<'_>, units: &Units) {
        let number = (unit, benchmark.ends(units[unit].factor));
        let is_same = |(other, _): &Measured| units[*other].names == units[unit].names;
        let hash = self.state.hash_one(&*benchmark.name);
        let is_it = |(other, at): &(u64, usize)| {
            *other == hash && *self.scenarios[*at].name == *benchmark.name
        };
        match self.places.entry(hash, is_it, |(hash, _)| *hash) {
            Entry::Occupied(known) => {
                let scenario = &mut self.scenarios[known.get().1];
                if !(is_same(&scenario.first) || scenario.others.iter().any(is_same)) {
                    scenario.others.push(number);
                    return;
                }
            }
            Entry::Vacant(slot) => drop(slot.insert((hash, self.scenarios.len()))),
        }
        // `dedup` handles duplicates of all formats.
        let name = benchmark.name.into();
        self.scenarios.push(Scenario {
            line,
            name,
            first: number,
            others: Vec::new(),
        });
    }
}

/// The place of a unit.
fn place(
    units: &mut Units,
    line: u64,
    unit: &str,
    better: Option<Direction>,
    sink: &mut RowCollector<'_>,
) -> usize {
    units.get_index_of(unit).unwrap_or_else(|| {
        let metric = metric(line, unit, better, sink);
        let names = ["", ".lower", ".upper"].map(|end| format!("{metric}{end}"));
        let factor = known_unit(unit).map_or(1.0, |(_, factor)| factor);
        units
            .insert_full(unit.to_owned(), UnitMetrics { names, factor })
            .0
    })
}

/// The metric of a unit with a well-known one, and the factor of its numbers.
fn known_unit(unit: &str) -> Option<(&'static str, f64)> {
    let unit = unit.trim().to_lowercase();
    let each = unit.strip_suffix("/iter").or(unit.strip_suffix("/op"));
    let known = match each.unwrap_or(&unit) {
        "min" | "mins" | "minute" | "minutes" => ("timeS", 60.0),
        "h" | "hour" | "hours" => ("timeS", 3600.0),
        "ops/s" | "ops/sec" => ("opsPerSecond", 1.0),
        "req/s" | "req/sec" | "requests/s" | "requests/sec" => ("requestsPerSecond", 1.0),
        time => match time_symbol(time) {
            "ns" => ("timeNs", 1.0),
            "us" => ("timeUs", 1.0),
            "ms" => ("timeMs", 1.0),
            "s" => ("timeS", 1.0),
            _ => return None,
        },
    };
    Some(known)
}

/// The name of the metric that is measured in this unit.
pub(super) fn metric_name(unit: &str) -> &str {
    match known_unit(unit) {
        Some((metric, _)) => metric,
        None if unit.trim().is_empty() => "value",
        None => unit.trim(),
    }
}

/// The metric of this unit; its direction is declared where the format differs from the name.
pub(super) fn metric(
    line: u64,
    unit: &str,
    better: Option<Direction>,
    sink: &mut RowCollector<'_>,
) -> String {
    let name = metric_name(unit);
    let meaning = Meaning::of_name(name);
    sink.see_unit(line, name);
    if let Some(direction) = better.filter(|better| *better != meaning.direction) {
        sink.declare(
            name,
            Declared {
                label: None,
                meaning: Meaning {
                    direction,
                    ..meaning
                },
            },
        );
    }
    name.to_owned()
}

impl Benchmark<'_> {
    fn ends(&self, factor: f64) -> [Option<Value>; 3] {
        let margin = self.margin();
        let end = |sign: f64| Value::new(self.value.as_f64()? + sign * margin?);
        let ends = [self.value.0, end(-1.0), end(1.0)];
        ends.map(|end| {
            let scaled = Value::new(end?.as_f64() * factor);
            if factor > 1.0 { scaled } else { end }
        })
    }

    /// Returns the margin of error, in the unit of the value.
    fn margin(&self) -> Option<f64> {
        let Json::Text(range) = self.range.as_ref()? else {
            return Some(self.range.as_ref()?.as_number()?.as_f64());
        };
        let range = range.trim().trim_start_matches(['±', '+', '-', '/', ' ']);
        match range.strip_suffix('%') {
            Some(share) => {
                Some(self.value.as_f64()? * Value::parse(share.trim())?.as_f64() / 100.0)
            }
            None => Some(Value::parse(range)?.as_f64()),
        }
    }
}
