//! The sentences and lists around the tables.

use crate::markdown::escape::{inline, message};
use indexmap::IndexMap;
use perf_model::parallel::in_halves;
use perf_model::row::Name;
use perf_verdict::rules::environment::Shift;
use perf_verdict::statistics::breaks;
use perf_verdict::{MetricComparison, Reason, ScopeComparison, Verdict};

use super::cells::clause::{MARKDOWN, clause};
use super::cells::count::List;
use super::cells::row::Figures;
use super::cells::state::{NOTABLE_LOSS, RowState, loss};
use super::context::{FoundMetric, ReportContext};
use super::footer;
use crate::number::{counted, whole};
use crate::sentences::{self, sentence};
use crate::{rules, words};

/// The length of each list.
pub(super) const MOST_ENTRIES: usize = 50;

/// The maximum number of failing benchmarks with a sentence of their own; the table has all of them.
const FAILING: usize = 3;

/// The maximum number of verdicts that a report explains.
const DECIDED: usize = 20;

/// The maximum number of changes of level that a report lists.
const TRENDS: usize = 10;

/// The maximum number of benchmarks that a reason names.
const NAMED: usize = 5;

/// The number of benchmarks from which on a slowdown of all of them is probably that of the machine.
const ALIKE: usize = 8;

/// The remark on an environment shift under which every benchmark still has a verdict.
const REACHED: &str = "The machine may be the cause; the verdicts allow for it.";

/// The advice for an environment shift that leaves benchmarks without a verdict. A further run on the same machine
/// shares its shift.
const SETTLES: &str =
    "To settle it, measure pairs, or pass a run on another machine with `--confirm-elsewhere`.";

/// The environment shifts, and where no history shows one, slowdowns that all benchmarks share.
pub(super) fn shifts(context: &ReportContext<'_>) -> List {
    let scopes = context.comparison.scopes.iter();
    List::of(
        MOST_ENTRIES,
        scopes.filter_map(|scope| shift(context, scope)),
        |sentence| sentence,
    )
}

fn shift(context: &ReportContext<'_>, scope: &ScopeComparison) -> Option<String> {
    let several = context.comparison.scopes.len() > 1;
    let place = if several {
        format!(" ({})", inline(&scope.scope))
    } else {
        String::new()
    };
    let Some(shift) = scope.shift else {
        let (count, alike) = (scope.scenarios.len(), common_slowdown(scope)?);
        let said = format!(
            "All {} benchmarks are {}",
            whole(count),
            rules::typical(&alike)
        );
        return Some(format!(
            "**{said}**{place}: probably the machine. {SETTLES}"
        ));
    };
    let said = rules::shift(&shift);
    let said = said.strip_prefix("environment shift: ").unwrap_or(&said);
    let mut metrics = scope
        .scenarios
        .iter()
        .flat_map(|scenario| &scenario.metrics);
    let is_open = metrics.any(|metric| RowState::of(metric) == RowState::Shifted);
    let remedy = if is_open { SETTLES } else { REACHED };
    Some(format!(
        "**Environment shift**{place}: {}. {remedy}",
        inline(said)
    ))
}

/// The slowdown of all benchmarks of a scope, where each is clear and none is more than a machine has done to unchanged
/// code. Pairs share their machine, so what they show is the code.
fn common_slowdown(scope: &ScopeComparison) -> Option<Shift> {
    let loss_of = |metric: &MetricComparison| {
        let is_timed =
            !metric.metric.meaning.exact && !matches!(metric.judgement.reason, Reason::Pairs(_));
        loss(metric).filter(|_| is_timed)
    };
    let losses = scope
        .scenarios
        .iter()
        .map(|scenario| scenario.metrics.first().and_then(loss_of));
    let mut losses: Vec<f64> = losses.collect::<Option<_>>()?;
    losses.sort_unstable_by(f64::total_cmp);
    let (rows, [lowest, .., highest]) = (losses.len(), losses.as_slice()) else {
        return None;
    };
    let median = losses[rows / 2].exp_m1();
    let range = [*lowest, *highest].map(f64::exp_m1);
    let shift = Shift {
        distance: losses[rows / 2],
        share: 1.0,
        rows,
        median,
        range,
    };
    (rows >= ALIKE && *lowest >= NOTABLE_LOSS && shift.is_by_machine()).then_some(shift)
}

/// The metrics that fail or are inconclusive, those of a benchmark together, the largest loss first.
pub(super) fn open<'c>(context: &ReportContext<'c>) -> Vec<Vec<FoundMetric<'c>>> {
    let found = context
        .notable
        .iter()
        .copied()
        .filter(|found| RowState::of(found.metric).is_open());
    let mut all: IndexMap<*const (), Vec<FoundMetric<'c>>> = IndexMap::new();
    for found in found {
        all.entry(std::ptr::from_ref(found.scenario).cast())
            .or_default()
            .push(found);
    }
    let mut all: Vec<Vec<FoundMetric<'c>>> = all.into_values().collect();
    all.sort_by(|a, b| {
        let state = |metrics: &[FoundMetric<'_>]| {
            metrics.iter().map(|found| RowState::of(found.metric)).min()
        };
        let worst = |metrics: &[FoundMetric<'_>]| {
            metrics
                .iter()
                .filter_map(|found| loss(found.metric))
                .fold(0.0, f64::max)
        };
        let name = |metrics: &[FoundMetric<'c>]| {
            metrics
                .first()
                .map(|found| (&found.scope.scope, &found.scenario.scenario))
        };
        state(a)
            .cmp(&state(b))
            .then(worst(b).total_cmp(&worst(a)))
            .then_with(|| name(a).cmp(&name(b)))
    });
    all
}

/// A sentence for each benchmark that fails or is inconclusive.
pub(super) fn failing(context: &ReportContext<'_>) -> List {
    List::head(FAILING, open(context).into_iter(), |metrics| {
        let place = metrics
            .first()
            .map_or_else(String::new, |found| context.place_of(found).strong());
        let clauses = metrics
            .iter()
            .map(|found| clause(found, &context.subject(found.metric), &MARKDOWN));
        let look = metrics
            .first()
            .and_then(|found| footer::chart(context, found));
        let look = look
            .map(|address| format!(" [Chart]({address})"))
            .unwrap_or_default();
        format!("{place}: {}.{look}", and(&clauses.collect::<Vec<_>>()))
    })
}

/// The advice for unconfirmed regressions; empty if there are none.
pub(super) fn confirm(context: &ReportContext<'_>) -> String {
    let is_run_again = context
        .request
        .reproduction
        .is_some_and(|again| again.benchmark.is_some());
    match context.comparison.missing_confirmations() {
        0 => String::new(),
        _ if is_run_again => {
            "Unconfirmed slowdowns: rerun the benchmark when the machine is idle.".to_owned()
        }
        missing => format!("Unconfirmed slowdowns: {}.", words::rerun(missing)),
    }
}

/// `a`, `a, and b`, `a; b; and c`.
fn and(clauses: &[String]) -> String {
    match clauses {
        [first, second] => format!("{first}, and {second}"),
        _ => clauses.join("; "),
    }
}

/// Names of benchmarks of all scopes.
pub(super) fn names(
    context: &ReportContext<'_>,
    of: impl Fn(&ScopeComparison) -> &Vec<Name>,
) -> List {
    let scopes = context.comparison.scopes.iter();
    let all = scopes.flat_map(|scope| of(scope).iter().map(move |name| (scope, name)));
    List::of(MOST_ENTRIES, all, |(scope, name)| {
        context.place(&scope.scope, name).markdown()
    })
}

/// The metrics that cannot be compared, by the reason.
fn by_reason<'c, 'n>(context: &'n ReportContext<'c>) -> IndexMap<String, Vec<&'n FoundMetric<'c>>> {
    let mut reasons: IndexMap<String, Vec<&FoundMetric<'_>>> = IndexMap::new();
    for found in context
        .notable
        .iter()
        .filter(|found| RowState::of(found.metric) == RowState::Uncompared)
    {
        let reason = match context.request.unlike {
            unlike if !unlike.is_empty() && found.metric.judgement.is_unlike() => unlike.to_owned(),
            _ => sentence(found.metric, context.config),
        };
        reasons.entry(reason).or_default().push(found);
    }
    reasons
}

/// A sentence for each reason why metrics cannot be compared.
pub(super) fn uncompared(context: &ReportContext<'_>) -> List {
    List::of(
        MOST_ENTRIES,
        by_reason(context).into_iter(),
        |(reason, all)| {
            let mut places: Vec<String> = all.iter().map(|found| named(context, found)).collect();
            places.dedup();
            let metrics = counted(all.len(), "metric");
            format!(
                "{metrics} not compared ({}): {}.",
                message(&reason),
                first_of(&places)
            )
        },
    )
}

/// `a, b, c, d, e and 3 more`.
pub(super) fn first_of(names: &[String]) -> String {
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {} more", whole(more)),
    };
    names
        .iter()
        .take(NAMED)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ")
        + &more
}

/// The benchmark, with both numbers where the sides were measured on other machines or in other ways.
fn named(context: &ReportContext<'_>, found: &FoundMetric<'_>) -> String {
    let numbers =
        both(context, found).map_or_else(String::new, |numbers| format!(" ({})", inline(&numbers)));
    context.place_of(found).markdown() + &numbers
}

/// Both numbers of a metric that nothing judges, as the sides are unlike.
fn both(context: &ReportContext<'_>, found: &FoundMetric<'_>) -> Option<String> {
    let subject = context.subject(found.metric);
    let has_both = subject.baseline.is_some() && subject.current.is_some();
    let figures =
        (has_both && found.metric.judgement.is_unlike()).then(|| Figures::of(&subject))?;
    Some(format!("{} → {}", figures.from, figures.to))
}

/// The same for a terminal, with names where they have numbers.
pub(super) fn uncompared_reasons(context: &ReportContext<'_>) -> Vec<String> {
    let said = |(reason, all): (String, Vec<&FoundMetric<'_>>)| {
        let with_numbers = |found: &&FoundMetric<'_>| {
            Some(format!(
                "{} {}",
                context.place_of(found).plain(),
                both(context, found)?
            ))
        };
        let named: Vec<String> = all.iter().filter_map(with_numbers).take(NAMED).collect();
        let named = if named.is_empty() {
            String::new()
        } else {
            format!(" ({})", named.join("; "))
        };
        format!(
            "{} not compared: {reason}{named}",
            counted(all.len(), "metric")
        )
    };
    by_reason(context).into_iter().map(said).collect()
}

/// Metrics that are too noisy for their limits, without those whose explanation says what would help.
pub(super) fn noisy(context: &ReportContext<'_>) -> List {
    List::of(MOST_ENTRIES, noisy_metrics(context), |(found, why)| {
        entry(context, found, &why)
    })
}

/// `3 metrics too noisy for their limits`.
pub(super) fn noisy_summary(context: &ReportContext<'_>) -> String {
    match noisy_metrics(context).count() {
        1 => "1 metric too noisy for its limit".to_owned(),
        several => format!("{} metrics too noisy for their limits", whole(several)),
    }
}

/// The gated metrics that are too noisy though none is inconclusive, each with the reason.
pub(super) fn noisy_metrics<'r, 'c>(
    context: &'r ReportContext<'c>,
) -> impl Iterator<Item = (&'r FoundMetric<'c>, String)> {
    let is_decided = |found: &&FoundMetric<'_>| {
        let judgement = &found.metric.judgement;
        judgement.is_gated() && judgement.verdict != Verdict::Inconclusive
    };
    let notable = context.notable.iter().filter(is_decided);
    notable.filter_map(|found| Some((found, rules::too_noisy(&context.subject(found.metric))?)))
}

/// The metrics whose level changed, the largest changes first.
pub(super) fn trend(context: &ReportContext<'_>) -> List {
    let mut all: Vec<(f64, FoundMetric<'_>, String)> =
        in_halves(context.notable.clone(), |notable| {
            notable
                .into_iter()
                .filter_map(|found| level_change(context, found))
                .collect()
        });
    all.sort_by(|a, b| {
        b.0.total_cmp(&a.0)
            .then_with(|| a.1.name().cmp(&b.1.name()))
    });
    List::of(TRENDS, all.into_iter(), |(_, found, change)| {
        entry(context, &found, &change)
    })
}

/// The size of a metric's last change of level, as a distance, and a sentence about it.
fn level_change<'c>(
    context: &ReportContext<'c>,
    found: FoundMetric<'c>,
) -> Option<(f64, FoundMetric<'c>, String)> {
    let history = &found.metric.extra.as_ref()?.history;
    if found.metric.judgement.is_unlike() || found.metric.metric.meaning.exact {
        return None;
    }
    let costs = crate::series::costs(found.metric, history)?;
    let change = breaks::last_change(&costs)?;
    let sentence = rules::level_change(&context.subject(found.metric), &change, costs.len());
    Some(((change.after - change.before).abs(), found, sentence))
}

/// The explanations of all failing and inconclusive verdicts, one each.
pub(super) fn decided(context: &ReportContext<'_>) -> List {
    let all = open(context).into_iter().flatten();
    List::of(DECIDED, all, |found| {
        let place = context.place_of(&found);
        let look = footer::chart(context, &found).map(|address| format!(" [Chart]({address})"));
        let how = (MARKDOWN.text)(&how(context, &found));
        format!("{}, {how}{}", place.strong(), look.unwrap_or_default())
    })
}

/// The explanation of one verdict as plain text: reason, evidence, and what would tell more.
pub(super) fn how(context: &ReportContext<'_>, found: &FoundMetric<'_>) -> String {
    let subject = context.subject(found.metric);
    let verdict = found.metric.judgement.verdict.word();
    let sentence = sentence(found.metric, context.config);
    let mut said = format!("{}: {verdict}: {sentence}.", found.metric.metric.label);
    said.extend(sentences::evidence(&subject).map(|evidence| format!(" {evidence}")));
    if found.metric.judgement.verdict == Verdict::Inconclusive {
        let remedy = rules::remedy(&subject, &context.config.history);
        said.extend(remedy.map(|remedy| format!(" To know more: {remedy}.")));
    }
    said
}

pub(super) fn entry(context: &ReportContext<'_>, found: &FoundMetric<'_>, what: &str) -> String {
    let place = context.place_of(found).strong();
    format!(
        "{place}, {}",
        (MARKDOWN.text)(&format!("{}: {what}", found.metric.metric.label))
    )
}
