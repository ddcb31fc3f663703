//! The report of `perf stat`, of a command or of several runs of it (`-r`).
//!
//! ```text
//!  Performance counter stats for 'sort words' (5 runs):
//!
//!          1,204.52 msec task-clock        #    0.998 CPUs utilized    ( +-  0.50% )
//!     4,123,456,789      cycles
//!
//!            1.2071 +- 0.0061 seconds time elapsed  ( +-  0.50% )
//! ```
//!
//! Source: `tools/perf/util/stat-display.c` of Linux 6.1.

use crate::formats::common::command;
use crate::formats::common::names::{camel_case, capitalised};
use crate::formats::common::prelude::*;
use crate::units::DecimalMark;
use perf_model::finding::FindingKind;

pub(crate) const FORMAT: Format = Format::named("perf-stat")
    .about(
        "perf stat: counters of the processor, elapsed, user and system time, with their deviation",
    )
    .contains(&[BEGIN])
    .lines::<Report>();

const BEGIN: &str = "Performance counter stats for ";

/// The metric of an event. What is better of one that is not known here is not known either.
fn metric_of(event: &str) -> (String, Direction) {
    // Each kind of core counts on its own: `cpu_atom/instructions/u`.
    if let Some((kind @ ("cpu_core" | "cpu_atom"), (event, _))) = event
        .split_once('/')
        .and_then(|(kind, rest)| Some((kind, rest.split_once('/')?)))
    {
        let (metric, direction) = metric_of(event);
        return (camel_case(kind) + &capitalised(&metric), direction);
    }
    let event = event.split_once(':').map_or(event, |(event, _)| event);
    let known = match event {
        // Not events, but what stands below them.
        "elapsed" => "timeS",
        "user" => "userS",
        "sys" => "systemS",
        "task-clock" | "cpu-clock" => "cpuTimeMs",
        "duration_time" => "timeNs",
        "user_time" => "userTimeNs",
        "system_time" => "systemTimeNs",
        "branches" | "branch-instructions" => "branches",
        "branch-misses" => "branchMisses",
        "context-switches" | "cs" => "contextSwitches",
        "cpu-migrations" | "migrations" => "cpuMigrations",
        "page-faults" | "faults" => "pageFaults",
        "minor-faults" => "minorFaults",
        "major-faults" => "majorFaults",
        "cache-misses" => "cacheMisses",
        "cycles" | "cpu-cycles" => "cycles",
        "instructions" => "instructions",
        other => return (other.to_owned(), Direction::Unknown),
    };
    (known.to_owned(), Direction::Lower)
}

/// A counter of a report, with its numbers as they are printed.
struct Counter {
    event: String,
    number: String,
    /// The deviation of several runs, in percent.
    deviation: Option<String>,
    /// A share of the processor's time: `#  12.5 %  tma_backend_bound`.
    share: Option<(String, String)>,
}

impl Counter {
    /// Reads a line of a report; `None` for another line.
    fn parse(line: &str) -> Option<Self> {
        let (counted, remark) = line.split_once('#').unwrap_or((line, line));
        let deviation = remark.rsplit_once("( +-");
        let deviation = deviation.and_then(|(_, rest)| Some(rest.split_once('%')?.0.trim()));
        let share = match remark.split_whitespace().collect::<Vec<_>>()[..] {
            [number, "%", name, ..] if name.contains('_') || name == "retiring" => {
                Some((name.to_owned(), number.to_owned()))
            }
            _ => None,
        };
        let counted = counted.split("( +-").next().unwrap_or_default();
        let mut words: Vec<&str> = counted.split_whitespace().collect();
        // The share of the time in which a counter of many was on.
        words.pop_if(|last| last.starts_with('(') && last.ends_with("%)"));
        // Some languages group digits by blanks.
        let is_group = |word: &&&str| {
            let digits = word.split([',', '.']).next().unwrap_or_default();
            digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        let groups = words.iter().skip(1).take_while(is_group).count();
        let number = words.get(..=groups).map(<[&str]>::concat);
        let event = match words.get(groups + 1..).unwrap_or_default() {
            ["seconds", "time", ..] | ["+-", _, "seconds", "time", ..] => "elapsed",
            ["seconds", what @ ("user" | "sys"), ..]
            | ["+-", _, "seconds", what @ ("user" | "sys"), ..] => what,
            ["msec" | "ns" | "Joules" | "MiB", event] | [event] => event,
            // `TopdownL1`, or nothing but a remark.
            [] if share.is_some() => "",
            _ => return None,
        };
        let is_number = |number: &String| number.starts_with(|c: char| c.is_ascii_digit());
        let number = number.filter(is_number);
        if number.is_none() && share.is_none() {
            return None;
        }
        Some(Self {
            event: event.to_owned(),
            number: number.unwrap_or_default(),
            deviation: deviation.map(str::to_owned),
            share,
        })
    }

    fn add(&self, mark: DecimalMark, metrics: &mut Metrics, sink: &mut RowCollector<'_>) {
        let value = |number: &str| Value::parse(&mark.plain(&number.replace('’', "")));
        if let Some(number) = value(&self.number) {
            let (mut metric, direction) = metric_of(&self.event);
            if metrics.has(&metric) && ["cpu-clock", "task-clock"].contains(&&*self.event) {
                metric = format!("{}Ms", camel_case(&self.event));
            }
            sink.means_direction(&metric, Unit::Count, direction);
            let percent = self.deviation.as_deref().and_then(value);
            let deviation = percent.and_then(|percent| percentage_of(number, percent));
            metrics.add_parts(&metric, [("", Some(number)), (".stddev", deviation)]);
        }
        if let Some((name, number)) = &self.share {
            sink.means(name, Unit::Percent, Direction::Unknown);
            metrics.add(name.clone(), value(number));
        }
    }
}

/// The report on a terminal. Numbers are printed in the language of the machine, which all of a report decide.
#[derive(Default)]
struct Report {
    tables: Tables,
    open: Option<(u64, String, Vec<Counter>)>,
    has_elapsed: bool,
}

impl LineReader for Report {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        let text = text.trim();
        if let Some(rest) = text.strip_prefix(BEGIN) {
            self.close(sink);
            self.open = Some((number, subject(rest), Vec::new()));
            self.has_elapsed = false;
            return true;
        }
        let Some((_, _, counters)) = &mut self.open else {
            // Only its counters have a remark about each.
            let is_counter =
                text.contains(" task-clock") && text.contains(" # ") && text.contains(" msec ");
            if is_counter {
                sink.skip(number, line, || {
                    format!("`{BEGIN}…` is missing above these counters")
                });
            }
            return is_counter;
        };
        let uncounted = ["<not counted>", "<not supported>"];
        if let Some(event) = uncounted.iter().find_map(|not| text.strip_prefix(not)) {
            let event = event.split_whitespace().next().unwrap_or_default();
            sink.skip(number, line, || format!("`{event}` was not counted"));
            return true;
        }
        // Below the elapsed time are only those of the user and of the system.
        if self.has_elapsed && !text.is_empty() && !text.contains(" seconds ") {
            self.close(sink);
            return false;
        }
        if let Some(counter) = Counter::parse(text) {
            self.has_elapsed |= counter.event == "elapsed";
            counters.push(counter);
            return true;
        }
        let has_remark = text.starts_with(|c: char| c.is_ascii_digit()) && text.contains(" # ");
        if has_remark {
            sink.skip(number, line, || "not `number event`".to_owned());
        }
        has_remark
    }

    fn is_cut_off(&self, line: &[u8]) -> bool {
        self.open.is_some() && !line.trim_ascii().is_empty() && !line.ends_with(b" sys")
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.close(sink);
        self.tables.give(false, sink);
    }
}

impl Report {
    fn close(&mut self, sink: &mut RowCollector<'_>) {
        let Some((line, name, counters)) = self.open.take() else {
            return;
        };
        let numbers = counters.iter().map(|counter| &*counter.number);
        let deviations = counters
            .iter()
            .filter_map(|counter| counter.deviation.as_deref());
        let numbers = numbers.chain(deviations);
        let Some(mark) = DecimalMark::of_numbers(numbers, std::iter::empty()) else {
            return sink.skip_as(FindingKind::Ambiguous, line, name.as_bytes(), || {
                "ambiguous commas: thousands separators or decimal marks".to_owned()
            });
        };
        let mut metrics = Metrics::default();
        for counter in &counters {
            counter.add(mark, &mut metrics, sink);
        }
        if !metrics.is_empty() {
            metrics.lead(&["timeS"]);
            self.tables.begin(line);
            self.tables.add(line, &name, Outcome::Measured, metrics);
        }
    }
}

/// The command of `'sort words' (5 runs):`, or what else was counted.
fn subject(text: &str) -> String {
    let text = text.trim().trim_end_matches(':');
    let quoted = text
        .strip_prefix('\'')
        .and_then(|rest| Some(rest.rsplit_once('\'')?.0));
    command::shown(quoted.unwrap_or(text))
}
