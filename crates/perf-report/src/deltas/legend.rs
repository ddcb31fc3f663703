//! One line that explains the numbers to a reader who does not know the tool.

use perf_config::Plus;
use perf_markdown::escape::{code, inline};
use perf_model::suite::Definitions;

use super::Context;
use super::columns::Shape;
use crate::words;

pub(super) fn legend(context: &Context<'_>) -> String {
    let comparison = context.comparison;
    let current = commits("Measured", &comparison.current_commits);
    let baseline = commits("Baseline", &comparison.baseline_commits);
    let plus = match context.config.deltas.plus {
        Plus::Better => "better",
        Plus::Larger => "more",
    };
    let tolerance = words::percent(comparison.policy.tolerance, 2);
    let mut sentences = vec![format!("{current}{baseline}+ is {plus}; up to {tolerance} is unchanged.")];
    sentences.extend(secondary(context));
    if context.config.deltas.plus == Plus::Better && context.has_unknown {
        sentences.push("▲ and ▼: the better direction is unknown.".to_owned());
    }
    let columns = Shape::of(context, None).columns();
    sentences.extend(columns.map(|column| column.legend.to_owned()).filter(|legend| !legend.is_empty()));
    sentences.join(" ")
}

/// The metrics that share the cells of the primary one.
fn secondary(context: &Context<'_>) -> Option<String> {
    let also = context.config.deltas.also.as_ref().filter(|also| !also.is_empty())?;
    let labels: Vec<String> = also.iter().map(|name| inline(&context.config.metric(name).label)).collect();
    Some(format!("After a comma: {}.", labels.join(", ")))
}

fn commits(what: &str, commits: &[String]) -> String {
    match commits {
        [] => String::new(),
        [only] => format!("{what}: {}. ", code(only)),
        [first, rest @ ..] => format!("{what}: {} and {} more. ", code(first), rest.len()),
    }
}
