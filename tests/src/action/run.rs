//! Runs an action with inputs and a workflow's environment, and reports the result.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use serde_json::{Map, Value, json};

use super::cache;
use super::definition::{self, Definition};
use super::expression::Context;
use super::log::{Command, commands};
use super::workspace::Workspace;
use crate::binaries;

/// An action to run.
pub struct ActionRun<'w> {
    workspace: &'w Workspace,
    folder: PathBuf,
    inputs: BTreeMap<String, String>,
    event: Value,
    token: String,
    environment: BTreeMap<String, String>,
    /// Whether it may extend the `PATH` of later steps.
    adds_path: bool,
    /// The job's matrix values, and the number of jobs in the matrix.
    matrix: (Value, usize),
}

/// The result of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// It ran, with this exit code.
    Ran(i32),
    /// It was skipped.
    Skipped,
    /// It uses another action, which is emulated or ignored.
    Used(String),
}

/// The result of an action.
#[derive(Debug)]
pub struct ActionReport {
    /// Step results by name, in order.
    pub steps: Vec<(String, Step)>,
    /// The output of all steps, including standard error.
    pub log: String,
    /// The workflow commands in the log.
    pub commands: Vec<Command>,
    /// The action's outputs.
    pub outputs: BTreeMap<String, String>,
    /// The job summary.
    pub summary: String,
    /// The entries added to the `PATH` of later steps.
    pub path: String,
}

impl<'w> ActionRun<'w> {
    /// This repository's action in a checkout, started by `event` with its payload.
    pub fn new(workspace: &'w Workspace, event: &str, payload: Value) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .expect("the repository")
            .to_owned();
        let mut run = Self {
            workspace,
            folder,
            inputs: BTreeMap::new(),
            event: payload,
            token: String::new(),
            environment: BTreeMap::new(),
            adds_path: false,
            matrix: (Value::Null, 1),
        };
        let programs = binaries::path(binaries::ACTION_PROGRAM)
            .parent()
            .expect("a folder");
        run.inputs
            .insert("binaries".into(), programs.to_string_lossy().into_owned());
        let server = format!("file://{}/server", workspace.root().to_string_lossy());
        let temporary = workspace.temporary().to_string_lossy().into_owned();
        for (name, value) in [
            ("GITHUB_EVENT_NAME", event),
            ("GITHUB_REPOSITORY", Workspace::REPOSITORY),
            ("GITHUB_SERVER_URL", &server),
            ("GITHUB_RUN_ID", "7001"),
            ("GITHUB_RUN_ATTEMPT", "1"),
            ("GITHUB_RUN_NUMBER", "71"),
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_WORKFLOW", "perf"),
            ("GITHUB_JOB", "perf"),
            ("GITHUB_ACTOR", "ada"),
            ("RUNNER_TEMP", &temporary),
            ("RUNNER_OS", system()),
            (
                "RUNNER_ARCH",
                if cfg!(target_arch = "aarch64") {
                    "ARM64"
                } else {
                    "X64"
                },
            ),
        ] {
            run.environment.insert(name.into(), value.into());
        }
        // A job without a checkout is allowed.
        let has_checkout = workspace.checkout().join(".git").exists();
        if has_checkout {
            run.env("GITHUB_SHA", &workspace.tip())
        } else {
            run
        }
    }

    /// Sets an input.
    #[must_use]
    pub fn input(mut self, name: &str, value: &str) -> Self {
        self.inputs.insert(name.into(), value.into());
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.insert(name.into(), value.into());
        self
    }

    /// Sets the matrix values of this job, and the number of jobs in the matrix.
    #[must_use]
    pub fn matrix(mut self, values: Value, jobs: usize) -> Self {
        self.matrix = (values, jobs);
        self
    }

    /// Sets the API's URL and the token.
    #[must_use]
    pub fn api(mut self, url: &str, token: &str) -> Self {
        self.token = token.into();
        self.env("GITHUB_API_URL", url)
    }

    /// Runs this repository's `setup` action instead.
    #[must_use]
    pub fn setup(mut self) -> Self {
        self.inputs.retain(|name, _| name == "binaries");
        self.adds_path = true;
        self.folder.push("setup");
        self
    }

    /// Runs the action in this folder instead.
    #[must_use]
    pub fn action(mut self, folder: &Path) -> Self {
        folder.clone_into(&mut self.folder);
        self
    }

    /// Runs all steps.
    pub fn run(self) -> ActionReport {
        let definition = Definition::read(&self.folder);
        let mut context = Context(json!({
            "github": { "event": self.event, "token": self.token },
            "runner": { "os": system(), "temp": self.workspace.temporary() },
            "matrix": self.matrix.0,
            "strategy": { "job-total": self.matrix.1 },
            "inputs": {},
            "steps": {},
        }));
        context.0["inputs"] = self.input_values(&definition, &context);
        fs::write(self.file("event.json"), self.event.to_string()).expect("a writable file");
        for name in ["summary", "env", "path", "state"] {
            fs::write(self.file(name), "").expect("a writable file");
        }
        let (mut steps, mut log, mut failed) = (Vec::new(), String::new(), false);
        for step in &definition.runs.steps {
            let due = !failed
                && step
                    .condition
                    .as_ref()
                    .is_none_or(|condition| context.holds(condition));
            let (result, outputs) = if due {
                self.step(step, &context, &mut log)
            } else {
                (Step::Skipped, Map::new())
            };
            failed |= matches!(result, Step::Ran(code) if code != 0);
            if let Some(id) = &step.id {
                context.0["steps"][id] = json!({ "outputs": outputs });
            }
            steps.push((step.name.clone(), result));
        }
        for name in ["env", "path", "state"]
            .into_iter()
            .filter(|name| *name != "path" || !self.adds_path)
        {
            assert_eq!(self.read(name), "", "a step changes the job for others");
        }
        let outputs = definition
            .outputs
            .iter()
            .map(|(name, output)| (name.clone(), context.fill(&output.value)));
        ActionReport {
            steps,
            commands: commands(&log),
            outputs: outputs.collect(),
            summary: self.read("summary"),
            path: self.read("path"),
            log,
        }
    }

    /// The inputs, with defaults.
    fn input_values(&self, definition: &Definition, context: &Context) -> Value {
        for name in self.inputs.keys() {
            assert!(
                definition.inputs.contains_key(name),
                "unknown input `{name}`"
            );
        }
        let value = |(name, input): (&String, &definition::Input)| {
            let said = self.inputs.get(name).cloned();
            assert!(
                said.is_some() || !input.required,
                "the input `{name}` is required"
            );
            let value =
                said.or_else(|| input.default.as_ref().map(|default| context.fill(default)));
            (name.clone(), Value::from(value.unwrap_or_default()))
        };
        Value::Object(definition.inputs.iter().map(value).collect())
    }

    fn step(
        &self,
        step: &definition::Step,
        context: &Context,
        log: &mut String,
    ) -> (Step, Map<String, Value>) {
        if let Some(uses) = &step.uses {
            let with = step
                .with
                .iter()
                .map(|(name, value)| (name.clone(), context.fill(value)))
                .collect();
            return (
                Step::Used(uses.clone()),
                cache::run_external_action(self.workspace, uses, &with),
            );
        }
        let shell = step.shell.as_deref().unwrap_or_default();
        assert!(["bash", "sh"].contains(&shell), "{}", step.name);
        let script = step.run.as_ref().expect("a step runs something");
        assert!(
            !script.contains("${{"),
            "`{}` puts an expression into a script",
            step.name
        );
        fs::write(self.file("output"), "").expect("a writable file");
        fs::write(self.file("script.sh"), script).expect("a writable file");
        let mut process = self.process(shell);
        process.envs(
            step.env
                .iter()
                .map(|(name, value)| (name, context.fill(value))),
        );
        let output = process.output().expect("bash runs");
        for text in [&output.stdout, &output.stderr] {
            log.push_str(&String::from_utf8_lossy(text));
        }
        if !self.token.is_empty() {
            assert!(
                !log.contains(&self.token),
                "the token is in the log:\n{log}"
            );
        }
        (
            Step::Ran(output.status.code().unwrap_or(-1)),
            outputs(&self.read("output")),
        )
    }

    fn process(&self, shell: &str) -> Process {
        // A container may have only `/bin/sh`.
        let mut process = Process::new(if shell == "sh" { "/bin/sh" } else { shell });
        // The options that a runner passes.
        let options: &[&str] = if shell == "bash" {
            &["--noprofile", "--norc", "-eo", "pipefail"]
        } else {
            &["-e"]
        };
        process.args(options).arg(self.file("script.sh"));
        process
            .current_dir(self.workspace.checkout())
            .stdin(Stdio::null())
            .env_clear();
        for name in ["PATH", "SystemRoot", "TMPDIR", "RUSTUP_HOME", "CARGO_HOME"] {
            process.envs(env::var_os(name).map(|value| (name, value)));
        }
        process
            .env("HOME", self.workspace.root())
            .env("GIT_CONFIG_NOSYSTEM", "1");
        process
            .env("GITHUB_ACTION_PATH", &self.folder)
            .env("GITHUB_WORKSPACE", self.workspace.checkout());
        for (variable, name) in [
            ("GITHUB_EVENT_PATH", "event.json"),
            ("GITHUB_OUTPUT", "output"),
            ("GITHUB_STEP_SUMMARY", "summary"),
            ("GITHUB_ENV", "env"),
            ("GITHUB_PATH", "path"),
            ("GITHUB_STATE", "state"),
        ] {
            process.env(variable, self.file(name));
        }
        process.envs(&self.environment);
        process
    }

    fn file(&self, name: &str) -> PathBuf {
        self.workspace.root().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).expect("a file in UTF-8")
    }
}

pub(super) fn system() -> &'static str {
    match env::consts::OS {
        "windows" => "Windows",
        "macos" => "macOS",
        _ => "Linux",
    }
}

/// Parses a step's outputs: `NAME=VALUE`, or `NAME<<END` followed by lines up to `END`.
pub(super) fn outputs(file: &str) -> Map<String, Value> {
    let mut found = Map::new();
    let mut lines = file.lines();
    while let Some(line) = lines.next() {
        let (name, value) = match (line.split_once("<<"), line.split_once('=')) {
            (Some((name, end)), _) if !name.contains('=') => {
                assert!(end.len() >= 32, "the end `{end}` can be guessed");
                let value: Vec<&str> = lines.by_ref().take_while(|line| *line != end).collect();
                (name, value.join("\n"))
            }
            (_, Some((name, value))) => (name, value.to_owned()),
            _ => panic!("no output: {line}"),
        };
        found.insert(name.to_owned(), value.into());
    }
    found
}

impl ActionReport {
    /// Whether all steps passed.
    pub fn passed(&self) -> bool {
        self.failed().is_none()
    }

    /// The failed step's name.
    pub fn failed(&self) -> Option<&str> {
        let failed = |(_, step): &&(String, Step)| matches!(step, Step::Ran(code) if *code != 0);
        self.steps
            .iter()
            .find(failed)
            .map(|(name, _)| name.as_str())
    }

    /// All annotations of this kind.
    pub fn annotations(&self, kind: &str) -> Vec<&str> {
        self.commands
            .iter()
            .filter(|command| command.name == kind)
            .map(|command| &*command.text)
            .collect()
    }

    /// An output of the action.
    pub fn output(&self, name: &str) -> &str {
        self.outputs
            .get(name)
            .unwrap_or_else(|| panic!("unknown output `{name}`"))
    }

    /// Reads the report that the action wrote.
    pub fn report(&self) -> String {
        fs::read_to_string(self.output("report")).expect("a report")
    }
}
