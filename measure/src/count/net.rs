//! Computes net counts, which do not include process start and set-up.

use std::collections::BTreeMap;

use anyhow::{Context, bail};
use perf_cli::term::printable;
use perf_model::row::{AGGREGATE, Metrics, Outcome, Row};

use super::NOOP;
use super::valgrind::INSTRUCTIONS;
use crate::bench_tools::started_program;
use crate::process::{CommandSpec, find_program, first_bytes};
use crate::rows;

/// The rows' methodology. A description of the subtracted counts is appended to it.
const METHODOLOGY: &str = "cachegrind";
/// How many bytes of a program to search for the dynamic linker's path, which linkers put directly after the headers.
const HEAD: u64 = 1 << 12;

/// The lowest and the highest count of several process runs.
#[derive(Clone, Copy)]
pub struct Counts {
    pub least: u64,
    pub most: u64,
}

/// Creates a benchmark's row with its lowest and highest net instruction count and, if a count is subtracted, its gross
/// count. The count to subtract includes process start. It is that of the set-up benchmark `setup` or, without a set-up, of
/// the no-op.
///
/// # Errors
/// Fails if the set-up was not counted, or if its count is higher.
pub fn row(
    name: &str,
    own: Counts,
    line: &CommandSpec,
    setup: Option<&str>,
    all: &BTreeMap<String, Counts>,
) -> anyhow::Result<Row> {
    let subtracted = if let Some(setup) = setup {
        let counts = all.get(setup).with_context(|| {
            format!(
                "cannot subtract the set-up of `{}`: `{}` was not counted",
                printable(name),
                printable(setup)
            )
        })?;
        Some(counts.least)
    } else {
        // The no-op's count includes dynamic linking, which a static program does not need.
        let noop = all.get(NOOP).map(|noop| noop.least);
        noop.filter(|noop| own.least >= *noop && !is_static(line))
    };
    let below = subtracted.unwrap_or_default();
    let Some(least) = own.least.checked_sub(below) else {
        bail!(
            "`{}` has {} instructions, fewer than its set-up `{}` with {below}",
            printable(name),
            own.least,
            printable(setup.unwrap_or_default())
        );
    };
    let gross = subtracted.and_then(|_| rows::count(own.least));
    let metrics = rows::metrics([
        (INSTRUCTIONS, rows::count(least)),
        ("instructions.upper", rows::count(own.most - below)),
        ("grossInstructions", gross),
    ]);
    let net = match (subtracted, setup) {
        (None, _) => "",
        (_, None) => ", net of a no-op",
        _ => ", net of a no-op and a set-up",
    };
    let methodology = format!("{METHODOLOGY}{net}");
    Ok(rows::row(name, &methodology, AGGREGATE, metrics))
}

/// Creates a failed benchmark's row.
pub fn failed_row(name: &str) -> Row {
    Row {
        outcome: Outcome::Failed,
        ..rows::row(name, METHODOLOGY, AGGREGATE, Metrics::default())
    }
}

/// Whether the command starts a static program, which needs fewer instructions to start than the no-op.
fn is_static(line: &CommandSpec) -> bool {
    let program = started_program(&line.words);
    let Some(path) = program.and_then(|program| find_program(program, &line.folder)) else {
        return false;
    };
    has_dynamic_linker(&first_bytes(&path, HEAD)) == Some(false)
}

/// Whether the beginning of an ELF file contains the path of a dynamic linker, such as `/lib64/ld-linux-x86-64.so.2` or
/// `/lib/ld-musl-x86_64.so.1`. Returns `None` for files in other formats.
fn has_dynamic_linker(head: &[u8]) -> Option<bool> {
    head.starts_with(b"\x7fELF")
        .then(|| head.windows(4).any(|four| four == b"/ld-"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perf_model::row::Value;

    fn row_of(own: (u64, u64), below: u64, setup: Option<&str>) -> anyhow::Result<Row> {
        let counts = |(least, most)| Counts { least, most };
        let all = [(setup.unwrap_or(NOOP).to_owned(), counts((below, below)))].into();
        let line = CommandSpec::parse("/none/a")?;
        row("query", counts(own), &line, setup, &all)
    }

    #[test]
    fn noop_is_subtracted() {
        let row = row_of((350, 352), 100, None).unwrap();
        let of = |metric| row.metrics.get(metric);
        assert_eq!(of("instructions"), Some(Value::Int(250)));
        assert_eq!(of("instructions.upper"), Some(Value::Int(252)));
        assert_eq!(of("grossInstructions"), Some(Value::Int(350)));
        assert_eq!(
            row.methodology.as_deref(),
            Some("cachegrind, net of a no-op")
        );
    }

    #[test]
    fn setup_is_subtracted_with_its_own_start() {
        let row = row_of((900, 900), 300, Some("load")).unwrap();
        assert_eq!(row.metrics.get("instructions"), Some(Value::Int(600)));
    }

    #[test]
    fn count_below_its_setup_is_an_error() {
        let error = row_of((300, 300), 900, Some("load")).unwrap_err();
        insta::assert_snapshot!(error, @"`query` has 300 instructions, fewer than its set-up `load` with 900");
    }

    #[test]
    fn program_without_dynamic_linker_is_static() {
        let dynamic = b"\x7fELF\x02\x01\0\0/lib64/ld-linux-x86-64.so.2\0";
        assert_eq!(has_dynamic_linker(dynamic), Some(true));
        assert_eq!(has_dynamic_linker(b"\x7fELF\x02\x01"), Some(false));
        assert_eq!(has_dynamic_linker(b"#!/bin/sh\n"), None);
    }
}
