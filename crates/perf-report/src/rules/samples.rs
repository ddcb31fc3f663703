//! Launches of two runs, as in `8 launches per side: +12.3% [+9.8, +14.9] vs. the baseline, p = 0.0002`.

use perf_model::metric::Direction;
use perf_verdict::rules::samples::Finding;
use perf_verdict::{MetricComparison, Screening};

use super::Say;
use crate::number::significant;
use crate::words::{change_of, confirmation, counted, percent, signed};

impl Say for Finding {
    fn reason(&self, compared: &MetricComparison) -> String {
        let test = &self.test;
        let direction = compared.metric.meaning.direction;
        let launches = match test.launches {
            (base, now) if base == now => format!("{} per side", counted(now, "launch")),
            (base, now) => format!("{now} vs. {} in the baseline", counted(base, "launch")),
        };
        let effect = signed(change_of(direction, test.effect));
        let interval = interval(direction, test.interval);
        let why = match self.screening {
            Screening::Suspect(runs) => confirmation(compared, runs, test.effect),
            Screening::Improved => "the whole interval is an improvement".to_owned(),
            Screening::Normal if test.rejected => "significant, but too small to be suspect".to_owned(),
            Screening::Normal => "not significant".to_owned(),
        };
        format!("{launches}: {effect} {interval} vs. the baseline, {}; {why}", p_value(test.p))
    }

    fn rule(&self, _: &MetricComparison) -> String {
        "samples".to_owned()
    }
}

/// What single processes repeated, as in `30 iterations in one process: noise only (±1.2% within a run)`.
pub(crate) fn iterations(compared: &MetricComparison) -> Option<String> {
    let sides = compared.extra.as_ref()?.iterations.as_deref()?;
    // The current run, else the baseline.
    let side = sides.iter().rev().find(|side| side.count > 0)?;
    let processes =
        if side.launches == 1 { "one process".to_owned() } else { format!("{} processes", side.launches) };
    let meaning = if side.launches == 1 { "noise only" } else { "only the processes are compared" };
    let noise = side.noise.map(|noise| format!(" (±{} within a run)", percent(noise, 1))).unwrap_or_default();
    Some(format!("{} in {processes}: {meaning}{noise}", counted(side.count, "iteration")))
}

/// An interval of costs as one of the number, the smaller end first.
fn interval(direction: Direction, (low, high): (f64, f64)) -> String {
    let mut ends = [low, high].map(|distance| change_of(direction, distance));
    ends.sort_unstable_by(f64::total_cmp);
    let [low, high] = ends.map(|change| signed(change).trim_end_matches('%').to_owned());
    format!("[{low}, {high}]")
}

fn p_value(p: f64) -> String {
    if p < 0.0001 { "p < 0.0001".to_owned() } else { format!("p = {}", significant(p, 2)) }
}
