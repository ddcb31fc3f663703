//! Sentences for the findings of rules, in the order in which the rules are asked.

use perf_config::HistoryPolicy;
use perf_model::commit::CommitId;
use perf_model::methodology::is_other_benchmark;
use perf_model::metric::Direction;
use perf_model::row::{Outcome, Value};
use perf_verdict::cost_scale::value;
use perf_verdict::evidence::tail::Tail;
use perf_verdict::rules::budget::{self, Bound};
use perf_verdict::rules::common;
use perf_verdict::rules::environment::{self, Shift};
use perf_verdict::rules::mixture::Mixture;
use perf_verdict::rules::obstacle::Obstacle;
use perf_verdict::rules::{count, equal, exact, floor, history, limit, newest, pairs, samples};
use perf_verdict::signals::related::NEAREST;
use perf_verdict::statistics::breaks::Break;
use perf_verdict::{NotGated, Reason, Screening, Verdict};

use crate::number::{counted, fixed, significant, thousands, whole};
use crate::series::{current, median_of};
use crate::words::{
    SentenceNumbers, Subject, allowed, and_confirmation, change, confirmation, not_gated, percent,
    power, versus,
};

/// The numbers that a reason already shows, which the evidence does not repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShownNumbers {
    /// The numbers of the baseline and the current run, or a change that is not their quotient.
    Baseline,
    /// The median, the normal range and the limit of the history, and the current number.
    History,
    Neither,
}

pub(crate) fn shown(reason: &Reason) -> ShownNumbers {
    use Reason::{
        Count, Equal, Exact, Floor, History, Limit, Mixture, Newest, NotGated, Pairs, Samples, Tail,
    };
    match reason {
        History(finding) if finding.screening != Screening::Improved => ShownNumbers::History,
        Count(_) | Equal(_) | Exact(_) | Floor(_) | Limit(_) | Mixture(_) | Newest(_)
        | NotGated(_) | Pairs(_) | Samples(_) | Tail(_) => ShownNumbers::Baseline,
        _ => ShownNumbers::Neither,
    }
}

/// The name of the rule that decided.
pub(crate) fn rule(compared: &Subject<'_>) -> String {
    let reason = &compared.judgement.reason;
    match (reason, reason.name()) {
        (Reason::Common(_), _) => "history without the common change".to_owned(),
        (Reason::Environment(_), _) => "environment shift".to_owned(),
        (Reason::Floor(_), _) => "minimum absolute change".to_owned(),
        (Reason::Pairs(_), _) => "paired".to_owned(),
        (Reason::Newest(_), _) => "newest baseline".to_owned(),
        (Reason::Tail(_), _) => "percentile".to_owned(),
        (_, Some(name)) => name.to_owned(),
        (_, None) => power::gate_rule(compared),
    }
}

/// The reason for a metric's verdict, as plain text without a full stop.
pub(crate) fn reason(compared: &Subject<'_>) -> String {
    match &compared.judgement.reason {
        Reason::Obstacle(finding) => obstacle_reason(finding, compared),
        Reason::Budget(finding) => budget_reason(finding, compared),
        Reason::Equal(finding) => equal_reason(finding, compared),
        Reason::Pairs(finding) => pairs_reason(finding, compared),
        Reason::Common(finding) => common_reason(finding, compared),
        Reason::Environment(finding) => environment_reason(finding, compared),
        Reason::History(finding) => history_reason(finding, compared),
        Reason::Samples(finding) => samples_reason(finding, compared),
        Reason::Tail(finding) => tail_reason(finding, compared),
        Reason::NotGated(why) => ungated_reason(*why, compared),
        Reason::Exact(finding) => exact_reason(finding, compared),
        Reason::Count(finding) => count_reason(finding, compared),
        Reason::Limit(finding) => limit_reason(finding, compared),
        Reason::Newest(finding) => newest_reason(finding, compared),
        Reason::Floor(finding) => floor_reason(finding, compared),
        Reason::Mixture(finding) => mixture_reason(finding, compared),
    }
}

/// The bound that a change is held against, for a place beside it: `limit −33%`.
pub(crate) fn bound(compared: &Subject<'_>) -> String {
    match &compared.judgement.reason {
        Reason::Budget(finding) => budget_bound(finding, compared),
        Reason::Common(finding) => common_bound(finding, compared),
        Reason::History(finding) => history_bound(finding, compared),
        Reason::Mixture(finding) => far_launches(finding, compared),
        Reason::Pairs(finding) => count_of_pairs(finding),
        Reason::Samples(finding) => p_value(finding.test.p),
        _ => power::gate_limit(compared),
    }
}

/// The remark that the data are too noisy for their limit or for any; `None` if they are not.
pub(crate) fn too_noisy(compared: &Subject<'_>) -> Option<String> {
    match compared.judgement.reason {
        Reason::Mixture(_) | Reason::Pairs(_) => None,
        _ => power::too_noisy(compared),
    }
}

/// The remedy that would detect smaller changes, as an imperative.
pub(crate) fn remedy(compared: &Subject<'_>, policy: &HistoryPolicy) -> Option<String> {
    match &compared.judgement.reason {
        Reason::Mixture(_) => Some("find out what these launches have in common".to_owned()),
        Reason::Pairs(finding) => pairs_remedy(finding),
        _ => power::remedy(compared, policy),
    }
}

/// Times before and after a change of the benchmark itself say nothing of the code.
pub const OTHER_BENCHMARK: &str = "the benchmark itself (`[harness]`) changed since the baseline";

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
            "{bad} of {all} launches are zero or negative: the benchmark takes no longer than what is subtracted from it"
        ),
        Obstacle::OtherMachine => "measured on different machine classes".to_owned(),
        Obstacle::OtherMethodology(methods) if is_other_benchmark(&methods.0, &methods.1) => {
            OTHER_BENCHMARK.to_owned()
        }
        Obstacle::OtherMethodology(methods) => {
            let (before, now) = &**methods;
            format!("different methodologies: {before} in the baseline, {now} in this run")
        }
        Obstacle::SharedOutput(file) => format!("both sides ran the same `{file}`; set `build`"),
        Obstacle::Contradiction(found) => format!("contradictory numbers: {found}"),
        Obstacle::Doubtful(text) => text.to_string(),
        Obstacle::OtherToolchain => "built by different toolchains".to_owned(),
        Obstacle::NoReference(reference) => {
            format!("its reference {reference} was not measured on both sides")
        }
        Obstacle::NothingLeft(minus) => format!("nothing remains of it without {minus}"),
        Obstacle::NoBaseline => "not measured in the baseline".to_owned(),
        Obstacle::MayHaveBeenZero => {
            "not measured in the baseline, or zero: other benchmarks have it there".to_owned()
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
    let full = |number: f64| SentenceNumbers::new(compared, &[number]).full(number);
    let limits = limits_of_budget(finding, full);
    let number = match (&finding.reference, compared.judgement.change) {
        (None, Some(_)) => change::vs_baseline(compared),
        _ => full(finding.current),
    };
    let also = if finding.was_exceeded {
        ", as the baseline was"
    } else {
        ""
    };
    let confirmed = and_confirmation(compared, finding.screening, f64::MAX);
    format!("{number}; {limits}{also}{confirmed}")
}

fn budget_bound(finding: &budget::Finding, compared: &Subject<'_>) -> String {
    limits_of_budget(finding, |number| {
        SentenceNumbers::new(compared, &[number]).full(number)
    })
}

fn limits_of_budget(finding: &budget::Finding, full: impl Fn(f64) -> String) -> String {
    match finding.exceeded {
        Some(Bound::Max(max)) => format!("over the budget of {}", full(max)),
        Some(Bound::Min(min)) => format!("below the budget of at least {}", full(min)),
        None => format!("within the budget of {}", limit_of_budget(finding, full)),
    }
}

/// `16 ms`, `at least 5 ms`, `5 ms to 16 ms`.
fn limit_of_budget(finding: &budget::Finding, full: impl Fn(f64) -> String) -> String {
    let [max, min] = [finding.budget.max, finding.budget.min].map(|end| end.map(&full));
    match (min, max) {
        (Some(min), Some(max)) => format!("{min} to {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, max) => max.unwrap_or_default(),
    }
}

fn equal_reason(finding: &equal::Finding, compared: &Subject<'_>) -> String {
    match (compared.baseline, compared.current) {
        (Some(baseline), Some(current)) if baseline != current => {
            let both = change::from_to(compared, baseline, current);
            format!(
                "{both}: {}; any difference fails",
                steps(finding.difference)
            )
        }
        _ => change::vs_baseline(compared),
    }
}

/// The remark that the machine shows a change where there is none.
const FLAGGED: &str = "; unchanged code compared with itself is flagged, too";

fn pairs_reason(finding: &pairs::Finding, compared: &Subject<'_>) -> String {
    let of = |distance: f64| compared.effect(distance);
    let interval = finding
        .lower
        .zip(finding.upper)
        .map(|ends| format!(" {}", interval(compared, ends)));
    let typical = of(finding.median) + &interval.unwrap_or_default();
    let said = format!(
        "{}; typically {}",
        count_of_pairs(finding),
        versus(&typical, "the base")
    );
    match finding.outcome {
        pairs::Outcome::Slower if compared.judgement.verdict == Verdict::Moved => {
            format!(
                "{said}{}",
                allowed(compared, finding.median).map_or(String::new(), |why| format!("; {why}"))
            )
        }
        pairs::Outcome::Slower | pairs::Outcome::Faster => said,
        pairs::Outcome::Same | pairs::Outcome::NotSlower => said + &dependent(finding),
        pairs::Outcome::Open => {
            let tail = finding.tail.map(|tail| {
                format!(
                    "; by the median sample of a launch {}",
                    versus(&of(tail), "the base")
                )
            });
            let flagged = if finding.is_flagged() { FLAGGED } else { "" };
            let is_settled =
                (tail.is_some() || finding.is_flagged()) && finding.until_next.is_none();
            let next = if is_settled {
                String::new()
            } else {
                format!("; {}", next_look(finding))
            };
            format!(
                "{said}{}{flagged}{}{next}",
                tail.unwrap_or_default(),
                dependent(finding)
            )
        }
    }
}

fn pairs_remedy(finding: &pairs::Finding) -> Option<String> {
    finding
        .until_next
        .map(|more| format!("measure {}", launches_left(more)))
}

/// The number of pairs that are slower or faster, as in `slower by more than 2% in 38 of 40 pairs`.
pub fn count_of_pairs(finding: &pairs::Finding) -> String {
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

/// The remark that consecutive pairs depend on each other; empty if they do not.
fn dependent(finding: &pairs::Finding) -> String {
    finding.serial.zip(finding.look).map_or(String::new(), |(serial, look)| {
        format!(
            "; consecutive pairs depend on each other (autocorrelation {serial:.2}, limit {:.2})",
            look.serial
        )
    })
}

/// The launches until the next look, as in `20 more launches per side until the next look`.
pub fn next_look(finding: &pairs::Finding) -> String {
    match (finding.look, finding.until_next) {
        (None, Some(more)) => format!("too few: {} until the first look", launches_left(more)),
        (_, Some(more)) => format!("{} until the next look", launches_left(more)),
        (_, None) => "this was the last look".to_owned(),
    }
}

fn launches_left(more: usize) -> String {
    format!("{} per side", counted(more, "more launch"))
}

fn common_reason(finding: &common::Finding, compared: &Subject<'_>) -> String {
    let [all, common, own, limit] = [
        finding.effect,
        finding.common,
        finding.effect - finding.common,
        finding.limit,
    ]
    .map(|distance| compared.effect(distance));
    let numbers = median_of(compared)
        .zip(current(compared))
        .map(|(median, now)| {
            let arrow =
                SentenceNumbers::new(compared, &[median.number, now]).arrow(median.number, now);
            format!(
                "{arrow} ({}); ",
                versus(&all, &format!("the median of {}", median.values))
            )
        });
    let confirmation = and_confirmation(compared, finding.screening, finding.effect);
    format!(
        "{}{} related benchmarks {common}, the rest {own} (limit {limit}){}{confirmation}",
        numbers.unwrap_or_default(),
        NEAREST,
        and_level(compared),
    )
}

fn common_bound(finding: &common::Finding, compared: &Subject<'_>) -> String {
    format!(
        "limit {} beyond related benchmarks",
        compared.effect(finding.limit)
    )
}

fn environment_reason(finding: &environment::Finding, compared: &Subject<'_>) -> String {
    let shift = shift(&finding.shift);
    match &finding.history {
        Some(finding) => format!("{shift}; this one: {}", from_median(compared, finding)),
        None => shift,
    }
}

/// The shift of the other benchmarks, as a sentence.
pub(crate) fn shift(shift: &Shift) -> String {
    format!(
        "environment shift: {} of {} are {}",
        whole(shift.moved()),
        counted(shift.rows, "benchmark"),
        typical(shift)
    )
}

/// The typical change, as in `20–30% slower at once`.
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
    let is_throughput = compared.metric.meaning.direction == Direction::Higher;
    let to = if is_throughput { "down" } else { "up" };
    let (normal, limit) = (numbers.bare(finding.normal), numbers.bare(finding.limit));
    let level = and_level(compared);
    match finding.screening {
        Screening::Improved => {
            let than = if is_throughput { "above" } else { "below" };
            let better = compared
                .band()
                .map(|band| value(compared.metric.meaning.direction, band.better));
            let better = better.map_or(String::new(), |better| {
                format!(" ({than} {})", numbers.bare(better))
            });
            format!("{from_median}; an improvement beyond run-to-run variation{better}{level}")
        }
        Screening::Normal => {
            format!("{from_median}; normal {to} to {normal}, limit {limit}{level}")
        }
        Screening::Suspect(runs) => {
            let confirmation = confirmation(compared, runs, finding.effect.ln_1p());
            format!("{from_median}; normal {to} to {normal}, limit {limit}{level}; {confirmation}")
        }
    }
}

fn history_bound(_: &history::Finding, compared: &Subject<'_>) -> String {
    match compared.judgement.power.limit {
        Some(limit) => format!("limit {}", compared.effect(limit.ln_1p())),
        None => power::gate_limit(compared),
    }
}

/// `; level 12.1 µs since 1a2b3c4, 10.3 µs before`, where the history has changed its level.
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

/// `12.10 → 16.00 ms (+32.2% vs. the median of 30)`.
fn from_median(compared: &Subject<'_>, finding: &history::Finding) -> String {
    let now = current(compared).unwrap_or(finding.median);
    let both = history_numbers(compared, finding).arrow(finding.median, now);
    let change = compared.effect(finding.effect.ln_1p());
    format!(
        "{both} ({})",
        versus(&change, &format!("the median of {}", finding.values))
    )
}

fn samples_reason(finding: &samples::Finding, compared: &Subject<'_>) -> String {
    let test = &finding.test;
    let launches = match test.launches {
        (base, now) if base == now => format!("{} per side", counted(now, "launch")),
        (base, now) => format!("{now} vs. {} in the baseline", counted(base, "launch")),
    };
    let effect = compared.effect(test.effect);
    let interval = interval(compared, test.interval);
    let why = match finding.screening {
        Screening::Suspect(runs) => confirmation(compared, runs, test.effect),
        Screening::Improved => "the whole interval is an improvement".to_owned(),
        Screening::Normal if test.rejected => "significant, but too small to be suspect".to_owned(),
        Screening::Normal => "not significant".to_owned(),
    };
    let effect = versus(&format!("{effect} {interval}"), "the baseline");
    format!("{launches}: {effect}, {}; {why}", p_value(test.p))
}

/// The iterations within single processes, as in `30 iterations in one process (±1.2% within a run)`.
pub(crate) fn iterations(compared: &Subject<'_>) -> Option<String> {
    let sides = compared.extra.as_ref()?.iterations.as_deref()?;
    // The current run, else the baseline.
    let side = sides.iter().rev().find(|side| side.count > 0)?;
    let processes = if side.launches == 1 {
        "one process".to_owned()
    } else {
        format!("{} processes", side.launches)
    };
    let meaning = if side.launches == 1 {
        ""
    } else {
        ": only the processes are compared"
    };
    let noise = side
        .noise
        .map(|noise| format!(" (±{} within a run)", percent(noise, 1)))
        .unwrap_or_default();
    Some(format!(
        "{} in {processes}{meaning}{noise}",
        counted(side.count, "iteration")
    ))
}

/// An interval of costs as one of the number, the smaller end first.
pub(crate) fn interval(compared: &Subject<'_>, (low, high): (f64, f64)) -> String {
    let mut ends = [low, high].map(|distance| compared.change_of(distance));
    ends.sort_unstable_by(f64::total_cmp);
    let is_multiple = ends[0] > 1.0;
    let [low, high] = ends.map(|change| {
        if is_multiple {
            format!("{}×", significant(1.0 + change, 3))
        } else {
            compared
                .percentage(change, 1)
                .trim_end_matches('%')
                .to_owned()
        }
    });
    format!("[{low}, {high}]")
}

fn p_value(p: f64) -> String {
    if p < 0.0001 {
        "p < 0.0001".to_owned()
    } else {
        format!("p = {}", significant(p, 2))
    }
}

fn tail_reason(finding: &Tail, compared: &Subject<'_>) -> String {
    format!(
        "{}; not gated: {}",
        change::vs_baseline(compared),
        shortage(finding)
    )
}

fn shortage(finding: &Tail) -> String {
    let Some(needed) = finding.needed else {
        return "the maximum is a single value".to_owned();
    };
    let number = |count: u64| thousands(&count.to_string());
    let digits = fixed(finding.quantile * 100.0, 4);
    let name = digits.trim_end_matches('0').trim_end_matches('.');
    let values = finding
        .values
        .map_or_else(|| "an unknown number of".to_owned(), number);
    format!("p{name} of {values} values (needs {})", number(needed))
}

fn ungated_reason(why: NotGated, compared: &Subject<'_>) -> String {
    let why = not_gated(why, compared.derived_from.as_deref());
    format!("{}; {why}", change::vs_baseline(compared))
}

/// The share from which one more is said to be the smallest step.
const LARGE_STEP: f64 = 0.01;

fn exact_reason(finding: &exact::Finding, compared: &Subject<'_>) -> String {
    let (Some(baseline), Some(current)) = (compared.baseline, compared.current) else {
        return change::vs_baseline(compared);
    };
    if finding.difference == Value::Int(0) {
        return change::NONE.to_owned();
    }
    let both = change::from_to(compared, baseline, current);
    let is_zero = baseline.as_f64() == 0.0;
    let fails = compared.judgement.verdict == Verdict::Regressed;
    let step = smallest_step(baseline, current)
        .filter(|_| fails)
        .unwrap_or_else(|| steps(finding.difference));
    let said = if is_zero {
        both
    } else {
        format!("{both}: {step}")
    };
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
        None if fails => format!("{said}; {}", power::any_fails(compared.direction())),
        None => said,
    }
}

/// `7 fewer`.
fn steps(difference: Value) -> String {
    let text = difference.to_string();
    let way = if difference.as_f64() > 0.0 {
        "more"
    } else {
        "fewer"
    };
    format!("{} {way}", thousands(text.trim_start_matches('-')))
}

/// The remark that one more or one fewer is a large share of a small count; `None` for other changes.
fn smallest_step(baseline: Value, current: Value) -> Option<String> {
    let (Value::Int(before @ 1..), Value::Int(now)) = (baseline, current) else {
        return None;
    };
    let share = 1.0 / Value::Int(before).as_f64();
    let way = if now > before { "more" } else { "fewer" };
    (before.abs_diff(now) == 1 && share >= LARGE_STEP).then(|| {
        format!(
            "1 {way} of {before} is the smallest possible step ({})",
            percent(share, 0)
        )
    })
}

fn count_reason(finding: &count::Finding, compared: &Subject<'_>) -> String {
    let (Some(baseline), Some(current)) = (compared.baseline, compared.current) else {
        return change::vs_baseline(compared);
    };
    let verdict = compared.judgement.verdict;
    let Some(growth) = finding.growth.filter(|_| compared.relative_to.is_none()) else {
        let both = change::from_to(compared, baseline, current);
        return match verdict {
            Verdict::Regressed => format!("{both}; {}", power::any_fails(compared.direction())),
            _ => change::vs_baseline(compared),
        };
    };
    let is_throughput = compared.metric.meaning.direction == Direction::Higher;
    let (growth_said, limit) = compared.signed_pair(
        growth,
        if is_throughput {
            -finding.limit
        } else {
            finding.limit
        },
    );
    let said = change::vs_baseline_as(compared, |_| growth_said.clone());
    let source = match finding.values {
        0 => String::new(),
        values => format!(" (from {})", counted(values, "earlier count")),
    };
    match verdict {
        Verdict::Regressed => {
            let step = smallest_step(baseline, current);
            let step = step.map_or(String::new(), |step| format!("; {step}"));
            format!("{said}; limit {limit}{source}{step}")
        }
        Verdict::Improved => format!("{said}; beyond the usual steps{source}"),
        _ if growth == 0.0 => said,
        _ => format!("{said}; within the limit of {limit}{source}"),
    }
}

fn limit_reason(finding: &limit::Finding, compared: &Subject<'_>) -> String {
    let limit = compared.change_of_limit(finding.limit);
    let (said, limit) = match compared.judgement.change.zip(limit) {
        Some((change, limit)) => {
            let (change, limit) = compared.signed_pair(change, limit);
            (
                change::vs_baseline_as(compared, |_| change.clone()),
                Some(limit),
            )
        }
        None => (
            change::vs_baseline(compared),
            limit.map(|limit| compared.signed(limit)),
        ),
    };
    if let (Some(runs), Some(effect)) = (finding.confirmation.as_deref(), finding.distance) {
        let limit = limit.map_or(String::new(), |limit| format!("; limit {limit}"));
        return format!("{said}{limit}; {}", confirmation(compared, *runs, effect));
    }
    match (compared.judgement.verdict, limit) {
        _ if finding.loss == 0.0 => said,
        // Pairs with zeros.
        (Verdict::Inconclusive, _) => format!("{said}, but the launches of both sides overlap"),
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
    let mut said = format!("{}; {history}", change::vs_baseline(compared));
    if let Some(runs) = finding.screening.suspicion() {
        let confirmation = confirmation(compared, runs, finding.effect.ln_1p());
        said = format!("{said}; {confirmation}");
    }
    if finding.may_be_luck {
        said.push_str("; that improvement may have been chance");
    }
    said
}

fn floor_reason(finding: &floor::Finding, compared: &Subject<'_>) -> String {
    let numbers = SentenceNumbers::new(compared, &[finding.difference, finding.floor]);
    format!(
        "{}; the difference of {} is below the minimum absolute change of {}",
        change::vs_baseline(compared),
        numbers.bare(finding.difference),
        numbers.full(finding.floor)
    )
}

fn mixture_reason(finding: &Mixture, compared: &Subject<'_>) -> String {
    let (base_far, base) = finding.base;
    let base = format!("{base_far} of {base} in the baseline");
    let median = change::vs_baseline(compared);
    format!(
        "{} ({base}), which the median hides: {median}",
        far_launches(finding, compared)
    )
}

/// `6 of 24 launches are 10× slower than the others`.
pub(crate) fn far_launches(found: &Mixture, compared: &Subject<'_>) -> String {
    let (far, all) = found.current;
    let effect = compared.effect(found.distance);
    if effect.contains('×') {
        format!("{far} of {all} launches are {effect} than the others")
    } else {
        format!("{far} of {all} launches differ by {effect} from the others")
    }
}

/// The change of level among this many costs.
pub(crate) fn level_change(compared: &Subject<'_>, change: &Break, values: usize) -> String {
    let direction = compared.direction();
    let [before, after] = [change.before, change.after].map(|cost| value(direction, cost));
    let way = if after > before { "rose" } else { "fell" };
    let by = percent(compared.change_of(change.after - change.before).abs(), 1);
    let ago = counted(values.saturating_sub(change.at), "baseline");
    let numbers = SentenceNumbers::new(compared, &[before, after]);
    format!(
        "level {way} by {by} {ago} ago ({})",
        numbers.arrow(before, after)
    )
}
