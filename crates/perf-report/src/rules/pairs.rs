//! Interleaved pairs, as in `slower by more than 2% in 38 of 40 pairs; typically +7.4% [+6.1, +8.9] vs. the base`.

use perf_verdict::Verdict;
use perf_verdict::rules::pairs::{Finding, Outcome};

use super::samples::interval;
use crate::number::counted;
use crate::words::{Subject, allowed, percent, versus};

/// The remark that the machine shows a change where there is none.
const FLAGGED: &str = "; unchanged code compared with itself is flagged, too";

pub(super) fn reason(finding: &Finding, compared: &Subject<'_>) -> String {
    let of = |distance: f64| compared.effect(distance);
    let interval = finding
        .lower
        .zip(finding.upper)
        .map(|ends| format!(" {}", interval(compared, ends)));
    let typical = of(finding.median) + &interval.unwrap_or_default();
    let said = format!(
        "{}; typically {}",
        count(finding),
        versus(&typical, "the base")
    );
    match finding.outcome {
        Outcome::Slower if compared.judgement.verdict == Verdict::Moved => {
            format!(
                "{said}{}",
                allowed(compared, finding.median).map_or(String::new(), |why| format!("; {why}"))
            )
        }
        Outcome::Slower | Outcome::Faster => said,
        Outcome::Same | Outcome::NotSlower => said + &dependent(finding),
        Outcome::Open => {
            let tail = finding.tail.map(|tail| {
                format!(
                    "; by the median sample of a launch {}",
                    versus(&of(tail), "the base")
                )
            });
            let flagged = if finding.is_flagged() { FLAGGED } else { "" };
            let is_settled =
                (tail.is_some() || finding.is_flagged()) && finding.until_next.is_none();
            let next = if is_settled {
                String::new()
            } else {
                format!("; {}", next_look(finding))
            };
            format!(
                "{said}{}{flagged}{}{next}",
                tail.unwrap_or_default(),
                dependent(finding)
            )
        }
    }
}

pub(super) fn remedy(finding: &Finding) -> Option<String> {
    finding
        .until_next
        .map(|more| format!("measure {}", launches(more)))
}

/// The number of pairs that are slower or faster, as in `slower by more than 2% in 38 of 40 pairs`.
pub fn count(finding: &Finding) -> String {
    let pairs = counted(finding.pairs, "pair");
    let [margin, negligible] =
        [finding.margin, finding.negligible()].map(|distance| percent(distance.exp_m1(), 2));
    match finding.outcome {
        Outcome::Same | Outcome::NotSlower => {
            format!(
                "slower by less than {negligible} in {} of {pairs}",
                finding.within
            )
        }
        Outcome::Faster => format!(
            "faster by more than {margin} in {} of {pairs}",
            finding.faster
        ),
        Outcome::Slower | Outcome::Open => {
            format!(
                "slower by more than {margin} in {} of {pairs}",
                finding.slower
            )
        }
    }
}

/// The remark that consecutive pairs depend on each other; empty if they do not.
fn dependent(finding: &Finding) -> String {
    finding.serial.zip(finding.look).map_or(String::new(), |(serial, look)| {
        format!(
            "; consecutive pairs depend on each other (autocorrelation {serial:.2}, limit {:.2})",
            look.serial
        )
    })
}

/// The launches until the next look, as in `20 more launches per side until the next look`.
pub fn next_look(finding: &Finding) -> String {
    match (finding.look, finding.until_next) {
        (None, Some(more)) => format!("too few: {} until the first look", launches(more)),
        (_, Some(more)) => format!("{} until the next look", launches(more)),
        (_, None) => "this was the last look".to_owned(),
    }
}

fn launches(more: usize) -> String {
    format!("{} per side", counted(more, "more launch"))
}
