//! Branches with another history or other numbers.

use insta::assert_snapshot;

use crate::setting::{CSV, Setting};

fn refresh(measured: &str, run: &str) -> String {
    format!("Refresh performance numbers\n\nPerf-Measured: {measured}\nPerf-Run: {run}")
}

#[test]
fn force_push_makes_numbers_stale() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    let first = setting.git().parents(&setting.measured()).concat();
    setting.git().reset("main", &first).unwrap();
    setting
        .git()
        .push("main", &[("src/lib.rs", "rewritten")], "Rewrite")
        .unwrap();
    let run = setting.publish(&[]);
    assert_eq!(
        (run.code, run.stdout.contains("refresh=stale\n")),
        (0, true),
        "{run}"
    );
    assert_eq!(setting.writes(), [""; 0]);
}

#[test]
fn reset_branch_makes_numbers_stale() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    let first = setting.git().parents(&setting.measured()).concat();
    setting.before_commit(move |hub| hub.git().reset("main", &first).unwrap());
    let run = setting.publish(&[]);
    assert_eq!(
        (run.code, run.stdout.contains("refresh=stale\n")),
        (0, true),
        "{run}"
    );
}

#[test]
fn numbers_for_newer_code_stay() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    let newer = setting
        .git()
        .push("main", &[("README.md", "x")], "Explain")
        .unwrap();
    setting
        .git()
        .push("main", &[(CSV, "csv 3\n")], &refresh(&newer, "13.1"))
        .unwrap();
    assert_snapshot!(setting.publish(&["--", "no-such-program"]), @"
    exit 0
    ::notice title=Performance numbers::nothing published: `main` contains numbers for newer code, [other]
    refresh=newer
    --- stderr
    note: nothing published: `main` contains numbers for newer code, [other]
    ");
    assert_eq!(setting.on_branch(CSV), "csv 3\n");
}

#[test]
fn edited_numbers_for_newer_code_stay() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    let newer = setting
        .git()
        .push("main", &[("README.md", "x")], "Explain")
        .unwrap();
    setting
        .git()
        .push("main", &[(CSV, "csv 3\n")], &refresh(&newer, "13.1"))
        .unwrap();
    setting
        .git()
        .push("main", &[(CSV, "csv 3, by hand\n")], "Correct the unit")
        .unwrap();
    assert!(
        setting
            .publish(&["--", "no-such-program"])
            .stdout
            .contains("refresh=newer")
    );
}

#[test]
fn numbers_from_later_run_stay() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    setting
        .git()
        .push(
            "main",
            &[(CSV, "csv 3\n")],
            &refresh(&setting.measured(), "12.2"),
        )
        .unwrap();
    let run = setting.publish(&["--", "no-such-program"]);
    assert_eq!(
        (run.code, run.stdout.contains("refresh=newer\n")),
        (0, true),
        "{run}"
    );
}

#[test]
fn numbers_for_older_code_are_replaced() {
    let setting = Setting::new();
    setting.render("page 2\n", "[bench]\n\ta = 2\n");
    let older = setting.git().parents(&setting.measured()).concat();
    setting
        .git()
        .push(
            "main",
            &[(CSV, "[bench]\n\ta = 1\n\tb = 1\n")],
            &refresh(&older, "11.1"),
        )
        .unwrap();
    let run = setting.publish(&["--", "git", "config", "--file", CSV, "bench.a", "2"]);
    assert!(run.stdout.contains("refresh=committed"), "{run}");
    assert_eq!(setting.on_branch(CSV), "[bench]\n\ta = 2\n\tb = 1\n");
}

#[test]
fn message_with_unknown_commit_is_ignored() {
    let setting = Setting::new();
    setting.render("page 2\n", "[bench]\n\ta = 2\n");
    let message = refresh(&"f".repeat(40), "99.1");
    setting
        .git()
        .push("main", &[(CSV, "[bench]\n\tb = 1\n")], &message)
        .unwrap();
    let run = setting.publish(&["--", "git", "config", "--file", CSV, "bench.a", "2"]);
    assert!(run.stdout.contains("refresh=committed"), "{run}");
}

#[test]
fn missing_branch_is_an_error() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    assert_snapshot!(setting.publish(&["--branch", "mian"]), @"
    exit 2
    --- stderr
    note: the numbers are in the job summary
    error: the repository has no branch `mian`
    hint: set the branch with `--branch`; a token without access can't see branches
    ");
}

#[test]
fn unpushed_commit_is_an_error() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    assert_snapshot!(setting.publish(&["--measured", &"f".repeat(40)]), @"
    exit 2
    --- stderr
    note: the numbers are in the job summary
    error: GitHub does not know the measured commit [sha]
    hint: push it first, or set another one with `--measured`
    ");
}

#[test]
fn refresh_of_other_suite_is_unrelated() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    setting.write("other.csv", "1\n");
    assert_eq!(setting.run(&["--file", "other.csv"]).code, 0);
    let run = setting.publish(&[]);
    assert!(run.stdout.contains("refresh=committed"), "{run}");
    setting
        .git()
        .push("main", &[("other.csv", "2\n")], "Edit by hand")
        .unwrap();
    setting
        .set("GITHUB_RUN_ID", "13")
        .render("page 3\n", "csv 3\n");
    let run = setting.publish(&[]);
    assert!(run.stdout.contains("refresh=superseded"), "{run}");
}

#[test]
fn code_commit_with_trailers_is_related() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    let message = refresh(&setting.measured(), "12.1");
    setting
        .git()
        .push("main", &[("src/lib.rs", "slower\n")], &message)
        .unwrap();
    let run = setting.publish(&[]);
    assert!(run.stdout.contains("refresh=superseded"), "{run}");
    assert_eq!(setting.on_branch(CSV), "csv 1\n");
}
