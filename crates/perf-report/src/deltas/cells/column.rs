//! The columns of the tables, in the comment and at a terminal.

use crate::markdown::escape::inline;
use crate::markdown::table::Align;

use super::row::{DeltaRow, SAME};
use super::state::RowState;
use crate::deltas::context::breakable;
use crate::plain::safe;
use crate::prefix::SharedEnds;
use crate::words::NO_BREAK;

/// A column: to add one, add it to [`COLUMNS`].
pub(crate) struct DeltaColumn {
    pub(crate) kind: ColumnKind,
    /// The title where all benchmarks begin or end with texts that only the title has; they may be empty.
    pub(crate) title: fn(&[DeltaRow], SharedEnds<'_>) -> String,
    /// The title where that has no room.
    pub(crate) short: &'static str,
    /// The cell in a comment, below a title with these texts.
    pub(crate) markdown: fn(&DeltaRow, SharedEnds<'_>) -> String,
    /// The cell at a terminal, likewise.
    pub(crate) plain: fn(&DeltaRow, SharedEnds<'_>) -> String,
}

/// The layout of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    State,
    Name,
    /// Left out where all rows have the same: the title of the numbers says it.
    Metric,
    Number,
    Change,
    Trend,
}

impl ColumnKind {
    pub(crate) fn align(self) -> Align {
        match self {
            Self::State => Align::Center,
            Self::Name | Self::Metric | Self::Trend => Align::None,
            Self::Number | Self::Change => Align::Right,
        }
    }

    /// The width that its texts may be shortened to; `None` where they may not.
    pub(crate) fn least(self) -> Option<usize> {
        match self {
            Self::Name => Some(16),
            Self::Metric => Some(8),
            _ => None,
        }
    }

    /// False for a column that says nothing about these rows.
    pub(crate) fn is_kept(self, rows: &[DeltaRow]) -> bool {
        match self {
            Self::State => rows.iter().any(|row| !row.state.icon().is_empty()),
            Self::Metric => uniform(rows).is_none(),
            Self::Trend => rows.iter().any(|row| !row.trend.is_empty()),
            Self::Name | Self::Number | Self::Change => true,
        }
    }
}

pub(crate) const COLUMNS: [DeltaColumn; 7] = [
    DeltaColumn {
        kind: ColumnKind::State,
        title: |_, _| String::new(),
        short: "",
        markdown: |row, _| row.state.icon().to_owned(),
        plain: |row, _| {
            if row.state == RowState::Within {
                ""
            } else {
                row.word
            }
            .to_owned()
        },
    },
    DeltaColumn {
        kind: ColumnKind::Change,
        title: |_, _| "Change".to_owned(),
        short: "Change",
        markdown: |row, _| match row.figures.change.as_str() {
            // A lone tilde needs no escape.
            text @ ("" | SAME) => text.to_owned(),
            text if row.state == RowState::Regressed => format!("**{}**", change(text)),
            text => change(text),
        },
        plain: |row, _| safe(&row.figures.change),
    },
    DeltaColumn {
        kind: ColumnKind::Name,
        title: |_, shared| match &*shared.title() {
            "" => "Benchmark".to_owned(),
            title => format!("Benchmark in {}", breakable(title)),
        },
        short: "Benchmark",
        markdown: |row, shared| {
            row.place.cell(
                shared,
                row.state.is_open() || row.state == RowState::Missing,
            )
        },
        plain: |row, shared| safe(&row.place.within(shared).plain()),
    },
    DeltaColumn {
        kind: ColumnKind::Metric,
        title: |_, _| "Metric".to_owned(),
        short: "Metric",
        markdown: |row, _| {
            inline(&row.metric)
                + if row.state.is_gated() {
                    ""
                } else {
                    " (not gated)"
                }
        },
        plain: |row, _| safe(&row.metric),
    },
    DeltaColumn {
        kind: ColumnKind::Number,
        title: |rows, _| reference(rows),
        short: "Reference",
        markdown: |row, _| number(&row.figures.from),
        plain: |row, _| safe(&row.figures.from),
    },
    DeltaColumn {
        kind: ColumnKind::Number,
        title: |_, _| "Current".to_owned(),
        short: "Current",
        markdown: |row, _| {
            let to = &row.figures.to;
            if row.figures.is_absent {
                format!("*{to}*")
            } else {
                number(to)
            }
        },
        plain: |row, _| safe(&row.figures.to),
    },
    DeltaColumn {
        kind: ColumnKind::Trend,
        title: |_, _| "Trend".to_owned(),
        short: "Trend",
        markdown: |row, _| row.trend.clone(),
        plain: |row, _| row.trend.clone(),
    },
];

/// A number with its unit on one line. Escaping turns every space into a plain one.
fn number(text: &str) -> String {
    inline(text).replace(' ', &NO_BREAK.to_string())
}

/// A change on one line; where there is little room, its interval stands on the next.
fn change(text: &str) -> String {
    number(text).replace(&format!("{NO_BREAK}\\["), " \\[")
}

/// The metric, where all rows are of one.
fn uniform(rows: &[DeltaRow]) -> Option<&str> {
    let mut named = rows.iter().filter(|row| !row.metric.is_empty());
    let first = &*named.next()?.metric;
    (named.all(|row| row.metric == first) && rows.iter().all(|row| row.state.is_gated()))
        .then_some(first)
}

/// The header of the baseline's column: the number that the changes of these rows are measured from, and what it counts
/// where no column says so.
fn reference(rows: &[DeltaRow]) -> String {
    let compared = || rows.iter().filter(|row| !row.figures.from.is_empty());
    let medians: Vec<usize> = compared().filter_map(|row| row.figures.median_of).collect();
    let metric = uniform(rows)
        .map(|metric| format!(" ({})", inline(metric)))
        .unwrap_or_default();
    let reference = match (medians.iter().min(), medians.iter().max()) {
        (Some(least), Some(most)) => {
            let values = if least == most {
                least.to_string()
            } else {
                format!("{least}–{most}")
            };
            let all = medians.len() == compared().count();
            if all {
                format!("Median of {values}")
            } else {
                format!("Baseline, or median of {values}")
            }
        }
        _ => "Baseline".to_owned(),
    };
    reference + &metric
}
