//! What several launches say: of two runs, or side by side; and how many values the far end takes.

use perf_model::metric::Direction;
use perf_verdict::compare::MetricComparison;
use perf_verdict::rules::pairs;
use perf_verdict::verdict::{Found, SamplesFinding};
use perf_verdict::{Rule, Verdict};

use super::numbers::{change_of, counted, signed};
use super::series::{allowed, suspicion};
use crate::number::{fixed, significant, thousands};

/// `8 launches a side; +12.3 % [+9.8, +14.9] against the baseline's, p = 0.0002; …`.
pub(super) fn samples(compared: &MetricComparison, found: &SamplesFinding) -> String {
    let test = &found.test;
    let (base, now) = test.launches;
    let launches = if base == now {
        format!("{} a side", counted(now, "launch").replace("launchs", "launches"))
    } else {
        format!("{now} launches against {base}")
    };
    let direction = compared.metric.meaning.direction;
    let (low, high) = ordered(direction, test.interval);
    let effect = signed(change_of(direction, test.effect));
    let interval = format!("[{}, {}]", without_unit(low), without_unit(high));
    let said = format!("{launches}; {effect} {interval} against the baseline's, p = {}", probability(test.p));
    let why = match found.finding {
        suspect @ Found::Suspect { .. } => suspicion(compared, suspect, test.effect),
        Found::Better => "all of it is an improvement".to_owned(),
        Found::Normal if test.rejected => "slower, but not by as much as is suspect".to_owned(),
        Found::Normal => "which may be chance".to_owned(),
    };
    format!("{said}; {why}")
}

/// An interval of costs as one of the number, the smaller end first.
fn ordered(direction: Direction, (low, high): (f64, f64)) -> (f64, f64) {
    let [low, high] = [low, high].map(|distance| change_of(direction, distance));
    if low <= high { (low, high) } else { (high, low) }
}

fn without_unit(change: f64) -> String {
    signed(change).trim_end_matches(" %").to_owned()
}

/// A probability, to two digits.
fn probability(p: f64) -> String {
    if p < 0.0001 { "less than 0.0001".to_owned() } else { significant(p, 2) }
}

/// `slower by more than 2 % in 38 of 40 pairs (needs 32); median +7.4 % against the base`.
pub(super) fn pairs(compared: &MetricComparison, found: &pairs::Finding) -> String {
    let direction = compared.metric.meaning.direction;
    let of = |distance: f64| signed(change_of(direction, distance));
    let needs = found.needed.map_or(String::new(), |needed| format!(" (needs {needed})"));
    let count = |way: &str| {
        let pairs = counted(found.pairs, "pair");
        format!("{way} by more than 2 % in {} of {pairs}{needs}", found.slower)
    };
    let best = match found.launches {
        1 => String::new(),
        launches => format!(" (of {launches} launches a side, the better half counts)"),
    };
    let median = format!("median {} against the base{best}", of(found.median));
    let bound = found.upper.map_or(String::new(), |upper| format!("; at worst {} (95 % sure)", of(upper)));
    let next = match (found.needed, found.until_next) {
        (None, Some(more)) => format!("; too few, {more} more make the first look"),
        (_, Some(more)) => format!("; {more} more make the next look"),
        (_, None) => "; there is no further look".to_owned(),
    };
    match found.outcome {
        pairs::Outcome::Slower => match (compared.judgement.verdict, compared.judgement.rule) {
            (Verdict::Moved, Rule::Threshold(limit)) => {
                format!("{}; {median}; {}", count("slower"), allowed(compared, limit, found.median))
            }
            _ => format!("{}; {median}", count("slower")),
        },
        pairs::Outcome::Faster => format!("{}; {median}", count("faster")),
        pairs::Outcome::Same => format!("{}; {median}{bound}", count("slower")),
        pairs::Outcome::Open => format!("{}; {median}{bound}{next}", count("slower")),
    }
}

/// `p99 of 800 values; it takes 3,000`.
pub(super) fn tail(quantile: f64, values: Option<u64>, needed: Option<u64>) -> String {
    let Some(needed) = needed else {
        return "the maximum is one value, and gates nothing".to_owned();
    };
    let number = |count: u64| thousands(&count.to_string());
    let digits = fixed(quantile * 100.0, 4);
    let name = digits.trim_end_matches('0').trim_end_matches('.');
    match values {
        Some(values) => format!("p{name} of {} values; it takes {}", number(values), number(needed)),
        None => {
            format!("p{name} of an unknown number of values; it takes {}", number(needed))
        }
    }
}
