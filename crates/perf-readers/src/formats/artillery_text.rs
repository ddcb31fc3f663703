//! Artillery's summary on the terminal, in milliseconds. It prints one of every ten seconds as well, which is left out.
//!
//! ```text
//! Summary report @ 14:05:23(+0000)
//!
//! http.requests: ............................................. 300
//! http.response_time:
//!   mean: .................................................... 6.5
//!   p95: ..................................................... 12.1
//! ```
//!
//! Source: the console reporter of Artillery 2 (`lib/cmds/run.js`, `lib/console-reporter.js`); version 1 prints
//! `Requests completed: 300` and `Response time (msec):`, and `Request latency:` before version 1.6.

use indexmap::IndexMap;

use crate::formats::artillery::{counted, give_by_name, rate, trend};
use crate::formats::common::prelude::*;
use crate::formats::common::tables::RATE_AND_LATENCY;

pub(crate) const FORMAT: Format = Format::named("artillery-text")
    .about(
        "Artillery's summary on the terminal: latency and its percentiles, counters, rates, errors",
    )
    .contains(&[BEGIN, "p99:"])
    .looks_like(|head| (has_all(head, &[": .."]) || has_all(head, &["Scenarios launched:"])).into())
    .lines::<Lines>(&[]);

const BEGIN: &str = "Summary report @ ";

/// The sections of version 1 whose times are those of requests.
const LATENCIES: [&str; 2] = ["Response time (msec)", "Request latency"];

/// The names of the rate in version 1, the latest first.
const RATES: [&str; 3] = ["Mean responses/sec", "Mean response/sec", "RPS sent"];

#[derive(Default)]
struct Lines {
    open: Option<Summary>,
}

#[derive(Default)]
struct Summary {
    line: u64,
    /// The metric, or the section, whose numbers follow; how far its own line is indented.
    section: (String, usize),
    /// Numbers by their section, which is empty for those that stand alone.
    numbers: Vec<(String, String, Value)>,
    is_first_version: bool,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        if text.trim().starts_with(BEGIN) {
            self.end(sink);
            self.open = Some(Summary {
                line: number,
                ..Summary::default()
            });
            return true;
        }
        let plain = text.trim();
        // A label of what is printed every ten seconds is no title of what follows.
        let Some(open) = &mut self.open else {
            return text.starts_with(' ') && plain.ends_with(':');
        };
        if plain.is_empty() || plain.bytes().all(|byte| byte == b'-') {
            return true;
        }
        let taken = open.take(&text);
        if !taken {
            self.end(sink);
        }
        taken
    }

    fn is_cut_off(&self, line: &[u8]) -> bool {
        self.open.is_some() && !line.trim_ascii().is_empty()
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        match self.open.take() {
            Some(summary) if summary.numbers.is_empty() => {
                sink.skip(summary.line, b"", || {
                    "summary of Artillery is cut off".to_owned()
                });
            }
            Some(summary) if summary.is_first_version => summary.row(sink),
            Some(summary) => summary.rows(sink),
            None => {}
        }
    }
}

impl Summary {
    /// Takes a line; whether it was one of the summary.
    fn take(&mut self, line: &str) -> bool {
        let indent = line.len() - line.trim_start().len();
        // Names of version 2 may have colons, but no blanks behind them.
        let Some((name, rest)) = line
            .trim()
            .rsplit_once(": ")
            .or_else(|| line.trim().rsplit_once(':'))
        else {
            return false;
        };
        let value = rest.trim_start_matches('.').trim();
        if value.is_empty() {
            self.section = (name.to_owned(), indent);
            return true;
        }
        let number = value.split(['/', ' ']).next().and_then(Value::parse);
        let Some(number) = number else { return false };
        self.is_first_version |= name == "Scenarios launched";
        // Version 2 puts points between a name and its number: a line without them is not part of the summary.
        if !self.is_first_version && !rest.starts_with('.') {
            return false;
        }
        if indent <= self.section.1 {
            self.section = (String::new(), 0);
        }
        self.numbers
            .push((self.section.0.clone(), name.to_owned(), number));
        true
    }

    /// Of version 2: each metric is a scenario, as in the JSON.
    fn rows(&self, sink: &mut RowCollector<'_>) {
        let mut rows: Vec<(&str, Metrics)> = Vec::new();
        let mut sections: IndexMap<&str, Vec<(&str, Value)>> = IndexMap::new();
        for (section, name, value) in &self.numbers {
            if section.is_empty() {
                let metric = if name.ends_with("_rate") {
                    rate(name)
                } else {
                    counted(name)
                };
                rows.push((name, Metrics::from([(metric, Some(*value))])));
            } else {
                sections.entry(section).or_default().push((name, *value));
            }
        }
        rows.extend(
            sections
                .into_iter()
                .map(|(section, all)| (section, trend(section, all.into_iter()))),
        );
        give_by_name(rows, self.line, sink);
    }

    /// Of version 1, as in its JSON.
    fn row(&self, sink: &mut RowCollector<'_>) {
        let of = |sections: &[&str]| {
            let numbers = self
                .numbers
                .iter()
                .filter(|(section, ..)| sections.contains(&section.as_str()));
            numbers
                .map(|(_, name, value)| (name.as_str(), *value))
                .collect::<Vec<_>>()
        };
        let alone = of(&[""]);
        let number = |name: &str| {
            alone
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| *value)
        };
        let mut metrics = Metrics::default();
        let answered = number("Requests completed") != Some(Value::Int(0));
        if answered {
            metrics.add(
                "requestsPerSecond",
                RATES.iter().find_map(|name| number(name)),
            );
            metrics.extend(trend("latency", of(&LATENCIES).into_iter()));
        }
        let errors: f64 = of(&["Errors"])
            .iter()
            .map(|(_, count)| count.as_f64())
            .sum();
        metrics.add("errors", Value::new(errors));
        metrics.lead(&RATE_AND_LATENCY);
        sink.measured(
            self.line,
            &Cells::of("artillery").failed_if(!answered),
            &metrics,
        );
    }
}
