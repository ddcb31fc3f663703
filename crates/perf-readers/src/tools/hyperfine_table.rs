//! hyperfine's tables: `--export-markdown`, which READMEs have, and `--export-csv`.
//!
//! ```text
//! | Command | Mean [ms] | Min [ms] | Max [ms] | Relative |
//! |:---|---:|---:|---:|---:|
//! | `sleep 0.1` | 102.3 ± 0.4 | 101.7 | 103.2 | 1.00 |
//! ```
//!
//! Times are converted to seconds, as the JSON has them.
//!
//! Source: `src/export` of hyperfine 1.19.

use crate::tools::common::command;
use crate::tools::common::csv_records::{self, Record};
use crate::tools::common::prelude::*;

pub(crate) const MARKDOWN: Format = Format::named("hyperfine-markdown")
    .about("hyperfine --export-markdown: mean time with its deviation and extremes")
    .looks_like(|head| has_line(head, " Mean [", |line| header(line).is_some()).into())
    .lines::<Lines>(&[]);

pub(crate) const CSV: Format = Format::named("hyperfine-csv")
    .about("hyperfine --export-csv: mean, median, user and system time with deviation and extremes")
    .looks_like(|head| csv_records::delimiter(head, &CSV_COLUMNS).is_some().into())
    .document(|source, sink| csv_records::records(source, sink, &CSV_COLUMNS, give));

/// The columns of the CSV, in seconds.
const CSV_COLUMNS: [&str; 8] = ["command", "mean", "stddev", "min", "max", "median", "user", "system"];

/// The columns with times, and their metrics.
const COLUMNS: [(&str, &str); 7] = [
    ("mean", "timeS"),
    ("stddev", "timeS.stddev"),
    ("min", "timeS.min"),
    ("max", "timeS.max"),
    ("median", "timeP50S"),
    ("user", "userS"),
    ("system", "systemS"),
];

/// By how many places the times below a line that is the header are shifted to be seconds.
fn header(line: &str) -> Option<i32> {
    let [command, mean, ..] = bars::cells(line)?[..] else { return None };
    let unit = mean.strip_prefix("Mean [")?.strip_suffix(']')?;
    Some(to_nanoseconds(unit)? - 9).filter(|_| command == "Command")
}

#[derive(Default)]
struct Lines {
    tables: Tables,
    places: Option<i32>,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        if let Some(places) = header(&text) {
            self.places = Some(places);
            self.tables.begin(number);
            return true;
        }
        let Some(places) = self.places else { return false };
        if bars::is_rule(&text) {
            return true;
        }
        if !text.trim_start().starts_with('|') {
            self.places = None;
            return false;
        }
        match row(&text, places) {
            Some((name, metrics)) => self.tables.add(number, &name, Outcome::Measured, metrics),
            None => sink.skip(number, line, || "not `command | mean ± deviation | min | max`".to_owned()),
        }
        true
    }

    fn is_cut_off(&self, line: &[u8]) -> bool {
        self.places.is_some() && line.starts_with(b"|") && bars::is_broken_row(line)
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.tables.give(false, sink);
    }
}

/// The command, which may have bars, and its times.
fn row(line: &str, places: i32) -> Option<(String, Metrics)> {
    let line = line.trim().trim_matches('|').trim_end();
    let [_, max, min, mean, name] = line.rsplitn(5, " | ").collect::<Vec<_>>()[..] else { return None };
    let (mean, deviation) = mean.split_once('±').map_or((mean, None), |(mean, by)| (mean, Some(by)));
    let seconds = |number: &str| shifted(number.trim(), places);
    let name = name.trim();
    let name = name.strip_prefix('`').and_then(|name| name.strip_suffix('`')).unwrap_or(name);
    let metrics = Metrics::from([
        ("timeS", Some(seconds(mean)?)),
        ("timeS.stddev", deviation.and_then(seconds)),
        ("timeS.min", seconds(min)),
        ("timeS.max", seconds(max)),
    ]);
    Some((command::shown(&name.replace("\\|", "|")), metrics))
}

fn give(record: &Record<'_>, sink: &mut RowCollector<'_>) {
    let parameters: Vec<String> = record
        .iter()
        .filter_map(|(column, value)| Some(format!("{}={value}", column.strip_prefix("parameter_")?)))
        .map(|parameter| command::shown(&parameter))
        .collect();
    let name = with_details(&command::shown(&record.text(&["command"])), &parameters);
    let metrics = COLUMNS.map(|(column, metric)| (metric, record.number(&[column])));
    sink.measured(record.line, &Cells::of(&name), metrics);
}
