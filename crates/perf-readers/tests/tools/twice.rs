//! The same output twice in one input, because a log repeats a step.

use std::collections::BTreeSet;

use perf_model::row::Row;
use perf_readers::ParseReport;

use super::late::{fixtures, root};
use super::{common, read};

/// Formats with one document per file: a second root, header or table is reported.
const ONE: [&str; 6] = [
    "junit",
    "unity",
    "catch2",
    "rustls-icounts",
    "rustls-memory",
    "callgrind",
];

/// Tools that repeat a benchmark under one name, so that repeated output is a second measurement.
const REPEATING: [&str; 4] = ["go", "hdrhistogram", "wrk", "wrk2"];

/// The rows without their run indices, each once. With few digits, a copy looks like another run with equal numbers.
fn measured(report: &ParseReport) -> BTreeSet<String> {
    let row = |row: &Row| {
        let metrics: BTreeSet<String> = row
            .metrics
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        format!(
            "{} {} {:?} {metrics:?}",
            row.scenario, row.platform, row.outcome
        )
    };
    report.rows.iter().map(row).collect()
}

#[test]
fn repeated_output_in_one_input_adds_no_other_numbers() {
    let mut different = Vec::new();
    for file in fixtures(&root()) {
        let bytes = std::fs::read(&file).unwrap();
        let alone = read(&bytes);
        let format = alone.inputs[0].format;
        if alone.rows.is_empty() || ONE.contains(&format) || REPEATING.contains(&format) {
            continue;
        }
        let twice = read(&[&bytes[..], b"\n", &bytes].concat());
        if measured(&twice) != measured(&alone)
            || twice.conflicts().next().is_some() && alone.conflicts().next().is_none()
        {
            different.push(format!(
                "{format}: {}\n{}",
                file.display(),
                common::account(&twice)
            ));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}
