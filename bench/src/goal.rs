//! What a case should reach, and the table that shows what it did.

use std::time::Duration;

use perf_markdown::table::{Align, Table};
use perf_report::number::fixed;

use crate::case::Case;
use crate::measure::Measured;

/// A limit for the first command of a case; what follows it is there to compare with. Times are medians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Goal {
    /// At most so many times what the last command takes.
    Ratio(f64),
    /// At most so long.
    Milliseconds(f64),
    /// At most so much memory.
    Megabytes(f64),
}

impl Goal {
    /// What the goal is, what was reached, and whether that is enough; `None` when there is nothing to tell by.
    fn judge(self, results: &[Measured]) -> Option<(String, bool)> {
        let first = results.first()?;
        let (limit, reached, unit) = match self {
            Self::Ratio(limit) => (limit, ratio(first, reference(results)?), "× the last"),
            Self::Milliseconds(limit) => (limit, milliseconds(first.median()), " ms"),
            Self::Megabytes(limit) => (limit, megabytes(first.peak)?, " MB"),
        };
        let good = reached <= limit;
        let verdict = if good { "met" } else { "MISSED" };
        let text = format!("at most {}{unit}: {} is {verdict}", fixed(limit, 0), fixed(reached, 2));
        Some((text, good))
    }
}

/// A case as Markdown, and whether it met its goals.
pub(crate) fn report(case: &Case, results: &[Measured]) -> (String, bool) {
    let rows = case.contestants.iter().zip(results).map(|(contestant, result)| {
        let per_second = |bytes: u64| millions(bytes) / result.median().as_secs_f64();
        vec![
            format!("`{}`", contestant.name),
            format!("{} ms", fixed(milliseconds(result.median()), 2)),
            format!("({})", fixed(milliseconds(result.shortest()), 2)),
            reference(results)
                .map_or_else(String::new, |other| format!("{}×", fixed(ratio(result, other), 2))),
            case.bytes.map_or_else(String::new, |bytes| format!("{} MB/s", fixed(per_second(bytes), 0))),
            megabytes(result.peak).map_or_else(String::new, |peak| format!("{} MB", fixed(peak, 1))),
        ]
    });
    let table = Table {
        header: ["Command", "Median", "Shortest", "Ratio", "Throughput", "Peak memory"]
            .map(str::to_owned)
            .to_vec(),
        align: [&[Align::Left][..], &[Align::Right; 5]].concat(),
        rows: rows.collect(),
    };
    let judged: Vec<(String, bool)> = case.goals.iter().filter_map(|goal| goal.judge(results)).collect();
    let goals: Vec<&str> = judged.iter().map(|(text, _)| text.as_str()).collect();
    let text = format!("## {}\n\n{}\n\n- {}\n\n", case.title, table.to_markdown(), goals.join("\n- "));
    (text, judged.iter().all(|(_, good)| *good))
}

/// What the others are compared with: the last of several.
fn reference(results: &[Measured]) -> Option<&Measured> {
    results.last().filter(|_| results.len() > 1)
}

fn ratio(one: &Measured, other: &Measured) -> f64 {
    one.median().as_secs_f64() / other.median().as_secs_f64().max(f64::MIN_POSITIVE)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn megabytes(bytes: u64) -> Option<f64> {
    (bytes > 0).then(|| millions(bytes))
}

#[expect(clippy::cast_precision_loss, reason = "nobody counts single bytes of a petabyte")]
fn millions(count: u64) -> f64 {
    count as f64 / 1e6
}
