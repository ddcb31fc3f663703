//! Concurrent pushes, before we read the branch and between reading and committing.

use insta::assert_snapshot;

use crate::setting::{CSV, PAGE, Setting};

/// Sets one number in the baseline.
const RENDER: [&str; 6] = ["git", "config", "--file", CSV, "bench.a", "2"];

fn rendering<'a>(options: &[&'a str]) -> Vec<&'a str> {
    options
        .iter()
        .copied()
        .chain(["--"])
        .chain(RENDER)
        .collect()
}

#[test]
fn commit_follows_unrelated_push() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    let theirs = setting
        .git()
        .push("main", &[("README.md", "# Better\n")], "Explain")
        .unwrap();
    let run = setting.publish(&[]);
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(setting.git().parents("main"), [theirs]);
    assert_eq!(
        (setting.on_branch(PAGE), setting.on_branch(CSV)),
        ("page 2\n".into(), "csv 2\n".into())
    );
    assert_eq!(setting.on_branch("README.md"), "# Better\n");
}

#[test]
fn commit_follows_unrelated_push_in_between() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    setting.before_commit(|hub| {
        drop(
            hub.git()
                .push("main", &[("README.md", "# Better\n")], "Explain")
                .unwrap(),
        );
    });
    let run = setting.publish(&[]);
    assert_eq!(
        (run.code, setting.on_branch(CSV)),
        (0, "csv 2\n".into()),
        "{run}"
    );
    assert_eq!(setting.on_branch("README.md"), "# Better\n");
    assert_eq!(setting.writes().len(), 2);
}

#[test]
fn changed_files_are_rendered_again() {
    let setting = Setting::new();
    setting.render("page 2\n", "[bench]\n\ta = 2\n");
    setting
        .git()
        .push("main", &[(CSV, "[bench]\n\tb = 1\n")], "Edit by hand")
        .unwrap();
    let run = setting.publish(&rendering(&[]));
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(setting.on_branch(CSV), "[bench]\n\tb = 1\n\ta = 2\n");
    // Parts that the command does not write have the branch's content, not ours.
    assert_eq!(setting.on_branch(PAGE), "page 1\n");
    assert_eq!(setting.written(CSV), setting.on_branch(CSV));
}

#[test]
fn files_changed_in_between_are_rendered_again() {
    let setting = Setting::new();
    setting.render("page 1\n", "[bench]\n\ta = 2\n");
    setting.before_commit(|hub| {
        drop(
            hub.git()
                .push("main", &[(CSV, "[bench]\n\tb = 1\n")], "By hand")
                .unwrap(),
        );
    });
    let run = setting.publish(&rendering(&[]));
    assert_eq!(
        (run.code, setting.on_branch(CSV)),
        (0, "[bench]\n\tb = 1\n\ta = 2\n".into()),
        "{run}"
    );
}

#[test]
fn changed_files_without_a_command_are_an_error() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    setting
        .git()
        .push("main", &[(CSV, "by hand\n")], "Edit by hand")
        .unwrap();
    assert_snapshot!(setting.publish(&[]), @"
    exit 2
    --- stderr
    note: the numbers are in the job summary
    error: `perf.csv` has changed on the branch since the code was measured
    hint: pass the command that renders the files after `--`
    ");
    assert_eq!(setting.writes(), [""; 0]);
    assert!(setting.summary().contains("csv 2"), "{}", setting.summary());
}

#[test]
fn failing_command_restores_files() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    setting
        .git()
        .push("main", &[(CSV, "by hand\n")], "Edit by hand")
        .unwrap();
    let run = setting.publish(&[
        "--",
        "git",
        "config",
        "--file",
        "no/such/folder",
        "a.b",
        "c",
    ]);
    assert_eq!(run.code, 2, "{run}");
    assert!(run.stderr.contains("error: `git` failed: "), "{run}");
    assert_eq!(
        (setting.written(PAGE), setting.written(CSV)),
        ("page 2\n".into(), "csv 2\n".into())
    );
    assert_eq!(setting.writes(), [""; 0]);
    assert!(setting.summary().contains("csv 2"), "{}", setting.summary());
}

#[test]
fn file_removed_by_command_is_an_error() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    setting
        .git()
        .push("main", &[(CSV, "by hand\n")], "Edit by hand")
        .unwrap();
    let run = setting.publish(&["--", "git", "mv", CSV, "elsewhere.csv"]);
    assert_eq!(run.code, 2, "{run}");
    assert_eq!(setting.written(CSV), "csv 2\n");
}

#[test]
fn related_push_supersedes() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    setting
        .git()
        .push("main", &[("src/lib.rs", "faster")], "Optimise")
        .unwrap();
    let run = setting.publish(&[]);
    assert_eq!(
        (run.code, run.stdout.contains("refresh=superseded\n")),
        (0, true),
        "{run}"
    );
    assert_eq!(setting.writes(), [""; 0]);
}

#[test]
fn related_push_in_between_supersedes() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    setting.before_commit(|hub| {
        drop(
            hub.git()
                .push("main", &[("src/lib.rs", "faster")], "Optimise")
                .unwrap(),
        );
    });
    let run = setting.publish(&[]);
    assert!(run.stdout.contains("refresh=superseded"), "{run}");
    assert_eq!(setting.on_branch(CSV), "csv 1\n");
}

#[test]
fn affects_selects_related_files() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    setting
        .git()
        .push("main", &[("tools/x.py", "x")], "Tool")
        .unwrap();
    assert!(setting.publish(&[]).stdout.contains("refresh=superseded"));
    assert!(
        setting
            .publish(&["--affects", "tools/"])
            .stdout
            .contains("refresh=superseded")
    );
    assert!(
        setting
            .publish(&["--affects", "src/"])
            .stdout
            .contains("refresh=committed")
    );
}

#[test]
fn renamed_file_is_related_by_either_name() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    setting
        .git()
        .push(
            "main",
            &[("docs/lib.md", "slow, and long enough to be seen as moved\n")],
            "Move",
        )
        .unwrap();
    setting.git().remove("main", "src/lib.rs", "Move").unwrap();
    let run = setting.publish(&[]);
    assert!(run.stdout.contains("refresh=superseded"), "{run}");
}

#[test]
fn attempts_are_limited() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    setting
        .when("GRAPHQL createCommitOnBranch")
        .always()
        .hook(|hub| {
            drop(
                hub.git()
                    .push("main", &[("README.md", "x")], "Explain")
                    .unwrap(),
            );
        });
    assert_snapshot!(setting.publish(&[]), @"
    exit 1
    ::warning title=Performance numbers::nothing published: 20 attempts to commit to `main` failed: other pushes came first
    refresh=unpublished
    --- stderr
    warning: nothing published: 20 attempts to commit to `main` failed: other pushes came first
    hint: re-run the job
    note: the numbers are in the job summary
    ");
    assert_eq!(setting.writes().len(), 20);
    assert!(setting.summary().contains("csv 2"), "{}", setting.summary());
}
