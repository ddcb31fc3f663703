//! Results of tools that print them as a table of a run, or as a block of lines, and so wait for the end of it.
//!
//! A benchmark that is in a table several times has samples. One that is in several tables has samples of several
//! processes, unless the tables have titles that differ: then it is a benchmark of each title.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::formats::common::command;
use crate::formats::common::names::run_indices;
use crate::rows::repeats::{RATE, ends, is_far, main_metric};
use crate::rows::sections::{LONGEST, Named, may_be_title, name_by};
use crate::rows::{Cells, Metrics, Process, RowCollector};
use perf_model::row::{Outcome, Value};

/// True if a line is set off as titles are: between other lines there may be whatever a program prints.
pub(crate) fn is_set_off(line: &str) -> bool {
    line.trim_start().starts_with(['=', '#', '-', '*'])
}

/// A line without the signs around it that set it off.
fn between_signs(line: &str) -> &str {
    let is_text = |byte: &u8| !b" \t#=>-*:".contains(byte);
    let start = line
        .bytes()
        .position(|byte| is_text(&byte))
        .unwrap_or(line.len());
    let end = line
        .bytes()
        .rposition(|byte| is_text(&byte))
        .map_or(start, |last| last + 1);
    &line[start..end]
}

/// The least ratio of two rates that were asked for.
const OTHER_RATE: f64 = 1.1;

/// The tables of an input.
#[derive(Default)]
pub(crate) struct Tables {
    headers: Vec<Header>,
    found: Vec<Found>,
    /// The places of the benchmarks of the last table in `found`.
    places: HashMap<String, usize, RandomState>,
    before: Before,
    /// True if no line was seen since the last table began.
    follows: bool,
    /// True if the line before may belong to several that describe a table.
    is_pair: bool,
    /// True if rates of requests were asked for.
    holds_rates: bool,
}

/// The line before the next table, and whether it is known to be a title: most lines are before none.
#[derive(Default)]
struct Before {
    line: String,
    is_title: bool,
}

impl Before {
    fn remember(&mut self, line: &str) {
        self.forget();
        self.line
            .push_str(if line.len() > LONGEST { "" } else { line });
    }

    fn forget(&mut self) {
        self.line.clear();
        self.is_title = false;
    }

    /// True if the line is a title; forgets it else.
    fn is_title(&mut self) -> bool {
        self.is_title = self.is_title || may_be_title(&self.line);
        if !self.is_title {
            self.line.clear();
        }
        self.is_title
    }

    /// The title, if it is one.
    fn take(&mut self) -> String {
        self.is_title();
        self.is_title = false;
        std::mem::take(&mut self.line)
    }
}

/// The beginning of a table.
struct Header {
    line: u64,
    /// The line above, which is one for all tables that follow each other.
    title: String,
}

struct Found {
    named: Named,
    table: usize,
    outcome: Outcome,
    metrics: Metrics,
}

impl Tables {
    /// Remembers a line that may be the title of the next table.
    pub(crate) fn title(&mut self, line: &str) {
        // Progress, such as `[ 600s ] thds: 10`.
        if line.starts_with("[ ") {
            return;
        }
        // Without what sets it or words of it off.
        let bold = memchr::memchr(b'*', line.as_bytes()).map(|_| line.replace("**", ""));
        let line = bold.as_deref().unwrap_or(line);
        let mut line = between_signs(line);
        while let Some(command) = line.strip_prefix("$ ") {
            line = command;
        }
        // The first of `Namespace: one` and `Pod: one-7f9c`.
        let colons = memchr::memchr_iter(b':', line.as_bytes());
        let is_pair = colons
            .map(|at| line.as_bytes().get(at + 1))
            .any(|behind| behind == Some(&b' '));
        if std::mem::replace(&mut self.is_pair, is_pair) && is_pair && self.before.is_title() {
            return;
        }
        if !line.is_empty() {
            self.follows = false;
            self.before.remember(line);
        }
    }

    /// Says that rates were asked for, so that runs of one benchmark have the same.
    pub(crate) fn hold_rates(&mut self, are_held: bool) {
        self.holds_rates |= are_held;
    }

    /// Forgets the line before, which is no title.
    pub(crate) fn no_title(&mut self) {
        self.follows = false;
        self.before.forget();
    }

    /// True if a benchmark of this name belongs to another table than the last one: it is there already, or a title was
    /// between them.
    pub(crate) fn is_other(&mut self, name: &str) -> bool {
        self.headers.is_empty() || self.before.is_title() || self.known(name).is_some()
    }

    pub(crate) fn begin(&mut self, line: u64) {
        let last = self.headers.last().filter(|_| self.follows);
        let title = last.map_or_else(|| self.before.take(), |last| last.title.clone());
        self.headers.push(Header { line, title });
        self.places.clear();
        self.follows = true;
    }

    /// Adds a benchmark to the last table.
    pub(crate) fn add(&mut self, line: u64, name: &str, outcome: Outcome, metrics: Metrics) {
        let table = self.headers.len().saturating_sub(1);
        self.places.insert(name.to_owned(), self.found.len());
        self.found.push(Found {
            named: Named {
                name: name.to_owned(),
                line,
            },
            table,
            outcome,
            metrics,
        });
    }

    /// The metrics of the benchmark that was added last, which further lines may add to.
    pub(crate) fn last_metrics(&mut self) -> Option<&mut Metrics> {
        self.found.last_mut().map(|found| &mut found.metrics)
    }

    /// The benchmark of the last table that has the name.
    fn known(&mut self, name: &str) -> Option<&mut Found> {
        self.places
            .get(name)
            .and_then(|place| self.found.get_mut(*place))
    }

    /// Adds metrics to the benchmark of the last table that has the name, or a new one.
    pub(crate) fn extend(&mut self, line: u64, name: &str, metrics: Metrics) {
        match self.known(name) {
            Some(found) if !metrics.names().any(|new| found.metrics.has(new)) => {
                found.metrics.extend(metrics);
            }
            _ => self.add(line, name, Outcome::Measured, metrics),
        }
    }

    /// Reports results of one name, which are samples, and names whose results are too far apart for that.
    fn report_repeated(&self, sink: &mut RowCollector<'_>) {
        let mut by_name: IndexMap<&str, Vec<&Found>, RandomState> = IndexMap::default();
        for found in &self.found {
            by_name.entry(&found.named.name).or_default().push(found);
        }
        for (name, all) in by_name.iter().filter(|(_, all)| all.len() > 1) {
            // In the order of the results, which need not have the same metrics.
            let mut leading: IndexMap<&str, Vec<Value>, RandomState> = IndexMap::default();
            leading
                .extend(all.iter().filter_map(|found| {
                    Some((main_metric(|| found.metrics.names())?, Vec::new()))
                }));
            for (metric, value) in all.iter().flat_map(|found| &found.metrics) {
                if let Some(values) = leading.get_mut(metric) {
                    values.extend(value);
                }
            }
            let is_measured = !leading.is_empty();
            let far = leading.into_iter().find_map(|(metric, values)| {
                let [least, most] = ends(values)?;
                let is_other = self.holds_rates
                    && metric == RATE
                    && most.as_f64() > least.as_f64() * OTHER_RATE;
                (is_other || is_far(least, most)).then_some((metric, [least, most]))
            });
            if let Some((metric, ends)) = far {
                sink.differ(name, metric, ends);
            }
            if is_measured {
                sink.repeats(all.len() as u64 - 1);
            }
        }
    }

    /// Emits all rows. `has_titles` is whether the tool has titles, or what stands before a table is not its own.
    pub(crate) fn give(&mut self, has_titles: bool, sink: &mut RowCollector<'_>) {
        let title = |found: &Found| {
            self.headers
                .get(found.table)
                .map_or("", |header| &*header.title)
        };
        let titles: Vec<&str> = self.found.iter().map(title).collect();
        let mut named: Vec<&mut Named> = self
            .found
            .iter_mut()
            .map(|found| &mut found.named)
            .collect();
        if has_titles {
            name_by(&mut named, &titles, command::shown, |titles| {
                titles.len() > 1 && !titles.contains(&"")
            });
        }
        sink.sections.tell_apart(&mut named, command::shown);
        // Statistics are only known to be results of their own at the end of a table.
        self.found.sort_by_key(|found| found.named.line);
        self.report_repeated(sink);
        let run_indices = run_indices(self.found.iter().map(|found| found.named.name.as_str()));
        for (found, run_index) in self.found.iter().zip(run_indices) {
            let Found {
                named: Named { name, line },
                outcome,
                metrics,
                ..
            } = found;
            let process = Process::of_line(
                self.headers
                    .get(found.table)
                    .map_or(0, |header| header.line),
            );
            let cells = Cells {
                run_index,
                outcome: *outcome,
                process,
                ..Cells::of(name)
            };
            sink.measured(*line, &cells, metrics);
        }
        *self = Self::default();
    }
}
