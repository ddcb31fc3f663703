//! Measures: both sides in turn, the base in a worktree; or the checkout alone, where there is a stored baseline.
//!
//! The command runs what a stranger wrote. So this step gets no token, and the command learns nothing of where a step can
//! say something to the workflow. What goes wrong is left for the report.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use perf_cli::{Exit, Failure, file, term};
use perf_config::Config;
use perf_readers::{ParseReport, baseline};

use super::baseline::{Base, MEASURED};
use super::environment::variable;
use super::place::path;
use super::plan::{Plan, Trouble};
use super::tool::Tool;
use super::{environment, files, log, request};
use crate::run::{Benchmark, Surroundings, written_format};

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

/// What came of it, for the step that compares: why the base was not measured, if it was to be and was not.
pub(super) fn result(plan: &Plan) -> Result<Option<String>, Trouble> {
    if plan.settings.run.is_empty() {
        return Ok(None);
    }
    let read =
        || -> anyhow::Result<_> { Ok(serde_json::from_str(&file::read_text(&plan.folder.join(FILE))?)?) };
    read().map_err(Trouble::from).and_then(|result| result)
}

fn measure(plan: &Plan, base: &Base) -> anyhow::Result<Option<String>> {
    let config = plan.config()?;
    if plan.settings.is_paired() {
        return measure_pairs(plan, base, &config);
    }
    log::guarding(|| measure_alone(plan, base, &config)).map(|()| None)
}

/// Runs the benchmark of the checkout, and again where a slow run is unconfirmed.
fn measure_alone(plan: &Plan, base: &Base, config: &Config) -> anyhow::Result<()> {
    let words = |words: &[String]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let benchmark = Benchmark {
        words: words(&plan.settings.run),
        output: left_behind(plan, config)?,
        format: written_format(config)?,
        baseline: PathBuf::new(),
        platform: plan.inputs.platform.clone(),
        commit: None,
        place: Surroundings { hidden: environment::workflow_variables(), is_in_log: true },
    };
    if let Some(build) = &plan.settings.build {
        let build = super::inputs::words("build", build)?;
        benchmark.launch(&words(&build), &plan.folder.join("build.log"))?;
    }
    let specs = files::machine(plan, config)?;
    let run = |number| benchmark.run(&plan.folder, number, specs.as_deref(), config);
    let write = |name: &str, rows: ParseReport| -> anyhow::Result<()> {
        let named: Vec<_> = rows.columns.into_iter().collect();
        let text = baseline::write(&rows.rows, &named, config)?;
        file::write_if_changed(&plan.folder.join(name), text.as_bytes()).map(drop)
    };
    write(MEASURED, run(0)?)?;
    let request = request::of(plan, base, config)?;
    let compared = render_perf_deltas::compare(&request, &mut Vec::new());
    // What keeps it from being compared is reported by the step that compares.
    for number in 1..=compared.map_or(0, |report| report.counts().confirmations) {
        term::note(&format!("unconfirmed: running the benchmark again, {number}"));
        write(&files::confirmation(number), run(number)?)?;
    }
    Ok(())
}

/// What the tool says of a base without the benchmark.
const LACKING: &str = "warning: the base was not measured: ";

fn measure_pairs(plan: &Plan, base: &Base, config: &Config) -> anyhow::Result<Option<String>> {
    let arguments = arguments(plan, base, config)?;
    let tool = Tool::new("measure")?.args(arguments).with_objects(base.objects.as_deref()).without_workflow();
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

fn arguments(plan: &Plan, base: &Base, config: &Config) -> anyhow::Result<Vec<OsString>> {
    let commit = base.commit.as_ref().ok_or_else(|| Failure::new("there is no base commit to measure"))?;
    let option = |name: &str, value: &dyn AsRef<std::ffi::OsStr>| {
        let mut option = OsString::from(name);
        option.push("=");
        option.push(value);
        option
    };
    let mut arguments = vec![
        "pairs".into(),
        // A pull request may add the benchmark.
        "--base-may-lack".into(),
        option("--base-ref", &commit.to_string()),
        option("--output-base", &base.baseline.file()),
        option("--output-current", &plan.folder.join(MEASURED)),
    ];
    arguments.extend(base.config.iter().map(|path| option("--config", path)));
    arguments.extend(plan.settings.build.iter().map(|build| option("--build", build)));
    let limit = config.run().time_limit();
    arguments.extend(limit.map(|limit| option("--time-limit", &limit.as_secs_f64().to_string())));
    arguments.extend(written_format(config)?.map(|format| option("--format", &format.name)));
    arguments.extend(left_behind(plan, config)?.map(|path| option("--output-of", &path)));
    arguments.push("--".into());
    // A program, not an option, even if it looks like one.
    let (program, rest) = plan.settings.run.split_first().ok_or_else(|| Failure::new("no command to run"))?;
    arguments.push(path(program).into());
    arguments.extend(rest.iter().map(OsString::from));
    Ok(arguments)
}

/// The file or folder that the command leaves behind, in each of the sides.
fn left_behind(plan: &Plan, config: &Config) -> Result<Option<PathBuf>, Failure> {
    match &plan.inputs.results[..] {
        [] => Ok(config.run().results.clone()),
        [one] if !one.contains(['*', '?', '[']) => Ok(Some(Path::new(&path(one)).to_owned())),
        _ => Err(Failure::new("with `run`, `results` is one file or folder that the command leaves behind")
            .hint("left out, what the command prints is read")),
    }
}
