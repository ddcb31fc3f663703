//! The priority of process runs.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::process::Command;

/// Prints the niceness of a process, the 19th field of its status.
const NICENESS: [&str; 4] = ["cut", "-d ", "-f19", "/proc/self/stat"];

fn printed(words: &[&str]) -> i32 {
    let output = Command::new(words[0]).args(&words[1..]).output().unwrap();
    String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse()
        .unwrap()
}

/// A niceness that the user chose is kept.
#[test]
fn process_runs_have_the_highest_priority_that_is_granted() {
    let own = printed(&NICENESS);
    let is_granted = printed(&[&["nice", "-n", "-1"], &NICENESS[..]].concat()) < own;
    let normal = if own == 0 && is_granted { -20 } else { own };
    for (niceness, expected) in [(0, normal), (3, own + 3)] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("nice");
        command
            .arg(format!("-n{niceness}"))
            .arg(env!("CARGO_BIN_EXE_measure-perf"));
        command
            .current_dir(folder.path())
            .env_remove("GITHUB_ACTIONS");
        // The time limit may end the last process run while it writes.
        let launch = format!(
            "{} >begun && mv begun niceness",
            NICENESS.join(" ").replace("-d ", "-d' '")
        );
        command.args(["pairs", "--time-limit", "5s", "--", "sh", "-c", &launch]);
        let output = command.output().unwrap();
        assert!(output.status.success());
        let note = format!(
            "the process priority is unchanged, because this process has niceness {expected}"
        );
        assert_eq!(
            String::from_utf8_lossy(&output.stderr).contains(&note),
            own + niceness != 0
        );
        let found = fs::read_to_string(folder.path().join("niceness")).unwrap();
        assert_eq!(
            found.trim(),
            expected.to_string(),
            "started with {niceness}"
        );
    }
}
