//! `perf stat -x,` and `perf stat -j`: the counts of one command, one on a line. Neither names the command, so that
//! the file names the benchmark.
//!
//! ```text
//! # started on Sun Mar  4 09:14:10 2031
//! 1203,,context-switches:u,812345,100.00,1.481,K/sec
//! <not supported>,,cycles:u,0,100.00,,
//! {"counter-value" : "12.5", "unit" : "msec", "event" : "task-clock:u", "event-runtime" : 12500000}
//! ```
//!
//! With `-r` a count is the mean of several runs, and its relative deviation stands behind the event.

use std::borrow::Cow;

use crate::format::{Format, Kind, LineReader, Samples};
use crate::input::text::text;
use crate::json::{Fields, Scalar};
use crate::rows::{Cells, RowCollector};
use crate::tools::common::names::{camel_case, of_file};
use crate::tools::common::units::shifted;
use perf_model::row::Value;

pub(crate) const FORMAT: Format = Format {
    name: "perf-stat",
    about: "perf stat -x, and -j: counts and times of one command, named by the file",
    samples: Samples::Launches,
    looks_like: |head| {
        let mut lines = head.split(|byte| *byte == b'\n').filter(|line| has_event(line));
        lines.any(|line| Count::parse(&text(line)).is_some_and(|count| count.is_known())).into()
    },
    kind: Kind::Lines(|| Box::<Lines>::default(), &["task-clock", "instructions", "cycles", "duration_time"]),
};

/// Events of which a run has at least one.
const KNOWN: [&str; 12] = [
    "task-clock",
    "cpu-clock",
    "context-switches",
    "cpu-migrations",
    "page-faults",
    "cycles",
    "instructions",
    "branches",
    "branch-misses",
    "cache-references",
    "cache-misses",
    "duration_time",
];

fn has_event(line: &[u8]) -> bool {
    KNOWN.iter().any(|event| memchr::memmem::find(line, event.as_bytes()).is_some())
}

/// What separates the fields of a line.
const SEPARATORS: [char; 4] = [',', ';', '\t', '|'];

/// What one line counts.
struct Count<'l> {
    event: Cow<'l, str>,
    unit: Cow<'l, str>,
    /// `None` for what was not counted, or is not supported.
    value: Option<Cow<'l, str>>,
    /// The deviation in percent of the value.
    variance: Option<f64>,
    /// Whether it is one of several intervals.
    is_interval: bool,
}

impl<'l> Count<'l> {
    fn parse(line: &'l str) -> Option<Self> {
        if line.starts_with('{') {
            Self::of_json(line)
        } else {
            SEPARATORS.iter().find_map(|by| Self::of_fields(line, *by))
        }
    }

    fn of_json(line: &'l str) -> Option<Self> {
        let fields: Fields<'_> = serde_json::from_str(line).ok()?;
        let text = |key: &str| fields.text(key).map(str::to_owned);
        let value = fields.number("counter-value").map(|value| value.to_string());
        fields.iter().find(|(key, _)| *key == "counter-value")?;
        let variance = fields.iter().find(|(key, _)| *key == "variance").and_then(|(_, value)| match value {
            Scalar::Number(value) => Some(value.as_f64()),
            _ => None,
        });
        Some(Self {
            event: text("event")?.into(),
            unit: text("unit").unwrap_or_default().into(),
            value: value.map(Cow::Owned),
            variance,
            is_interval: fields.number("interval").is_some(),
        })
    }

    /// `value,unit,event,variance,runtime,…`, where the variance may be missing and a time may stand in front.
    fn of_fields(line: &'l str, by: char) -> Option<Self> {
        let fields: Vec<&str> = line.split(by).map(str::trim).collect();
        let is_value = |text: &str| Value::parse(text).is_some() || text.starts_with("<not ");
        let is_interval = fields.len() > 4
            && Value::parse(fields[0]).is_some()
            && is_value(fields[1])
            && !fields[1].is_empty();
        let fields = if is_interval { &fields[1..] } else { &fields[..] };
        let [value, unit, event, behind, ..] = fields else { return None };
        let is_event = event.starts_with(|c: char| c.is_ascii_alphabetic()) && !event.contains(' ');
        let is_unit = unit.len() < 10 && !unit.contains(|c: char| c.is_ascii_digit());
        let variance = behind.strip_suffix('%').and_then(|percent| percent.parse().ok());
        let is_runtime = variance.is_some() || behind.parse::<u64>().is_ok();
        (is_value(value) && is_unit && is_event && is_runtime).then(|| Self {
            event: Cow::Borrowed(*event),
            unit: Cow::Borrowed(*unit),
            value: Value::parse(value).map(|_| Cow::Borrowed(*value)),
            variance,
            is_interval,
        })
    }

    /// The event without the privilege that it was counted at.
    fn plain(&self) -> &str {
        self.event.split(':').next().unwrap_or_default()
    }

    fn is_known(&self) -> bool {
        KNOWN.contains(&self.plain())
    }

    /// The metric, and the value in its unit.
    fn metric(&self) -> (String, Option<Value>) {
        let name = camel_case(self.plain());
        let value = self.value.as_deref();
        match (&*self.unit, self.plain()) {
            ("ns", "duration_time") => ("timeNs".to_owned(), value.and_then(Value::parse)),
            ("ns", event) => (format!("{}Ns", camel_case(event)), value.and_then(Value::parse)),
            ("msec", _) => (format!("{name}Ms"), value.and_then(|value| shifted(value, 0))),
            ("", _) => (name, value.and_then(Value::parse)),
            (unit, _) => (format!("{name} {unit}"), value.and_then(Value::parse)),
        }
    }
}

#[derive(Default)]
struct Lines {
    /// The counts of the run, and its first line.
    open: Vec<(String, Option<Value>)>,
    line: u64,
    missing: Vec<String>,
    has_intervals: bool,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let plain = text(line);
        if plain.starts_with("# started on ") {
            self.close(sink);
            return true;
        }
        let Some(count) = Count::parse(&plain).filter(|count| !self.open.is_empty() || count.is_known())
        else {
            return false;
        };
        if count.is_interval {
            if !std::mem::replace(&mut self.has_intervals, true) {
                sink.skip(number, line, || {
                    "counts of intervals are not read: run perf without `-I`".to_owned()
                });
            }
            return true;
        }
        self.take(number, count, sink);
        true
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.close(sink);
    }
}

impl Lines {
    /// Takes a count of the run, or of the next one when this run has it.
    fn take(&mut self, number: u64, count: Count<'_>, sink: &mut RowCollector<'_>) {
        let (mut metric, value) = count.metric();
        let is_taken = |metric: &String| self.open.iter().any(|(other, _)| other == metric);
        if is_taken(&metric) && count.event.contains(':') {
            metric = camel_case(&count.event);
        }
        if is_taken(&metric) {
            self.close(sink);
        }
        if self.open.is_empty() {
            self.line = number;
        }
        let deviation = value
            .zip(count.variance)
            .and_then(|(value, percent)| Value::parse(&format!("{:.6}", value.as_f64() * percent / 100.0)));
        if value.is_none() {
            self.missing.push(count.event.into_owned());
        }
        let stddev = deviation.map(|deviation| (format!("{metric}.stddev"), Some(deviation)));
        self.open.push((metric, value));
        self.open.extend(stddev);
    }

    fn close(&mut self, sink: &mut RowCollector<'_>) {
        let (counts, missing) = (std::mem::take(&mut self.open), std::mem::take(&mut self.missing));
        if counts.is_empty() {
            return;
        }
        let name = of_file(sink.input(), "command").to_owned();
        if counts.iter().all(|(_, value)| value.is_none()) {
            let why = || format!("no event was counted: {}", missing.join(", "));
            return sink.skip(self.line, name.as_bytes(), why);
        }
        let metrics = counts.iter().map(|(metric, value)| (&**metric, *value));
        sink.measured(self.line, &Cells::of(&name), metrics);
    }
}
