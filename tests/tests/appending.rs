//! `extract-perf-baseline --output`: what becomes of the file that is there already.

use end_to_end::Project;
use insta::assert_snapshot;

const HEADER: &str =
    "scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes\n";

/// A log with two rows, in a folder without a config.
fn two_rows() -> Project {
    Project::empty().with(
        "run.log",
        "Parse_Small,linux x64,0123abcd,-1,1250.000,3,1000.000,96\nParse_Large,linux x64,0123abcd,-1,10.500,0,1000.000,0\n",
    )
}

#[test]
fn a_new_file_is_written_and_an_old_one_is_not_overwritten() {
    let project = two_rows();
    assert_snapshot!(project.run("extract-perf-baseline --input run.log --output base.csv"), @"
    exit 0
    --- stderr
    note: `base.csv` is written: 2 rows read, 2 in it
    --- files
    + base.csv
    ");
    assert_snapshot!(project.text("base.csv"), @"
    scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes
    Parse_Small,linux x64,0123abcd,-1,1250.000,3,1000.000,96
    Parse_Large,linux x64,0123abcd,-1,10.500,0,1000.000,0
    ");
    project.write("base.csv", "precious");
    assert_snapshot!(project.run("extract-perf-baseline --input run.log --output base.csv"), @"
    exit 2
    --- stderr
    error: `base.csv` already exists
    hint: `--replace` overwrites it, `--append` adds to it
    ");
    assert_eq!(project.text("base.csv"), "precious");
}

#[test]
fn replacing_writes_anew_and_leaves_alone_what_is_the_same() {
    let project = two_rows().with("base.csv", HEADER);
    assert_snapshot!(project.run("extract-perf-baseline --input run.log --output base.csv --replace"), @"
    exit 0
    --- stderr
    note: `base.csv` is written: 2 rows read, 2 in it
    --- files
    ~ base.csv
    ");
    assert_snapshot!(project.run("extract-perf-baseline --input run.log --output base.csv --replace"), @"
    exit 0
    --- stderr
    note: `base.csv` is up to date: 2 rows read, 2 in it
    ");
}

#[test]
fn appending_adds_what_is_new_and_appending_again_adds_nothing() {
    let project = two_rows();
    assert_snapshot!(project.run("extract-perf-baseline --input run.log --output base.csv --append"), @"
    exit 0
    --- stderr
    note: `base.csv` is written: 2 rows read, 2 in it
    --- files
    + base.csv
    ");
    project.edit("run.log", "0123abcd", "4567cdef");
    assert_snapshot!(project.run("extract-perf-baseline --input run.log --output base.csv --append"), @"
    exit 0
    --- stderr
    note: `base.csv` is written: 2 rows read, 4 in it
    --- files
    ~ base.csv
    ");
    let once = project.text("base.csv");
    assert_snapshot!(once, @"
    scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes
    Parse_Small,linux x64,0123abcd,-1,1250.000,3,1000.000,96
    Parse_Large,linux x64,0123abcd,-1,10.500,0,1000.000,0
    Parse_Small,linux x64,4567cdef,-1,1250.000,3,1000.000,96
    Parse_Large,linux x64,4567cdef,-1,10.500,0,1000.000,0
    ");
    assert_snapshot!(project.run("extract-perf-baseline --input run.log --output base.csv --append"), @"
    exit 0
    --- stderr
    note: `base.csv` is up to date: 2 rows read, 4 in it
    ");
    assert_eq!(project.text("base.csv"), once);
}

#[test]
fn appending_a_metric_that_the_file_does_not_have_adds_a_column() {
    let project = two_rows().with("more.csv", "scenario,decodeNs\nParse_Small,12.5\n");
    project.run("extract-perf-baseline --input run.log --output base.csv");
    project.run("extract-perf-baseline --input more.csv --output base.csv --append");
    assert_snapshot!(project.text("base.csv"), @"
    scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes,decodeNs
    Parse_Small,linux x64,0123abcd,-1,1250.000,3,1000.000,96,-1
    Parse_Large,linux x64,0123abcd,-1,10.500,0,1000.000,0,-1
    Parse_Small,,,-1,-1,-1,-1,-1,12.5
    ");
}

#[test]
fn appending_knows_a_row_again_that_was_rounded() {
    let project = Project::empty().with("run.log", "Parse,linux x64,0123abcd,-1,1250.0004999,3,0.06251,96\n");
    project.run("extract-perf-baseline --input run.log --output base.csv");
    let outcome = project.run("extract-perf-baseline --input run.log --output base.csv --append");
    assert_snapshot!(outcome, @"
    exit 0
    --- stderr
    note: `base.csv` is up to date: 1 rows read, 1 in it
    ");
}

#[test]
fn a_rolling_file_keeps_the_last_commits_of_each_measurement() {
    let project = Project::empty();
    let append = "extract-perf-baseline --input run.csv --output base.csv --append --keep 2";
    let mut last = None;
    for (commit, rows) in
        [("c1", "A,h,c1,1\nB,h,c1,1\n"), ("c2", "A,h,c2,2\n"), ("c3", "A,h,c3,3\nA,k,c3,3\n")]
    {
        project.write("run.csv", format!("scenario,platform,commit,x\n{rows}"));
        last =
            Some(project.tool(append).arg("--measured-at").arg(format!("2031-03-0{}", &commit[1..])).run());
    }
    assert_snapshot!(last.unwrap(), @"
    exit 0
    --- stderr
    note: `base.csv` is written: 2 rows read, 4 in it
    note: rows dropped as more than 2 later commits have their measurement: 1
    --- files
    ~ base.csv
    ");
    let rolled = project.text("base.csv");
    assert_snapshot!(rolled, @"
    scenario,platform,commit,runIndex,x,measuredAt
    B,h,c1,-1,1,2031-03-01T00:00:00Z
    A,h,c2,-1,2,2031-03-02T00:00:00Z
    A,h,c3,-1,3,2031-03-03T00:00:00Z
    A,k,c3,-1,3,2031-03-03T00:00:00Z
    ");
    let again = project.run(&format!("{append} --measured-at now"));
    assert_eq!((again.code, project.text("base.csv")), (Some(0), rolled), "{again}");
    for wrong in ["--keep 2", "--keep 2 --replace", "--append --keep 0", "--measured-at tomorrow"] {
        let outcome =
            project.run(&format!("extract-perf-baseline --input run.csv --output base.csv {wrong}"));
        assert_eq!((outcome.code, outcome.files.as_slice()), (Some(2), [].as_slice()), "{outcome}");
    }
}

#[test]
fn rows_are_stamped_with_the_methodology_of_the_config() {
    let project = two_rows().with("perf-gate.toml", "methodology = \"warm, 5 s\"\n");
    assert_eq!(project.run("extract-perf-baseline --input run.log --output base.csv").code, Some(0));
    project.edit("perf-gate.toml", "5 s", "10 s");
    project.run("extract-perf-baseline --input run.log --output base.csv --append --keep 1");
    assert_snapshot!(project.text("base.csv"), @r#"
    scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes,methodology
    Parse_Small,linux x64,0123abcd,-1,1250.000,3,1000.000,96,"warm, 5 s"
    Parse_Large,linux x64,0123abcd,-1,10.500,0,1000.000,0,"warm, 5 s"
    Parse_Small,linux x64,0123abcd,-1,1250.000,3,1000.000,96,"warm, 10 s"
    Parse_Large,linux x64,0123abcd,-1,10.500,0,1000.000,0,"warm, 10 s"
    "#);
}

#[test]
fn appending_to_a_damaged_file_leaves_it_as_it_is() {
    let project = two_rows()
        .with("base.csv", format!("{HEADER}Parse_Small,linux x64,0123abcd,-1,oops,3,1000.000,96\n"));
    assert_snapshot!(project.run("extract-perf-baseline --input run.log --output base.csv --append"), @"
    exit 2
    --- stderr
    error: base.csv:2: `oops` is not a number (column `emitsPerSecond`)
    hint: a damaged baseline must not pass for none: restore it, or write it again with `extract-perf-baseline --replace`
    ");
}

#[test]
fn nothing_extracted_leaves_the_old_file() {
    let project = two_rows()
        .with("base.csv", "precious")
        .with("empty.log", "")
        .with("prose.log", "nothing\nto\nsee, here\n");
    for flag in ["--replace", "--append"] {
        for input in ["empty.log", "prose.log"] {
            let outcome =
                project.run(&format!("extract-perf-baseline --input {input} --output base.csv {flag}"));
            assert_eq!((outcome.code, outcome.files.as_slice()), (Some(2), [].as_slice()), "{outcome}");
        }
    }
    assert_snapshot!(project.run("extract-perf-baseline --input empty.log --output base.csv --replace"), @"
    exit 2
    --- stderr
    error: no rows in `empty.log` (lines: 0); looked for [formats]
    hint: the input is empty: did the benchmark run?
    ");
    assert_snapshot!(project.run("extract-perf-baseline --input prose.log empty.log --output base.csv --replace"), @"
    exit 2
    --- stderr
    error: no rows in `prose.log`, `empty.log` (lines: 3); looked for [formats]
    hint: `--list-formats` says what each format carries, and `rows.layouts` in perf-gate.toml describes CSV lines of another layout
    ");
    assert_eq!(project.text("base.csv"), "precious");
}

#[test]
fn what_cannot_be_written_is_named() {
    let project = two_rows().with("folder/file", "");
    assert_snapshot!(project.run("extract-perf-baseline --input run.log --output folder --replace"), @"
    exit 2
    --- stderr
    error: cannot write `folder`: it is a directory
    hint: name a file in it
    ");
    assert_snapshot!(project.run("extract-perf-baseline --input run.log --output missing/base.csv"), @"
    exit 2
    --- stderr
    error: cannot write `missing/base.csv`: its folder does not exist
    hint: create the folder `missing` first
    ");
}

/// A file that may not be written is left alone even by those who could.
#[test]
fn a_read_only_file_is_not_replaced() {
    let project = two_rows().with("base.csv", "precious");
    let set_read_only = |read_only: bool| {
        let mut permissions = std::fs::metadata(project.path("base.csv")).unwrap().permissions();
        permissions.set_readonly(read_only);
        std::fs::set_permissions(project.path("base.csv"), permissions).unwrap();
    };
    set_read_only(true);
    assert_snapshot!(project.run("extract-perf-baseline --input run.log --output base.csv --replace"), @"
    exit 2
    --- stderr
    error: cannot write `base.csv`: it is read-only
    ");
    set_read_only(false);
}
