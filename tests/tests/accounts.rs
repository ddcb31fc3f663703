//! Nothing is dropped silently: malformed, contradictory and left-out rows are reported with their position.

use end_to_end::Project;
use end_to_end::markdown::first_numbers;

const PREVIEW: &str = "render-perf-doc --input run.log --preview";
const EXTRACT: &str = "extract-perf-baseline --input run.log";

#[test]
fn malformed_rows_in_a_log_are_reported_with_their_line() {
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
    let outcome = Project::empty()
        .with("logs/run.log", log)
        .run("extract-perf-baseline --input logs/run.log");
    assert_eq!(outcome.scenarios(), ["Parse_Good", "Parse_Nothing"]);
    assert_eq!(
        outcome.warnings(),
        [2, 3, 4, 6, 7, 8, 9].map(|line| format!("logs/run.log:{line}"))
    );
}

#[test]
fn malformed_rows_in_a_csv_are_reported_with_their_line() {
    let csv = "scenario,platform,decodeNs\nA,linux,1\nB,linux\nC,linux,1,2\n,linux,3\n\"D\nsecond line\",linux,4\nE,linux,12ns\n";
    let outcome = Project::empty()
        .with("rows.csv", csv)
        .run("extract-perf-baseline --input rows.csv");
    let rows = "scenario,platform,commit,runIndex,decodeNs\nA,linux,,-1,1\n\"D\nsecond line\",linux,,-1,4\n";
    assert_eq!(outcome.out(), rows);
    assert_eq!(
        outcome.warnings(),
        [3, 4, 5, 8].map(|line| format!("rows.csv:{line}"))
    );
}

#[test]
fn only_the_first_ten_malformed_rows_are_listed() {
    let bad: String = (0..25)
        .map(|n| format!("Parse_{n},linux x64,0123abcd,-1,oops,3,1000.000,96\n"))
        .collect();
    let project = Project::empty().with(
        "run.log",
        bad + "Parse,linux x64,0123abcd,-1,1,3,1000.000,96\n",
    );
    let outcome = project.run(EXTRACT);
    assert_eq!(outcome.scenarios(), ["Parse"]);
    let (listed, rest) = (
        outcome.warnings()[..10].to_vec(),
        outcome.warnings()[10..].to_vec(),
    );
    assert_eq!(
        listed,
        (1..=10)
            .map(|line| format!("run.log:{line}"))
            .collect::<Vec<_>>()
    );
    assert_eq!(rest, [""]);
    assert!(outcome.mentions(&["25"]), "{outcome}");
}

#[test]
fn first_of_two_contradictory_rows_is_used() {
    let (first, second) = (
        "Parse,linux,0123abcd,-1,1250000.000,3,1000.000,96\n",
        "Parse,linux,0123abcd,-1,9000000.000,3,1000.000,96\n",
    );
    let project = Project::empty()
        .with("a.log", format!("noise\n{first}"))
        .with("b.log", format!("{second}{first}"));
    let extracted = project.run("extract-perf-baseline --input a.log b.log");
    assert_eq!(extracted.scenarios(), ["Parse", "Parse"]);
    assert_eq!(extracted.warnings(), ["b.log:1"]);
    assert!(extracted.mentions(&["a.log:2"]), "{extracted}");
    let page = project.run("render-perf-doc --input a.log b.log --preview");
    assert_eq!(first_numbers(page.out()), ["Parse 1.25"]);
    assert_eq!(page.warnings(), ["b.log:1"]);
}

#[test]
fn page_shows_the_median_of_samples_or_their_aggregate() {
    let log = "\
Parse,linux x64,0123abcd,0,1000000.000,3,1000.000,96
Parse,linux x64,0123abcd,1,4000000.000,3,1000.000,96
Parse,linux x64,0123abcd,2,1500000.000,3,1000.000,96
Print,linux x64,0123abcd,0,1000000.000,3,1000.000,96
Print,linux x64,0123abcd,1,2000000.000,3,1000.000,96
Print,linux x64,0123abcd,-1,1900000.000,3,1000.000,96
";
    let outcome = Project::empty().with("run.log", log).run(PREVIEW);
    assert_eq!(first_numbers(outcome.out()), ["Parse 1.5", "Print 1.9"]);
}

#[test]
fn unlisted_scenarios_follow_the_listed_ones_or_are_dropped() {
    let log = "Novel,linux,0123abcd,-1,1,0,1000.000,0\nListed,linux,0123abcd,-1,2,0,1000.000,0\nNovel,linux,0123abcd,0,3,0,1000.000,0\n";
    let config = "scenarios = [{ key = 'Listed' }]\n";
    let project = Project::empty()
        .with("run.log", log)
        .with("keep.toml", config);
    project.write("drop.toml", format!("rows.unlisted = 'drop'\n{config}"));
    let page = project.run(&format!("{PREVIEW} --config keep.toml"));
    assert_eq!(first_numbers(page.out()), ["Listed 2", "Novel 1"]);
    let kept = project.run(&format!("{EXTRACT} --config keep.toml"));
    assert_eq!(kept.scenarios(), ["Novel", "Listed", "Novel"]);
    let drop = format!("{EXTRACT} --config drop.toml");
    let dropped = project.run(&drop);
    assert_eq!(dropped.scenarios(), ["Listed"]);
    assert!(dropped.mentions(&["Novel"]), "{dropped}");
    project.write("run.log", log.replace("Listed", "Another"));
    project.run(&drop).assert_refused("", &["run.log", "Novel"]);
}

#[test]
fn input_without_rows_is_an_error() {
    let project = Project::empty()
        .with("build.log", "compiling\nlinking, done\n\nok\n")
        .with("empty.csv", "")
        .with(
            "near.log",
            "Parse,linux x64,0123abcd,-1,oops,3,1000.000,96\n",
        );
    let both = project.run("extract-perf-baseline --input build.log empty.csv");
    both.assert_refused("", &["build.log", "empty.csv"]);
    project
        .run("render-perf-doc --input empty.csv --preview")
        .assert_refused("", &["empty.csv"]);
    let near = project.run("render-perf-deltas --input near.log --baseline-csv none.csv");
    near.assert_refused("", &["near.log:1"]);
    assert_eq!(near.warnings(), ["near.log:1"]);
}

#[test]
fn page_leaves_out_rows_of_a_second_commit() {
    let log = "Parse,linux,0123abcd,-1,1000000.000,3,1000.000,96\nParse,linux,89abcdef,-1,3000000.000,3,1000.000,96\n";
    let outcome = Project::empty().with("run.log", log).run(PREVIEW);
    assert_eq!(first_numbers(outcome.out()), ["Parse 1"]);
    assert!(
        outcome.out().contains("0123abcd") && !outcome.out().contains("89abcdef"),
        "{outcome}"
    );
    assert!(
        outcome.stderr.lines().count() == 1 && outcome.mentions(&["1"]),
        "{outcome}"
    );
}

#[test]
fn rows_after_a_header_are_read_or_reported() {
    // The header in the log describes these lines, so they cannot be prose.
    let log = "\
bench: scenario,platform,commit,runIndex,decodeNs
A_Good,linux,0123abcd,0,5
B_TooLarge,linux,0123abcd,0,1e400
C_ShortCommit,linux,123,0,5
D_NoPlatform,,0123abcd,0,5
E_NegativeRun,linux,0123abcd,-2,5
";
    let outcome = Project::empty().with("run.log", log).run(EXTRACT);
    for line in log.lines().skip(1) {
        let scenario = line.split(',').next().unwrap();
        assert!(
            outcome.out().contains(scenario) || outcome.mentions(&[scenario]),
            "{scenario}: {outcome}"
        );
    }
}

#[test]
fn name_with_a_space_is_kept_or_reported() {
    let log = "Parse,linux x64,0123abcd,-1,5,5,5,5\nInsert 1000,linux x64,0123abcd,-1,5,5,5,5\n";
    let outcome = Project::empty().with("run.log", log).run(EXTRACT);
    assert!(
        outcome.out().contains("Insert 1000") || outcome.mentions(&["Insert 1000"]),
        "{outcome}"
    );
}
