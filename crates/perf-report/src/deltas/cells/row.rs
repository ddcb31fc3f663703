//! A row: one metric of one benchmark, in plain text.

use std::sync::Arc;

use perf_model::metric::Metric;
use perf_model::row::{Outcome, Value};
use perf_verdict::{Reason, Rule};

use super::state::{RowState, loss};
use crate::deltas::context::{BenchmarkName, FoundMetric, ReportContext};
use crate::plot::spark;
use crate::rules::interval as interval_of;
use crate::series::{self, Median};
use crate::words::{MINUS, NO_BREAK, SentenceNumbers, Subject};

/// A cell without a number.
const NOTHING: &str = "";

/// No significant change.
pub(crate) const SAME: &str = "~";

#[derive(Clone, Debug)]
pub(crate) struct DeltaRow {
    pub(crate) state: RowState,
    /// The state at a terminal.
    pub(crate) word: &'static str,
    pub(crate) place: BenchmarkName,
    pub(crate) metric: String,
    pub(crate) figures: Figures,
    pub(crate) trend: String,
    /// The growth of the cost, as a distance; 0 where it has none.
    pub(crate) loss: f64,
}

/// The numbers of a row: what the change is measured from, to where, and the change.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) change: String,
    /// The number of earlier values whose median `from` is.
    pub(crate) median_of: Option<usize>,
    /// True if `to` is a word and not a number.
    pub(crate) is_absent: bool,
}

impl DeltaRow {
    pub(crate) fn new(
        context: &ReportContext<'_>,
        found: FoundMetric<'_>,
        state: RowState,
    ) -> Self {
        let subject = context.subject(found.metric);
        let metric = match &found.metric.relative_to {
            Some(reference) => format!(
                "{} / {}",
                found.metric.metric.label,
                context.config.label(reference)
            ),
            None => found.metric.metric.label.clone(),
        };
        Self {
            state,
            word: state.word(context.improved),
            place: context.place_of(&found),
            metric,
            figures: Figures::of(&subject),
            trend: spark(&series::numbers(found.metric)),
            loss: loss(found.metric).unwrap_or_default(),
        }
    }

    /// A benchmark of the baseline that was not measured.
    pub(crate) fn missing(place: BenchmarkName, seen: Option<&(Arc<Metric>, Value)>) -> Self {
        let from = seen.map_or_else(String::new, |(metric, value)| {
            SentenceNumbers::of(metric, &[*value]).value(*value)
        });
        let metric = seen.map_or_else(String::new, |(metric, _)| metric.label.clone());
        let figures = Figures {
            from,
            to: "missing".to_owned(),
            is_absent: true,
            ..Figures::default()
        };
        let state = RowState::Missing;
        Self {
            state,
            word: state.word(""),
            place,
            metric,
            figures,
            trend: String::new(),
            loss: 0.0,
        }
    }

    /// The key of rows that stay together when sorted: those of one benchmark that improved, and those that did not.
    pub(crate) fn group(&self) -> (bool, BenchmarkName) {
        (self.state == RowState::Improved, self.place.clone())
    }
}

/// True if the number is exactly that which it is compared with.
pub(crate) fn is_same(subject: &Subject<'_>) -> bool {
    match (
        series::median_of(subject.compared()),
        subject.baseline,
        subject.current,
    ) {
        (Some(median), ..) => median.distance == 0.0,
        (None, Some(baseline), Some(current)) => {
            baseline == current && change(subject, baseline, current) == SAME
        }
        (None, ..) => false,
    }
}

impl Figures {
    /// The numbers that decided, in one scale.
    pub(crate) fn of(subject: &Subject<'_>) -> Self {
        match (
            series::median_of(subject.compared()),
            subject.baseline,
            subject.current,
        ) {
            (Some(median), ..) => Self::of_median(subject, &median),
            (None, Some(baseline), Some(current)) => Self::of_both(subject, baseline, current),
            (None, baseline, current) => Self {
                from: baseline.map_or_else(|| NOTHING.to_owned(), |value| one(subject, value)),
                to: current.map_or_else(|| absent(subject.outcome), |value| one(subject, value)),
                is_absent: current.is_none(),
                ..Self::default()
            },
        }
    }

    fn of_median(subject: &Subject<'_>, median: &Median) -> Self {
        let now = series::current(subject).unwrap_or(median.number);
        let numbers = SentenceNumbers::short(subject, &[median.number, now]);
        let change = if median.distance == 0.0 {
            SAME.to_owned()
        } else {
            subject.effect(median.distance)
        };
        Self {
            from: numbers.full(median.number),
            to: numbers.full(now),
            change,
            median_of: Some(median.values),
            is_absent: false,
        }
    }

    /// The measured numbers, as in every other output. The change of paired or repeated process runs is the typical one,
    /// which is not always the quotient of the two medians.
    fn of_both(subject: &Subject<'_>, baseline: Value, current: Value) -> Self {
        let numbers = SentenceNumbers::of(&subject.metric, &[baseline, current]);
        let [from, to] = [baseline, current].map(|value| numbers.value(value));
        Self {
            from,
            to,
            change: change(subject, baseline, current),
            median_of: None,
            is_absent: false,
        }
    }
}

fn change(subject: &Subject<'_>, baseline: Value, current: Value) -> String {
    let judgement = &subject.judgement;
    if is_counted(subject) {
        return difference(subject, baseline, current);
    }
    if let Some((effect, interval)) = sampled(subject).filter(|(effect, _)| *effect != 0.0) {
        let interval = interval
            .map(|ends| format!(" {}", interval_of(subject, ends)))
            .unwrap_or_default();
        return subject.effect(effect) + &interval;
    }
    let effect = judgement
        .reason
        .effect()
        .map(|distance| subject.change_of(distance));
    match effect.or(judgement.change) {
        Some(0.0) => SAME.to_owned(),
        Some(change) => subject.signed(change),
        None if baseline == current => SAME.to_owned(),
        None => NOTHING.to_owned(),
    }
}

/// The typical effect of launches and its interval, as distances, where that decided.
fn sampled(subject: &Subject<'_>) -> Option<(f64, Option<(f64, f64)>)> {
    match &subject.judgement.reason {
        Reason::Samples(found) => Some((found.test.effect, Some(found.test.interval))),
        Reason::Pairs(found) => Some((found.median, found.lower.zip(found.upper))),
        _ => None,
    }
}

/// True if a change is shown as a count, such as `+4`: exact metrics, unless their limit is a share.
pub(crate) fn is_counted(subject: &Subject<'_>) -> bool {
    subject.metric.meaning.exact
        && subject.relative_to.is_none()
        && !matches!(subject.judgement.rule, Rule::Count(_))
}

/// `+4`, `−1,024 B`.
fn difference(subject: &Subject<'_>, baseline: Value, current: Value) -> String {
    if baseline == current {
        return SAME.to_owned();
    }
    let more = more(baseline, current);
    let text = one(subject, more);
    match text.strip_prefix('-') {
        Some(size) => format!("{MINUS}{size}"),
        None => format!("+{text}"),
    }
}

/// The difference of two counts, exact for whole numbers.
fn more(baseline: Value, current: Value) -> Value {
    let whole = match (baseline, current) {
        (Value::Int(baseline), Value::Int(current)) => {
            current.checked_sub(baseline).map(Value::Int)
        }
        _ => None,
    };
    whole
        .or_else(|| Value::new(current.as_f64() - baseline.as_f64()))
        .unwrap_or(Value::Int(0))
}

fn one(subject: &Subject<'_>, value: Value) -> String {
    SentenceNumbers::of(&subject.metric, &[value]).value(value)
}

fn absent(outcome: Outcome) -> String {
    match outcome {
        Outcome::Measured => "not measured".replace(' ', &NO_BREAK.to_string()),
        other => other.word().to_owned(),
    }
}
