//! `run`: the action measures pairs of base and head, or only the checkout.

use std::fs;
#[cfg(target_os = "linux")]
use std::os::unix::fs::PermissionsExt;
#[cfg(target_os = "linux")]
use std::process::Command;

use end_to_end::action::{ActionRun, Step, Workspace, git};
#[cfg(target_os = "linux")]
use end_to_end::binaries;
use fake_github::World;
use fake_github::account::{READ_ONLY, WORKFLOW};
use serde_json::{Value, json};

use super::scene::{Pull, configure, empty, github, github_of, pull_request_to};

/// Prints the rate that the build found in the source, records its environment, and tries to affect the workflow.
const BENCH: &str = "#!/bin/sh\n\
    printf . >>\"$HOME/runs\"\n\
    env >\"$HOME/seen\"\n\
    test -z \"$GITHUB_ENV\" || echo 'OWNED=1' >>\"$GITHUB_ENV\"\n\
    echo '::error::obey me' >&2\n\
    printf 'scenario,platform,runIndex,decodesPerSecond\\nDecode,linux,0,%s\\n' \"$(cat built)\"\n";
const BUILD: &str = "#!/bin/sh\ncp rate built\n";

fn set_rate(workspace: &Workspace, rate: u32) {
    workspace.write("rate", rate.to_string());
}

/// A repository with a benchmark and without a baseline.
fn repository(rate: u32) -> Workspace {
    repository_with("", rate)
}

/// The same, with additional config.
fn repository_with(more: &str, rate: u32) -> Workspace {
    let workspace = empty();
    // The base has a parent, which a shallow checkout does not contain.
    workspace.commit("Start");
    configure(&workspace, more);
    workspace.write("bench.sh", BENCH);
    workspace.write("build.sh", BUILD);
    workspace.write(".gitignore", "built\nbench.log\n");
    set_rate(&workspace, rate);
    workspace.push("main", "Begin");
    workspace
}

fn pull_request(before: u32, after: u32) -> Pull {
    pull_request_to(repository(before), "", |workspace| {
        set_rate(workspace, after);
    })
}

fn measuring(run: ActionRun<'_>) -> ActionRun<'_> {
    run.input("results", "")
        .input("run", "sh bench.sh")
        .input("build", "sh build.sh")
}

fn pushing(workspace: &Workspace, before: &str) -> Value {
    json!({
        "ref": "refs/heads/main", "before": before, "after": workspace.tip(),
        "repository": { "full_name": Workspace::REPOSITORY, "default_branch": "main" },
    })
}

#[test]
fn regression_against_the_measured_base_fails() {
    let pull = pull_request(1000, 500);
    let fake = github_of(&pull);
    let report = measuring(pull.run()).api(fake.url(), WORKFLOW).run();
    assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
    assert_eq!(
        (report.output("failed"), report.output("compared")),
        ("regressed", "1")
    );
    assert!(
        fake.comments(5)[0].body.contains(&pull.base[..7]),
        "{}",
        fake.comments(5)[0].body
    );
    assert!(
        report.report().contains(&pull.merge[..7]),
        "{}",
        report.report()
    );
    let worktrees = git(&pull.workspace.checkout(), &["worktree", "list"]);
    assert_eq!(worktrees.lines().count(), 1, "{worktrees}");
}

#[test]
fn equal_rates_pass() {
    let pull = pull_request(1000, 1001);
    let fake = github_of(&pull);
    let report = measuring(pull.run()).api(fake.url(), WORKFLOW).run();
    assert!(report.passed(), "{}", report.log);
    assert_eq!(
        (report.output("changed"), report.output("compared")),
        ("false", "1")
    );
}

#[test]
fn benchmark_gets_no_token_and_no_workflow_files() {
    let pull = pull_request(1000, 1000);
    let fake = github_of(&pull);
    let report = measuring(pull.run())
        .env("GH_TOKEN", WORKFLOW)
        .api(fake.url(), WORKFLOW)
        .run();
    // The step fails if the workflow itself put a token into the job's environment.
    assert_eq!(report.failed(), Some("Measure"), "{}", report.log);
    assert!(
        report.annotations("error")[0].contains("but `GH_TOKEN` is set"),
        "{}",
        report.log
    );
    let report = measuring(pull.run())
        .env("NPM_TOKEN", "secret")
        .api(fake.url(), WORKFLOW)
        .run();
    assert!(report.passed(), "{}", report.log);
    let seen = fs::read_to_string(pull.workspace.root().join("seen")).unwrap();
    for name in [
        "_TOKEN=",
        "GITHUB_ENV=",
        "GITHUB_OUTPUT=",
        "GITHUB_PATH=",
        "PERF_FOLDER=",
    ] {
        assert!(!seen.contains(name), "{name}: {seen}");
    }
    assert!(seen.contains("GITHUB_SHA="), "{seen}");
}

#[test]
fn base_is_fetched_for_a_shallow_checkout() {
    let pull = pull_request(1000, 500);
    let fake = github_of(&pull);
    git(
        &pull.workspace.checkout(),
        &["checkout", "--quiet", "--detach", &pull.head],
    );
    let head = pull.workspace.push("topic", "Add a commit");
    pull.workspace.check_out_shallow(&pull.merge);
    let report = measuring(pull.run()).api(fake.url(), WORKFLOW).run();
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
    // If the pull request has two commits and is checked out without history, GitHub is asked for the merge base.
    pull.workspace.check_out_shallow(&head);
    let mut event = pull.event();
    event["pull_request"]["head"]["sha"] = head.into();
    let run = ActionRun::new(&pull.workspace, "pull_request", event);
    let report = measuring(run).api(fake.url(), WORKFLOW).run();
    assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
}

#[test]
fn base_is_the_merge_base() {
    let pull = pull_request(1000, 1000);
    let workspace = &pull.workspace;
    git(
        &workspace.checkout(),
        &["checkout", "--quiet", "--detach", &pull.base],
    );
    set_rate(workspace, 2000);
    let newer = workspace.push("main", "Double the rate");
    git(
        &workspace.checkout(),
        &["checkout", "--quiet", "--detach", &pull.head],
    );
    let mut event = pull.event();
    event["pull_request"]["base"]["sha"] = newer.into();
    let run = ActionRun::new(workspace, "pull_request", event).env("GITHUB_SHA", &pull.merge);
    let fake = github_of(&pull);
    let report = measuring(run).api(fake.url(), WORKFLOW).run();
    assert!(report.passed(), "{}", report.log);
    // The same if only the pull request's number is known and GitHub is asked for the rest.
    let event = json!({ "repository": { "default_branch": "main" } });
    let run = ActionRun::new(workspace, "workflow_dispatch", event).input("pull-request", "5");
    let report = measuring(run).api(fake.url(), WORKFLOW).run();
    assert!(
        report.passed() && report.output("compared") == "1",
        "{}",
        report.log
    );
    assert_eq!(fake.comments(5).len(), 1);
}

#[test]
fn limits_come_from_the_base() {
    let edit = |workspace: &Workspace| {
        set_rate(workspace, 500);
        workspace.write("perf-gate.toml", "[deltas]\nfail-on = []\n");
    };
    let workspace = repository(1000);
    fs::remove_file(workspace.checkout().join("perf-gate.toml")).unwrap();
    workspace.push("main", "Have no config");
    let pull = pull_request_to(workspace, "", edit);
    let fake = github_of(&pull);
    let report = measuring(pull.run()).api(fake.url(), WORKFLOW).run();
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
    assert!(
        report
            .report()
            .starts_with("> **This pull request adds `perf-gate.toml`.**"),
        "{}",
        report.report()
    );
}

#[test]
fn fork_is_measured_and_fails_without_a_comment() {
    let pull = pull_request(1000, 500);
    let fake = github_of(&pull);
    fake.with(|world| world.pull(5).unwrap().head.repository = Some("mallory/quill".into()));
    let run = ActionRun::new(
        &pull.workspace,
        "pull_request",
        pull.event_from("mallory/quill"),
    );
    let report = measuring(run)
        .env("GITHUB_SHA", &pull.merge)
        .api(fake.url(), READ_ONLY)
        .run();
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
    assert_eq!(
        (fake.comments(5).len(), report.summary == report.report()),
        (0, true)
    );
}

#[test]
fn failed_measurement_of_either_side_is_reported() {
    let pull = pull_request(1000, 500);
    let fake = github_of(&pull);
    for (command, build) in [
        ("sh bench.sh", "false"),
        ("no-such-program", ""),
        ("sh -c 'exit 3'", ""),
    ] {
        let run = measuring(pull.run())
            .input("run", command)
            .input("build", build);
        let report = run.api(fake.url(), WORKFLOW).run();
        assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
        assert!(
            fake.comments(5)[0]
                .body
                .contains("nothing was compared: the benchmark"),
            "{}",
            report.log
        );
        assert!(
            report.annotations("error")[0].starts_with("cannot measure: "),
            "{}",
            report.log
        );
    }
}

#[test]
fn push_measures_its_changes_and_refreshes_the_baseline() {
    let workspace = repository_with("aggregate = true\nbaseline = 'perf-baseline.csv'\n", 1000);
    let before = workspace.tip();
    set_rate(&workspace, 500);
    workspace.push("main", "Halve the rate");
    let fake = github(&workspace, World::default());
    let run = ActionRun::new(&workspace, "push", pushing(&workspace, &before))
        .env("GITHUB_REF", "refs/heads/main");
    let report = measuring(run).api(fake.url(), WORKFLOW).run();
    assert!(report.passed(), "{}", report.log);
    assert_eq!(
        (report.output("refresh"), report.output("regressed")),
        ("committed", "true"),
        "{}",
        report.log
    );
    let baseline = fake.git().text("main", "perf-baseline.csv").unwrap();
    assert!(
        baseline.lines().count() == 2 && baseline.contains(",500"),
        "{baseline}"
    );
    // If the config contains neither baseline nor page, there is nothing to refresh.
    let plain = repository(1000);
    let fake = github(&plain, World::default());
    let event = pushing(&plain, &"0".repeat(40));
    let run = ActionRun::new(&plain, "push", event).env("GITHUB_REF", "refs/heads/main");
    let report = measuring(run).api(fake.url(), WORKFLOW).run();
    assert_eq!(
        (report.output("refresh"), fake.writes().len()),
        ("", 0),
        "{}",
        report.log
    );
    // A branch's first push has no previous commit, so the pushed commit's parent is measured.
    let run = ActionRun::new(&workspace, "push", pushing(&workspace, &"0".repeat(40)));
    let report = measuring(run).api(fake.url(), WORKFLOW).run();
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
}

/// A pull request that adds the benchmark to a repository that has none, or replaces the file `before`.
fn adding(rate: u32, before: Option<&str>) -> Pull {
    let workspace = empty();
    workspace.write(".gitignore", "built\n");
    workspace.write(
        "build.sh",
        "#!/bin/sh\nif test -e rate; then cp rate built; fi\n",
    );
    if let Some(before) = before {
        workspace.write("bench.sh", before);
    }
    workspace.push("main", "Begin");
    pull_request_to(workspace, "", |workspace| {
        workspace.write("bench.sh", BENCH);
        set_rate(workspace, rate);
    })
}

#[test]
fn benchmark_missing_in_the_base_is_new_and_green() {
    let pull = adding(1000, None);
    let fake = github_of(&pull);
    let report = measuring(pull.run()).api(fake.url(), WORKFLOW).run();
    assert!(report.passed(), "{}", report.log);
    assert_eq!(
        (report.output("new"), report.output("compared")),
        ("1", "0"),
        "{}",
        report.log
    );
    let comment = &fake.comments(5)[0].body;
    assert!(
        comment.contains("was not measured, so all benchmarks are new"),
        "{comment}"
    );
    assert!(comment.contains("### ⚠️ "), "{comment}");
}

#[test]
fn base_that_cannot_be_measured_is_red() {
    for (before, said) in [
        (
            "#!/bin/sh\necho \"Cannot find module 'left-pad'\" >&2\nexit 1\n",
            "Cannot find module",
        ),
        ("#!/bin/sh\n", "the base does not"),
    ] {
        let pull = adding(1000, Some(before));
        pull.workspace.write("package-lock.json", "{}");
        let fake = github_of(&pull);
        let report = measuring(pull.run()).api(fake.url(), WORKFLOW).run();
        assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
        let comment = &fake.comments(5)[0].body;
        assert!(
            comment.contains(said) && comment.contains("npm ci"),
            "{comment}"
        );
    }
    // A head that fails is red, even if the base fails.
    let pull = pull_request_to(repository(1000), "", |workspace| {
        workspace.write("bench.sh", "exit 3\n");
    });
    let fake = github_of(&pull);
    let report = measuring(pull.run()).api(fake.url(), WORKFLOW).run();
    assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
}

#[test]
fn measuring_never_has_the_permissions_of_the_base() {
    let pull = pull_request(1000, 1000);
    git(
        &pull.workspace.checkout(),
        &["checkout", "--quiet", "--detach", &pull.base],
    );
    for event in ["pull_request_target", "workflow_run"] {
        let report = measuring(ActionRun::new(&pull.workspace, event, pull.event())).run();
        assert_eq!(report.failed(), Some("Plan"), "{}", report.log);
        assert!(
            report
                .steps
                .iter()
                .all(|(name, step)| name != "Measure" || *step == Step::Skipped)
        );
    }
}

#[test]
fn results_of_a_command_are_one_file_or_folder() {
    let pull = pull_request(1000, 1000);
    for results in ["*.csv", "one.csv\ntwo.csv"] {
        let report = measuring(pull.run()).input("results", results).run();
        assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
        assert!(
            report.summary.contains("`results` is one file or folder"),
            "{}",
            report.summary
        );
        assert_eq!(runs(&pull), 0);
    }
}

/// How often the benchmark ran.
fn runs(pull: &Pull) -> usize {
    fs::read_to_string(pull.workspace.root().join("runs")).map_or(0, |runs| runs.len())
}

#[test]
fn benchmark_command_comes_from_the_base_config() {
    let config = "[run]\ncommand = \"sh -c 'sh bench.sh >out.csv'\"\nbuild = \"sh build.sh\"\nresults = \"out.csv\"\n\
        time-limit = \"100s\"\n";
    let edit = |workspace: &Workspace| {
        set_rate(workspace, 500);
        configure(workspace, "[run]\ncommand = \"true\"\n");
    };
    let pull = pull_request_to(repository_with(config, 1000), "", edit);
    let fake = github_of(&pull);
    let run = || pull.run().input("results", "").api(fake.url(), WORKFLOW);
    let report = run().run();
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
    // The workflow overrides it.
    let report = run().input("run", "false").run();
    assert!(
        report.annotations("error")[0].starts_with("cannot measure: "),
        "{}",
        report.log
    );
    let report = run().input("results", "bench.log").run();
    assert!(
        report.summary.contains("no rows in `bench.log`"),
        "{}",
        report.summary
    );
}

/// A pull request to a repository with a baseline and a history. `rate` is the rate that it changes to.
fn stored(more: &str, rate: u32) -> Pull {
    let workspace = repository_with(more, 1000);
    // Two runs never print exactly the same numbers.
    workspace.write(
        "bench.sh",
        BENCH.replace(
            "$(cat built)",
            "$(($(cat built) + $(wc -c <\"$HOME/runs\")))",
        ),
    );
    for at in 0..12 {
        let row = format!("Decode,linux,c0ffee{at:02},-1,{}\n", 1000 + at * 7 % 5);
        workspace.write(
            "perf-baseline.csv",
            format!("scenario,platform,commit,runIndex,decodesPerSecond\n{row}"),
        );
        workspace.push("main", "Refresh");
    }
    pull_request_to(workspace, "", |workspace| set_rate(workspace, rate))
}

/// Sizes, because background load on the test machine cannot change them.
const SIZES: &str = "[metrics.decodesPerSecond]\nunit = \"bytes\"\nbetter = \"higher\"\n";

/// How often a suspected benchmark runs with the fewest reruns.
const RERUN: usize = 5;

#[test]
fn only_the_checkout_is_measured_if_there_is_a_baseline() {
    for (rate, failed, is_rerun) in [(1001, "", false), (500, "regressed", true)] {
        let pull = stored(SIZES, rate);
        let fake = github_of(&pull);
        let run = measuring(pull.run()).input("baseline", "perf-baseline.csv");
        let report = run.api(fake.url(), WORKFLOW).run();
        assert_eq!(
            (
                report.output("failed"),
                report.output("compared"),
                runs(&pull) >= RERUN
            ),
            (failed, "1", is_rerun),
            "{}",
            report.log
        );
        assert!(
            report
                .commands
                .iter()
                .all(|command| command.text != "obey me"),
            "{}",
            report.log
        );
        let seen = fs::read_to_string(pull.workspace.root().join("seen")).unwrap();
        let again =
            "perf-gate run --baseline perf-baseline.csv --build 'sh build.sh' -- sh bench.sh";
        assert_eq!(
            report.report().contains(again),
            !failed.is_empty(),
            "{}",
            report.report()
        );
        for name in ["_TOKEN=", "GITHUB_ENV=", "GITHUB_OUTPUT=", "PERF_FOLDER="] {
            assert!(!seen.contains(name), "{name}: {seen}");
        }
    }
}

#[test]
fn regression_is_rerun_in_a_shallow_checkout() {
    for more in [SIZES, &format!("{SIZES}\n[history]\n")] {
        let pull = stored(more, 500);
        pull.workspace.check_out_shallow(&pull.merge);
        let fake = github_of(&pull);
        let run = measuring(pull.run()).input("baseline", "perf-baseline.csv");
        let report = run.api(fake.url(), WORKFLOW).run();
        assert_eq!(
            (report.output("failed"), runs(&pull) >= RERUN),
            ("regressed", true),
            "{}",
            report.log
        );
    }
}

#[test]
fn git_settings_of_the_workflow_reach_the_build() {
    let pull = pull_request(1000, 500);
    let fake = github_of(&pull);
    let run = measuring(pull.run())
        .input("build", "sh -c 'git config test.kept && sh build.sh'")
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "test.kept")
        .env("GIT_CONFIG_VALUE_0", "yes");
    let report = run.api(fake.url(), WORKFLOW).run();
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
}

#[test]
fn build_without_pairs_gets_none_of_our_git_variables() {
    // They would break a build that clones with a filter, and a `git fetch --unshallow` would not fetch the base.
    let pull = stored(SIZES, 1000);
    let fake = github_of(&pull);
    let run = measuring(pull.run())
        .input("baseline", "perf-baseline.csv")
        .input("build", "sh -c 'env | grep ^GIT_ >seen; sh build.sh'");
    let report = run.api(fake.url(), WORKFLOW).run();
    assert!(report.passed(), "{}", report.log);
    let seen = pull.workspace.text("seen");
    for name in [
        "GIT_NO_LAZY_FETCH",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_DIR",
    ] {
        assert!(!seen.contains(name), "{seen}");
    }
}

#[test]
fn project_commands_get_none_of_our_git_variables_with_pairs() {
    let pull = pull_request(1000, 500);
    pull.workspace.check_out_shallow(&pull.merge);
    let fake = github_of(&pull);
    let logged = |command| format!("sh -c 'env >>\"$HOME/variables\"; {command}'");
    let run = measuring(pull.run())
        .input("build", &logged("sh build.sh"))
        .input("run", &logged("sh bench.sh"));
    let report = run.api(fake.url(), WORKFLOW).run();
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
    let seen = pull.workspace.root().join("variables");
    let seen = fs::read_to_string(seen).unwrap();
    assert!(seen.contains("RUNNER_TEMP="), "{seen}");
    let ours = |line: &&str| line.starts_with("GIT_") && !line.starts_with("GIT_CONFIG_NOSYSTEM=");
    assert_eq!(seen.lines().find(ours), None);
}

#[cfg(target_os = "linux")]
#[test]
fn changed_machine_description_is_an_error() {
    let workspace = repository(1000);
    workspace.write("perf-gate.toml", "[why]\nenabled = false\n");
    workspace.push("main", "Describe the machine");
    let pull = pull_request_to(workspace, "", |workspace| set_rate(workspace, 1001));
    let specs = "\"$RUNNER_TEMP\"/perf-gate.*/machine-specs.json";
    let rewrite = format!("for file in {specs}; do echo {{}} >\"$file\"; done");
    let fake = github_of(&pull);
    let run = measuring(pull.run()).input("run", &format!("sh -c '{rewrite}; sh bench.sh'"));
    let report = run.api(fake.url(), WORKFLOW).run();
    assert_eq!(report.failed(), Some("Measure"), "{}", report.log);
    assert!(
        report
            .log
            .contains("machine-specs.json` was changed after the action wrote it"),
        "{}",
        report.log
    );
}

#[test]
fn unconfirmed_change_is_rerun() {
    let pull = stored(&format!("{SIZES}\n[history]\n"), 800);
    let fake = github_of(&pull);
    let run = measuring(pull.run()).input("baseline", "perf-baseline.csv");
    let report = run.api(fake.url(), WORKFLOW).run();
    assert_eq!(
        (report.output("failed"), runs(&pull) >= RERUN),
        ("regressed", true),
        "{}",
        report.log
    );
    // An unchanged benchmark is not rerun.
    let pull = stored(&format!("{SIZES}\n[history]\n"), 1001);
    let fake = github_of(&pull);
    let run = measuring(pull.run()).input("baseline", "perf-baseline.csv");
    let report = run.api(fake.url(), WORKFLOW).run();
    assert_eq!((report.passed(), runs(&pull)), (true, 1), "{}", report.log);
}

#[test]
fn broken_budget_is_rerun() {
    let budget = "[[gates]]\nmetric = \"decodesPerSecond\"\nmin = 900\n";
    let pull = stored(&format!("{SIZES}\n{budget}"), 800);
    let fake = github_of(&pull);
    let run = measuring(pull.run()).input("baseline", "perf-baseline.csv");
    let report = run.api(fake.url(), WORKFLOW).run();
    assert_eq!(
        (report.output("failed"), runs(&pull) >= RERUN),
        ("regressed", true),
        "{}",
        report.log
    );
}

/// A folder with a `perf-gate` that sees one processor and this many running threads.
#[cfg(target_os = "linux")]
#[expect(
    clippy::print_stderr,
    reason = "a skipped test says so where somebody looks"
)]
fn programs_under_load(pull: &Pull, runnable: u32) -> Option<String> {
    let folder = pull.workspace.root().join("loaded");
    let stat = folder.join("stat");
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        &stat,
        format!("cpu  1 0 1 1 0 0 0 0 0 0\ncpu0 1 0 1 1 0 0 0 0 0 0\nprocs_running {runnable}\n"),
    )
    .unwrap();
    let program = binaries::path(binaries::ACTION_PROGRAM);
    let covered = format!(
        "mount --bind '{}' /proc/stat && exec \"$0\" \"$@\"",
        stat.display()
    );
    let line = |program: &str| {
        format!(
            "unshare --user --map-root-user --mount sh -c '{}' {program}",
            covered.replace('\'', "'\\''")
        )
    };
    if !Command::new("sh")
        .args(["-c", &line("true")])
        .status()
        .is_ok_and(|status| status.success())
    {
        eprintln!("skipped: this system does not allow unprivileged namespaces");
        return None;
    }
    let script = folder.join("perf-gate");
    fs::write(
        &script,
        format!(
            "#!/bin/sh\nexec {} \"$@\"\n",
            line(&program.to_string_lossy())
        ),
    )
    .unwrap();
    fs::set_permissions(script, PermissionsExt::from_mode(0o755)).unwrap();
    Some(folder.to_string_lossy().into_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn slowdown_that_background_load_explains_is_not_confirmed() {
    for (runnable, is_rerun, failed) in [(1, true, "regressed"), (4, false, "")] {
        let pull = stored("[history]\n", 800);
        let Some(programs) = programs_under_load(&pull, runnable) else {
            return;
        };
        let fake = github_of(&pull);
        let run = measuring(pull.run())
            .input("baseline", "perf-baseline.csv")
            .input("binaries", &programs);
        let report = run.api(fake.url(), WORKFLOW).run();
        assert_eq!(
            (report.output("failed"), runs(&pull) >= RERUN),
            (failed, is_rerun),
            "{}",
            report.log
        );
        let why = "Unconfirmed: background load could explain slowdowns up to 16.0×, so smaller ones were not confirmed. Re-run the job";
        assert_eq!(
            fake.comments(5)[0].body.contains(why),
            failed.is_empty(),
            "{}",
            fake.comments(5)[0].body
        );
        let warned = report.annotations("warning");
        assert_eq!(
            warned
                .iter()
                .any(|text| text.starts_with("1 of 1 benchmark inconclusive")),
            failed.is_empty(),
            "{warned:?}"
        );
    }
}

#[test]
fn checkout_that_cannot_be_measured_is_reported() {
    let pull = stored("", 1000);
    for (command, build) in [
        ("sh bench.sh", "false"),
        ("no-such-program", ""),
        ("sh -c 'exit 3'", ""),
        ("true", ""),
    ] {
        let run = measuring(pull.run())
            .input("run", command)
            .input("build", build);
        let report = run.input("baseline", "perf-baseline.csv").run();
        assert_eq!(
            report.failed(),
            Some("Publish"),
            "{command}: {}",
            report.log
        );
        assert!(
            report
                .summary
                .contains("nothing was compared: the benchmark"),
            "{command}: {}",
            report.summary
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn failed_checkout_reports_only_its_reason() {
    let pull = pull_request(1000, 500);
    let checkout = pull.workspace.checkout();
    let rate = git(&checkout, &["rev-parse", &format!("{}:rate", pull.base)]);
    let (folder, file) = rate.trim().split_at(2);
    fs::remove_file(checkout.join(".git/objects").join(folder).join(file)).unwrap();
    let report = measuring(pull.run()).run();
    assert!(
        report
            .log
            .contains("`git read-tree` failed: error: unable to read"),
        "{}",
        report.log
    );
}

#[test]
fn heads_benchmark_is_copied_to_a_fetched_base() {
    let workspace = repository_with(
        "\n[harness]\npaths = [\"bench.sh\"]\nfrom = \"current\"\n",
        1000,
    );
    let pull = pull_request_to(workspace, "", |workspace| set_rate(workspace, 500));
    pull.workspace.check_out_shallow(&pull.merge);
    let fake = github_of(&pull);
    let report = measuring(pull.run()).api(fake.url(), WORKFLOW).run();
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
}

#[test]
fn push_refreshes_a_stored_baseline_with_its_results() {
    let workspace = repository(1000);
    let fake = github(&workspace, World::default());
    let run = ActionRun::new(&workspace, "push", pushing(&workspace, &"0".repeat(40)));
    let run = measuring(run)
        .input("baseline", "perf-baseline.csv")
        .env("GITHUB_REF", "refs/heads/main");
    let report = run.api(fake.url(), WORKFLOW).run();
    assert_eq!(
        (report.passed(), report.output("refresh")),
        (true, "committed"),
        "{}",
        report.log
    );
    assert!(
        fake.git()
            .text("main", "perf-baseline.csv")
            .unwrap()
            .contains(",1000")
    );
}
