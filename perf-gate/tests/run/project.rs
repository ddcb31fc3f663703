//! A repository with a small benchmark.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Prints the rate from a file, plus one in every second run, and counts its runs.
pub const BENCH: &str = "#!/bin/sh\n\
    echo run >>runs\n\
    rate=$(($(cat rate) + $(wc -l <runs) % 2))\n\
    printf 'scenario,platform,runIndex,decodesPerSecond\\nDecode,linux,0,%s\\n' \"$rate\"\n";

/// Two rates with a difference that background load cannot explain.
pub const FAST: u32 = 1_000_000;
pub const SLOW: u32 = 10;

pub struct Project(pub tempfile::TempDir);

impl Project {
    pub fn new(rate: u32) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        project.git(&["init", "--quiet"]);
        project.write("bench.sh", BENCH);
        project.write(".gitignore", "runs\n");
        project.rate(rate);
        project
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    pub fn rate(&self, rate: u32) {
        self.write("rate", &rate.to_string());
    }

    pub fn git(&self, arguments: &[&str]) {
        let mut git = self.command("git");
        git.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
            .args(arguments);
        assert!(git.output().unwrap().status.success(), "{arguments:?}");
    }

    pub fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "Refresh"]);
    }

    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.path())
            .env("GIT_CONFIG_GLOBAL", "")
            .env_remove("CARGO_TARGET_DIR");
        for name in ["GITHUB_SHA", "CI_COMMIT_SHA", "GIT_DIR"] {
            command.env_remove(name);
        }
        command
    }

    pub fn perf_gate(&self, arguments: &[&str]) -> Output {
        self.command(env!("CARGO_BIN_EXE_perf-gate"))
            .args(arguments)
            .output()
            .unwrap()
    }

    #[track_caller]
    pub fn ends(&self, arguments: &[&str], code: i32) -> Output {
        let output = self.perf_gate(arguments);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        output
    }

    /// Configures a comparison with stored values, and stores one run.
    pub fn store_baseline(&self) {
        self.write(
            "perf-gate.toml",
            "[run]\ncommand = \"sh bench.sh\"\ncompare = \"baseline\"\n",
        );
        self.ends(&["run", "--save"], 0);
    }

    pub fn runs(&self) -> usize {
        self.read("runs").lines().count()
    }
}
