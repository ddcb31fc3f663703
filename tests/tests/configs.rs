//! `perf-gate.toml`: its location, and errors in it.

use end_to_end::{Outcome, Project};

const LOG: &str = "Parse,linux x64,0123abcd,-1,1250.000,3,1000.000,96\n";
const EXTRACT: &str = "extract-perf-baseline --input run.log";

fn run_with(config: &str) -> Outcome {
    Project::empty()
        .with("run.log", LOG)
        .with("perf-gate.toml", config)
        .run(EXTRACT)
}

/// Asserts that each config is rejected at a position, with a message that contains these words.
#[track_caller]
fn assert_refused(cases: &[(&str, &str, &[&str])]) {
    for (config, place, words) in cases {
        run_with(config).assert_refused(&format!("perf-gate.toml:{place}"), words);
    }
}

#[test]
fn config_is_found_in_the_folder_then_in_dot_github_unless_specified() {
    let drop = "rows.unlisted = 'drop'\nscenarios = [{ key = 'Other' }]\n";
    for place in ["perf-gate.toml", ".github/perf-gate.toml"] {
        let project = Project::empty()
            .with("run.log", LOG)
            .with(place, drop)
            .with("other.toml", "");
        project.run(EXTRACT).assert_refused("", &["Parse"]);
        assert_eq!(
            project.run(&format!("{EXTRACT} --config other.toml")).code,
            Some(0),
            "{place}"
        );
    }
    let project = Project::empty()
        .with("run.log", LOG)
        .with("perf-gate.toml", "")
        .with(".github/perf-gate.toml", drop);
    assert_eq!(project.run(EXTRACT).code, Some(0));
    project
        .run(&format!("{EXTRACT} --config perf-gte.toml"))
        .assert_refused("", &["perf-gte", "perf-gate"]);
}

#[test]
fn error_is_one_line_with_its_position_and_a_hint() {
    let outcome = run_with("primry = 'emitsPerSecond'\n");
    assert_eq!(
        outcome.stderr,
        "error: perf-gate.toml:1:1: unknown key `primry`\nhint: did you mean `primary`?\n"
    );
}

#[test]
fn unknown_key_or_value_is_rejected_with_a_suggestion() {
    assert_refused(&[
        (
            "[rows]\nunlisted = 'drop'\n\n[page]\nheading-levl = 3\n",
            "5:1",
            &["heading-level"],
        ),
        (
            "[[scenarios]]\nkey = 'Parse'\ntitle = 'Parse'\n",
            "3:1",
            &["title", "label"],
        ),
        (
            "[[gates]]\nmetric = 'emitsPerSecond'\nrule = 'limt'\n",
            "3:8",
            &["limit"],
        ),
        (
            "[rows]\nunlisted = 'forget'\n",
            "2:12",
            &["forget", "keep", "drop"],
        ),
        ("[[scenarios]]\nlabel = 'no key'\n", "1:1", &["key"]),
    ]);
}

#[test]
fn duplicate_is_rejected() {
    let scenarios = "[[scenarios]]\nkey = 'Parse'\n\n[[scenarios]]\nkey = 'Print'\n\n[[scenarios]]\nkey = 'Parse'\n";
    assert_refused(&[
        (scenarios, "8:7", &["Parse"]),
        (
            "scopes = [{ name = 'A' }, { name = 'A' }]\n",
            "1:36",
            &["A"],
        ),
        (
            "[rows]\nlayouts = [['a', 'b'], ['c', 'd']]\n",
            "2:24",
            &["2"],
        ),
        ("[page]\nregion = 'A'\nregion = 'B'\n", "3:1", &[]),
    ]);
}

#[test]
fn unknown_metric_is_rejected_with_a_suggestion() {
    let metrics = "[metrics.emitsPerSecond]\nlabel = 'Throughput'\n[metrics.gcAllocations]\n";
    let primary = format!("primary = 'emitPerSecond'\n{metrics}");
    let gate = format!("{metrics}[[gates]]\nmetric = 'gcAllocation'\nrule = 'exact'\n");
    let column = format!("{metrics}[[page.columns]]\nlabel = 'x'\nmetric = 'zzz'\n");
    let formula = format!("{metrics}[metrics.perOp]\nformula = 'gcAllocations / emits'\n");
    assert_refused(&[
        (&primary, "1:11", &["emitPerSecond", "emitsPerSecond"]),
        (&gate, "5:10", &["gcAllocations"]),
        (
            &column,
            "6:10",
            &["zzz", "wallClockMs", "allocatedBytesDelta"],
        ),
        (&formula, "5:11", &["emitsPerSecond"]),
    ]);
    // A name that occurs in two layouts is suggested once.
    let outcome =
        run_with("primary = 'zzz'\n[rows]\nlayouts = [['aaa', 'bbb'], ['aaa']]\n[metrics.aaa]\n");
    assert_eq!(outcome.stderr.matches("aaa").count(), 1, "{outcome}");
}

#[test]
fn invalid_value_is_rejected_with_its_position() {
    let subject = "[comparison]\nprefix = 'Vs_'\nsubject = 'Us'\ntechnologies = [{ key = 'Them' }]\nscenarios = []\n";
    assert_refused(&[
        (
            "[[scopes]]\nname = 'Linux'\nplatform = '(linux'\n",
            "3:12",
            &["(linux"],
        ),
        ("[[backends]]\nname = 'x'\nplatform = '*'\n", "3:12", &["*"]),
        ("scenarios = [\n  { key = 'Parse' \n", "2:18", &["}"]),
        (
            "[deltas]\ntolerance = 'two percent'\n",
            "2:13",
            &["two percent"],
        ),
        ("[deltas]\ntolerance = -0.1\n", "2:13", &["-0.1"]),
        ("[page]\nheading-level = 7\n", "2:17", &["7"]),
        ("[metrics.x]\nformula = '1 +'\n", "2:11", &["1 +"]),
        ("[metrics.x]\nformat = { divide = 0.0 }\n", "2:21", &["0"]),
        (subject, "3:11", &["Us", "Them"]),
        ("label = '迷路'; unexpected_response\n", "1:13", &[]),
    ]);
    let outcome = run_with("[rows]\nlayouts = [['commit', 'copies']]\n");
    assert!(
        outcome.stderr.starts_with("error: perf-gate.toml:2:") && outcome.mentions(&["commit"]),
        "{outcome}"
    );
}

#[test]
fn default_layout_metrics_are_known() {
    let outcome = run_with(
        "[metrics.emitsPerSecond]\nlabel = 'Throughput'\n[deltas]\nalso = ['gcAllocations']\n",
    );
    assert_eq!(outcome.code, Some(0), "{outcome}");
}

#[test]
fn layout_may_use_aliases() {
    let config = "[rows]\nlayouts = [['short', 'copies']]\n[metrics.long]\naliases = ['short']\n";
    let project = Project::empty()
        .with("run.log", "Parse,linux,0123abcd,-1,5,6\n")
        .with("perf-gate.toml", config);
    let first = project.run(EXTRACT);
    assert_eq!(
        first.out(),
        "scenario,platform,commit,runIndex,long,copies\nParse,linux,0123abcd,-1,5,6\n"
    );
    project.write("first.csv", &first.stdout);
    assert_eq!(
        project.run("extract-perf-baseline --input first.csv").out(),
        first.out()
    );
}

#[test]
fn unreadable_config_is_reported_by_name() {
    let folder = Project::empty()
        .with("run.log", LOG)
        .with("perf-gate.toml/file", "");
    folder.run(EXTRACT).assert_refused("", &["perf-gate.toml"]);
    let latin = Project::empty()
        .with("run.log", LOG)
        .with("perf-gate.toml", b"primary = '\xff'\n");
    latin
        .run(EXTRACT)
        .assert_refused("", &["perf-gate.toml", "UTF-8"]);
}
