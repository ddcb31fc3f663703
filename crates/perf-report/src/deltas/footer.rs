//! The last line: commits, machine, and the smallest slowdown that would have been detected.

use crate::markdown::escape::{code, inline};
use perf_config::Plus;
use perf_verdict::{Comparison, Reason, Rule};

use super::cells::state::RowState;
use super::context::{FoundMetric, Links, ReportContext};
use crate::number::counted;
use crate::sentences;
use crate::words::{Subject, power};

/// The number of characters of a shortened commit; one of at most `LONG` characters is shown in full.
const SHORT: usize = 7;
const LONG: usize = 12;

/// `has_slower` is true for a report with the sign of slower rows.
pub(super) fn footer(context: &ReportContext<'_>, has_slower: bool) -> String {
    let links = context.request.links;
    let comparison = context.comparison;
    let sides = [
        commits(&comparison.current_commits, links),
        commits(&comparison.baseline_commits, links),
    ];
    let commits = match sides {
        [Some(current), Some(baseline)] => Some(format!("{current} vs. baseline {baseline}")),
        [Some(current), None] => Some(current),
        [None, Some(baseline)] => Some(format!("vs. baseline {baseline}")),
        [None, None] => None,
    };
    let plus = (context.config.deltas.plus == Plus::Better).then(|| "+ is better".to_owned());
    let control = sentences::self_comparison(comparison);
    let legend = format!(
        "{} slower by 10% or more, and within its limit",
        RowState::Slower.icon()
    );
    let all = [
        commits,
        context.request.machine.map(inline),
        context
            .config
            .deltas
            .site
            .as_ref()
            .map(|site| format!("[history]({site}/index.html)")),
        links.and_then(run),
        detectable(context),
        control,
        has_slower.then_some(legend),
        plus,
    ];
    all.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// The first commits of both sides.
pub(super) fn sides(comparison: &Comparison) -> [Option<&String>; 2] {
    [
        comparison.current_commits.first(),
        comparison.baseline_commits.first(),
    ]
}

/// The address of a metric's chart on the published site, with the value of this run.
pub(super) fn chart(context: &ReportContext<'_>, found: &FoundMetric<'_>) -> Option<String> {
    let site = context.config.deltas.site.as_ref()?;
    let commit = context.comparison.current_commits.first();
    let value = found.metric.current.map(|value| value.as_f64().to_string());
    let parts = [
        (
            "benchmark",
            Some(context.config.label(&found.scenario.scenario).to_owned()),
        ),
        ("metric", Some(found.metric.metric.label.clone())),
        ("scope", Some(found.scope.scope.clone())),
        ("value", value),
        ("commit", commit.cloned()),
    ];
    let said = parts
        .into_iter()
        .filter_map(|(name, text)| Some(format!("{name}={}", encoded(&text?))));
    Some(format!(
        "{site}/index.html#{}",
        said.collect::<Vec<_>>().join("&")
    ))
}

/// A text in an address: bytes besides letters, digits and `-._` as `%20`.
fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    let plain_or_code = |byte: u8| {
        if is_plain(byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    text.bytes().map(plain_or_code).collect()
}

fn commits(commits: &[String], links: Option<&Links>) -> Option<String> {
    // Pairs of a working tree with changes name that tree, and the run before them its commit: one version of the code.
    let is_tree_of = |tree: &String, commit: &str| {
        commit.len() > LONG && tree.ends_with(&format!(" {commit:.10}"))
    };
    let is_named = |commit: &&String| !commits.iter().any(|tree| is_tree_of(tree, commit));
    let commits: Vec<&String> = commits.iter().filter(is_named).collect();
    let first = commit(commits.first()?, links);
    Some(match commits.len() - 1 {
        0 => first,
        more => format!("{first} and {more} more"),
    })
}

/// A short commit, linked where the repository is known.
fn commit(commit: &str, links: Option<&Links>) -> String {
    let is_hash = commit.len() >= SHORT && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    let short = if is_hash && commit.len() > LONG {
        &commit[..SHORT]
    } else {
        commit
    };
    match links {
        Some(links) if is_hash => {
            format!("[{}]({}/commit/{commit})", code(short), links.repository)
        }
        _ => code(short),
    }
}

fn run(links: &Links) -> Option<String> {
    let number = links.run.as_ref()?;
    Some(format!(
        "[run {number}]({}/actions/runs/{number})",
        links.repository
    ))
}

/// The median of the smallest detectable changes, and what would detect smaller ones.
fn detectable(context: &ReportContext<'_>) -> Option<String> {
    if context.tally.compared == 0 {
        return None;
    }
    if let Some(clocks) = sentences::detectable_by_clock(context.comparison) {
        return Some(format!(
            "smallest slowdown that these pairs detect: {clocks}"
        ));
    }
    let typical = typical(context)?;
    let change = power::detectable(&typical)?;
    let values = typical
        .extra
        .as_ref()
        .map_or(0, |extra| extra.history.len());
    let needed = context.config.history.least.saturating_sub(values);
    let more = match (typical.band(), needed) {
        _ if matches!(typical.judgement.reason, Reason::Pairs(_)) => String::new(),
        _ if matches!(typical.judgement.rule, Rule::Limit(limit) if limit < power::FOUND_BY_PAIRS) => {
            String::new()
        }
        (None, 1..) => format!(
            " ({} detect about 10%, pairs 5%)",
            counted(needed, "more baseline")
        ),
        _ => " (pairs detect 5%)".to_owned(),
    };
    Some(format!(
        "smallest slowdown that this gate detects: {change}{more}"
    ))
}

/// The smallest detectable change of half of the benchmarks.
pub(super) fn smallest(context: &ReportContext<'_>) -> Option<String> {
    power::detectable(&typical(context)?)
}

/// The metric whose smallest detectable change is the median of all.
fn typical<'c>(context: &ReportContext<'c>) -> Option<Subject<'c>> {
    let is_timed = |subject: &Subject<'_>| {
        !subject.metric.meaning.exact && matches!(subject.judgement.rule, Rule::Limit(_))
    };
    let timed = context
        .metrics()
        .map(|found| context.subject(found.metric))
        .filter(is_timed);
    let mut known: Vec<Subject<'c>> = timed
        .filter(|subject| subject.judgement.power.detectable.is_some())
        .collect();
    known.sort_by(|a, b| {
        let [a, b] = [a, b].map(|subject| subject.judgement.power.detectable.unwrap_or_default());
        a.total_cmp(&b)
    });
    let middle = known.len() / 2;
    known.into_iter().nth(middle)
}
