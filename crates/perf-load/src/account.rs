//! Saying what was read, and what was not.

use std::collections::BTreeSet;

use perf_cli::{Failure, term};
use perf_model::row::Outcome;
use perf_model::suite::LeftOut;
use perf_readers::{ParseReport, Skipped};

/// How many messages of one kind are told; a hostile log could have millions.
const TOLD: usize = 10;

/// Tells on standard error what was skipped, contradicted, collapsed and left out.
pub fn tell(readout: &ParseReport) {
    for near in readout.skipped.iter().take(TOLD) {
        let text = match term::printable_within(&near.text, 80) {
            text if text.is_empty() => text,
            text => format!(": `{text}` is not read"),
        };
        term::warn(&format!("{}{text}", why(readout, near)));
    }
    tell_more(readout.skipped_count, "lines that are nearly rows");
    for conflict in readout.conflicts.iter().take(TOLD) {
        let (first, second) = (readout.place(conflict.first), readout.place(conflict.second));
        let scenario = term::printable(&conflict.scenario);
        term::warn(&format!("{second}: `{scenario}` has other numbers than at {first}, which count"));
    }
    tell_more(readout.conflicts.len() as u64, "rows that contradict others");
    if readout.repeated > 0 {
        let rows = counted(readout.repeated, "row");
        term::note(&format!(
            "{rows} measured again what an earlier output of the same tool did: all are samples, numbered on"
        ));
    }
    if readout.duplicates > 0 {
        term::note(&format!("{} of rows read once", counted(readout.duplicates, "exact duplicate")));
    }
    for (scenario, rows) in readout.unlisted.iter().take(TOLD) {
        let scenario = term::printable(scenario);
        term::note(&format!("`{scenario}` is not in the config: {} left out", counted(*rows, "row")));
    }
    tell_more(readout.unlisted.len() as u64, "scenarios that are not in the config");
}

/// One sentence for each kind of row that is in no table, for the readers of a report.
pub fn summary(readout: &ParseReport, left_out: LeftOut) -> Vec<String> {
    let unlisted: u64 = readout.unlisted.values().sum();
    let counts = [
        (readout.skipped_count, "nearly a row, but not read"),
        (readout.conflicts.len() as u64, "in contradiction to an earlier row of the same key, which counts"),
        (unlisted, "left out, as the config does not list their scenarios"),
    ];
    let sentence = |(count, what): &(u64, &str)| format!("{}: {what}.", counted(*count, "line"));
    let outcomes = [Outcome::Failed, Outcome::Skipped].into_iter().filter_map(|outcome| {
        let scenarios: BTreeSet<&str> =
            readout.rows.iter().filter(|row| row.outcome == outcome).map(|row| &*row.scenario).collect();
        let (first, count) = (scenarios.first()?, scenarios.len() as u64);
        let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        Some(format!("{} {}: {first}{more}.", counted(count, "scenario"), outcome.word()))
    });
    let read = counts.iter().filter(|(count, _)| *count > 0).map(sentence);
    let left =
        left_out_reasons(left_out).map(|(rows, why)| format!("{}: {why}.", counted(rows as u64, "row")));
    outcomes.chain(read).chain(left).collect()
}

/// Tells which rows of a side are in no table, and why.
pub fn tell_left_out(left_out: LeftOut, of: &str) {
    for (rows, why) in left_out_reasons(left_out) {
        term::note(&format!("{of}{}: {why}", counted(rows as u64, "row")));
    }
}

fn left_out_reasons(left_out: LeftOut) -> impl Iterator<Item = (usize, &'static str)> {
    let reasons = [
        (left_out.platform, "of other platforms than asked for"),
        (left_out.scope, "of no scope that was asked for"),
        (
            left_out.superseded,
            "not compared, as another row of the same scenario counts (of another platform, commit or machine, or of the same run)",
        ),
    ];
    reasons.into_iter().filter(|(rows, _)| *rows > 0)
}

/// `1 row`, `2 rows`.
pub(crate) fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn tell_more(count: u64, what: &str) {
    if count > TOLD as u64 {
        term::warn(&format!("there are {} more {what}", count - TOLD as u64));
    }
}

fn why(readout: &ParseReport, near: &Skipped) -> String {
    format!("{}: {}", readout.place(near.origin), term::printable(&near.reason))
}

/// That a file holds rows and nothing else.
pub(crate) fn require_only_rows(readout: &ParseReport) -> Result<(), Failure> {
    let hint = "a damaged baseline must not pass for none: restore it, or write it again with \
                `extract-perf-baseline --replace`";
    if let Some(near) = readout.skipped.first() {
        let more = match readout.skipped_count {
            1 => String::new(),
            count => format!(", and {} more such lines", count - 1),
        };
        return Err(Failure::new(format!("{}{more}", why(readout, near))).hint(hint));
    }
    let other = readout.inputs.iter().find(|input| input.format != "csv");
    match other {
        Some(input) if readout.rows.is_empty() => {
            let name = &input.name;
            Err(Failure::new(format!(
                "`{name}` is no baseline: its first line is no header with a column `scenario`"
            ))
            .hint(hint))
        }
        _ => Ok(()),
    }
}
