//! The base's history, confirmation runs and pairs.

use end_to_end::action::{Workspace, git};
use fake_github::account::WORKFLOW;
use insta::assert_snapshot;

use super::scene::{
    CONFIG, Pull, configure, empty, github_of, measured, measured_with, pull_request_to, scheduled,
};

const HEADER: &str = "scenario,platform,commit,runIndex,decodesPerSecond\n";

fn rows(commit: &str, rate: u32) -> String {
    format!("{HEADER}Decode,linux,{commit},-1,{rate}\n")
}

/// Config keys for a history and the output of confirmation runs.
const HISTORY: &str = "confirm = [\"again*.log\"]\n[history]\n";

/// A repository with a suite in `folder`, whose baseline was refreshed a dozen times, and with `more` in its config.
fn refreshed(folder: &str, more: &str) -> Workspace {
    let workspace = Workspace::new();
    workspace.write(
        &format!("{folder}perf-gate.toml"),
        format!("{CONFIG}{more}"),
    );
    for at in 0..12 {
        workspace.write(
            &format!("{folder}perf-baseline.csv"),
            rows(&format!("c0ffee{at:02}"), 1000 + at * 7 % 5),
        );
        workspace.push("main", "Refresh");
    }
    workspace
}

/// A pull request that makes the suite slower by 20 %, and also edits its baseline.
fn slower(folder: &str, more: &str) -> Pull {
    let edit = |workspace: &Workspace| {
        workspace.write(&format!("{folder}perf-baseline.csv"), rows("4567cdef", 800));
    };
    let pull = pull_request_to(refreshed(folder, more), "", edit);
    pull.workspace
        .write(&format!("{folder}bench.log"), rows("4567cdef", 800));
    pull
}

#[test]
fn base_history_suspects_and_a_confirmation_run_confirms() {
    let plain = slower("", "");
    let fake = github_of(&plain);
    let alone = plain.run().api(fake.url(), WORKFLOW).run();
    assert!(alone.passed(), "{}", alone.log);
    assert_eq!(
        (alone.output("inconclusive"), alone.output("confirm")),
        ("0", "0"),
        "{}",
        alone.log
    );
    // The first step decides nothing.
    let pull = slower("", HISTORY);
    let fake = github_of(&pull);
    let run = || pull.run().api(fake.url(), WORKFLOW);
    let screened = run().run();
    assert!(screened.passed(), "{}", screened.log);
    assert_eq!(
        (screened.output("inconclusive"), screened.output("confirm")),
        ("1", "1"),
        "{}",
        screened.log
    );
    assert_snapshot!(screened.annotations("warning").join("\n").replace(fake.url(), "API"), @"
    1 of 1 benchmark inconclusive
    hint: the report: https://github.com/octo/quill/pull/5#issuecomment-1000001
    ");
    let strict = run().input("fail-on", "regressed,inconclusive").run();
    assert_eq!(
        (strict.failed(), strict.output("failed")),
        (Some("Publish"), "inconclusive"),
        "{}",
        strict.log
    );
    assert_eq!(strict.annotations("error"), screened.annotations("warning"));
    // The second step fails if the confirmation run is also slow.
    pull.workspace.write("again.log", rows("4567cdef", 801));
    let confirmed = run().run();
    assert_eq!(confirmed.output("failed"), "regressed", "{}", confirmed.log);
    pull.workspace.write("again.log", rows("4567cdef", 1000));
    let refuted = run().run();
    assert!(refuted.passed(), "{}", refuted.log);
    assert_eq!(
        (refuted.output("inconclusive"), refuted.output("confirm")),
        ("0", "0"),
        "{}",
        refuted.log
    );
}

#[test]
fn environment_shift_is_a_warning_on_a_green_job() {
    let suite = |commit: &str, rate: u32| {
        let row = |at: u32| format!("Decode_{at:02},linux,{commit},-1,{}\n", rate + at);
        HEADER.to_owned() + &(0..14).map(row).collect::<String>()
    };
    let workspace = empty();
    configure(&workspace, "[history]\n");
    for at in 0..12 {
        workspace.write(
            "perf-baseline.csv",
            suite(&format!("c0ffee{at:02}"), 1000 + at * 7 % 5),
        );
        workspace.push("main", "Refresh");
    }
    workspace.write("bench.log", suite("4567cdef", 800));
    let run = || scheduled(&workspace);
    let green = run().run();
    assert!(green.passed(), "{}", green.log);
    assert_eq!(
        (green.output("inconclusive"), green.output("confirm")),
        ("14", "0"),
        "{}",
        green.log
    );
    assert_snapshot!(green.annotations("warning").join("\n"), @"
    14 of 14 benchmarks inconclusive (environment shift: 25% slower at once)
    hint: the report is in the job summary
    ");
    let strict = run()
        .input("fail-on", "regressed,missing,inconclusive")
        .run();
    assert_eq!(strict.output("failed"), "inconclusive", "{}", strict.log);
    assert_eq!(strict.annotations("error"), green.annotations("warning"));
    // An unchanged suite gets no warning.
    workspace.write("bench.log", suite("4567cdef", 1001));
    let quiet = run().run();
    assert!(
        quiet.passed() && quiet.annotations("warning").is_empty(),
        "{}",
        quiet.log
    );
}

#[test]
fn history_is_read_from_the_suite_folder() {
    let pull = slower("packages/a b/", HISTORY);
    let fake = github_of(&pull);
    let run = pull.run().input("working-directory", "packages/a b");
    let report = run.api(fake.url(), WORKFLOW).run();
    assert_eq!(report.output("inconclusive"), "1", "{}", report.log);
    // Git settings that the benchmark writes are ignored.
    let workspace = &pull.workspace;
    let hook = format!("touch '{}'", workspace.root().join("owned").display());
    for name in [
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "diff.external",
        "alias.log",
    ] {
        git(&workspace.checkout(), &["config", name, &hook]);
    }
    let run = pull.run().input("working-directory", "packages/a b");
    let report = run.api(fake.url(), WORKFLOW).run();
    assert_eq!(report.output("inconclusive"), "1", "{}", report.log);
    assert!(!workspace.root().join("owned").exists());
}

#[test]
fn checkout_without_history_is_noted_in_the_report() {
    let pull = slower("", HISTORY);
    let fake = github_of(&pull);
    pull.workspace.check_out_shallow(&pull.merge);
    pull.workspace.write("bench.log", rows("4567cdef", 800));
    let report = pull.run().api(fake.url(), WORKFLOW).run();
    assert!(report.passed(), "{}", report.log);
    assert_eq!(report.output("inconclusive"), "0", "{}", report.log);
    assert!(
        report
            .report()
            .contains("versions of `perf-baseline.csv`: the clone is shallow"),
        "{}",
        report.report()
    );
    assert!(report.log.contains("fetch-depth: 0"), "{}", report.log);
}

#[test]
fn without_a_base_the_checkout_history_is_used() {
    let workspace = refreshed("suite/", HISTORY);
    workspace.write("suite/bench.log", rows("4567cdef", 800));
    let report = scheduled(&workspace)
        .input("working-directory", "suite")
        .run();
    assert_eq!(report.output("inconclusive"), "1", "{}", report.log);
    // A missing baseline means no history.
    let workspace = measured_with("[history]\n", rows("4567cdef", 800));
    std::fs::remove_file(workspace.checkout().join("perf-baseline.csv")).unwrap();
    let report = scheduled(&workspace).run();
    assert!(report.passed(), "{}", report.log);
}

#[test]
fn pairs_are_compared_as_pairs() {
    let side = |commit: &str, rate: u32| {
        let row = |run: u32| format!("Decode,linux,{commit},{run},{}\n", rate - run * rate / 100);
        HEADER.to_owned() + &(0..20).map(row).collect::<String>()
    };
    let workspace = measured(side("4567cdef", 95_000));
    workspace.write("perf-baseline.csv", side("0123abcd", 100_000));
    assert!(scheduled(&workspace).run().passed());
    configure(&workspace, "[deltas]\npaired = true\n");
    let report = scheduled(&workspace).run();
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
}
