//! A series as the pages show it.

use perf_config::{Config, Plus};
use perf_model::metric::{Direction, Unit};
use perf_model::parallel;
use perf_model::suite::{Definitions, Family};
use perf_report::names::SharedEnds;
use perf_report::reasons::sentence;
use perf_report::report::figures;
use perf_report::svg::{HistoryLine, shown};
use perf_report::units::{self, Units};
use perf_verdict::MetricComparison;
use sha2::{Digest, Sha256};

use crate::collect::{Collected, MetricSeries};
use crate::summary::{LevelChange, SeriesState, SeriesSummary};

/// A level change is recent if its first value is among this many newest values.
pub(crate) const RECENT: usize = 30;

/// The minimum relative change of the newest value that pages show even if it is within limits.
const NOTICED: f64 = 0.1;

/// A series and the texts that the pages show for it. The texts are not escaped for HTML yet, but contain no invisible
/// characters.
pub(crate) struct SeriesEntry<'s> {
    pub(crate) series: &'s MetricSeries,
    /// A hash of scope, machine type, benchmark and metric. It stays the same when the site is written again, so links
    /// remain valid.
    pub(crate) id: String,
    /// The benchmark's display name.
    pub(crate) name: String,
    /// The name without the beginning and the end that all names share.
    pub(crate) short: String,
    pub(crate) metric: String,
    pub(crate) values: Vec<f64>,
    /// The units in which pages show the values.
    pub(crate) units: Units,
    /// The verdict, the normal range and the level changes.
    pub(crate) summary: SeriesSummary,
    /// The reason for the verdict on the newest value, without a full stop. Empty without a verdict.
    pub(crate) why: String,
    /// Reference, newest value and change, formatted as in the report. `None` if the reference or the newest value is
    /// missing.
    figures: Option<[String; 3]>,
    plus: Plus,
}

impl<'s> SeriesEntry<'s> {
    /// Creates the entries of all collected series, in the same order.
    pub(crate) fn all(collected: &'s Collected, config: &Config) -> Vec<Self> {
        let mut all = parallel::map(&collected.series, |series| {
            let place = (
                &*collected.scopes[series.scope],
                &*collected.machines[series.machine],
            );
            Self::of(series, place, config)
        });
        let [begin, end] = [shared_ends(&all).begin, shared_ends(&all).end].map(str::len);
        let mark = if end > 0 { "…" } else { "" };
        for entry in &mut all {
            entry.short = entry.name[begin..entry.name.len() - end].to_owned() + mark;
        }
        all
    }

    fn of(series: &'s MetricSeries, (scope, machine): (&str, &str), config: &Config) -> Self {
        let values: Vec<f64> = series.values.iter().map(|value| value.as_f64()).collect();
        let metric = &series.metric;
        Self {
            id: id(&[scope, machine, &series.scenario, &metric.name]),
            name: name(&series.scenario, config),
            short: String::new(),
            metric: shown(&metric.label),
            units: Units::of(metric, &series.values),
            summary: SeriesSummary::of(metric, series.rule, &values, series.judged.as_ref()),
            why: series
                .judged
                .as_ref()
                .map(|judged| why(judged, config))
                .unwrap_or_default(),
            figures: series
                .judged
                .as_ref()
                .filter(|judged| has_both(judged))
                .map(|judged| figures(judged, config)),
            plus: config.deltas.plus,
            values,
            series,
        }
    }

    pub(crate) fn newest(&self) -> String {
        let text = || {
            self.values
                .last()
                .map(|value| self.units.text(*value))
                .unwrap_or_default()
        };
        self.figures
            .as_ref()
            .map_or_else(text, |[_, newest, _]| newest.clone())
    }

    /// The reference that the newest value is compared with, as text. Empty if the verdict has no reference.
    pub(crate) fn reference(&self) -> &str {
        self.figures
            .as_ref()
            .map_or("", |[reference, ..]| reference)
    }

    /// The newest value's change from the reference, as text. Empty without a reference.
    pub(crate) fn newest_change(&self) -> &str {
        self.figures.as_ref().map_or("", |[.., change]| change)
    }

    /// Formats a relative change, such as −0.42, as text.
    pub(crate) fn change(&self, share: f64) -> String {
        units::change(&self.series.metric, self.plus, share)
    }

    /// The word for a worse or better number: slower, faster, more, less.
    pub(crate) fn word(&self, is_worse: bool) -> &'static str {
        let meaning = &self.series.metric.meaning;
        let is_speed = meaning.unit.seconds().is_some() || meaning.unit == Unit::PerSecond;
        match (is_speed, is_worse, meaning.direction) {
            (true, true, _) => "slower",
            (true, false, _) => "faster",
            (false, true, Direction::Lower | Direction::Unknown)
            | (false, false, Direction::Higher) => "more",
            _ => "less",
        }
    }

    /// The CSS class and the words for the verdict on the newest value. If the gate passes, they instead show the recent
    /// level change. Without a level change, they show a step of at least [`NOTICED`] to the newest value.
    pub(crate) fn verdict(&self) -> (&'static str, String) {
        let (state, newest) = (self.summary.state, self.summary.change.unwrap_or_default());
        let passes = matches!(state, SeriesState::Within | SeriesState::Informational);
        let level = self
            .recent()
            .map(|change| ("level", change.share(), change.is_worse));
        let is_worse =
            (newest > 0.0) == (self.series.metric.meaning.direction != Direction::Higher);
        let step = Some(("step", newest, is_worse)).filter(|_| newest.abs() >= NOTICED);
        match level.or(step).filter(|_| passes) {
            Some((what, share, is_worse)) => (
                self.class(is_worse),
                format!("{what} {}", self.change(share)),
            ),
            None => (state.key(), self.state().to_owned()),
        }
    }

    /// The verdict on the newest value in words. An improvement is called `faster`, `less` or `more`.
    pub(crate) fn state(&self) -> &'static str {
        match (self.summary.state, self.series.metric.meaning.direction) {
            (SeriesState::Improved, Direction::Lower | Direction::Higher) => self.word(false),
            (state, _) => state.words(),
        }
    }

    /// The CSS class for a worse or better number.
    pub(crate) fn class(&self, is_worse: bool) -> &'static str {
        match (self.series.metric.meaning.direction, is_worse) {
            (Direction::Unknown, _) => SeriesState::Informational.key(),
            (_, true) => SeriesState::Regressed.key(),
            (_, false) => SeriesState::Improved.key(),
        }
    }

    /// A level change in words: `9.88 M/s → 5.73 M/s, −42%, slower`.
    pub(crate) fn level(&self, change: &LevelChange) -> String {
        let [before, after] = [change.before, change.after].map(|level| self.units.text(level));
        let (word, share) = (self.word(change.is_worse), self.change(change.share()));
        let share = if share.ends_with(word) {
            share
        } else {
            format!("{share}, {word}")
        };
        format!("{before} → {after}, {share}")
    }

    /// The last level change, if it is recent.
    pub(crate) fn recent(&self) -> Option<&LevelChange> {
        self.summary.recent(RECENT, self.values.len())
    }

    /// The index of the newest value's run.
    pub(crate) fn last_run(&self) -> usize {
        self.series.runs.last().copied().unwrap_or_default()
    }

    /// The index of the run with the recent change: the newest run if its verdict is news, otherwise the run of the
    /// recent level change.
    pub(crate) fn changed_in(&self) -> Option<usize> {
        if self.summary.state.is_news() {
            return self.series.runs.last().copied();
        }
        self.series.runs.get(self.recent()?.at).copied()
    }

    /// The newest value's increase in cost as a natural logarithm, for sorting. Negative if the cost decreased, and 0
    /// if the metric's direction is unknown.
    pub(crate) fn loss(&self) -> f64 {
        let growth = self
            .summary
            .change
            .map_or(0.0, |change| change.max(-0.999).ln_1p());
        match self.series.metric.meaning.direction {
            Direction::Lower => growth,
            Direction::Higher => -growth,
            Direction::Unknown => 0.0,
        }
    }

    /// An SVG chart of the last `most` values.
    pub(crate) fn line(&self, most: usize, width: u32, height: u32) -> String {
        let skipped = self.values.len().saturating_sub(most);
        let changes = self
            .summary
            .changes
            .iter()
            .filter_map(|change| change.at.checked_sub(skipped));
        let line = HistoryLine {
            title: &format!(
                "{}, {}: newest {}, {}",
                self.name,
                self.metric,
                self.newest(),
                self.verdict().1
            ),
            values: &self.values[skipped..],
            normal: self.summary.normal,
            limit: self.summary.limit,
            from: self.summary.from.saturating_sub(skipped),
            changes: &changes.collect::<Vec<_>>(),
        };
        line.to_svg(width, height)
    }
}

/// The beginning and the end that all names share.
pub(crate) fn shared_ends<'n>(entries: &'n [SeriesEntry<'_>]) -> SharedEnds<'n> {
    SharedEnds::of(
        &entries
            .iter()
            .map(|entry| entry.name.as_str())
            .collect::<Vec<_>>(),
    )
}

fn why(judged: &MetricComparison, config: &Config) -> String {
    shown(&sentence(judged, config))
}

fn has_both(judged: &MetricComparison) -> bool {
    judged.baseline.is_some() && judged.current.is_some()
}

/// The benchmark's display name. If the benchmark compares libraries, the name includes the library.
fn name(scenario: &str, config: &Config) -> String {
    let label = shown(config.label(scenario));
    match (config.family(scenario), &config.comparison) {
        (Family::Comparison { technology, .. }, Some(comparison)) => {
            let library = comparison
                .technologies
                .get(technology)
                .map_or(technology, String::as_str);
            format!("{label} ({})", shown(library))
        }
        _ => label,
    }
}

/// A short hash of these parts.
pub(crate) fn id(parts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(part.len().to_le_bytes());
        digest.update(part);
    }
    let mut hash = format!("{:x}", digest.finalize());
    hash.truncate(12);
    hash
}
