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

use std::borrow::Cow;

use crate::formats::common::command;
use crate::formats::common::names::{camel_case, capitalised};
use crate::formats::common::prelude::*;

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

/// Adds what was counted; the deviation of several runs is a share.
fn add(
    metrics: &mut Metrics,
    event: &str,
    value: Value,
    percent: Option<Value>,
    sink: &mut RowCollector<'_>,
) {
    let (mut metric, direction) = metric_of(event);
    if metrics.has(&metric) && ["cpu-clock", "task-clock"].contains(&event) {
        metric = format!("{}Ms", camel_case(event));
    }
    sink.means_direction(&metric, Unit::Count, direction);
    let deviation = percent.and_then(|percent| percentage_of(value, percent));
    metrics.add_parts(&metric, [("", Some(value)), (".stddev", deviation)]);
}

/// Reads a line of the report; true if it is one.
fn counted(line: &str, metrics: &mut Metrics, sink: &mut RowCollector<'_>) -> bool {
    let (numbers, behind) = line.split_once('#').unwrap_or((line, line));
    let percent = behind
        .rsplit_once("( +-")
        .and_then(|(_, rest)| number(rest.split('%').next()?.trim(), Digits::Decimal));
    let numbers = numbers.split("( +-").next().unwrap_or_default();
    // Some languages group digits by no-break spaces, which a copy may have as plain ones.
    let numbers = without_blanks(numbers);
    let mut words: Vec<&str> = numbers.split_ascii_whitespace().collect();
    // The share of the time in which a counter of many was on.
    words.pop_if(|last| last.starts_with('(') && last.ends_with("%)"));
    let digits = match words[..] {
        [_, _] => Digits::Whole,
        [_, "ns" | "Joules" | "MiB", ..] => Digits::Any,
        _ => Digits::Decimal,
    };
    let (written, event) = match words[..] {
        [seconds, "seconds", "time", ..] | [seconds, "+-", _, "seconds", "time", ..] => {
            (seconds, "elapsed")
        }
        [seconds, "seconds", what @ ("user" | "sys"), ..]
        | [seconds, "+-", _, "seconds", what @ ("user" | "sys"), ..] => (seconds, what),
        [] | [_] | ["TopdownL1" | "TopdownL2", _] => return add_share(metrics, behind, sink),
        [number, "msec" | "ns" | "Joules" | "MiB", event] | [number, event] => (number, event),
        _ => return false,
    };
    let Some(value) = number(written, digits) else {
        return false;
    };
    add(metrics, event, value, percent, sink);
    add_share(metrics, behind, sink);
    true
}

/// A line whose first digits have no blanks between their thousands.
fn without_blanks(line: &str) -> Cow<'_, str> {
    let is_group = |word: &&str| {
        let digits = word.split([',', '.']).next().unwrap_or_default();
        digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let groups = line
        .split_ascii_whitespace()
        .skip(1)
        .take_while(is_group)
        .count();
    if groups == 0 || !line.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
        return Cow::Borrowed(line);
    }
    Cow::Owned(line.trim_start().replacen(' ', "", groups))
}

/// Adds the share of the processor's time that a line says behind its counter, or alone: `#  12.5 %  tma_backend_bound`.
/// Returns whether there is one.
fn add_share(metrics: &mut Metrics, behind: &str, sink: &mut RowCollector<'_>) -> bool {
    let mut words = behind.split_ascii_whitespace();
    let (Some(share), Some("%"), Some(name)) = (words.next(), words.next(), words.next()) else {
        return false;
    };
    let is_name = name.contains('_') || name == "retiring";
    let Some(value) = number(share, Digits::Decimal).filter(|_| is_name) else {
        return false;
    };
    sink.means(name, Unit::Percent, Direction::Unknown);
    metrics.add(name.to_owned(), Some(value));
    true
}

/// The kind of a number, which tells whether one mark among its digits groups them or is decimal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Digits {
    /// A count, whose digits are grouped.
    Whole,
    /// A time or a share, which always has decimals.
    Decimal,
    Any,
}

/// A number in the language of the machine: `1,204.52`, `1.204,52`, `1’204.52` and `1204,52`.
fn number(text: &str, digits: Digits) -> Option<Value> {
    let text = &text.replace(['\'', '’'], "");
    let digits_behind = |mark: char| text.rsplit_once(mark).map(|(_, digits)| digits.len());
    let is_grouped = |mark: char| text.matches(mark).count() > 1 || digits_behind(mark) == Some(3);
    let (commas, points) = (text.contains(','), text.contains('.'));
    let has_decimal_comma = if commas && points {
        text.rfind(',') > text.rfind('.')
    } else {
        let is_only = text.matches(',').count() == 1;
        commas
            && if digits == Digits::Decimal {
                is_only
            } else {
                !is_grouped(',')
            }
    };
    if has_decimal_comma {
        return grouped(&text.replace('.', "").replace(',', "."));
    }
    // Points group the digits of whole numbers only.
    if points && !commas && digits == Digits::Whole && is_grouped('.') {
        return grouped(&text.replace('.', ""));
    }
    grouped(text)
}

/// The report on a terminal.
#[derive(Default)]
struct Report {
    tables: Tables,
    open: Option<(u64, String, Metrics)>,
    has_elapsed: bool,
}

impl LineReader for Report {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        let text = text.trim();
        if let Some(rest) = text.strip_prefix(BEGIN) {
            self.close();
            self.open = Some((number, subject(rest), Metrics::default()));
            self.has_elapsed = false;
            return true;
        }
        let Some((_, _, metrics)) = &mut self.open else {
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
        if let Some(event) = text
            .strip_prefix("<not counted>")
            .or(text.strip_prefix("<not supported>"))
        {
            let event = event.split_whitespace().next().unwrap_or_default();
            sink.skip(number, line, || format!("`{event}` was not counted"));
            return true;
        }
        // Below the elapsed time are only those of the user and of the system.
        if self.has_elapsed && !text.is_empty() && !text.contains(" seconds ") {
            self.close();
            return false;
        }
        let is_counted = counted(text, metrics, sink);
        self.has_elapsed |= is_counted
            && metrics
                .names()
                .last()
                .is_some_and(|name| name.starts_with("timeS"));
        let has_remark = text.starts_with(|c: char| c.is_ascii_digit()) && text.contains(" # ");
        if has_remark && !is_counted {
            sink.skip(number, line, || "not `number event`".to_owned());
        }
        is_counted || has_remark
    }

    fn is_cut_off(&self, line: &[u8]) -> bool {
        self.open.is_some() && !line.trim_ascii().is_empty() && !line.ends_with(b" sys")
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.close();
        self.tables.give(false, sink);
    }
}

impl Report {
    fn close(&mut self) {
        let open = self
            .open
            .take()
            .filter(|(_, _, metrics)| !metrics.is_empty());
        if let Some((line, name, mut metrics)) = open {
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
