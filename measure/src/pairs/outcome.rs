//! What comes of a measurement: the files of both sides, the result lines and the exit code.

use perf_cli::{Exit, Failure, file, term};
use perf_model::row::Row;
use perf_readers::baseline;
use perf_verdict::rules::pairs::{LOOKS, Outcome};
use perf_verdict::{Comparison, Reason, Verdict};

use super::display::summary;
use super::{Args, Measurement};

impl Measurement<'_> {
    /// Writes the rows of both sides.
    pub(super) fn write(&self, args: &Args) -> anyhow::Result<()> {
        let files = [(&args.output_base, &self.rows[0]), (&args.output_current, &self.rows[1])];
        // A base without a benchmark has a file without rows.
        let is_written = |rows: &[Row]| !rows.is_empty() || self.missing_base.is_some();
        for (path, rows) in files.into_iter().filter(|(_, rows)| is_written(rows)) {
            file::write_if_changed(path, baseline::write(rows, &[], self.sampling.config)?.as_bytes())?;
        }
        Ok(())
    }

    /// Prints the result of each metric and the result lines.
    ///
    /// # Errors
    /// When nothing was measured or compared.
    pub(super) fn report(&self, args: &Args) -> anyhow::Result<Exit> {
        if self.pairs == 0 {
            return Err(Failure::new("no pair was measured within the time limit")
                .hint("give it longer with `--time-limit`, or make the benchmark quicker")
                .into());
        }
        if let Some(why) = &self.missing_base {
            term::warn(&format!("the base was not measured: {why}"));
            let seconds = self.start.elapsed().as_secs_f64();
            let lines = format!("pairs=0\nseconds={seconds:.1}\nconcluded=false\nregressed=false\n");
            term::stdout(&lines)?;
            return Ok(Exit::Ok);
        }
        if !self.compared(|comparison| verdicts(comparison).next().is_some()) {
            if self.args.base_may_lack {
                term::warn("the base was not measured: it has no benchmark of the current side");
                return Ok(Exit::Ok);
            }
            return Err(Failure::new("nothing was compared: the two sides have no benchmark in common")
                .hint("both sides must run the same benchmark under the same name")
                .into());
        }
        let (is_judged, regressed) = self.compared(|comparison| {
            for line in summary(comparison) {
                term::stderr(&format!("{line}\n"));
            }
            (is_judged(comparison), verdicts(comparison).any(|verdict| verdict == Verdict::Regressed))
        });
        // An exact count can be judged before the first look, and the rest cannot.
        let concluded = is_judged && self.pairs >= LOOKS[0].pairs;
        let seconds = self.start.elapsed().as_secs_f64();
        term::stdout(&format!(
            "pairs={}\nseconds={seconds:.1}\nconcluded={concluded}\nregressed={regressed}\n",
            self.pairs
        ))?;
        Ok(if regressed && args.exit_code { Exit::Regressed } else { Exit::Ok })
    }
}

/// Gated metrics that more pairs could still decide.
pub(super) fn open_metrics(comparison: &Comparison) -> usize {
    let gated = comparison.metrics().filter(|metric| metric.judgement.is_gated());
    let is_open = |reason: &Reason| match reason {
        Reason::Pairs(finding) => finding.outcome == Outcome::Open && finding.until_next.is_some(),
        _ => false,
    };
    gated.filter(|metric| is_open(&metric.judgement.reason)).count()
}

/// Whether every gated metric has a verdict that more pairs, or a better measurement, would not change.
fn is_judged(comparison: &Comparison) -> bool {
    let mut gated =
        comparison.metrics().map(|metric| &metric.judgement).filter(|judgement| judgement.is_gated());
    gated.all(|judgement| judgement.is_compared() && judgement.verdict != Verdict::Inconclusive)
}

fn verdicts(comparison: &Comparison) -> impl Iterator<Item = Verdict> {
    let scenarios = comparison.scopes.iter().flat_map(|scope| &scope.scenarios);
    scenarios.flat_map(|scenario| &scenario.metrics).map(|metric| metric.judgement.verdict)
}
