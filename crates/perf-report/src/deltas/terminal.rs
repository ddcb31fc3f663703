//! The differences at a terminal: an aligned table, the gravest first, what is folded as counts, and the headline.

use crate::markdown::table::{Align, display_width};

use super::cells::column::{COLUMNS, ColumnKind, DeltaColumn};
use super::cells::state::RowState;
use super::context::{ReportContext, ReportRequest};
use super::table::{Rowset, Tables};
use super::{excused, headline, lists};
use crate::number::whole;
use crate::plain::{safe, shortened, wrapped};
use crate::prefix::SharedEnds;
use crate::sentences;

/// The space between columns.
const GAP: usize = 2;

/// The maximum number of rows that are shown unless all are asked for.
const MOST: usize = 40;

/// Rows within their limits are shown, too, where there are no others and not more than these.
const FEW: usize = 20;

const RESET: &str = "\u{1b}[0m";
const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const YELLOW: &str = "\u{1b}[33m";

/// The terminal: its width, and how much to show on it.
#[derive(Clone, Copy, Debug)]
pub struct TerminalOptions {
    /// The width in columns.
    pub width: usize,
    /// True to show all rows, and how each verdict was decided.
    pub is_verbose: bool,
}

/// The differences as text with ANSI colours, which the edge takes out where they are not wanted.
pub fn terminal(request: &ReportRequest<'_>, options: TerminalOptions) -> String {
    let context = ReportContext::new(request);
    let (most, folded) = if options.is_verbose {
        (usize::MAX, usize::MAX)
    } else {
        (MOST, 0)
    };
    let tables = Tables::new(&context, folded.max(FEW + 1));
    let is_well = tables.top.rows.is_empty() && tables.shifted.rows.is_empty();
    let within = if is_well && tables.within.rows.len() <= FEW {
        FEW
    } else {
        folded
    };
    let mut blocks = Vec::new();
    blocks.push(table(&tables.top, options, most));
    blocks.push(table(&tables.shifted, options, folded));
    blocks.push(table(&tables.within, options, within));
    if options.is_verbose {
        blocks.extend(decided(&context, options));
    }
    blocks.push(counts(&context, &tables, options));
    blocks.push(wrapped(
        &painted(BOLD, &safe(&headline::plain(&context))),
        options.width,
    ));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

/// The first `most` rows.
fn table(rows: &Rowset, options: TerminalOptions, most: usize) -> String {
    let shown = &rows.rows[..rows.rows.len().min(most)];
    if shown.is_empty() {
        return String::new();
    }
    let has_metrics = ColumnKind::Metric.is_kept(&rows.rows);
    let cells = |shared: SharedEnds<'_>| -> Vec<Vec<String>> {
        let is_said = |column: &DeltaColumn| has_metrics || column.kind != ColumnKind::Metric;
        let cell = |row, column| {
            if is_said(column) {
                (column.plain)(row, shared)
            } else {
                String::new()
            }
        };
        let cells = |row| COLUMNS.iter().map(|column| cell(row, column)).collect();
        shown.iter().map(cells).collect()
    };
    let long: Vec<String> = COLUMNS
        .iter()
        .map(|column| (column.title)(&rows.rows, SharedEnds::default()))
        .collect();
    let short: Vec<String> = COLUMNS
        .iter()
        .map(|column| column.short.to_owned())
        .collect();
    let (shared, all) = (rows.shared_ends(), cells(SharedEnds::default()));
    let is_cut = !shared.is_empty() && total(&widths(&short, &all, usize::MAX)) > options.width;
    let cells = if is_cut { cells(shared) } else { all };
    // Where the trend has no room, a long title is worth less than names; so is the metric in it.
    let bare = long
        .iter()
        .map(|title| title.split(" (").next().unwrap_or(title).to_owned())
        .collect();
    let wide = |header: &[String]| total(&widths(header, &cells, usize::MAX));
    let narrowest = wide(&short);
    let fits = |header: &Vec<String>| wide(header) <= options.width || wide(header) <= narrowest;
    let header = [long, bare].into_iter().find(fits).unwrap_or(short);
    let widths = widths(&header, &cells, options.width);
    let title = is_cut.then(|| {
        painted(
            DIM,
            &wrapped(
                &format!("Benchmarks in {}", safe(&shared.title())),
                options.width,
            ),
        )
    });
    let mut said: Vec<String> = title.into_iter().collect();
    said.push(painted(DIM, &line(&header, &widths, str::to_owned)));
    said.extend(shown.iter().zip(&cells).map(|(row, cells)| {
        let color = color(row.state);
        line(cells, &widths, |cell| painted(color, cell))
    }));
    if rows.rows.len() > shown.len() {
        let more = whole(rows.rows.len() - shown.len());
        said.push(format!("and {more} more rows (-v shows all)"));
    }
    said.join("\n")
}

/// The width of each column: as wide as its widest cell if the terminal has room. The trend goes first, then names
/// and metrics become shorter.
fn widths(header: &[String], rows: &[Vec<String>], terminal: usize) -> Vec<usize> {
    let width = |at: usize| {
        let widest = rows
            .iter()
            .map(|cells| display_width(&cells[at]))
            .max()
            .unwrap_or(0);
        if widest == 0 {
            0
        } else {
            widest.max(display_width(&header[at]))
        }
    };
    let mut widths: Vec<usize> = (0..COLUMNS.len()).map(width).collect();
    for (at, column) in COLUMNS.iter().enumerate().rev() {
        if column.kind == ColumnKind::Trend && total(&widths) > terminal {
            widths[at] = 0;
        }
    }
    for (at, column) in COLUMNS.iter().enumerate() {
        if let Some(least) = column.kind.least() {
            let over = total(&widths).saturating_sub(terminal);
            widths[at] = widths[at].saturating_sub(over).max(least.min(widths[at]));
        }
    }
    widths
}

fn total(widths: &[usize]) -> usize {
    widths
        .iter()
        .filter(|width| **width > 0)
        .map(|width| width + GAP)
        .sum::<usize>()
        .saturating_sub(GAP)
}

/// One line: the state, the change and the header's cells in their colour; numbers to the right.
fn line(cells: &[String], widths: &[usize], paint: impl Fn(&str) -> String) -> String {
    let mut line = String::new();
    for ((column, cell), width) in COLUMNS
        .iter()
        .zip(cells)
        .zip(widths)
        .filter(|(_, width)| **width > 0)
    {
        let text = shortened(cell, *width);
        let padding = " ".repeat(width - display_width(&text).min(*width));
        let text = if matches!(column.kind, ColumnKind::State | ColumnKind::Change) {
            paint(&text)
        } else {
            text
        };
        let is_right = column.kind.align() == Align::Right;
        let (before, after) = if is_right {
            (&*padding, "")
        } else {
            ("", &*padding)
        };
        line.extend([before, &text, after, &" ".repeat(GAP)]);
    }
    line.trim_end().to_owned()
}

fn color(state: RowState) -> &'static str {
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

/// Lines for the metrics without a row: their number by state.
fn counts(context: &ReportContext<'_>, tables: &Tables, options: TerminalOptions) -> String {
    let mut said = Vec::new();
    if !tables.shifted.rows.is_empty() {
        said.push(tables.shifted_summary());
    }
    // Where nothing else is, the headline says it, above rows or without.
    if tables.benchmarks_within > 0 && !tables.top.rows.is_empty() {
        said.push(tables.within_plain(context));
    } else if tables.within.rows.len() > FEW && !options.is_verbose {
        said.push(format!(
            "{} rows (-v shows all)",
            whole(tables.within.all())
        ));
    }
    if context.tally.waived > 0 {
        said.push(excused::waived_summary(context));
    }
    said.extend(lists::uncompared_reasons(context));
    said.extend(sentences::self_comparison(context.comparison));
    let said = said
        .iter()
        .map(|said| wrapped(&painted(DIM, &safe(said)), options.width));
    said.collect::<Vec<_>>().join("\n")
}

/// The explanations of all failing and inconclusive verdicts, one each.
fn decided(context: &ReportContext<'_>, options: TerminalOptions) -> Vec<String> {
    let all = lists::open(context).into_iter().flatten();
    let said = all.map(|found| {
        let place = context.place_of(&found).plain();
        format!("{place}, {}", lists::how(context, &found))
    });
    said.map(|said| wrapped(&safe(&said), options.width))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_shrink_before_numbers() {
        let row = [
            "regressed",
            "−50%",
            &"n".repeat(90),
            "Time",
            "100 ns",
            "200 ns",
            "▁█",
        ];
        let row = row.map(str::to_owned).to_vec();
        let header: Vec<String> = COLUMNS
            .iter()
            .map(|column| column.short.to_owned())
            .collect();
        for terminal in [64, 80, 200] {
            let widths = widths(&header, std::slice::from_ref(&row), terminal);
            let line = line(&row, &widths, str::to_owned);
            assert!(display_width(&line) <= terminal, "{line}");
            assert!(line.contains("100 ns") && line.contains("200 ns"), "{line}");
        }
    }
}
