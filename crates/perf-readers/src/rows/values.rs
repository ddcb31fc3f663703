//! Parses the values in cells.

use std::num::NonZeroU32;

use perf_model::date;
use perf_model::row::{AGGREGATE, Outcome, Value};

/// The highest run index that a `runIndex` column or key may contain.
pub(crate) const HIGHEST_RUN: i64 = 999_999_999;

/// The highest run index in a log line. A log line's fields are unnamed, so a larger number is probably something else,
/// such as a commit that consists of digits.
const HIGHEST_RUN_IN_LOG: i64 = 999_999;

/// Parses an outcome. An empty cell means that the benchmark was measured.
pub(crate) fn outcome(text: &str) -> Result<Outcome, String> {
    Outcome::parse(text.trim()).ok_or_else(|| {
        format!("invalid outcome `{text}`: expected `measured`, `skipped` or `failed`")
    })
}

/// Parses a date and returns it in seconds since 1970; `None` for an empty cell.
pub(crate) fn measured_at(text: &str) -> Result<Option<i64>, String> {
    match text.trim() {
        "" => Ok(None),
        text => date::parse(text).map(Some).ok_or_else(|| {
            format!("invalid date `{text}`: expected a form such as 2031-03-04T09:14:10Z")
        }),
    }
}

/// Parses a run index, which is a whole number of −1 or more.
pub(crate) fn run_index(text: &str) -> Result<i64, String> {
    run_index_up_to(HIGHEST_RUN, text)
}

pub(crate) fn log_run_index(text: &str) -> Result<i64, String> {
    run_index_up_to(HIGHEST_RUN_IN_LOG, text)
}

fn run_index_up_to(highest: i64, text: &str) -> Result<i64, String> {
    match Value::parse(text.trim()) {
        Some(Value::Int(run)) if (AGGREGATE..=highest).contains(&run) => Ok(run),
        _ => Err(format!("invalid run index `{text}`")),
    }
}

/// Parses the launch index of an iteration, which is a whole number of 1 or more; `None` for an empty cell.
pub(crate) fn launch_index(text: &str) -> Result<Option<NonZeroU32>, String> {
    match text.trim() {
        "" => Ok(None),
        text => text
            .parse()
            .map(Some)
            .map_err(|_| format!("invalid launch index `{text}`")),
    }
}

/// Parses the cell of a metric. An empty cell and −1 mean that the metric was not measured, and become `None`.
pub(crate) fn number(text: &str) -> Result<Option<Value>, &str> {
    match text.trim() {
        "" => Ok(None),
        text => match Value::parse(text) {
            Some(value) => Ok(Some(value).filter(|value| !value.is_unmeasured())),
            None => Err(text),
        },
    }
}
