//! Whether a newly rendered body says anything that the committed one does not say already.
//!
//! Every run of a benchmark measures slightly different numbers. A page is only worth a commit when one of them
//! moved by more than a tolerance, or when anything else changed: a row, a label, a unit, a sentence.

mod line;

use line::{Row, same_prose};

/// Whether `new_body` differs from `old_body` by nothing but padding, bold marks, measured numbers that moved by at
/// most `tolerance`, and the commit that was measured.
///
/// `tolerance` is a fraction: `0.02` is two percent of the old number, and a number has moved when
/// `|new - old| / |old|` is greater. Anything that is not a number of at least zero counts as zero.
///
/// Table lines begin with `|` and are compared cell by cell. Titles and first cells are names, in which numbers may
/// not move at all. In all other lines only commits may differ. Line endings and newlines around a body are layout.
pub fn settled(old_body: &str, new_body: &str, tolerance: f64) -> bool {
    let tolerance = if tolerance > 0.0 { tolerance } else { 0.0 };
    let mut old_lines = lines(old_body);
    let mut new_lines = lines(new_body);
    let mut row = Row::Title;
    loop {
        match (old_lines.next(), new_lines.next()) {
            (None, None) => return true,
            (Some(old), Some(new)) if is_table(old) || is_table(new) => {
                if !row.same(old, new, tolerance) {
                    return false;
                }
                row = row.next();
            }
            (Some(old), Some(new)) if same_prose(old, new) => row = Row::Title,
            _ => return false,
        }
    }
}

fn lines(body: &str) -> std::str::Lines<'_> {
    body.trim_matches(['\n', '\r']).lines()
}

fn is_table(line: &str) -> bool {
    line.starts_with('|')
}
