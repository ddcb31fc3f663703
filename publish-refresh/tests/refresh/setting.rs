//! A repository on the fake GitHub, a checkout with rendered files, and the binary.
//!
//! The history is a commit with `README.md`, then the measured commit with code, page and baseline.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use fake_github::When;
use fake_github::{Fake, Git, Hub, Pull, World, account};
use serde_json::json;
use tempfile::TempDir;

pub const PAGE: &str = "docs/performance.md";
/// The baseline.
pub const CSV: &str = "perf.csv";

const COMMIT: &str = "GRAPHQL createCommitOnBranch";

/// Variables that describe the environment of a process.
const SCRUBBED: [&str; 9] = [
    "CI",
    "CLICOLOR",
    "GH_",
    "GIT_",
    "GITHUB_",
    "NO_COLOR",
    "PERF_GATE_",
    "RUNNER_",
    "TERM",
];

/// A workflow after measuring and rendering.
pub struct Setting {
    fake: Fake,
    folder: TempDir,
    measured: String,
    variables: RefCell<BTreeMap<String, String>>,
}

/// The result of a run of the binary.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Setting {
    pub fn new() -> Self {
        let fake = Fake::start(World::default()).unwrap();
        let code = "slow, and long enough to be seen as moved\n";
        let files = [("src/lib.rs", code), (PAGE, "page 1\n"), (CSV, "csv 1\n")];
        let measured = fake.git().push("main", &files, "Measure me").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let setting = Self {
            fake,
            folder,
            measured,
            variables: RefCell::default(),
        };
        setting.clone_and_describe();
        setting
    }

    fn clone_and_describe(&self) {
        let mut clone = Command::new("git");
        scrub(&mut clone);
        clone
            .args(["clone", "--quiet", "--config", "core.autocrlf=false"])
            .arg(self.fake.git().path());
        assert!(clone.arg(self.checkout()).status().unwrap().success());
        self.set("GITHUB_API_URL", self.fake.url())
            .set("GITHUB_REPOSITORY", "octo/quill")
            .set("GITHUB_TOKEN", account::WORKFLOW)
            .set("GITHUB_REF", "refs/heads/main")
            .set("GITHUB_SHA", &self.measured)
            .set("GITHUB_RUN_ID", "12")
            .set("GITHUB_RUN_ATTEMPT", "1")
            .set(
                "GITHUB_STEP_SUMMARY",
                self.folder.path().join("summary.md").to_str().unwrap(),
            )
            .set("PERF_GATE_CLOCK_SPEED", "1000");
    }

    /// Sets a workflow variable. An empty value unsets it.
    pub fn set(&self, name: &str, value: &str) -> &Self {
        self.variables
            .borrow_mut()
            .insert(name.to_owned(), value.to_owned());
        self
    }

    /// Sets a push as the event, in a fork or not.
    pub fn pushed(&self, fork: bool) -> &Self {
        let event = self.folder.path().join("event.json");
        let payload = json!({
            "ref": "refs/heads/main", "before": "0".repeat(40), "after": self.measured,
            "repository": { "full_name": "octo/quill", "default_branch": "main", "fork": fork },
        });
        fs::write(&event, payload.to_string()).unwrap();
        self.set("GITHUB_EVENT_NAME", "push")
            .set("GITHUB_EVENT_PATH", event.to_str().unwrap())
    }

    /// Writes the page and the baseline to the checkout.
    pub fn render(&self, page: &str, csv: &str) {
        self.write(PAGE, page);
        self.write(CSV, csv);
    }

    /// Writes a file to the checkout.
    pub fn write(&self, path: &str, content: &str) {
        let place = self.checkout().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, content).unwrap();
    }

    /// A file's content in the checkout.
    pub fn written(&self, path: &str) -> String {
        fs::read_to_string(self.checkout().join(path)).unwrap()
    }

    pub fn checkout(&self) -> PathBuf {
        self.folder.path().join("checkout")
    }

    /// Publishes the page and the baseline.
    pub fn publish(&self, more: &[&str]) -> Run {
        let line: Vec<&str> = ["--file", PAGE, CSV].iter().chain(more).copied().collect();
        self.run(&line)
    }

    pub fn run(&self, line: &[&str]) -> Run {
        self.run_in("", line)
    }

    /// Starts the binary without waiting.
    pub fn start(&self, line: &[&str]) -> Child {
        self.command("", line)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    fn command(&self, folder: &str, line: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_publish-perf-refresh"));
        scrub(&mut command);
        command
            .args(line)
            .current_dir(self.checkout().join(folder))
            .envs(&*self.variables.borrow());
        command
    }

    /// Runs the binary in a folder of the checkout.
    pub fn run_in(&self, folder: &str, line: &[&str]) -> Run {
        let mut command = self.command(folder, line);
        let Output {
            status,
            stdout,
            stderr,
        } = command.output().unwrap();
        let text = |bytes: Vec<u8>| self.redacted(&String::from_utf8(bytes).unwrap());
        Run {
            code: status.code().unwrap(),
            stdout: text(stdout),
            stderr: text(stderr),
        }
    }

    pub fn summary(&self) -> String {
        self.redacted(
            &fs::read_to_string(self.folder.path().join("summary.md")).unwrap_or_default(),
        )
    }

    pub fn measured(&self) -> String {
        self.measured.clone()
    }

    /// The numbers of requests since the last call, by kind and status.
    pub fn calls(&self) -> BTreeMap<String, usize> {
        let mut calls = BTreeMap::new();
        for entry in self.fake.requests() {
            let mut kind: Vec<&str> = entry.operation.splitn(6, '/').collect();
            kind.truncate(5);
            *calls
                .entry(format!("{} {}", kind.join("/"), entry.end))
                .or_default() += 1;
        }
        self.fake.forget();
        calls
    }

    pub fn git(&self) -> &Git {
        self.fake.git()
    }

    /// A file's content on the branch.
    pub fn on_branch(&self, path: &str) -> String {
        self.git().text("main", path).unwrap()
    }

    /// The message of the branch's head commit.
    pub fn message(&self) -> String {
        self.redacted(&self.git().message("main").unwrap())
    }

    pub fn pulls(&self) -> Vec<Pull> {
        self.fake.pulls()
    }

    pub fn world(&self, change: impl FnOnce(&mut World)) {
        self.fake.with(change);
    }

    pub fn when(&self, pattern: &str) -> When<'_> {
        self.fake.when(pattern)
    }

    /// Runs `work` just before the next commit is created.
    pub fn before_commit(&self, work: impl Fn(&Hub) + Send + Sync + 'static) {
        self.when(COMMIT).hook(work);
    }

    pub fn requests(&self) -> Vec<String> {
        self.fake
            .requests()
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    pub fn writes(&self) -> Vec<String> {
        self.fake.writes().iter().map(ToString::to_string).collect()
    }

    /// The body of the first commit request.
    pub fn sent(&self) -> String {
        let requests = self.fake.requests();
        requests
            .iter()
            .find(|entry| entry.operation == COMMIT)
            .unwrap()
            .body
            .to_string()
    }

    /// Replaces parts that differ between test runs.
    pub fn redacted(&self, text: &str) -> String {
        let text = text.replace(self.fake.url(), "[api]");
        let folder = fs::canonicalize(self.folder.path()).unwrap();
        let text = text
            .replace(folder.to_str().unwrap(), "[folder]")
            .replace(&self.measured, "[measured]");
        redacted_hashes(&text.replace(&self.measured[..7], "[short]"))
    }
}

fn scrub(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy().to_uppercase();
        if SCRUBBED.iter().any(|start| text.starts_with(start)) || text.ends_with("_PROXY") {
            command.env_remove(&name);
        }
    }
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "")
        .env("COLUMNS", "100");
}

/// Replaces commit hashes, whole or abbreviated, and random numbers.
fn redacted_hashes(text: &str) -> String {
    let mut out = String::new();
    for piece in text.split_inclusive(|character: char| !character.is_ascii_alphanumeric()) {
        let word = piece.trim_end_matches(|character: char| !character.is_ascii_alphanumeric());
        let hash = word
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let digits = word.bytes().any(|byte| byte.is_ascii_digit());
        let name = match word.len() {
            40 if hash => "[sha]",
            16 if hash => "[drawn]",
            7 if hash && digits => "[other]",
            _ => word,
        };
        out.push_str(name);
        out.push_str(&piece[word.len()..]);
    }
    out
}

impl fmt::Display for Run {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "exit {}\n{}--- stderr\n{}",
            self.code, self.stdout, self.stderr
        )
    }
}
