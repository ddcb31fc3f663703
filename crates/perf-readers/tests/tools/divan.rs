//! divan.

use super::{account, common, fixture, read};

#[test]
fn arguments_types_threads_counters_and_allocations_are_read() {
    insta::assert_snapshot!(account("divan", "divan/table.txt"));
}

#[test]
fn binary_prefixes_are_powers_of_two() {
    insta::assert_snapshot!(account("divan", "divan/binary.txt"));
}

#[test]
fn two_binaries_stay_apart() {
    let table = String::from_utf8_lossy(&fixture("divan/table.txt")).into_owned();
    let text = format!(
        "Timer precision: 20 ns\n{table}\n[bench] done, 1 of 2\n{}",
        table.replace("with_divan", "other_one ")
    );
    let (one, both) = (read(table.as_bytes()), read(text.as_bytes()));
    assert_eq!(
        (both.rows.len(), both.skipped_count),
        (2 * one.rows.len(), 0)
    );
    assert!(
        both.rows
            .iter()
            .any(|row| &*row.scenario == "other_one::sort")
    );
}

#[test]
fn truncated_line_is_reported() {
    let text = "\
parse     fastest       │ slowest       │ median        │ mean          │ samples │ iters
├─ long   7.952 ns      │ 8.058 ns      │ 7.984 ns      │ 7.986 ns      │ 100     │ 25600
├─ odd    7.952 parsecs │ 8.058 ns      │ 7.984 ns      │ 7.986 ns      │ 100     │ 25600
╰─ short  5.952 ns      │ 6.0";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @r"
    file:2 parse::long |  |  | -1 | timeNs=7.984 timeNs.mean=7.986 timeNs.min=7.952 timeNs.max=8.058
    file:3 skipped: expected four durations with units
    file:4 skipped: line is cut off
    file: 1 of 4 lines (divan)
    ");
}

#[test]
fn truncated_table_is_reported() {
    let text = "\
parse     fastest       │ slowest       │ median        │ mean          │ samples │ iters
├─ long                 │               │               │               │         │
│  ├─ 1   7.952 ns      │ 8.058 ns      │ 7.984 ns      │ 7.986 ns      │ 100     │ 25600
│  ╰─ 2   7.952 ns      │ 8.058 ns      │ 7.984 ns      │ 7.986 ns      │ 100     │ 25600
";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:3 parse::long::1 |  |  | -1 | timeNs=7.984 timeNs.mean=7.986 timeNs.min=7.952 timeNs.max=8.058
    file:4 parse::long::2 |  |  | -1 | timeNs=7.984 timeNs.mean=7.986 timeNs.min=7.952 timeNs.max=8.058
    file:4 skipped: table of `parse` is cut off after this line
    file: 2 of 4 lines (divan)
    ");
    let header = text.lines().next().unwrap();
    assert_eq!(read(header.as_bytes()).skipped_count, 1);
    let whole = format!(
        "{text}╰─ short  5.952 ns      │ 6.058 ns      │ 5.984 ns      │ 5.986 ns      │ 100     │ 25600\n"
    );
    assert_eq!(read(whole.as_bytes()).skipped_count, 0);
}

#[test]
fn indented_table() {
    let text = "Results:\n\n    parse     fastest       │ slowest       │ median        │ mean          │ samples │ iters\n\
                \x20   ├─ long   7.952 ns      │ 8.058 ns      │ 7.984 ns      │ 7.986 ns      │ 100     │ 25600\n\
                \x20   │         1.006 GB/s    │ 992.8 MB/s    │ 1.002 GB/s    │ 1.001 GB/s    │         │\n\
                \x20   ╰─ short                │               │               │               │         │\n\
                \x20      ╰─ 16  7.952 ns      │ 8.058 ns      │ 7.984 ns      │ 7.986 ns      │ 100     │ 25600\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}

#[test]
fn only_the_header_is_indented() {
    let text = "   example  fastest       │ slowest       │ median        │ mean          │ samples │ iters\n\
                ├─ m                     │               │               │               │         │\n\
                │  ╰─ b   7.952 ns      │ 8.058 ns      │ 7.984 ns      │ 7.986 ns      │ 100     │ 25600\n\
                ╰─ n                     │               │               │               │         │\n\
                \x20  ╰─ b   9.952 ns      │ 8.058 ns      │ 7.984 ns      │ 7.986 ns      │ 100     │ 25600\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:3 example::m::b |  |  | -1 | timeNs=7.984 timeNs.mean=7.986 timeNs.min=7.952 timeNs.max=8.058
    file:5 example::n::b |  |  | -1 | timeNs=7.984 timeNs.mean=7.986 timeNs.min=9.952 timeNs.max=8.058
    file: 2 of 5 lines (divan)
    ");
}
