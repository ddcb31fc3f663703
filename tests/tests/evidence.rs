//! Evidence in addition to one run and one baseline: a history, confirmation runs, pairs.

use end_to_end::Project;
use end_to_end::action::git;

/// Throughputs with a little noise from commit to commit.
const RATES: [u32; 12] = [
    1000, 1004, 997, 1002, 1008, 995, 1001, 999, 1006, 998, 1003, 1000,
];

const COLUMNS: &str = "scenario,platform,commit,runIndex,parsesPerSecond\n";

/// The verdict with a history on a slowdown of 20 %, which passes against a single baseline.
const UNCONFIRMED: &str =
    "exit 0: changed=true regressed=false inconclusive=1 compared=1 confirm=1";

fn rows(commit: &str, rate: u32) -> String {
    format!("{COLUMNS}Parse,linux,{commit},-1,{rate}\n")
}

/// A repository with a different baseline in each commit. The run is slower by `slower` parses per second.
fn repository(slower: u32) -> Project {
    let project = Project::empty().with("run.log", rows("4567cdef", 1000 - slower));
    run_git(&project, &["init", "--quiet", "--initial-branch=main"]);
    for (at, rate) in RATES.iter().enumerate() {
        commit(&project, &rows(&format!("c0ffee{at:02}"), *rate));
    }
    project
}

fn commit(project: &Project, baseline: &str) {
    project.write("perf/base.csv", baseline);
    run_git(project, &["add", "perf"]);
    run_git(project, &["commit", "--quiet", "-m", "Refresh"]);
}

fn run_git(project: &Project, arguments: &[&str]) -> String {
    git(&project.path(""), arguments)
}

const BY_GIT: &str =
    "render-perf-deltas --input run.log --baseline-git HEAD:perf/base.csv --history-git 12";
const BY_FILE: &str = "render-perf-deltas --input run.log --baseline-csv perf/base.csv";

#[test]
fn history_finds_a_slowdown_that_passes_against_one_baseline() {
    let project = repository(200);
    assert_eq!(
        project.run(BY_FILE).results(),
        "exit 0: changed=true regressed=false compared=1"
    );
    assert_eq!(project.run(BY_GIT).results(), UNCONFIRMED);
    assert_eq!(
        project
            .run(&format!("{BY_FILE} --history-git 12"))
            .results(),
        UNCONFIRMED
    );
    let (_, report) = project.compare(BY_GIT);
    assert_eq!(
        report.metric("Parse", "parsesPerSecond")["decidedBy"],
        "history"
    );
    assert_eq!(
        repository(10).run(BY_GIT).results(),
        "exit 0: changed=false regressed=false compared=1"
    );
}

#[test]
fn history_file_may_be_in_any_order_and_only_the_last_commits_are_used() {
    let project = repository(200);
    let dated = |(at, rate): (usize, &u32)| {
        format!(
            "Parse,linux,c0ffee{at:02},-1,2021-03-{:02},{rate}\n",
            at + 1
        )
    };
    let mut history: Vec<String> = RATES.iter().enumerate().map(dated).collect();
    history.sort_by_key(|line| line.len() * 7 + usize::from(line.as_bytes()[20]));
    let header = "scenario,platform,commit,runIndex,measuredAt,parsesPerSecond\n";
    project.write("old.csv", header.to_owned() + &history.concat());
    let line = format!("{BY_FILE} --history old.csv");
    assert_eq!(project.run(&line).results(), UNCONFIRMED);
    // Older rows, half as fast, are outside of `history.last`.
    let older = |at: usize| {
        format!(
            "Parse,linux,0ld{at:05},-1,2020-03-{:02},{}\n",
            at + 1,
            500 + at
        )
    };
    let older: String = (0..12).map(older).collect();
    project.write("perf-gate.toml", "[history]\nlast = 10\n");
    project.write("old.csv", project.text("old.csv") + &older);
    assert_eq!(project.run(&line).results(), UNCONFIRMED);
    // A commit in both histories is used once.
    assert_eq!(
        project
            .run(&format!("{BY_GIT} --history old.csv"))
            .results(),
        UNCONFIRMED
    );
}

#[test]
fn confirmation_run_confirms_or_refutes() {
    let project = repository(200)
        .with("slow.log", rows("4567cdef", 805))
        .with("fine.log", rows("4567cdef", 1001));
    for (options, results) in [
        ("", UNCONFIRMED),
        (
            "--confirm slow.log",
            "exit 1: changed=true regressed=true compared=1 failed=regressed",
        ),
        (
            "--confirm fine.log",
            "exit 0: changed=true regressed=false compared=1",
        ),
        (
            "--fail-on inconclusive,new",
            "exit 1: changed=true regressed=false inconclusive=1 compared=1 blind=1 confirm=1 failed=inconclusive",
        ),
    ] {
        assert_eq!(
            project
                .run(&format!("{BY_GIT} --exit-code {options}"))
                .results(),
            results,
            "{options}"
        );
    }
}

#[test]
fn confirmation_from_another_commit_or_the_same_file_is_rejected() {
    let project = repository(200)
        .with("other.log", rows("89abcdef", 805))
        .with("empty.log", "nothing\n");
    for (files, words) in [
        ("run.log", &["run.log"][..]),
        ("./empty.log run.log", &["run.log"]),
        ("other.log", &["other.log", "89abcdef", "4567cdef"]),
        ("empty.log", &["empty.log"]),
    ] {
        project
            .run(&format!("{BY_GIT} --confirm {files}"))
            .assert_refused("", words);
    }
}

#[test]
fn copy_of_the_run_confirms_nothing() {
    let project = repository(200).with("copy.log", rows("4567cdef", 800));
    let outcome = project.run(&format!("{BY_GIT} --exit-code --confirm copy.log"));
    assert_eq!(outcome.results(), UNCONFIRMED);
    assert!(
        outcome.warnings().len() == 1 && outcome.mentions(&["copy.log", "a copy"]),
        "{outcome}"
    );
}

#[test]
fn baseline_commit_option_selects_a_commit_in_the_file() {
    let row = |commit: &str, rate: u32| rows(commit, rate).replace(COLUMNS, "");
    let rolling = [
        COLUMNS,
        &row("c0ffee01", 1000),
        &row("c0ffee02", 400),
        &row("c0ffee03", 1000),
    ]
    .concat();
    let project = Project::empty()
        .with("run.log", rows("4567cdef", 500))
        .with("base.csv", rolling);
    let line = "render-perf-deltas --input run.log --baseline-csv base.csv";
    for (options, regressed) in [
        ("", true),
        ("--baseline-commit c0ffee02", false),
        ("--baseline-commit c0ffee01", true),
        ("--baseline-commit c0ffee020123456789", false),
    ] {
        let results = project.run(&format!("{line} {options}")).results();
        assert_eq!(
            results.contains("regressed=true"),
            regressed,
            "{options}: {results}"
        );
    }
    for (commit, words) in [
        ("deadbee", &["deadbee", "base.csv", "c0ffee03"][..]),
        ("c0ffee", &["several commits", "c0ffee"]),
    ] {
        project
            .run(&format!("{line} --baseline-commit {commit}"))
            .assert_refused("", words);
    }
    let unnamed = rows("", 400);
    project.write("base.csv", unnamed);
    project
        .run(&format!("{line} --baseline-commit c0ffee02"))
        .assert_refused("", &["contains no commit"]);
}

#[test]
fn changed_harness_files_are_noted() {
    let project = repository(10)
        .with("bench/run.sh", "one")
        .with("bench/deep/b.sh", "one");
    project.write("perf-gate.toml", "[harness]\npaths = ['bench/**']\n");
    run_git(&project, &["add", "bench"]);
    run_git(&project, &["commit", "--quiet", "-m", "Add the benchmark"]);
    let measured = run_git(&project, &["rev-parse", "HEAD"]);
    project.write("base.csv", rows(measured.trim(), 1000));
    let line = "render-perf-deltas --input run.log --baseline-csv base.csv --output deltas.md";
    assert!(!project.run(line).mentions(&["[harness]"]));
    project.write("bench/deep/b.sh", "two");
    let outcome = project.run(line);
    assert!(
        outcome.mentions(&["1 benchmark file (`[harness]`)", "`bench/deep/b.sh`"]),
        "{outcome}"
    );
    assert!(
        project.text("deltas.md").contains("bench/deep/b.sh"),
        "{}",
        project.text("deltas.md")
    );
    // For a commit that git does not know, nothing is noted.
    project.write("base.csv", rows("c0ffee02", 1000));
    assert!(!project.run(line).mentions(&["[harness]"]));
}

#[test]
fn interleaved_samples_are_compared_in_pairs() {
    let side = |commit: &str, rate: f64| {
        let row = |run: u32| {
            // The machine slows down during the run.
            let drift = 1.0 - f64::from(run) / 100.0;
            format!("Parse,linux,{commit},{run},{:.3}\n", rate * drift)
        };
        COLUMNS.to_owned() + &(0..20).map(row).collect::<String>()
    };
    let project = Project::empty()
        .with("base.csv", side("0123abcd", 1000.0))
        .with("run.log", side("4567cdef", 950.0));
    let line = "render-perf-deltas --input run.log --baseline-csv base.csv";
    assert_eq!(
        project.run(line).results(),
        "exit 0: changed=true regressed=false compared=1"
    );
    let paired = format!("{line} --paired");
    let regressed = "exit 0: changed=true regressed=true compared=1 failed=regressed";
    assert_eq!(project.run(&paired).results(), regressed);
    // A run without pairs is compared as usual, with a warning.
    let outcome = project.with("run.log", rows("4567cdef", 950)).run(&paired);
    assert_eq!(
        outcome.results(),
        "exit 0: changed=true regressed=false compared=1"
    );
    assert_eq!(outcome.warnings(), [""]);
}

#[test]
fn few_bytes_in_some_process_runs_are_no_regression() {
    let side = |commit: &str, bytes: &dyn Fn(u32) -> u32| {
        let row = |run: u32| format!("Parse,linux,{commit},{run},{}\n", bytes(run));
        "scenario,platform,commit,runIndex,B/op\n".to_owned()
            + &(0..20).map(row).collect::<String>()
    };
    let base = side("0123abcd", &|run| u32::from(run == 7));
    let verdict = |bytes: &dyn Fn(u32) -> u32| {
        let project = Project::empty()
            .with("base.csv", &base)
            .with("run.log", side("4567cdef", bytes));
        let outcome =
            project.run("render-perf-deltas --input run.log --baseline-csv base.csv --paired -o -");
        outcome.to_string()
    };
    let few = verdict(&|run| 2 * u32::from(run % 3 > 0));
    assert!(
        few.contains("### ⚠️ perf-gate: 1 of 1 benchmark inconclusive"),
        "{few}"
    );
    assert!(
        few.contains("no longer zero, but the process runs overlap."),
        "{few}"
    );
    let all = verdict(&|_| 48);
    assert!(
        all.contains("### ❌ perf-gate: 1 of 1 benchmark regressed")
            && all.contains("| ❌ from 0 |"),
        "{all}"
    );
}

#[test]
fn shallow_clone_is_reported_on_stderr_and_in_the_report() {
    let project = repository(200);
    let origin = format!("file://{}", project.path("").display());
    run_git(
        &project,
        &["clone", "--quiet", "--depth=3", &origin, "clone"],
    );
    let line = "render-perf-deltas --input run.log --baseline-csv clone/perf/base.csv --history-git 12 --output deltas.md";
    let (outcome, report) = project.compare(line);
    assert_eq!(
        outcome.results(),
        "exit 0: changed=true regressed=false compared=1"
    );
    assert!(
        outcome.mentions(&["perf/base.csv", "12", "--unshallow"]),
        "{outcome}"
    );
    assert!(
        project.text("deltas.md").contains("perf/base.csv"),
        "{}",
        project.text("deltas.md")
    );
    assert_eq!(report.notes(), 1);
}

#[test]
fn damaged_version_is_left_out_of_the_history_with_a_warning() {
    let project = repository(200);
    commit(&project, "no rows at all\n");
    commit(&project, &rows("c0ffee99", 1000));
    let outcome = project.run(&format!("{BY_FILE} --history-git 14"));
    let commits = run_git(
        &project,
        &["rev-list", "--abbrev-commit", "--abbrev=10", "HEAD"],
    );
    assert_eq!(outcome.warnings(), [""]);
    assert!(
        outcome.mentions(&["perf/base.csv", commits.lines().nth(1).unwrap()]),
        "{outcome}"
    );
    assert_eq!(outcome.results(), UNCONFIRMED);
}

#[test]
fn invalid_baseline_or_history_is_rejected() {
    let project = repository(200)
        .with("empty.csv", COLUMNS)
        .with("cut.csv", format!("{COLUMNS}Parse,linux\n"));
    let head = "--baseline-git HEAD:perf/base.csv";
    for (options, place, words) in [
        (String::new(), "", "--baseline-csv"),
        (
            format!("{head} --baseline-csv perf/base.csv"),
            "",
            "--baseline-csv",
        ),
        ("--baseline-git perf/base.csv".into(), "", "perf/base.csv"),
        ("--baseline-git --all:perf/base.csv".into(), "", "--all"),
        ("--baseline-git nowhere:perf/base.csv".into(), "", "nowhere"),
        ("--baseline-git HEAD:perf".into(), "", "HEAD:perf"),
        (format!("{head} --history-git 0"), "", "'0'"),
        (format!("{head} --history-git many"), "", "'many'"),
        (format!("{head} --history none.csv"), "", "none.csv"),
        (format!("{head} --history empty.csv"), "", "empty.csv"),
        (format!("{head} --history cut.csv"), "cut.csv:2", ""),
        (
            "--baseline-csv - --history-git 3".into(),
            "",
            "--baseline-git",
        ),
    ] {
        let tool = project.tool(&format!("render-perf-deltas --input run.log {options}"));
        tool.stdin(rows("0123abcd", 1000))
            .run()
            .assert_refused(place, &[words]);
    }
}

#[test]
fn uncommitted_baseline_is_treated_as_missing() {
    let line = "render-perf-deltas --input run.log --baseline-git HEAD:other.csv --history-git 12 --exit-code";
    let outcome = repository(200).run(line);
    assert_eq!(outcome.results(), "exit 0: changed=false regressed=false");
    assert!(
        outcome.warnings().len() == 1 && outcome.mentions(&["HEAD:other.csv"]),
        "{outcome}"
    );
}

#[test]
fn missing_git_is_an_error() {
    let project = repository(200);
    project.write("bin/nothing", "");
    let tool = project
        .tool(BY_GIT)
        .env("PATH", &project.path("bin").to_string_lossy());
    tool.run().assert_refused("", &["git"]);
}

#[cfg(unix)]
#[test]
fn killed_git_is_not_an_empty_history() {
    use std::os::unix::fs::PermissionsExt;
    let project = repository(200);
    // Works at first, and dies when asked for the versions.
    let script = "#!/bin/sh\ncase \"$*\" in *' log '*|*rev-list*|*cat-file*) kill -9 $$ ;; *) exec \"$REAL\" \"$@\" ;; esac\n";
    project.write("bin/git", script);
    std::fs::set_permissions(
        project.path("bin/git"),
        std::fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let real = std::env::split_paths(&path)
        .map(|folder| folder.join("git"))
        .find(|git| git.exists())
        .unwrap();
    let tool = project.tool(&format!("{BY_FILE} --history-git 12"));
    let tool = tool.env("PATH", &project.path("bin").to_string_lossy());
    tool.env("REAL", &real.to_string_lossy())
        .run()
        .assert_refused("", &["git"]);
}

#[test]
fn explain_needs_standard_output_and_a_known_scenario() {
    let project = repository(200);
    let explained = project.run(&format!("{BY_GIT} --quiet --explain Parse"));
    assert!(
        explained.out().contains("Parse") && !explained.out().contains("changed="),
        "{explained}"
    );
    assert!(
        explained.stderr.starts_with("changed=true\n"),
        "{explained}"
    );
    for (options, words) in [
        ("--explain Prase", &["Prase", "Parse"][..]),
        ("--explain Gone", &["Gone", "Parse"]),
        ("--explain Parse --output -", &["--explain"]),
    ] {
        project
            .run(&format!("{BY_GIT} {options}"))
            .assert_refused("", words);
    }
}
