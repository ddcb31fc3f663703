//! Tables of a Markdown document, as cells.

/// A table with the heading above it.
#[derive(Debug, PartialEq)]
pub struct Table {
    /// The text of the last heading before the table; empty when there is none.
    pub heading: String,
    /// Its lines, the titles first, without the line of dashes.
    pub rows: Vec<Vec<String>>,
}

/// Every table of a document.
pub fn tables(document: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let mut heading = String::new();
    let mut inside = false;
    for line in document.lines() {
        if line.starts_with('#') {
            line.trim_start_matches(['#', ' ']).clone_into(&mut heading);
        }
        if line.starts_with('|') && !inside {
            tables.push(Table { heading: heading.clone(), rows: Vec::new() });
        }
        inside = line.starts_with('|');
        if let (true, Some(table)) = (inside && !line.starts_with("| ---"), tables.last_mut()) {
            table.rows.push(cells(line));
        }
    }
    tables
}

fn cells(line: &str) -> Vec<String> {
    const PIPE: &str = "\u{1}";
    let line = line.trim_matches('|').replace("\\|", PIPE);
    line.split('|').map(|cell| cell.trim().replace(PIPE, "\\|")).collect()
}
