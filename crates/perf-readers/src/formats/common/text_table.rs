//! Tables among lines of text: a header, and rows with the same number of cells.

/// The characters with which tables are drawn.
const BARS: [char; 4] = ['|', '│', '┃', '║'];

/// How the cells of a line are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    Bar(char),
    Sign(char),
    Blanks,
}

impl Separator {
    fn of(line: &str) -> Self {
        if let Some(bar) = line.chars().find(|c| BARS.contains(c)) {
            return Self::Bar(bar);
        }
        for sign in ['\t', ';', ','] {
            if line.contains(sign) {
                return Self::Sign(sign);
            }
        }
        Self::Blanks
    }

    fn cells(self, line: &str) -> Vec<String> {
        let line = line.trim();
        match self {
            Self::Bar(bar) => {
                let line = line.strip_prefix(bar).unwrap_or(line);
                let line = line.strip_suffix(bar).unwrap_or(line);
                if !line.contains('\\') {
                    return line.split(bar).map(clean).collect();
                }
                line.replace("\\|", "\0")
                    .split(bar)
                    .map(|cell| clean(&cell.replace('\0', "|")))
                    .collect()
            }
            Self::Sign(sign) => split_quoted(line, sign),
            Self::Blanks => {
                let cells = line.split("  ").map(clean);
                cells.filter(|cell| !cell.is_empty()).collect()
            }
        }
    }
}

/// Splits a line into cells, like CSV. The crate `csv` is not used, because creating a reader takes longer than reading
/// a hundred lines.
fn split_quoted(line: &str, sign: char) -> Vec<String> {
    let (mut cells, mut cell, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '"' && is_quoted && chars.next_if_eq(&'"').is_none() {
            is_quoted = false;
        } else if c == '"' && cell.is_empty() && !is_quoted {
            is_quoted = true;
        } else if c == sign && !is_quoted {
            cells.push(clean(&cell));
            cell.clear();
        } else {
            cell.push(c);
        }
    }
    cells.push(clean(&cell));
    cells
}

/// Removes Markdown formatting from a cell.
fn clean(cell: &str) -> String {
    let marked = memchr::memchr2(b'*', b'`', cell.as_bytes());
    let plain = marked.map(|_| cell.replace("**", "").replace('`', ""));
    let cell = plain.as_deref().unwrap_or(cell).trim();
    let link = cell
        .strip_prefix('[')
        .and_then(|link| link.split_once("]("))
        .filter(|(_, rest)| rest.ends_with(')'));
    link.map_or(cell, |(name, _)| name).to_owned()
}

/// True if a cell means that a number is missing.
pub(crate) fn is_blank(cell: &str) -> bool {
    [
        "", "-", "–", "—", "n/a", "na", "nan", "none", "null", "?", "x", "✗", "❌",
    ]
    .contains(&cell.to_lowercase().as_str())
}

/// Whether a line only separates the header from the rows, or one row from another.
fn is_rule(line: &str) -> bool {
    let is_drawn = |c: char| {
        "-=+:─═━ \t".contains(c) || BARS.contains(&c) || ('\u{2500}'..='\u{257f}').contains(&c)
    };
    line.chars().all(is_drawn) && line.chars().filter(|c| !c.is_whitespace()).count() >= 3
}

/// Returns the unit after the number in a cell: `ms` in `1,234.5 ± 3 ms (fast)`. Returns `None` for a cell without a
/// number. A ratio such as `1.5x` is not a number here.
pub(crate) fn unit_of_number(cell: &str) -> Option<&str> {
    let number = |text: &str| {
        let end = text.find(|c: char| !c.is_ascii_digit() && !".,_'".contains(c));
        end.unwrap_or(text.len())
    };
    let cell = cell.trim_start_matches(['~', '≈', ' ']);
    let cell = cell.strip_prefix(['-', '+']).unwrap_or(cell);
    if !cell.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut rest = &cell[number(cell)..];
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.trim_start_matches(['-', '+']);
        let is_exponent = exponent.starts_with(|c: char| c.is_ascii_digit());
        rest = if is_exponent {
            &exponent[number(exponent)..]
        } else {
            rest
        };
    }
    rest = rest.trim();
    for sign in ["±", "+/-", "+-"] {
        if let Some(margin) = rest.strip_prefix(sign) {
            let margin = margin.trim_start();
            rest = margin[number(margin)..].trim_start();
        }
    }
    let is_end = |c: char| c.is_whitespace() || "([±,;".contains(c);
    let (unit, remark) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
    let is_unit =
        unit.is_empty() || unit == "%" || unit.starts_with(|c: char| c.is_alphabetic() || c == '/');
    let remark = remark.trim_start();
    let is_number = is_unit && (remark.is_empty() || remark.starts_with(['(', '[', '±']));
    (is_number && !["x", "X", "×"].contains(&unit)).then_some(unit)
}

/// A table row.
pub(crate) struct TextRow {
    pub cells: Vec<String>,
    /// True for the first row below a header.
    pub begins: bool,
}

/// Finds the rows of tables, line by line.
#[derive(Default)]
pub(crate) struct Finder<'w> {
    /// The columns that a header must contain. If empty, any line above a row with numbers can be a header.
    wanted: &'w [&'w str],
    table: Option<(Separator, Vec<String>)>,
    /// The last line that may be a header.
    before: Option<(Separator, Vec<String>)>,
}

impl<'w> Finder<'w> {
    pub(crate) fn of(wanted: &'w [&'w str]) -> Self {
        Self {
            wanted,
            ..Self::default()
        }
    }

    /// True if `text` contains a header with the wanted columns.
    pub(crate) fn has_header(&self, text: &str) -> bool {
        let has_first = self
            .wanted
            .first()
            .is_some_and(|name| text.find(name).is_some());
        has_first
            && text
                .lines()
                .any(|line| self.is_header(&Separator::of(line).cells(line)))
    }

    /// Returns the header of the table that contains the last row.
    pub(crate) fn header(&self) -> &[String] {
        self.table.as_ref().map_or(&[], |(_, header)| header)
    }

    /// Reads a line, and returns it as a row if it is one.
    pub(crate) fn line(&mut self, line: &str) -> Option<TextRow> {
        if is_rule(line) {
            return None;
        }
        for begins in [true, false] {
            let table = if begins { &self.before } else { &self.table };
            let Some((separator, header)) = table else {
                continue;
            };
            let cells = separator.cells(line);
            if cells.len() == header.len()
                && cells.iter().any(|cell| unit_of_number(cell).is_some())
            {
                if begins {
                    self.table = self.before.take();
                }
                return Some(TextRow { cells, begins });
            }
        }
        let separator = Separator::of(line);
        let cells = separator.cells(line);
        self.before = self.is_header(&cells).then_some((separator, cells));
        None
    }

    fn is_header(&self, cells: &[String]) -> bool {
        let has = |wanted: &&str| cells.iter().any(|cell| cell.eq_ignore_ascii_case(wanted));
        let is_name = |cell: &String| !cell.is_empty() && unit_of_number(cell).is_none();
        cells.len() > 1
            && self.wanted.iter().all(has)
            && (!self.wanted.is_empty() || cells.iter().skip(1).all(is_name))
    }
}

/// A table's header, and its rows with their line numbers.
#[derive(Default)]
pub(crate) struct TextTable {
    pub header: Vec<String>,
    pub rows: Vec<(u64, Vec<String>)>,
}

impl TextTable {
    /// Whether there are enough rows for a table. A table without bars needs two rows, because any two lines of prose
    /// could look like a header and a row.
    fn is_one(&self, finder: &Finder<'_>) -> bool {
        let is_drawn = matches!(finder.table, Some((Separator::Bar(_), _)));
        self.rows.len() > usize::from(!is_drawn)
    }
}

/// Returns the first table with numbers in `text`. A table without bars needs at least two rows.
pub(crate) fn first(text: &str) -> Option<TextTable> {
    let (mut finder, mut table) = (Finder::default(), TextTable::default());
    for (number, line) in (1..).zip(text.lines()) {
        let Some(row) = finder.line(line) else {
            continue;
        };
        if row.begins && table.is_one(&finder) {
            break;
        } else if row.begins {
            table = TextTable {
                header: finder.header().to_vec(),
                rows: Vec::new(),
            };
        }
        table.rows.push((number, row.cells));
    }
    Some(table).filter(|table| table.is_one(&finder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_cells_are_those_of_csv() {
        for (line, cells) in [
            ("a,b", vec!["a", "b"]),
            (r#""a,b",c"#, vec!["a,b", "c"]),
            (r#""a ""b"" c","""#, vec![r#"a "b" c"#, ""]),
            (r#"5" disk,,3"#, vec![r#"5" disk"#, "", "3"]),
            (r#""a"b,"c"#, vec!["ab", "c"]),
        ] {
            assert_eq!(split_quoted(line, ','), cells, "{line}");
            let mut csv = csv::ReaderBuilder::new()
                .has_headers(false)
                .from_reader(line.as_bytes());
            let record = csv.records().next().unwrap().unwrap();
            assert_eq!(record.iter().collect::<Vec<_>>(), cells, "{line}");
        }
    }
}
