//! Launches of two runs, as in `8 launches per side: +12.3% [+9.8, +14.9] vs. the baseline, p = 0.0002`.

use perf_model::metric::Direction;
use perf_verdict::rules::samples::Finding;
use perf_verdict::{MetricComparison, Screening};

use super::Say;
use crate::number::significant;
use crate::words::{change_of, confirmation, counted, signed};

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
