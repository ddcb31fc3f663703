//! Valgrind's own files and reports.

use super::{account, common, read};

#[test]
fn callgrind_file_has_the_total_of_its_parts() {
    let text = "# callgrind format\nversion: 1\ncreator: callgrind-3.22.0\npid: 7\ncmd: ./parse --token=abc big.json\npart: 1\n\n\
                desc: I1 cache: \npositions: line\nevents: Ir Dr Dw\nsummary: 1000 200\n\nfn=(1) main\n12 300 40 5\n\ntotals: 1000 200\n\
                part: 2\nevents: Ir Dr Dw\nsummary: 735 30 120\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:10 ./parse --token=*** big.json |  |  | -1 | instructions=1735 dataReads=230 dataWrites=120
    file: 1 of 19 lines (callgrind)
    ");
    let cut = text.replace("summary: 735 30 120\n", "fn=(1)\n12 5\n");
    insta::assert_snapshot!(common::account(&read(cut.as_bytes())), @"
    file:10 ./parse --token=*** big.json |  |  | -1 | instructions=1000 dataReads=200 dataWrites=0
    file:18 skipped: part has neither `summary:` nor `totals:`: the file may be cut off
    file: 1 of 20 lines (callgrind)
    ");
}

#[test]
fn cachegrind_file() {
    insta::assert_snapshot!(account("callgrind", "valgrind/cachegrind.out"));
}

#[test]
fn callgrind_file() {
    insta::assert_snapshot!(account("callgrind", "valgrind/callgrind.out"));
}

#[test]
fn totals_count_more_than_a_summary() {
    let text = "# callgrind format\nversion: 1\ncmd: ./a\npart: 1\nevents: Ir\nsummary: 0\nfn=(1) main\n1 3000\ntotals: 3000\n\
                cmd: ./b\nevents: Ir\nsummary: 5\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:5 ./a |  |  | -1 | instructions=3000
    file:11 ./b |  |  | -1 | instructions=5
    file: 2 of 12 lines (callgrind)
    ");
}

#[test]
fn program_folder_is_not_part_of_the_name() {
    let name = |command: &str| {
        let report = common::read(format!(
            "cmd: {command}\nevents: Ir\nfn=(1) main\n12 300\nsummary: 1735\n"
        ));
        report.rows[0].scenario.to_string()
    };
    assert_eq!(
        name("/opt/build-77/release/parse data/x.json"),
        "parse data/x.json"
    );
    assert_eq!(name("./parse /data/x.json"), "./parse /data/x.json");
}
