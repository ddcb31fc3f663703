//! `--fix`: applies the edits of findings.

use std::collections::BTreeMap;

use similar::TextDiff;

use crate::finding::{Edit, PackagesReport};

/// All edits of a report, by file.
pub fn edits(report: &PackagesReport) -> BTreeMap<&str, Vec<&Edit>> {
    let mut edits: BTreeMap<&str, Vec<&Edit>> = BTreeMap::new();
    for finding in &report.findings {
        if let Some(edit) = &finding.fix {
            edits.entry(&finding.file).or_default().push(edit);
        }
    }
    edits
}

/// Applies edits to a file; everything else, including a byte order mark, is kept.
///
/// Of overlapping edits only the first is applied; another check reports what is left.
pub fn apply(text: &str, edits: &[&Edit]) -> String {
    let mark = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let (mark, body) = text.split_at(mark);
    let mut edits = edits.to_vec();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    edits.dedup();
    let mut fixed = mark.to_owned();
    let mut done = 0;
    for Edit { span, text } in edits {
        if let Some(kept) = body.get(done..span.start) {
            fixed.push_str(kept);
            fixed.push_str(text);
            done = span.end;
        }
    }
    fixed.push_str(body.get(done..).unwrap_or_default());
    fixed
}

/// The change as a unified diff.
pub fn diff(path: &str, old: &str, new: &str) -> String {
    TextDiff::from_lines(old, new)
        .unified_diff()
        .header(&format!("a/{path}"), &format!("b/{path}"))
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: usize, end: usize, text: &str) -> Edit {
        Edit {
            span: start..end,
            text: text.to_owned(),
        }
    }

    #[test]
    fn edits_keep_the_rest() {
        let (a, b, twice) = (edit(1, 2, "xx"), edit(4, 4, "+"), edit(1, 2, "xx"));
        assert_eq!(
            apply("\u{feff}abcd\r\n", &[&b, &a, &twice]),
            "\u{feff}axxcd+\r\n"
        );
    }

    #[test]
    fn overlapping_and_invalid_edits_are_skipped() {
        let (a, b, outside, in_char) = (
            edit(0, 3, "x"),
            edit(1, 2, "y"),
            edit(50, 60, "z"),
            edit(4, 5, "w"),
        );
        assert_eq!(apply("abcé", &[&a, &b, &outside, &in_char]), "xé");
    }
}
