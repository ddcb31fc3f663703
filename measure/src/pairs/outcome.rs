//! What comes of a measurement: the files of both sides, and the report.

use perf_cli::{Failure, file, term};
use perf_model::row::Row;
use perf_readers::baseline;
use perf_verdict::rules::pairs::LOOKS;
use perf_verdict::{Comparison, Verdict};

use super::display::summary;
use super::{Measurement, PairsReport};

impl Measurement<'_> {
    /// Writes the rows of both sides to the files of the request.
    pub(super) fn write(&self) -> anyhow::Result<()> {
        let files = [(&self.request.base_rows, &self.rows[0]), (&self.request.current_rows, &self.rows[1])];
        // A base without a benchmark has a file without rows.
        let is_written = |rows: &[Row]| !rows.is_empty() || self.missing_base.is_some();
        for (path, rows) in files.into_iter().filter(|(_, rows)| is_written(rows)) {
            let Some(path) = path else { continue };
            file::write_if_changed(path, baseline::write(rows, &[], self.sampling.config)?.as_bytes())?;
        }
        Ok(())
    }

    /// Says what came of each metric, and reports it.
    ///
    /// # Errors
    /// When nothing was measured or compared.
    pub(super) fn report(self) -> anyhow::Result<PairsReport> {
        if self.pairs == 0 {
            return Err(super::no_pair());
        }
        let mut missing_base = self.missing_base.clone();
        if missing_base.is_none() && !self.compared(|comparison| verdicts(comparison).next().is_some()) {
            if !self.request.is_base_optional {
                return Err(Failure::new("nothing was compared: the two sides have no benchmark in common")
                    .hint("both sides must run the same benchmark under the same name")
                    .into());
            }
            missing_base = Some("it has no benchmark of the current side".to_owned());
        }
        let seconds = self.start.elapsed().as_secs_f64();
        let report = if let Some(why) = &missing_base {
            term::warn(&format!("the base was not measured: {why}"));
            PairsReport::default()
        } else {
            self.compared(|comparison| {
                for line in summary(comparison) {
                    term::stderr(&format!("{line}\n"));
                }
                PairsReport {
                    pairs: self.pairs,
                    // An exact count can be judged before the first look, and the rest cannot.
                    is_concluded: is_judged(comparison) && self.pairs >= LOOKS[0].pairs,
                    is_regressed: verdicts(comparison).any(|verdict| verdict == Verdict::Regressed),
                    ..PairsReport::default()
                }
            })
        };
        let [base, current] = self.rows;
        let paths = self.launches.sides.paths;
        Ok(PairsReport { base, current, paths, seconds, missing_base, ..report })
    }
}

/// True if every gated metric has a verdict that more pairs, or a better measurement, would not change.
fn is_judged(comparison: &Comparison) -> bool {
    let mut gated =
        comparison.metrics().map(|metric| &metric.judgement).filter(|judgement| judgement.is_gated());
    gated.all(|judgement| judgement.is_compared() && judgement.verdict != Verdict::Inconclusive)
}

fn verdicts(comparison: &Comparison) -> impl Iterator<Item = Verdict> {
    let scenarios = comparison.scopes.iter().flat_map(|scope| &scope.scenarios);
    scenarios.flat_map(|scenario| &scenario.metrics).map(|metric| metric.judgement.verdict)
}
