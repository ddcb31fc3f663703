//! The results as rows, so that this repository can gate itself.
//!
//! A time says little on a machine that is another one each day. So the *yardstick* is `grep` on the log of 100 MB,
//! measured in the same run, and a row has the ratio of its command's median to that.

use std::env::consts::{ARCH, OS};
use std::fmt::Write;

use perf_cli::git::Git;
use perf_cli::{Exit, Failure, term};

use crate::case::BenchCase;
use crate::measure::interleaved;

const HEADER: &str = "scenario,platform,commit,runIndex,ratioToGrep,peakBytes\n";

/// Measures the cases that have a scenario, of which the first is the log of 100 MB.
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
            return Err(Failure::new("there is no `grep` to compare with")
                .hint("rows are multiples of its time")
                .into());
        };
        let ratio = first.median().as_secs_f64() / yardstick;
        // What the system does not tell is unmeasured.
        let peak = if first.peak > 0 {
            first.peak.to_string()
        } else {
            "-1".to_owned()
        };
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{scenario},{OS} {ARCH},{commit},-1,{ratio:.4},{peak}");
    }
    term::stdout(&text)?;
    Ok(Exit::Ok)
}
