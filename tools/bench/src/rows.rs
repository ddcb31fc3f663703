//! The results as rows, so that this repository can gate itself.
//!
//! Absolute times are not comparable, because the machine changes from day to day. So each row contains the ratio of
//! the command's median to a *yardstick*, which is `grep` on the 100 MB log in the same run.

use std::env::consts::{ARCH, OS};
use std::fmt::Write;

use perf_cli::git::Git;
use perf_cli::{Exit, Failure, term};

use crate::case::BenchCase;
use crate::measure::interleaved;

const HEADER: &str = "scenario,platform,commit,runIndex,ratioToGrep,peakBytes\n";

/// Measures the cases with a scenario. The first one is the 100 MB log.
pub(crate) fn print(cases: &[BenchCase], runs: u32) -> anyhow::Result<Exit> {
    let commit = Git::here()
        .ask(&["rev-parse", "--short", "HEAD"])
        .unwrap_or_default();
    let commit = Some(commit.trim())
        .filter(|commit| !commit.is_empty())
        .unwrap_or("unknown");
    let mut yardstick: Option<f64> = None;
    let mut text = HEADER.to_owned();
    for case in cases {
        let Some(scenario) = case.scenario else {
            continue;
        };
        let results = interleaved(&case.contestants, runs)?;
        if yardstick.is_none() {
            let grep = case
                .contestants
                .iter()
                .zip(&results)
                .find(|(one, _)| one.name == "grep");
            yardstick =
                grep.map(|(_, measured)| measured.median().as_secs_f64().max(f64::MIN_POSITIVE));
        }
        let (Some(yardstick), Some(first)) = (yardstick, results.first()) else {
            return Err(Failure::new("`grep` is not installed")
                .hint("rows are relative to its time")
                .into());
        };
        let ratio = first.median().as_secs_f64() / yardstick;
        // Zero means that the system does not report peak memory.
        let peak = if first.peak > 0 {
            first.peak.to_string()
        } else {
            "-1".to_owned()
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{scenario},{OS} {ARCH},{commit},-1,{ratio:.4},{peak}");
    }
    term::stdout(&text)?;
    Ok(Exit::Ok)
}
