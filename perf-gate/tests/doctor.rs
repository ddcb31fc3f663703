//! `doctor` in a repository with a small benchmark.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot do its work has failed"
)]

use std::fs;
use std::path::Path;
use std::process::Command;

/// Prints one rate that varies by at most 2% between runs, and one that is constant.
const BENCH: &str = "#!/bin/sh\n\
    echo run >>runs\n\
    printf 'scenario,platform,runIndex,decodesPerSecond,encodesPerSecond\\nDecode,linux,0,%s,900\\n' $((1000 + $(wc -l <runs) * 7 % 20))\n";

fn doctor(folder: &Path, arguments: &[&str], code: i32) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_perf-gate"));
    let output = command
        .current_dir(folder)
        .arg("doctor")
        .args(arguments)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn without_benchmark_shows_machine() {
    let folder = tempfile::tempdir().unwrap();
    let said = doctor(folder.path(), &[], 0);
    let lines = [
        "machine ",
        "pairs     not a git repository",
        "next      perf-gate doctor -- COMMAND",
    ];
    for line in lines {
        assert!(said.contains(line), "{line}: {said}");
    }
}

#[test]
fn a_a_check_finds_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bench.sh"), BENCH).unwrap();
    let said = doctor(folder.path(), &["--", "sh", "bench.sh"], 0);
    let check = said.lines().find(|line| line.starts_with("A/A check"));
    assert!(
        check.unwrap().ends_with(": 0 of 1 benchmark differ"),
        "{said}"
    );
    assert!(said.contains("perf-gate run -- sh bench.sh"), "{said}");
    assert!(
        !folder.path().join("perf-gate.toml").exists()
            && !folder.path().join(".perf-gate").exists()
    );
    // If the benchmark cannot run, the output shows why.
    assert!(doctor(folder.path(), &["--", "false"], 0).contains("A/A check "));
}
