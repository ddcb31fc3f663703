//! Measures and compares: both sides in turn, the base in a worktree; or the checkout alone, if there is a stored baseline.
//!
//! The command runs a stranger's code. So this step gets no token, the command learns nothing of the files by which a step
//! talks to the workflow, and every process that it left behind is ended before the step ends. Errors are left for the
//! report.

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
    place::path,
};
use super::reporting::outcome::Measured;
use super::reporting::{report, request, why};
use super::subcommand::Subcommand;
use super::{descendants, environment, files, log};
use crate::run::{Benchmark, Surroundings, format_in, rerun_unsettled};

/// The step.
pub(super) fn run() -> anyhow::Result<Exit> {
    environment::refuse_token("measure")?;
    let plan = ActionPlan::enter()?;
    descendants::adopt()?;
    let mut measured = Ok(Measured::default());
    if !plan.settings.run.is_empty() {
        measured = plan
            .base
            .clone()
            .and_then(|base| measure(&plan, &base).map_err(StepFailure::from));
    }
    descendants::end()?;
    plan.sealed.check()?;
    super::compare::report(&plan, measured)
}

fn measure(plan: &ActionPlan, base: &Base) -> anyhow::Result<Measured> {
    let config = plan.config()?;
    let mut benchmark = benchmark(plan, config)?;
    let mut measured = Measured::default();
    if !plan.inputs.part.is_whole() || !plan.settings.is_paired() {
        log::guarding(|| build(plan, &benchmark))?;
    }
    if !plan.inputs.part.is_whole() {
        let (part, recorded) = (
            &plan.inputs.part,
            base.recorded.as_deref().unwrap_or(base.baseline.file()),
        );
        let taken = log::guarding(|| part.take(&benchmark, recorded, None, &plan.folder, config));
        match taken {
            Ok((share, own)) => {
                measured.share = Some(share);
                benchmark = own;
            }
            // Nobody asked for a part: a further attempt that cannot select one measures all.
            Err(_) if part.is_asked_whole() => {}
            Err(error) => return Err(error),
        }
    }
    if plan.settings.is_paired() {
        measure_pairs(plan, base, &benchmark, config, &mut measured)?;
    } else {
        log::guarding(|| measure_alone(plan, base, &benchmark, config, &mut measured))?;
    }
    Ok(measured)
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
    measured: &mut Measured,
) -> anyhow::Result<()> {
    let specs = files::machine(plan, config)?;
    benchmark
        .note(config)
        .iter()
        .for_each(|note| term::note(note));
    let run =
        |narrowed: &Benchmark, number| narrowed.run(&plan.folder, number, specs.as_deref(), config);
    let rows = run(benchmark, 0)?;
    write_rows(plan, MEASURED, &rows, config)?;
    measured.findings = [Vec::new(), rows.findings.clone()];
    let mut request = request::of(plan, base, config, measured)?;
    // The comparison that follows reports its error.
    let Ok(report) = compare(&request, &mut Vec::new()) else {
        return Ok(());
    };
    request.source.rows = Some(rows);
    let reruns = rerun_unsettled(&mut request, &report, benchmark, config, run)?;
    if let Some(rows) = &request.source.rows {
        write_rows(plan, MEASURED, rows, config)?;
        measured.findings = [Vec::new(), rows.findings.clone()];
    }
    for (number, run) in (1..).zip(&request.confirmation_runs) {
        write_rows(plan, &files::confirmation(number), run, config)?;
    }
    if let Some(why) = reruns.open {
        measured.note = Some(format!(
            "Unconfirmed: {why}. Run the job again when the runner is quiet."
        ));
    }
    Ok(())
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
    measured: &mut Measured,
) -> anyhow::Result<()> {
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
    let report = answer.map_err(|PairsFailure { message, hints }| {
        let failure = Failure::new(format!("cannot measure: {}", term::printable(&message)));
        hints.into_iter().fold(failure, Failure::hint)
    })?;
    measured.shortage = report.shortage();
    measured.findings = report.findings;
    if let Some(shortage) = &measured.shortage {
        measured.note = Some(format!(
            "Undecided: {shortage}. Raise `run.time-limit` in the config."
        ));
    }
    if let Some(why) = &report.missing_base {
        measured.note = Some(report::lacking(base.commit.as_ref(), &term::printable(why)));
        return Ok(());
    }
    match why::profile(plan, base, &request.current.command, config, measured) {
        Ok(profiled) => measured.profiled = profiled,
        Err(error) => term::note(&format!(
            "nothing is profiled: {}",
            perf_cli::failure::message(&error)
        )),
    }
    Ok(())
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
