//! The result as text and as JSON.

use perf_model::diagnostic::counted;
use serde_json::{Value, json};

use super::comparisons::{Comparisons, Subject, percent};
use super::search::Found;
use crate::series::{Commit, short};

/// The most commits listed for one change.
const LISTED: usize = 10;

/// The result as JSON. Changes are relative, such as 0.1 for +10%.
pub(super) fn json(
    changes: &[Found],
    subject: &Subject,
    comparisons: &Comparisons<'_>,
) -> anyhow::Result<Value> {
    let mut listed = Vec::new();
    for found in changes {
        let change = found.change;
        let low = change.and_then(|change| change.low);
        let high = change.and_then(|change| change.high);
        listed.push(json!({
            "commits": resolve(found)?,
            "change": change.map(|change| change.estimate.exp_m1()),
            "interval": low.zip(high).map(|(low, high)| [low.exp_m1(), high.exp_m1()]),
            "probability": found.probability,
            "is_complete": !found.is_open,
        }));
    }
    let mut skipped = Vec::new();
    for (commit, why) in comparisons.failures() {
        skipped.push(json!({ "commit": commit, "why": why }));
    }
    Ok(json!({
        "benchmark": subject.benchmark,
        "metric": subject.metric,
        "changes": listed,
        "comparisons": comparisons.count(),
        "seconds": comparisons.seconds(),
        "skipped": skipped,
    }))
}

/// The result as text.
pub(super) fn text(
    changes: &[Found],
    subject: &Subject,
    comparisons: &Comparisons<'_>,
) -> anyhow::Result<String> {
    let mut lines = Vec::new();
    for found in changes {
        let commits = resolve(found)?;
        match &commits[..] {
            [commit] => lines.push(format!("{} made the change", short(&commit.id))),
            several => lines.push(format!(
                "one of these {} commits made the change",
                several.len()
            )),
        }
        for commit in commits.iter().take(LISTED) {
            lines.push(format!(
                "  commit   {} ({}, {})",
                commit.line(),
                commit.author,
                commit.date
            ));
        }
        let change = match found.change {
            Some(change) => percent(change) + direction(subject, change.estimate),
            None => "unknown".to_owned(),
        };
        lines.push(format!("  change   {}: {change}", subject.name()));
        let wrong = 100.0 * (1.0 - found.probability);
        let wrong = if wrong < 0.01 {
            "<0.01".to_owned()
        } else {
            format!("{wrong:.2}")
        };
        lines.push(format!(
            "  error    {wrong}% probability that it was a different commit"
        ));
        let last = commits.last().map_or("", |commit| short(&commit.id));
        lines.push(format!("  look     git show {last}"));
    }
    for (commit, why) in comparisons.failures() {
        lines.push(format!("skipped {}: {}", short(commit), why));
    }
    lines.push(format!(
        "{} in {:.0} s\n",
        counted(comparisons.count() as u64, "comparison"),
        comparisons.seconds()
    ));
    Ok(lines.join("\n"))
}

fn resolve(found: &Found) -> anyhow::Result<Vec<Commit>> {
    found
        .commits
        .iter()
        .map(|commit| Commit::resolve(commit))
        .collect()
}

fn direction(subject: &Subject, change: f64) -> &'static str {
    match f64::from(subject.worse) * change {
        worse if worse > 0.0 => ", worse",
        better if better < 0.0 => ", better",
        _ => "",
    }
}
