//! What there may be besides one run and one baseline: a history, further runs, pairs.

use end_to_end::action::git;
use end_to_end::{Outcome, Project};
use insta::assert_snapshot;

/// A throughput that strays a little from commit to commit.
const RATES: [u32; 12] = [1000, 1004, 997, 1002, 1008, 995, 1001, 999, 1006, 998, 1003, 1000];

const HEADER: &str = "scenario,platform,commit,runIndex,parsesPerSecond\n";

fn rows(commit: &str, rate: u32) -> String {
    format!("{HEADER}Parse,linux,{commit},-1,{rate}\n")
}

/// A repository whose baseline was written anew in each commit; the run is slower by as many per second.
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
    "render-perf-deltas --quiet --input run.log --baseline-git HEAD:perf/base.csv --history-git 12";

/// What is said of the verdict, without what is zero.
fn lines(outcome: &Outcome) -> String {
    let told = outcome.out().lines().filter(|line| !line.ends_with("=0") && !line.ends_with('='));
    format!("{:?}: {}", outcome.code, told.collect::<Vec<_>>().join(" "))
}

#[test]
fn a_history_suspects_what_one_baseline_lets_pass() {
    let project = repository(200);
    let alone = project.run("render-perf-deltas --quiet --input run.log --baseline-csv perf/base.csv");
    assert_snapshot!(lines(&alone), @"Some(0): changed=true regressed=false compared=1");
    assert_snapshot!(project.run(BY_GIT), @"
    exit 0
    --- stdout
    changed=true
    regressed=false
    improved=0
    inconclusive=1
    missing=0
    new=0
    not-comparable=0
    compared=1
    unmeasured=0
    waived=0
    confirm=1
    failed=
    ");
    // The same by the file, whose repository is its own.
    let by_file = "render-perf-deltas --quiet --input run.log --baseline-csv perf/base.csv --history-git 12";
    assert_eq!(project.run(by_file).to_string(), project.run(BY_GIT).to_string());
    let usual = repository(10).run(BY_GIT);
    assert_snapshot!(lines(&usual), @"Some(0): changed=false regressed=false compared=1");
}

#[test]
fn a_history_can_be_a_file_in_any_order() {
    let project = repository(200);
    let dated =
        |(at, rate): (usize, &u32)| format!("Parse,linux,c0ffee{at:02},-1,2021-03-{:02},{rate}\n", at + 1);
    let mut history: Vec<String> = RATES.iter().enumerate().map(dated).collect();
    history.sort_by_key(|line| line.len() * 7 + usize::from(line.as_bytes()[20]));
    project.write(
        "old.csv",
        format!("scenario,platform,commit,runIndex,measuredAt,parsesPerSecond\n{}", history.concat()),
    );
    let line = "render-perf-deltas --quiet --input run.log --baseline-csv perf/base.csv --history old.csv";
    assert_eq!(lines(&project.run(line)), lines(&project.run(BY_GIT)));
    // Of what is older, nothing counts but the last: there it was slower by half.
    let older = |at: usize| format!("Parse,linux,0ld{at:05},-1,2020-03-{:02},{}\n", at + 1, 500 + at);
    let older: String = (0..12).map(older).collect();
    project.write("perf-gate.toml", "[history]\nlast = 10\n");
    project.write("old.csv", project.text("old.csv") + &older);
    assert_eq!(lines(&project.run(line)), lines(&project.run(BY_GIT)));
    // Both at once are no more than either, as each commit counts once.
    assert_eq!(lines(&project.run(&format!("{BY_GIT} --history old.csv"))), lines(&project.run(BY_GIT)));
}

#[test]
fn further_runs_confirm_a_suspect_or_refute_it() {
    let project =
        repository(200).with("slow.log", rows("4567cdef", 805)).with("fine.log", rows("4567cdef", 1001));
    assert_snapshot!(lines(&project.run(&format!("{BY_GIT} --exit-code"))), @"Some(0): changed=true regressed=false inconclusive=1 compared=1 confirm=1");
    assert_snapshot!(lines(&project.run(&format!("{BY_GIT} --exit-code --confirm slow.log"))), @"Some(1): changed=true regressed=true compared=1 failed=regressed");
    assert_snapshot!(lines(&project.run(&format!("{BY_GIT} --exit-code --confirm fine.log"))), @"Some(0): changed=true regressed=false compared=1");
    let undecided = project.run(&format!("{BY_GIT} --exit-code --fail-on inconclusive,new"));
    assert_snapshot!(lines(&undecided), @"Some(1): changed=true regressed=false inconclusive=1 compared=1 confirm=1 failed=inconclusive");
}

#[test]
fn rows_that_were_measured_side_by_side_are_pairs() {
    let side = |commit: &str, rate: f64| {
        let row = |run: u32| {
            // The machine becomes slower all the time.
            let drift = 1.0 - f64::from(run) / 100.0;
            format!("Parse,linux,{commit},{run},{:.3}\n", rate * drift)
        };
        HEADER.to_owned() + &(0..20).map(row).collect::<String>()
    };
    let project =
        Project::empty().with("base.csv", side("0123abcd", 1000.0)).with("run.log", side("4567cdef", 950.0));
    let line = "render-perf-deltas --quiet --input run.log --baseline-csv base.csv";
    assert_snapshot!(lines(&project.run(line)), @"Some(0): changed=true regressed=false compared=1");
    assert_snapshot!(lines(&project.run(&format!("{line} --paired"))), @"Some(0): changed=true regressed=true compared=1 failed=regressed");
    let project = project.with("run.log", rows("4567cdef", 950));
    assert_snapshot!(project.run(&format!("{line} --paired --output -")).stderr, @"
    warning: no rows are paired: none of the run has the scenario and `runIndex` of one of the baseline
    changed=true
    regressed=false
    improved=0
    inconclusive=0
    missing=0
    new=0
    not-comparable=0
    compared=1
    unmeasured=0
    waived=0
    confirm=0
    failed=
    ");
}

#[test]
fn a_clone_without_its_history_says_so_to_everybody() {
    let project = repository(200);
    run_git(
        &project,
        &["clone", "--quiet", "--depth=3", &format!("file://{}", project.path("").display()), "clone"],
    );
    let line = "render-perf-deltas --input run.log --baseline-csv clone/perf/base.csv --history-git 12 --output deltas.md";
    assert_snapshot!(project.run(line), @"
    exit 0
    --- stdout
    changed=true
    regressed=false
    improved=0
    inconclusive=0
    missing=0
    new=0
    not-comparable=0
    compared=1
    unmeasured=0
    waived=0
    confirm=0
    failed=
    --- stderr
    note: 3 versions of `perf/base.csv` instead of 12: the clone is shallow and has no older ones
    hint: let `actions/checkout` fetch all with `fetch-depth: 0`, or run `git fetch --unshallow`
    note: No regression in 1 scenario compared.
    --- files
    + deltas.md
    ");
    let note = "The history has 3 versions of \\`perf/base.csv\\` instead of 12: the clone is shallow";
    assert!(project.text("deltas.md").contains(note), "{}", project.text("deltas.md"));
}

#[test]
fn a_version_that_cannot_be_read_is_left_out_and_told() {
    let project = repository(200);
    commit(&project, "no rows at all\n");
    commit(&project, &rows("c0ffee99", 1000));
    let outcome =
        project.run("render-perf-deltas --input run.log --baseline-csv perf/base.csv --history-git 14");
    let commits = run_git(&project, &["rev-list", "--abbrev-commit", "--abbrev=10", "HEAD"]);
    assert_snapshot!(outcome.stderr.replace(commits.lines().nth(1).unwrap(), "COMMIT"), @"
    warning: the version of `perf/base.csv` in COMMIT is left out: `perf/base.csv` is no baseline: its first line is no header with a column `scenario`
    note: 13 versions of `perf/base.csv` instead of 14
    note: Parse is inconclusive: parsesPerSecond 1,000.00 → 800.00/s (-20 % against the median of 13); normal is down to 996.20, the limit is 948.76; suspect, and not confirmed: run it once more and give the result with --confirm.
    ");
    assert!(outcome.out().contains("inconclusive=1\n"), "{outcome}");
}

#[test]
fn what_names_no_baseline_or_no_history_is_told_with_advice() {
    let project = repository(200).with("empty.csv", HEADER).with("cut.csv", format!("{HEADER}Parse,linux\n"));
    let run = "render-perf-deltas --input run.log";
    let said = [
        "",
        "--baseline-git HEAD:perf/base.csv --baseline-csv perf/base.csv",
        "--baseline-git perf/base.csv",
        "--baseline-git --all:perf/base.csv",
        "--baseline-git nowhere:perf/base.csv",
        "--baseline-git HEAD:perf",
        "--baseline-git HEAD:perf/base.csv --history-git 0",
        "--baseline-git HEAD:perf/base.csv --history-git many",
        "--baseline-git HEAD:perf/base.csv --history none.csv",
        "--baseline-git HEAD:perf/base.csv --history empty.csv",
        "--baseline-git HEAD:perf/base.csv --history cut.csv",
        "--baseline-csv - --history-git 3",
    ]
    .map(|options| {
        let outcome = project.tool(&format!("{run} {options}")).stdin(rows("0123abcd", 1000)).run();
        assert_eq!(
            (outcome.code, outcome.out(), outcome.files.len()),
            (Some(2), "", 0),
            "{options}: {outcome}"
        );
        outcome.stderr.lines().filter(|line| !line.is_empty()).take(4).collect::<Vec<_>>().join("\n")
    });
    assert_snapshot!(said.join("\n\n"), @"
    error: the following required arguments were not provided:
      --baseline-csv <FILE>
    Usage: render-perf-deltas --input <FILE>... --baseline-csv <FILE>
    For more information, try '--help'.

    error: the argument '--baseline-git <REF:PATH>' cannot be used with '--baseline-csv <FILE>'
    Usage: render-perf-deltas --input <FILE>... --baseline-git <REF:PATH>
    For more information, try '--help'.

    error: invalid value 'perf/base.csv' for '--baseline-git <REF:PATH>': `perf/base.csv` has no `:PATH`; write REF:PATH, such as `perf/base.csv:perf-baseline.csv`
    For more information, try '--help'.

    error: unexpected argument '--all:perf/base.csv' found
    Usage: render-perf-deltas --input <FILE>...
    For more information, try '--help'.

    error: `nowhere` names no commit that is here
    hint: fetch it with `git fetch origin nowhere`, or all with `fetch-depth: 0` of `actions/checkout`

    error: `HEAD:perf` is a folder, not a file

    error: invalid value '0' for '--history-git <N>': a whole number from 1 to 1000, such as 30
    For more information, try '--help'.

    error: invalid value 'many' for '--history-git <N>': a whole number from 1 to 1000, such as 30
    For more information, try '--help'.

    error: `none.csv` does not exist

    error: `empty.csv` has no rows

    error: cut.csv:2: 2 columns instead of 5
    hint: a damaged baseline must not pass for none: restore it, or write it again with `extract-perf-baseline --replace`

    error: standard input has no history
    hint: name the file of the baseline, or its commit with `--baseline-git`
    ");
}

#[test]
fn a_baseline_that_is_not_committed_yet_is_skipped() {
    let project = repository(200);
    let line =
        "render-perf-deltas --input run.log --baseline-git HEAD:other.csv --history-git 12 --exit-code";
    assert_snapshot!(project.run(line), @"
    exit 0
    --- stdout
    changed=false
    regressed=false
    improved=0
    inconclusive=0
    missing=0
    new=0
    not-comparable=0
    compared=0
    unmeasured=0
    waived=0
    confirm=0
    failed=
    --- stderr
    warning: No baseline to compare with: there is no HEAD:other.csv yet.
    ");
}

#[test]
fn a_run_that_confirms_nothing_is_refused() {
    let project = repository(200).with("other.log", rows("89abcdef", 805)).with("empty.log", "nothing\n");
    let said =
        ["--confirm run.log", "--confirm ./empty.log run.log", "--confirm other.log", "--confirm empty.log"]
            .map(|options| {
                let outcome = project.run(&format!("{BY_GIT} {options}"));
                assert_eq!((outcome.code, outcome.out()), (Some(2), ""), "{options}: {outcome}");
                outcome.stderr
            });
    assert_snapshot!(said.join("\n"), @"
    error: `run.log` is given twice
    hint: a run cannot confirm itself: measure again

    error: `run.log` is given twice
    hint: a run cannot confirm itself: measure again

    error: `other.log` measured `89abcdef`, and not `4567cdef` as the run that it is to confirm
    hint: measure the same commit again

    error: no rows in `empty.log` (lines: 1); looked for [formats]
    hint: `--list-formats` says what each format carries, and `rows.layouts` in perf-gate.toml describes CSV lines of another layout
    ");
}

#[test]
fn git_that_is_missing_is_said_to_be() {
    let project = repository(200);
    project.write("bin/nothing", "");
    let outcome = project.tool(BY_GIT).env("PATH", &project.path("bin").to_string_lossy()).run();
    assert_snapshot!(outcome, @"
    exit 2
    --- stderr
    error: cannot run `git`: there is none in the search path
    hint: install git, or name the baseline as a file
    ");
}

#[cfg(unix)]
#[test]
fn git_that_is_killed_is_no_empty_history() {
    use std::os::unix::fs::PermissionsExt;
    let project = repository(200);
    // It answers what it is asked first, and dies when it is to tell the versions.
    let script = "#!/bin/sh\ncase \"$*\" in *' log '*|*rev-list*|*cat-file*) kill -9 $$ ;; *) exec \"$REAL\" \"$@\" ;; esac\n";
    project.write("bin/git", script);
    std::fs::set_permissions(project.path("bin/git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let real =
        std::env::split_paths(&path).map(|folder| folder.join("git")).find(|git| git.exists()).unwrap();
    let line = "render-perf-deltas --input run.log --baseline-csv perf/base.csv --history-git 12";
    let tool = project.tool(line).env("PATH", &project.path("bin").to_string_lossy());
    assert_snapshot!(tool.env("REAL", &real.to_string_lossy()).run(), @"
    exit 2
    --- stderr
    error: cannot look at the history: git says: it did not say why
    ");
}

#[test]
fn a_scenario_can_be_explained_at_a_terminal() {
    let project = repository(200);
    let explained = project.run(&format!("{BY_GIT} --explain Parse"));
    assert!(!explained.out().is_empty() && !explained.out().contains("changed="), "{explained}");
    assert!(explained.stderr.starts_with("changed=true\n"), "{explained}");
    let said = ["--explain Prase", "--explain Gone", "--explain Parse --output -"].map(|options| {
        let outcome = project.run(&format!("{BY_GIT} {options}"));
        assert_eq!((outcome.code, outcome.out()), (Some(2), ""), "{options}: {outcome}");
        outcome.stderr
    });
    assert_snapshot!(said.join("\n"), @"
    error: no scenario is called `Prase`
    hint: did you mean `Parse`?

    error: no scenario is called `Gone`
    hint: known here: `Parse`

    error: standard output is taken by `--explain`
    hint: name a file for the report
    ");
}
