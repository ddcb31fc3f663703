//! The state of a series: the gate's verdict on its newest value, its normal range and limit, and its level changes.

use perf_model::metric::{Direction, Metric};
use perf_verdict::cost_scale::{cost, distance_of_limit, value};
use perf_verdict::statistics::breaks::{self, Break};
use perf_verdict::{MetricComparison, Rule, Verdict};

/// The gate's verdict on the newest value, in the report's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SeriesState {
    Regressed,
    /// The values do not suffice for a decision, for example without a confirmation run.
    Inconclusive,
    Improved,
    /// The change is within limits.
    Within,
    /// The metric would fail, but a waiver excuses it.
    Waived,
    /// The newest run was measured under different conditions from the previous run.
    Uncompared,
    /// The benchmark's newest run contains no value of the metric.
    Unmeasured,
    /// The metric is not gated, because its direction is unknown or no rule applies to it.
    Informational,
    /// The series has only one value.
    Single,
}

impl SeriesState {
    fn of(judged: Option<&MetricComparison>, values: usize) -> Self {
        let Some(judgement) = judged.map(|judged| &judged.judgement) else {
            return if values > 1 {
                Self::Informational
            } else {
                Self::Single
            };
        };
        match judgement.verdict {
            Verdict::Unmeasured => Self::Unmeasured,
            Verdict::NotComparable => Self::Uncompared,
            _ if judgement.waived.is_some() => Self::Waived,
            Verdict::Regressed => Self::Regressed,
            Verdict::Inconclusive => Self::Inconclusive,
            _ if !judgement.is_gated() => Self::Informational,
            Verdict::Improved => Self::Improved,
            Verdict::Moved | Verdict::Unchanged => Self::Within,
        }
    }

    /// The name in data and style sheets, and the words on the pages.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Regressed => ("regressed", "regressed"),
            Self::Inconclusive => ("inconclusive", "inconclusive"),
            Self::Improved => ("improved", "improved"),
            Self::Within => ("within", "within limits"),
            Self::Waived => ("waived", "waived"),
            Self::Uncompared => ("uncompared", "not comparable"),
            Self::Unmeasured => ("unmeasured", "no longer measured"),
            Self::Informational => ("informational", "not gated"),
            Self::Single => ("single", "one value"),
        }
    }

    pub(crate) fn words(self) -> &'static str {
        self.names().1
    }

    /// The name in data and style sheets.
    pub(crate) fn key(self) -> &'static str {
        self.names().0
    }

    /// Whether readers should notice the newest run, because it needs action or improved.
    pub(crate) fn is_news(self) -> bool {
        matches!(
            self,
            Self::Regressed | Self::Inconclusive | Self::Improved | Self::Unmeasured
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LevelChange {
    /// The index of the new level's first value.
    pub(crate) at: usize,
    /// The median of the old level.
    pub(crate) before: f64,
    /// The median of the new level.
    pub(crate) after: f64,
    /// True if the new level costs more.
    pub(crate) is_worse: bool,
}

impl LevelChange {
    /// The change as a share of the old level.
    pub(crate) fn share(&self) -> f64 {
        (self.after - self.before) / self.before
    }
}

/// The parts of a series' state that the pages show.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SeriesSummary {
    /// The verdict on the newest value.
    pub(crate) state: SeriesState,
    /// The reference for the newest value: the median of the history if the gate used one, otherwise the previous value.
    pub(crate) reference: Option<f64>,
    /// The newest value's change as a share of the reference.
    pub(crate) change: Option<f64>,
    /// The normal range, the better end first.
    pub(crate) normal: Option<(f64, f64)>,
    pub(crate) limit: Option<f64>,
    /// The index of the first value that the normal range and the limit are computed from.
    pub(crate) from: usize,
    /// The level changes, oldest first.
    pub(crate) changes: Vec<LevelChange>,
}

impl SeriesSummary {
    /// Summarises a series. `values` are sorted from old to new, and `judged` is the gate's verdict on the newest value.
    pub(crate) fn of(
        metric: &Metric,
        rule: Option<Rule>,
        values: &[f64],
        judged: Option<&MetricComparison>,
    ) -> Self {
        let direction = metric.meaning.direction;
        let (newest, earlier) = match values {
            [earlier @ .., newest] => (*newest, earlier),
            [] => (f64::NAN, values),
        };
        let rule = rule.unwrap_or(Rule::Report);
        let band = judged.and_then(|judged| judged.band);
        let reference = band
            .map(|band| value(direction, band.median))
            .or(earlier.last().copied());
        let limit = match (rule, &band) {
            (Rule::Limit(_), Some(band)) => Some(value(direction, band.limit)),
            _ => earlier
                .last()
                .and_then(|previous| fixed(direction, rule, *previous)),
        };
        let values_behind = band.as_ref().map_or(1, |band| band.values);
        Self {
            state: SeriesState::of(judged, values.len()),
            reference,
            change: reference
                .filter(|median| *median > 0.0)
                .map(|median| (newest - median) / median),
            normal: band.as_ref().map(|band| band.normal_range(direction)),
            limit,
            from: earlier.len().saturating_sub(values_behind),
            changes: changes(direction, values, judged),
        }
    }

    /// The last level change, if it is among the last `values` of `of` values.
    pub(crate) fn recent(&self, values: usize, of: usize) -> Option<&LevelChange> {
        self.changes
            .last()
            .filter(|change| change.at + values >= of)
    }
}

/// The limit that a rule sets relative to the previous value. `None` if the rule sets no such limit.
fn fixed(direction: Direction, rule: Rule, previous: f64) -> Option<f64> {
    match (rule, direction) {
        (_, Direction::Unknown) | (Rule::Equal | Rule::Budget | Rule::Report, _) => None,
        (Rule::Limit(limit), _) => Some(value(
            direction,
            cost(direction, previous)? + distance_of_limit(direction, limit)?,
        )),
        (Rule::Count(share), Direction::Lower) => Some(previous * (1.0 + share)),
        (Rule::Count(share), _) => Some(previous * (1.0 - share)),
        (Rule::Exact, _) => Some(previous),
    }
}

/// The level changes. If the direction is unknown, a larger number is treated as worse. If the gate's verdict contains a
/// level change, that change replaces the newest one here.
fn changes(
    direction: Direction,
    values: &[f64],
    judged: Option<&MetricComparison>,
) -> Vec<LevelChange> {
    let direction = if direction == Direction::Unknown {
        Direction::Lower
    } else {
        direction
    };
    let costs: Option<Vec<f64>> = values.iter().map(|value| cost(direction, *value)).collect();
    let found = breaks::changes(&costs.unwrap_or_default());
    let change = |change: Break| LevelChange {
        at: change.at,
        before: value(direction, change.before),
        after: value(direction, change.after),
        is_worse: change.after > change.before,
    };
    let mut all: Vec<LevelChange> = found.into_iter().map(change).collect();
    // Skip the levels of a metric that is gated relative to another benchmark, because they are quotients.
    let level = judged
        .filter(|judged| judged.reference.relative_to.is_none())
        .and_then(|judged| judged.level.as_ref());
    if let Some(level) = level {
        let at = values.len().saturating_sub(1 + level.values);
        let costs = [level.before, level.now].map(|level| cost(direction, level));
        all.retain(|change| change.at + breaks::SHORTEST_LEVEL <= at);
        all.push(LevelChange {
            at,
            before: level.before,
            after: level.now,
            is_worse: costs[1] > costs[0],
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::collect;
    use perf_config::Config;
    use perf_verdict::rules::history::Band;

    /// Summarises a metric with these values, one per commit.
    fn summary(config: &str, name: &str, values: &[f64]) -> SeriesSummary {
        let row = |(day, value): (usize, &f64)| {
            format!(
                "A,linux,a{day},2031-{:02}-{:02},{value}\n",
                1 + day / 28,
                1 + day % 28
            )
        };
        let header = format!("scenario,platform,commit,date,{name}\n");
        let csv: String = [header]
            .into_iter()
            .chain(values.iter().enumerate().map(row))
            .collect();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), csv).unwrap();
        let config = Config::parse(config).unwrap();
        let snapshots = perf_cli::load::history::snapshots(file.path(), &config).unwrap();
        let collected = collect(&snapshots, &config, &perf_model::suite::Filter::default());
        let series = &collected.series[0];
        SeriesSummary::of(&series.metric, series.rule, values, series.judged.as_ref())
    }

    fn noisy(level: f64, count: u32) -> impl Iterator<Item = f64> {
        (0..count).map(move |run| level * (1.0 + 0.002 * f64::from((run * 7) % 5)))
    }

    fn after(earlier: &[f64], newest: f64) -> Vec<f64> {
        earlier.iter().copied().chain([newest]).collect()
    }

    #[test]
    fn the_state_is_the_verdict_of_the_gate() {
        let earlier: Vec<f64> = noisy(100.0, 20).collect();
        let state = |newest: f64| summary("", "wallNs", &after(&earlier, newest)).state;
        assert_eq!(
            [80.0, 100.0, 115.0, 250.0].map(state),
            [
                SeriesState::Improved,
                SeriesState::Within,
                SeriesState::Inconclusive,
                SeriesState::Regressed
            ],
            "a small slowdown is unconfirmed, and a large one needs no confirmation"
        );
        let suspects = "[history]\nsuspects = \"fail\"\n";
        assert_eq!(
            summary(suspects, "wallNs", &after(&earlier, 115.0)).state,
            SeriesState::Regressed
        );
        let waived =
            "[[waivers]]\nscenario = \"A\"\nreason = \"r\"\nby = \"b\"\nuntil = 2099-01-01\n";
        assert_eq!(
            summary(waived, "wallNs", &after(&earlier, 250.0)).state,
            SeriesState::Waived
        );
    }

    #[test]
    fn range_and_limit_are_those_of_the_history() {
        let earlier: Vec<f64> = noisy(100.0, 20).collect();
        let seen = summary("", "wallNs", &after(&earlier, 130.0));
        let costs: Vec<f64> = earlier.iter().map(|value| value.ln()).collect();
        let band = Band::of(&costs, 30, 10).unwrap();
        assert!((seen.limit.unwrap() - band.limit.exp()).abs() < 1e-9);
        assert!(
            seen.normal.unwrap().0 < seen.reference.unwrap()
                && seen.limit.unwrap() > seen.normal.unwrap().1
        );
        assert!((seen.change.unwrap() - 0.295).abs() < 0.01, "{seen:?}");
        assert_eq!(seen.from, 0);
    }

    #[test]
    fn without_a_history_the_limit_is_that_of_the_previous_value() {
        let rate = summary("", "rowsPerSecond", &[100.0, 60.0]);
        assert_eq!(
            (rate.state, rate.normal, rate.reference),
            (SeriesState::Regressed, None, Some(100.0))
        );
        assert!((rate.limit.unwrap() - 67.0).abs() < 1e-9);
        let state = |name: &str, values: &[f64]| summary("", name, values).state;
        assert_eq!(
            state("rowsPerSecond", &[100.0, 160.0]),
            SeriesState::Improved
        );
        assert_eq!(state("allocs", &[3.0, 4.0]), SeriesState::Regressed);
        assert_eq!(state("allocs", &[3.0, 3.0]), SeriesState::Within);
        assert_eq!(state("allocs", &[3.0, 2.0]), SeriesState::Improved);
        assert_eq!(
            summary("gates = []", "wallNs", &[3.0, 9.0]).state,
            SeriesState::Informational
        );
        assert_eq!(state("wallNs", &[3.0]), SeriesState::Single);
        assert_eq!(state("something", &[3.0, 9.0]), SeriesState::Informational);
    }

    #[test]
    fn present_level_starts_at_the_verdict_commit() {
        let noise = |run: u32| f64::from((run * 7) % 5) * 0.035;
        let value = |run: u32| (1.0 + noise(run)) * if run < 6 { 100.0 } else { 115.0 };
        let values: Vec<f64> = (0..12).map(value).collect();
        let costs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
        assert!(
            breaks::changes(&costs).is_empty(),
            "the evidence is too weak without the gate"
        );
        let seen = summary("", "wallNs", &values);
        assert_eq!(
            seen.changes
                .iter()
                .map(|change| (change.at, change.is_worse))
                .collect::<Vec<_>>(),
            [(6, true)]
        );
        assert!(seen.limit.is_some_and(|limit| limit > 115.0));
    }

    #[test]
    fn changes_of_level_have_their_direction() {
        let values: Vec<f64> = noisy(100.0, 15).chain(noisy(80.0, 15)).collect();
        let changed = |name: &str| {
            let seen = summary("", name, &values);
            (
                seen.changes.len(),
                seen.changes[0].at,
                seen.changes[0].is_worse,
                seen.recent(20, 30).is_some(),
            )
        };
        assert_eq!(changed("wallNs"), (1, 15, false, true));
        assert_eq!(changed("rowsPerSecond"), (1, 15, true, true));
        assert_eq!(changed("something"), (1, 15, false, true));
        assert!(summary("", "wallNs", &values).recent(10, 30).is_none());
    }
}
