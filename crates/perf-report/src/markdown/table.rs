//! Markdown tables in Prettier's layout, so that a formatter does not change a page.
//!
//! All cells of a column are padded to the display width of the widest cell. Wide characters (CJK, most emoji) count as
//! two columns, combining marks as none.

use std::iter::repeat_n;

mod width;

pub use width::display_width;

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Align {
    /// Unspecified (`---`); padded like [`Align::Left`].
    #[default]
    None,
    /// To the left (`:--`).
    Left,
    /// Centred (`:-:`).
    Center,
    /// To the right (`--:`).
    Right,
}

impl Align {
    /// The shortest delimiter.
    fn delimiter(self) -> &'static str {
        match self {
            Self::None => "---",
            Self::Left => ":--",
            Self::Center => ":-:",
            Self::Right => "--:",
        }
    }
}

/// A table whose cells are finished Markdown: escaped, on one line, without bare pipes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// The titles of the columns.
    pub header: Vec<String>,
    /// The alignment of each column; [`Align::None`] if the list is too short.
    pub align: Vec<Align>,
    /// The rows. A short row is filled with empty cells; a long one widens the table, with empty titles.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// The table as lines joined by `\n`, without a newline at the end; empty without columns.
    pub fn to_markdown(&self) -> String {
        let rows = &self.rows;
        let widths = self.widths();
        if widths.is_empty() {
            return String::new();
        }
        let line = widths.iter().map(|width| width + 3).sum::<usize>() + 2;
        let mut out = String::with_capacity(line * (rows.len() + 2));
        self.push_row(&mut out, &self.header, &widths);
        out.push('\n');
        self.push_delimiters(&mut out, &widths);
        for row in rows {
            out.push('\n');
            self.push_row(&mut out, row, &widths);
        }
        out
    }

    /// The first `rows` rows without padding, for text that is only read rendered.
    pub fn compact(&self, rows: usize) -> String {
        let rows = &self.rows[..rows.min(self.rows.len())];
        let columns = std::iter::once(&self.header)
            .chain(rows)
            .map(Vec::len)
            .max()
            .unwrap_or(0);
        if columns == 0 {
            return String::new();
        }
        let delimiters = (0..columns)
            .map(|column| self.align(column).delimiter().to_owned())
            .collect();
        let line = |cells: &Vec<String>| {
            let cells =
                (0..columns).map(|column| cells.get(column).map_or("", |cell| trimmed(cell)));
            cells.fold(String::new(), |line, cell| line + "| " + cell + " ") + "|"
        };
        let lines = [&self.header, &delimiters]
            .into_iter()
            .chain(rows)
            .map(line);
        lines.collect::<Vec<_>>().join("\n")
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = vec![MIN_WIDTH; self.align.len()];
        for row in std::iter::once(&self.header).chain(&self.rows) {
            if widths.len() < row.len() {
                widths.resize(row.len(), MIN_WIDTH);
            }
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(display_width(trimmed(cell)));
            }
        }
        widths
    }

    fn align(&self, column: usize) -> Align {
        self.align.get(column).copied().unwrap_or_default()
    }

    fn push_row(&self, out: &mut String, row: &[String], widths: &[usize]) {
        for (column, width) in widths.iter().enumerate() {
            let cell = row.get(column).map_or("", |cell| trimmed(cell));
            let padding = width - display_width(cell);
            let before = match self.align(column) {
                Align::None | Align::Left => 0,
                Align::Center => padding / 2,
                Align::Right => padding,
            };
            out.push_str("| ");
            out.extend(repeat_n(' ', before));
            out.push_str(cell);
            out.extend(repeat_n(' ', padding - before + 1));
        }
        out.push('|');
    }

    fn push_delimiters(&self, out: &mut String, widths: &[usize]) {
        for (column, width) in widths.iter().enumerate() {
            let delimiter = self.align(column).delimiter();
            out.push_str("| ");
            out.push_str(&delimiter[..1]);
            out.extend(repeat_n('-', width - 2));
            out.push_str(&delimiter[2..]);
            out.push(' ');
        }
        out.push('|');
    }
}

/// Prettier's narrowest column: a delimiter has three characters.
const MIN_WIDTH: usize = 3;

/// Space around a cell is layout.
fn trimmed(cell: &str) -> &str {
    cell.trim_matches([' ', '\t'])
}
