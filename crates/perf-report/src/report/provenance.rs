//! The origin of the numbers: commits, run and machine below the headline, and limits and the minimum detectable
//! slowdown in the last line.

use std::collections::BTreeMap;

use perf_config::Plus;
use perf_model::commit::CommitId;
use perf_verdict::{Reason, Rule};
use serde::{Deserialize, Serialize};

use super::context::{FoundMetric, ReportContext};
use super::rows::Rows;
use super::state::RowState;
use crate::markdown::escape::{code, inline};
use crate::reasons;
use crate::subject::percent;

/// The maximum length of a commit hash that is shown in full.
const LONG_COMMIT: usize = 12;
const SHORT_COMMIT: usize = 7;

/// The measured commit and its base, which may differ from the commits in the rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MeasuredCommits {
    /// The measured commit.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub head: CommitId,
    /// The base of the measured commit, if known.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub base: Option<CommitId>,
    /// The URL of the repository, if known.
    #[serde(skip)]
    pub repository: Option<String>,
    /// The URL of the run, if known.
    #[serde(skip)]
    pub run: Option<String>,
}

impl MeasuredCommits {
    /// Formats the commits and the run as Markdown, for a report without a comparison.
    pub fn footer(&self) -> String {
        match &self.run {
            Some(url) => format!("{} · [run]({url})", self.commits()),
            None => self.commits(),
        }
    }

    /// Formats the commits as `base…head`, with links if the repository is known.
    pub(super) fn commits(&self) -> String {
        let repository = self.repository.as_deref();
        let head = linked(self.head.as_str(), repository);
        match &self.base {
            Some(base) => format!("{}…{head}", linked(base.as_str(), repository)),
            None => head,
        }
    }

    /// True if `rows`, the commits of rows, contain both commits.
    pub(super) fn are_in(&self, rows: &[String]) -> bool {
        let mut all = [Some(&self.head), self.base.as_ref()].into_iter().flatten();
        all.all(|commit| rows.iter().any(|name| name.starts_with(commit.short())))
    }
}

/// Formats the commits in the rows as Markdown: `base…head`.
pub(super) fn commits(context: &ReportContext<'_>) -> Option<String> {
    let comparison = context.comparison;
    let links = context.details.links.as_ref();
    let repository = links.map(|links| links.repository.as_str());
    let base = commits_of(&comparison.baseline_commits, repository);
    let head = commits_of(&comparison.current_commits, repository);
    match (base, head) {
        (Some(base), Some(head)) => Some(format!("{base}…{head}")),
        (Some(base), None) => Some(format!("baseline {base}")),
        (None, head) => head,
    }
}

/// Formats the run and the machine as Markdown.
pub(super) fn run_and_machine(context: &ReportContext<'_>) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(links) = &context.details.links
        && let Some(number) = &links.run
    {
        let repository = &links.repository;
        parts.push(format!(
            "[run {number}]({repository}/actions/runs/{number})"
        ));
    }
    parts.extend(context.details.machine.as_deref().map(inline));
    parts
}

fn commits_of(commits: &[String], repository: Option<&str>) -> Option<String> {
    // Rows of pairs belong to the working tree, and earlier rows to its commit, but both are the same version.
    let mut versions = commits.to_vec();
    versions.retain(|commit| {
        let tree = format!(" {commit:.10}");
        commit.len() <= LONG_COMMIT || !commits.iter().any(|other| other.ends_with(&tree))
    });
    let first = linked(versions.first()?, repository);
    Some(match versions.len() - 1 {
        0 => first,
        more => format!("{first} and {more} more"),
    })
}

/// Formats a commit, shortened and with a link if the repository is known.
fn linked(commit: &str, repository: Option<&str>) -> String {
    let is_hash =
        commit.len() >= SHORT_COMMIT && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut short = commit;
    if is_hash && commit.len() > LONG_COMMIT {
        short = &commit[..SHORT_COMMIT];
    }
    match repository {
        Some(url) if is_hash => format!("[{}]({url}/commit/{commit})", code(short)),
        _ => code(short),
    }
}

/// Formats the last line as Markdown: limits, minimum detectable slowdown, A/A check, and legend.
pub(super) fn footer(context: &ReportContext<'_>, rows: &Rows) -> String {
    let mut parts = Vec::new();
    parts.extend(limits(context));
    parts.extend(detectable(context));
    parts.extend(reasons::self_comparison(context.comparison));
    if let Some(site) = &context.config.deltas.site {
        parts.push(format!("[history]({site}/index.html)"));
    }
    if rows
        .prominent
        .iter()
        .any(|row| row.state == RowState::Slower)
    {
        let icon = RowState::Slower.icon();
        parts.push(format!("{icon} 10% slower or more, but within the limit"));
    }
    if context.config.deltas.plus == Plus::Better {
        parts.push("+ is better".to_owned());
    }
    parts.join(" · ")
}

/// Formats the limits that were applied: `limit: 33% worse than the baseline` or `limit: 2% worse, proven by pairs`.
/// Returns `None` if no metric has a limit.
pub(super) fn limits(context: &ReportContext<'_>) -> Option<String> {
    let mut ranges: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
    for found in context.metrics() {
        let judgement = &found.metric.judgement;
        let Some(limit) = reasons::applied_limit(found.metric) else {
            continue;
        };
        if !judgement.is_gated() || !judgement.is_compared() {
            continue;
        }
        let compared = match judgement.reason {
            // No limit decided these verdicts.
            Reason::Obstacle(_) | Reason::Mixture(_) => continue,
            Reason::Pairs(_) => ", proven by pairs",
            _ if found.metric.band.is_some() => " than earlier values",
            _ => " than the baseline",
        };
        let range = ranges.entry(compared).or_insert([limit; 2]);
        *range = [range[0].min(limit), range[1].max(limit)];
    }
    let mut parts = Vec::new();
    for (compared, range) in ranges {
        let [low, high] = range.map(|limit| percent(limit, 1));
        let limit = if low == high {
            low
        } else {
            format!("between {low} and {high}")
        };
        parts.push(format!("{limit} worse{compared}"));
    }
    (!parts.is_empty()).then(|| format!("limit: {}", parts.join("; ")))
}

/// Returns the URL of a metric's chart on the published site, with this run's value as a parameter.
pub(super) fn chart_address(
    context: &ReportContext<'_>,
    found: &FoundMetric<'_>,
) -> Option<String> {
    let site = context.config.deltas.site.as_ref()?;
    let label = context.config.label(&found.scenario.scenario);
    let metric = &found.metric.metric.label;
    let mut parts = vec![
        format!("benchmark={}", percent_encoded(label)),
        format!("metric={}", percent_encoded(metric)),
        format!("scope={}", percent_encoded(&found.scope.scope)),
    ];
    if let Some(value) = found.metric.current {
        let value = value.as_f64().to_string();
        parts.push(format!("value={}", percent_encoded(&value)));
    }
    if let Some(commit) = context.comparison.current_commits.first() {
        parts.push(format!("commit={}", percent_encoded(commit)));
    }
    Some(format!("{site}/index.html#{}", parts.join("&")))
}

/// Percent-encodes all bytes except letters, digits and `-._`.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.extend(["%".to_owned(), format!("{byte:02X}")]);
        }
    }
    encoded
}

/// Formats the minimum detectable slowdown: by clock if pairs were measured, otherwise the median over the metrics.
fn detectable(context: &ReportContext<'_>) -> Option<String> {
    if context.tally.compared == 0 {
        return None;
    }
    if let Some(clocks) = reasons::detectable_by_clock(context.comparison) {
        return Some(format!("minimum detectable slowdown: {clocks}"));
    }
    let mut known = Vec::new();
    for found in context.metrics() {
        let judgement = &found.metric.judgement;
        if let (Some(detectable), Rule::Limit(_)) = (judgement.power.detectable, judgement.rule)
            && !found.metric.metric.meaning.exact
        {
            known.push((detectable, found.metric));
        }
    }
    known.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (_, typical) = known.get(known.len() / 2)?;
    let change = reasons::detectable(&context.subject(typical))?;
    Some(format!("minimum detectable slowdown: {change}"))
}
