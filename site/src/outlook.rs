//! What a series shows: its normal range and limit, where its newest value lies, and where its level changed.

use perf_config::HistoryPolicy;
use perf_model::metric::{Direction, Metric};
use perf_stats::order::{median, sorted};
use perf_verdict::Rule;
use perf_verdict::oriented::{cost, distance_of_drop, value};
use perf_verdict::rules::history::Band;
use perf_verdict::rules::trend;

/// Where the newest value lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Worse than the limit.
    Beyond,
    /// Better than run-to-run variation explains.
    Better,
    /// Within the limits.
    Within,
    /// Nothing says which way is better, or no rule applies.
    Informational,
    /// There is no earlier value.
    Single,
}

impl State {
    /// The state in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Beyond => "beyond limit",
            Self::Better => "improved",
            Self::Within => "within limits",
            Self::Informational => "not gated",
            Self::Single => "one value",
        }
    }

    /// Its name in data and style sheets.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Beyond => "beyond",
            Self::Better => "better",
            Self::Within => "within",
            Self::Informational => "informational",
            Self::Single => "single",
        }
    }
}

/// A change of level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Change {
    /// The index of the first value of the new level.
    pub(crate) at: usize,
    /// The median before.
    pub(crate) before: f64,
    /// The median after.
    pub(crate) after: f64,
    /// Whether the new level costs more.
    pub(crate) is_worse: bool,
}

impl Change {
    /// The raw change.
    pub(crate) fn share(&self) -> f64 {
        (self.after - self.before) / self.before
    }
}

/// What a series shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outlook {
    /// Where the newest value lies.
    pub(crate) state: State,
    /// The median of the earlier values that the newest one is compared with.
    pub(crate) reference: Option<f64>,
    /// The raw change of the newest value from it.
    pub(crate) change: Option<f64>,
    /// The normal range, its better end first.
    pub(crate) normal: Option<(f64, f64)>,
    /// The limit.
    pub(crate) limit: Option<f64>,
    /// The index of the first value that both are computed from.
    pub(crate) from: usize,
    /// The changes of level, oldest first.
    pub(crate) changes: Vec<Change>,
}

impl Outlook {
    /// That of a series, oldest value first.
    pub(crate) fn of(metric: &Metric, rule: Option<Rule>, values: &[f64], policy: &HistoryPolicy) -> Self {
        let direction = metric.meaning.direction;
        let (newest, earlier) = match values {
            [earlier @ .., newest] => (*newest, earlier),
            [] => (f64::NAN, values),
        };
        let from = earlier.len().saturating_sub(policy.last);
        let reference = median(&sorted(&earlier[from..]));
        let rule = rule.unwrap_or(Rule::Report);
        let band = band(metric, rule, earlier, policy);
        let limit = match (rule, &band) {
            (Rule::Threshold(_), Some(band)) => Some(value(direction, band.limit)),
            _ => earlier.last().and_then(|previous| fixed(direction, rule, *previous)),
        };
        Self {
            state: state(direction, newest, earlier, limit, band.as_ref()),
            reference,
            change: reference.filter(|median| *median > 0.0).map(|median| (newest - median) / median),
            normal: band.as_ref().map(|band| normal(direction, band)),
            limit,
            from: if band.is_some() { from } else { earlier.len().saturating_sub(1) },
            changes: changes(direction, values),
        }
    }

    /// The last change of level among the last `values` of `of`.
    pub(crate) fn recent(&self, values: usize, of: usize) -> Option<&Change> {
        self.changes.last().filter(|change| change.at + values >= of)
    }
}

/// The normal range of what is timed.
fn band(metric: &Metric, rule: Rule, earlier: &[f64], policy: &HistoryPolicy) -> Option<Band> {
    let is_timed = !metric.meaning.exact && matches!(rule, Rule::Threshold(_) | Rule::Report | Rule::Budget);
    let costs: Vec<f64> = earlier.iter().filter_map(|value| cost(metric.meaning.direction, *value)).collect();
    is_timed.then(|| Band::of(&costs, policy.last, policy.least)).flatten()
}

/// The ends of the normal range, the better one as far from where improvements begin as the other from the limit.
fn normal(direction: Direction, band: &Band) -> (f64, f64) {
    let best = band.better + (band.limit - band.normal);
    (value(direction, best), value(direction, band.normal))
}

/// The limit of a rule for one earlier value.
fn fixed(direction: Direction, rule: Rule, previous: f64) -> Option<f64> {
    match (rule, direction) {
        (_, Direction::Unknown) | (Rule::Equal | Rule::Budget | Rule::Report, _) => None,
        (Rule::Threshold(drop), _) => {
            Some(value(direction, cost(direction, previous)? + distance_of_drop(drop)?))
        }
        (Rule::Count(share), Direction::Lower) => Some(previous * (1.0 + share)),
        (Rule::Count(share), _) => Some(previous * (1.0 - share)),
        (Rule::Exact, _) => Some(previous),
    }
}

fn state(
    direction: Direction,
    newest: f64,
    earlier: &[f64],
    limit: Option<f64>,
    band: Option<&Band>,
) -> State {
    let (Some(previous), false) = (earlier.last(), direction == Direction::Unknown) else {
        return if earlier.is_empty() { State::Single } else { State::Informational };
    };
    let is_worse = |than: f64| if direction == Direction::Higher { newest < than } else { newest > than };
    let Some(limit) = limit else { return State::Informational };
    let is_better = match band {
        Some(band) => cost(direction, newest).is_some_and(|cost| cost < band.better),
        // As far as the limit, in the other direction.
        None if direction == Direction::Higher => newest * limit > previous * previous && newest > *previous,
        None => newest * limit < previous * previous && newest < *previous,
    };
    match () {
        () if is_worse(limit) => State::Beyond,
        () if is_better => State::Better,
        () => State::Within,
    }
}

/// The changes of level; where nobody knows which way is better, a larger number counts as worse.
fn changes(direction: Direction, values: &[f64]) -> Vec<Change> {
    let direction = if direction == Direction::Unknown { Direction::Lower } else { direction };
    let costs: Option<Vec<f64>> = values.iter().map(|value| cost(direction, *value)).collect();
    let found = trend::changes(&costs.unwrap_or_default());
    let change = |change: perf_stats::breaks::Break| Change {
        at: change.at,
        before: value(direction, change.before),
        after: value(direction, change.after),
        is_worse: change.after > change.before,
    };
    found.into_iter().map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outlook(name: &str, rule: Rule, values: &[f64]) -> Outlook {
        let config = perf_config::Config::default();
        Outlook::of(&perf_model::metric::metric(name), Some(rule), values, &config.history)
    }

    fn noisy(level: f64, count: u32) -> impl Iterator<Item = f64> {
        (0..count).map(move |run| level * (1.0 + 0.002 * f64::from((run * 7) % 5)))
    }

    #[test]
    fn a_history_has_a_normal_range_and_its_limit_is_that_of_the_gate() {
        let earlier: Vec<f64> = noisy(100.0, 20).collect();
        let with = |newest: f64| {
            let values: Vec<f64> = earlier.iter().copied().chain([newest]).collect();
            outlook("wallNs", Rule::Threshold(0.33), &values)
        };
        assert_eq!(
            [80.0, 100.0, 130.0].map(|newest| with(newest).state),
            [State::Better, State::Within, State::Beyond]
        );
        let seen = with(130.0);
        let costs: Vec<f64> = earlier.iter().map(|value| value.ln()).collect();
        let band = Band::of(&costs, 30, 10).unwrap();
        assert_eq!(seen.limit, Some(band.limit.exp()));
        assert!(
            seen.normal.unwrap().0 < seen.reference.unwrap() && seen.limit.unwrap() > seen.normal.unwrap().1
        );
        assert!((seen.change.unwrap() - 0.295).abs() < 0.01, "{seen:?}");
    }

    #[test]
    fn without_a_history_the_limit_is_that_of_the_previous_value() {
        let rate = outlook("rowsPerSecond", Rule::Threshold(0.33), &[100.0, 60.0]);
        assert_eq!((rate.state, rate.normal), (State::Beyond, None));
        assert!((rate.limit.unwrap() - 67.0).abs() < 1e-9);
        assert_eq!(outlook("rowsPerSecond", Rule::Threshold(0.33), &[100.0, 160.0]).state, State::Better);
        assert_eq!(outlook("allocs", Rule::Exact, &[3.0, 4.0]).state, State::Beyond);
        assert_eq!(outlook("allocs", Rule::Exact, &[3.0, 3.0]).state, State::Within);
        assert_eq!(outlook("allocs", Rule::Exact, &[3.0, 2.0]).state, State::Better);
        assert_eq!(outlook("wallNs", Rule::Report, &[3.0, 9.0]).state, State::Informational);
        assert_eq!(outlook("wallNs", Rule::Threshold(0.33), &[3.0]).state, State::Single);
        assert_eq!(outlook("something", Rule::Threshold(0.33), &[3.0, 9.0]).state, State::Informational);
    }

    #[test]
    fn changes_of_level_have_their_direction() {
        let values: Vec<f64> = noisy(100.0, 15).chain(noisy(80.0, 15)).collect();
        let changed = |name: &str| {
            let seen = outlook(name, Rule::Threshold(0.33), &values);
            (seen.changes.len(), seen.changes[0].at, seen.changes[0].is_worse, seen.recent(20, 30).is_some())
        };
        assert_eq!(changed("wallNs"), (1, 15, false, true));
        assert_eq!(changed("rowsPerSecond"), (1, 15, true, true));
        assert_eq!(changed("something"), (1, 15, false, true));
        assert!(outlook("wallNs", Rule::Threshold(0.33), &values).recent(10, 30).is_none());
    }
}
