//! `extract-perf-baseline`: the files that it writes, and those that it never writes.

use end_to_end::Project;

use crate::HEADER;

/// A log with two rows, in a folder without a config.
fn two_rows() -> Project {
    Project::empty().with(
        "run.log",
        "Parse_Small,linux x64,0123abcd,-1,1250.000,3,1000.000,96\nParse_Large,linux x64,0123abcd,-1,10.500,0,1000.000,0\n",
    )
}

#[test]
fn reading_its_own_output_writes_an_identical_file() {
    for (fixture, inputs) in [
        ("wayfinder", "player.log editor.xml"),
        ("ferrite", "bench.log"),
    ] {
        let project = Project::fixture(fixture);
        project.run(&format!(
            "extract-perf-baseline --input {inputs} --output first.csv"
        ));
        let outcome = project.run("extract-perf-baseline --input first.csv --output second.csv");
        assert_eq!(
            project.text("first.csv"),
            project.text("second.csv"),
            "{fixture}"
        );
        assert_eq!(outcome.warnings(), [""; 0], "{outcome}");
    }
}

#[test]
fn numbers_keep_their_precision() {
    let odd = "scenario,runIndex,decodeNs,hitRate,gcAllocations,wallClockMs\n\
        a,0,1e-9,0.1,9007199254740993,0.00044\n\
        a,1,123456789.123456789,1e300,0,0.0004999\n\
        b,-1,-1,,7,1e6\n";
    let written = "scenario,platform,commit,runIndex,decodeNs,hitRate,gcAllocations,wallClockMs\n\
        a,,,0,1e-9,0.1,9007199254740993,0.00044\n\
        a,,,1,123456789.12345679,1e300,0,0.00050\n\
        b,,,-1,-1,-1,7,1000000.000\n";
    let project = Project::empty()
        .with("odd.csv", odd)
        .with("written.csv", written);
    assert_eq!(
        project.run("extract-perf-baseline --input odd.csv").out(),
        written
    );
    assert_eq!(
        project
            .run("extract-perf-baseline --input written.csv")
            .out(),
        written
    );
    // 2^53 + 1 is the first integer that is not exact as a float.
    project.write(
        "run.log",
        "Parse,linux,0123abcd,-1,9007199254740993,9007199254740993,9007199254740993,1\n",
    );
    assert_eq!(
        project.run("extract-perf-baseline --input run.log").out(),
        format!(
            "{HEADER}Parse,linux,0123abcd,-1,9007199254740993.000,9007199254740993,9007199254740993.000,1\n"
        )
    );
}

#[test]
fn scope_filter_extracts_one_scope() {
    let project = Project::fixture("wayfinder");
    let line = "extract-perf-baseline --input player.log editor.xml --filter";
    let device = project.run(&format!("{line} scope=Device"));
    let rows = project.text("rows.csv");
    let expected: Vec<&str> = rows
        .lines()
        .filter(|row| row.contains("Device") || row.starts_with("scenario"))
        .collect();
    assert_eq!(device.out().lines().collect::<Vec<_>>(), expected);
    project
        .run(&format!("{line} scope=Console"))
        .assert_refused("", &["none of the 30 rows", "Device", "Editor", "Player"]);
}

#[test]
fn incompatible_or_unknown_options_are_rejected() {
    let project = two_rows();
    for (options, words) in [
        (
            "--input run.log --append --replace --output a.csv",
            &["--append", "--replace"][..],
        ),
        ("--input run.log --append", &["--output"]),
        ("--inptu run.log", &["--inptu", "--input"]),
        ("", &["--input"]),
    ] {
        project
            .run(&format!("extract-perf-baseline {options}"))
            .assert_refused("", words);
    }
}

#[test]
fn quiet_prints_only_warnings() {
    let project = two_rows();
    let outcome =
        project.run("extract-perf-baseline --input run.log run.log --output base.csv --quiet");
    assert_eq!((outcome.files.len(), &*outcome.stderr), (1, ""));
    project.edit("run.log", "1250.000", "oops");
    let outcome = project.run("extract-perf-baseline --input run.log --output half.csv --quiet");
    assert_eq!(
        (outcome.warnings(), outcome.stderr.lines().count()),
        (vec!["run.log:1"], 1),
        "{outcome}"
    );
}

#[test]
fn dash_always_means_standard_output() {
    let project = two_rows();
    let outcome = project.run("extract-perf-baseline --input run.log --output -");
    assert_eq!(outcome.scenarios(), ["Parse_Small", "Parse_Large"]);
    assert_eq!(
        outcome.out(),
        project.run("extract-perf-baseline --input run.log").out()
    );
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
fn space_around_a_name_survives_rereading() {
    let log = "{scenario:\" Parse \",platform:\" linux \",commit:\" 0123abcd\\n\",decodeNs:5}\n\
        noise \"Print \",\"linux \",0123abcd,-1,5,5,5,5\n";
    let project = Project::empty().with("run.log", log);
    let first = project.run("extract-perf-baseline --input run.log");
    assert_eq!(first.scenarios().len(), 2, "{first}");
    project.write("first.csv", &first.stdout);
    assert_eq!(
        project.run("extract-perf-baseline --input first.csv").out(),
        first.out()
    );
}

#[test]
fn rounding_survives_rereading() {
    let repeated = "scenario,decodeNs,allocs\nParse,22.94801964671933,4\nParse,22.94801964671939,4\nPrint,5,1\n";
    let project = Project::empty().with("run.csv", repeated);
    let first = project.run("extract-perf-baseline --input run.csv");
    assert_eq!(first.scenarios().len(), 2, "{first}");
    project.write("first.csv", &first.stdout);
    assert_eq!(
        project.run("extract-perf-baseline --input first.csv").out(),
        first.out()
    );
}

#[test]
fn row_without_a_scenario_is_reported() {
    let project = Project::empty().with(
        "run.log",
        "{scenario:\"\",decodeNs:5}\n{scenario:\"Parse\",decodeNs:5}\n",
    );
    let outcome = project.run("extract-perf-baseline --input run.log");
    assert_eq!(
        (outcome.scenarios(), outcome.warnings()),
        (vec!["Parse"], vec!["run.log:1"]),
        "{outcome}"
    );
}
