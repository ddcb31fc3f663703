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
fn dhat_file() {
    insta::assert_snapshot!(account("dhat", "valgrind/dhat.out"));
}

#[test]
fn other_modes_count_units_or_copies() {
    let text = r#"{"dhatFileVersion":2,"mode":"rust-ad-hoc","verb":"Occurred","cmd":"target/debug/shelf","pid":7,
"pps":[{"tb":5,"tbk":2,"fs":[0]},{"tb":10,"tbk":1,"fs":[0]}],"ftbl":["[root]"]}"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 target/debug/shelf |  |  | -1 | units=15 events=3
    file: 1 of 2 lines (dhat)
    ");
    let copies = text
        .replace("rust-ad-hoc", "copy")
        .replace("Occurred", "Copied");
    insta::assert_snapshot!(common::account(&read(copies.as_bytes())), @"
    file:1 target/debug/shelf |  |  | -1 | copiedBytes=15 copies=3
    file: 1 of 2 lines (dhat)
    ");
}

#[test]
fn reports_behind_programs() {
    insta::assert_snapshot!(account("valgrind", "valgrind/reports.txt"));
}

#[test]
fn processes_stay_apart() {
    let text = "==7== Cachegrind, a profiler\n==7== Command: ./a\n==8== Command: ./b\n==7== I   refs:      1,735\n==8== I refs: 2\n==8== D refs: 3 (1 rd + 2 wr)\n\
                ==7== Cachegrind, a profiler\n==7== Command: ./a\n==7== I refs: 1,736\n==9== Total: 5 bytes in 1 blocks\n==9== At t-gmax: 5 bytes in 1 blocks\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:4 ./a |  |  | 0 | instructions=1735
    file:9 ./a |  |  | 1 | instructions=1736
    file:5 ./b |  |  | -1 | instructions=2 dataReads=1 dataWrites=2
    file:10 program |  |  | -1 | allocatedBytes=5 allocations=1 peakBytes=5 peakBlocks=1
    1 further samples
    file: 4 of 11 lines (valgrind)
    ");
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
fn the_folder_of_a_program_is_no_part_of_its_name() {
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
