//! Measures: both sides in turn, the base in a worktree; or the checkout alone, where there is a stored baseline.
//!
//! The command runs what a stranger wrote. So this step gets no token, and the command learns nothing of where a step can
//! say something to the workflow. What goes wrong is left for the report.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use measure::pairs::{PairsFailure, PairsReport, PairsRequest, Tree};
use perf_cli::{Exit, Failure, file, term};
use perf_config::Config;
use perf_readers::{ParseReport, baseline};
use render_perf_deltas::compare;

use super::plan::{ActionPlan, StepFailure};
use super::planning::{
    baseline::{Base, MEASURED},
    place::{self, path},
};
use super::reporting::{report, request, why};
use super::subcommand::Subcommand;
use super::{environment, files, log};
use crate::run::{Benchmark, Surroundings, format_in, rerun_unsettled};

/// The file with the result, in the folder of the run.
const FILE: &str = "measured.json";

/// The step.
pub(super) fn run() -> anyhow::Result<Exit> {
    environment::refuse_token("measure")?;
    let plan = ActionPlan::enter()?;
    let result = plan
        .base
        .clone()
        .and_then(|base| measure(&plan, &base).map_err(StepFailure::from));
    place::leave(&plan.folder.join(FILE), &result)?;
    Ok(Exit::Ok)
}

/// The outcome for the step that compares: a note for the report, if the base was to be measured and was not, or a busy
/// machine left a slowdown unconfirmed.
pub(super) fn result(plan: &ActionPlan) -> Result<Option<String>, StepFailure> {
    if plan.settings.run.is_empty() {
        return Ok(None);
    }
    place::left(&plan.folder.join(FILE))
        .map_err(StepFailure::from)
        .and_then(|result| result)
}

fn measure(plan: &ActionPlan, base: &Base) -> anyhow::Result<Option<String>> {
    let config = plan.config()?;
    let mut benchmark = benchmark(plan, &config)?;
    if !plan.inputs.part.is_whole() || !plan.settings.is_paired() {
        log::guarding(|| build(plan, &benchmark))?;
    }
    if !plan.inputs.part.is_whole() {
        let (part, recorded) = (
            &plan.inputs.part,
            base.recorded.as_deref().unwrap_or(base.baseline.file()),
        );
        let taken = log::guarding(|| part.take(&benchmark, recorded, None, &plan.folder, &config));
        match taken {
            Ok((share, own)) => {
                place::leave(&plan.folder.join(files::SHARE), &share)?;
                benchmark = own;
            }
            // Nobody asked for a part: a further attempt that cannot select one measures all.
            Err(_) if part.is_asked_whole() => {}
            Err(error) => return Err(error),
        }
    }
    if plan.settings.is_paired() {
        return measure_pairs(plan, base, &benchmark, &config);
    }
    log::guarding(|| measure_alone(plan, base, &benchmark, &config))
}

/// Builds the checkout.
fn build(plan: &ActionPlan, benchmark: &Benchmark) -> anyhow::Result<()> {
    match plan.settings.build_words()? {
        Some(build) => benchmark.launch(&build, &plan.folder.join("build.log")),
        None => Ok(()),
    }
}

fn benchmark(plan: &ActionPlan, config: &Config) -> anyhow::Result<Benchmark> {
    let mut words: Vec<OsString> = plan.settings.run.iter().map(OsString::from).collect();
    if let (Some(program), Some(first)) = (words.first_mut(), plan.settings.run.first()) {
        // A program, not an option, even if it looks like one.
        *program = path(first).into();
    }
    Ok(Benchmark {
        words,
        output: left_behind(plan, config)?,
        format: format_in(None, config)?,
        is_as_is: config.run().as_is,
        platform: plan.inputs.platform.clone(),
        place: Surroundings {
            hidden: environment::workflow_variables(),
            is_in_log: true,
            ..Surroundings::default()
        },
        ..Benchmark::default()
    })
}

/// Runs the benchmark of the checkout, and again where a slow run is unconfirmed.
fn measure_alone(
    plan: &ActionPlan,
    base: &Base,
    benchmark: &Benchmark,
    config: &Config,
) -> anyhow::Result<Option<String>> {
    let specs = files::machine(plan, config)?;
    benchmark
        .note(config)
        .iter()
        .for_each(|note| term::note(note));
    let run =
        |narrowed: &Benchmark, number| narrowed.run(&plan.folder, number, specs.as_deref(), config);
    let measured = run(benchmark, 0)?;
    keep_measured(plan, &measured, config)?;
    let mut request = request::of(plan, base, config)?;
    // What keeps it from being compared is reported by the step that compares.
    let Ok(report) = compare(&request, &mut Vec::new()) else {
        return Ok(None);
    };
    request.source.rows = Some(measured);
    let reruns = rerun_unsettled(&mut request, &report, benchmark, config, run)?;
    if let Some(rows) = &request.source.rows {
        keep_measured(plan, rows, config)?;
    }
    for (number, run) in (1..).zip(&request.confirmation_runs) {
        write_rows(plan, &files::confirmation(number), run, config)?;
    }
    let why = reruns.open;
    Ok(why.map(|why| format!("Unconfirmed: {why}. Run the job again when the runner is quiet.")))
}

/// Keeps the rows of the checkout and the findings about them for the step that compares.
fn keep_measured(plan: &ActionPlan, measured: &ParseReport, config: &Config) -> anyhow::Result<()> {
    write_rows(plan, MEASURED, measured, config)?;
    files::keep_findings(&plan.folder, &[Vec::new(), measured.findings.clone()])
}

/// Writes rows to this file in the folder of the run.
fn write_rows(
    plan: &ActionPlan,
    name: &str,
    report: &ParseReport,
    config: &Config,
) -> anyhow::Result<()> {
    let named: Vec<_> = report.columns.iter().cloned().collect();
    let text = baseline::write(&report.rows, &named, config)?;
    file::write_if_changed(&plan.folder.join(name), text.as_bytes()).map(drop)
}

fn measure_pairs(
    plan: &ActionPlan,
    base: &Base,
    benchmark: &Benchmark,
    config: &Config,
) -> anyhow::Result<Option<String>> {
    let commit = base
        .commit
        .as_ref()
        .ok_or_else(|| Failure::new("there is no base commit to measure"))?;
    let request = PairsRequest {
        // A pull request may add the benchmark.
        is_base_optional: true,
        build: plan.settings.build_words()?,
        config: base.config.clone(),
        base_rows: Some(base.baseline.file().to_owned()),
        current_rows: Some(plan.folder.join(MEASURED)),
        ..benchmark.pairs(Tree::Commit(commit.to_string()), config)
    };
    let subcommand = Subcommand::new("measure")?
        .args(["request"])
        .with_objects(base.objects.as_deref())
        .without_workflow();
    let answer: Result<PairsReport, PairsFailure> = log::guarding(|| subcommand.ask(&request))?;
    match answer {
        Ok(report) => {
            files::keep_findings(&plan.folder, &report.findings)?;
            let missing = report.missing_base.map(|why| term::printable(&why));
            if missing.is_none()
                && let Err(error) = why::profile(plan, base, &request.current.command, config)
            {
                term::note(&format!(
                    "nothing is profiled: {}",
                    perf_cli::failure::message(&error)
                ));
            }
            Ok(missing.map(|why| report::lacking(base.commit.as_ref(), &why)))
        }
        Err(PairsFailure { message, hints }) => {
            let failure = Failure::new(format!("cannot measure: {}", term::printable(&message)));
            Err(hints.into_iter().fold(failure, Failure::hint).into())
        }
    }
}

/// The file or folder that the command leaves behind, in each of the sides.
fn left_behind(plan: &ActionPlan, config: &Config) -> Result<Option<PathBuf>, Failure> {
    match &plan.inputs.results[..] {
        [] => Ok(config.run().results.clone()),
        [one] if !one.contains(['*', '?', '[']) => Ok(Some(Path::new(&path(one)).to_owned())),
        _ => Err(Failure::new(
            "with `run`, `results` is one file or folder that the command leaves behind",
        )
        .hint("left out, what the command prints is read")),
    }
}
