//! `extract-perf-baseline`: what is written, and what never is.

use end_to_end::Project;
use insta::assert_snapshot;

/// A log with two rows, in a folder without a config.
fn two_rows() -> Project {
    Project::empty().with(
        "run.log",
        "Parse_Small,linux x64,0123abcd,-1,1250.000,3,1000.000,96\nParse_Large,linux x64,0123abcd,-1,10.500,0,1000.000,0\n",
    )
}

#[test]
fn what_was_written_reads_back_byte_for_byte() {
    for (fixture, inputs) in [("wayfinder", "player.log editor.xml"), ("ferrite", "bench.log")] {
        let project = Project::fixture(fixture);
        project.run(&format!("extract-perf-baseline --input {inputs} --output first.csv"));
        let outcome = project.run("extract-perf-baseline --input first.csv --output second.csv");
        assert_eq!(project.text("first.csv"), project.text("second.csv"), "{fixture}");
        assert!(!outcome.stderr.contains("warning"), "{outcome}");
    }
}

#[test]
fn numbers_without_a_config_read_back_byte_for_byte_too() {
    let odd = "scenario,runIndex,decodeNs,hitRate,gcAllocations,wallClockMs\n\
        a,0,1e-9,0.1,9007199254740993,0.00044\n\
        a,1,123456789.123456789,1e300,0,0.0004999\n\
        b,-1,-1,,7,1e6\n";
    let project = Project::empty().with("odd.csv", odd);
    let first = project.run("extract-perf-baseline --input odd.csv");
    assert_snapshot!(first, @"
    exit 0
    --- stdout
    scenario,platform,commit,runIndex,decodeNs,hitRate,gcAllocations,wallClockMs
    a,,,0,1e-9,0.1,9007199254740993,0.00044
    a,,,1,123456789.12345679,1e300,0,0.00050
    b,,,-1,-1,-1,7,1000000.000
    ");
    project.write("first.csv", &first.stdout);
    let second = project.run("extract-perf-baseline --input first.csv");
    assert_eq!(first.out(), second.out());
}

#[test]
fn a_whole_number_keeps_its_digits_whatever_its_decimals() {
    // 2^53 + 1 is the first whole number that no float holds.
    let log = "Parse,linux x64,0123abcd,-1,9007199254740993,9007199254740993,9007199254740993,1\n";
    let project = Project::empty().with("run.log", log);
    assert_snapshot!(project.run("extract-perf-baseline --input run.log").out(), @"
    scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes
    Parse,linux x64,0123abcd,-1,9007199254740993.000,9007199254740993,9007199254740993.000,1
    ");
}

#[test]
fn one_scope_can_be_extracted() {
    let project = Project::fixture("wayfinder");
    let outcome = project.run("extract-perf-baseline --input player.log editor.xml --scope Device");
    let device: Vec<String> = project
        .text("rows.csv")
        .lines()
        .filter(|row| row.contains("Device") || row.starts_with("scenario"))
        .map(str::to_owned)
        .collect();
    assert_eq!(outcome.out().lines().collect::<Vec<_>>(), device);
    assert_snapshot!(project.run("extract-perf-baseline -q --input player.log editor.xml --scope Console"), @"
    exit 2
    --- stderr
    error: no row belongs to the scope `Console`
    hint: scopes found: Device, Editor, Player
    ");
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let project = two_rows();
    assert_snapshot!(project.run("extract-perf-baseline --input run.log --append --replace --output a.csv"), @"
    exit 2
    --- stderr
    error: the argument '--append' cannot be used with '--replace'

    Usage: extract-perf-baseline --input <FILE>... --append --output <CSV>

    For more information, try '--help'.
    ");
    assert_snapshot!(project.run("extract-perf-baseline --input run.log --append"), @"
    exit 2
    --- stderr
    error: the following required arguments were not provided:
      --output <CSV>

    Usage: extract-perf-baseline --output <CSV> --input <FILE>... --append

    For more information, try '--help'.
    ");
    assert_snapshot!(project.run("extract-perf-baseline --inptu run.log"), @"
    exit 2
    --- stderr
    error: unexpected argument '--inptu' found

      tip: a similar argument exists: '--input'

    Usage: extract-perf-baseline --input <FILE>...

    For more information, try '--help'.
    ");
    assert_snapshot!(project.run("extract-perf-baseline"), @"
    exit 2
    --- stderr
    error: the following required arguments were not provided:
      --input <FILE>...

    Usage: extract-perf-baseline --input <FILE>...

    For more information, try '--help'.
    ");
}

#[test]
fn quiet_says_nothing_but_what_is_wrong() {
    let project = two_rows();
    assert_snapshot!(project.run("extract-perf-baseline --input run.log run.log --output base.csv --quiet"), @"
    exit 0
    --- files
    + base.csv
    ");
    project.write("half.log", "Parse_Small,linux x64,0123abcd,-1,oops,3,1000.000,96\nParse_Large,linux x64,0123abcd,-1,1,3,1000.000,96\n");
    assert_snapshot!(project.run("extract-perf-baseline --input half.log --output half.csv --quiet"), @"
    exit 0
    --- stderr
    warning: half.log:1: `oops` is not a number (column `emitsPerSecond`): `Parse_Small,linux x64,0123abcd,-1,oops,3,1000.000,96` is not read
    --- files
    + half.csv
    ");
}

#[test]
fn a_dash_is_standard_output_and_never_the_name_of_a_file() {
    let project = two_rows();
    let outcome = project.run("extract-perf-baseline --input run.log --output -");
    assert!(outcome.out().contains("Parse_Small"), "{outcome}");
    assert_eq!(outcome.out(), project.run("extract-perf-baseline --input run.log").out());
    for line in [
        "extract-perf-baseline --input run.log --output -",
        "extract-perf-baseline --input run.log --output - --append",
        "render-perf-deltas --input run.log --baseline-csv none.csv --json -",
        "render-perf-deltas --input run.log --baseline-csv none.csv --output -",
    ] {
        assert_eq!(project.run(line).files, [""; 0], "{line}");
    }
}

#[test]
fn space_around_a_name_does_not_change_what_is_read_back() {
    let log = "{scenario:\" Parse \",platform:\" linux \",commit:\" 0123abcd\\n\",decodeNs:5}\n\
        noise \"Print \",\"linux \",0123abcd,-1,5,5,5,5\n";
    let project = Project::empty().with("run.log", log);
    let first = project.run("extract-perf-baseline --input run.log");
    assert_eq!(first.out().lines().count(), 3, "{first}");
    project.write("first.csv", &first.stdout);
    assert_eq!(project.run("extract-perf-baseline --input first.csv").out(), first.out());
}

#[test]
fn a_row_without_a_scenario_is_no_row_in_any_form() {
    let project =
        Project::empty().with("run.log", "{scenario:\"\",decodeNs:5}\n{scenario:\"Parse\",decodeNs:5}\n");
    let outcome = project.run("extract-perf-baseline --input run.log");
    assert_eq!(outcome.out(), "scenario,platform,commit,runIndex,decodeNs\nParse,,,-1,5\n");
    assert!(outcome.stderr.starts_with("warning: run.log:1: "), "{outcome}");
}
