//! Tables in a page. Prettier leaves the expected texts unchanged.

use insta::assert_snapshot;
use perf_report::markdown::table::{Align, Table, display_width};
use proptest::prelude::*;

fn strings(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

fn table(align: &[Align], lines: &[&[&str]]) -> String {
    let mut rows: Vec<_> = lines.iter().map(|row| strings(row)).collect();
    let header = rows.remove(0);
    Table {
        header,
        align: align.to_vec(),
        rows,
    }
    .to_markdown()
}

#[test]
fn every_alignment_pads_on_its_side() {
    let aligns = [Align::None, Align::Left, Align::Right];
    assert_snapshot!(
        table(&aligns, &[
            &["Scenario", "Kind", "Time"],
            &["Parse small file", "cold", "1,204.50 ms"],
            &["Sort", "**warm**", "n/a"],
            &[r"a\|b", "`x`", "0.1 ms"],
        ]),
        @r"
    | Scenario         | Kind     |        Time |
    | ---------------- | :------- | ----------: |
    | Parse small file | cold     | 1,204.50 ms |
    | Sort             | **warm** |         n/a |
    | a\|b             | `x`      |      0.1 ms |
    "
    );
}

#[test]
fn wide_and_combining_characters_have_their_width() {
    assert_snapshot!(
        table(&[Align::None, Align::Right], &[
            &["名前", "✓"],
            &["日本語テスト", "⚡"],
            &["ox\u{301}", "⚠️"],
            &["👩🏽‍🚀 crew", "👍🏽"],
            &["한글", "1️⃣"],
            &["🇩🇪", "µs"],
        ]),
        @"
    | 名前         |   ✓ |
    | ------------ | --: |
    | 日本語テスト |  ⚡ |
    | ox́           |  ⚠️ |
    | 👩🏽‍🚀 crew      |  👍🏽 |
    | 한글         |  1️⃣ |
    | 🇩🇪           |  µs |
    "
    );
}

#[test]
fn narrow_columns_have_room_for_a_delimiter() {
    assert_snapshot!(table(&[Align::Right], &[&["a", ""], &["", "b"]]), @"
    |   a |     |
    | --: | --- |
    |     | b   |
    ");
}

#[test]
fn short_rows_are_filled_and_long_rows_lose_nothing() {
    assert_snapshot!(table(&[], &[&["a", "b"], &["1"], &["1", "2", "3"], &[]]), @"
    | a   | b   |     |
    | --- | --- | --- |
    | 1   |     |     |
    | 1   | 2   | 3   |
    |     |     |     |
    ");
    assert_eq!(Table::default().to_markdown(), "");
    assert_eq!(table(&[Align::Right], &[&[]]), "|     |\n| --: |");
}

#[test]
fn space_around_a_cell_is_not_part_of_it() {
    assert_eq!(
        table(&[], &[&[" a "], &["bcd  "]]),
        table(&[], &[&["a"], &["bcd"]])
    );
}

#[test]
fn widths_match_prettier() {
    let widths = [
        ("", 0),
        ("plain", 5),
        ("©", 1),
        ("©️", 2),
        ("❤", 1),
        ("❤️", 2),
        ("👨‍👩‍👧", 2),
        ("👁️‍🗨️", 2),
        ("🤷🏿‍♀️", 2),
        ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2),
        ("#️⃣", 2),
        ("ﾊﾝｶｸ", 4),
        ("नमस्ते", 4),
        ("a\u{200B}b", 3),
        ("a\u{301}\u{302}", 1),
        ("→ ±…", 4),
    ];
    for (text, width) in widths {
        assert_eq!(display_width(text), width, "{text:?}");
    }
}

proptest! {
    #[test]
    fn lines_have_equal_width_and_all_cells(
        header in prop::collection::vec("[a-z日é ]{0,6}", 0..5),
        rows in prop::collection::vec(prop::collection::vec("\\PC{0,8}", 0..6), 0..6),
    ) {
        let columns = rows.iter().map(Vec::len).chain([header.len()]).max().unwrap_or(0);
        let text = Table { header, align: vec![Align::Right], rows: rows.clone() }.to_markdown();
        // One alignment makes one column, however many cells the rows have.
        let columns = columns.max(1);
        let widths: Vec<usize> = text.split('\n').map(display_width).collect();
        prop_assert_eq!(widths.len(), rows.len() + 2);
        prop_assert!(widths.iter().all(|width| *width == widths[0]) || !text.is_ascii(), "{}", text);
        prop_assert_eq!(text.split('\n').nth(1).unwrap().matches(" |").count(), columns);
        for (row, line) in rows.iter().zip(text.split('\n').skip(2)) {
            let mut rest = line;
            for cell in row {
                let at = rest.find(cell.trim_matches(' '));
                prop_assert!(at.is_some(), "{:?} in {:?}", cell, line);
                rest = &rest[at.unwrap_or(0)..];
            }
        }
    }
}
