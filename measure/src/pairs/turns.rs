//! One pair: all benchmarks of both sides in random order.

use perf_cli::{failure, term};
use perf_model::row::Row;
use perf_verdict::rules::pairs::LOOKS;

use super::Measurement;
use super::outcome::mark_shared_output;
use super::parts::Part;
use crate::guardian::Stopped;
use crate::process::FailedRun;
use crate::sampling::Overhead;
use crate::schedule::Side;

impl Measurement<'_> {
    /// Runs only the head, because the base has nothing to measure.
    fn measure_head_alone(&mut self, number: i64) -> anyhow::Result<()> {
        let launch = match self.single.take() {
            Some(launch) => launch,
            None => self.launches.launch_whole(Side::Current)?,
        };
        let (prepared, overhead) = (
            &self.launches.sides.current,
            Overhead {
                wall: 0.0,
                repeats: self.launches.repeats,
            },
        );
        let line = self.launches.whole(Side::Current);
        let mut rows = self.sampling.rows(
            self.source,
            (&launch, line),
            (Side::Current, prepared),
            overhead,
            number,
        )?;
        self.sampling.count_process_runs(Side::Current, &mut rows);
        self.rows[1].extend(rows);
        self.pairs += 1;
        Ok(())
    }

    /// Measures the next pair.
    pub(super) fn measure_pair(&mut self) -> anyhow::Result<()> {
        let number = i64::try_from(self.pairs).unwrap_or(i64::MAX);
        if self.missing_base.is_some() {
            return self.measure_head_alone(number);
        }
        let order = self.launches.schedule.order();
        let mut new_rows: [Vec<Row>; 2] = Default::default();
        if !self.run_all_benchmarks(order, number, &mut new_rows)? {
            // Repeat this pair with the new commands.
            return Ok(());
        }
        if let Some(file) = &self.shared_output {
            new_rows[0]
                .iter_mut()
                .for_each(|row| mark_shared_output(row, file));
        }
        for (all, new) in self.rows.iter_mut().zip(new_rows) {
            all.extend(new);
        }
        self.apply_focus()?;
        self.pairs += 1;
        Ok(())
    }

    /// Runs both sides. Returns false if the commands changed, so that the pair must be repeated.
    fn run_all_benchmarks(
        &mut self,
        order: [Side; 2],
        number: i64,
        new_rows: &mut [Vec<Row>; 2],
    ) -> anyhow::Result<bool> {
        for part in self.launches.parts.clone() {
            if !self.run_part(&part, order, number, new_rows)? {
                new_rows.iter_mut().for_each(Vec::clear);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Does the same as [`Self::run_all_benchmarks`] for one part of the suite.
    fn run_part(
        &mut self,
        part: &Part,
        order: [Side; 2],
        number: i64,
        new_rows: &mut [Vec<Row>; 2],
    ) -> anyhow::Result<bool> {
        let overhead = self.launches.overhead()?;
        let lines = order.map(|side| part.lines[usize::from(side == Side::Current)].as_ref());
        // With two processors, both sides run at the same time.
        let mut both = match (self.processors, lines) {
            (Some(processors), [Some(first), Some(second)]) => self
                .launches
                .launch_both([first, second], processors)
                .map(Some),
            _ => [None, None],
        };
        for ((side, line), launched) in order.into_iter().zip(lines).zip(&mut both) {
            let Some(line) = line else { continue };
            let launch = launched
                .take()
                .unwrap_or_else(|| self.launches.launch_line(line));
            let prepared = self.launches.sides.side(side);
            let rows = launch.and_then(|launch| {
                self.sampling.rows(
                    self.source,
                    (&launch, line),
                    (side, prepared),
                    overhead,
                    number,
                )
            });
            match rows {
                Ok(mut rows) => {
                    part.retain(&mut rows);
                    self.sampling.count_process_runs(side, &mut rows);
                    new_rows[usize::from(side == Side::Current)].extend(rows);
                }
                Err(error) if error.is::<Stopped>() => return Err(error),
                Err(error) if self.can_widen() => {
                    self.widen(&failure::message(&error));
                    return Ok(false);
                }
                Err(error) if self.may_fail(side, &error) => {
                    let shown = &self.rows[usize::from(side == Side::Current)];
                    let mut rows = self.sampling.failed_rows(shown, prepared, number);
                    part.retain(&mut rows);
                    self.sampling.count_process_runs(side, &mut rows);
                }
                Err(error) => {
                    let all = &mut self.rows[usize::from(side == Side::Current)];
                    all.extend(self.sampling.failed_rows(all, prepared, number));
                    return Err(error);
                }
            }
        }
        Ok(true)
    }

    /// Whether to continue after this error: a failed process run, if this side produced results before, while at most a third
    /// of its process runs failed.
    pub(super) fn may_fail(&mut self, side: Side, error: &anyhow::Error) -> bool {
        let at = usize::from(side == Side::Current);
        let is_failed_run = error.chain().any(<dyn std::error::Error>::is::<FailedRun>);
        if !is_failed_run || self.rows[at].is_empty() {
            return false;
        }
        self.failed_runs[at] += 1;
        let pairs = (self.pairs + 1).max(LOOKS[0].pairs);
        if self.failed_runs[at] * 3 > pairs {
            return false;
        }
        term::warn(&format!(
            "failed process run excluded: {}",
            failure::message(error)
        ));
        failure::hints(error).into_iter().for_each(term::hint);
        true
    }
}
