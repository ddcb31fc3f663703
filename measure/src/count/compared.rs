//! Reports how instruction counts changed since another build. Changes of 0.2% or more are also shown by function.

use perf_model::row::{Outcome, Row};
use perf_report::markdown::escape::{code, inline};
use perf_report::markdown::table::{Align, Table};
use perf_report::number::thousands;

use super::functions::{Changed, Functions, changed};
use super::valgrind::INSTRUCTIONS;

/// Changes below this share are folded, because counts of the same source vary by this much between builds.
const SHOWN: f64 = 0.002;
/// The maximum number of functions in a benchmark's table.
const MOST_FUNCTIONS: usize = 20;

/// A benchmark's counts in both builds.
struct Both<'r> {
    name: &'r str,
    before: f64,
    after: f64,
    /// The smallest significant change: 0.2% or the spread of the counts, whichever is larger.
    limit: f64,
}

impl<'r> Both<'r> {
    fn of(before: &Row, after: &'r Row) -> Option<Self> {
        let (mut limit, mut counts) = (SHOWN, [0.0; 2]);
        for (row, least) in [before, after].into_iter().zip(&mut counts) {
            *least = row.metrics.get(INSTRUCTIONS)?.as_f64();
            if let Some(most) = row.metrics.get("instructions.upper") {
                limit = limit.max((most.as_f64() - *least) / least.max(1.0));
            }
        }
        Some(Self {
            name: &after.scenario,
            before: counts[0],
            after: counts[1],
            limit,
        })
    }

    fn change(&self) -> f64 {
        (self.after - self.before) / self.before.max(1.0)
    }
}

/// Returns the report as Markdown. `details` returns a benchmark's functions in both builds.
pub fn markdown(
    baseline: &[Row],
    current: &[Row],
    details: impl Fn(&str) -> Option<(Functions, Functions)>,
) -> String {
    let (mut both, mut failed, mut new) = (Vec::new(), Vec::new(), Vec::new());
    for row in current {
        let before = baseline.iter().find(|other| other.scenario == row.scenario);
        match before.and_then(|before| Both::of(before, row)) {
            Some(counts) => both.push(counts),
            None if row.outcome == Outcome::Failed => failed.push(row),
            None => new.push(row),
        }
    }
    let mut gone: Vec<&Row> = baseline.iter().collect();
    gone.retain(|row| !current.iter().any(|other| other.scenario == row.scenario));
    both.sort_by(|a, b| b.change().abs().total_cmp(&a.change().abs()));
    let (significant, rest): (Vec<_>, Vec<_>) = both
        .into_iter()
        .partition(|both| both.change().abs() >= both.limit);
    let mut parts = Vec::new();
    if significant.is_empty() {
        parts.push("No instruction count changed by 0.2% or more.".to_owned());
    } else {
        parts.push(table(&significant));
    }
    let lists = [
        ("Failed", failed),
        ("New", new),
        ("In the baseline, but not in this run", gone),
    ];
    for (title, rows) in lists {
        if !rows.is_empty() {
            let shown: Vec<String> = rows.into_iter().map(with_count).collect();
            parts.push(format!("{title}: {}", shown.join(", ")));
        }
    }
    if !rest.is_empty() {
        let summary = format!("{} within 0.2% or their spread", rest.len());
        parts.push(folded(&summary, &table(&rest)));
    }
    for both in &significant {
        if let Some((before, after)) = details(both.name) {
            parts.extend(by_function(both.name, &changed(&before, &after)));
        }
    }
    parts.join("\n\n") + "\n"
}

fn folded(summary: &str, text: &str) -> String {
    format!("<details><summary>{summary}</summary>\n\n{text}\n\n</details>")
}

/// Returns a benchmark's name, with its count if there is one.
fn with_count(row: &Row) -> String {
    let name = inline(&row.scenario);
    match row.metrics.get(INSTRUCTIONS) {
        Some(count) => format!("{name} ({})", with_thousands(count.as_f64())),
        None => name,
    }
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
    if changed.is_empty() {
        return None;
    }
    let mut text = titled(
        "Function",
        changed.iter().take(MOST_FUNCTIONS).map(cells).collect(),
    );
    if changed.len() > MOST_FUNCTIONS {
        let more = changed.len() - MOST_FUNCTIONS;
        text = format!("{text}\n\nand {more} functions that changed less");
    }
    Some(folded(&format!("{} by function", inline(name)), &text))
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
