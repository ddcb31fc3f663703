//! Markdown tables in Prettier's layout, so that a formatter does not change a page.
//!
//! All cells of a column are padded to the display width of the widest cell. Wide characters (CJK, most emoji) take two
//! columns, and combining marks take none.

use std::iter::repeat_n;

use unicode_width::UnicodeWidthStr;

use super::escape::BREAK;

/// Returns the number of columns that `text` takes in a monospaced font.
pub fn display_width(text: &str) -> usize {
    // Prettier counts one column for the invisible break, but `width` counts none.
    text.width() + text.matches(BREAK).count()
}

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Align {
    /// No alignment (`---`). Cells are padded as with [`Align::Left`].
    #[default]
    None,
    /// Left-aligned (`:--`).
    Left,
    /// Right-aligned (`--:`).
    Right,
}

impl Align {
    /// Returns the shortest delimiter with this alignment.
    fn delimiter(self) -> &'static str {
        match self {
            Self::None => "---",
            Self::Left => ":--",
            Self::Right => "--:",
        }
    }
}

/// A table whose cells are finished Markdown: escaped, on one line, and without unescaped pipes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// The titles of the columns.
    pub header: Vec<String>,
    /// The alignment of each column. Columns beyond the end of the list have [`Align::None`].
    pub align: Vec<Align>,
    /// The rows. A short row is filled with empty cells. A long row widens the table, with empty titles.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Returns the table as lines joined by `\n`, without a newline at the end. A table without columns is empty.
    pub fn to_markdown(&self) -> String {
        let rows = &self.rows;
        let widths = self.widths();
        if widths.is_empty() {
            return String::new();
        }
        let mut out = String::new();
        self.push_row(&mut out, &self.header, &widths);
        out.push('\n');
        self.push_delimiters(&mut out, &widths);
        for row in rows {
            out.push('\n');
            self.push_row(&mut out, row, &widths);
        }
        out
    }

    /// Returns the lines without padding, for Markdown that nobody reads as source. The first two lines are the header.
    /// A table without columns has no lines.
    pub(crate) fn compact(&self) -> Vec<String> {
        let columns = self.widths().len();
        if columns == 0 {
            return Vec::new();
        }
        let mut delimiters = Vec::new();
        for column in 0..columns {
            delimiters.push(self.align(column).delimiter().to_owned());
        }
        let mut lines = Vec::new();
        for cells in [&self.header, &delimiters].into_iter().chain(&self.rows) {
            let mut line = String::new();
            for column in 0..columns {
                let cell = cells.get(column).map_or("", |cell| trimmed(cell));
                line.extend(["| ", cell, " "]);
            }
            lines.push(line + "|");
        }
        lines
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

/// The width of Prettier's narrowest column: a delimiter has three characters.
const MIN_WIDTH: usize = 3;

/// Removes the space around a cell, which is only layout.
fn trimmed(cell: &str) -> &str {
    cell.trim_matches([' ', '\t'])
}
