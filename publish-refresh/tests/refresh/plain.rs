//! Refreshes without concurrent pushes.

use insta::assert_snapshot;

use crate::setting::{CSV, PAGE, Setting};

#[test]
fn both_files_are_committed_at_once() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    let run = setting.publish(&[]);
    assert_snapshot!(run, @"
    exit 0
    refresh=committed
    commit=[sha]
    commit-url=https://github.com/octo/quill/commit/[sha]
    --- stderr
    note: committed the numbers for [short] to `main`: https://github.com/octo/quill/commit/[sha]
    ");
    assert_eq!(setting.on_branch(PAGE), "page 2\n");
    assert_eq!(setting.on_branch(CSV), "csv 2\n");
    assert_eq!(setting.git().parents("main"), [setting.measured()]);
    assert_snapshot!(setting.message(), @"
    Refresh performance numbers

    Perf-Measured: [measured]
    Perf-Run: 12.1
    Perf-Job: [drawn]
    ");
    assert_snapshot!(setting.summary(), @"
    ### Performance numbers

    committed the numbers for [short] to `main`: https://github.com/octo/quill/commit/[sha]
    ");
}

#[test]
fn only_changed_file_is_committed() {
    let setting = Setting::new();
    setting.render("page 1\n", "csv 2\n");
    assert_eq!(setting.publish(&[]).code, 0);
    let sent = setting.sent();
    assert!(sent.contains(CSV) && !sent.contains(PAGE), "{sent}");
}

#[test]
fn message_can_be_set() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    setting.publish(&[
        "--message",
        "perf: refresh [skip ci]\n\nOn the big machine.",
    ]);
    assert_snapshot!(setting.message(), @"
    perf: refresh [skip ci]

    On the big machine.

    Perf-Measured: [measured]
    Perf-Run: 12.1
    Perf-Job: [drawn]
    ");
}

#[test]
fn unchanged_files_are_not_committed() {
    let setting = Setting::new();
    setting.render("page 1\n", "csv 1\n");
    assert_snapshot!(setting.publish(&[]), @"
    exit 0
    refresh=unchanged
    --- stderr
    note: nothing changed: `main` already contains these numbers
    ");
    assert_eq!(setting.git().head("main").unwrap(), setting.measured());
    assert_eq!(setting.writes(), [""; 0]);
}

#[test]
fn new_file_is_created() {
    let setting = Setting::new();
    setting.write("new/numbers.csv", "1\n");
    let run = setting.run(&["--file", "new/numbers.csv"]);
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(setting.on_branch("new/numbers.csv"), "1\n");
    assert_eq!(setting.on_branch(PAGE), "page 1\n");
}

#[test]
fn command_does_not_run_unless_needed() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    let run = setting.publish(&["--", "no-such-program"]);
    assert_eq!(run.code, 0, "{run}");
}
