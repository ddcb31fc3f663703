//! The result as text and as JSON.

use perf_cli::term;
use perf_model::diagnostic::counted;
use perf_verdict::statistics::signed_rank::Typical;
use serde::Serialize;

use super::comparisons::{Comparisons, Skipped, Subject, percent};
use super::search::Found;
use crate::series::{Commit, short};

/// The most commits listed for one change.
const LISTED: usize = 10;

/// The result as JSON.
#[derive(Serialize)]
pub(super) struct Report {
    benchmark: String,
    metric: String,
    changes: Vec<ChangeReport>,
    comparisons: usize,
    seconds: f64,
    skipped: Vec<Skipped>,
    #[serde(skip)]
    is_out_of_time: bool,
}

#[derive(Serialize)]
struct ChangeReport {
    /// The commit that made the change, or several if they could not be distinguished.
    commits: Vec<Commit>,
    /// The relative change, such as 0.1 for +10%.
    change: Option<f64>,
    interval: Option<[f64; 2]>,
    /// The probability that one of the commits made the change.
    probability: f64,
    is_complete: bool,
    #[serde(skip)]
    typical: Option<Typical>,
}

impl Report {
    pub(super) fn new(
        found: Vec<Found>,
        is_out_of_time: bool,
        subject: &Subject,
        comparisons: &Comparisons<'_>,
    ) -> anyhow::Result<Self> {
        let mut changes = Vec::new();
        for found in found {
            let mut commits = Vec::new();
            for commit in &found.commits {
                commits.push(Commit::resolve(commit)?);
            }
            let mut change = ChangeReport {
                commits,
                change: None,
                interval: None,
                probability: found.probability,
                is_complete: !found.is_open,
                typical: found.change,
            };
            if let Some(typical) = found.change {
                change.change = Some(typical.estimate.exp_m1());
                if let (Some(low), Some(high)) = (typical.low, typical.high) {
                    change.interval = Some([low.exp_m1(), high.exp_m1()]);
                }
            }
            changes.push(change);
        }
        Ok(Self {
            benchmark: subject.benchmark.clone(),
            metric: subject.metric.clone(),
            changes,
            comparisons: comparisons.count(),
            seconds: comparisons.seconds(),
            skipped: comparisons.failures(),
            is_out_of_time,
        })
    }

    /// True if the search ended before its time limit.
    pub(super) fn is_complete(&self) -> bool {
        !self.is_out_of_time
    }

    /// The result as text.
    pub(super) fn text(&self, subject: &Subject) -> String {
        let mut lines = Vec::new();
        for found in &self.changes {
            match &found.commits[..] {
                [commit] => lines.push(format!("{} made the change", short(&commit.id))),
                several => lines.push(format!(
                    "one of these {} commits made the change",
                    several.len()
                )),
            }
            for commit in found.commits.iter().take(LISTED) {
                lines.push(format!(
                    "  commit   {} ({}, {})",
                    commit.line(),
                    commit.author,
                    commit.date
                ));
            }
            let name = format!(
                "{} {}",
                term::printable(&subject.benchmark),
                term::printable(&subject.metric)
            );
            let change = found.typical.map_or_else(
                || "unknown".to_owned(),
                |change| format!("{}{}", percent(change), kind(subject, change.estimate)),
            );
            lines.push(format!("  change   {name}: {change}"));
            let wrong = 100.0 * (1.0 - found.probability);
            let wrong = if wrong < 0.01 {
                "<0.01".to_owned()
            } else {
                format!("{wrong:.2}")
            };
            lines.push(format!(
                "  error    {wrong}% probability that it was a different commit"
            ));
            let last = found.commits.last().map_or("", |commit| short(&commit.id));
            lines.push(format!("  look     git show {last}"));
        }
        lines.extend(
            self.skipped
                .iter()
                .map(|skipped| format!("skipped {}: {}", short(&skipped.commit), skipped.why)),
        );
        lines.push(format!(
            "{} in {:.0} s",
            counted(self.comparisons as u64, "comparison"),
            self.seconds
        ));
        lines.join("\n") + "\n"
    }
}

fn kind(subject: &Subject, change: f64) -> &'static str {
    match f64::from(subject.worse) * change {
        worse if worse > 0.0 => ", worse",
        better if better < 0.0 => ", better",
        _ => "",
    }
}
