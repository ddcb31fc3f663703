//! GNU time's `-v`: what the system counted of a process.
//!
//! ```text
//!     Command being timed: "sort words"
//!     User time (seconds): 0.04
//!     Elapsed (wall clock) time (h:mm:ss or m:ss): 0:00.05
//!     Exit status: 0
//! ```

use crate::format::{Format, Kind, LineReader, Samples};
use crate::input::text::text;
use crate::rows::RowCollector;
use crate::tools::common::command;
use crate::tools::common::tables::{Metrics, Tables, lead};
use perf_model::row::{Outcome, Value};

pub(crate) const FORMAT: Format = Format {
    name: "gnu-time",
    about: "/usr/bin/time -v: elapsed, user and system time, memory, page faults, context switches",
    samples: Samples::Launches,
    looks_like: |head| {
        let has = |text: &[u8]| memchr::memmem::find(head, text).is_some();
        (has(BEGIN.as_bytes()) && has(b"Elapsed (wall clock) time")).into()
    },
    kind: Kind::Lines(|| Box::<Lines>::default(), &[BEGIN]),
};

const BEGIN: &str = "Command being timed: ";

#[derive(Default)]
struct Lines {
    tables: Tables,
    open: Option<Process>,
}

struct Process {
    line: u64,
    command: String,
    metrics: Metrics,
    outcome: Outcome,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        let text = text.trim();
        if let Some(command) = text.strip_prefix(BEGIN) {
            self.cut_off(sink);
            let command = command::shown(command.trim_matches('"'));
            self.open =
                Some(Process { line: number, command, metrics: Metrics::new(), outcome: Outcome::Measured });
            return true;
        }
        let Some(process) = &mut self.open else { return false };
        let Some((key, value)) = text.rsplit_once(": ") else { return false };
        if key == "Exit status" {
            if value.trim() != "0" {
                process.outcome = Outcome::Failed;
            }
            self.close();
            return true;
        }
        process.line(key, value.trim())
    }

    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if self.open.is_some() && !line.trim_ascii().starts_with(b"Exit status: ") {
            sink.skip_cut_off(number, line);
            return true;
        }
        self.line(number, line, sink)
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.cut_off(sink);
        self.tables.give(false, sink);
    }
}

impl Lines {
    fn cut_off(&mut self, sink: &mut RowCollector<'_>) {
        if let Some(Process { line, command, .. }) = &self.open {
            sink.skip(*line, command.as_bytes(), || format!("what was counted of `{command}` is cut off"));
        }
        self.close();
    }

    fn close(&mut self) {
        let Some(Process { line, command, mut metrics, outcome }) = self.open.take() else { return };
        lead(&mut metrics, &["timeS"]);
        if !metrics.is_empty() {
            self.tables.begin(line);
            self.tables.add(line, &command, outcome, metrics);
        }
    }
}

impl Process {
    /// Looks at a line; whether it was one of the process.
    fn line(&mut self, key: &str, value: &str) -> bool {
        let kibibytes = || Value::parse(value).and_then(|number| Value::new(number.as_f64() * 1024.0));
        let (metric, value) = match key {
            "Elapsed (wall clock) time (h:mm:ss or m:ss)" => ("timeS", seconds(value)),
            "User time (seconds)" => ("userS", Value::parse(value)),
            "System time (seconds)" => ("systemS", Value::parse(value)),
            "Maximum resident set size (kbytes)" => ("maxRssBytes", kibibytes()),
            "Major (requiring I/O) page faults" => ("majorFaults", Value::parse(value)),
            "Minor (reclaiming a frame) page faults" => ("minorFaults", Value::parse(value)),
            "Voluntary context switches" => ("voluntaryContextSwitches", Value::parse(value)),
            "Involuntary context switches" => ("involuntaryContextSwitches", Value::parse(value)),
            "File system inputs" => ("blockReads", Value::parse(value)),
            "File system outputs" => ("blockWrites", Value::parse(value)),
            "Percent of CPU this job got"
            | "Average shared text size (kbytes)"
            | "Average unshared data size (kbytes)"
            | "Average stack size (kbytes)"
            | "Average total size (kbytes)"
            | "Average resident set size (kbytes)"
            | "Swaps"
            | "Socket messages sent"
            | "Socket messages received"
            | "Signals delivered"
            | "Page size (bytes)" => return true,
            _ => return false,
        };
        self.metrics.extend(value.map(|value| (metric.to_owned(), Some(value))));
        true
    }
}

/// `1:02:03` and `2:03.45` in seconds.
fn seconds(text: &str) -> Option<Value> {
    let parts: Vec<f64> = text.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    match parts[..] {
        [minutes, seconds] => Value::new(minutes * 60.0 + seconds),
        [hours, minutes, seconds] => Value::new(hours * 3600.0 + minutes * 60.0 + seconds),
        _ => None,
    }
}
