//! Running an action: its inputs, the environment of a workflow, and what came of it.

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

/// An action that is about to be run.
pub struct ActionRun<'w> {
    workspace: &'w Workspace,
    folder: PathBuf,
    inputs: BTreeMap<String, String>,
    event: Value,
    token: String,
    environment: BTreeMap<String, String>,
    /// Whether it may put something on the `PATH` of later steps.
    adds_path: bool,
    /// The values of the job's matrix, and the number of its jobs.
    matrix: (Value, usize),
}

/// What came of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// It ran to its end with this exit code.
    Ran(i32),
    /// It was not its turn.
    Skipped,
    /// It is another action, which is not run here.
    Used(String),
}

/// What came of an action.
#[derive(Debug)]
pub struct ActionReport {
    /// Steps by name, in their order.
    pub steps: Vec<(String, Step)>,
    /// What all of them printed, standard error included.
    pub log: String,
    /// The commands in the log that a runner obeys.
    pub commands: Vec<Command>,
    /// The action's outputs.
    pub outputs: BTreeMap<String, String>,
    /// The job summary.
    pub summary: String,
    /// What is on the `PATH` of later steps.
    pub path: String,
}

impl<'w> ActionRun<'w> {
    /// The action of this repository in a checkout; `event` is what started the workflow, with its payload.
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
        let programs = binaries::path(binaries::OF_ACTION)
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
        // A job need not check anything out.
        let has_checkout = workspace.checkout().join(".git").exists();
        if has_checkout {
            run.env("GITHUB_SHA", &workspace.tip())
        } else {
            run
        }
    }

    /// With this said in `with:`.
    #[must_use]
    pub fn input(mut self, name: &str, value: &str) -> Self {
        self.inputs.insert(name.into(), value.into());
        self
    }

    /// With a variable in the environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.insert(name.into(), value.into());
        self
    }

    /// As a job with these values, one of so many.
    #[must_use]
    pub fn matrix(mut self, values: Value, jobs: usize) -> Self {
        self.matrix = (values, jobs);
        self
    }

    /// With the API of this server, and this token.
    #[must_use]
    pub fn api(mut self, url: &str, token: &str) -> Self {
        self.token = token.into();
        self.env("GITHUB_API_URL", url)
    }

    /// The action `setup` of this repository instead.
    #[must_use]
    pub fn setup(mut self) -> Self {
        self.inputs.retain(|name, _| name == "binaries");
        self.adds_path = true;
        self.folder.push("setup");
        self
    }

    /// From this copy of the action.
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
        context.0["inputs"] = self.said(&definition, &context);
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

    /// The inputs with their defaults.
    fn said(&self, definition: &Definition, context: &Context) -> Value {
        for name in self.inputs.keys() {
            assert!(
                definition.inputs.contains_key(name),
                "there is no input `{name}`"
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
                cache::used(self.workspace, uses, &with),
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
        // A container may have nothing but this one.
        let mut process = Process::new(if shell == "sh" { "/bin/sh" } else { shell });
        // As a runner calls them.
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

/// The outputs of a step: `NAME=VALUE`, or `NAME<<END` with lines up to `END`.
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

    /// The name of the step that failed.
    pub fn failed(&self) -> Option<&str> {
        let failed = |(_, step): &&(String, Step)| matches!(step, Step::Ran(code) if *code != 0);
        self.steps
            .iter()
            .find(failed)
            .map(|(name, _)| name.as_str())
    }

    /// The texts of all annotations of this kind.
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
            .unwrap_or_else(|| panic!("there is no output `{name}`"))
    }

    /// The report as the action leaves it.
    pub fn report(&self) -> String {
        fs::read_to_string(self.output("report")).expect("a report")
    }
}
