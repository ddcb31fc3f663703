//! The sections around the table. Each has a title and plain-text entries in which names are quoted by backticks.

use std::collections::HashSet;

use indexmap::IndexMap;
use perf_model::diagnostic::named;
use perf_model::suite::Definitions;
use perf_verdict::{Blind, CannotFail, Reason, ScopeComparison, Shift, Verdict};

use super::chart::charts;
use super::commands::{self, Commands};
use super::context::{Entry, FoundMetric, ReportContext, explained};
use super::provenance::chart_address;
use super::rows::Figures;
use super::state::{NOTABLE_LOSS, RowState, loss};
use crate::number::{counted, whole};
use crate::reasons::{self, sentence};
use crate::subject::percent;

/// The maximum number of benchmarks that a sentence lists.
pub(super) const MOST_NAMED: usize = 5;
/// The maximum number of new benchmarks that the report lists.
const MOST_NEW: usize = 50;

/// A slowdown of at least this many benchmarks at once was probably caused by the machine.
const MANY_BENCHMARKS: usize = 8;

/// A part of the report.
pub(super) struct Section {
    pub(super) kind: SectionKind,
    /// The title of the fold, or the text before the list.
    pub(super) title: String,
    pub(super) entries: Vec<Entry>,
    /// The commands after the entries.
    pub(super) commands: Vec<Commands>,
}

/// The kinds of sections, in the order of the report. Sections before `New` are above the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SectionKind {
    Shifts,
    Advice,
    New,
    NotCompared,
    StaleWaivers,
    Notes,
    Charts,
    Decided,
    CannotFail,
    Waived,
    Noisy,
}

impl Entry {
    /// Creates an entry about a metric.
    fn of(context: &ReportContext<'_>, found: &FoundMetric<'_>, text: String) -> Self {
        Self {
            name: Some(context.name_of(found)),
            metric: Some(found.metric.metric.label.clone()),
            text,
            chart: None,
        }
    }
}

impl Section {
    pub(super) fn new(kind: SectionKind, title: impl Into<String>, entries: Vec<Entry>) -> Self {
        Self {
            kind,
            title: title.into(),
            entries,
            commands: Vec::new(),
        }
    }
}

/// Returns all sections with entries, in the order of the report.
pub(super) fn sections(context: &ReportContext<'_>) -> Vec<Section> {
    let mut sections = vec![
        shifts(context),
        advice(context),
        new_benchmarks(context),
        not_compared(context),
        stale_waivers(context),
        notes(context),
    ];
    let (title, diagrams) = charts(context);
    sections.push(Section::new(SectionKind::Charts, title, diagrams));
    sections.push(decided(context));
    sections.push(cannot_fail(context));
    sections.push(waived(context));
    sections.push(noisy(context));
    sections.retain(|section| !section.entries.is_empty());
    sections
}

/// The advice if an environment shift makes benchmarks inconclusive. Another run on the same machine would not help,
/// because it would share the shift.
const SETTLE_SHIFT: &str =
    "To settle it, measure pairs, or pass a run on another machine with `--confirm-elsewhere`.";

/// Reports environment shifts or, if the history shows none, a slowdown that all benchmarks share.
fn shifts(context: &ReportContext<'_>) -> Section {
    let mut entries = Vec::new();
    for scope in &context.comparison.scopes {
        let several = context.comparison.scopes.len() > 1;
        let place = if several {
            format!(" ({})", scope.scope)
        } else {
            String::new()
        };
        if let Some(shift) = scope.shift {
            let shift = reasons::shift(&shift);
            let metrics = scope.scenarios.iter().flat_map(|one| &one.metrics);
            let mut states = metrics.map(RowState::of);
            let advice = if states.any(|state| state == RowState::Shifted) {
                SETTLE_SHIFT
            } else {
                "The machine may be the cause; the verdicts take that into account."
            };
            entries.push(format!("Environment shift{place}: {shift}. {advice}").into());
        } else if let Some(shift) = common_slowdown(scope) {
            let count = whole(scope.scenarios.len());
            let typical = reasons::typical(&shift);
            entries.push(
                format!("All {count} benchmarks{place} are {typical}: probably the machine. {SETTLE_SHIFT}")
                    .into(),
            );
        }
    }
    Section::new(SectionKind::Shifts, "", entries)
}

/// Returns the slowdown that a scope's benchmarks share. Each benchmark must be clearly slower, but by no more than
/// machines have been seen to slow down unchanged code. The two sides of a pair share their machine, so a slowdown of
/// pairs is caused by the code.
fn common_slowdown(scope: &ScopeComparison) -> Option<Shift> {
    let mut losses = Vec::new();
    for scenario in &scope.scenarios {
        let metric = scenario.metrics.first()?;
        let is_paired = matches!(metric.judgement.reason, Reason::Pairs(_));
        if metric.metric.meaning.exact || is_paired {
            return None;
        }
        losses.push(loss(metric)?);
    }
    losses.sort_unstable_by(f64::total_cmp);
    let [lowest, .., highest] = losses.as_slice() else {
        return None;
    };
    let median = losses[losses.len() / 2];
    let shift = Shift {
        distance: median,
        share: 1.0,
        rows: losses.len(),
        median: median.exp_m1(),
        range: [lowest.exp_m1(), highest.exp_m1()],
    };
    let is_clear = losses.len() >= MANY_BENCHMARKS && *lowest >= NOTABLE_LOSS;
    (is_clear && shift.is_by_machine()).then_some(shift)
}

/// Advises how to confirm suspected regressions.
fn advice(context: &ReportContext<'_>) -> Section {
    let missing = context.comparison.missing_confirmations();
    let mut entries = Vec::new();
    if missing > 0 {
        let reproduction = context.details.reproduction.as_ref();
        let advice = match reproduction.and_then(|again| again.benchmark.as_ref()) {
            Some(_) => "rerun the benchmark when the machine is idle".to_owned(),
            None => reasons::rerun(missing),
        };
        entries.push(format!("Unconfirmed slowdowns: {advice}.").into());
    }
    Section::new(SectionKind::Advice, "", entries)
}

fn new_benchmarks(context: &ReportContext<'_>) -> Section {
    let mut names = Vec::new();
    for scope in &context.comparison.scopes {
        for name in &scope.new {
            names.push(context.name(&scope.scope, name).quoted());
        }
    }
    let mut entries = Vec::new();
    if !names.is_empty() {
        let names = named(&names, MOST_NEW);
        entries.push(format!("New (no baseline): {names}.").into());
    }
    Section::new(SectionKind::New, "", entries)
}

/// Reports the metrics that were not compared, with a sentence for each reason.
fn not_compared(context: &ReportContext<'_>) -> Section {
    let unlike = &context.details.unlike;
    let mut reasons: IndexMap<String, Vec<String>> = IndexMap::new();
    for found in context.metrics_in(RowState::Uncompared) {
        let mut reason = sentence(found.metric, context.config);
        if !unlike.is_empty() && found.metric.judgement.is_unlike() {
            reason.clone_from(unlike);
        }
        let name = with_numbers(context, &found);
        reasons.entry(reason).or_default().push(name);
    }
    let mut entries = Vec::new();
    for (reason, mut names) in reasons {
        let metrics = counted(names.len(), "metric");
        names.dedup();
        entries.push(
            format!(
                "{metrics} not compared ({reason}): {}.",
                named(&names, MOST_NAMED)
            )
            .into(),
        );
    }
    Section::new(SectionKind::NotCompared, "", entries)
}

/// Formats the benchmark's name, with both numbers if machine or methodology differ.
fn with_numbers(context: &ReportContext<'_>, found: &FoundMetric<'_>) -> String {
    let name = context.name_of(found).quoted();
    let subject = context.subject(found.metric);
    let has_both = subject.baseline.is_some() && subject.current.is_some();
    if !has_both || !found.metric.judgement.is_unlike() {
        return name;
    }
    let figures = Figures::of(&subject);
    format!("{name} ({} → {})", figures.base, figures.head)
}

/// Lists the waivers that a maintainer should remove or renew.
fn stale_waivers(context: &ReportContext<'_>) -> Section {
    let mut entries = Vec::new();
    for (waiver, used) in context
        .config
        .waivers
        .iter()
        .zip(&context.comparison.waivers)
    {
        let state = match (used.is_expired, used.covered) {
            (true, 0) => format!("expired on {} and unused", waiver.until),
            (true, covered) => format!(
                "expired on {}, would have excused {}",
                waiver.until,
                counted(covered, "verdict")
            ),
            (false, 0) => format!("unused, until {}", waiver.until),
            (false, _) => continue,
        };
        let metric = waiver.metric.as_ref();
        let metric = metric.map_or(String::new(), |metric| format!(", {}", metric.as_str()));
        let scenario = waiver.scenario.as_str();
        entries.push(
            format!(
                "{scenario}{metric}: {state} ({}; {})",
                waiver.reason, waiver.by
            )
            .into(),
        );
    }
    let title = "Expired or unused waivers:";
    Section::new(SectionKind::StaleWaivers, title, entries)
}

fn notes(context: &ReportContext<'_>) -> Section {
    let notes = context.details.notes.iter().cloned().map(Entry::from);
    Section::new(SectionKind::Notes, "", notes.collect())
}

/// Explains each verdict that failed or is inconclusive.
fn decided(context: &ReportContext<'_>) -> Section {
    let all: Vec<FoundMetric<'_>> = explained(context).into_iter().flatten().collect();
    let mut title = match all.len() {
        1 => "How it was decided".to_owned(),
        several => format!("How each of the {} verdicts was decided", whole(several)),
    };
    let mut entries = Vec::new();
    for found in &all {
        entries.push(Entry {
            chart: chart_address(context, found),
            ..Entry::of(context, found, explanation(context, found))
        });
    }
    let next = commands::next_steps(context);
    if next.is_some() {
        title += ", and next steps";
    }
    let mut section = Section::new(SectionKind::Decided, title, entries);
    section.commands.extend(commands::reproduce(context));
    section.commands.extend(next);
    section
}

/// Explains one verdict: the reason, the evidence and, if it is inconclusive, the measurements that would decide.
pub(super) fn explanation(context: &ReportContext<'_>, found: &FoundMetric<'_>) -> String {
    let subject = context.subject(found.metric);
    let verdict = found.metric.judgement.verdict;
    let sentence = sentence(found.metric, context.config);
    let mut text = format!("{}: {sentence}.", verdict.word());
    if let Some(evidence) = reasons::evidence(&subject) {
        text = format!("{text} {evidence}");
    }
    if verdict == Verdict::Inconclusive
        && let Some(remedy) = reasons::remedy(&subject, &context.config.history)
    {
        text = format!("{text} To decide: {remedy}.");
    }
    text
}

/// Lists the metrics that cannot fail. Benchmarks that the list of waivers contains are not repeated.
fn cannot_fail(context: &ReportContext<'_>) -> Section {
    let mut waived = HashSet::new();
    for found in context.metrics_in(RowState::Waived) {
        waived.insert((found.scope.scope.as_str(), &*found.scenario.scenario));
    }
    let mut entries = Vec::new();
    let mut benchmarks = HashSet::new();
    for blind in &context.comparison.blind {
        let benchmark = (blind.scope.as_str(), &*blind.scenario);
        if matches!(blind.why, CannotFail::Waived(_)) && waived.contains(&benchmark) {
            continue;
        }
        benchmarks.insert(benchmark);
        entries.push(Entry {
            name: Some(context.name(&blind.scope, &blind.scenario)),
            metric: Some(context.config.metric(&blind.metric).label.clone()),
            text: cannot_fail_because(blind),
            chart: None,
        });
    }
    let title = format!(
        "{} cannot fail: they would pass even at ten times the cost",
        counted(benchmarks.len(), "benchmark")
    );
    Section::new(SectionKind::CannotFail, title, entries)
}

fn cannot_fail_because(blind: &Blind) -> String {
    match blind.why {
        CannotFail::Undetected(verdict) => {
            format!("an injected regression was judged {}", verdict.word())
        }
        CannotFail::NotGated(why) => reasons::not_gated(why, None),
        CannotFail::NoBaseline => "not measured in the baseline".to_owned(),
        CannotFail::NotFailing(verdict) => {
            format!(
                "a regression would be {}, which does not fail",
                verdict.word()
            )
        }
        CannotFail::Waived(_) => "waived without an upper limit (`up-to`)".to_owned(),
        CannotFail::Floor(_) => "its `floor` is more than ten times its value".to_owned(),
        CannotFail::Band(growth) => {
            format!(
                "the history's limit is {} above the value",
                percent(growth, 0)
            )
        }
    }
}

/// Lists the metrics and missing benchmarks that waivers excuse, with the reasons.
fn waived(context: &ReportContext<'_>) -> Section {
    let mut entries = Vec::new();
    for found in context.metrics_in(RowState::Waived) {
        entries.push(Entry::of(
            context,
            &found,
            sentence(found.metric, context.config),
        ));
    }
    for scope in &context.comparison.scopes {
        for (scenario, at) in &scope.excused {
            let Some(waiver) = context.config.waivers.get(*at) else {
                continue;
            };
            entries.push(Entry {
                name: Some(context.name(&scope.scope, scenario)),
                text: format!(
                    "missing; waived: {} ({}, until {})",
                    waiver.reason, waiver.by, waiver.until
                ),
                ..Entry::default()
            });
        }
    }
    let title = format!("{} waived", whole(context.tally.waived));
    Section::new(SectionKind::Waived, title, entries)
}

/// Lists the gated metrics that are too noisy for their limits. Inconclusive metrics are left out, because their
/// explanations already mention the noise.
fn noisy(context: &ReportContext<'_>) -> Section {
    let mut entries = Vec::new();
    let mut first = None;
    for found in context.metrics() {
        let judgement = &found.metric.judgement;
        if !judgement.is_gated() || judgement.verdict == Verdict::Inconclusive {
            continue;
        }
        if let Some(why) = reasons::too_noisy(&context.subject(found.metric)) {
            first = first.or(Some(found));
            entries.push(Entry::of(context, &found, why));
        }
    }
    let title = format!(
        "{} too noisy for the limit",
        counted(entries.len(), "metric")
    );
    let mut section = Section::new(SectionKind::Noisy, title, entries);
    if let Some(found) = first {
        let key = &found.scenario.scenario;
        section.commands.push(commands::to_decide(context, key));
    }
    section
}
