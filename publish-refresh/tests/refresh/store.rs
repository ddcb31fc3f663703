//! A separate branch for the numbers.

use fake_github::account;
use insta::assert_snapshot;

use crate::setting::{CSV, Run, Setting};

const STORE: &str = "perf-baseline";

/// Publishes the baseline to the store. The rendering command sets `key`.
fn store(setting: &Setting, key: &str) -> Run {
    setting.run(&[
        "--file", CSV, "--store", STORE, "--", "git", "config", "--file", CSV, key, "2",
    ])
}

fn setting() -> Setting {
    let setting = Setting::new();
    setting.write(CSV, "[bench]\n\ta = 2\n");
    setting
}

#[test]
fn first_numbers_create_store_with_published_files_only() {
    let setting = setting();
    let run = store(&setting, "bench.a");
    assert_snapshot!(run, @"
    exit 0
    refresh=committed
    commit=[sha]
    commit-url=https://github.com/octo/quill/commit/[sha]
    --- stderr
    note: committed the numbers for [short] to `perf-baseline`: https://github.com/octo/quill/commit/[sha]
    ");
    let files = setting.git().text(STORE, CSV).unwrap();
    assert_eq!(files, "[bench]\n\ta = 2\n");
    assert_eq!(
        (
            setting.git().text(STORE, "src/lib.rs"),
            setting.git().parents(STORE).len()
        ),
        (None, 0)
    );
    assert_eq!(setting.git().head("main").unwrap(), setting.measured());
    assert!(
        setting
            .git()
            .message(STORE)
            .unwrap()
            .contains("Perf-Measured: ")
    );
}

#[test]
fn later_numbers_are_rendered_on_top_of_store() {
    let setting = setting();
    assert_eq!(store(&setting, "bench.a").code, 0);
    let first = setting.git().head(STORE).unwrap();
    let newer = setting
        .git()
        .push("main", &[("src/lib.rs", "fast\n")], "Improve")
        .unwrap();
    setting.set("GITHUB_SHA", &newer).set("GITHUB_RUN_ID", "13");
    setting.write(CSV, "[bench]\n\tb = 2\n");
    let run = store(&setting, "bench.b");
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(
        setting.git().text(STORE, CSV).unwrap(),
        "[bench]\n\ta = 2\n\tb = 2\n"
    );
    assert_eq!(setting.git().parents(STORE), [first]);
    // The same numbers are not committed again.
    let head = setting.git().head(STORE);
    setting.set("GITHUB_RUN_ID", "14");
    let run = store(&setting, "bench.b");
    assert!(run.stdout.contains("refresh=unchanged"), "{run}");
    assert_eq!(setting.git().head(STORE), head);
}

#[test]
fn delayed_run_does_not_replace_newer_numbers() {
    let setting = setting();
    let newer = setting
        .git()
        .push("main", &[("src/lib.rs", "fast\n")], "Improve")
        .unwrap();
    setting.set("GITHUB_SHA", &newer);
    assert_eq!(store(&setting, "bench.a").code, 0);
    setting.set("GITHUB_SHA", &setting.measured());
    setting.write(CSV, "[bench]\n\ta = 9\n");
    let run = store(&setting, "bench.b");
    assert!(
        run.code == 0 && run.stdout.contains("refresh=newer"),
        "{run}"
    );
    assert_eq!(
        setting.git().text(STORE, CSV).unwrap(),
        "[bench]\n\ta = 2\n"
    );
}

#[test]
fn numbers_for_removed_code_are_not_published() {
    let setting = setting();
    let begin = setting.git().parents("main")[0].clone();
    setting.git().reset("main", &begin).unwrap();
    let run = store(&setting, "bench.a");
    assert!(run.stdout.contains("refresh=stale"), "{run}");
    assert!(
        run.stderr
            .contains("`main` was reset to a commit before the measured one"),
        "{run}"
    );
    assert_eq!(setting.git().head(STORE), None);
}

#[test]
fn two_suites_create_store_concurrently() {
    let setting = setting();
    setting.when("POST /repos/octo/quill/git/refs").hook(|hub| {
        if hub.git().head(STORE).is_none() {
            hub.git()
                .push("elsewhere", &[("other.csv", "1\n")], "Refresh")
                .unwrap();
            let other = hub.git().remove("elsewhere", CSV, "Refresh").unwrap();
            hub.git().reset(STORE, &other).unwrap();
        }
    });
    let run = store(&setting, "bench.a");
    assert!(
        run.code == 0 && run.stdout.contains("refresh=committed"),
        "{run}"
    );
    assert_eq!(setting.git().text(STORE, "other.csv").unwrap(), "1\n");
    assert_eq!(
        setting.git().text(STORE, CSV).unwrap(),
        "[bench]\n\ta = 2\n"
    );
}

#[test]
fn lost_response_is_looked_up() {
    for call in [
        "POST /repos/octo/quill/git/refs",
        "POST /repos/octo/quill/git/trees",
    ] {
        let setting = setting();
        setting.when(call).done().cut();
        let run = store(&setting, "bench.a");
        assert!(
            run.code == 0 && run.stdout.contains("refresh=committed"),
            "{run}"
        );
        assert_eq!(setting.git().parents(STORE).len(), 0);
    }
}

#[test]
fn read_only_token_writes_job_summary() {
    let setting = setting();
    setting.set("GITHUB_TOKEN", account::READ_ONLY);
    let run = store(&setting, "bench.a");
    assert!(
        run.code == 1 && run.stdout.contains("refresh=unpublished"),
        "{run}"
    );
    assert!(setting.summary().contains("a = 2"), "{}", setting.summary());
    let protected = setting_with_protected_store();
    let run = store(&protected, "bench.b");
    assert!(
        run.code == 1 && run.stderr.contains("cannot commit to `perf-baseline`"),
        "{run}"
    );
    assert_eq!(protected.pulls().len(), 0);
}

fn setting_with_protected_store() -> Setting {
    let setting = setting();
    assert_eq!(store(&setting, "bench.a").code, 0);
    setting.world(|world| world.protected.push(STORE.into()));
    setting.set("GITHUB_RUN_ID", "13");
    setting.write(CSV, "[bench]\n\tb = 2\n");
    setting
}

#[test]
fn dry_run_creates_no_branch() {
    let setting = setting();
    let run = setting.run(&["--file", CSV, "--store", STORE, "--dry-run"]);
    assert_snapshot!(run, @"
    exit 0
    refresh=planned
    branch=perf-baseline
    file=perf.csv +2 -0
    message=Refresh performance numbers
    message=
    message=Perf-Measured: [measured]
    message=Perf-Run: 12.1
    message=Perf-Job: [drawn]
    --- stderr
    note: dry run: 1 file would be committed to `perf-baseline`
    ");
    assert_eq!(setting.writes(), [""; 0]);
}
