//! One line that lets a reader understand the numbers without knowing the tool.

use perf_config::Plus;
use perf_model::suite::Definitions;

use super::{Told, tables};
use crate::words;
use perf_markdown::escape::{code, inline};

pub(super) fn legend(told: &Told<'_>) -> String {
    let (comparison, deltas) = (told.comparison, &told.config.deltas);
    let plus = match deltas.plus {
        Plus::Better => "better",
        Plus::Larger => "more",
    };
    let also = deltas.also.iter().flatten().map(|name| inline(&told.config.metric(name).label));
    let also: Vec<String> = also.collect();
    let cells =
        if also.is_empty() { String::new() } else { format!(" Behind a comma: {}.", also.join(", ")) };
    let tolerance = words::percent(comparison.policy.tolerance, 2);
    let current = commits("Measured", &comparison.current_commits);
    let baseline = commits("Baseline", &comparison.baseline_commits);
    format!(
        "{current}{baseline}+ is {plus}; up to {tolerance} is unchanged.{cells}{}{}",
        unknown(told),
        evidence(told)
    )
}

fn commits(what: &str, commits: &[String]) -> String {
    match commits {
        [] => String::new(),
        [only] => format!("{what}: {}. ", code(only)),
        [first, rest @ ..] => format!("{what}: {} and {} more. ", code(first), rest.len()),
    }
}

fn unknown(told: &Told<'_>) -> &'static str {
    if told.config.deltas.plus == Plus::Better && told.has_unknown {
        " ▲ and ▼: which way is better is not known."
    } else {
        ""
    }
}

/// What the columns say that stand there where there is more than one number a side.
fn evidence(told: &Told<'_>) -> String {
    let mut text = String::new();
    if tables::has_history(told, None) {
        text += " History: the last values, the current one at the end; up is the larger number.";
    }
    if tables::has_evidence(told, None) {
        text += " Noise: how far the cost strays without any change, as one standard deviation. \
                 Notices: the smallest change for the worse that would be noticed.";
    }
    text
}
