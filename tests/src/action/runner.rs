//! Runs a whole workflow as a runner does, on one machine: each job in a fresh checkout, with a token that has the
//! job's permissions.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{Command as Process, Stdio};

use serde_json::{Map, Value, json};

use super::cache;
use super::expression::Context;
use super::run::{ActionReport, ActionRun, outputs, system};
use super::workflow::{Job, Step, Workflow};
use super::workspace::{Workspace, git};

/// A runner, with the event that starts a workflow and everything that the workflow uses.
pub struct Runner<'w> {
    /// The repository; each job gets a fresh checkout.
    pub workspace: &'w Workspace,
    /// The event's name.
    pub event: &'w str,
    /// The event's payload.
    pub payload: Value,
    /// The commit to run on.
    pub commit: String,
    /// The branch, such as `refs/heads/main`.
    pub reference: &'w str,
    /// The API's URL.
    pub api: String,
    /// Creates a token with a job's permissions.
    pub token: &'w dyn Fn(&BTreeMap<String, String>) -> String,
    /// The app's token.
    pub app: String,
    /// A folder with programs, first on the `PATH`.
    pub programs: PathBuf,
}

/// The result of a job, or of one job in its matrix.
#[derive(Debug)]
pub struct JobResult {
    /// Its ID.
    pub job: String,
    /// Whether it ran.
    pub ran: bool,
    /// The failed step: its name, its action or its script.
    pub failed: Option<String>,
    /// The output of its steps.
    pub log: String,
    /// The results of this repository's actions in it.
    pub reports: Vec<ActionReport>,
}

/// A running job.
struct Running<'r> {
    runner: &'r Runner<'r>,
    context: Context,
    /// The number of jobs in its matrix.
    jobs: usize,
    token: String,
    /// The variables and paths that steps set for later ones.
    variables: BTreeMap<String, String>,
    path: String,
    done: JobResult,
}

impl Runner<'_> {
    /// Runs all jobs.
    pub fn run(&self, workflow: &Workflow) -> Vec<JobResult> {
        assert!(
            !workflow.name.is_empty() && workflow.on != Value::Null,
            "a workflow has a name and an event"
        );
        let mut all: Vec<JobResult> = Vec::new();
        let mut needs = json!({});
        for (id, job) in workflow.in_order() {
            let failed =
                |done: &JobResult| Some(&done.job) == job.needs.as_ref() && done.failed.is_some();
            if all.iter().any(failed) {
                continue;
            }
            let permissions = job.permissions.as_ref().unwrap_or(&workflow.permissions);
            let variants = job.variants();
            for matrix in &variants {
                let token = (self.token)(permissions);
                let (done, outputs) = self.job(id, job, (matrix, variants.len()), (token, &needs));
                needs[id] = json!({ "outputs": outputs });
                all.push(done);
            }
        }
        all
    }

    fn job(
        &self,
        id: &str,
        job: &Job,
        (matrix, jobs): (&Value, usize),
        (token, needs): (String, &Value),
    ) -> (JobResult, Value) {
        let done = JobResult {
            job: id.to_owned(),
            ran: true,
            failed: None,
            log: String::new(),
            reports: vec![],
        };
        let mut running = Running {
            runner: self,
            context: self.context(matrix, &token),
            jobs,
            token,
            variables: BTreeMap::new(),
            path: format!(
                "{}:{}",
                self.programs.display(),
                env::var("PATH").unwrap_or_default()
            ),
            done,
        };
        running.context.0["needs"] = needs.clone();
        fs::remove_dir_all(self.workspace.checkout()).expect("a removable folder");
        fs::create_dir(self.workspace.checkout()).expect("a writable folder");
        if job
            .condition
            .as_ref()
            .is_some_and(|condition| !running.context.holds(condition))
        {
            running.done.ran = false;
            return (running.done, json!({}));
        }
        for step in &job.steps {
            let holds = |condition: &String| running.context.holds(condition);
            let due = running.done.failed.is_none() && step.condition.as_ref().is_none_or(holds);
            let outputs = if due { running.step(step) } else { Map::new() };
            if let Some(id) = &step.id {
                running.context.0["steps"][id] = json!({ "outputs": outputs });
            }
        }
        let outputs: Map<String, Value> = job
            .outputs
            .iter()
            .map(|(name, value)| (name.clone(), running.context.fill(value).into()))
            .collect();
        (running.done, outputs.into())
    }

    fn context(&self, matrix: &Value, token: &str) -> Context {
        Context(json!({
            "github": {
                "event": self.payload, "token": token, "sha": self.commit, "ref": self.reference,
                "event_name": self.event, "repository": Workspace::REPOSITORY, "run_id": "7001",
                "base_ref": self.payload["pull_request"]["base"]["ref"],
                "workspace": self.workspace.checkout(),
            },
            "runner": { "os": system(), "temp": self.workspace.temporary() },
            "matrix": matrix,
            "inputs": self.payload["inputs"],
            "vars": { "PERF_APP_CLIENT_ID": "1" },
            "secrets": { "PERF_APP_KEY": "key" },
            "steps": {},
        }))
    }
}

impl Running<'_> {
    fn step(&mut self, step: &Step) -> Map<String, Value> {
        let called = step
            .name
            .as_ref()
            .or(step.uses.as_ref())
            .or(step.run.as_ref());
        let called = called.expect("a step does something").clone();
        let result = match (&step.uses, &step.run) {
            (Some(uses), None) => self.run_external_action(uses, step),
            (None, Some(script)) => self.script(script, step),
            _ => panic!("`{called}` runs a script or uses an action"),
        };
        result.unwrap_or_else(|| {
            self.done.failed = Some(called);
            Map::new()
        })
    }

    /// The outputs of an external action; `None` if it fails.
    fn run_external_action(&mut self, uses: &str, step: &Step) -> Option<Map<String, Value>> {
        let text = |value: &Value| match value {
            Value::String(text) => self.context.fill(text),
            other => other.to_string(),
        };
        let with: BTreeMap<String, String> = step
            .with
            .iter()
            .map(|(name, value)| (name.clone(), text(value)))
            .collect();
        let (name, _) = uses.split_once('@').expect("an action has a version");
        match name {
            "perf-gate/perf-gate" => self.action(&with),
            "perf-gate/perf-gate/setup" => self.setup(),
            "actions/checkout" => {
                self.check_out(&with);
                Some(Map::new())
            }
            "actions/upload-artifact" => self.upload(&with),
            "actions/download-artifact" => {
                self.download(&with);
                Some(Map::new())
            }
            "actions/cache/restore" | "actions/cache/save" => Some(cache::run_external_action(
                self.runner.workspace,
                uses,
                &with,
            )),
            "actions/create-github-app-token" => {
                assert!(!with["client-id"].is_empty() && !with["private-key"].is_empty());
                json!({ "token": self.runner.app }).as_object().cloned()
            }
            "actions/upload-pages-artifact" => PathBuf::from(&with["path"])
                .join("index.html")
                .is_file()
                .then(Map::new),
            "actions/deploy-pages" => Some(Map::new()),
            _ => panic!("the action `{uses}` is not known"),
        }
    }

    fn run(&self) -> ActionRun<'_> {
        let runner = self.runner;
        let run = ActionRun::new(runner.workspace, runner.event, runner.payload.clone());
        let run = run.api(&runner.api, &self.token).env("PATH", &self.path);
        let run = run
            .matrix(self.context.0["matrix"].clone(), self.jobs)
            .env("GITHUB_JOB", &self.done.job);
        run.env("GITHUB_SHA", &runner.commit)
            .env("GITHUB_REF", runner.reference)
    }

    fn action(&mut self, with: &BTreeMap<String, String>) -> Option<Map<String, Value>> {
        let mut run = self.run();
        if let Some(token) = with.get("token") {
            run = run.api(&self.runner.api, token);
        }
        for (name, value) in with.iter().filter(|(name, _)| *name != "token") {
            run = run.input(name, value);
        }
        let report = run.run();
        let passed = report.passed();
        self.done.log += &report.log;
        let said = report
            .outputs
            .iter()
            .map(|(name, value)| (name.clone(), value.clone().into()))
            .collect();
        self.done.reports.push(report);
        passed.then_some(said)
    }

    fn setup(&mut self) -> Option<Map<String, Value>> {
        let report = self.run().setup().run();
        self.done.log += &report.log;
        self.path = format!("{}:{}", report.path.trim(), self.path);
        report.passed().then(Map::new)
    }

    /// Checks out with the depth that the workflow sets.
    fn check_out(&self, with: &BTreeMap<String, String>) {
        let workspace = self.runner.workspace;
        let commit = with
            .get("ref")
            .filter(|text| !text.is_empty())
            .unwrap_or(&self.runner.commit);
        let url = format!("file://{}", workspace.server().to_string_lossy());
        workspace.check_out_shallow(commit);
        git(&workspace.checkout(), &["remote", "add", "origin", &url]);
        if with.get("fetch-depth").map(String::as_str) == Some("0") {
            git(
                &workspace.checkout(),
                &[
                    "fetch",
                    "--quiet",
                    "--unshallow",
                    "origin",
                    "+refs/heads/*:refs/remotes/origin/*",
                    commit,
                ],
            );
        }
    }

    fn artifacts(&self) -> PathBuf {
        self.runner.workspace.root().join("artifacts")
    }

    fn upload(&self, with: &BTreeMap<String, String>) -> Option<Map<String, Value>> {
        let folder = self.artifacts().join(&with["name"]);
        fs::create_dir_all(&folder).expect("a writable folder");
        for path in with["path"].lines() {
            let file = self.runner.workspace.checkout().join(path);
            fs::copy(&file, folder.join(file.file_name().expect("a file"))).ok()?;
        }
        Some(Map::new())
    }

    fn download(&self, with: &BTreeMap<String, String>) {
        let target = self.runner.workspace.checkout().join(&with["path"]);
        let beginning = with["pattern"]
            .strip_suffix('*')
            .expect("a pattern that begins with a name");
        for entry in fs::read_dir(self.artifacts())
            .into_iter()
            .flatten()
            .flatten()
        {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(beginning) {
                cache::copy(&entry.path(), &target.join(name));
            }
        }
    }

    /// Runs a script and returns its outputs; `None` if it fails.
    fn script(&mut self, script: &str, step: &Step) -> Option<Map<String, Value>> {
        let root = self.runner.workspace.root();
        for name in ["output", "env", "path", "summary"] {
            fs::write(root.join(name), "").expect("a writable file");
        }
        fs::write(root.join("event.json"), self.runner.payload.to_string())
            .expect("a writable file");
        fs::write(root.join("step.sh"), self.context.fill(script)).expect("a writable file");
        let mut process = Process::new("bash");
        // The options that a runner passes.
        match step.shell.as_deref() {
            None => process.arg("-e"),
            Some("bash") => process.args(["--noprofile", "--norc", "-eo", "pipefail"]),
            Some(other) => panic!("the shell `{other}` is not known"),
        };
        process
            .arg(root.join("step.sh"))
            .stdin(Stdio::null())
            .env_clear();
        let folder = step
            .working_directory
            .as_ref()
            .map(|folder| self.context.fill(folder));
        process.current_dir(
            self.runner
                .workspace
                .checkout()
                .join(folder.unwrap_or_default()),
        );
        process.envs(self.environment()).envs(&self.variables);
        process.envs(
            step.env
                .iter()
                .map(|(name, value)| (name, self.context.fill(value))),
        );
        let output = process.output().expect("bash runs");
        for text in [&output.stdout, &output.stderr] {
            self.done.log += &String::from_utf8_lossy(text);
        }
        let left = |name: &str| fs::read_to_string(root.join(name)).expect("a file in UTF-8");
        let variables = outputs(&left("env")).into_iter();
        self.variables.extend(
            variables.map(|(name, value)| (name, value.as_str().unwrap_or_default().to_owned())),
        );
        for folder in left("path").lines() {
            self.path = format!("{folder}:{}", self.path);
        }
        output.status.success().then(|| outputs(&left("output")))
    }

    fn environment(&self) -> Vec<(String, String)> {
        let runner = self.runner;
        let root = runner.workspace.root();
        let file = |name: &str| root.join(name).to_string_lossy().into_owned();
        [
            ("PATH", self.path.clone()),
            ("HOME", file("")),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("CI", "true".into()),
            ("GITHUB_ACTIONS", "true".into()),
            ("GITHUB_API_URL", runner.api.clone()),
            ("GITHUB_EVENT_NAME", runner.event.into()),
            ("GITHUB_EVENT_PATH", file("event.json")),
            ("GITHUB_REF", runner.reference.into()),
            ("GITHUB_REPOSITORY", Workspace::REPOSITORY.into()),
            ("GITHUB_RUN_ID", "7001".into()),
            ("GITHUB_SHA", runner.commit.clone()),
            ("GITHUB_WORKSPACE", file("work")),
            ("GITHUB_OUTPUT", file("output")),
            ("GITHUB_ENV", file("env")),
            ("GITHUB_PATH", file("path")),
            ("GITHUB_STEP_SUMMARY", file("summary")),
            (
                "RUNNER_TEMP",
                runner.workspace.temporary().to_string_lossy().into_owned(),
            ),
            ("RUNNER_OS", system().into()),
            ("STATE", file("")),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}
