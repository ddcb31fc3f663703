//! `perf-gate.toml`: where it is found, what is wrong with it, and what is in force.

use end_to_end::{Outcome, Project};
use insta::assert_snapshot;

const LOG: &str = "Parse,linux x64,0123abcd,-1,1250.000,3,1000.000,96\n";

fn with(config: &str) -> Outcome {
    let project = Project::empty().with("run.log", LOG).with("perf-gate.toml", config);
    project.run("extract-perf-baseline --input run.log")
}

#[test]
fn it_is_found_in_the_folder_or_in_github_or_where_somebody_says() {
    let drop = "rows.unlisted = 'drop'\nscenarios = [{ key = 'Other' }]\n";
    for place in ["perf-gate.toml", ".github/perf-gate.toml"] {
        let project = Project::empty().with("run.log", LOG).with(place, drop);
        assert!(
            project.run("extract-perf-baseline --input run.log").stderr.contains("not in the config"),
            "{place}"
        );
        // The one that is named counts alone.
        project.write("other.toml", "");
        assert_eq!(project.run("extract-perf-baseline --input run.log --config other.toml").code, Some(0));
    }
    // The one in the folder counts before the other.
    let project =
        Project::empty().with("run.log", LOG).with("perf-gate.toml", "").with(".github/perf-gate.toml", drop);
    assert_eq!(project.run("extract-perf-baseline --input run.log").code, Some(0));
    assert_snapshot!(project.run("extract-perf-baseline --input run.log --config perf-gte.toml"), @"
    exit 2
    --- stderr
    error: `perf-gte.toml` does not exist
    hint: did you mean `perf-gate.toml`?
    ");
}

#[test]
fn an_unknown_key_is_told_with_the_nearest_one() {
    assert_snapshot!(with("primry = 'emitsPerSecond'\n"), @"
    exit 2
    --- stderr
    error: perf-gate.toml:1:1: unknown key `primry`
    hint: did you mean `primary`?
    ");
    assert_snapshot!(with("[rows]\nunlisted = 'drop'\n\n[page]\nheading-levl = 3\n"), @"
    exit 2
    --- stderr
    error: perf-gate.toml:5:1: unknown key `heading-levl`
    hint: did you mean `heading-level`?
    ");
    assert_snapshot!(with("[[scenarios]]\nkey = 'Parse'\ntitle = 'Parse'\n"), @"
    exit 2
    --- stderr
    error: perf-gate.toml:3:1: unknown key `title`
    hint: known here: `key`, `label`, `primary`
    ");
    assert_snapshot!(with("[[gates]]\nmetric = 'emitsPerSecond'\nrule = 'treshold'\n"), @"
    exit 2
    --- stderr
    error: perf-gate.toml:3:8: unknown variant `treshold`
    hint: did you mean `threshold`?
    ");
    assert_snapshot!(with("[rows]\nunlisted = 'forget'\n"), @"
    exit 2
    --- stderr
    error: perf-gate.toml:2:12: unknown variant `forget`
    hint: known here: `keep`, `drop`
    ");
}

#[test]
fn what_is_there_twice_is_told() {
    assert_snapshot!(with("[[scenarios]]\nkey = 'Parse'\n\n[[scenarios]]\nkey = 'Print'\n\n[[scenarios]]\nkey = 'Parse'\n"), @"
    exit 2
    --- stderr
    error: perf-gate.toml:8:7: a second scenario has the key `Parse`
    ");
    assert_snapshot!(with("scopes = [{ name = 'A' }, { name = 'A' }]\n"), @"
    exit 2
    --- stderr
    error: perf-gate.toml:1:36: a second scope is called `A`
    ");
    assert_snapshot!(with("[rows]\nlayouts = [['a', 'b'], ['c', 'd']]\n"), @"
    exit 2
    --- stderr
    error: perf-gate.toml:2:24: a second layout of 2 metrics: lines could not be told apart
    ");
    assert_snapshot!(with("[page]\nregion = 'A'\nregion = 'B'\n"), @"
    exit 2
    --- stderr
    error: perf-gate.toml:3:1: duplicate key
    ");
}

#[test]
fn a_bad_pattern_is_told() {
    assert_snapshot!(with("[[scopes]]\nname = 'Linux'\nplatform = '(linux'\n"), @"
    exit 2
    --- stderr
    error: perf-gate.toml:3:12: bad pattern `(linux`: unclosed group
    ");
    assert_snapshot!(with("[[backends]]\nname = 'x'\nplatform = '*'\n"), @"
    exit 2
    --- stderr
    error: perf-gate.toml:3:12: bad pattern `*`: repetition operator missing expression
    ");
}

#[test]
fn a_metric_that_nothing_defines_is_told_with_the_nearest_one() {
    let metrics = "[metrics.emitsPerSecond]\nlabel = 'Throughput'\n[metrics.gcAllocations]\n";
    assert_snapshot!(with(&format!("primary = 'emitPerSecond'\n{metrics}")), @"
    exit 2
    --- stderr
    error: perf-gate.toml:1:11: no metric is called `emitPerSecond`
    hint: did you mean `emitsPerSecond`?
    ");
    assert_snapshot!(with(&format!("{metrics}[[gates]]\nmetric = 'gcAllocation'\nrule = 'exact'\n")), @"
    exit 2
    --- stderr
    error: perf-gate.toml:5:10: no metric is called `gcAllocation`
    hint: did you mean `gcAllocations`?
    ");
    assert_snapshot!(with(&format!("{metrics}[[page.columns]]\nlabel = 'x'\nmetric = 'zzz'\n")), @"
    exit 2
    --- stderr
    error: perf-gate.toml:6:10: no metric is called `zzz`
    hint: known here: `emitsPerSecond`, `gcAllocations`, `wallClockMs`, `gcAllocatedBytes`, `allocatedBytesDelta`
    ");
    assert_snapshot!(with(&format!("{metrics}[metrics.perOp]\nformula = 'gcAllocations / emits'\n")), @"
    exit 2
    --- stderr
    error: perf-gate.toml:5:11: no metric is called `emits`
    hint: did you mean `emitsPerSecond`?
    ");
}

#[test]
fn a_name_is_suggested_once() {
    let layouts = "[rows]\nlayouts = [['aaa', 'bbb'], ['aaa']]\n[metrics.aaa]\n";
    assert_snapshot!(with(&format!("primary = 'zzz'\n{layouts}")), @"
    exit 2
    --- stderr
    error: perf-gate.toml:1:11: no metric is called `zzz`
    hint: known here: `aaa`, `bbb`
    ");
}

#[test]
fn the_metrics_of_the_layouts_that_are_in_force_are_known() {
    // What rows without a header hold is known even though the config says nothing of it.
    let outcome =
        with("[metrics.emitsPerSecond]\nlabel = 'Throughput'\n[deltas]\nalso = ['gcAllocations']\n");
    assert_eq!(outcome.code, Some(0), "{outcome}");
}

#[test]
fn a_layout_names_metrics_by_their_aliases_too() {
    let config = "[rows]\nlayouts = [['short', 'copies']]\n[metrics.long]\naliases = ['short']\n";
    let project =
        Project::empty().with("run.log", "Parse,linux,0123abcd,-1,5,6\n").with("perf-gate.toml", config);
    let first = project.run("extract-perf-baseline --input run.log");
    assert_eq!(first.out(), "scenario,platform,commit,runIndex,long,copies\nParse,linux,0123abcd,-1,5,6\n");
    project.write("first.csv", &first.stdout);
    assert_eq!(project.run("extract-perf-baseline --input first.csv").out(), first.out());
}

#[test]
fn a_metric_cannot_have_the_name_of_another_column() {
    let outcome = with("[rows]\nlayouts = [['commit', 'copies']]\n");
    assert_eq!(outcome.code, Some(2), "{outcome}");
    assert!(
        outcome.stderr.starts_with("error: perf-gate.toml:2:") && outcome.stderr.contains("`commit`"),
        "{outcome}"
    );
}

#[test]
fn other_mistakes_are_told_with_their_place() {
    assert_snapshot!(with("scenarios = [\n  { key = 'Parse' \n"), @"
    exit 2
    --- stderr
    error: perf-gate.toml:2:18: unclosed inline table, expected `}`
    ");
    assert_snapshot!(with("[deltas]\ntolerance = 'two percent'\n"), @r#"
    exit 2
    --- stderr
    error: perf-gate.toml:2:13: invalid type: string "two percent", expected a number
    "#);
    assert_snapshot!(with("[deltas]\ntolerance = -0.1\n"), @"
    exit 2
    --- stderr
    error: perf-gate.toml:2:13: `tolerance` must be a fraction from 0 up, not `-0.1`
    hint: 0.33 stands for 33 %
    ");
    assert_snapshot!(with("[page]\nheading-level = 7\n"), @"
    exit 2
    --- stderr
    error: perf-gate.toml:2:17: headings have levels 1 to 6, not `7`
    ");
    assert_snapshot!(with("[metrics.x]\nformula = '1 +'\n"), @"
    exit 2
    --- stderr
    error: perf-gate.toml:2:11: bad formula `1 +`: the formula ends too early, at character 4
    ");
    assert_snapshot!(with("[metrics.x]\nformat = { divide = 0.0 }\n"), @"
    exit 2
    --- stderr
    error: perf-gate.toml:2:21: values cannot be divided by `0`
    ");
    assert_snapshot!(with("[comparison]\nprefix = 'Vs_'\nsubject = 'Us'\ntechnologies = [{ key = 'Them' }]\nscenarios = []\n"), @"
    exit 2
    --- stderr
    error: perf-gate.toml:3:11: the subject `Us` is not among the technologies
    hint: known here: `Them`
    ");
    assert_snapshot!(with("[[scenarios]]\nlabel = 'no key'\n"), @"
    exit 2
    --- stderr
    error: perf-gate.toml:1:1: missing key `key`
    ");
    assert_snapshot!(with("label = '迷路'; nonsense\n"), @"
    exit 2
    --- stderr
    error: perf-gate.toml:1:13: unexpected key or value, expected newline, `#`
    ");
}

#[test]
fn a_config_that_cannot_be_read_is_named() {
    let project = Project::empty().with("run.log", LOG).with("perf-gate.toml/file", "");
    assert_snapshot!(project.run("extract-perf-baseline --input run.log"), @"
    exit 2
    --- stderr
    error: cannot read `perf-gate.toml`: it is a directory
    hint: name a file in it
    ");
    let project = Project::empty().with("run.log", LOG).with("perf-gate.toml", b"primary = '\xff'\n");
    assert_snapshot!(project.run("extract-perf-baseline --input run.log"), @"
    exit 2
    --- stderr
    error: `perf-gate.toml` is not UTF-8: line 1, byte offset 11
    ");
}
