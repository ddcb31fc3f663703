//! The outcome in one line: what fails comes first.

use std::collections::HashSet;
use std::f64::consts::LN_2;

use perf_config::FailOn;
use perf_model::metric::Direction;
use perf_model::row::Name;
use perf_verdict::rules::obstacle::Obstacle;
use perf_verdict::{Blind, CannotFail, MetricComparison, Reason};

use super::cells::clause::{MARKDOWN, PLAIN, Voice};
use super::cells::row::{DeltaRow, Figures};
use super::cells::state::{RowState, loss};
use super::context::{BenchmarkName, FoundMetric, ReportContext};
use super::findings::grouped_findings;
use super::footer;
use crate::number::{counted, significant, whole};
use crate::rules;
use crate::sentences::sentence;
use crate::words::percent;

/// The line as Markdown, without the marks of a heading.
pub(super) fn markdown(context: &ReportContext<'_>) -> String {
    format!("{} {}", icon(context), headline(context, &MARKDOWN))
}

pub(super) fn plain(context: &ReportContext<'_>) -> String {
    headline(context, &PLAIN)
}

/// A regression that a waiver excuses.
const WAIVED: &str = "waived";

/// A benchmark that takes no time any more, or a thousandth of what it took.
const BROKEN: &str = "probably stopped working";

/// A large change of which nobody knows whether it is better.
const UNORIENTED: &str = "in an unknown direction";

/// The word in `failed=` for a machine class of this run that was not compared.
const NOT_COMPARED: &str = "not-compared";

/// One count of the headline.
struct HeadlinePart {
    count: usize,
    /// The noun of the count, which only the first count shows: `2 benchmarks missing · 1 new`.
    noun: &'static str,
    then: &'static str,
    verdict: Option<FailOn>,
    /// True if it is bad, even if nothing fails.
    is_bad: bool,
}

fn parts(context: &ReportContext<'_>) -> Vec<HeadlinePart> {
    use FailOn::{
        Improved, Inconclusive, Missing, Moved, New, NotComparable, Regressed, Unmeasured,
    };
    let tally = context.tally;
    let part = |count, noun, then, verdict, is_bad| HeadlinePart {
        count,
        noun,
        then,
        verdict,
        is_bad,
    };
    let unlike = tally.uncompared.saturating_sub(tally.not_comparable);
    let moved = context
        .metrics()
        .filter(|found| found.metric.judgement.moved);
    let moved = if context.fails(Moved) {
        moved.count()
    } else {
        0
    };
    let mut parts = vec![
        part(
            tally.regressed,
            "benchmark",
            "regressed",
            Some(Regressed),
            true,
        ),
        part(tally.missing, "benchmark", "missing", Some(Missing), true),
        part(
            tally.unmeasured,
            "gated metric",
            "no longer measured",
            Some(Unmeasured),
            true,
        ),
        part(
            tally.inconclusive,
            "benchmark",
            "inconclusive",
            Some(Inconclusive),
            true,
        ),
        part(tally.broken, "benchmark", BROKEN, Some(NotComparable), true),
        part(tally.unoriented, "metric", UNORIENTED, None, true),
        part(
            tally.not_comparable - tally.broken,
            "benchmark",
            "not comparable",
            Some(NotComparable),
            true,
        ),
        part(blind(context), "benchmark", "cannot fail", None, true),
        part(tally.waived, "benchmark", WAIVED, None, true),
        part(tally.warned, "benchmark", "over a soft limit", None, true),
        part(
            unlike,
            "benchmark",
            "without a comparable metric",
            None,
            true,
        ),
        part(moved, "metric", "changed", Some(Moved), false),
        part(
            tally.improved,
            "benchmark",
            context.improved,
            Some(Improved),
            false,
        ),
        part(tally.new, "benchmark", "new", Some(New), false),
    ];
    parts.retain(|part| part.count > 0);
    parts.sort_by_key(|part| !part.verdict.is_some_and(|verdict| context.fails(verdict)));
    parts
}

/// The number of benchmarks with a metric that cannot fail, without waived ones; zero where nothing is gated, which the
/// headline states itself.
fn blind(context: &ReportContext<'_>) -> usize {
    if !context.comparison.can_fail() {
        return 0;
    }
    blind_if(context, |blind| !matches!(blind.why, CannotFail::Waived(_)))
}

fn blind_if(context: &ReportContext<'_>, is_meant: impl Fn(&Blind) -> bool) -> usize {
    let blind = context
        .comparison
        .blind
        .iter()
        .filter(|blind| is_meant(blind));
    blind
        .map(|blind| (&*blind.scope, &*blind.scenario))
        .collect::<HashSet<_>>()
        .len()
}

/// The icon at the beginning of the headline: failed, to be looked at, or fine.
fn icon(context: &ReportContext<'_>) -> &'static str {
    let is_bad = |part: HeadlinePart| part.is_bad && part.then != WAIVED;
    let is_all_blind = || blind_if(context, |_| true) >= context.tally.compared;
    match () {
        () if !context.request.failed.is_empty() => "❌",
        () if context.tally.compared == 0 || !context.comparison.can_fail() => "⚠️",
        () if !context.request.unmet.is_empty() || !context.comparison.findings.is_empty() => "⚠️",
        () if context
            .metrics()
            .any(|found| found.metric.judgement.is_unguarded || is_refuted_doubling(&found)) =>
        {
            "⚠️"
        }
        () if context.comparison.hidden_doublings().is_some() => "⚠️",
        () if parts(context).into_iter().any(is_bad) || is_all_blind() => "⚠️",
        () => "✅",
    }
}

/// True if the run took twice as long as the baseline, and a confirmation run did not: noise is rarely so large.
fn is_refuted_doubling(found: &FoundMetric<'_>) -> bool {
    found.metric.judgement.is_refuted() && loss(found.metric).is_some_and(|loss| loss >= LN_2)
}

fn headline(context: &ReportContext<'_>, voice: &Voice) -> String {
    let required = required(context, voice);
    if context.tally.compared == 0 && context.tally.broken == 0 {
        let nothing = nothing_compared(context, voice);
        return required
            .into_iter()
            .chain([nothing])
            .chain(findings(context, voice))
            .collect::<Vec<_>>()
            .join(" · ");
    }
    let parts = parts(context);
    let (bad, rest): (Vec<HeadlinePart>, Vec<HeadlinePart>) = parts.into_iter().partition(|part| {
        part.is_bad || part.verdict.is_some_and(|verdict| context.fails(verdict))
    });
    let compared = context.tally.compared;
    let mut said: Vec<String> = required.into_iter().collect();
    if context.request.failed.contains(&NOT_COMPARED) {
        said.push("A machine class of this run was not compared".to_owned());
    }
    for part in &bad {
        let count = part_text(part, said.is_empty(), compared);
        let why = match part.then {
            WAIVED if said.is_empty() => {
                largest_slowdown(context, |state| state == RowState::Waived)
                    .map(|found| named_change(context, &found, voice.place))
            }
            BROKEN => Some(broken(context, voice)),
            _ if part.verdict == Some(FailOn::Inconclusive) => shift(context)
                .or_else(|| mixture(context, voice))
                .or_else(|| obstacle(context)),
            _ => None,
        };
        said.push(match why {
            _ if part.then == UNORIENTED => unoriented(context, part.count),
            Some(why) => format!("{count} ({why})"),
            None => count,
        });
    }
    said.extend(findings(context, voice));
    let is_regressed = bad
        .iter()
        .any(|part| part.verdict == Some(FailOn::Regressed));
    if !is_regressed && context.tally.inconclusive < compared {
        said.push(within(context, said.is_empty(), voice));
    }
    said.extend(rest.iter().map(|part| part_text(part, false, compared)));
    said.extend(idle(context, voice));
    said.join(" · ")
}

/// The findings about both inputs: the first two in words, and the number of all others.
fn findings(context: &ReportContext<'_>, voice: &Voice) -> Vec<String> {
    const NAMED: usize = 2;
    let groups = grouped_findings(&context.comparison.findings);
    let name = |name: &Name| (voice.place)(&BenchmarkName::of(context.config, None, name));
    let mut said = Vec::new();
    for group in groups.iter().take(NAMED) {
        let side = if group.is_in_baseline {
            "in the baseline: "
        } else {
            ""
        };
        said.push(format!("{side}{}", group.sentence(name, voice.text)));
    }
    let more = groups.len().saturating_sub(NAMED);
    if more > 0 {
        said.push(counted(more, "more finding"));
    }
    said
}

/// The first obstacle that leaves a benchmark without a verdict.
fn obstacle(context: &ReportContext<'_>) -> Option<String> {
    let is_open = |metric: &&MetricComparison| {
        let reason = &metric.judgement.reason;
        matches!(
            reason,
            Reason::Obstacle(Obstacle::SharedOutput(_) | Obstacle::Contradiction(_))
        )
    };
    context
        .comparison
        .metrics()
        .find(is_open)
        .map(|metric| sentence(metric, context.config))
}

/// The environment shift that leaves benchmarks without a verdict.
fn shift(context: &ReportContext<'_>) -> Option<String> {
    let reasons = context
        .metrics()
        .map(|found| &found.metric.judgement.reason);
    let mut shifts = reasons.filter_map(|reason| match reason {
        Reason::Environment(finding) => Some(finding.shift),
        _ => None,
    });
    // That of the scope, as each benchmark is judged by the shift of the others.
    let own = shifts.next()?;
    let of_scope = context
        .comparison
        .scopes
        .iter()
        .find_map(|scope| scope.shift);
    Some(format!(
        "environment shift: {}",
        rules::typical(&of_scope.unwrap_or(own))
    ))
}

/// The benchmark of which the largest share of launches is far slower than the others.
fn mixture(context: &ReportContext<'_>, voice: &Voice) -> Option<String> {
    let mixtures = context
        .metrics()
        .filter_map(|found| match &found.metric.judgement.reason {
            Reason::Mixture(mixture) => Some((found, mixture.as_ref())),
            _ => None,
        });
    let (found, mixture) =
        mixtures.max_by(|(_, one), (_, other)| one.distance.total_cmp(&other.distance))?;
    let said = rules::far_launches(mixture, &context.subject(found.metric));
    Some(format!(
        "{}: {said}",
        (voice.place)(&context.place_of(&found))
    ))
}

/// `2 of 13 benchmarks regressed`, or after another `2 regressed`.
fn part_text(part: &HeadlinePart, is_first: bool, compared: usize) -> String {
    let (count, then) = (whole(part.count), part.then);
    match part.verdict {
        _ if !is_first => format!("{count} {then}"),
        Some(FailOn::Regressed | FailOn::Inconclusive) => {
            format!("{count} of {} {then}", counted(compared, part.noun))
        }
        _ => format!("{} {then}", counted(part.count, part.noun)),
    }
}

/// The benchmarks that every run must measure and this one has not; `None` if all were measured.
fn required(context: &ReportContext<'_>, voice: &Voice) -> Option<String> {
    const NAMED: usize = 3;
    let unmet = context.request.unmet;
    let named = unmet
        .iter()
        .take(NAMED)
        .map(|name| (voice.text)(&name.replace('`', "")));
    let named = named.collect::<Vec<_>>().join(", ");
    let more = if unmet.len() > NAMED { ", …" } else { "" };
    let all = counted(unmet.len(), "required benchmark");
    (!unmet.is_empty()).then(|| format!("{all} not measured: {named}{more}"))
}

/// Gates that match nothing in this run.
fn idle(context: &ReportContext<'_>, voice: &Voice) -> Option<String> {
    let gates = &context.comparison.idle_gates;
    let first = gates.first()?;
    let named = (voice.text)(first);
    Some(match gates.len() {
        1 => format!("the gate on {named} matches nothing"),
        several => format!("{several} gates match nothing, such as that on {named}"),
    })
}

/// `parse 20,000× faster`, of the benchmarks that probably stopped working the one that changed most.
fn broken(context: &ReportContext<'_>, voice: &Voice) -> String {
    let times = |found: &FoundMetric<'_>| match found.metric.judgement.reason {
        Reason::Obstacle(Obstacle::Implausible(times)) => times,
        _ => f64::INFINITY,
    };
    let all = context.metrics().filter(|found| found.metric.is_broken());
    all.max_by(|one, other| times(one).total_cmp(&times(other)))
        .map_or_else(String::new, |found| {
            let name = (voice.place)(&context.place_of(&found));
            match times(&found) {
                times if times.is_finite() => format!("{name} {}× faster", significant(times, 2)),
                _ => format!("{name} fell to 0"),
            }
        })
}

/// `1 metric changed 10×, direction unknown: set …`.
fn unoriented(context: &ReportContext<'_>, count: usize) -> String {
    let factor = |found: FoundMetric<'_>| {
        (1.0 + found.metric.judgement.change.unwrap_or(f64::INFINITY))
            .ln()
            .abs()
    };
    let all = context
        .metrics()
        .filter(|found| found.metric.is_unoriented())
        .map(factor);
    let most = all.max_by(f64::total_cmp).unwrap_or_default().exp();
    let upto = if count == 1 { "" } else { "by up to " };
    let factor = match most {
        most if most.is_infinite() => " from or to 0".to_owned(),
        most => format!(" {upto}{}×", significant(most, 2)),
    };
    let metrics = counted(count, "metric");
    format!("{metrics} changed{factor}, direction unknown: set `better` in `[metrics]`")
}

/// `Within limits; largest slowdown: parse −4% (limit −33%)`, after something that is not `otherwise within limits …`.
/// A confirmation run may have refuted more than the limit. Nothing is said to be within limits beside a large change that
/// nothing would fail.
fn within(context: &ReportContext<'_>, is_first: bool, voice: &Voice) -> String {
    let is_gated = context.comparison.can_fail();
    let hidden = context.comparison.hidden_doublings();
    let all = match (is_gated, hidden, is_first) {
        (false, ..) => "nothing is gated".to_owned(),
        (true, Some((hidden, gated)), _) => {
            let benchmarks = counted(gated, "benchmark");
            format!(
                "cannot tell: noise would hide a doubling in {} of {benchmarks}",
                whole(hidden)
            )
        }
        (true, None, true) => "within limits".to_owned(),
        (true, None, false) => "otherwise within limits".to_owned(),
    };
    let slowdown = |found: FoundMetric<'_>, what: &str| {
        let bound = rules::bound(&context.subject(found.metric));
        let refuted = if found.metric.judgement.is_refuted() {
            ", not confirmed"
        } else {
            ""
        };
        format!(
            "{what}: {} ({}{refuted})",
            named_change(context, &found, voice.place),
            (voice.text)(&bound)
        )
    };
    let slowest = largest_slowdown(context, is_well);
    let said = match (unguarded(context), slowest) {
        (Some(row), slowest) => {
            let metric = (voice.text)(&row.metric);
            let figures = &row.figures;
            let change = match figures.change.as_str() {
                "" => (voice.text)(&format!("{} → {}", figures.from, figures.to)),
                change => change.to_owned(),
            };
            let name = (voice.place)(&row.place);
            let change = format!("largest change: {name} {metric} {change} (not gated)");
            match slowest {
                _ if !is_gated => format!("{all}; {change}"),
                Some(slowest) => {
                    format!("{change}; {}", slowdown(slowest, "largest gated slowdown"))
                }
                None => format!("{change}; {}", no_slowdown(context)),
            }
        }
        (None, None) if is_first && hidden.is_none() => {
            format!("{all}; {}", no_slowdown(context))
        }
        (None, None) => all,
        (None, Some(slowest)) => format!("{all}; {}", slowdown(slowest, "largest slowdown")),
    };
    if is_first {
        said[..1].to_uppercase() + &said[1..]
    } else {
        said
    }
}

/// `no slowdown detected (smallest detectable +33%)`, of the gated metrics where another one is slower; for exact counts alone
/// `no slowdown above 2%`.
fn no_slowdown(context: &ReportContext<'_>) -> String {
    let far = context.comparison.thresholds.tolerance.ln_1p();
    let is_slower = |found: FoundMetric<'_>| {
        let is_free = matches!(
            RowState::of(found.metric),
            RowState::NotGated | RowState::Unguarded
        );
        is_free && loss(found.metric).is_some_and(|loss| loss > far)
    };
    let gated = if context.metrics().any(is_slower) {
        "gated "
    } else {
        ""
    };
    match footer::smallest(context) {
        Some(change) => format!("no {gated}slowdown detected (smallest detectable {change})"),
        None => format!(
            "no {gated}slowdown above {}",
            percent(context.comparison.thresholds.tolerance, 2)
        ),
    }
}

/// The largest change for the worse that nothing would fail.
fn unguarded(context: &ReportContext<'_>) -> Option<DeltaRow> {
    let all = context.metrics().filter(|found| {
        found.metric.judgement.is_unguarded
            && found.metric.metric.meaning.direction != Direction::Unknown
    });
    let size = |found: &FoundMetric<'_>| loss(found.metric).unwrap_or(f64::INFINITY);
    let largest = all.max_by(|one, other| size(one).total_cmp(&size(other)))?;
    Some(DeltaRow::new(context, largest, RowState::Unguarded))
}

/// True for a gated metric that did not fail, so that no other part of the headline names its loss.
fn is_well(state: RowState) -> bool {
    matches!(
        state,
        RowState::Within | RowState::Slower | RowState::Warned
    )
}

/// `parse −4%`.
pub(super) fn named_change(
    context: &ReportContext<'_>,
    found: &FoundMetric<'_>,
    name: fn(&BenchmarkName) -> String,
) -> String {
    let figures = Figures::of(&context.subject(found.metric));
    format!("{} {}", name(&context.place_of(found)), figures.change)
}

/// The metric in such a state that became slower than the tolerance by most. Where nothing is gated, metrics without a
/// gate stand for those within their limits.
pub(super) fn largest_slowdown<'c>(
    context: &ReportContext<'c>,
    is_meant: fn(RowState) -> bool,
) -> Option<FoundMetric<'c>> {
    let is_free = !context.comparison.can_fail();
    let is_meant = |found: &FoundMetric<'_>| {
        let state = RowState::of(found.metric);
        (is_meant(state) || (is_free && state == RowState::NotGated && is_meant(RowState::Within)))
            && !found.metric.metric.meaning.exact
            && found.metric.derived_from.is_none()
    };
    let far = context.comparison.thresholds.tolerance.ln_1p();
    let lost =
        |found: FoundMetric<'c>| Some((loss(found.metric)?, found)).filter(|(loss, _)| *loss > far);
    let all = context.metrics().filter(is_meant).filter_map(lost);
    let ranked = all.max_by(|(a, left), (b, right)| {
        a.total_cmp(b).then_with(|| right.name().cmp(&left.name()))
    });
    ranked.map(|(_, found)| found)
}

fn nothing_compared(context: &ReportContext<'_>, voice: &Voice) -> String {
    let (tally, unlike) = (context.tally, context.request.unlike);
    if !unlike.is_empty() && tally.missing == 0 {
        return format!("Nothing was compared: {}", (voice.text)(unlike));
    }
    let counted = |count: usize, what: &str| {
        (count > 0).then(|| format!("{} {what}", counted(count, "benchmark")))
    };
    let why: Vec<String> = [
        counted(tally.missing, "only in the baseline"),
        counted(tally.new, "only in this run"),
        counted(tally.uncompared, "in both without a comparable metric"),
        counted(tally.waived, "missing and waived")
            .filter(|_| tally.missing + tally.uncompared == 0),
    ]
    .into_iter()
    .flatten()
    .collect();
    format!("Nothing was compared: {}", (voice.text)(&why.join(", ")))
}
