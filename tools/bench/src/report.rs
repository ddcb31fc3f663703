//! The table with a case's results.

use perf_report::markdown::table::{Align, Table};
use perf_report::number::fixed;

use crate::case::BenchCase;
use crate::goal::{megabytes, millions, milliseconds, ratio, reference};
use crate::measure::CommandMeasurement;

/// A case as Markdown, and whether it met its goals.
pub(crate) fn report(case: &BenchCase, results: &[CommandMeasurement]) -> (String, bool) {
    let rows = case
        .contestants
        .iter()
        .zip(results)
        .map(|(contestant, result)| {
            let per_second = |bytes: u64| millions(bytes) / result.median().as_secs_f64();
            vec![
                format!("`{}`", contestant.name),
                format!("{} ms", fixed(milliseconds(result.median()), 2)),
                format!("({})", fixed(milliseconds(result.shortest()), 2)),
                reference(results).map_or_else(String::new, |other| {
                    format!("{}×", fixed(ratio(result, other), 2))
                }),
                case.bytes.map_or_else(String::new, |bytes| {
                    format!("{} MB/s", fixed(per_second(bytes), 0))
                }),
                megabytes(result.peak)
                    .map_or_else(String::new, |peak| format!("{} MB", fixed(peak, 1))),
            ]
        });
    let table = Table {
        header: [
            "Command",
            "Median",
            "Shortest",
            "Ratio",
            "Throughput",
            "Peak memory",
        ]
        .map(str::to_owned)
        .to_vec(),
        align: [&[Align::Left][..], &[Align::Right; 5]].concat(),
        rows: rows.collect(),
    };
    let judged: Vec<(String, bool)> = case
        .goals
        .iter()
        .filter_map(|goal| goal.judge(results))
        .collect();
    let goals: Vec<&str> = judged.iter().map(|(text, _)| text.as_str()).collect();
    let text = format!(
        "## {}\n\n{}\n\n- {}\n\n",
        case.title,
        table.to_markdown(),
        goals.join("\n- ")
    );
    (text, judged.iter().all(|(_, good)| *good))
}
