//! Tables in a Markdown document, as cells.

/// A table with its heading.
#[derive(Debug, PartialEq)]
pub struct Table {
    /// The last heading before the table; empty if there is none.
    pub heading: String,
    /// Its rows, including the titles, without the line of dashes.
    pub rows: Vec<Vec<String>>,
}

/// All tables in a document.
pub fn tables(document: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let mut heading = String::new();
    let mut inside = false;
    for line in document.lines() {
        if line.starts_with('#') {
            line.trim_start_matches(['#', ' ']).clone_into(&mut heading);
        }
        if line.starts_with('|') && !inside {
            tables.push(Table {
                heading: heading.clone(),
                rows: Vec::new(),
            });
        }
        inside = line.starts_with('|');
        if let (true, Some(table)) = (
            inside && !line.starts_with("| ---") && !line.starts_with("| :-"),
            tables.last_mut(),
        ) {
            table.rows.push(cells(line));
        }
    }
    tables
}

/// The name and first number in each table row, such as `Parse 1.5`, without unit and trailing zeros. A cell without
/// a number is kept as it is.
pub fn first_numbers(document: &str) -> Vec<String> {
    let rows = tables(document)
        .into_iter()
        .flat_map(|table| table.rows.into_iter().skip(1));
    rows.map(|row| format!("{} {}", row[0], first_number(&row[1])))
        .collect()
}

fn first_number(cell: &str) -> String {
    let number = cell
        .split(|c: char| !c.is_ascii_digit() && c != '.')
        .next()
        .unwrap_or_default();
    number
        .parse()
        .map_or_else(|_| cell.to_owned(), |number: f64| number.to_string())
}

fn cells(line: &str) -> Vec<String> {
    const PIPE: &str = "\u{1}";
    let line = line.trim_matches('|').replace("\\|", PIPE);
    line.split('|')
        .map(|cell| cell.trim().replace(PIPE, "\\|"))
        .collect()
}
