//! The data files for scripts: the list of all series, and their values in chunks.
//!
//! Each file is a script with a single call, because pages opened from disk may only load scripts.

use indexmap::IndexSet;
use perf_model::row::Value;
use serde::Serialize;
use serde_json::Number;

use crate::cli::About;
use crate::collect::Collected;
use crate::series::{SeriesEntry, shared_ends};

/// The maximum number of series in a chunk.
pub(crate) const CHUNK: usize = 100;

/// The maximum number of values in the small chart that the list shows for each series.
const SPARK: usize = 32;

/// The digits that stand for a value in the small chart, lowest value first.
const LEVELS: [u8; 36] = *b"0123456789abcdefghijklmnopqrstuvwxyz";

/// The version of the data files' format.
const VERSION: u32 = 3;

/// The list of all series, with one column for each property of a series.
#[derive(Serialize)]
struct Index<'i> {
    version: u32,
    title: &'i str,
    repository: Option<&'i str>,
    chunk: usize,
    /// Commit, date and subject of each run.
    runs: Vec<(&'i str, Option<i64>, &'i str)>,
    /// The beginning and the end that all names share. The page shows them once, above the list.
    prefix: &'i str,
    suffix: &'i str,
    scopes: Vec<String>,
    machines: Vec<String>,
    names: IndexSet<&'i str>,
    metrics: IndexSet<&'i str>,
    series: Columns<'i>,
}

#[derive(Default, Serialize)]
struct Columns<'i> {
    id: Vec<&'i str>,
    name: Vec<usize>,
    metric: Vec<usize>,
    scope: Vec<usize>,
    machine: Vec<usize>,
    state: Vec<&'static str>,
    /// The verdict in words, and its CSS class.
    verdict: Vec<String>,
    class: Vec<&'static str>,
    newest: Vec<String>,
    /// The reference that the newest value is compared with.
    reference: Vec<&'i str>,
    change: Vec<&'i str>,
    /// The newest value's increase in cost as a natural logarithm, for sorting.
    loss: Vec<Number>,
    run: Vec<usize>,
    /// The index of the run with the recent change, or −1 if there is none.
    changed: Vec<i64>,
    spark: Vec<String>,
}

/// Renders the list of all series as a script.
pub(crate) fn index(about: &About, collected: &Collected, entries: &[SeriesEntry<'_>]) -> String {
    let (mut names, mut metrics, mut columns) =
        (IndexSet::new(), IndexSet::new(), Columns::default());
    for entry in entries {
        columns.id.push(&entry.id);
        columns.name.push(names.insert_full(entry.name.as_str()).0);
        columns
            .metric
            .push(metrics.insert_full(entry.metric.as_str()).0);
        columns.scope.push(entry.series.scope);
        columns.machine.push(entry.series.machine);
        columns.state.push(entry.summary.state.key());
        let (class, verdict) = entry.verdict();
        columns.class.push(class);
        columns.verdict.push(verdict);
        columns.newest.push(entry.newest());
        columns.reference.push(entry.reference());
        columns.change.push(entry.newest_change());
        columns.loss.push(brief(entry.loss()));
        columns.run.push(entry.last_run());
        columns.changed.push(
            entry
                .changed_in()
                .and_then(|run| i64::try_from(run).ok())
                .unwrap_or(-1),
        );
        columns.spark.push(spark(&entry.values));
    }
    let shown = |texts: &IndexSet<String>| {
        texts
            .iter()
            .map(|text| perf_report::svg::shown(text))
            .collect()
    };
    let index = Index {
        version: VERSION,
        title: &about.title,
        repository: about.repository.as_deref(),
        chunk: CHUNK,
        runs: collected
            .runs
            .iter()
            .map(|run| (&*run.commit, run.date, &*run.subject))
            .collect(),
        prefix: shared_ends(entries).begin,
        suffix: shared_ends(entries).end,
        scopes: shown(&collected.scopes),
        machines: shown(&collected.machines),
        names,
        metrics,
        series: columns,
    };
    script("perfSite", &index)
}

/// The values of up to [`CHUNK`] series.
#[derive(Serialize)]
struct Chunk<'c> {
    number: usize,
    /// Lists of runs. A list contains the first run and the length of each stretch without gaps.
    axes: IndexSet<Vec<usize>>,
    series: Vec<Points<'c>>,
}

#[derive(Serialize)]
struct Points<'c> {
    axis: usize,
    values: Vec<Number>,
    normal: Option<(Number, Number)>,
    limit: Option<Number>,
    /// The reference that the newest value is compared with.
    reference: Option<Number>,
    from: usize,
    /// Whether a smaller value is better; `None` if unknown.
    lower: Option<bool>,
    /// The words for a worse and a better number.
    words: [&'static str; 2],
    /// The level changes: the index of the first value, the medians before and after, and the change in words.
    changes: Vec<(usize, Number, Number, String)>,
    divisor: f64,
    suffix: String,
    decimals: Option<usize>,
    /// The reason for the verdict on the newest value.
    why: &'c str,
    /// The benchmark's key, if it differs from the display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'c str>,
}

/// The path of a chunk's file in the site.
pub(crate) fn name(number: usize) -> String {
    format!("data/{number:04}.js")
}

pub(crate) fn chunk(number: usize, entries: &[SeriesEntry<'_>]) -> String {
    let mut axes = IndexSet::new();
    let series = entries
        .iter()
        .map(|entry| points(entry, axes.insert_full(axis(&entry.series.runs)).0))
        .collect();
    script(
        "perfChunk",
        &Chunk {
            number,
            axes,
            series,
        },
    )
}

fn points<'c>(entry: &'c SeriesEntry<'_>, axis: usize) -> Points<'c> {
    use perf_model::metric::Direction;
    let summary = &entry.summary;
    let key: &str = &entry.series.scenario;
    Points {
        axis,
        values: entry
            .series
            .values
            .iter()
            .map(|value| number(*value))
            .collect(),
        normal: summary
            .normal
            .map(|(best, worst)| (brief(best), brief(worst))),
        limit: summary.limit.map(brief),
        reference: summary.reference.map(brief),
        from: summary.from,
        lower: match entry.series.metric.meaning.direction {
            Direction::Lower => Some(true),
            Direction::Higher => Some(false),
            Direction::Unknown => None,
        },
        words: [true, false].map(|is_worse| entry.word(is_worse)),
        changes: summary
            .changes
            .iter()
            .map(|change| {
                let words = format!(
                    "{} ({})",
                    entry.change(change.share()),
                    entry.word(change.is_worse)
                );
                (change.at, brief(change.before), brief(change.after), words)
            })
            .collect(),
        divisor: entry.units.divisor(),
        suffix: entry.units.suffix(),
        decimals: entry.units.decimals(),
        why: &entry.why,
        key: (key != entry.name).then_some(key),
    }
}

fn axis(runs: &[usize]) -> Vec<usize> {
    let mut parts: Vec<usize> = Vec::new();
    for run in runs {
        match parts.as_mut_slice() {
            [.., first, length] if *first + *length == *run => *length += 1,
            _ => parts.extend([*run, 1]),
        }
    }
    parts
}

/// Integers are exact. Other numbers are rounded to six digits, which is more than a chart shows.
fn number(value: Value) -> Number {
    match value {
        Value::Int(whole) => whole.into(),
        Value::Real(_) => brief(value.as_f64()),
    }
}

fn brief(number: f64) -> Number {
    let rounded: f64 = format!("{number:.5e}").parse().unwrap_or(number);
    Number::from_f64(rounded).unwrap_or_else(|| 0.into())
}

/// Encodes the last values as one digit each. A higher digit stands for a larger value.
fn spark(values: &[f64]) -> String {
    let shown = &values[values.len().saturating_sub(SPARK)..];
    let low = shown.iter().copied().fold(f64::INFINITY, f64::min);
    let high = shown.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let level = |value: &f64| {
        // Halve the values first, because their difference could overflow.
        let range = high / 2.0 - low / 2.0;
        let share = if range > 0.0 {
            (value / 2.0 - low / 2.0) / range
        } else {
            0.5
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to 35"
        )]
        let at = (share.clamp(0.0, 1.0) * 35.0).round() as usize;
        char::from(LEVELS.get(at).copied().unwrap_or(b'z'))
    };
    shown.iter().map(level).collect()
}

fn script(function: &str, data: &impl Serialize) -> String {
    // Strings and finite numbers can always be serialised.
    let json = serde_json::to_string(data).unwrap_or_default();
    format!("{function}({json});\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_without_gaps_are_two_numbers() {
        assert_eq!(axis(&[3, 4, 5, 9, 11, 12]), [3, 3, 9, 1, 11, 2]);
        assert_eq!(axis(&[]), [0; 0]);
    }

    #[test]
    fn counts_stay_whole_and_times_have_six_digits() {
        let text = |value| number(value).to_string();
        assert_eq!(text(Value::Int(123_456_789_012)), "123456789012");
        assert_eq!(text(Value::Real(1_234.567_89)), "1234.57");
        assert_eq!(text(Value::Real(0.000_000_123_456_7)), "1.23457e-7");
    }

    #[test]
    fn the_small_chart_has_the_last_values() {
        assert_eq!(spark(&[0.0, 35.0, 17.0]), "0zh");
        assert_eq!(spark(&[2.0; 40]), "i".repeat(32));
        assert_eq!(spark(&[]), "");
    }
}
