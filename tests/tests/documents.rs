//! The two projects from end to end: every file that comes out, whole.

use end_to_end::{Project, Tool};
use insta::assert_snapshot;

/// All that Wayfinder measured, and with which engine.
fn wayfinder(project: &Project, line: &str) -> Tool {
    project.tool(&format!("{line} --input player.log editor.xml"))
}

#[test]
fn rows_in_a_log_and_in_a_test_report_are_those_that_were_printed() {
    let project = Project::fixture("wayfinder");
    let outcome = wayfinder(&project, "extract-perf-baseline").run();
    assert_eq!(outcome.out(), project.text("rows.csv"));
    assert_snapshot!(outcome.stderr, @"
    note: 9 exact duplicates of rows read once
    note: `Experimental_Teleport` is not in the config: 1 row left out
    ");
}

#[test]
fn rows_of_the_older_form_are_those_that_were_printed() {
    let project = Project::fixture("ferrite");
    let outcome = project.run("extract-perf-baseline --input bench.log");
    assert_eq!(outcome.out(), project.text("rows.csv"));
    assert_snapshot!(outcome.stderr, @"note: 3 exact duplicates of rows read once");
}

#[test]
fn the_page_has_a_table_for_each_scope_and_a_matrix_for_each_metric() {
    let project = Project::fixture("wayfinder");
    let line =
        "render-perf-doc --doc performance.md --unity-version 6000.2 --machine-specs machine-specs.json";
    let outcome = wayfinder(&project, line).run();
    assert_snapshot!(outcome, @"
    exit 0
    --- stderr
    note: 9 exact duplicates of rows read once
    note: `Experimental_Teleport` is not in the config: 1 row left out
    note: 1 row: of other platforms than asked for
    note: `performance.md` is rewritten
    --- files
    ~ performance.md
    ");
    assert_snapshot!("wayfinder-performance", project.text("performance.md"));
}

#[test]
fn the_page_of_the_older_form_has_deeper_headings_and_keeps_its_line_ends() {
    let project = Project::fixture("ferrite");
    let outcome = project.run("render-perf-doc --input bench.log --doc performance.md");
    assert_snapshot!(outcome, @"
    exit 0
    --- stderr
    note: 3 exact duplicates of rows read once
    note: `performance.md` is rewritten
    --- files
    ~ performance.md
    ");
    let page = project.text("performance.md");
    assert_eq!(page.matches('\n').count(), page.matches("\r\n").count(), "every line ends as the first does");
    assert_snapshot!("ferrite-performance", page.replace("\r\n", "\n"));
}

#[test]
fn deltas_are_told_in_markdown_in_lines_and_in_json() {
    let project = Project::fixture("wayfinder");
    let line = "render-perf-deltas --unity-version 6000.2 --baseline-csv baseline.csv --output deltas.md --json report.json";
    let outcome = wayfinder(&project, line).run();
    assert_snapshot!(outcome, @"
    exit 0
    --- stdout
    changed=true
    regressed=true
    improved=2
    inconclusive=0
    missing=1
    new=6
    not-comparable=0
    compared=14
    unmeasured=0
    waived=0
    confirm=0
    failed=regressed,missing
    --- stderr
    note: 9 exact duplicates of rows read once
    note: `Experimental_Teleport` is not in the config: 1 row left out
    note: 1 row: of other platforms than asked for
    note: 2 of 14 scenarios regressed, most of all Flow field -> 16 goals (Player): Throughput 100.00 → 67.00 M queries/s (-33 % against the baseline); the limit is -33 %; 2 improved, 1 missing, 6 new.
    --- files
    + deltas.md
    + report.json
    ");
    assert_snapshot!("wayfinder-deltas", project.text("deltas.md"));
    assert_snapshot!("wayfinder-report", project.text("report.json"));
}

#[test]
fn deltas_of_one_scope_tell_nothing_of_the_others() {
    let project = Project::fixture("wayfinder");
    let line =
        "render-perf-deltas --unity-version 6000.2 --baseline-csv baseline.csv --scope Device --output -";
    assert_snapshot!(wayfinder(&project, line).run(), @"
    exit 0
    --- stdout
    No regression in 1 scenario compared; 2 new.

    New, as the baseline does not have them: Grid, maze (迷路), Bake (cold).

    <details><summary>1 unchanged</summary>

    | Scenario         | Baseline         | Current          | Delta | Verdict   |
    | ---------------- | ---------------- | ---------------- | ----- | --------- |
    | Grid, open field | 9.00 M queries/s | 9.00 M queries/s | 0.00% | unchanged |

    </details>

    > 1 line: left out, as the config does not list their scenarios.

    > 1 row: of other platforms than asked for.

    > 26 rows: of no scope that was asked for.

    > Of the baseline: 15 rows: of no scope that was asked for.

    > The gate on gcAllocations decides nothing, as no row that it covers has that metric.

    <sub>Measured: `7d3f0a1c5b9e24688642fedc0123456789abcdef`. Baseline: `1b2c3d4e5f60718293a4b5c6d7e8f90123456789`. + is better; up to 2 % is unchanged. Behind a comma: GC allocs, GC bytes.</sub>
    --- stderr
    note: 9 exact duplicates of rows read once
    note: `Experimental_Teleport` is not in the config: 1 row left out
    note: 1 row: of other platforms than asked for
    note: 26 rows: of no scope that was asked for
    note: of the baseline: 15 rows: of no scope that was asked for
    warning: the gate on `gcAllocations` decides nothing, as no row that it covers has that metric
    changed=false
    regressed=false
    improved=0
    inconclusive=0
    missing=0
    new=2
    not-comparable=0
    compared=1
    unmeasured=0
    waived=0
    confirm=0
    failed=
    ");
}

#[test]
fn deltas_of_the_older_form_have_a_plus_for_what_is_larger() {
    let project = Project::fixture("ferrite");
    let line = "render-perf-deltas --input bench.log --baseline-csv baseline.csv --output deltas.md --json report.json";
    let outcome = project.run(line);
    assert_snapshot!(outcome, @"
    exit 0
    --- stdout
    changed=true
    regressed=true
    improved=1
    inconclusive=0
    missing=0
    new=3
    not-comparable=0
    compared=9
    unmeasured=0
    waived=0
    confirm=0
    failed=regressed
    --- stderr
    note: 3 exact duplicates of rows read once
    note: 3 of 9 scenarios regressed, most of all Write (Desktop): Throughput 6.00 → 4.00 M emits/sec (-33.3 % against the baseline); the limit is -33 %; 1 improved, 3 new.
    --- files
    + deltas.md
    + report.json
    ");
    assert_snapshot!("ferrite-deltas", project.text("deltas.md"));
    assert_snapshot!("ferrite-report", project.text("report.json"));
}

#[test]
fn doing_it_all_again_touches_nothing() {
    let project = Project::fixture("wayfinder");
    for again in [false, true] {
        for line in [
            "extract-perf-baseline --output new.csv --replace",
            "render-perf-doc --doc performance.md",
            "render-perf-deltas --baseline-csv baseline.csv --output deltas.md --json report.json",
        ] {
            let outcome = wayfinder(&project, line).run();
            assert_eq!(outcome.code, Some(0));
            assert_eq!(outcome.files.is_empty(), again, "{line}: {outcome}");
        }
    }
}
