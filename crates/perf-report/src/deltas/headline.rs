//! The outcome in one line: what fails comes first.

use std::collections::HashSet;

use perf_config::FailOn;
use perf_verdict::{Blind, MetricComparison, Missed, Reason, Rule, Verdict};

use super::clause::{MARKDOWN, PLAIN, Voice};
use super::context::{Context, Found};
use super::row::Row;
use super::state::{State, loss};
use crate::number::thousands;
use crate::rules::{self, finding};
use crate::words::percent;

/// The line as Markdown, without the marks of a heading.
pub(super) fn markdown(context: &Context<'_>) -> String {
    format!("{} {}", icon(context), headline(context, &MARKDOWN, |row| row.place.markdown()))
}

/// The line as plain text.
pub(super) fn plain(context: &Context<'_>) -> String {
    headline(context, &PLAIN, |row| row.place.plain())
}

/// A regression that a waiver excuses.
const WAIVED: &str = "waived";

/// What a failure is called that is no count.
const NOT_COMPARED: &str = "not-compared";

/// One count of the headline.
struct Part {
    count: usize,
    /// What it says as the first one: `benchmark missing`, `benchmarks missing`.
    first: [&'static str; 2],
    /// What it says after another.
    then: &'static str,
    verdict: Option<FailOn>,
    /// Whether it is bad, even if nothing fails.
    is_bad: bool,
}

fn parts(context: &Context<'_>) -> Vec<Part> {
    use FailOn::{Improved, Inconclusive, Missing, Moved, New, NotComparable, Regressed, Unmeasured};
    let tally = context.tally;
    let part = |count, first, then, verdict, is_bad| Part { count, first, then, verdict, is_bad };
    let unlike = tally.uncompared.saturating_sub(tally.not_comparable);
    let moved = context.metrics().filter(|found| found.metric.judgement.moved);
    let moved = if context.fails(Moved) { moved.count() } else { 0 };
    #[rustfmt::skip]
    let mut parts = vec![
        part(tally.regressed, ["benchmark regressed", "benchmarks regressed"], "regressed", Some(Regressed), true),
        part(tally.missing, ["benchmark missing", "benchmarks missing"], "missing", Some(Missing), true),
        part(tally.unmeasured, ["gated metric no longer measured", "gated metrics no longer measured"], "no longer measured", Some(Unmeasured), true),
        part(tally.inconclusive, ["benchmark inconclusive", "benchmarks inconclusive"], "inconclusive", Some(Inconclusive), true),
        part(tally.not_comparable, ["benchmark not comparable", "benchmarks not comparable"], "not comparable", Some(NotComparable), true),
        part(blind(context), ["benchmark cannot fail", "benchmarks cannot fail"], "cannot fail", None, true),
        part(tally.waived, ["benchmark waived", "benchmarks waived"], WAIVED, None, true),
        part(tally.warned, ["benchmark over a soft limit", "benchmarks over a soft limit"], "over a soft limit", None, true),
        part(unlike, ["benchmark without a comparable metric", "benchmarks without a comparable metric"], "without a comparable metric", None, true),
        part(moved, ["metric changed", "metrics changed"], "changed", Some(Moved), false),
        part(tally.improved, ["benchmark faster", "benchmarks faster"], faster(context), Some(Improved), false),
        part(tally.new, ["new benchmark", "new benchmarks"], "new", Some(New), false),
    ];
    parts.retain(|part| part.count > 0);
    parts.sort_by_key(|part| !part.verdict.is_some_and(|verdict| context.fails(verdict)));
    parts
}

/// How many benchmarks have a metric that cannot fail, without waived ones; zero where nothing is gated, which the headline states itself.
fn blind(context: &Context<'_>) -> usize {
    if !can_fail(context) {
        return 0;
    }
    blind_if(context, |blind| !matches!(blind.why, Missed::Waived(_)))
}

fn blind_if(context: &Context<'_>, is_meant: impl Fn(&Blind) -> bool) -> usize {
    let blind = context.comparison.blind.iter().filter(|blind| is_meant(blind));
    blind.map(|blind| (&*blind.scope, &*blind.scenario)).collect::<HashSet<_>>().len()
}

/// What improved benchmarks are, where not all of their metrics are times or rates.
fn faster(context: &Context<'_>) -> &'static str {
    let is_improved = |found: &Found<'_>| State::of(found.metric) == State::Improved;
    let is_counted = |found: Found<'_>| found.metric.metric.meaning.exact;
    if context.metrics().filter(is_improved).any(is_counted) { "improved" } else { "faster" }
}

/// What a reader sees before any word.
fn icon(context: &Context<'_>) -> &'static str {
    let is_bad = |part: Part| part.is_bad && part.then != WAIVED;
    let is_all_blind = || blind_if(context, |_| true) >= context.tally.compared;
    match () {
        () if !context.request.failed.is_empty() => "❌",
        () if context.tally.compared == 0 || !can_fail(context) => "⚠️",
        () if parts(context).into_iter().any(is_bad) || is_all_blind() => "⚠️",
        () => "✅",
    }
}

fn headline(context: &Context<'_>, voice: &Voice, name: impl Fn(&Row) -> String) -> String {
    if context.tally.compared == 0 {
        return nothing_compared(context, voice);
    }
    let parts = parts(context);
    let (bad, rest): (Vec<Part>, Vec<Part>) = parts
        .into_iter()
        .partition(|part| part.is_bad || part.verdict.is_some_and(|verdict| context.fails(verdict)));
    let compared = context.tally.compared;
    let mut said: Vec<String> = Vec::new();
    if context.request.failed.contains(&NOT_COMPARED) {
        said.push("A machine class of this run was not compared".to_owned());
    }
    for part in &bad {
        let count = counted(part, said.is_empty(), compared);
        let waived = largest_slowdown(context, |state| state == State::Waived);
        let waived = waived.filter(|_| part.then == WAIVED && said.is_empty());
        let why = match waived {
            Some(row) => Some(format!("{} {}", name(&row), row.figures.change)),
            None if part.verdict == Some(FailOn::Inconclusive) => {
                shift(context).or_else(|| mixture(context, &name))
            }
            None => None,
        };
        said.push(why.map_or_else(|| count.clone(), |why| format!("{count} ({why})")));
    }
    let is_regressed = bad.iter().any(|part| part.verdict == Some(FailOn::Regressed));
    if !is_regressed && context.tally.inconclusive < compared {
        said.push(within(context, said.is_empty(), voice, &name));
    }
    said.extend(rest.iter().map(|part| counted(part, false, compared)));
    said.join(" · ")
}

/// The environment shift that leaves benchmarks without a verdict.
fn shift(context: &Context<'_>) -> Option<String> {
    let reasons = context.metrics().map(|found| &found.metric.judgement.reason);
    let mut shifts = reasons.filter_map(|reason| match reason {
        Reason::Environment(finding) => Some(finding.shift),
        _ => None,
    });
    // That of the scope, as each benchmark is judged by the shift of the others.
    let own = shifts.next()?;
    let of_scope = context.comparison.scopes.iter().find_map(|scope| scope.shift);
    Some(format!("environment shift: {}", rules::typical(&of_scope.unwrap_or(own))))
}

/// The benchmark of which the largest share of launches is far slower than the others.
fn mixture(context: &Context<'_>, name: impl Fn(&Row) -> String) -> Option<String> {
    let mixtures = context.metrics().filter_map(|found| match &found.metric.judgement.reason {
        Reason::Mixture(mixture) => Some((found, mixture.as_ref())),
        _ => None,
    });
    let (found, mixture) = mixtures.max_by(|(_, one), (_, other)| one.excess.total_cmp(&other.excess))?;
    let said = rules::far_launches(mixture, &context.subject(found.metric));
    Some(format!("{}: {said}", name(&Row::new(context, found, State::Inconclusive))))
}

/// `2 of 13 benchmarks regressed`, or after another `2 regressed`.
fn counted(part: &Part, is_first: bool, compared: usize) -> String {
    let count = thousands(&part.count.to_string());
    match part.verdict {
        _ if !is_first => format!("{count} {}", part.then),
        Some(FailOn::Regressed | FailOn::Inconclusive) => {
            let noun = part.first[usize::from(compared != 1)];
            format!("{count} of {} {noun}", thousands(&compared.to_string()))
        }
        _ => format!("{count} {}", part.first[usize::from(part.count != 1)]),
    }
}

/// `Within limits; largest slowdown: parse −4% (limit −33%)`, after something that is not `otherwise within limits …`.
fn within(context: &Context<'_>, is_first: bool, voice: &Voice, name: impl Fn(&Row) -> String) -> String {
    let all = match (can_fail(context), is_first) {
        (false, _) => "nothing is gated",
        (true, true) => "within limits",
        (true, false) => "otherwise within limits",
    };
    let said = match largest_slowdown(context, is_well) {
        None if is_first => {
            format!("{all}; no slowdown above {}", percent(context.comparison.policy.tolerance, 2))
        }
        None => all.to_owned(),
        Some(row) => {
            let bound = bound(context);
            let (name, bound) = (name(&row), (voice.text)(&bound));
            format!("{all}; largest slowdown: {name} {} ({bound})", row.figures.change)
        }
    };
    if is_first { said[..1].to_uppercase() + &said[1..] } else { said }
}

/// The limit of the largest slowdown.
fn bound(context: &Context<'_>) -> String {
    slowest(context, is_well).map_or_else(String::new, |found| {
        finding(&found.metric.judgement.reason).bound(&context.subject(found.metric))
    })
}

/// Whether it did not fail, so that its loss would not be named.
fn is_well(state: State) -> bool {
    matches!(state, State::Within | State::Slower | State::Warned)
}

/// The row of the benchmark within its limits that became slower than the tolerance by most.
pub(super) fn largest_slowdown(context: &Context<'_>, is_meant: fn(State) -> bool) -> Option<Row> {
    slowest(context, is_meant).map(|found| Row::new(context, found, State::Within))
}

fn slowest<'c>(context: &Context<'c>, is_meant: fn(State) -> bool) -> Option<Found<'c>> {
    let is_meant = |found: &Found<'_>| {
        is_meant(State::of(found.metric))
            && !found.metric.metric.meaning.exact
            && found.metric.derived_from.is_none()
    };
    let far = context.comparison.policy.tolerance.ln_1p();
    let lost = |found: Found<'c>| Some((loss(found.metric)?, found)).filter(|(loss, _)| *loss > far);
    let is_gated = |metric: &MetricComparison| metric.judgement.rule != Rule::Report;
    let all = context.metrics().filter(is_meant).filter_map(lost);
    let ranked = all.max_by(|(a, left), (b, right)| {
        let by_gate = is_gated(left.metric).cmp(&is_gated(right.metric));
        by_gate.then(a.total_cmp(b)).then_with(|| right.name().cmp(&left.name()))
    });
    ranked.map(|(_, found)| found)
}

/// Whether any metric is gated.
fn can_fail(context: &Context<'_>) -> bool {
    let is_gated = |found: Found<'_>| {
        let judgement = &found.metric.judgement;
        judgement.rule != Rule::Report && judgement.verdict != Verdict::Unmeasured
    };
    context.metrics().any(is_gated)
}

fn nothing_compared(context: &Context<'_>, voice: &Voice) -> String {
    let (tally, unlike) = (context.tally, context.request.unlike);
    if !unlike.is_empty() && tally.missing == 0 {
        return format!("Nothing was compared: {}", (voice.text)(unlike));
    }
    let counted = |count: usize, what: &str| {
        let plural = if count == 1 { "" } else { "s" };
        (count > 0).then(|| format!("{} benchmark{plural} {what}", thousands(&count.to_string())))
    };
    let why: Vec<String> = [
        counted(tally.missing, "only in the baseline"),
        counted(tally.new, "only in this run"),
        counted(tally.uncompared, "in both without a comparable metric"),
        counted(tally.waived, "missing and waived").filter(|_| tally.missing + tally.uncompared == 0),
    ]
    .into_iter()
    .flatten()
    .collect();
    format!("Nothing was compared: {}", (voice.text)(&why.join(", ")))
}
