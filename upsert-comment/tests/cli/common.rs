//! Runs the binary like a workflow, against a fake GitHub.

#![expect(
    clippy::expect_used,
    reason = "a harness that cannot do its work fails the test"
)]

use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use fake_github::Fake;
use fake_github::account::WORKFLOW;
use fake_github::world::{Comment, Pull, World};
use tempfile::TempDir;

/// The newest commit of #5.
pub const HEAD: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
pub const OTHER: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
/// The account of a workflow's own token.
pub const BOT: &str = fake_github::account::ACTIONS;

/// Variables that change the behaviour of a program, for example in a workflow or on a terminal.
const SCRUBBED: [&str; 10] = [
    "CI",
    "NO_COLOR",
    "CLICOLOR",
    "GITHUB_",
    "RUNNER_",
    "GH_",
    "RUST_",
    "TERM",
    "COLUMNS",
    "PERF_GATE_",
];

/// A fake GitHub, a folder, and the environment of a run.
pub struct Case {
    pub fake: Fake,
    folder: TempDir,
    env: Vec<(String, String)>,
}

impl Case {
    /// Run 7, started by pull request #5, with write permission.
    pub fn new() -> Self {
        Self::of(Pull::new(5).at(HEAD))
    }

    /// The same for a special pull request.
    pub fn of(pull: Pull) -> Self {
        let number = pull.number;
        let case = Self::in_world(World::with_pull(pull)).env("GITHUB_EVENT_NAME", "pull_request");
        case.event(&event(number, HEAD, "octo/quill"))
    }

    /// Run 7, started by another event.
    pub fn in_world(world: World) -> Self {
        let fake = Fake::start(world).expect("a server");
        let folder = TempDir::new().expect("a folder");
        let url = fake.url().to_owned();
        let case = Self {
            fake,
            folder,
            env: Vec::new(),
        };
        case.env("GITHUB_ACTIONS", "true")
            .env("GITHUB_API_URL", &url)
            .env("GITHUB_REPOSITORY", "octo/quill")
            .env("GITHUB_RUN_ID", "7")
            .env("GITHUB_RUN_ATTEMPT", "1")
            .env("GITHUB_TOKEN", WORKFLOW)
            .env("PERF_GATE_CLOCK_SPEED", "1000")
            .in_file("GITHUB_STEP_SUMMARY", "summary.md", "")
    }

    /// Sets a variable, or unsets it if the value is empty.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets the event's payload.
    #[must_use]
    pub fn event(self, payload: &str) -> Self {
        self.in_file("GITHUB_EVENT_PATH", "event.json", payload)
    }

    /// Creates a file and sets a variable to its path.
    #[must_use]
    fn in_file(self, variable: &str, name: &str, content: &str) -> Self {
        self.write(name, content);
        let path = self.path(name);
        self.env(variable, &path.to_string_lossy())
    }

    /// Sets another run.
    #[must_use]
    pub fn run_id(self, id: u64) -> Self {
        self.env("GITHUB_RUN_ID", &id.to_string())
    }

    pub fn write(&self, name: &str, content: &str) {
        fs::write(self.path(name), content).expect("a file");
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the binary on a report.
    pub fn post(&self, report: &str, arguments: &str) -> CommentOutcome {
        self.write("report.md", report);
        self.run(&format!("--key perf --body-file report.md {arguments}"))
    }

    pub fn run(&self, arguments: &str) -> CommentOutcome {
        self.run_with(arguments, &[])
    }

    /// The binary with these arguments, not yet started.
    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_upsert-pr-comment"));
        command
            .args(arguments.split_whitespace())
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            if SCRUBBED
                .iter()
                .any(|start| name.to_string_lossy().starts_with(start))
            {
                command.env_remove(name);
            }
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs the binary with more variables.
    pub fn run_with(&self, arguments: &str, env: &[(&str, &str)]) -> CommentOutcome {
        let mut command = self.command(arguments);
        let output = command
            .envs(env.iter().copied())
            .output()
            .expect("the binary runs");
        let redacted = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).expect("text");
            text.replace(self.fake.url(), "[api]")
                .replace(&*self.folder.path().to_string_lossy(), "[folder]")
        };
        CommentOutcome {
            code: output.status.code(),
            stdout: redacted(output.stdout),
            stderr: redacted(output.stderr),
            summary: fs::read_to_string(self.path("summary.md")).expect("a summary"),
        }
    }

    /// The comments on #5.
    pub fn comments(&self) -> Vec<Comment> {
        self.fake.comments(5)
    }

    /// The texts of the comments on #5.
    pub fn bodies(&self) -> Vec<String> {
        self.comments()
            .into_iter()
            .map(|comment| comment.body)
            .collect()
    }

    /// Adds a comment to #5, and returns its ID.
    pub fn comment(&self, author: &str, body: &str) -> u64 {
        self.fake.with(|world| world.comment(5, author, body))
    }

    pub fn writes(&self) -> Vec<String> {
        self.fake.writes().iter().map(ToString::to_string).collect()
    }
}

/// The visible result of a run.
#[derive(Clone, Debug)]
pub struct CommentOutcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// The whole job summary.
    pub summary: String,
}

impl CommentOutcome {
    /// The state of the comment.
    pub fn action(&self) -> &str {
        self.stdout
            .lines()
            .find_map(|line| line.strip_prefix("action="))
            .unwrap_or_default()
    }
}

impl fmt::Display for CommentOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "exit {}", self.code.unwrap_or(-1))?;
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                write!(f, "--- {name}\n{text}")?;
            }
        }
        Ok(())
    }
}

/// The marker of a comment by this run.
pub fn marker(head: &str, run: u64) -> String {
    format!("<!-- perf-gate key=perf head={head} run={run}.1 -->")
}

/// The payload of a pull request event, with its head in this repository.
pub fn event(number: u64, head: &str, from: &str) -> String {
    serde_json::json!({ "pull_request": {
        "number": number, "node_id": "PR_x", "html_url": "https://github.com/octo/quill/pull/5", "title": "t",
        "body": null, "user": { "login": "ada", "id": 1 }, "state": "open", "locked": false,
        "head": { "ref": "topic", "sha": head, "repo": { "full_name": from } },
        "base": { "ref": "main", "sha": OTHER, "repo": { "full_name": "octo/quill" } },
    } })
    .to_string()
}
