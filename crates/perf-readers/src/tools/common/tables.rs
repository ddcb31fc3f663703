//! Results of tools that print them as a table of a run, or as a block of lines, and so wait for the end of it.
//!
//! A benchmark that is in a table several times has samples. One that is in several tables has samples of several
//! processes, unless the tables have titles that differ: then it is a benchmark of each title.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::rows::differing::is_far;
use crate::rows::{Cells, Metrics, Process, RowCollector};
use crate::tools::common::command;
use crate::tools::common::names::run_indices;
use perf_model::metric::spread_of;
use perf_model::row::{Outcome, Value};

const RATE: &str = "requestsPerSecond";

/// The metrics that load tests are judged by.
pub(crate) const RATE_AND_LATENCY: [&str; 3] = [RATE, "latencyMs", "latencyNs"];

/// True if a line is set off as titles are: between other lines there may be whatever a program prints.
pub(crate) fn is_set_off(line: &str) -> bool {
    line.trim_start().starts_with(['=', '#', '-', '*'])
}

/// True if a line is a rule between the parts of a report.
fn is_rule(line: &str) -> bool {
    line.len() >= 10 && line.bytes().all(|byte| matches!(byte, b'-' | b'='))
}

/// The title in a line such as `=== before ===` or `## Before`.
pub(crate) fn set_off(line: &str) -> Option<&str> {
    let is_heading = || line.trim_start_matches('#').starts_with(' ') && line.starts_with('#');
    let title = line.trim_matches(['=', '#', ' ']);
    let is_set_off = (line.starts_with("==") && line.ends_with("==")) || is_heading();
    (is_set_off && !title.is_empty() && may_be_title(title)).then_some(title)
}

/// True if a line is short and stays the same from run to run.
fn may_be_title(line: &str) -> bool {
    // What was measured or when differs.
    let is_measured = |word: &str| {
        // A size stays.
        let is_size = word.trim_end_matches([')', ']', ',']).ends_with(['K', 'M', 'G', 'B']);
        word.starts_with(|c: char| c.is_ascii_digit())
            && (word.contains(['.', ':']) || word.ends_with('s'))
            && !is_size
    };
    line.len() <= LONGEST_TITLE && !line.split_whitespace().any(is_measured) && !is_repetition(line)
}

/// The least ratio of two rates that were asked for.
const OTHER_RATE: f64 = 1.1;

/// True if a line says which of several runs of the same follows: `Run 2 of 5`.
fn is_repetition(line: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default().to_lowercase();
    ["run", "round", "iteration", "repetition", "attempt", "trial", "sample"].contains(&first.as_str())
        && words.next().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The most bytes of a title.
const LONGEST_TITLE: usize = 120;

/// The tables of an input.
#[derive(Default)]
pub(crate) struct Tables {
    headers: Vec<Header>,
    found: Vec<Found>,
    before: String,
    /// The last heading of a page, which holds up to the next one.
    heading: String,
    /// The line behind a rule, which is a heading if another rule follows.
    ruled: Option<String>,
    /// True if no line was seen since the last table began.
    follows: bool,
    /// True if the line before may belong to several that describe a table.
    is_pair: bool,
    /// True if rates of requests were asked for.
    holds_rates: bool,
}

/// The beginning of a table.
struct Header {
    line: u64,
    /// The line above, which is one for all tables that follow each other.
    title: String,
    heading: String,
}

struct Found {
    line: u64,
    table: usize,
    name: String,
    outcome: Outcome,
    metrics: Metrics,
}

impl Found {
    /// Returns the main metric of a result: percentiles and spreads vary more, and latencies follow from rates.
    fn leading(&self) -> Option<&str> {
        let mut names = self.metrics.names();
        let rate = names.clone().find(|metric| *metric == RATE);
        rate.or_else(|| names.find(|metric| spread_of(metric).is_none()))
    }
}

impl Tables {
    /// Remembers a line that may be the title of the next table.
    pub(crate) fn title(&mut self, line: &str) {
        // Progress, such as `[ 600s ] thds: 10`.
        if line.starts_with("[ ") {
            return;
        }
        self.heading_between_rules(line);
        // A runner prints `##[group]` into its log.
        let heading = line.trim_start().strip_prefix('#').map(|rest| rest.trim_start_matches('#'));
        let is_heading = heading.is_some_and(|rest| rest.starts_with(' '));
        // Without what sets it off.
        let line = line.trim_matches([' ', '\t', '#', '=', '>', '-', '*', ':']);
        // The first of `Namespace: one` and `Pod: one-7f9c`.
        let is_pair = line.contains(": ");
        if std::mem::replace(&mut self.is_pair, is_pair) && is_pair && !self.before.is_empty() {
            return;
        }
        if !line.is_empty() {
            self.follows = false;
            self.before.clear();
            self.before.push_str(if may_be_title(line) { line } else { "" });
            if is_heading {
                self.heading.clone_from(&self.before);
            }
        }
    }

    /// Takes a line between two rules for a heading.
    fn heading_between_rules(&mut self, line: &str) {
        if is_rule(line) {
            match self.ruled.take().filter(|heading| !heading.is_empty()) {
                Some(heading) => self.heading = heading,
                None => self.ruled = Some(String::new()),
            }
        } else if !line.is_empty() {
            self.ruled = self.ruled.take().filter(String::is_empty).map(|_| line.to_owned());
        }
    }

    /// Says that rates were asked for, so that runs of one benchmark have the same.
    pub(crate) fn hold_rates(&mut self, are_held: bool) {
        self.holds_rates |= are_held;
    }

    /// Forgets the line before, which is no title.
    pub(crate) fn no_title(&mut self) {
        self.follows = false;
        self.before.clear();
    }

    /// True if a benchmark of this name belongs to another table than the last one: it is there already, or a title was
    /// between them.
    pub(crate) fn is_other(&mut self, name: &str) -> bool {
        self.headers.is_empty() || !self.before.is_empty() || self.known(name).is_some()
    }

    /// Begins a table.
    pub(crate) fn begin(&mut self, line: u64) {
        self.ruled = None;
        let last = self.headers.last().filter(|_| self.follows);
        let title = last.map_or_else(|| std::mem::take(&mut self.before), |last| last.title.clone());
        self.headers.push(Header { line, title, heading: self.heading.clone() });
        self.follows = true;
    }

    /// Adds a benchmark to the last table.
    pub(crate) fn add(&mut self, line: u64, name: &str, outcome: Outcome, metrics: Metrics) {
        let table = self.headers.len().saturating_sub(1);
        self.found.push(Found { line, table, name: name.to_owned(), outcome, metrics });
    }

    /// The benchmark of the last table that has the name.
    fn known(&mut self, name: &str) -> Option<&mut Found> {
        let table = self.headers.len().saturating_sub(1);
        let mut same = self.found.iter_mut().rev().take_while(|found| found.table == table);
        same.find(|found| found.name == name)
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

    /// Adds the metrics that the benchmark of the last table does not have yet, or a new one.
    pub(crate) fn extend_new(&mut self, line: u64, name: &str, mut metrics: Metrics) {
        match self.known(name) {
            Some(found) => {
                metrics.retain(|new| !found.metrics.has(new));
                found.metrics.extend(metrics);
            }
            None => self.add(line, name, Outcome::Measured, metrics),
        }
    }

    /// Puts what stands above their tables before equal names.
    fn name_by(&mut self, above: fn(&Header) -> &str) {
        let mut tables: HashMap<&str, Vec<usize>, RandomState> = HashMap::default();
        for found in &self.found {
            let of_name = tables.entry(&found.name).or_default();
            if of_name.last() != Some(&found.table) {
                of_name.push(found.table);
            }
        }
        let title = |table: &usize| self.headers.get(*table).map_or("", above);
        let are_apart = |tables: &[usize]| {
            let mut titles: Vec<&str> = tables.iter().map(title).collect();
            titles.sort_unstable();
            titles.dedup();
            titles.len() > 1 && !titles.contains(&"")
        };
        tables.retain(|_, tables| tables.len() > 1 && are_apart(tables));
        let named: Vec<Option<String>> = self
            .found
            .iter()
            .map(|found| {
                let is_apart = tables.contains_key(found.name.as_str());
                is_apart.then(|| format!("{}: {}", command::shown(title(&found.table)), found.name))
            })
            .collect();
        for (found, name) in self.found.iter_mut().zip(named) {
            if let Some(name) = name {
                found.name = name;
            }
        }
    }

    /// Reports results of one name, which are samples, and names whose results are too far apart for that.
    fn report_repeated(&self, sink: &mut RowCollector<'_>) {
        let mut by_name: IndexMap<&str, Vec<&Found>, RandomState> = IndexMap::default();
        for found in &self.found {
            by_name.entry(&found.name).or_default().push(found);
        }
        for (name, all) in by_name.iter().filter(|(_, all)| all.len() > 1) {
            // In the order of the results, which need not have the same metrics.
            let mut leading: IndexMap<&str, Vec<Value>, RandomState> = IndexMap::default();
            leading.extend(all.iter().filter_map(|found| Some((found.leading()?, Vec::new()))));
            for (metric, value) in all.iter().flat_map(|found| &found.metrics) {
                if let Some(values) = leading.get_mut(metric) {
                    values.extend(value);
                }
            }
            let is_measured = !leading.is_empty();
            let far = leading.into_iter().find_map(|(metric, mut values)| {
                values.sort_by(|one, other| one.as_f64().total_cmp(&other.as_f64()));
                let (least, most) = (*values.first()?, *values.last()?);
                let is_other =
                    self.holds_rates && metric == RATE && most.as_f64() > least.as_f64() * OTHER_RATE;
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
        if has_titles {
            self.name_by(|header| &header.title);
            self.name_by(|header| &header.heading);
        }
        // Statistics are only known to be results of their own at the end of a table.
        self.found.sort_by_key(|found| found.line);
        self.report_repeated(sink);
        let run_indices = run_indices(self.found.iter().map(|found| found.name.as_str()));
        for (Found { line, table, name, outcome, metrics }, run_index) in self.found.iter().zip(run_indices) {
            let process =
                self.headers.get(*table).map_or(Process::of_line(0), |header| Process::of_line(header.line));
            let cells = Cells { run_index, outcome: *outcome, process, ..Cells::of(name) };
            sink.measured(*line, &cells, metrics);
        }
        *self = Self::default();
    }
}
