//! The report's rows, one for each metric of each benchmark, most severe first.

use std::collections::HashMap;

use perf_model::row::{Outcome, Value};
use perf_verdict::evidence::instrument::is_speed;
use perf_verdict::{Reason, Rule, Verdict};

use super::context::{FoundMetric, ReportContext};
use super::state::{RowState, loss};
use crate::names::{BenchmarkName, SharedEnds};
use crate::reasons::interval;
use crate::series;
use crate::subject::{SentenceNumbers, Subject, with_sign};

/// The change between equal numbers.
pub const SAME: &str = "~";

/// The maximum number of rows within limits. Nobody reads more, and the JSON report lists all.
const MOST_WITHIN: usize = 1_000;

#[derive(Clone, Debug)]
pub struct Row {
    pub state: RowState,
    /// The sign of the state in Markdown.
    pub icon: &'static str,
    /// The word for the state at a terminal.
    pub word: &'static str,
    pub name: BenchmarkName,
    pub metric: String,
    /// True for a time or a rate, which does not need a metric name.
    pub is_speed: bool,
    pub figures: Figures,
    /// The growth of the cost as a distance; 0 if it is unknown.
    pub loss: f64,
}

/// A row's numbers, formatted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// The reference number with its unit.
    pub base: String,
    /// The current number with its unit, or the reason why it is missing.
    pub head: String,
    /// The change with a word such as `slower`; `~` for no change; empty if unknown.
    pub change: String,
    /// True if the change ends with the metric's label, because the numbers have no unit: `+4 allocs/op`.
    pub has_metric: bool,
    /// The number of earlier values, if `base` is their median.
    pub median_of: Option<usize>,
    /// True if `head` is a word instead of a number.
    pub is_absent: bool,
}

/// A report's rows, by their place.
#[derive(Default)]
pub struct Rows {
    /// The rows that reviewers should see.
    pub prominent: Vec<Row>,
    /// The rows that are inconclusive due to an environment shift.
    pub shifted: Vec<Row>,
    /// The other rows, starting with the largest change.
    pub within: Vec<Row>,
    /// The number of rows within limits that were omitted.
    pub beyond: usize,
    /// The number of metrics without a row. These are other forms of a measured metric, such as the rate next to its time,
    /// and metrics other than the primary one whose base and head numbers are equal.
    pub without_row: usize,
    /// The number of benchmarks whose metrics are all within limits.
    pub benchmarks_within: usize,
    /// How many of the rows in `within` and `beyond` are not gated.
    pub not_gated: usize,
}

impl Rows {
    pub fn new(context: &ReportContext<'_>) -> Self {
        let mut rows = Self::default();
        let mut within = Vec::new();
        for (scope, scenario) in context.scenarios() {
            let (mut has_within, mut is_quiet) = (false, true);
            for metric in &scenario.metrics {
                let found = FoundMetric {
                    scope,
                    scenario,
                    metric,
                };
                let mut state = RowState::of(metric);
                // A regressed row is enough to call attention to the benchmark.
                if state == RowState::Unguarded && scenario.verdict() == Verdict::Regressed {
                    state = RowState::NotGated;
                }
                has_within |= state == RowState::Within;
                is_quiet &=
                    !state.is_prominent() && !matches!(state, RowState::Shifted | RowState::Waived);
                match state {
                    RowState::NotGated if metric.derived_from.is_some() => rows.without_row += 1,
                    RowState::Shifted => rows.shifted.push(Row::new(context, found, state)),
                    RowState::Within | RowState::NotGated
                        if !found.is_primary() && is_same(&context.subject(metric)) =>
                    {
                        rows.without_row += 1;
                    }
                    RowState::Within | RowState::NotGated => {
                        rows.not_gated += usize::from(state == RowState::NotGated);
                        within.push((loss(metric).unwrap_or_default().abs(), state, found));
                    }
                    RowState::Uncompared | RowState::Waived => {}
                    _ => rows.prominent.push(Row::new(context, found, state)),
                }
            }
            rows.benchmarks_within += usize::from(has_within && is_quiet);
        }
        within.sort_by(|one, other| other.0.total_cmp(&one.0));
        rows.beyond = within.len().saturating_sub(MOST_WITHIN);
        within.truncate(MOST_WITHIN);
        for (_, state, found) in within {
            rows.within.push(Row::new(context, found, state));
        }
        for scope in &context.comparison.scopes {
            for missing in &scope.missing {
                let name = context.name(&scope.scope, missing);
                let mut row = Row::missing(context, name);
                if let Some((metric, value)) = scope.last_seen.get(missing) {
                    row.figures.base = SentenceNumbers::of(metric, &[*value]).value(*value);
                    row.metric.clone_from(&metric.label);
                    row.is_speed = !metric.meaning.exact && is_speed(metric);
                }
                rows.prominent.push(row);
            }
        }
        sort(&mut rows.prominent);
        rows
    }
}

/// Sorts by severity, then by size of change. A benchmark's rows stay together, except that its improvements are sorted
/// separately.
fn sort(rows: &mut [Row]) {
    let group = |row: &Row| (row.state == RowState::Improved, row.name.clone());
    let mut worst: HashMap<(bool, BenchmarkName), (RowState, f64)> = HashMap::new();
    for row in &*rows {
        let (state, size) = worst.entry(group(row)).or_insert((row.state, 0.0));
        *state = row.state.min(*state);
        *size = size.max(row.loss.abs());
    }
    rows.sort_by_cached_key(|row| {
        let (state, size) = worst.get(&group(row)).copied().unwrap_or((row.state, 0.0));
        let size = std::cmp::Reverse(size.to_bits());
        (state, size, row.name.clone(), row.state)
    });
}

/// True if the rows need a metric column: a row is not gated, or the metrics that the changes do not show differ or are
/// not times or rates.
pub fn needs_metric(rows: &[Row]) -> bool {
    let mut common = None;
    for row in rows {
        if !row.state.is_gated() {
            return true;
        }
        if row.metric.is_empty() || row.figures.has_metric {
            continue;
        }
        if !row.is_speed || *common.get_or_insert(&row.metric) != &row.metric {
            return true;
        }
    }
    false
}

/// Returns the title of the reference column.
pub fn base_title(rows: &[Row]) -> String {
    let (mut least, mut most) = (usize::MAX, 0);
    let mut has_base = false;
    for row in rows {
        match row.figures.median_of {
            Some(values) => (least, most) = (values.min(least), values.max(most)),
            None => has_base |= !row.figures.base.is_empty(),
        }
    }
    if most == 0 {
        "Base".to_owned()
    } else if has_base {
        "Base or median".to_owned()
    } else if least == most {
        format!("Median of {least}")
    } else {
        format!("Median of {least}–{most}")
    }
}

/// Returns the common prefix and suffix of the names in these rows.
pub fn shared_ends(rows: &[Row]) -> SharedEnds<'_> {
    let keys: Vec<&str> = rows.iter().filter_map(|row| row.name.key()).collect();
    if keys.len() == rows.len() {
        SharedEnds::of(&keys)
    } else {
        SharedEnds::none(&keys)
    }
}

impl Row {
    pub fn new(context: &ReportContext<'_>, found: FoundMetric<'_>, state: RowState) -> Self {
        let metric = match &found.metric.reference.relative_to {
            Some(reference) => format!(
                "{} / {}",
                found.metric.metric.label,
                context.config.label(reference)
            ),
            None => found.metric.metric.label.clone(),
        };
        let subject = context.subject(found.metric);
        Self {
            state,
            icon: icon(context, state),
            word: if state == RowState::Improved {
                context.improved
            } else {
                state.word()
            },
            name: context.name_of(&found),
            metric,
            is_speed: found.metric.reference.relative_to.is_none() && found.metric.is_speed(),
            figures: Figures::of(&subject),
            loss: loss(found.metric).unwrap_or_default(),
        }
    }

    /// Creates the row of a benchmark that was not measured.
    fn missing(context: &ReportContext<'_>, name: BenchmarkName) -> Self {
        let state = RowState::Missing;
        Self {
            state,
            icon: icon(context, state),
            word: state.word(),
            name,
            metric: String::new(),
            is_speed: false,
            figures: Figures {
                head: "missing".to_owned(),
                is_absent: true,
                ..Figures::default()
            },
            loss: 0.0,
        }
    }
}

/// Returns the state's icon, or ❌ if the gate fails because of the state.
fn icon(context: &ReportContext<'_>, state: RowState) -> &'static str {
    match state.verdict() {
        Some(verdict) if context.fails(verdict) => RowState::Regressed.icon(),
        _ => state.icon(),
    }
}

/// True if the number equals its reference exactly.
fn is_same(subject: &Subject<'_>) -> bool {
    if let Some(median) = series::median_of(subject) {
        return median.distance == 0.0;
    }
    match (subject.baseline, subject.current) {
        (Some(baseline), Some(current)) => {
            baseline == current && change(subject, baseline, current) == SAME
        }
        _ => false,
    }
}

impl Figures {
    /// Formats the numbers that decided, in one unit.
    pub fn of(subject: &Subject<'_>) -> Self {
        if let Some(median) = series::median_of(subject) {
            let now = series::current(subject).unwrap_or(median.number);
            let numbers = SentenceNumbers::short(subject, &[median.number, now]);
            let is_same = median.distance == 0.0;
            return Self {
                base: numbers.full(median.number),
                head: numbers.full(now),
                change: if is_same {
                    SAME.to_owned()
                } else {
                    subject.effect(median.distance)
                },
                median_of: Some(median.values),
                ..Self::default()
            };
        }
        if let (Some(baseline), Some(current)) = (subject.baseline, subject.current) {
            let numbers = SentenceNumbers::of(&subject.metric, &[baseline, current]);
            let mut change = change(subject, baseline, current);
            let has_unit = !numbers.format().unit().is_empty();
            let has_metric = is_counted(subject) && !has_unit && change != SAME;
            if has_metric {
                change = format!("{change} {}", subject.metric.label);
            }
            return Self {
                base: numbers.value(baseline),
                head: numbers.value(current),
                change,
                has_metric,
                ..Self::default()
            };
        }
        let base = subject.baseline.map(|value| one(subject, value));
        let head = subject.current.map(|value| one(subject, value));
        Self {
            is_absent: head.is_none(),
            base: base.unwrap_or_default(),
            head: head.unwrap_or_else(|| absent(subject.outcome)),
            ..Self::default()
        }
    }
}

/// Formats the change between two measured numbers. For pairs and repeated process runs, this is the typical change,
/// which may differ from the ratio of the two medians.
fn change(subject: &Subject<'_>, baseline: Value, current: Value) -> String {
    if is_counted(subject) {
        return difference(subject, baseline, current);
    }
    let (effect, ends) = match &subject.judgement.reason {
        Reason::Samples(found) => (found.test.effect, Some(found.test.interval)),
        Reason::Pairs(found) => (found.median, found.lower.zip(found.upper)),
        _ => (0.0, None),
    };
    if effect != 0.0 {
        let change = subject.effect(effect);
        return match ends.and_then(|ends| interval(subject, ends)) {
            Some(interval) => format!("{change} {interval}"),
            None => change,
        };
    }
    let effect = subject.judgement.reason.effect();
    let effect = effect.map(|distance| subject.change_of(distance));
    match effect.or(subject.judgement.change) {
        Some(0.0) => SAME.to_owned(),
        Some(change) => subject.changed(change),
        None if baseline == current => SAME.to_owned(),
        None => String::new(),
    }
}

/// True if a change is shown as a difference such as `+4`. This applies to exact metrics, unless their limit is a
/// share.
fn is_counted(subject: &Subject<'_>) -> bool {
    subject.metric.meaning.exact
        && subject.reference.relative_to.is_none()
        && !matches!(subject.judgement.rule, Rule::Count(_))
}

/// Formats a difference: `+4` or `−1,024 B`.
fn difference(subject: &Subject<'_>, baseline: Value, current: Value) -> String {
    if baseline == current {
        return SAME.to_owned();
    }
    // For whole numbers, avoid the rounding of a float.
    let mut more = Value::new(current.as_f64() - baseline.as_f64());
    if let (Value::Int(baseline), Value::Int(current)) = (baseline, current) {
        more = current.checked_sub(baseline).map(Value::Int).or(more);
    }
    with_sign(&one(subject, more.unwrap_or(Value::Int(0))))
}

fn one(subject: &Subject<'_>, value: Value) -> String {
    SentenceNumbers::of(&subject.metric, &[value]).value(value)
}

fn absent(outcome: Outcome) -> String {
    match outcome {
        Outcome::Measured => "not measured".to_owned(),
        other => other.word().to_owned(),
    }
}
