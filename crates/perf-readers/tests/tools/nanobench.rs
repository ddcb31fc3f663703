//! nanobench. The table is modelled on its documentation and source.

use super::{account, common, read};

#[test]
fn counters_titles_and_unstable_results() {
    insta::assert_snapshot!(account("nanobench", "nanobench/tables.md"));
}

#[test]
fn last_row_without_its_name_is_cut_off() {
    let text = "|   ns/op |   op/s | err% | total | benchmark\n|--------:|-------:|-----:|------:|:----------\n\
                |    5.63 | 177.59 | 0.1% |  0.00 | `parse`\n|    6.10 | 163.9";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:3 parse |  |  | -1 | timeNs=5.63 opsPerSecond=177.59 timeNs.mad=0.00563
    file:4 skipped: output is cut off in this line
    file: 1 of 4 lines (nanobench)
    ");
}

/// nanobench never prints one benchmark's samples in the same table.
#[test]
fn equal_names_in_a_table_are_reported() {
    let table = |second: &str| {
        let head = "|   ns/op |   op/s | err% | total | benchmark\n|--------:|-------:|-----:|------:|:----------\n";
        format!(
            "{head}|    5.63 | 177.59 | 0.1% |  0.00 | `find`\n|   {second} | 118.11 | 0.1% |  0.00 | `find`\n"
        )
    };
    let near = read(table(" 8.47").as_bytes());
    assert_eq!((near.repeated, near.far_apart.len()), (1, 0));
    let far = read(table("58.47").as_bytes());
    assert_eq!((far.repeated, far.far_apart.len()), (1, 1));
    assert_eq!(far.far_apart, ["`find`: timeNs from 5.63 to 58.47"]);
}

#[test]
fn tables_below_different_titles_are_apart() {
    let table = |name: &str, time: &str| {
        format!(
            "| relative | ns/op | op/s | err% | total | {name}\n|--:|--:|--:|--:|--:|:--\n| 100.0% | {time} | 1.5 | 0.1% | 0.01 | `find`\n\n"
        )
    };
    let of = |title: &str, first: &str, second: &str| {
        let warning = "Warning, results might be unstable:\n* CPU frequency scaling enabled\n\n";
        format!(
            "{warning}== DATA: {title} ==\n\n{}{}",
            table("Parse", first),
            table("Write", second)
        )
    };
    let text = of("`words.json`", "5.63", "6.10") + &of("`numbers.json`", "15.3", "16.4");
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}

#[test]
fn other_output_above_a_table_is_no_title() {
    let table = |hash: &str| {
        format!(
            "loaded 1234 rows, hash {hash}\n\n| ns/op | op/s | err% | total | benchmark\n|--:|--:|--:|--:|:--\n| 5.5 | 1.5 | 0.0% | 0.01 | `parse`\n\n"
        )
    };
    insta::assert_snapshot!(common::account(&read((table("ab12") + &table("ff02")).as_bytes())), @"
    file:5 parse |  |  | 0 | timeNs=5.5 opsPerSecond=1.5 timeNs.mad=0
    file:11 parse |  |  | 1 | timeNs=5.5 opsPerSecond=1.5 timeNs.mad=0
    1 further samples
    file: 2 of 12 lines (nanobench)
    ");
}

#[test]
fn highlighted_numbers_are_read() {
    let table = "|      ns/op |   op/s | err% |    total | benchmark\n|-----------:|-------:|-----:|---------:|:----------\n\
                 | **6,696,755.00** | 149.33 | 1.7% | **0.12** | `flat_hash_map`\n";
    insta::assert_snapshot!(common::account(&read(table.as_bytes())), @"
    file:3 flat_hash_map |  |  | -1 | timeNs=6696755 opsPerSecond=149.33 timeNs.mad=113844.835
    file: 1 of 3 lines (nanobench)
    ");
}
