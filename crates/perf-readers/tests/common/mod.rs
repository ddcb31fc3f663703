//! Reads inputs and prints the result.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use perf_config::Config;
use perf_model::row::Outcome;
use perf_readers::{Collector, ParseReport};

pub fn read_with(config: &str, inputs: &[(&str, &[u8])]) -> ParseReport {
    let config = Config::parse(config).unwrap();
    let mut collector = Collector::new(&config);
    for (name, bytes) in inputs {
        collector.read(name, &mut &**bytes).unwrap();
    }
    collector.finish()
}

pub fn read(text: impl AsRef<[u8]>) -> ParseReport {
    read_with("", &[("log", text.as_ref())])
}

/// Everything that was read, as text.
pub fn account(report: &ParseReport) -> String {
    let rows = report
        .rows
        .iter()
        .zip(&report.origins)
        .map(|(row, origin)| {
            let metrics: Vec<String> = row
                .metrics
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let class = row
                .machine_class
                .as_ref()
                .map(|class| format!(" on {class}"))
                .unwrap_or_default();
            let outcome = match row.outcome {
                Outcome::Measured => String::new(),
                other => format!(" | {}", other.word()),
            };
            let place = report.place(*origin);
            let launch = row
                .launch
                .map(|launch| format!(" of launch {launch}"))
                .unwrap_or_default();
            format!(
                "{place} {} | {} | {} | {}{launch}{class} | {}{outcome}",
                row.scenario,
                row.platform,
                row.commit,
                row.run_index,
                metrics.join(" ")
            )
        });
    let skipped = report.skipped().map(|skipped| {
        let reason = ParseReport::reason(skipped);
        format!("{} skipped: {reason}", report.place_of(skipped))
    });
    let conflicts = report.conflicts().map(|conflict| {
        let name = conflict.benchmark.as_deref().unwrap_or_default();
        format!("{} {}: {name}", report.place_of(conflict), conflict.text)
    });
    let inputs = report.inputs.iter().map(|input| {
        format!(
            "{}: {} of {} lines ({})",
            input.name, input.rows, input.lines, input.format
        )
    });
    let unlisted = report
        .unlisted
        .iter()
        .map(|(scenario, rows)| format!("unlisted: {scenario} {rows}"));
    let duplicates = (report.duplicates > 0).then(|| format!("{} duplicates", report.duplicates));
    let repeated = (report.repeated > 0).then(|| format!("{} further samples", report.repeated));
    rows.chain(skipped)
        .chain(conflicts)
        .chain(unlisted)
        .chain(duplicates)
        .chain(repeated)
        .chain(inputs)
        .collect::<Vec<_>>()
        .join("\n")
}
