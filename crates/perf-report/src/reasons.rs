//! Writes the sentence for each rule, with the numbers of its verdict, as plain text without a full stop.

use perf_config::{Config, HistoryPolicy};
use perf_model::commit::CommitId;
use perf_model::methodology::is_other_benchmark;
use perf_model::metric::Direction;
use perf_model::row::{Name, Outcome, Value};
use perf_verdict::cost_scale::value;
use perf_verdict::evidence::tail::Tail;
use perf_verdict::rules::history::Band;
use perf_verdict::rules::mixture::Mixture;
use perf_verdict::rules::pairs::{DECISIVE, LOOKS};
use perf_verdict::rules::{budget, common, exact, history, limit, newest, pairs, samples};
use perf_verdict::signals::related::NEAREST;
use perf_verdict::{Bound, Obstacle, Shift};
use perf_verdict::{
    Comparison, Confirmation, Instrument, MetricComparison, NotGated, Reason, Rule, Verdict,
};

use crate::number::{counted, fixed, significant, thousands, whole};
use crate::series::{current, median_of};
use crate::subject::{SentenceNumbers, Subject, change_of, percent, versus, with_sign};

/// Explains why a verdict was reached. The sentence includes the reference benchmarks, an exceeded soft limit, and the
/// waiver.
pub fn sentence(compared: &MetricComparison, config: &Config) -> String {
    let mut sentence = reason(&Subject::new(compared, config));
    // Without a change, there is no ratio to a reference.
    if compared.judgement.change.is_some() {
        let mut parts = Vec::new();
        if let Some(minus) = &compared.reference.minus {
            parts.push(format!("less {minus}"));
        }
        if let Some(reference) = &compared.reference.relative_to {
            parts.push(format!("relative to {reference}"));
        }
        if !parts.is_empty() {
            sentence = format!("{}: {sentence}", parts.join(", "));
        }
    }
    if compared.judgement.warned {
        sentence += "; above the soft limit";
    }
    let waiver = compared.judgement.waived;
    if let Some(waiver) = waiver.and_then(|at| config.waivers.get(at)) {
        sentence = format!(
            "{sentence}; waived: {} ({}, until {})",
            waiver.reason, waiver.by, waiver.until
        );
    }
    sentence
}

/// Returns the rule, and the numbers that the reason does not show. `None` if base or head was not measured.
pub(crate) fn evidence(compared: &Subject<'_>) -> Option<String> {
    let (baseline, current) = (compared.baseline?, compared.current?);
    let is_same = baseline == current;
    let numbers = SentenceNumbers::of_metric(compared, &[baseline.as_f64(), current.as_f64()]);
    let (baseline, current) = (numbers.value(baseline), numbers.value(current));
    let mut parts = vec![format!("Rule: {}", rule_name(compared))];
    let reason = &compared.judgement.reason;
    // A history's reason already shows the median, the normal range and the limit.
    if !matches!(reason, Reason::History(finding) if !finding.is_improved) {
        // These reasons may not show the numbers of both sides, and no reason does if nothing changed.
        let is_without_numbers = matches!(
            reason,
            Reason::Obstacle(_)
                | Reason::Budget(_)
                | Reason::Common(_)
                | Reason::Environment(_)
                | Reason::History(_)
        );
        if is_same || is_without_numbers {
            parts.push(format!("baseline {baseline}, head {current}"));
        }
        parts.extend(normal_range(compared));
    }
    let power = &compared.judgement.power;
    // Exact counts do not vary.
    if !matches!(compared.judgement.rule, Rule::Exact | Rule::Equal) {
        if let Some(noise) = power.noise {
            parts.push(format!("run-to-run variation ±{}", percent(noise, 1)));
        }
        let limit = fixed_limit(compared).and_then(|limit| compared.change_of_limit(limit));
        if let Some(detectable) = detectable(compared)
            && limit.is_none_or(|limit| percent(limit.abs(), 1) != detectable)
        {
            parts.push(format!("minimum detectable slowdown {detectable}"));
        }
    }
    parts.extend(iterations(compared));
    Some(parts.join("; ") + ".")
}

/// Returns the deciding rule's name in words.
fn rule_name(compared: &Subject<'_>) -> String {
    let reason = &compared.judgement.reason;
    let name = match reason {
        Reason::Common(_) => "history without the common change",
        Reason::Environment(_) => "environment shift",
        Reason::Floor(_) => "minimum absolute change",
        // For any loss, the reason already shows the limit.
        Reason::Limit(finding) if finding.loss > 0.0 => "fixed limit",
        Reason::Pairs(_) => "paired",
        Reason::Newest(_) => "newest baseline",
        Reason::Tail(_) => "percentile",
        _ => match (reason.name(), compared.judgement.rule) {
            (Some(name), _) => name,
            (None, Rule::Exact) => "exact count",
            (None, _) => return gate_limit(compared),
        },
    };
    name.to_owned()
}

/// Formats the reason for a metric's verdict.
fn reason(compared: &Subject<'_>) -> String {
    match &compared.judgement.reason {
        Reason::Obstacle(finding) => obstacle_reason(finding, compared),
        Reason::Budget(finding) => budget_reason(finding, compared),
        Reason::Equal(difference) => equal_reason(*difference, compared),
        Reason::Pairs(finding) => pairs_reason(finding, compared),
        Reason::Common(finding) => common_reason(finding, compared),
        Reason::Environment(finding) => {
            let shift = format!("environment shift: {}", shift(&finding.shift));
            match &finding.history {
                Some(finding) => format!("{shift}; this one: {}", from_median(compared, finding)),
                None => shift,
            }
        }
        Reason::History(finding) => history_reason(finding, compared),
        Reason::Samples(finding) => samples_reason(finding, compared),
        Reason::Tail(finding) => {
            let shortage = shortage(finding);
            format!("{}; not gated: {shortage}", from_baseline(compared))
        }
        Reason::NotGated(why) => {
            let why = not_gated(*why, compared.derived_from.as_ref());
            format!("{}; {why}", from_baseline(compared))
        }
        Reason::Exact(finding) => exact_reason(finding, compared),
        Reason::Count(finding) => count_reason(finding, compared),
        Reason::Limit(finding) => limit_reason(finding, compared),
        Reason::Newest(finding) => newest_reason(finding, compared),
        Reason::Floor(finding) => {
            let numbers = SentenceNumbers::new(compared, &[finding.difference, finding.floor]);
            format!(
                "{}; the difference of {} is below the minimum absolute change of {}",
                from_baseline(compared),
                numbers.bare(finding.difference),
                numbers.full(finding.floor)
            )
        }
        Reason::Mixture(finding) => {
            let (base_far, base) = finding.base;
            let far = far_runs(finding, compared);
            let median = from_baseline(compared);
            format!(
                "{far} ({base_far} of {base} in the baseline), which the median hides: {median}"
            )
        }
    }
}

/// Returns a remark if the data are too noisy for their limit, or for any limit.
pub(crate) fn too_noisy(compared: &Subject<'_>) -> Option<String> {
    let judgement = &compared.judgement;
    if matches!(judgement.reason, Reason::Mixture(_) | Reason::Pairs(_)) {
        return None;
    }
    let Rule::Limit(limit) = judgement.rule else {
        return None;
    };
    let detectable = detectable(compared)?;
    if judgement.power.is_too_tight {
        let limit = compared.signed(compared.change_of_limit(limit)?);
        return Some(format!(
            "limit {limit}, but the minimum detectable slowdown of stored values is {detectable}"
        ));
    }
    compared.band.filter(Band::is_too_wide)?;
    Some(format!(
        "the minimum detectable slowdown of stored values is {detectable}"
    ))
}

/// The slowdown that pairs can detect.
const DETECTED_BY_PAIRS: f64 = 0.05;

/// Advises how to reach a verdict or to detect smaller changes. Returns `None` if no measurement would help.
pub(crate) fn remedy(compared: &Subject<'_>, policy: &HistoryPolicy) -> Option<String> {
    match &compared.judgement.reason {
        Reason::Mixture(_) => {
            return Some("look for a common cause of the slow process runs".to_owned());
        }
        Reason::Pairs(finding) => {
            let more = finding.until_next?;
            return Some(format!("measure {}", counted(more, "more pair")));
        }
        _ => {}
    }
    let Rule::Limit(limit) = compared.judgement.rule else {
        return None;
    };
    if compared.metric.meaning.exact {
        return None;
    }
    let mut pairs = format!("measure {DECISIVE} to {} pairs", LOOKS[5].pairs);
    if limit >= DETECTED_BY_PAIRS {
        pairs += ", which detect 5%";
    }
    let missing = policy.least.saturating_sub(compared.extra.history.len());
    if missing == 0 || compared.band.is_some() {
        return Some(pairs);
    }
    Some(format!(
        "add {}, or {pairs}",
        counted(missing, "more baseline")
    ))
}

/// Formats the minimum detectable slowdown as a positive percentage.
pub(crate) fn detectable(compared: &Subject<'_>) -> Option<String> {
    let distance = compared.judgement.power.detectable?.ln_1p();
    Some(percent(compared.change_of(distance).abs(), 1))
}

/// Returns the limit that was applied, as a share: the largest change for the worse that passes.
pub(crate) fn applied_limit(compared: &MetricComparison) -> Option<f64> {
    let judgement = &compared.judgement;
    match judgement.rule {
        Rule::Limit(_) => {
            let distance = judgement.power.limit?.ln_1p();
            Some(change_of(compared.metric.meaning.direction, distance).abs())
        }
        Rule::Count(limit) => Some(limit),
        Rule::Exact | Rule::Equal | Rule::Budget | Rule::Report => None,
    }
}

/// Returns the gate's fixed limit, if it has one.
fn fixed_limit(compared: &Subject<'_>) -> Option<f64> {
    match compared.judgement.rule {
        Rule::Limit(limit) => Some(limit),
        _ => None,
    }
}

/// Formats the history's median, the end of its normal range, and its limit. Returns `None` without a history.
fn normal_range(compared: &Subject<'_>) -> Option<String> {
    let band = compared.band?;
    let direction = compared.direction();
    let [median, normal, limit] =
        [band.median, band.normal, band.limit].map(|cost| value(direction, cost));
    let numbers = SentenceNumbers::new(compared, &[median, normal, limit]);
    Some(format!(
        "{}: median {}, normal {} to {}, limit {}",
        counted(band.values, "earlier value"),
        numbers.bare(median),
        toward(direction),
        numbers.bare(normal),
        numbers.full(limit)
    ))
}

/// Returns the direction in which numbers become worse.
fn toward(direction: Direction) -> &'static str {
    if direction == Direction::Higher {
        "down"
    } else {
        "up"
    }
}

/// Formats the gate's limit: `limit −33%` or `any increase fails`.
fn gate_limit(compared: &Subject<'_>) -> String {
    match compared.judgement.rule {
        _ if !compared.judgement.is_gated() => "not gated".to_owned(),
        Rule::Limit(limit) => match compared.change_of_limit(limit) {
            Some(limit) => format!("limit {}", compared.signed(limit)),
            None => "no limit".to_owned(),
        },
        Rule::Exact => any_fails(compared.direction()).to_owned(),
        Rule::Count(limit) => format!("limit {}", compared.signed(toward_worse(compared, limit))),
        Rule::Equal => "any difference fails".to_owned(),
        Rule::Budget => "over its budget".to_owned(),
        Rule::Report => "not gated".to_owned(),
    }
}

fn any_fails(direction: Direction) -> &'static str {
    if direction == Direction::Higher {
        "any decrease fails"
    } else {
        "any increase fails"
    }
}

/// Returns a share with the sign of a change for the worse.
fn toward_worse(compared: &Subject<'_>, share: f64) -> f64 {
    if compared.direction() == Direction::Higher {
        -share
    } else {
        share
    }
}

/// Returns the word for a gate's rule in JSON.
pub(crate) fn rule_word(rule: Rule) -> &'static str {
    match rule {
        Rule::Limit(_) => "limit",
        Rule::Exact => "exact",
        Rule::Count(_) => "count",
        Rule::Equal => "equal",
        Rule::Budget => "budget",
        Rule::Report => "report",
    }
}

/// Returns the word for what decided the verdict: the gate's rule, or stronger evidence.
pub(crate) fn decided_by(compared: &MetricComparison) -> &'static str {
    let judgement = &compared.judgement;
    let name = judgement.reason.name();
    name.unwrap_or_else(|| rule_word(judgement.rule))
}

/// Explains why a metric is not gated. `derived_from` is the metric from which it is derived, if any.
pub fn not_gated(why: NotGated, derived_from: Option<&Name>) -> String {
    let why = match (why, derived_from) {
        (NotGated::Informational, _) => return "not gated (informational)".to_owned(),
        (NotGated::NoGate, _) => "no gate in the config covers it".to_owned(),
        (NotGated::Noise, _) => "mostly noise".to_owned(),
        (NotGated::Quieter(instrument), _) => {
            format!(
                "{} is gated instead, because it varies less",
                clock(instrument)
            )
        }
        (NotGated::Derived, Some(name)) => format!("another form of `{name}`"),
        (NotGated::Derived, None) => "another form of a gated metric".to_owned(),
        (NotGated::UnknownDirection, _) => "its better direction is unknown".to_owned(),
        (NotGated::Tail, _) => "a percentile of too few values".to_owned(),
    };
    format!("not gated: {why}")
}

fn clock(instrument: Instrument) -> &'static str {
    match instrument {
        Instrument::Cpu => "CPU time",
        Instrument::Undelayed => "the time without run-queue delay",
        Instrument::Wall => "wall time",
    }
}

/// Formats the minimum detectable slowdown of pairs by clock: `2.1% of CPU time, 9.3% of wall time`. Returns `None` if
/// no clock measured pairs.
pub fn detectable_by_clock(comparison: &Comparison) -> Option<String> {
    let mut clocks = Vec::new();
    for (instrument, share) in comparison.detectable_by_clock() {
        clocks.push(format!("{} of {}", percent(share, 1), clock(instrument)));
    }
    (!clocks.is_empty()).then(|| clocks.join(", "))
}

/// Formats the result of the A/A check if it flagged a benchmark.
pub fn self_comparison(comparison: &Comparison) -> Option<String> {
    let found = comparison.self_comparison()?;
    let (flagged, all) = (whole(found.flagged), whole(found.benchmarks));
    (found.flagged > 0).then(|| format!("A/A check: {flagged} of {all} flagged"))
}

/// Formats the state of the confirmation, and how to complete it. `effect` is a distance.
fn confirmation(compared: &Subject<'_>, runs: Confirmation, effect: f64) -> String {
    let Confirmation {
        confirmed,
        confirmation_runs,
        needed,
    } = runs;
    let verdict = compared.judgement.verdict;
    let all = format!("{confirmation_runs} confirmation runs");
    if runs.is_refuted() {
        let refuting = confirmation_runs - confirmed;
        return format!("not confirmed: {refuting} of {all} within the limit");
    }
    if let Some(allowed) = allowed(compared, effect)
        && verdict == Verdict::Moved
    {
        return allowed;
    }
    if needed == 0 && confirmation_runs == 0 {
        return "too large to need a confirmation run".to_owned();
    }
    if runs.is_complete() {
        let but = if verdict == Verdict::Inconclusive {
            ", but hardly worse than the run before"
        } else {
            ""
        };
        return format!("confirmed in {confirmed} of {all}{but}");
    }
    if verdict == Verdict::Regressed {
        return "unconfirmed, but configured to fail".to_owned();
    }
    let state = match confirmation_runs {
        0 => "unconfirmed".to_owned(),
        _ if confirmed >= needed => {
            format!("confirmed in {confirmed} of {all} (more than half needed)")
        }
        _ => format!("confirmed in {confirmed} of {all} ({needed} needed)"),
    };
    format!("{state}: {} to confirm", rerun_times(runs.missing()))
}

/// Formats the state of the confirmation after a semicolon. The text is empty if no regression is suspected.
fn and_confirmation(compared: &Subject<'_>, runs: Option<Confirmation>, effect: f64) -> String {
    runs.map_or_else(String::new, |runs| {
        format!("; {}", confirmation(compared, runs, effect))
    })
}

/// Advises to pass `missing` more confirmation runs, for a comparison of files.
pub(crate) fn rerun(missing: usize) -> String {
    let outputs = if missing > 1 { "outputs" } else { "output" };
    format!(
        "{} and pass the {outputs} with `--confirm`",
        rerun_times(missing)
    )
}

fn rerun_times(missing: usize) -> String {
    match missing {
        0 | 1 => "rerun".to_owned(),
        more => format!("rerun {more} times"),
    }
}

/// Formats the remark that a suspected effect is within the user's limit. Returns `None` without a fixed limit.
fn allowed(compared: &Subject<'_>, effect: f64) -> Option<String> {
    let limit = fixed_limit(compared)?;
    Some(match compared.change_of_limit(limit) {
        Some(limit) => {
            let (_, limit) = compared.change_and_limit(compared.change_of(effect), limit);
            format!("within the chosen limit of {limit}")
        }
        None => "the chosen limit allows any loss".to_owned(),
    })
}

/// The reason if base and head are equal.
const NO_CHANGE: &str = "no change";

/// Formats base, head and change: `12.1 → 16.0 ms (+32% slower than the baseline)`.
fn from_baseline(compared: &Subject<'_>) -> String {
    let change = compared.judgement.change;
    from_baseline_as(compared, change.map(|change| compared.changed(change)))
}

/// Like [`from_baseline`], with the given change.
fn from_baseline_as(compared: &Subject<'_>, change: Option<String>) -> String {
    let (Some(baseline), Some(current)) = (compared.baseline, compared.current) else {
        return "not measured in both base and head".to_owned();
    };
    let change = change.map(|change| versus(&change, "the baseline"));
    if compared.reference.relative_to.is_some() {
        return change.unwrap_or_else(|| "no longer zero".to_owned());
    }
    if baseline == current {
        return NO_CHANGE.to_owned();
    }
    let both = arrow(compared, baseline, current);
    match change {
        Some(change) => format!("{both} ({change})"),
        None if baseline.as_f64() == 0.0 => format!("{both}: no longer zero"),
        None => both,
    }
}

/// Formats two values as `12.1 → 16.0 ms`. Counts are shown with all digits.
fn arrow(compared: &Subject<'_>, baseline: Value, current: Value) -> String {
    if compared.metric.meaning.exact && compared.metric.format.is_none() {
        let [baseline, current] = [baseline, current].map(|count| thousands(&count.to_string()));
        return format!("{baseline} → {current}");
    }
    SentenceNumbers::new(compared, &[baseline.as_f64(), current.as_f64()])
        .arrow_of(baseline, current)
}

/// The reason if the benchmark itself changed, because times before and after such a change are not comparable.
pub const OTHER_BENCHMARK: &str = "the benchmark files (`[harness]`) changed since the baseline";

fn obstacle_reason(finding: &Obstacle, compared: &Subject<'_>) -> String {
    match finding {
        Obstacle::ZeroBaseline => "the baseline is zero".to_owned(),
        Obstacle::FellToZero => "fell to zero: the benchmark probably stopped working".to_owned(),
        Obstacle::Implausible(times) => {
            format!(
                "{}× better: the benchmark probably stopped working",
                significant(*times, 2)
            )
        }
        Obstacle::Negative => "a negative number is not a measurement".to_owned(),
        Obstacle::FewPositive((bad, all)) => format!(
            "{bad} of {all} process runs are zero or negative: the benchmark takes no longer than its subtracted part"
        ),
        Obstacle::OtherMachine => "measured on different machine types".to_owned(),
        Obstacle::OtherMethodology(before, now) if is_other_benchmark(before, now) => {
            OTHER_BENCHMARK.to_owned()
        }
        Obstacle::OtherMethodology(before, now) => {
            format!("different methodologies: {before} in the baseline, {now} in this run")
        }
        Obstacle::SharedOutput(file) => {
            format!(
                "base and head ran the same `{file}`, so the change was not measured; each must build its own"
            )
        }
        Obstacle::Contradiction(found) => format!("contradictory numbers: {found}"),
        Obstacle::Doubtful(text) => text.clone(),
        Obstacle::OtherToolchain => "built by different toolchains".to_owned(),
        Obstacle::NoReference(reference) => {
            format!("its reference {reference} was not measured in both base and head")
        }
        Obstacle::NothingLeft(minus) => format!("nothing remains after subtracting {minus}"),
        Obstacle::NoBaseline => "not measured in the baseline".to_owned(),
        Obstacle::MayHaveBeenZero => {
            "missing from the baseline, or zero there; other benchmarks have this metric".to_owned()
        }
        Obstacle::NoCurrent if compared.outcome != Outcome::Measured => {
            format!(
                "in the baseline, but {} in this run",
                compared.outcome.word()
            )
        }
        Obstacle::NoCurrent => "in the baseline, but not in this run".to_owned(),
    }
}

fn budget_reason(finding: &budget::Finding, compared: &Subject<'_>) -> String {
    let limits = limits_of_budget(finding, compared);
    let number = match (&finding.reference, compared.judgement.change) {
        (None, Some(_)) => from_baseline(compared),
        _ => full(compared, finding.current),
    };
    let also = if finding.was_exceeded {
        ", like the baseline"
    } else {
        ""
    };
    let confirmed = and_confirmation(compared, finding.confirmation, f64::MAX);
    format!("{number}; {limits}{also}{confirmed}")
}

fn full(compared: &Subject<'_>, number: f64) -> String {
    SentenceNumbers::new(compared, &[number]).full(number)
}

/// Formats the budget: `over the budget of 16 ms` or `within the budget of 5 ms to 16 ms`.
fn limits_of_budget(finding: &budget::Finding, compared: &Subject<'_>) -> String {
    let ends = [finding.budget.min, finding.budget.max];
    let budget = match ends.map(|end| end.map(|end| full(compared, end))) {
        [Some(min), Some(max)] => format!("{min} to {max}"),
        [Some(min), None] => format!("at least {min}"),
        [None, max] => max.unwrap_or_default(),
    };
    match finding.exceeded {
        Some(Bound::Max(max)) => format!("over the budget of {}", full(compared, max)),
        Some(Bound::Min(min)) => format!("below the budget of at least {}", full(compared, min)),
        None => format!("within the budget of {budget}"),
    }
}

fn equal_reason(difference: Value, compared: &Subject<'_>) -> String {
    match (compared.baseline, compared.current) {
        (Some(baseline), Some(current)) if baseline != current => {
            let both = arrow(compared, baseline, current);
            format!("{both} ({}); any difference fails", step(difference))
        }
        _ => from_baseline(compared),
    }
}

/// The remark that the benchmark also seems to change when unchanged code is compared with itself.
const FLAGGED: &str = "; the A/A check also flags this benchmark";

fn pairs_reason(finding: &pairs::Finding, compared: &Subject<'_>) -> String {
    let mut typical = compared.effect(finding.median);
    let ends = finding.lower.zip(finding.upper);
    if let Some(interval) = ends.and_then(|ends| interval(compared, ends)) {
        typical = format!("{typical} {interval}");
    }
    let typical = versus(&typical, "the base");
    let mut reason = format!("{}; typically {typical}", count_of_pairs(finding));
    match finding.outcome {
        pairs::Outcome::Slower if compared.judgement.verdict == Verdict::Moved => {
            if let Some(allowed) = allowed(compared, finding.median) {
                reason = format!("{reason}; {allowed}");
            }
        }
        pairs::Outcome::Slower | pairs::Outcome::Faster => {}
        pairs::Outcome::Same | pairs::Outcome::NotSlower => reason += dependence(finding),
        pairs::Outcome::Open => {
            if let Some(tail) = finding.tail {
                let tail = versus(&compared.effect(tail), "the base");
                reason = format!("{reason}, but the median of its samples is {tail}");
            }
            if finding.is_flagged() {
                reason += FLAGGED;
            }
            reason += dependence(finding);
            let is_explained = finding.tail.is_some() || finding.is_flagged();
            if finding.until_next.is_some() || !is_explained {
                reason = format!("{reason}; {}", next_analysis(finding));
            }
        }
    }
    reason
}

/// Formats the number of slower or faster pairs: `slower by more than 2% in 38 of 40 pairs`.
fn count_of_pairs(finding: &pairs::Finding) -> String {
    let pairs = counted(finding.pairs, "pair");
    let [margin, negligible] =
        [finding.margin, finding.negligible()].map(|distance| percent(distance.exp_m1(), 2));
    match finding.outcome {
        pairs::Outcome::Same | pairs::Outcome::NotSlower => {
            format!(
                "slower by less than {negligible} in {} of {pairs}",
                finding.within
            )
        }
        pairs::Outcome::Faster => format!(
            "faster by more than {margin} in {} of {pairs}",
            finding.faster
        ),
        pairs::Outcome::Slower | pairs::Outcome::Open => {
            format!(
                "slower by more than {margin} in {} of {pairs}",
                finding.slower
            )
        }
    }
}

/// Returns the remark that consecutive pairs depend on each other, or an empty text if they do not.
fn dependence(finding: &pairs::Finding) -> &'static str {
    if finding.serial.is_some() && finding.look.is_some() {
        "; consecutive pairs depend on each other"
    } else {
        ""
    }
}

/// Formats the number of pairs until the next analysis: `20 more pairs until the next analysis`.
fn next_analysis(finding: &pairs::Finding) -> String {
    match (finding.look, finding.until_next) {
        (None, Some(more)) => format!(
            "too few: {} until the first analysis",
            counted(more, "more pair")
        ),
        (_, Some(more)) => format!("{} until the next analysis", counted(more, "more pair")),
        (_, None) => "this was the final analysis".to_owned(),
    }
}

fn common_reason(finding: &common::Finding, compared: &Subject<'_>) -> String {
    let own = finding.effect - finding.common;
    let [common, own, limit] = [finding.common, own, finding.limit]
        .map(|distance| compared.signed(compared.change_of(distance)));
    let mut reason =
        format!("{NEAREST} related benchmarks {common}, the rest {own} (limit {limit})");
    if let (Some(median), Some(now)) = (median_of(compared), current(compared)) {
        let numbers = SentenceNumbers::new(compared, &[median.number, now]);
        let arrow = numbers.arrow(median.number, now);
        let change = versus_median(compared, finding.effect, median.values);
        reason = format!("{arrow} ({change}); {reason}");
    }
    reason
        + &and_level(compared)
        + &and_confirmation(compared, Some(finding.confirmation), finding.effect)
}

/// Formats how many benchmarks changed at once, and how: `9 of 10 benchmarks are 20% slower at once`.
pub(crate) fn shift(shift: &Shift) -> String {
    format!(
        "{} of {} are {}",
        whole(shift.moved()),
        counted(shift.rows, "benchmark"),
        typical(shift)
    )
}

/// Formats the typical change of a shift: `20–30% slower at once`.
pub(crate) fn typical(shift: &Shift) -> String {
    let mut ends = shift.range.map(f64::abs);
    ends.sort_unstable_by(f64::total_cmp);
    let [low, high] = ends.map(|share| significant(share * 100.0, 2));
    let range = if low == high {
        high
    } else {
        format!("{low}–{high}")
    };
    format!(
        "{range}% {} at once",
        if shift.distance > 0.0 {
            "slower"
        } else {
            "faster"
        }
    )
}

fn history_reason(finding: &history::Finding, compared: &Subject<'_>) -> String {
    let numbers = history_numbers(compared, finding);
    let from_median = from_median(compared, finding);
    let direction = compared.direction();
    let level = and_level(compared);
    if finding.is_improved && finding.confirmation.is_none() {
        let better = compared.band.map(|band| value(direction, band.better));
        let better = better.map_or(String::new(), |better| {
            let than = if direction == Direction::Higher {
                "above"
            } else {
                "below"
            };
            format!(" ({than} {})", numbers.bare(better))
        });
        return format!(
            "{from_median}; an improvement beyond the run-to-run variation{better}{level}"
        );
    }
    let to = toward(direction);
    let (normal, limit) = (numbers.bare(finding.normal), numbers.bare(finding.limit));
    let confirmation = and_confirmation(compared, finding.confirmation, finding.effect.ln_1p());
    format!("{from_median}; normal {to} to {normal}, limit {limit}{level}{confirmation}")
}

/// Formats a change of level: `; level 12.1 µs since 1a2b3c4, 10.3 µs before`. The text is empty if the level did not
/// change.
fn and_level(compared: &Subject<'_>) -> String {
    let Some(level) = &compared.level else {
        return String::new();
    };
    let numbers = SentenceNumbers::new(compared, &[level.now, level.before]);
    let [now, before] = [level.now, level.before].map(|number| numbers.full(number));
    let short = |commit: &str| {
        commit
            .parse()
            .map_or(commit.to_owned(), |id: CommitId| id.short().to_owned())
    };
    let since = match level.since.as_deref() {
        Some(commit) => format!("since {}", short(commit)),
        None => format!("for {}", counted(level.values, "run")),
    };
    format!("; level {now} {since}, {before} before")
}

fn history_numbers(compared: &Subject<'_>, finding: &history::Finding) -> SentenceNumbers {
    let now = current(compared).unwrap_or(finding.median);
    SentenceNumbers::new(
        compared,
        &[finding.median, now, finding.normal, finding.limit],
    )
}

/// Formats the change from the history's median: `12.1 → 16.0 ms (+32% slower than the median of 30)`.
fn from_median(compared: &Subject<'_>, finding: &history::Finding) -> String {
    let now = current(compared).unwrap_or(finding.median);
    let both = history_numbers(compared, finding).arrow(finding.median, now);
    let change = versus_median(compared, finding.effect.ln_1p(), finding.values);
    format!("{both} ({change})")
}

/// Formats a change and the history's median: `+32% slower than the median of 30`.
fn versus_median(compared: &Subject<'_>, effect: f64, values: usize) -> String {
    versus(&compared.effect(effect), &format!("the median of {values}"))
}

fn samples_reason(finding: &samples::Finding, compared: &Subject<'_>) -> String {
    let test = &finding.test;
    let runs = match test.launches {
        (base, now) if base == now => format!("{} per side", counted(now, "process run")),
        (base, now) => format!("{now} vs. {} in the baseline", counted(base, "process run")),
    };
    let mut effect = compared.effect(test.effect);
    if let Some(interval) = interval(compared, test.interval) {
        effect = format!("{effect} {interval}");
    }
    let why = match finding.confirmation {
        Some(runs) => confirmation(compared, runs, test.effect),
        None if finding.is_improved => "the whole interval is an improvement".to_owned(),
        None if test.rejected => "significant, but too small to be suspicious".to_owned(),
        None => "not significant".to_owned(),
    };
    let effect = versus(&effect, "the baseline");
    format!("{runs}: {effect}, {}; {why}", p_value(test.p))
}

/// Formats the number of iterations in each process: `30 iterations in one process`.
fn iterations(compared: &Subject<'_>) -> Option<String> {
    let sides = compared.extra.iterations.as_ref()?;
    // Use the head's iterations or, if it has none, the baseline's.
    let side = sides.iter().rev().find(|side| side.count > 0)?;
    let all = counted(side.count, "iteration");
    Some(match side.launches {
        1 => format!("{all} in one process"),
        several => format!("{all} in {several} processes: only the processes are compared"),
    })
}

/// Formats an interval of costs as changes of the metric in percent, the smaller end first. Returns `None` if both ends
/// look equal.
pub(crate) fn interval(compared: &Subject<'_>, (low, high): (f64, f64)) -> Option<String> {
    let mut ends = [low, high].map(|distance| compared.change_of(distance));
    ends.sort_unstable_by(f64::total_cmp);
    let [low, high] = ends.map(|change| compared.signed(change));
    (low != high).then(|| {
        format!(
            "[{}, {}]",
            low.trim_end_matches('%'),
            high.trim_end_matches('%')
        )
    })
}

fn p_value(p: f64) -> String {
    if p < 0.0001 {
        "p < 0.0001".to_owned()
    } else {
        format!("p = {}", significant(p, 2))
    }
}

fn shortage(finding: &Tail) -> String {
    let Some(needed) = finding.needed else {
        return "the maximum is a single value".to_owned();
    };
    let number = |count: f64| thousands(&count.trunc().to_string());
    let digits = fixed(finding.quantile * 100.0, 4);
    let name = digits.trim_end_matches('0').trim_end_matches('.');
    let values = finding
        .values
        .map_or_else(|| "an unknown number of".to_owned(), number);
    format!("p{name} of {values} values (needs {})", number(needed))
}

fn exact_reason(finding: &exact::Finding, compared: &Subject<'_>) -> String {
    let (Some(baseline), Some(current)) = (compared.baseline, compared.current) else {
        return from_baseline(compared);
    };
    if finding.difference == Value::Int(0) {
        return NO_CHANGE.to_owned();
    }
    let both = arrow(compared, baseline, current);
    let fails = compared.judgement.verdict == Verdict::Regressed;
    let mut said = both;
    if baseline.as_f64() != 0.0 {
        said = format!("{said} ({})", step(finding.difference));
    }
    match finding.explained_by {
        Some((low, high)) => {
            let [low, high] = [low, high].map(|count| thousands(&count.to_string()));
            let source = if finding.is_by_history {
                "earlier runs"
            } else {
                "process runs of the same code"
            };
            format!("{said}; {source} vary from {low} to {high}")
        }
        None if fails => format!("{said}; {}", any_fails(compared.direction())),
        None => said,
    }
}

/// Formats a difference of counts: `+7` or `−1,024`.
fn step(difference: Value) -> String {
    with_sign(&thousands(&difference.to_string()))
}

fn count_reason(finding: &exact::CountFinding, compared: &Subject<'_>) -> String {
    let (Some(baseline), Some(current)) = (compared.baseline, compared.current) else {
        return from_baseline(compared);
    };
    let verdict = compared.judgement.verdict;
    let Some(growth) = finding
        .growth
        .filter(|_| compared.reference.relative_to.is_none())
    else {
        let both = arrow(compared, baseline, current);
        return match verdict {
            Verdict::Regressed => format!("{both}; {}", any_fails(compared.direction())),
            _ => from_baseline(compared),
        };
    };
    let (growth_shown, limit) =
        compared.change_and_limit(growth, toward_worse(compared, finding.limit));
    let change = compared.judgement.change.map(|_| growth_shown);
    let said = from_baseline_as(compared, change);
    let source = match finding.values {
        0 => String::new(),
        values => format!(" (from {})", counted(values, "earlier count")),
    };
    match verdict {
        Verdict::Regressed => format!("{said}; limit {limit}{source}"),
        Verdict::Improved => format!("{said}; more than it usually varies{source}"),
        _ if growth == 0.0 => said,
        _ => format!("{said}; within the limit of {limit}{source}"),
    }
}

fn limit_reason(finding: &limit::Finding, compared: &Subject<'_>) -> String {
    let limit = compared.change_of_limit(finding.limit);
    let mut said = from_baseline(compared);
    let mut shown_limit = limit.map(|limit| compared.signed(limit));
    if let (Some(change), Some(limit)) = (compared.judgement.change, limit) {
        let (change, limit) = compared.change_and_limit(change, limit);
        said = from_baseline_as(compared, Some(change));
        shown_limit = Some(limit);
    }
    if let (Some(runs), Some(effect)) = (finding.confirmation, finding.distance) {
        let limit = shown_limit.map_or(String::new(), |limit| format!("; limit {limit}"));
        return format!("{said}{limit}; {}", confirmation(compared, runs, effect));
    }
    match (compared.judgement.verdict, shown_limit) {
        _ if finding.loss == 0.0 => said,
        // The overlap is only checked for pairs that the rule for pairs does not analyse, such as pairs with zeros.
        (Verdict::Inconclusive, _) => format!("{said}, but the process runs overlap"),
        (Verdict::Regressed, Some(limit)) => format!("{said}; limit {limit}"),
        (Verdict::Improved, _) => format!("{said}; the reverse would be a regression"),
        (_, Some(limit)) if finding.loss > 0.0 => format!("{said}; within the limit of {limit}"),
        _ => said,
    }
}

fn newest_reason(finding: &newest::Finding, compared: &Subject<'_>) -> String {
    let numbers = SentenceNumbers::new(compared, &[finding.median]);
    let history = format!(
        "the newest baseline was better than the median of {}, {}",
        counted(finding.values, "earlier value"),
        numbers.full(finding.median)
    );
    let mut said = format!("{}; {history}", from_baseline(compared));
    let confirmation = confirmation(compared, finding.confirmation, finding.effect.ln_1p());
    said = format!("{said}; {confirmation}");
    if finding.may_be_luck {
        said.push_str("; that improvement may have been chance");
    }
    said
}

/// Formats the runs in a mixture that are far from the others: `6 of 24 process runs are +900% slower than the
/// others`.
pub(crate) fn far_runs(found: &Mixture, compared: &Subject<'_>) -> String {
    let (far, all) = found.current;
    let effect = versus(&compared.effect(found.distance), "the others");
    format!("{far} of {all} process runs are {effect}")
}
