//! Comparison of counts with another build: changes of 0.2% or more, with their functions.

use perf_model::row::{Outcome, Row, Value};
use perf_report::markdown::escape::{code, inline};
use perf_report::markdown::table::{Align, Table};
use perf_report::number::thousands;

use super::functions::{Changed, Functions, changed};
use super::valgrind::INSTRUCTIONS;

/// Smaller changes are folded: counts of the same source vary by this much between builds.
const SHOWN: f64 = 0.002;
/// The most functions in a benchmark's table.
const MOST_FUNCTIONS: usize = 20;

/// A benchmark's counts in both builds.
#[derive(Clone, Debug)]
struct Both<'r> {
    name: &'r str,
    before: f64,
    after: f64,
    /// The smallest significant change: 0.2% or the spread, whichever is larger.
    limit: f64,
}

impl Both<'_> {
    fn change(&self) -> f64 {
        (self.after - self.before) / self.before.max(1.0)
    }

    fn is_significant(&self) -> bool {
        self.change().abs() >= self.limit
    }
}

/// The report as Markdown. `details` returns a benchmark's functions in both builds.
pub fn markdown(
    baseline: &[Row],
    current: &[Row],
    details: impl Fn(&str) -> Option<(Functions, Functions)>,
) -> String {
    let before = |name: &str| baseline.iter().find(|row| *row.scenario == *name);
    let mut both: Vec<Both<'_>> = current
        .iter()
        .filter_map(|row| on_both_sides(before(&row.scenario)?, row))
        .collect();
    both.sort_by(|a, b| b.change().abs().total_cmp(&a.change().abs()));
    let (significant, rest): (Vec<_>, Vec<_>) = both.into_iter().partition(Both::is_significant);
    let mut parts = vec![if significant.is_empty() {
        "No instruction count changed by 0.2% or more.".to_owned()
    } else {
        table(&significant)
    }];
    let is_failed = |row: &&Row| row.outcome == Outcome::Failed;
    parts.extend(list("Failed", current.iter().filter(is_failed)));
    let is_new = |row: &&Row| !is_failed(row) && before(&row.scenario).is_none();
    parts.extend(list("New", current.iter().filter(is_new)));
    let is_gone = |row: &&Row| !current.iter().any(|other| other.scenario == row.scenario);
    parts.extend(list(
        "In the baseline, but not in this run",
        baseline.iter().filter(is_gone),
    ));
    if !rest.is_empty() {
        let summary = format!("{} within 0.2% or their spread", rest.len());
        parts.push(format!(
            "<details><summary>{summary}</summary>\n\n{}\n\n</details>",
            table(&rest)
        ));
    }
    for both in &significant {
        let functions = details(both.name);
        parts.extend(
            functions.and_then(|(before, after)| by_function(both.name, &changed(&before, &after))),
        );
    }
    parts.join("\n\n") + "\n"
}

fn on_both_sides<'r>(before: &Row, after: &'r Row) -> Option<Both<'r>> {
    let count = |row: &Row, metric: &str| row.metrics.get(metric).map(Value::as_f64);
    let spread = |row: &Row| {
        let (least, most) = (count(row, INSTRUCTIONS)?, count(row, "instructions.upper")?);
        Some((most - least) / least.max(1.0))
    };
    let spreads = [spread(before), spread(after)].into_iter().flatten();
    Some(Both {
        name: &after.scenario,
        before: count(before, INSTRUCTIONS)?,
        after: count(after, INSTRUCTIONS)?,
        limit: spreads.fold(SHOWN, f64::max),
    })
}

fn table(all: &[Both<'_>]) -> String {
    let cells = |both: &Both<'_>| {
        let change = format!("{:+.2}%", 100.0 * both.change());
        vec![
            inline(both.name),
            with_thousands(both.before),
            with_thousands(both.after),
            change,
        ]
    };
    titled("Benchmark", all.iter().map(cells).collect())
}

fn titled(first: &str, rows: Vec<Vec<String>>) -> String {
    let header = [first, "Baseline", "Current", "Change"]
        .map(str::to_owned)
        .to_vec();
    Table {
        header,
        align: [vec![Align::Left], vec![Align::Right; 3]].concat(),
        rows,
    }
    .to_markdown()
}

fn with_thousands(count: f64) -> String {
    thousands(&format!("{count:.0}"))
}

fn list<'r>(what: &str, rows: impl Iterator<Item = &'r Row>) -> Option<String> {
    let count = |row: &Row| row.metrics.get(INSTRUCTIONS).map(Value::as_f64);
    let shown = rows.map(|row| match count(row) {
        Some(count) => format!("{} ({})", inline(&row.scenario), with_thousands(count)),
        None => inline(&row.scenario),
    });
    let shown: Vec<String> = shown.collect();
    (!shown.is_empty()).then(|| format!("{what}: {}", shown.join(", ")))
}

fn by_function(name: &str, changed: &[Changed<'_>]) -> Option<String> {
    let cells = |(function, before, after): &Changed<'_>| {
        let sign = if after >= before { '+' } else { '-' };
        let change = format!("{sign}{}", thousands(&before.abs_diff(*after).to_string()));
        vec![
            code(function),
            thousands(&before.to_string()),
            thousands(&after.to_string()),
            change,
        ]
    };
    let rows: Vec<Vec<String>> = changed.iter().take(MOST_FUNCTIONS).map(cells).collect();
    let more = changed.len().saturating_sub(MOST_FUNCTIONS);
    let more = if more > 0 {
        format!("\n\nand {more} functions that changed less")
    } else {
        String::new()
    };
    let summary = format!("{} by function", inline(name));
    (!rows.is_empty()).then(|| {
        let table = titled("Function", rows);
        format!("<details><summary>{summary}</summary>\n\n{table}{more}\n\n</details>")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    fn row(name: &str, least: u64, most: u64) -> Row {
        let counts = [
            (INSTRUCTIONS, rows::count(least)),
            ("instructions.upper", rows::count(most)),
        ];
        rows::row(name, "cachegrind", -1, rows::metrics(counts))
    }

    #[test]
    fn changes_are_sorted_by_size_and_the_rest_is_folded() {
        let baseline = [
            row("steady", 1_000_000, 1_000_000),
            row("a", 1_000_000, 1_000_000),
            row("b", 1_000_000, 1_000_000),
            row("gone", 5, 5),
        ];
        let current = [
            row("steady", 1_001_999, 1_001_999),
            row("a", 1_002_000, 1_002_000),
            row("b", 900_000, 900_000),
            row("new", 1234, 1234),
        ];
        let functions =
            |pairs: &[(&str, u64)]| pairs.iter().map(|(n, c)| ((*n).to_owned(), *c)).collect();
        let details = |name: &str| {
            (name == "b").then(|| {
                (
                    functions(&[("parse<T>", 150_000)]),
                    functions(&[("parse<T>", 50_000)]),
                )
            })
        };
        insta::assert_snapshot!(markdown(&baseline, &current, details), @r"
        | Benchmark |  Baseline |   Current |  Change |
        | :-------- | --------: | --------: | ------: |
        | b         | 1,000,000 |   900,000 | -10.00% |
        | a         | 1,000,000 | 1,002,000 |  +0.20% |

        New: new (1,234)

        In the baseline, but not in this run: gone (5)

        <details><summary>1 within 0.2% or their spread</summary>

        | Benchmark |  Baseline |   Current | Change |
        | :-------- | --------: | --------: | -----: |
        | steady    | 1,000,000 | 1,001,999 | +0.20% |

        </details>

        <details><summary>b by function</summary>

        | Function   | Baseline | Current |   Change |
        | :--------- | -------: | ------: | -------: |
        | `parse<T>` |  150,000 |  50,000 | -100,000 |

        </details>
        ");
    }

    #[test]
    fn spread_is_the_lowest_limit() {
        let text = markdown(
            &[row("hash", 100_000, 101_000)],
            &[row("hash", 100_900, 100_900)],
            |_| None,
        );
        assert!(text.starts_with("No instruction count"), "{text}");
        let text = markdown(
            &[row("hash", 100_000, 101_000)],
            &[row("hash", 101_100, 101_100)],
            |_| None,
        );
        assert!(text.contains("+1.10%"), "{text}");
    }
}
