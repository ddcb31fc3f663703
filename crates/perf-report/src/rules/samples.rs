//! Launches of two runs, as in `8 launches per side: +12.3% [+9.8, +14.9] vs. the baseline, p = 0.0002`.

use perf_verdict::Screening;
use perf_verdict::rules::samples::Finding;

use crate::number::{counted, significant};
use crate::words::{Subject, confirmation, percent, versus};

pub(super) fn reason(finding: &Finding, compared: &Subject<'_>) -> String {
    let test = &finding.test;
    let launches = match test.launches {
        (base, now) if base == now => format!("{} per side", counted(now, "launch")),
        (base, now) => format!("{now} vs. {} in the baseline", counted(base, "launch")),
    };
    let effect = compared.effect(test.effect);
    let interval = interval(compared, test.interval);
    let why = match finding.screening {
        Screening::Suspect(runs) => confirmation(compared, runs, test.effect),
        Screening::Improved => "the whole interval is an improvement".to_owned(),
        Screening::Normal if test.rejected => "significant, but too small to be suspect".to_owned(),
        Screening::Normal => "not significant".to_owned(),
    };
    let effect = versus(&format!("{effect} {interval}"), "the baseline");
    format!("{launches}: {effect}, {}; {why}", p_value(test.p))
}

/// The iterations within single processes, as in `30 iterations in one process (±1.2% within a run)`.
pub(crate) fn iterations(compared: &Subject<'_>) -> Option<String> {
    let sides = compared.extra.as_ref()?.iterations.as_deref()?;
    // The current run, else the baseline.
    let side = sides.iter().rev().find(|side| side.count > 0)?;
    let processes = if side.launches == 1 {
        "one process".to_owned()
    } else {
        format!("{} processes", side.launches)
    };
    let meaning = if side.launches == 1 {
        ""
    } else {
        ": only the processes are compared"
    };
    let noise = side
        .noise
        .map(|noise| format!(" (±{} within a run)", percent(noise, 1)))
        .unwrap_or_default();
    Some(format!(
        "{} in {processes}{meaning}{noise}",
        counted(side.count, "iteration")
    ))
}

/// An interval of costs as one of the number, the smaller end first.
pub(crate) fn interval(compared: &Subject<'_>, (low, high): (f64, f64)) -> String {
    let mut ends = [low, high].map(|distance| compared.change_of(distance));
    ends.sort_unstable_by(f64::total_cmp);
    let is_multiple = ends[0] > 1.0;
    let [low, high] = ends.map(|change| {
        if is_multiple {
            format!("{}×", significant(1.0 + change, 3))
        } else {
            compared
                .percentage(change, 1)
                .trim_end_matches('%')
                .to_owned()
        }
    });
    format!("[{low}, {high}]")
}

pub(super) fn p_value(p: f64) -> String {
    if p < 0.0001 {
        "p < 0.0001".to_owned()
    } else {
        format!("p = {}", significant(p, 2))
    }
}
