//! Files from Callgrind and Cachegrind (`callgrind.out.1234`, `cachegrind.out.1234`) with the event counts of a whole
//! program.
//!
//! ```text
//! cmd: ./parse big.json
//! events: Ir Dr Dw
//! fn=(1) main
//! 12 300 40 5
//! summary: 1735 230 120
//! ```
//!
//! A file may contain several parts, whose counts are added. The line `summary:` precedes or follows the other lines of
//! a part. The line `totals:` comes last and repeats the counts. It is preferred, because `summary:` can be 0 if the
//! program continued after the dump.
//!
//! Source: the chapter on the Callgrind format in the manual of Valgrind 3.19.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("callgrind")
    .about("callgrind.out and cachegrind.out files: events of the whole program")
    .contains(&["events: ", "cmd: "])
    .looks_like(looks_like)
    .document(read);

fn looks_like(head: &str) -> Likeness {
    let has = |start: &&str| has_line(head, start, |line| line.starts_with(start));
    let beginnings = [
        "creator: callgrind",
        "# callgrind format",
        "desc: I1 cache:",
        "fl=",
        "fn=",
        "ob=",
    ];
    (["events: ", "cmd: "].iter().all(has) && beginnings.iter().any(has)).into()
}

/// Returns a command without its program's folder, which differs between machines. Home folders have already been
/// replaced by `~`.
fn without_folder(command: &str) -> &str {
    let program = command.split(' ').next().unwrap_or_default();
    let is_absolute = program.starts_with('/');
    let folder = program
        .rfind('/')
        .filter(|_| is_absolute)
        .map_or(0, |slash| slash + 1);
    &command[folder..]
}

/// The events of one command.
#[derive(Default)]
struct Program {
    line: u64,
    totals: IndexMap<String, Option<i64>>,
}

#[derive(Default)]
struct File {
    programs: IndexMap<String, Program>,
    command: String,
    events: Vec<String>,
    /// The line on which the current part's events are listed, and the part's totals if they are known.
    open: Option<(u64, Option<String>)>,
}

fn read(input: &Input<'_>, sink: &mut Rows<'_>) {
    let mut file = File::default();
    each_line(input, sink, |number, line, sink| {
        if line.starts_with(|c: char| c.is_ascii_lowercase()) {
            file.line(number, line, sink);
        }
    });
    file.end_part(sink);
    for (command, Program { line, totals }) in file.programs {
        let mut events = Events::default();
        for (event, total) in totals {
            events.add("", &event, total.map(Value::Int));
        }
        events.row(line, &command, sink);
    }
}

impl File {
    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) {
        let Some((key, value)) = line.split_once(": ") else {
            return;
        };
        match key {
            "cmd" => {
                self.end_part(sink);
                without_folder(&command::shown(value.trim())).clone_into(&mut self.command);
            }
            "part" => self.end_part(sink),
            "events" => {
                self.end_part(sink);
                self.open = Some((number, None));
                self.events = value.split_whitespace().map(str::to_owned).collect();
            }
            "summary" | "totals" => {
                if let Some((_, totals)) = &mut self.open
                    && (key == "totals" || totals.is_none())
                {
                    *totals = Some(value.to_owned());
                }
            }
            _ => {}
        }
    }

    /// Adds the totals of a part. Totals that are omitted at the end of the line are zero.
    fn add(&mut self, line: u64, totals: &str) {
        let mut totals = totals
            .split_whitespace()
            .map(|total| total.parse::<i64>().ok());
        let program = self.programs.entry(self.command.clone()).or_default();
        if program.line == 0 {
            program.line = line;
        }
        for event in &self.events {
            let part = totals.next().unwrap_or(Some(0));
            let total = program.totals.entry(event.clone()).or_insert(Some(0));
            *total = total
                .zip(part)
                .and_then(|(total, part)| total.checked_add(part));
        }
    }

    fn end_part(&mut self, sink: &mut Rows<'_>) {
        match self.open.take() {
            None => {}
            Some((line, Some(totals))) => self.add(line, &totals),
            Some((line, None)) => {
                let why = || {
                    "part has neither `summary:` nor `totals:`: the file may be cut off".to_owned()
                };
                sink.skip(line, &self.command, why);
            }
        }
    }
}
