//! Measures both sides in turn: the base in a worktree, and the checkout.
//!
//! The command runs what a stranger wrote. So this step gets no token, and the command learns nothing of where a step can
//! say something to the workflow. What goes wrong is left for the report.

use std::path::Path;

use perf_cli::{Exit, Failure, file, term};

use super::base::{Base, MEASURED};
use super::inputs::{Inputs, variable};
use super::log;
use super::options::{given, given_path};
use super::place::path;
use super::plan::{Plan, Trouble};
use super::tool::Tool;

/// Where the result is in the folder of the run.
const FILE: &str = "measured.json";

/// The step.
pub(super) fn run() -> anyhow::Result<Exit> {
    if variable("GITHUB_TOKEN").or(variable("GH_TOKEN")).is_some() {
        return Err(Failure::new("`perf-gate action measure` must not get a token").into());
    }
    let plan = Plan::enter()?;
    let result = plan.base.clone().and_then(|base| measure(&plan, &base).map_err(Trouble::from));
    file::write_if_changed(&plan.folder.join(FILE), serde_json::to_string(&result)?.as_bytes())?;
    Ok(Exit::Ok)
}

/// What came of it, for the step that compares: why the base was not measured, if it was not.
pub(super) fn result(folder: &Path) -> Result<Option<String>, Trouble> {
    let read = || -> anyhow::Result<_> { Ok(serde_json::from_str(&file::read_text(&folder.join(FILE))?)?) };
    read().map_err(Trouble::from).and_then(|result| result)
}

/// What the tool says of a base without the benchmark.
const LACKING: &str = "warning: the base was not measured: ";

fn measure(plan: &Plan, base: &Base) -> anyhow::Result<Option<String>> {
    let arguments = arguments(plan, base)?;
    let tool = Tool::new("measure")?.args(arguments).with_objects(base).without_workflow();
    let (succeeded, said) = log::guarding(|| tool.followed())?;
    if succeeded {
        let lacking = said.lines().find_map(|line| line.strip_prefix(LACKING));
        return Ok(lacking.map(term::printable));
    }
    let message = said.lines().find_map(|line| line.strip_prefix("error: ")).unwrap_or("it was ended");
    let failure = Failure::new(format!("cannot measure: {}", term::printable(message)));
    let hints = said.lines().skip_while(|line| !line.starts_with("hint: "));
    let hints: Vec<&str> = hints.map(|line| line.strip_prefix("hint: ").unwrap_or(line)).collect();
    Err(if hints.is_empty() { failure } else { failure.hint(hints.join("\n")) }.into())
}

fn arguments(plan: &Plan, base: &Base) -> anyhow::Result<Vec<String>> {
    let inputs = &plan.inputs;
    let commit = base.commit.as_ref().ok_or_else(|| Failure::new("there is no base commit to measure"))?;
    let mut arguments = vec![
        "pairs".to_owned(),
        // A pull request may add the benchmark.
        "--base-may-lack".to_owned(),
        format!("--base-ref={commit}"),
        format!("--output-base={}", base.file.display()),
        format!("--output-current={}", plan.folder.join(MEASURED).display()),
    ];
    arguments.extend(base.config.iter().cloned());
    arguments.extend(given("--build", &inputs.build));
    arguments.extend(given("--time-limit", &inputs.time_limit));
    arguments.extend(given("--format", &inputs.format));
    arguments.extend(given_path("--output-of", left_behind(inputs)?));
    arguments.push("--".to_owned());
    // A program, not an option, even if it looks like one.
    arguments.extend(inputs.measure.iter().take(1).map(|program| path(program)));
    arguments.extend(inputs.measure.iter().skip(1).cloned());
    Ok(arguments)
}

/// What the command leaves behind, in each of the sides.
fn left_behind(inputs: &Inputs) -> Result<&str, Failure> {
    let mut lines = inputs.input.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines.next().unwrap_or_default();
    if lines.next().is_some() || line.contains(['*', '?', '[']) {
        return Err(Failure::new(
            "with `measure`, `input` is one file or folder that the command leaves behind",
        )
        .hint("left out, what the command prints is read"));
    }
    Ok(line)
}
