//! Notices and their absence: rows without a throughput, runs with nothing to compare, changes of the hot path.

use end_to_end::Project;
use end_to_end::action::git;

/// A throughput, and a wall clock next to a zero throughput, as printed in a log.
const RUN: &str = "Flood,PlayMode Mono,abc1234,0,1000000,0,5000\nRegister_Cold,PlayMode Mono,abc1234,0,0,12,33.5\n";
const BASELINE: &str = "scenario,platform,commit,runIndex,emitsPerSecond,allocatedBytesDelta,wallClockMs\n\
    Flood,PlayMode Mono,aaa1234,0,1000000,0,5000\nRegister_Cold,PlayMode Mono,aaa1234,0,0,12,11.5\n";

#[test]
fn throughput_of_zero_is_shown_as_wall_clock_and_never_gated() {
    let columns = "[[page.columns]]\nlabel = \"Result\"\nmetric = \"primary\"\n";
    let listed = "[metrics.emitsPerSecond]\nlabel = \"Throughput\"\n";
    for config in ["", "primary = \"emitsPerSecond\"\n", listed] {
        let project = Project::empty()
            .with("run.log", RUN)
            .with("baseline.csv", BASELINE);
        let project = project.with("perf-gate.toml", format!("{config}{columns}"));
        let page = project.run("render-perf-doc --input run.log --preview");
        let cold = page
            .out()
            .lines()
            .find(|line| line.contains("Register_Cold"))
            .unwrap_or_default();
        assert!(
            cold.contains("33.50 ms") && !cold.contains("/s"),
            "{config}: {page}"
        );
        let outcome = project.run("render-perf-deltas --input run.log --baseline-csv baseline.csv");
        assert!(
            outcome.results().contains("regressed=false"),
            "three times as long: {outcome}"
        );
        let stopped = project.with("run.log", RUN.replace("1000000", "0"));
        let outcome = stopped.run("render-perf-deltas --input run.log --baseline-csv baseline.csv");
        assert!(
            outcome.results().contains("regressed=true"),
            "a throughput that fell to zero: {outcome}"
        );
    }
}

#[test]
fn run_with_nothing_to_compare_is_skipped_on_request() {
    let elsewhere = RUN.replace("PlayMode", "EditMode");
    for (run, options) in [
        ("no rows here\n", ""),
        (RUN, " --scope Standalone"),
        (RUN, " --filter platform=*IL2CPP*"),
        (&elsewhere, " --exit-code"),
    ] {
        let project = Project::empty()
            .with("run.log", run)
            .with("baseline.csv", BASELINE);
        let line =
            format!("render-perf-deltas --input run.log --baseline-csv baseline.csv{options}");
        assert_ne!(project.run(&line).code, Some(0), "{options}");
        let outcome = project.run(&format!("{line} --skip-empty"));
        assert_eq!(
            outcome.results(),
            "exit 0: changed=false regressed=false",
            "{options}: {outcome}"
        );
        assert!(
            outcome.mentions(&["warning: nothing is compared: "]),
            "{outcome}"
        );
    }
    let project = Project::empty().with("baseline.csv", BASELINE);
    let outcome =
        project.run("render-perf-deltas --input gone.log --baseline-csv baseline.csv --skip-empty");
    assert_eq!(
        outcome.code,
        Some(2),
        "what cannot be read is an error: {outcome}"
    );
}

#[test]
fn hot_path_change_requests_a_review_by_its_owner() {
    let project = Project::empty()
        .with("src/bus/a.cs", "1")
        .with("src/tools/b.cs", "1");
    let project = project
        .with(".github/CODEOWNERS", "* @all\n/src/bus/ @bus-team\n")
        .with("run.log", RUN);
    let project = project.with("perf-gate.toml", "[review]\npaths = [\"src/bus/**\"]\n");
    let run_git = |line: &str| git(&project.path(""), &line.split(' ').collect::<Vec<_>>());
    run_git("init -q");
    run_git("add .");
    run_git("commit -qm first");
    project.write(
        "baseline.csv",
        BASELINE.replace("aaa1234", &run_git("rev-parse HEAD")),
    );
    let report =
        || project.run("render-perf-deltas --input run.log --baseline-csv baseline.csv --output -");
    project.write("src/tools/b.cs", "2");
    assert!(!report().out().contains("hot path"), "{}", report());
    project.write("src/bus/a.cs", "2");
    let report = report();
    let note = report
        .out()
        .lines()
        .find(|line| line.contains("hot path changed"))
        .unwrap_or_default();
    assert!(
        note.contains("src/bus/a.cs") && note.contains("bus-team"),
        "{report}"
    );
    assert!(!note.contains("@all"), "{report}");
}
