//! The outcome of a measurement: the rows of base and head, and the report.

use anyhow::{anyhow, bail};
use perf_cli::{ResultExt, file, term};
use perf_readers::baseline;
use perf_report::reasons;
use perf_verdict::Verdict;
use perf_verdict::rules::pairs::LOOKS;

use super::PairsReport;
use super::measurement::Measurement;
use super::tool::without_row;
use crate::judge::verdict_lines;

/// Writes the rows to the files in the request.
///
/// # Errors
/// Fails if a file cannot be written.
pub fn write(measurement: &Measurement<'_>) -> anyhow::Result<()> {
    let Measurement {
        request, sampling, ..
    } = measurement;
    let paths = [&request.base_rows, &request.current_rows];
    for (path, rows) in paths.into_iter().zip(&sampling.rows) {
        // If the base does not contain the benchmark, its file is written without rows.
        let is_written = !rows.is_empty() || measurement.missing_base.is_some();
        if let Some(path) = path
            && is_written
        {
            let text = baseline::write(rows, &[], sampling.config)?;
            file::write_if_changed(path, text.as_bytes())?;
        }
    }
    Ok(())
}

/// Prints the result of each metric, and returns the report.
///
/// # Errors
/// Fails if nothing was measured or compared.
pub fn report(measurement: Measurement<'_>) -> anyhow::Result<PairsReport> {
    if measurement.pairs == 0 {
        return no_pair();
    }
    let mut report = PairsReport {
        seconds: measurement.start.elapsed().as_secs_f64(),
        ..PairsReport::default()
    };
    let chosen = measurement.chosen.iter().flatten();
    for (names, rows) in chosen.zip(&measurement.sampling.rows) {
        if let Some(name) = without_row(names, rows) {
            bail!("{} printed no result", term::in_backticks(name));
        }
    }
    if let Some(why) = &measurement.missing_base {
        term::warn(&format!("the base was not measured: {why}"));
    } else {
        let comparison = measurement.compared();
        // Chosen benchmarks may all be new or removed.
        if measurement.chosen.is_none() && comparison.metrics().next().is_none() {
            return Err(anyhow!(
                "nothing was compared: base and head have no benchmark in common"
            ))
            .hint("base and head must run the same benchmark under the same name");
        }
        if !measurement.request.is_silent {
            for (_, line) in verdict_lines(&comparison, measurement.sampling.config) {
                term::stderr(&line);
            }
            if let Some(line) = reasons::self_comparison(&comparison) {
                term::stderr(&line);
            }
        }
        report.pairs = measurement.pairs;
        // Exact counts get a verdict even before the first interim analysis, when other metrics may still be undecided.
        let is_open = comparison.metrics().any(|metric| {
            let judgement = &metric.judgement;
            judgement.is_gated()
                && (!judgement.is_compared() || judgement.verdict == Verdict::Inconclusive)
        });
        report.is_concluded = !is_open && report.pairs >= LOOKS[0].pairs;
        report.is_regressed = comparison
            .metrics()
            .any(|metric| metric.judgement.verdict == Verdict::Regressed);
        report.detectable = reasons::detectable_by_clock(&comparison);
    }
    report.missing_base = measurement.missing_base;
    report.shared_output = measurement.sampling.shared_output;
    report.findings = measurement.sampling.findings;
    [report.base, report.current] = measurement.sampling.rows;
    Ok(report)
}

/// The time limit was too short for a single pair.
#[derive(Debug, thiserror::Error)]
#[error("no pair was measured within the time limit")]
pub struct NoPair;

pub fn no_pair<T>() -> anyhow::Result<T> {
    Err(NoPair)
        .hint("raise `--time-limit`, use a faster benchmark, or compile before, with `--build`")
}
