//! Escapes any text for Markdown. The result has one line and no pipe that would end a cell, and a table has the expected
//! numbers of lines and cells.

#![no_main]

use libfuzzer_sys::fuzz_target;
use perf_report::markdown::escape::{code, inline, line_start};
use perf_report::markdown::table::{Align, Table, display_width};

fuzz_target!(|text: &str| {
    for shown in [inline(text), line_start(text), code(text)] {
        assert_eq!(bare_pipes(&shown), 0, "{shown:?}");
        assert!(
            !shown.contains(['\n', '\r', '\0', '\x1b', '\u{2028}', '\u{202e}']),
            "{shown:?}"
        );
    }
    let cells: Vec<String> = text
        .split('\n')
        .enumerate()
        .map(|(at, part)| {
            if at % 2 == 0 {
                inline(part)
            } else {
                code(part)
            }
        })
        .collect();
    let columns = 1 + cells.len() % 5;
    let table = Table {
        header: cells[..columns.min(cells.len())].to_vec(),
        align: [Align::Right, Align::Left, Align::None]
            .into_iter()
            .cycle()
            .take(columns)
            .collect(),
        rows: cells.chunks(columns).map(<[String]>::to_vec).collect(),
    };
    table_is_whole(&table, columns);
});

fn table_is_whole(table: &Table, columns: usize) {
    let markdown = table.to_markdown();
    let lines: Vec<&str> = markdown.split('\n').collect();
    assert_eq!(lines.len(), table.rows.len() + 2);
    for line in lines {
        assert_eq!(bare_pipes(line), columns + 1, "{line:?}");
        assert!(display_width(line) > columns);
    }
}

/// The number of unescaped pipes.
fn bare_pipes(text: &str) -> usize {
    let mut escaped = false;
    let mut pipes = 0;
    for c in text.chars() {
        pipes += usize::from(c == '|' && !escaped);
        escaped = c == '\\' && !escaped;
    }
    pipes
}
