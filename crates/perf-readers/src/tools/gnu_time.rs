//! GNU time: what `/usr/bin/time -v` prints behind the output of a command.
//!
//! ```text
//! Command exited with non-zero status 1
//!         Command being timed: "parse big.json"
//!         User time (seconds): 0.42
//!         Elapsed (wall clock) time (h:mm:ss or m:ss): 0:01.53
//!         Maximum resident set size (kbytes): 2048
//!         Exit status: 1
//! ```
//!
//! Source: `src/time.c` of GNU time 1.9.

use crate::tools::common::command;
use crate::tools::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("gnu-time")
    .about("/usr/bin/time -v: wall, user and system time, memory, page faults, context switches")
    .looks_like(|head| has_all(head, &[COMMAND]).into())
    .lines::<Lines>(&["Command being timed"]);

const COMMAND: &str = "Command being timed: \"";

/// The labels of the lines with numbers, and the metric of each.
const METRICS: [(&str, &str); 8] = [
    ("Elapsed (wall clock) time (h:mm:ss or m:ss)", "timeS"),
    ("User time (seconds)", "userS"),
    ("System time (seconds)", "systemS"),
    ("Maximum resident set size (kbytes)", "memoryBytes"),
    ("Major (requiring I/O) page faults", "majorFaults"),
    ("Minor (reclaiming a frame) page faults", "minorFaults"),
    ("Voluntary context switches", "voluntaryContextSwitches"),
    ("Involuntary context switches", "involuntaryContextSwitches"),
];

#[derive(Default)]
struct Lines {
    open: Option<Run>,
    /// True if a signal ended the command that comes next.
    has_crashed: bool,
}

struct Run {
    line: u64,
    command: String,
    metrics: Metrics,
    has_failed: bool,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if line.starts_with(b"Command terminated by signal ") {
            self.has_crashed = true;
            return true;
        }
        if self.open.is_none() && memchr::memmem::find(line, COMMAND.as_bytes()).is_none() {
            return false;
        }
        let text = text(line);
        let plain = text.trim();
        if let Some(command) = plain.strip_prefix(COMMAND) {
            self.end(sink);
            let command = command.strip_suffix('"').unwrap_or(command);
            let has_failed = std::mem::take(&mut self.has_crashed);
            let (command, metrics) = (command::shown(command), Metrics::default());
            self.open = Some(Run { line: number, command, metrics, has_failed });
            return true;
        }
        let Some((name, value)) = plain.rsplit_once(": ").filter(|_| text.starts_with(char::is_whitespace))
        else {
            return false;
        };
        if let Some(run) = self.open.take_if(|_| name == "Exit status") {
            let Run { line, command, mut metrics, has_failed } = run;
            metrics.lead(&METRICS.map(|(_, metric)| metric));
            sink.measured(line, &Cells::of(&command).failed_if(has_failed || value != "0"), &metrics);
        } else if let (Some(run), Some((_, metric))) =
            (&mut self.open, METRICS.iter().find(|(known, _)| *known == name))
        {
            run.metrics.add(*metric, number_of(metric, value));
        }
        true
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        if let Some(run) = self.open.take() {
            let why = || "report is cut off: no `Exit status` line".to_owned();
            sink.skip(run.line, run.command.as_bytes(), why);
        }
    }
}

fn number_of(metric: &str, value: &str) -> Option<Value> {
    match metric {
        "timeS" => seconds(value),
        "memoryBytes" => quantity(value, "KiB", "B"),
        _ => Value::parse(value),
    }
}

/// `1:02:03` and `0:01.53` in seconds.
fn seconds(text: &str) -> Option<Value> {
    let mut parts = text.rsplit(':');
    let seconds = Value::parse(parts.next()?)?;
    let whole = parts.zip([60_i64, 3600]).try_fold(0_i64, |whole, (part, each)| {
        whole.checked_add(part.parse::<i64>().ok()?.checked_mul(each)?)
    })?;
    match seconds {
        Value::Int(seconds) => seconds.checked_add(whole).map(Value::Int),
        Value::Real(_) if whole == 0 => Some(seconds),
        // Two digits are behind the point.
        Value::Real(seconds) => {
            Value::parse(&format!("{:.2}", seconds + f64::from(i32::try_from(whole).ok()?)))
        }
    }
}
