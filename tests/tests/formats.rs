//! The output of benchmark tools is detected, or specified with `--format`.

use end_to_end::Project;
use end_to_end::markdown::first_numbers;

/// hyperfine output, including a failed command.
const HYPERFINE: &str = r#"{"results": [
  {"command": "pack", "mean": 0.25, "user": 0.125, "system": 0.0625, "times": [0.25, 0.5, 0.25], "exit_codes": [0, 0, 0]},
  {"command": "unpack", "mean": 0.125, "times": [0.125], "exit_codes": [3]}
]}
"#;

const EXTRACT: &str = "extract-perf-baseline --input run.json";

fn project() -> Project {
    Project::empty().with("run.json", HYPERFINE)
}

#[test]
fn tool_output_needs_no_config() {
    let rows = "\
scenario,platform,commit,runIndex,timeS,userS,systemS,outcome
pack,,,0,0.25,-1,-1,measured
pack,,,1,0.5,-1,-1,measured
pack,,,2,0.25,-1,-1,measured
pack,,,-1,-1,0.125,0.0625,measured
unpack,,,0,-1,-1,-1,failed
";
    let project = project();
    assert_eq!(project.run(EXTRACT).out(), rows);
    let page = project.run("render-perf-doc --input run.json --preview");
    assert_eq!(first_numbers(page.out()), ["pack 250", "unpack failed"]);
    let (outcome, report) =
        project.compare("render-perf-deltas --input run.json --baseline-csv run.json");
    assert_eq!(
        outcome.results(),
        "exit 0: changed=false regressed=false compared=1"
    );
    assert_eq!(report.metric("pack", "timeS")["verdict"], "unchanged");
    // Base and head each report the failed benchmark, and a third note says that both are the same file.
    assert_eq!(report.notes(), 3);
}

#[test]
fn format_can_be_specified() {
    let project = project();
    let named = project.run(&format!("{EXTRACT} --format hyperfine"));
    assert_eq!(named.out(), project.run(EXTRACT).out());
    project
        .run(&format!("{EXTRACT} --format benchmarkjs"))
        .assert_refused("", &["run.json", "benchmarkjs"]);
    project
        .run(&format!("{EXTRACT} --format hyperfin"))
        .assert_refused("", &["hyperfin", "hyperfine"]);
}

#[test]
fn every_format_is_listed_with_a_description() {
    let listed = Project::empty().run("extract-perf-baseline --list-formats");
    assert_eq!(listed.code, Some(0));
    for line in listed.out().lines() {
        let (name, about) = line.split_once("  ").expect("a name and a description");
        assert!(!name.is_empty() && about.trim().len() > 10, "{line}");
    }
    assert!(listed.out().contains("hyperfine"), "{listed}");
}

#[test]
fn strict_turns_a_warning_into_an_error() {
    let cut = "scenario,decodeNs,allocs\nParse,5,1\nPrint,6\n";
    let project = Project::empty().with("cut.csv", cut);
    let line = "extract-perf-baseline --input cut.csv --output base.csv";
    let outcome = project.run(line);
    assert_eq!(
        (outcome.code, outcome.warnings()),
        (Some(0), vec!["cut.csv:3"])
    );
    assert_eq!(project.text("base.csv").lines().count(), 2);
    project.write("perf-gate.toml", "[rows]\nstrict = true\n");
    let strict = project.run(&format!("{line} --replace"));
    strict.assert_refused("", &["rows.strict"]);
    assert_eq!(strict.warnings(), ["cut.csv:3"]);
}

#[test]
fn aggregated_baseline_compares_the_same() {
    let project = project();
    project.run(&format!("{EXTRACT} --output all.csv"));
    project.run(&format!("{EXTRACT} --aggregate --output small.csv"));
    let small = "\
scenario,platform,commit,runIndex,timeS,userS,systemS,outcome
pack,,,-1,0.25,0.125,0.0625,measured
unpack,,,0,-1,-1,-1,failed
";
    assert_eq!(project.text("small.csv"), small);
    let verdicts = |baseline: &str| {
        let line = format!("render-perf-deltas --input run.json --baseline-csv {baseline}");
        project.compare(&line).1.verdicts()
    };
    assert_eq!(
        (verdicts("small.csv"), 3),
        (verdicts("all.csv"), verdicts("all.csv").len())
    );
}

#[test]
fn latency_unit_can_be_specified() {
    let histogram = "Value Percentile TotalCount 1/(1-Percentile)\n1.5 0.5 5 2.0\n2.5 1.0 10 inf\n";
    let project = Project::empty().with("ping.hgrm", histogram);
    let line = "extract-perf-baseline --input ping.hgrm";
    assert!(
        project
            .run(&format!("{line} --unit us"))
            .out()
            .contains("latencyP50Us,")
    );
    assert!(project.run(line).out().contains("latencyP50,"));
    project
        .run(&format!("{line} --unit min"))
        .assert_refused("", &["--unit", "`us`"]);
}

#[test]
fn lines_are_explained_with_their_rows_or_why_they_are_skipped() {
    let log = "goos: linux\nBenchmarkA-8   100   12.5 ns/op\nBenchmarkB-8   100   ns/op\nPASS\n";
    let project = Project::empty().with("run.log", log);
    let explained = "\
run.log: read as go
      2  BenchmarkA-8   100   12.5 ns/op
       = BenchmarkA: ns/op=12.5
      3  BenchmarkB-8   100   ns/op
       ! looks like a result, but no format reads it
";
    let outcome = project.run("extract-perf-baseline --input run.log --explain-input");
    assert_eq!((outcome.code, outcome.out()), (Some(0), explained));
}

#[test]
fn format_is_proposed_with_its_rows() {
    let project = Project::empty().with("own.csv", "test,median_ms\nparse,12.5\nwrite,3\n");
    let outcome = project.run("perf-gate formats try own.csv");
    assert_eq!(outcome.code, Some(0), "{outcome}");
    assert!(
        outcome.out().contains("[[formats]]") && outcome.out().contains("12.5"),
        "{outcome}"
    );
    let config = project.with("perf-gate.toml", outcome.out());
    let rows = config.run("extract-perf-baseline --input own.csv");
    assert!(
        rows.out().contains("parse,") && rows.out().contains("12.5"),
        "{rows}"
    );
}
