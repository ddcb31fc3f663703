//! Pages with tables of packages and their versions.
//!
//! A table is one of versions when its header has a column of packages and a column of versions, by their titles. A
//! row names a package by its label, its id, or the last part of its id.

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use perf_model::packages::{Consumer, Kind, Names, Pin, plain};

use super::names;
use crate::checker::Checker;
use crate::finding::{Edit, FindingRule};
use crate::source::{SourceFile, SourceSpan};

const PACKAGES: &[&str] = &[
    "package",
    "library",
    "dependency",
    "module",
    "crate",
    "name",
    "technology",
];
const VERSIONS: &[&str] = &["version", "pinnedversion", "pin", "pinned", "exactversion"];

/// A row: the package, the version, and the version's bytes.
struct MarkdownRow {
    name: String,
    version: String,
    span: Range<usize>,
}

/// Checks a page; `false` if it does not exist.
pub(super) fn check(checker: &mut Checker<'_>, path: &str, consumer: &Consumer) -> bool {
    let Ok(source) = checker.open(path) else {
        return true;
    };
    let Some(source) = source else { return false };
    let (names, rows) = (Names::new(checker.manifest), rows(&source));
    let place = SourceSpan::start(&source);
    if rows.is_empty() {
        let hint = "give one column the title `Package`, another `Version`";
        checker.find(
            FindingRule::Consumer,
            &place,
            "the page has no table of packages and versions",
            hint,
        );
        return true;
    }
    let mut listed: HashSet<(Kind, &str)> = HashSet::new();
    for row in &rows {
        let pins = names.find(&row.name);
        listed.extend(pins.iter().map(|pin| (pin.kind, pin.id)));
        if !pins.is_empty() {
            version(checker, &source, row, pins);
        } else if !consumer
            .ignore
            .iter()
            .any(|id| names::matches(Kind::Markdown, id, &row.name))
        {
            let message = format!("`{}` is in the table but not pinned", row.name);
            let hint = format!(
                "pin it in `{}`, or add it to the consumer's `ignore`",
                checker.source.path
            );
            let place = SourceSpan::new(&source, row.span.clone());
            checker
                .find(FindingRule::Unpinned, &place, message, hint)
                .found(&row.version);
        }
    }
    let is_missing =
        |pin: &Pin<'_>| super::is_chosen(consumer, *pin) && !listed.contains(&(pin.kind, pin.id));
    for pin in checker.manifest.pins().filter(is_missing) {
        let message = format!("`{}` is pinned but not in the table", pin.id);
        let hint = "add a row, or name the packages of this page in the consumer's `packages`";
        checker
            .find(FindingRule::Missing, &place, message, hint)
            .expected(pin.version);
    }
    true
}

fn version(
    checker: &mut Checker<'_>,
    source: &Rc<SourceFile>,
    row: &MarkdownRow,
    pins: &[Pin<'_>],
) {
    let bare = |version: &str| version.trim_start_matches(['=', 'v']).trim().to_owned();
    let Some(first) = pins.iter().find(|_| {
        pins.iter()
            .all(|pin| bare(pin.version) != bare(&row.version))
    }) else {
        return;
    };
    // Libraries of the same name in two ecosystems may have two versions.
    let is_clear = pins.iter().all(|pin| pin.version == first.version);
    let expected = pins
        .iter()
        .map(|pin| pin.version)
        .collect::<Vec<_>>()
        .join(", ");
    let expected = if is_clear {
        first.version.to_owned()
    } else {
        expected
    };
    let message = format!("the version of `{}` differs from its pin", first.id);
    let hint = format!(
        "write `{expected}`, or change the pin in `{}`",
        checker.source.path
    );
    let fix = (is_clear && !row.version.is_empty()).then(|| Edit {
        span: row.span.clone(),
        text: expected.clone(),
    });
    let place = SourceSpan::new(source, row.span.clone());
    checker
        .find(FindingRule::Version, &place, message, hint)
        .found(&row.version)
        .expected(expected)
        .fix(fix);
}

/// The rows of every table of versions; code blocks have none.
fn rows(source: &SourceFile) -> Vec<MarkdownRow> {
    let mut rows = Vec::new();
    let mut columns: Option<(usize, usize)> = None;
    let mut fence: Option<&str> = None;
    for (start, line) in source.lines() {
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| line.trim_start().starts_with(mark));
        if mark.is_some() && (fence.is_none() || fence == mark) {
            fence = if fence.is_some() { None } else { mark };
        }
        let cells = cells(line);
        if fence.is_some() || cells.len() < 2 {
            columns = None;
            continue;
        }
        let Some((package, version)) = columns else {
            columns = header(&cells);
            continue;
        };
        let (Some((_, name)), Some((at, version))) = (cells.get(package), cells.get(version))
        else {
            continue;
        };
        let is_rule = |cell: &str| !cell.is_empty() && cell.chars().all(|c| "-: ".contains(c));
        if !is_rule(version) && !name.is_empty() {
            let at = start + at;
            rows.push(MarkdownRow {
                name: (*name).to_owned(),
                version: (*version).to_owned(),
                span: at..at + version.len(),
            });
        }
    }
    rows
}

fn header(cells: &[(usize, &str)]) -> Option<(usize, usize)> {
    let find = |titles: &[&str]| {
        cells.iter().position(|(_, cell)| {
            let title = plain(cell);
            titles
                .iter()
                .any(|own| title == *own || title.strip_suffix('s') == Some(own))
        })
    };
    Some((find(PACKAGES)?, find(VERSIONS)?))
}

/// The text of each cell with its offset, without the marks of code, bold and links.
fn cells(line: &str) -> Vec<(usize, &str)> {
    let row = line.trim();
    if !row.contains('|') {
        return Vec::new();
    }
    let start = line.len() - line.trim_start().len();
    let inner = row
        .strip_prefix('|')
        .map_or((start, row), |inner| (start + 1, inner));
    let (offset, mut cells) = (inner.0, Vec::new());
    let text = inner.1.strip_suffix('|').unwrap_or(inner.1);
    let mut start = 0;
    // `\\|` is a part of a cell.
    let marks = text
        .match_indices('|')
        .map(|(at, _)| at)
        .filter(|at| !text[..*at].ends_with('\\'));
    for end in marks.chain([text.len()]) {
        cells.push(visible_text(offset + start, &text[start..end]));
        start = end + 1;
    }
    cells
}

fn visible_text(offset: usize, cell: &str) -> (usize, &str) {
    let marks: &[char] = &[' ', '\t', '`', '*', '_', '['];
    let start = cell.len() - cell.trim_start_matches(marks).len();
    let text = &cell[start..];
    // A link is `[text](url)`.
    let text = text.split_once("](").map_or(text, |(text, _)| text);
    (
        offset + start,
        text.trim_end_matches([' ', '\t', '`', '*', '_', ']']),
    )
}
