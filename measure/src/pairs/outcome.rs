//! The outcome of a measurement: the rows of base and head, and the report.

use perf_cli::{Failure, file, term};
use perf_model::methodology::with_shared_output;
use perf_model::row::{Conditions, Key, Name, Row};
use perf_readers::baseline;
use perf_report::reasons;
use perf_verdict::rules::pairs::LOOKS;
use perf_verdict::{Comparison, Verdict};

use super::display::summary;
use super::{Measurement, PairsReport};
use crate::sampling::Source;

impl Measurement<'_> {
    /// Writes the rows to the files in the request.
    pub(super) fn write(&self) -> anyhow::Result<()> {
        let files = [
            (&self.request.base_rows, &self.rows[0]),
            (&self.request.current_rows, &self.rows[1]),
        ];
        // If the base does not contain the benchmark, its file contains no rows.
        let is_written = |rows: &[Row]| !rows.is_empty() || self.missing_base.is_some();
        for (path, rows) in files.into_iter().filter(|(_, rows)| is_written(rows)) {
            let Some(path) = path else { continue };
            file::write_if_changed(
                path,
                baseline::write(rows, &[], self.sampling.config)?.as_bytes(),
            )?;
        }
        Ok(())
    }

    /// Prints the minimum detectable slowdown.
    pub(super) fn note_detectable(&self) {
        let clocks = self.compared(reasons::detectable_by_clock);
        if let Some(clocks) = clocks {
            term::note(&format!(
                "at the current load, {} pairs detect slowdowns of {clocks}",
                self.pairs
            ));
        }
    }

    /// Prints the result of each metric, and returns the report.
    ///
    /// # Errors
    /// Nothing was measured or compared.
    pub(super) fn report(self) -> anyhow::Result<PairsReport> {
        if self.pairs == 0 {
            return Err(no_pair());
        }
        let missing_base = self.missing_base.clone();
        if missing_base.is_none()
            && !self.compared(|comparison| verdicts(comparison).next().is_some())
        {
            return Err(Failure::new(
                "nothing was compared: base and head have no benchmark in common",
            )
            .hint("both sides must run the same benchmark under the same name")
            .into());
        }
        let seconds = self.start.elapsed().as_secs_f64();
        let report = if let Some(why) = &missing_base {
            if !self.request.is_single {
                term::warn(&format!("the base was not measured: {why}"));
            }
            PairsReport::default()
        } else {
            self.compared(|comparison| {
                let control = reasons::self_comparison(comparison);
                let lines = summary(comparison).into_iter().chain(control);
                for line in lines.filter(|_| !self.request.is_silent) {
                    term::stderr(&format!("{line}\n"));
                }
                PairsReport {
                    pairs: self.pairs,
                    // Exact counts are judged even before the first interim analysis, but then others may be undecided.
                    is_concluded: is_judged(comparison) && self.pairs >= LOOKS[0].pairs,
                    is_regressed: verdicts(comparison).any(|verdict| verdict == Verdict::Regressed),
                    detectable: reasons::detectable_by_clock(comparison),
                    ..PairsReport::default()
                }
            })
        };
        let [base, current] = self.rows;
        let findings = self.sampling.findings;
        let (paths, shared_output) = (self.launches.sides.paths, self.shared_output);
        Ok(PairsReport {
            base,
            current,
            paths,
            seconds,
            missing_base,
            shared_output,
            findings,
            ..report
        })
    }
}

/// Whether every gated metric has a verdict other than inconclusive.
fn is_judged(comparison: &Comparison) -> bool {
    let mut gated = comparison
        .metrics()
        .map(|metric| &metric.judgement)
        .filter(|judgement| judgement.is_gated());
    gated.all(|judgement| judgement.is_compared() && judgement.verdict != Verdict::Inconclusive)
}

fn verdicts(comparison: &Comparison) -> impl Iterator<Item = Verdict> {
    comparison.metrics().map(|metric| metric.judgement.verdict)
}

/// Changes the methodology of a base row that measured the head's code, so that it is not compared.
pub(super) fn mark_shared_output(row: &mut Row, file: &str) {
    let mut conditions = Conditions::clone(&row.key.conditions);
    let methodology = conditions.methodology.unwrap_or_default();
    conditions.methodology = Some(with_shared_output(&methodology, file).into());
    row.key = Key {
        scenario: Name::clone(&row.key.scenario),
        conditions: conditions.into(),
    }
    .into();
}

/// The time limit was too short for a single pair.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("no pair was measured within the time limit")]
pub struct NoPair;

pub(super) fn no_pair() -> anyhow::Error {
    Failure::new(NoPair.to_string())
        .because(NoPair)
        .hint("raise `--time-limit`, or use a faster benchmark")
        .into()
}

/// The error if only one side prints benchmark results.
pub(super) fn unlike_sources(base: Source) -> anyhow::Error {
    let (with, without) = match base {
        Source::BenchTool => ("base", "head"),
        Source::Process => ("head", "base"),
    };
    Failure::new(format!(
        "the {with} prints benchmark results and the {without} does not"
    ))
    .hint("both sides must run the same benchmark")
    .into()
}
