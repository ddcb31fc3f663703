//! Nothing is dropped in silence: what was skipped, contradicted or left out is told with its place.

use end_to_end::Project;
use insta::assert_snapshot;

#[test]
fn a_line_that_is_nearly_a_row_is_named_with_its_place() {
    let log = "\
Parse_Good,linux x64,0123abcd,-1,1250.000,3,1000.000,96
Parse_Comma,linux x64,0123abcd,-1,\"1,250.000\",3,1000.000,96
Parse_NaN,linux x64,0123abcd,-1,NaN,3,1000.000,96
Parse_Run,linux x64,0123abcd,first,1250.000,3,1000.000,96
Parse_Nothing,linux x64,0123abcd,-1,-1,-1,-1,-1
Parse_Unquoted, linux x64,0123abcd,-1,1250.000,3,1000.000,96
{scenario:\"Parse_Structured\",platform:\"linux\",emitsPerSec:fast}
{scenario:\"Parse_Cut\",platform:\"linux\",emitsPer
Parse_Short,linux x64,0123abcd,-1,1250.000
";
    let project = Project::empty().with("logs/run.log", log);
    assert_snapshot!(project.run("extract-perf-baseline --input logs/run.log"), @r#"
    exit 0
    --- stdout
    scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes
    Parse_Good,linux x64,0123abcd,-1,1250.000,3,1000.000,96
    Parse_Nothing,linux x64,0123abcd,-1,-1,-1,-1,-1
    --- stderr
    warning: logs/run.log:2: `1,250.000` is not a number (column `emitsPerSecond`): `Parse_Comma,linux x64,0123abcd,-1,"1,250.000",3,1000.000,96` is not read
    warning: logs/run.log:3: `NaN` is not a number (column `emitsPerSecond`): `Parse_NaN,linux x64,0123abcd,-1,NaN,3,1000.000,96` is not read
    warning: logs/run.log:4: `first` is not a run index: `Parse_Run,linux x64,0123abcd,first,1250.000,3,1000.000,96` is not read
    warning: logs/run.log:6: a field begins with a space: a name with a comma needs quotes: `Parse_Unquoted, linux x64,0123abcd,-1,1250.000,3,1000.000,96` is not read
    warning: logs/run.log:7: `fast` is not a number (key `emitsPerSec`): `{scenario:"Parse_Structured",platform:"linux",emitsPerSec:fast}` is not read
    warning: logs/run.log:8: the row is cut off: `{scenario:"Parse_Cut",platform:"linux",emitsPer` is not read
    warning: logs/run.log:9: the row ends after 5 of 7 columns: `Parse_Short,linux x64,0123abcd,-1,1250.000` is not read
    "#);
}

#[test]
fn of_many_such_lines_the_first_are_named_and_the_rest_is_counted() {
    let bad: String =
        (0..25).map(|n| format!("Parse_{n},linux x64,0123abcd,-1,oops,3,1000.000,96\n")).collect();
    let project = Project::empty().with("run.log", bad + "Parse,linux x64,0123abcd,-1,1,3,1000.000,96\n");
    assert_snapshot!(project.run("extract-perf-baseline --input run.log"), @"
    exit 0
    --- stdout
    scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes
    Parse,linux x64,0123abcd,-1,1.000,3,1000.000,96
    --- stderr
    warning: run.log:1: `oops` is not a number (column `emitsPerSecond`): `Parse_0,linux x64,0123abcd,-1,oops,3,1000.000,96` is not read
    warning: run.log:2: `oops` is not a number (column `emitsPerSecond`): `Parse_1,linux x64,0123abcd,-1,oops,3,1000.000,96` is not read
    warning: run.log:3: `oops` is not a number (column `emitsPerSecond`): `Parse_2,linux x64,0123abcd,-1,oops,3,1000.000,96` is not read
    warning: run.log:4: `oops` is not a number (column `emitsPerSecond`): `Parse_3,linux x64,0123abcd,-1,oops,3,1000.000,96` is not read
    warning: run.log:5: `oops` is not a number (column `emitsPerSecond`): `Parse_4,linux x64,0123abcd,-1,oops,3,1000.000,96` is not read
    warning: run.log:6: `oops` is not a number (column `emitsPerSecond`): `Parse_5,linux x64,0123abcd,-1,oops,3,1000.000,96` is not read
    warning: run.log:7: `oops` is not a number (column `emitsPerSecond`): `Parse_6,linux x64,0123abcd,-1,oops,3,1000.000,96` is not read
    warning: run.log:8: `oops` is not a number (column `emitsPerSecond`): `Parse_7,linux x64,0123abcd,-1,oops,3,1000.000,96` is not read
    warning: run.log:9: `oops` is not a number (column `emitsPerSecond`): `Parse_8,linux x64,0123abcd,-1,oops,3,1000.000,96` is not read
    warning: run.log:10: `oops` is not a number (column `emitsPerSecond`): `Parse_9,linux x64,0123abcd,-1,oops,3,1000.000,96` is not read
    warning: there are 15 more lines that are nearly rows
    ");
}

#[test]
fn a_line_in_a_csv_that_is_no_row_is_named_with_its_place() {
    let csv = "scenario,platform,decodeNs\nA,linux,1\nB,linux\nC,linux,1,2\n,linux,3\n\"D\nsecond line\",linux,4\nE,linux,12ns\n";
    let project = Project::empty().with("rows.csv", csv);
    assert_snapshot!(project.run("extract-perf-baseline --input rows.csv"), @r#"
    exit 0
    --- stdout
    scenario,platform,commit,runIndex,decodeNs
    A,linux,,-1,1
    "D
    second line",linux,,-1,4
    --- stderr
    warning: rows.csv:3: 2 columns instead of 3: `B,linux` is not read
    warning: rows.csv:4: 4 columns instead of 3: `C,linux,1,2` is not read
    warning: rows.csv:5: the scenario is empty: `,linux,3` is not read
    warning: rows.csv:8: `12ns` is not a number (column `decodeNs`): `E,linux,12ns` is not read
    "#);
}

#[test]
fn rows_that_contradict_each_other_are_both_kept_and_told() {
    let project = Project::empty()
        .with("a.log", "noise\nParse,linux x64,0123abcd,-1,1250.000,3,1000.000,96\n")
        .with("b.log", "Parse,linux x64,0123abcd,-1,1300.000,3,1000.000,96\nParse,linux x64,0123abcd,-1,1250.000,3,1000.000,96\n");
    assert_snapshot!(project.run("extract-perf-baseline --input a.log b.log"), @"
    exit 0
    --- stdout
    scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes
    Parse,linux x64,0123abcd,-1,1250.000,3,1000.000,96
    Parse,linux x64,0123abcd,-1,1300.000,3,1000.000,96
    --- stderr
    warning: b.log:1: `Parse` has other numbers than at a.log:2, which count
    note: 1 exact duplicate of rows read once
    ");
}

#[test]
fn the_first_of_two_that_contradict_each_other_counts_on_the_page() {
    let log = "Parse,linux x64,0123abcd,-1,1250000.000,3,1000.000,96\nParse,linux x64,0123abcd,-1,9000000.000,3,1000.000,96\n";
    let project = Project::empty().with("run.log", log);
    assert_snapshot!(project.run("render-perf-doc --input run.log --preview"), @"
    exit 0
    --- stdout
    <!-- Generated by render-perf-doc from benchmark rows; edits to this region are overwritten.
         To refresh it: render-perf-doc --region PERFORMANCE --doc THIS-FILE --input BENCHMARK-OUTPUT -->

    Measured: commit `0123abcd`.

    Runner: hardware not recorded

    ### linux x64

    | Scenario | Throughput | GC allocs | GC bytes |
    | -------- | ---------- | --------- | -------- |
    | Parse    | 1.25 M/s   | 3         | 96 B     |
    --- stderr
    warning: run.log:2: `Parse` has other numbers than at run.log:1, which count
    note: 1 row: not compared, as another row of the same scenario counts (of another platform, commit or machine, or of the same run)
    ");
}

#[test]
fn several_runs_are_samples_and_an_aggregate_stands_for_them() {
    let log = "\
Parse,linux x64,0123abcd,0,1000000.000,3,1000.000,96
Parse,linux x64,0123abcd,1,4000000.000,3,1000.000,96
Parse,linux x64,0123abcd,2,1500000.000,3,1000.000,96
Print,linux x64,0123abcd,0,1000000.000,3,1000.000,96
Print,linux x64,0123abcd,1,2000000.000,3,1000.000,96
Print,linux x64,0123abcd,-1,1900000.000,3,1000.000,96
";
    let project = Project::empty().with("run.log", log);
    // The median of three is 1.5 M; the aggregate is 1.9 M.
    assert_snapshot!(project.run("render-perf-doc --input run.log --preview"), @"
    exit 0
    --- stdout
    <!-- Generated by render-perf-doc from benchmark rows; edits to this region are overwritten.
         To refresh it: render-perf-doc --region PERFORMANCE --doc THIS-FILE --input BENCHMARK-OUTPUT -->

    Measured: commit `0123abcd`.

    Runner: hardware not recorded

    ### linux x64

    | Scenario | Throughput | GC allocs | GC bytes |
    | -------- | ---------- | --------- | -------- |
    | Parse    | 1.50 M/s   | 3         | 96 B     |
    | Print    | 1.90 M/s   | 3         | 96 B     |
    ");
}

#[test]
fn scenarios_that_are_not_listed_are_kept_behind_the_listed_ones_or_left_out() {
    let log = "Novel,linux,0123abcd,-1,1,0,1000.000,0\nListed,linux,0123abcd,-1,2,0,1000.000,0\nNovel,linux,0123abcd,0,3,0,1000.000,0\n";
    let config = "scenarios = [{ key = 'Listed' }]\n";
    let project = Project::empty().with("run.log", log).with("keep.toml", config);
    project.write("drop.toml", format!("rows.unlisted = 'drop'\n{config}"));
    assert_snapshot!(project.run("render-perf-doc --input run.log --preview --config keep.toml"), @"
    exit 0
    --- stdout
    <!-- Generated by render-perf-doc from benchmark rows; edits to this region are overwritten.
         To refresh it: render-perf-doc --region PERFORMANCE --doc THIS-FILE --input BENCHMARK-OUTPUT -->

    Measured: commit `0123abcd`.

    Runner: hardware not recorded

    ### linux

    | Scenario | Throughput | GC allocs | GC bytes |
    | -------- | ---------- | --------- | -------- |
    | Listed   | 2/s        | 0         | 0 B      |
    | Novel    | 1/s        | 0         | 0 B      |
    ");
    assert_snapshot!(project.run("extract-perf-baseline --input run.log --config keep.toml"), @"
    exit 0
    --- stdout
    scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes
    Novel,linux,0123abcd,-1,1.000,0,1000.000,0
    Listed,linux,0123abcd,-1,2.000,0,1000.000,0
    Novel,linux,0123abcd,0,3.000,0,1000.000,0
    ");
    assert_snapshot!(project.run("extract-perf-baseline --input run.log --config drop.toml"), @"
    exit 0
    --- stdout
    scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes
    Listed,linux,0123abcd,-1,2.000,0,1000.000,0
    --- stderr
    note: `Novel` is not in the config: 2 rows left out
    ");
    project.write("run.log", log.replace("Listed", "Another"));
    assert_snapshot!(project.run("extract-perf-baseline --input run.log --config drop.toml"), @"
    exit 2
    --- stderr
    note: `Novel` is not in the config: 2 rows left out
    note: `Another` is not in the config: 1 row left out
    error: no rows in `run.log` (lines: 3); looked for [formats]
    hint: 3 rows were left out, as the config does not list scenarios such as `Novel`
    ");
}

#[test]
fn no_rows_at_all_is_an_error_that_says_what_was_looked_for() {
    let project =
        Project::empty().with("build.log", "compiling\nlinking, done\n\nok\n").with("empty.csv", "");
    assert_snapshot!(project.run("extract-perf-baseline --input build.log empty.csv"), @"
    exit 2
    --- stderr
    error: no rows in `build.log`, `empty.csv` (lines: 4); looked for [formats]
    hint: `--list-formats` says what each format carries, and `rows.layouts` in perf-gate.toml describes CSV lines of another layout
    ");
    assert_snapshot!(project.run("render-perf-doc --input empty.csv --preview"), @"
    exit 2
    --- stderr
    error: no rows in `empty.csv` (lines: 0); looked for [formats]
    hint: the input is empty: did the benchmark run?
    ");
    project.write("near.log", "Parse,linux x64,0123abcd,-1,oops,3,1000.000,96\n");
    assert_snapshot!(project.run("render-perf-deltas --input near.log --baseline-csv none.csv"), @"
    exit 2
    --- stderr
    warning: near.log:1: `oops` is not a number (column `emitsPerSecond`): `Parse,linux x64,0123abcd,-1,oops,3,1000.000,96` is not read
    error: no rows in `near.log` (lines: 1); looked for [formats]
    hint: the nearest is near.log:1: `oops` is not a number (column `emitsPerSecond`)
    ");
}

#[test]
fn a_row_of_another_commit_does_not_mix_with_the_first() {
    let log = "Parse,linux,0123abcd,-1,1000000.000,3,1000.000,96\nParse,linux,89abcdef,-1,3000000.000,3,1000.000,96\n";
    let project = Project::empty().with("run.log", log);
    assert_snapshot!(project.run("render-perf-doc --input run.log --preview"), @"
    exit 0
    --- stdout
    <!-- Generated by render-perf-doc from benchmark rows; edits to this region are overwritten.
         To refresh it: render-perf-doc --region PERFORMANCE --doc THIS-FILE --input BENCHMARK-OUTPUT -->

    Measured: commit `0123abcd`.

    Runner: hardware not recorded

    ### linux

    | Scenario | Throughput | GC allocs | GC bytes |
    | -------- | ---------- | --------- | -------- |
    | Parse    | 1 M/s      | 3         | 96 B     |
    --- stderr
    note: 1 row: not compared, as another row of the same scenario counts (of another platform, commit or machine, or of the same run)
    ");
}

#[test]
fn a_row_behind_its_header_is_read_or_named() {
    // The header in the log says what these lines are, so none of them can be taken for prose.
    let log = "\
bench: scenario,platform,commit,runIndex,decodeNs
A_Good,linux,0123abcd,0,5
B_TooLarge,linux,0123abcd,0,1e400
C_ShortCommit,linux,123,0,5
D_NoPlatform,,0123abcd,0,5
E_NegativeRun,linux,0123abcd,-2,5
";
    let project = Project::empty().with("run.log", log);
    let outcome = project.run("extract-perf-baseline --input run.log");
    let said = [outcome.out(), &outcome.stderr].concat();
    for line in log.lines().skip(1) {
        let scenario = line.split(',').next().unwrap();
        assert!(said.contains(scenario), "{scenario} is dropped in silence: {outcome}");
    }
}

#[test]
fn a_name_with_a_space_is_not_cut_to_its_last_word_in_silence() {
    let log = "Parse,linux x64,0123abcd,-1,5,5,5,5\nInsert 1000,linux x64,0123abcd,-1,5,5,5,5\n";
    let project = Project::empty().with("run.log", log);
    let outcome = project.run("extract-perf-baseline --input run.log");
    let said = [outcome.out(), &outcome.stderr].concat();
    assert!(said.contains("Insert 1000"), "{outcome}");
}
