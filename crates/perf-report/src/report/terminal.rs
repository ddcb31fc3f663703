//! The report at a terminal: an aligned table with the most severe rows first, counts of the other rows, and the headline.

use super::Report;
use super::rows::{Row, base_title, needs_metric, shared_ends};
use super::sections::SectionKind;
use crate::markdown::table::display_width;
use crate::names::{BenchmarkName, SharedEnds, shortened};
use crate::number::{counted, whole};
use crate::plain::{safe, wrapped};
use crate::subject::NO_BREAK;

/// The number of spaces between columns.
const GAP: usize = 2;

/// The maximum number of prominent rows if not all rows are requested.
const MOST: usize = 40;

/// If there are no other rows, rows within limits are shown only if there are at most this many.
const FEW: usize = 20;

/// The minimum width of names, except on a very narrow terminal.
const SHORTEST_NAME: usize = 30;

/// The minimum width of the metric, or of names on a very narrow terminal.
const SHORTEST_METRIC: usize = 10;

const RESET: &str = "\u{1b}[0m";
const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
/// How much to show at a terminal, and its width.
#[derive(Clone, Copy, Debug)]
pub struct TerminalOptions {
    /// The terminal's width in columns.
    pub width: usize,
    /// True to show more rows, and how failing and inconclusive verdicts were decided.
    pub is_verbose: bool,
}

impl Report {
    /// Returns the report as text with ANSI colours, which the caller may remove.
    pub fn terminal(&self, options: TerminalOptions) -> String {
        let rows = &self.rows;
        let is_quiet = rows.prominent.is_empty() && rows.shifted.is_empty();
        let few = if is_quiet && rows.within.len() <= FEW {
            FEW
        } else {
            0
        };
        let mut blocks = Vec::new();
        for (rows, most) in [
            (&rows.prominent, MOST),
            (&rows.shifted, 0),
            (&rows.within, few),
        ] {
            let most = if options.is_verbose { usize::MAX } else { most };
            blocks.push(table(rows, options.width, most));
        }
        if options.is_verbose {
            blocks.extend(self.explanations(options.width));
        }
        blocks.push(self.counts(options));
        let headline = wrapped(&safe(&self.summary()), options.width);
        let mut end = painted(BOLD, &headline);
        if let Some(limits) = &self.limits {
            end += "\n";
            end += &painted(DIM, &wrapped(limits, options.width));
        }
        blocks.push(end);
        blocks.retain(|block| !block.is_empty());
        blocks.join("\n\n") + "\n"
    }

    /// Returns the lines that count the rows and metrics that the tables do not show.
    fn counts(&self, options: TerminalOptions) -> String {
        let rows = &self.rows;
        let mut lines = Vec::new();
        if !rows.shifted.is_empty() {
            lines.push(rows.shifted_title());
        }
        if rows.benchmarks_within > 0 && !rows.prominent.is_empty() {
            lines.push(format!("{} within limits", whole(rows.benchmarks_within)));
        } else if rows.within.len() > FEW && !options.is_verbose {
            let all = whole(rows.within.len() + rows.beyond);
            lines.push(format!("{all} rows (-v shows more)"));
        }
        for section in &self.sections {
            match section.kind {
                SectionKind::Waived => lines.push(section.title.clone()),
                SectionKind::NotCompared => {
                    let entries = section.entries.iter();
                    lines.extend(entries.map(|entry| entry.text.replace('`', "")));
                }
                _ => {}
            }
        }
        lines.extend(self.self_comparison.clone());
        for line in &mut lines {
            *line = painted(DIM, &wrapped(&safe(line), options.width));
        }
        lines.join("\n")
    }

    /// Returns the explanations of all failing and inconclusive verdicts.
    fn explanations(&self, width: usize) -> Vec<String> {
        let mut explanations = Vec::new();
        for section in &self.sections {
            if section.kind != SectionKind::Decided {
                continue;
            }
            for entry in &section.entries {
                let name = entry.name.as_ref().map(BenchmarkName::plain);
                let text = format!(
                    "{}, {}: {}",
                    name.unwrap_or_default(),
                    entry.metric.as_deref().unwrap_or_default(),
                    entry.text
                );
                explanations.push(wrapped(&safe(&text), width));
            }
        }
        explanations
    }
}

/// A table column with its layout.
struct Column {
    title: String,
    cells: Vec<String>,
    is_right: bool,
    /// True if the cells have the colour of their row.
    is_coloured: bool,
    width: usize,
}

/// The indices of the columns that shrink on a narrow terminal.
const NAME: usize = 2;
const METRIC: usize = 6;

/// Formats the first `most` rows as a table.
fn table(all: &[Row], width: usize, most: usize) -> String {
    let rows = &all[..all.len().min(most)];
    if rows.is_empty() {
        return String::new();
    }
    let mut lines = Vec::new();
    let mut columns = columns(rows, SharedEnds::default());
    if total(&columns) > width {
        let shared = shared_ends(rows);
        let ends = shared.title();
        if !ends.is_empty() {
            columns = self::columns(rows, shared);
            let title = format!("Benchmarks in {}", safe(&ends));
            lines.push(painted(DIM, &wrapped(&title, width)));
        }
    }
    fit(&mut columns, width);
    let header = line(&columns, |column| &column.title, "");
    lines.push(painted(DIM, &header));
    for (at, row) in rows.iter().enumerate() {
        lines.push(line(
            &columns,
            |column| &column.cells[at],
            row.state.colour(),
        ));
    }
    if all.len() > rows.len() {
        let more = counted(all.len() - rows.len(), "more row");
        lines.push(format!("and {more} (-v shows all)"));
    }
    lines.join("\n")
}

/// Returns all columns. If the metric is not needed, its column is empty. If all rows share a unit, the titles show it, and
/// the unit column is empty.
fn columns(rows: &[Row], shared: SharedEnds<'_>) -> Vec<Column> {
    let units: Vec<&str> = rows.iter().map(unit).collect();
    let is_uniform = units.iter().all(|unit| *unit == units[0]);
    let common = if is_uniform && !units[0].is_empty() {
        format!(" ({})", units[0])
    } else {
        String::new()
    };
    let titles = [
        "",
        "Change",
        "Benchmark",
        &(base_title(rows) + &common),
        &format!("Head{common}"),
        "Unit",
        "Metric",
    ];
    let has_metric = needs_metric(rows);
    let mut columns = Vec::new();
    for (at, title) in titles.into_iter().enumerate() {
        columns.push(Column {
            title: title.to_owned(),
            cells: Vec::new(),
            is_right: matches!(at, 1 | 3 | 4),
            is_coloured: at < NAME,
            width: 0,
        });
    }
    for (row, unit) in rows.iter().zip(units) {
        let figures = &row.figures;
        let metric = if has_metric { &*row.metric } else { "" };
        let name = row.name.within(shared).plain();
        let cells = [
            row.word,
            &figures.change,
            &name,
            number(&figures.base),
            number(&figures.head),
            if is_uniform { "" } else { unit },
            metric,
        ];
        for (column, cell) in columns.iter_mut().zip(cells) {
            column.cells.push(safe(cell));
        }
    }
    for column in &mut columns {
        let widths = column.cells.iter().map(|cell| display_width(cell));
        let widest = widths.max().unwrap_or(0);
        if widest > 0 {
            column.width = widest.max(display_width(&column.title));
        }
    }
    columns
}

/// Returns a cell's number without its unit.
fn number(cell: &str) -> &str {
    cell.split(NO_BREAK).next().unwrap_or(cell)
}

/// Returns the unit in which a row's numbers are shown.
fn unit(row: &Row) -> &str {
    let cells = [&row.figures.head, &row.figures.base];
    let units = cells.iter().filter_map(|cell| cell.split_once(NO_BREAK));
    units.map(|(_, unit)| unit).next().unwrap_or_default()
}

/// Makes the columns fit: first by shortening metrics and names, then by dropping the metric. Names become shorter than
/// [`SHORTEST_NAME`] only on a very narrow terminal.
fn fit(columns: &mut [Column], width: usize) {
    for (at, least) in [
        (METRIC, SHORTEST_METRIC),
        (NAME, SHORTEST_NAME),
        (METRIC, 0),
        (NAME, SHORTEST_METRIC),
    ] {
        let over = total(columns).saturating_sub(width);
        let column = &mut columns[at];
        if over > 0 && least == 0 {
            column.width = 0;
        } else {
            let least = least.min(column.width);
            column.width = column.width.saturating_sub(over).max(least);
        }
    }
}

fn total(columns: &[Column]) -> usize {
    let shown = columns.iter().filter(|column| column.width > 0);
    let total: usize = shown.map(|column| column.width + GAP).sum();
    total.saturating_sub(GAP)
}

fn line<'c>(
    columns: &'c [Column],
    cell: impl Fn(&'c Column) -> &'c String,
    colour: &str,
) -> String {
    let mut line = String::new();
    for column in columns.iter().filter(|column| column.width > 0) {
        let text = shortened(cell(column), column.width);
        let padding = " ".repeat(column.width.saturating_sub(display_width(&text)));
        let text = if column.is_coloured {
            painted(colour, &text)
        } else {
            text
        };
        let gap = " ".repeat(GAP);
        line.extend(if column.is_right {
            [padding, text, gap]
        } else {
            [text, padding, gap]
        });
    }
    line.trim_end().to_owned()
}

fn painted(style: &str, text: &str) -> String {
    if style.is_empty() || text.is_empty() {
        text.to_owned()
    } else {
        format!("{style}{text}{RESET}")
    }
}
