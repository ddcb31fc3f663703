//! Gatling's `simulation.log`: every request, summed up for each name as Gatling's own report does, in milliseconds.
//!
//! ```text
//! RUN      shop.Browse    browse   1611903780943           3.4.0
//! REQUEST  Cart           Add      1611903781377   1611903781828   OK
//! ```
//!
//! Fields are separated by tabs. Source: `LogFileReader.scala` of Gatling 2.0 to 3.11, whose lines differ in what
//! stands before the name; from version 3.12 on the file is binary, and `js/stats.json` or the terminal has the
//! numbers.

use indexmap::IndexMap;

use crate::formats::common::load::Requests;
use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("gatling-log")
    .about(
        "Gatling's simulation.log: latency and its percentiles, requests per second, errors of every request",
    )
    .looks_like(|head| head.split(|byte| *byte == b'\n').take(5).any(|line| is_run(&text(line))).into())
    .lines::<Lines>(&[]);

/// True if a line says which simulation runs.
fn is_run(line: &str) -> bool {
    let fields: Vec<&str> = line.trim_end().split('\t').collect();
    let is_version =
        |field: &&str| field.starts_with(|c: char| c.is_ascii_digit()) && field.contains('.');
    fields.len() >= 5
        && (fields[0] == "RUN" || fields[2] == "RUN")
        && fields.last().is_some_and(is_version)
}

#[derive(Default)]
struct Lines {
    is_running: bool,
    requests: IndexMap<String, Requests>,
    all: Requests,
    /// From the first to the last time in the log, also of users, in milliseconds.
    span: Option<(f64, f64)>,
    is_second_version: bool,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        if is_run(&text) {
            self.end(sink);
            self.is_running = true;
            return true;
        }
        if !self.is_running {
            return false;
        }
        let fields: Vec<&str> = text.split('\t').collect();
        let Some(kind) = fields
            .iter()
            .take(3)
            .position(|field| KINDS.contains(field))
        else {
            return false;
        };
        self.is_second_version |= kind == 2;
        if fields[kind] == "USER" {
            // What precedes the word are names and numbers of users.
            let behind = fields
                .iter()
                .skip_while(|field| !["START", "END"].contains(&field.trim()));
            behind
                .filter_map(|field| time(field))
                .for_each(|time| self.extend(time));
        }
        if fields[kind] != "REQUEST" {
            return true;
        }
        match request(&fields, kind) {
            Some((name, [begin, end], is_failed)) => {
                self.extend(begin);
                self.extend(end);
                self.all.add(number, end - begin, begin, is_failed, None);
                self.requests.entry(name).or_default().add(
                    number,
                    end - begin,
                    begin,
                    is_failed,
                    None,
                );
            }
            None => sink.skip(number, line, || {
                "expected a name, two times and `OK` or `KO`".to_owned()
            }),
        }
        true
    }

    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if self.is_running && memchr::memmem::find(line, b"REQUEST\t").is_some() {
            sink.skip_cut_off(number, line);
            return true;
        }
        self.line(number, line, sink)
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        let seconds = self.span.map_or(0.0, |(begin, end)| (end - begin) / 1000.0);
        // As Gatling computes rates since version 2.3.
        let seconds = if self.is_second_version {
            seconds
        } else {
            seconds.ceil()
        };
        if self.requests.len() > 1 {
            std::mem::take(&mut self.all).give(&Cells::of("All Requests"), seconds, sink);
        }
        for (name, requests) in self.requests.drain(..) {
            requests.give(&Cells::of(&name), seconds, sink);
        }
        *self = Self::default();
    }
}

impl Lines {
    fn extend(&mut self, time: f64) {
        let (begin, end) = self.span.unwrap_or((time, time));
        self.span = Some((begin.min(time), end.max(time)));
    }
}

/// Milliseconds since 1970; an end that has not come is 0.
fn time(field: &str) -> Option<f64> {
    Value::parse(field.trim())
        .map(Value::as_f64)
        .filter(|time| *time > 0.0)
}

/// The kinds of lines in a log after its first line.
const KINDS: [&str; 5] = ["REQUEST", "USER", "GROUP", "ERROR", "ASSERTION"];

/// A request: the name, the times and the outcome follow each other; before them are the groups.
fn request(fields: &[&str], kind: usize) -> Option<(String, [f64; 2], bool)> {
    let outcome = fields
        .iter()
        .rposition(|field| ["OK", "KO"].contains(&field.trim()))?;
    // Version 2 also logs when the request was sent and when the response began.
    let times = if kind == 2 { 4 } else { 2 };
    let name_at = outcome.checked_sub(times + 1).filter(|at| *at > kind)?;
    let (begin, end) = (time(fields[name_at + 1])?, time(fields[outcome - 1])?);
    let groups = Some(fields[name_at - 1])
        .filter(|_| name_at - 1 > kind)
        .unwrap_or_default();
    let groups = groups
        .split(',')
        .map(str::trim)
        .filter(|group| !group.is_empty());
    let path: Vec<&str> = groups.chain([fields[name_at].trim()]).collect();
    Some((
        path.join(" / "),
        [begin, end],
        fields[outcome].trim() == "KO",
    ))
}
