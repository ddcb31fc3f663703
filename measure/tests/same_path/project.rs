//! A repository in a temporary directory, for measurements.

use std::cell::RefCell;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// `Some` if the program is installed.
pub fn has(program: &str) -> Option<()> {
    let found = Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: there is no {program}");
    }
    found.then_some(())
}

pub struct Project {
    folder: TempDir,
    said: RefCell<String>,
}

impl Project {
    /// Creates a repository that ignores row files and these paths, and gates `timeNs`.
    pub fn new(ignored: &str) -> Self {
        let project = Self {
            folder: tempfile::tempdir().unwrap(),
            said: RefCell::default(),
        };
        project.run(&["git", "init", "--quiet"]);
        project.write(".gitignore", &format!("{ignored}base.csv\ncurrent.csv\n"));
        project.write(
            "perf-gate.toml",
            "[[gates]]\nmetric = 'timeNs'\nrule = 'limit'\n",
        );
        project
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap_or_default()
    }

    pub fn run(&self, words: &[&str]) {
        let output = Command::new(words[0])
            .current_dir(self.path())
            .args(&words[1..])
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{words:?} {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    pub fn commit(&self) {
        self.run(&["git", "add", "."]);
        let identity = [
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.org",
            "-c",
            "commit.gpgsign=false",
        ];
        self.run(
            &[
                &["git"],
                &identity[..],
                &["commit", "--quiet", "-m", "base"],
            ]
            .concat(),
        );
    }

    pub fn head(&self) -> String {
        let output = Command::new("git")
            .current_dir(self.path())
            .args(["rev-parse", "HEAD"])
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// The messages of the last measurement.
    pub fn said(&self) -> String {
        self.said.borrow().clone()
    }

    fn command(&self, folder: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_measure-perf"));
        command
            .current_dir(self.path().join(folder))
            .args(["pairs", "--seed", "1"]);
        if !arguments.contains(&"--base-ref") {
            command.args(["--base-ref", "HEAD"]);
        }
        command
            .args(arguments)
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("VIRTUAL_ENV");
        command
    }

    /// Measures HEAD and the working tree.
    pub fn pairs(&self, arguments: &[&str]) -> Output {
        self.pairs_in("", arguments)
    }

    fn pairs_in(&self, folder: &str, arguments: &[&str]) -> Output {
        let output = self.command(folder, arguments).output().unwrap();
        self.said
            .replace(String::from_utf8_lossy(&output.stderr).into_owned());
        output
    }

    /// `concluded` and `regressed`; `None` if private mounts are not available.
    pub fn measure(&self, arguments: &[&str]) -> Option<[String; 2]> {
        self.measure_in("", arguments)
    }

    pub fn measure_in(&self, folder: &str, arguments: &[&str]) -> Option<[String; 2]> {
        let output = self.pairs_in(folder, arguments);
        if self.said().contains("base and head run at two paths") {
            eprintln!("skipped: {}", self.said());
            return None;
        }
        assert!(output.status.success(), "{}", self.said());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let value = |key: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(key)?.strip_prefix('=').map(str::to_owned))
                .unwrap()
        };
        Some([value("concluded"), value("regressed")])
    }

    /// Sends a signal after this message appears, and checks that everything ends soon.
    pub fn signalled(&self, signal: &str, after: &str, arguments: &[&str]) {
        let mut command = self.command("", arguments);
        let mut running = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut messages = BufReader::new(running.stderr.take().unwrap())
            .lines()
            .map_while(Result::ok);
        assert!(messages.any(|line| line.contains(after)));
        self.run(&["kill", signal, &running.id().to_string()]);
        let start = Instant::now();
        self.said.replace(messages.collect::<Vec<_>>().join("\n"));
        assert_eq!(running.wait().unwrap().code(), Some(2), "{}", self.said());
        // On an idle machine, this takes a second. Without the signal, the processes would run for ten minutes.
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "{:?}",
            start.elapsed()
        );
    }
}
