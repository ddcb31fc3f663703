//! Net counts, without process start and set-up.

use anyhow::Context;
use perf_cli::Failure;
use perf_cli::term::printable;
use perf_model::row::{AGGREGATE, Metrics, Outcome, Row};

use super::valgrind::{Counted, PEAK};
use crate::rows;

/// The lowest and the highest count of each metric.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(Vec<(&'static str, u64, u64)>);

impl Counts {
    /// Combines the counts from several process runs.
    pub fn of(launches: &[Counted]) -> Self {
        let mut counts: Vec<(&'static str, u64, u64)> = Vec::new();
        for (metric, count) in launches.iter().flatten() {
            match counts.iter_mut().find(|(known, ..)| known == metric) {
                Some((_, least, most)) => {
                    (*least, *most) = ((*least).min(*count), (*most).max(*count));
                }
                None => counts.push((metric, *count, *count)),
            }
        }
        Self(counts)
    }

    /// Whether every count except peak memory is at least the other one.
    pub fn is_at_least(&self, other: &Self) -> bool {
        self.0
            .iter()
            .all(|(metric, least, _)| *metric == PEAK || *least >= other.least(metric))
    }

    /// The lowest count of a metric.
    pub fn least(&self, metric: &str) -> u64 {
        self.0
            .iter()
            .find(|(known, ..)| *known == metric)
            .map_or(0, |(_, least, _)| *least)
    }
}

/// A count to subtract, and its methodology.
#[derive(Clone, Copy, Debug)]
pub struct Basis<'c> {
    /// The count to subtract. A set-up's count includes process start.
    pub below: Option<&'c Counts>,
    /// The set-up benchmark's name.
    pub setup: Option<&'c str>,
    /// The tool and its mode.
    pub methodology: &'c str,
}

/// Creates a benchmark's row: net counts, their highest values, and gross instructions.
///
/// # Errors
/// A count is lower than the one to subtract.
pub fn row(name: &str, counts: &Counts, basis: Basis<'_>) -> anyhow::Result<Row> {
    let mut named: Vec<(String, u64)> = Vec::new();
    for (metric, least, most) in &counts.0 {
        let below = basis
            .below
            .filter(|_| *metric != PEAK)
            .map_or(0, |below| below.least(metric));
        let net = |count: u64| {
            count
                .checked_sub(below)
                .with_context(|| too_few(name, metric, count, below, basis))
        };
        named.push(((*metric).to_owned(), net(*least)?));
        named.push((format!("{metric}.upper"), net(*most)?));
        if basis.below.is_some() && *metric == super::valgrind::INSTRUCTIONS {
            named.push(("grossInstructions".to_owned(), *least));
        }
    }
    let metrics = rows::metrics(
        named
            .iter()
            .map(|(metric, count)| (metric.as_str(), rows::count(*count))),
    );
    Ok(rows::row(name, &methodology(basis), AGGREGATE, metrics))
}

/// A failed benchmark's row.
pub fn failed_row(name: &str, methodology: &str) -> Row {
    Row {
        outcome: Outcome::Failed,
        ..rows::row(name, methodology, AGGREGATE, Metrics::default())
    }
}

fn methodology(basis: Basis<'_>) -> String {
    let net = match (basis.below, basis.setup) {
        (None, _) => "",
        (Some(_), None) => ", net of a no-op",
        (Some(_), Some(_)) => ", net of a no-op and a set-up",
    };
    format!("{}{net}", basis.methodology)
}

fn too_few(name: &str, metric: &str, count: u64, below: u64, basis: Basis<'_>) -> Failure {
    let what = match basis.setup {
        Some(setup) => format!("its set-up `{}`", printable(setup)),
        None => "a no-op".to_owned(),
    };
    Failure::new(format!(
        "`{}` has {count} {metric}, fewer than {what} with {below}",
        printable(name)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perf_model::row::Value;

    fn counts(least: u64, most: u64) -> Counts {
        Counts::of(&[vec![("instructions", most)], vec![("instructions", least)]])
    }

    fn basis<'c>(below: &'c Counts, setup: Option<&'c str>) -> Basis<'c> {
        Basis {
            below: Some(below),
            setup,
            methodology: "cachegrind",
        }
    }

    #[test]
    fn noop_is_subtracted() {
        let row = row("a", &counts(350, 352), basis(&counts(100, 101), None)).unwrap();
        let of = |metric| row.metrics.get(metric);
        assert_eq!(of("instructions"), Some(Value::Int(250)));
        assert_eq!(of("instructions.upper"), Some(Value::Int(252)));
        assert_eq!(of("grossInstructions"), Some(Value::Int(350)));
        assert_eq!(
            row.methodology.as_deref(),
            Some("cachegrind, net of a no-op")
        );
    }

    #[test]
    fn setup_is_subtracted_with_its_own_start() {
        let row = row(
            "query",
            &counts(900, 900),
            basis(&counts(300, 300), Some("load")),
        )
        .unwrap();
        assert_eq!(row.metrics.get("instructions"), Some(Value::Int(600)));
    }

    #[test]
    fn count_below_its_setup_is_an_error() {
        let error = row(
            "query",
            &counts(300, 300),
            basis(&counts(900, 900), Some("load")),
        )
        .unwrap_err();
        insta::assert_snapshot!(error, @"`query` has 300 instructions, fewer than its set-up `load` with 900");
    }

    #[test]
    fn peak_memory_is_not_reduced() {
        let of = |bytes| Counts::of(&[vec![("allocations", bytes / 10), (PEAK, bytes)]]);
        let row = row("a", &of(1000), basis(&of(100), None)).unwrap();
        assert_eq!(row.metrics.get(PEAK), Some(Value::Int(1000)));
        assert_eq!(row.metrics.get("allocations"), Some(Value::Int(90)));
    }
}
