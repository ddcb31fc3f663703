//! Reports on a baseline from another machine.

use std::fs;
use std::process::Command;

#[test]
fn values_from_other_machine_are_shown_without_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |class: &str, number: u32| {
        format!(
            "scenario,platform,commit,runIndex,machineClass,decodeNs\nDecode,linux,{number},0,{class},{number}\n"
        )
    };
    fs::write(folder.path().join("base.csv"), rows("old-cpu", 100)).unwrap();
    fs::write(folder.path().join("run.csv"), rows("new-cpu", 300)).unwrap();
    let compare = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_perf-gate"));
        let files = ["compare", "--input", "run.csv", "--baseline", "base.csv"];
        command
            .current_dir(folder.path())
            .args(files)
            .args(more)
            .output()
            .unwrap()
    };
    for form in [&["--output", "-"][..], &["--output-format", "table"]] {
        let output = compare(form);
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(
            said.contains("new-cpu") && said.contains("100") && said.contains("300"),
            "{said}"
        );
    }
    assert_eq!(compare(&["--exit-code"]).status.code(), Some(0));
    assert_eq!(
        compare(&["--exit-code", "--fail-on", "not-comparable"])
            .status
            .code(),
        Some(1)
    );
}
