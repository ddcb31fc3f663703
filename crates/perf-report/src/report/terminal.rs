//! The report on the terminal: an aligned table with the most severe rows first, counts of the other rows, and the
//! headline.

use super::Report;
use super::rows::{Row, base_title, needs_metric, shared_ends, unit_of};
use super::sections::{Section, SectionKind};
use super::state::RowState;
use crate::markdown::table::display_width;
use crate::names::{SharedEnds, shortened};
use crate::number::whole;
use crate::plain::{safe, wrapped};

/// The space between columns.
const GAP: usize = 2;

/// The maximum number of rows unless all are requested.
const MOST: usize = 40;

/// The maximum number of rows within limits, which are shown if there are no others.
const FEW: usize = 20;

/// The minimum width of names, unless nothing else helps.
const SHORTEST_NAME: usize = 30;

/// The minimum width of the metric.
const SHORTEST_METRIC: usize = 10;

const RESET: &str = "\u{1b}[0m";
const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const YELLOW: &str = "\u{1b}[33m";

/// The terminal's width, and how much to show on it.
#[derive(Clone, Copy, Debug)]
pub struct TerminalOptions {
    /// The width in columns.
    pub width: usize,
    /// True to show all rows, and how each verdict was decided.
    pub is_verbose: bool,
}

impl Report {
    /// The report as text with ANSI colours, which the caller may remove.
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
        let headline = painted(BOLD, &safe(&self.summary()));
        blocks.push(wrapped(&headline, options.width));
        blocks.retain(|block| !block.is_empty());
        blocks.join("\n\n") + "\n"
    }

    /// Counts of the metrics without a row.
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
            lines.push(format!("{all} rows (-v shows all)"));
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
        let lines = lines
            .iter()
            .map(|line| wrapped(&painted(DIM, &safe(line)), options.width));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The explanations of all failing and inconclusive verdicts.
    fn explanations(&self, width: usize) -> Vec<String> {
        let is_decided = |section: &&Section| section.kind == SectionKind::Decided;
        let mut explanations = Vec::new();
        for entry in self
            .sections
            .iter()
            .filter(is_decided)
            .flat_map(|section| &section.entries)
        {
            let name = entry
                .name
                .as_ref()
                .map(crate::names::BenchmarkName::plain)
                .unwrap_or_default();
            let metric = entry.metric.as_deref().unwrap_or_default();
            let text = format!("{name}, {metric}: {}", entry.text);
            explanations.push(wrapped(&safe(&text), width));
        }
        explanations
    }
}

/// A column: title, cells, and layout.
struct Column {
    title: String,
    cells: Vec<String>,
    is_right: bool,
    /// True if the cells have their row's colour.
    is_coloured: bool,
    width: usize,
}

impl Column {
    fn new(title: impl Into<String>, cells: Vec<String>) -> Self {
        let title = title.into();
        let widest = cells
            .iter()
            .map(|cell| display_width(cell))
            .max()
            .unwrap_or(0);
        let width = if widest == 0 {
            0
        } else {
            widest.max(display_width(&title))
        };
        Self {
            title,
            cells,
            is_right: false,
            is_coloured: false,
            width,
        }
    }

    fn right(self) -> Self {
        Self {
            is_right: true,
            ..self
        }
    }

    fn coloured(self) -> Self {
        Self {
            is_coloured: true,
            ..self
        }
    }
}

/// The indices of the columns that shrink in a narrow terminal.
const NAME: usize = 2;
const METRIC: usize = 5;
const TREND: usize = 6;

/// The first `most` rows.
fn table(all: &[Row], width: usize, most: usize) -> String {
    let rows = &all[..all.len().min(most)];
    if rows.is_empty() {
        return String::new();
    }
    let has_metric = needs_metric(rows);
    let mut columns = columns(rows, SharedEnds::default(), has_metric);
    let mut shared = shared_ends(rows);
    let mut lines = Vec::new();
    if shared.is_empty() || total(&columns) <= width {
        shared = SharedEnds::default();
    } else {
        columns = self::columns(rows, shared, has_metric);
        let title = format!("Benchmarks in {}", safe(&shared.title()));
        lines.push(painted(DIM, &wrapped(&title, width)));
    }
    fit(&mut columns, width);
    if has_metric && columns[METRIC].width == 0 {
        columns = self::columns(rows, shared, false);
        fit(&mut columns, width);
    }
    let header = line(&columns, |column| &column.title, "");
    lines.push(painted(DIM, &header));
    for (at, row) in rows.iter().enumerate() {
        lines.push(line(
            &columns,
            |column| &column.cells[at],
            colour(row.state),
        ));
    }
    if all.len() > rows.len() {
        let more = whole(all.len() - rows.len());
        lines.push(format!("and {more} more rows (-v shows all)"));
    }
    lines.join("\n")
}

/// All columns. Without the metric column, counts include their noun.
fn columns(rows: &[Row], shared: SharedEnds<'_>, has_metric: bool) -> Vec<Column> {
    let cells = |cell: &dyn Fn(&Row) -> String| rows.iter().map(|row| safe(&cell(row))).collect();
    // A common unit is shown in the header. Otherwise only the second number of a row shows it.
    let unit = uniform_unit(rows);
    let titled = |title: &str| match &unit {
        Some(unit) => format!("{title} ({})", unit.trim_start_matches('\u{a0}')),
        None => title.to_owned(),
    };
    let head = |row: &Row| {
        let head = row.figures.head.as_str();
        if !row.noun.is_empty() && !has_metric && !row.figures.is_absent {
            return format!("{head} {}", row.noun);
        }
        let bare = unit
            .as_ref()
            .and_then(|unit| head.strip_suffix(unit.as_str()));
        bare.unwrap_or(head).to_owned()
    };
    let metric = |row: &Row| {
        if has_metric {
            row.metric.clone()
        } else {
            String::new()
        }
    };
    vec![
        Column::new("", cells(&state_word)).coloured(),
        Column::new("Change", cells(&|row| row.figures.change.clone()))
            .right()
            .coloured(),
        Column::new("Benchmark", cells(&|row| row.name.within(shared).plain())),
        Column::new(titled(&base_title(rows)), cells(&|row| base(row, rows))).right(),
        Column::new(titled("Head"), cells(&head)).right(),
        Column::new("Metric", cells(&metric)),
        Column::new("Trend", cells(&|row| row.trend.clone())),
    ]
}

/// The first number without its unit, which the second one shows. A missing benchmark's number keeps it if no other row
/// shows it.
fn base(row: &Row, rows: &[Row]) -> String {
    let bare = row.figures.base_without_unit();
    let unit = unit_of(&row.figures.base);
    let is_shown = |other: &Row| !other.figures.is_absent && other.figures.head.ends_with(unit);
    if row.figures.is_absent && rows.iter().any(is_shown) {
        return row
            .figures
            .base
            .strip_suffix(unit)
            .unwrap_or(&bare)
            .to_owned();
    }
    bare
}

fn state_word(row: &Row) -> String {
    if row.state == RowState::Within {
        String::new()
    } else {
        row.word.to_owned()
    }
}

/// The rows' common unit; `None` if they differ.
fn uniform_unit(rows: &[Row]) -> Option<String> {
    let mut unit = None;
    for row in rows {
        let figures = &row.figures;
        let head = if figures.is_absent { "" } else { &figures.head };
        for number in [figures.base.as_str(), head] {
            let own = unit_of(number);
            if number.is_empty() {
                continue;
            }
            if own.is_empty() || unit.is_some_and(|unit| unit != own) {
                return None;
            }
            unit = Some(own);
        }
    }
    unit.map(str::to_owned)
}

/// Makes the columns fit: first without the trend, then with shorter metrics and names, then without the metric. Only a
/// very narrow terminal shortens names below [`SHORTEST_NAME`].
fn fit(columns: &mut [Column], width: usize) {
    let mut shrink = |at: usize, least: usize| {
        let over = total(columns).saturating_sub(width);
        let column: &mut Column = &mut columns[at];
        column.width = column
            .width
            .saturating_sub(over)
            .max(least.min(column.width));
        if over > 0 && least == 0 {
            column.width = 0;
        }
    };
    shrink(TREND, 0);
    shrink(METRIC, SHORTEST_METRIC);
    shrink(NAME, SHORTEST_NAME);
    shrink(METRIC, 0);
    shrink(NAME, SHORTEST_METRIC);
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

fn colour(state: RowState) -> &'static str {
    match state {
        RowState::Regressed | RowState::Missing => RED,
        RowState::Improved => GREEN,
        RowState::Unmeasured
        | RowState::Inconclusive
        | RowState::Shifted
        | RowState::Warned
        | RowState::Unguarded
        | RowState::Slower => YELLOW,
        RowState::Within | RowState::NotGated | RowState::Uncompared | RowState::Waived => "",
    }
}

fn painted(style: &str, text: &str) -> String {
    if style.is_empty() || text.is_empty() {
        text.to_owned()
    } else {
        format!("{style}{text}{RESET}")
    }
}
