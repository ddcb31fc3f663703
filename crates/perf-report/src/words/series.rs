//! What a history says: the band, the machine that moved everything, the best level.

use perf_model::metric::Direction;
use perf_stats::breaks::Break;
use perf_verdict::compare::MetricComparison;
use perf_verdict::oriented::{cost, value};
use perf_verdict::rules::guard::Shift;
use perf_verdict::rules::ratchet;
use perf_verdict::verdict::{Found, HistoryFinding};
use perf_verdict::{Rule, Verdict};

use super::numbers::{Numbers, change_of, change_of_drop, counted, signed, signed_pair};
use super::percent;
use crate::series::current;

/// `12.10 → 16.00 ms (+32.2 % against the median of 30); normal is up to 13.40, the limit is 14.20; confirmed …`.
pub(super) fn history(compared: &MetricComparison, found: &HistoryFinding) -> String {
    let numbers = numbers(compared, found);
    let against = against_median(compared, found, &numbers);
    let direction = compared.metric.meaning.direction;
    let to = if direction == Direction::Higher { "down" } else { "up" };
    let (normal, limit) = (numbers.bare(found.normal), numbers.bare(found.limit));
    match found.finding {
        Found::Better => match compared.band() {
            Some(band) => {
                let better = numbers.bare(value(direction, band.better));
                let than = if direction == Direction::Higher { "above" } else { "below" };
                format!("{against}; {than} {better} is better than noise can make it")
            }
            None => format!("{against}; better than noise can make it"),
        },
        Found::Normal => format!("{against}; normal is {to} to {normal}, the limit is {limit}"),
        suspect @ Found::Suspect { .. } => {
            let suspicion = suspicion(compared, suspect, found.effect.ln_1p());
            format!("{against}; normal is {to} to {normal}, the limit is {limit}; {suspicion}")
        }
    }
}

fn numbers(compared: &MetricComparison, found: &HistoryFinding) -> Numbers {
    let now = current(compared).unwrap_or(found.median);
    Numbers::new(compared, &[found.median, now, found.normal, found.limit])
}

fn against_median(compared: &MetricComparison, found: &HistoryFinding, numbers: &Numbers) -> String {
    let now = current(compared).unwrap_or(found.median);
    let both = numbers.arrow(found.median, now);
    let change = change_of(compared.metric.meaning.direction, found.effect.ln_1p());
    format!("{both} ({} against the median of {})", signed(change), found.values)
}

/// What further runs say of a suspect.
pub(super) fn suspicion(compared: &MetricComparison, found: Found, effect: f64) -> String {
    let Found::Suspect { confirmed, repeats, needed } = found else { return String::new() };
    let verdict = compared.judgement.verdict;
    if found.is_refuted() {
        let well = repeats - confirmed;
        let were = if well == 1 { "was" } else { "were" };
        return format!("not confirmed: {well} of {} {were} within the limit", counted(repeats, "repeat"));
    }
    if let (Verdict::Moved, Rule::Threshold(limit)) = (verdict, compared.judgement.rule) {
        return allowed(compared, limit, effect);
    }
    if found.is_confirmed() {
        return format!("confirmed in {confirmed} of {repeats} repeats");
    }
    if verdict == Verdict::Regressed {
        return "suspect, and not confirmed, but suspects fail here".to_owned();
    }
    let more = match needed.saturating_sub(repeats) {
        0 | 1 => "once more".to_owned(),
        2 => "twice more".to_owned(),
        more => format!("{more} times more"),
    };
    let so_far = match repeats {
        0 => "suspect, and not confirmed".to_owned(),
        _ => format!("confirmed in {confirmed} of {repeats} repeats, and it takes {needed}"),
    };
    format!("{so_far}: run it {more} and give the result with --confirm")
}

/// That the limit which somebody chose is wider than what the data suspect.
pub(super) fn allowed(compared: &MetricComparison, limit: f64, effect: f64) -> String {
    let direction = compared.metric.meaning.direction;
    match change_of_drop(direction, limit) {
        Some(limit) => {
            let (_, limit) = signed_pair(change_of(direction, effect), limit);
            format!("the chosen limit of {limit} allows it")
        }
        None => "the chosen limit allows anything".to_owned(),
    }
}

/// That the machine moved everything, and what this metric did.
pub(super) fn shifted(compared: &MetricComparison, shift: &Shift, found: Option<&HistoryFinding>) -> String {
    let Some(found) = found else { return everything(shift) };
    let numbers = numbers(compared, found);
    format!("{}; here {}", everything(shift), against_median(compared, found, &numbers))
}

/// `everything moved: 93 % of 41 rows are slower at once (1.9 × their noise), so this is the machine`.
pub(crate) fn everything(shift: &Shift) -> String {
    let way = if shift.distance > 0.0 { "slower" } else { "faster" };
    format!(
        "everything moved: {} of {} are {way} at once ({} × their noise), so this is the machine",
        percent(shift.share, 0),
        counted(shift.rows, "row"),
        crate::number::significant(shift.distance.abs(), 2)
    )
}

/// What many small steps lost.
pub(super) fn ratchet(compared: &MetricComparison, found: &ratchet::Finding) -> String {
    let direction = compared.metric.meaning.direction;
    let lost = change_of(direction, found.level - found.best).abs();
    let allowed = change_of(direction, found.limit).abs();
    let (lost, allowed) = signed_pair(lost, allowed);
    let [level, best] = [found.level, found.best].map(|cost| value(direction, cost));
    let numbers = Numbers::new(compared, &[level, best]);
    let ago = match found.ago {
        0 => String::new(),
        ago => format!(" of {} ago", counted(ago, "baseline")),
    };
    let now = current(compared).and_then(|now| cost(direction, now));
    let lately = if now == Some(found.level) { "" } else { "the last five are at " };
    format!(
        "{lately}{}, {} worse than the best sustained level, {}{ago}; up to {} may be lost",
        numbers.full(level),
        lost.trim_start_matches('+'),
        numbers.full(best),
        allowed.trim_start_matches('+')
    )
}

/// `the level rose by 4 % 12 baselines ago (12.10 → 12.58 ms)`; the break is one of so many costs.
pub(crate) fn level_change(compared: &MetricComparison, change: &Break, values: usize) -> String {
    let direction = compared.metric.meaning.direction;
    let [before, after] = [change.before, change.after].map(|cost| value(direction, cost));
    let way = if after > before { "rose" } else { "fell" };
    let by = signed(change_of(direction, change.after - change.before));
    let by = by.trim_start_matches(['+', '-']);
    let ago = counted(values.saturating_sub(change.at), "baseline");
    let numbers = Numbers::new(compared, &[before, after]);
    format!("the level {way} by {by} {ago} ago ({})", numbers.arrow(before, after))
}
