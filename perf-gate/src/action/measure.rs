//! Measures and compares: the base (in a worktree) and the head alternately, or the checkout alone against a stored
//! baseline.
//!
//! The command runs untrusted code. So this step gets no token, restarts itself without the files through which a step
//! passes values to the workflow, and ends the command's leftover processes. Measurement errors don't fail this step;
//! they are shown in the report.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use measure::pairs::{PairsRequest, Session, Tree};
use perf_cli::actions::Level;
use perf_cli::{Exit, Failure, ResultExt, failure, term};
use perf_config::Config;
use perf_readers::ParseReport;
use render_perf_deltas::{CompareRequest, ProfiledBenchmark};

use super::base::{Base, MEASURED};
use super::environment::{self, required};
use super::git::set_git_environment;
use super::outcome::Measured;
use super::place::path;
use super::plan::ActionPlan;
use super::request::build_request;
use super::{compare, log};
use crate::run::{Benchmark, format_in, rerun_unsettled, words_of, write_rows};
use crate::why::{WhyAnswer, WhyRequest, causes};

/// Runs the step. `isolated` contains the plan's folder and hash, and the file for outputs.
pub fn run(isolated: Option<&[String]>) -> anyhow::Result<Exit> {
    environment::refuse_token("measure")?;
    let Some([folder, hash, outputs]) = isolated else {
        return restart();
    };
    let plan = ActionPlan::enter(folder, hash)?;
    #[cfg(target_os = "linux")]
    super::descendants::adopt()?;
    let measured = match &plan.base {
        Ok(base) => log::without_commands(|| measure(&plan, base))
            .map_err(|error| log::show_error(Level::Error, &error)),
        Err(error) => Err(error.clone()),
    };
    #[cfg(target_os = "linux")]
    super::descendants::end()?;
    // Discard outputs that the benchmark may have written.
    fs::write(outputs, "")?;
    plan.sealed.check()?;
    compare::report(&plan, &measured, Path::new(outputs))
}

/// Restarts this program without the variables that the benchmark must not see.
fn restart() -> anyhow::Result<Exit> {
    let (folder, hash) = (required("PERF_FOLDER")?, required("PERF_PLAN")?);
    let outputs = required("GITHUB_OUTPUT")?;
    let program = env::current_exe().context("cannot find this program")?;
    let mut command = Command::new(program);
    command
        .args(["ci", "step", "measure", "--isolated"])
        .args([&folder, &hash, &outputs]);
    for name in environment::workflow_variables() {
        command.env_remove(name);
    }
    let status = command.status().context("cannot restart `perf-gate`")?;
    Ok(if status.success() {
        Exit::Ok
    } else {
        Exit::Error
    })
}

/// Runs the benchmark, unless the workflow did, and prepares the comparison.
fn measure(plan: &ActionPlan, base: &Base) -> anyhow::Result<Measured> {
    let config = &plan.config()?;
    let (settings, part) = (&plan.settings, &plan.inputs.part);
    if settings.run.is_empty() || settings.is_paired() {
        set_git_environment(base.store.as_deref(), &plan.folder);
    }
    let mut measured = Measured {
        request: build_request(plan, base, config)?,
        ..Measured::default()
    };
    if settings.run.is_empty() {
        return Ok(measured);
    }
    let mut benchmark = Benchmark {
        words: settings.run.iter().map(OsString::from).collect(),
        output: results_path(plan, config)?,
        format: format_in(None, config)?,
        is_as_is: config.run().as_is,
        baseline: base.baseline.clone(),
        platform: plan.inputs.platform.clone(),
        is_in_log: true,
        ..Benchmark::default()
    };
    if settings.is_paired() {
        measure_pairs(plan, base, &benchmark, config, &mut measured)?;
        return Ok(measured);
    }
    if let Some(build) = build_words(plan)? {
        benchmark.launch(&build, &plan.folder.join("build.log"))?;
    }
    if !part.is_whole() {
        let (share, selected) = part.select(&benchmark, &plan.folder, config)?;
        measured.set_share(part, share);
        benchmark = selected;
    }
    measure_alone(plan, base, &benchmark, config, &mut measured)?;
    Ok(measured)
}

/// Runs the benchmark in the checkout, then the confirmation runs for suspected regressions.
fn measure_alone(
    plan: &ActionPlan,
    base: &Base,
    benchmark: &Benchmark,
    config: &Config,
    measured: &mut Measured,
) -> anyhow::Result<()> {
    let request = &mut measured.request;
    let specs = request.machine_specs.clone();
    if let Some(note) = benchmark.note(config) {
        term::note(&note);
    }
    let run =
        |narrowed: &Benchmark, number| narrowed.run(&plan.folder, number, specs.as_deref(), config);
    request.source.rows = Some(run(benchmark, 0)?);
    set_git_environment(base.store.as_deref(), &plan.folder);
    // If the comparison fails, `compare::report` will report the error.
    if let Ok(report) = render_perf_deltas::compare(request, &mut Vec::new())
        && let Some(why) = rerun_unsettled(request, &report, benchmark, config, run)?
    {
        let note = format!("Unconfirmed: {why}. Re-run the job when the runner is quiet.");
        measured.notes.push(note);
    }
    // For a refresh and the page.
    if let Some(rows) = &measured.request.source.rows {
        write_rows(&plan.folder.join(MEASURED), rows, config)?;
    }
    Ok(())
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
        .ok_or_else(|| Failure::new("no base commit to measure"))
        .hint("set the input `pull-request`, or a stored `baseline`")?;
    let request = PairsRequest {
        // The benchmark may be new in this pull request.
        is_base_optional: true,
        build: build_words(plan)?,
        config: plan.config_file.clone(),
        // For a refresh and the page.
        current_rows: Some(plan.folder.join(MEASURED)),
        ..benchmark.pairs(Tree::Commit(commit.to_string()), config)
    };
    let session = Session::start()?;
    let part = &plan.inputs.part;
    let measurement = part.measure(&request, benchmark, &session, config);
    let (report, share) = measurement.context("cannot measure")?;
    if let Some(share) = share {
        measured.set_share(part, share);
    }
    if let Some(shortage) = report.shortage() {
        measured.notes.push(format!(
            "Undecided: {shortage}. Raise `run.time-limit` in the config."
        ));
    }
    let rows = |rows| ParseReport {
        rows,
        ..ParseReport::default()
    };
    measured.request.findings = report.findings;
    measured.request.baseline_rows = Some(rows(report.base));
    measured.request.source.rows = Some(rows(report.current));
    if let Some(why) = &report.missing_base {
        let why = term::printable(why).replace('`', "'");
        measured.notes.push(format!(
            "**The base commit `{}` was not measured, so all benchmarks are new:** `{why}`",
            commit.short()
        ));
        return Ok(());
    }
    match profile(plan, &measured.request, &request, config, &session) {
        Ok(profiled) => measured.profiled = profiled,
        Err(error) => term::note(&format!(
            "cannot profile the regressions: {}",
            failure::message(&error)
        )),
    }
    Ok(())
}

/// The build command's words. They come from the base's settings, because the head's config could set another command.
fn build_words(plan: &ActionPlan) -> anyhow::Result<Option<Vec<OsString>>> {
    let build = plan.settings.build.as_deref();
    build.map(|build| words_of("build", build)).transpose()
}

/// The file or folder with the command's results, if it does not print them.
fn results_path(plan: &ActionPlan, config: &Config) -> Result<Option<PathBuf>, Failure> {
    match &plan.inputs.results[..] {
        [] => Ok(config.run().results.clone()),
        [one] if !one.contains(['*', '?', '[']) => Ok(Some(Path::new(&path(one)).to_owned())),
        _ => Err(Failure::new(
            "with `run`, `results` is one file or folder that the command writes",
        )
        .hint("without `results`, the command's output is read")),
    }
}

/// The maximum number of profiled benchmarks.
const WORST: usize = 3;

/// Profiles the worst regressions.
fn profile(
    plan: &ActionPlan,
    compared: &CompareRequest,
    pairs: &PairsRequest,
    config: &Config,
    session: &Session,
) -> anyhow::Result<Vec<ProfiledBenchmark>> {
    let (Some(limit), Tree::Commit(commit)) = (config.why().limit(), &pairs.base.tree) else {
        return Ok(Vec::new());
    };
    let compared = render_perf_deltas::compare(compared, &mut Vec::new())?;
    let worst = compared.worst();
    if worst.is_empty() {
        return Ok(Vec::new());
    }
    term::note(&format!(
        "profiling the worst regressions for at most {} s",
        limit.as_secs_f64()
    ));
    let request = WhyRequest {
        benchmarks: worst.iter().take(WORST).cloned().collect(),
        command: pairs.current.command.clone(),
        base_ref: Some(commit.clone()),
        build: plan.settings.build.clone(),
        time_limit: limit,
        is_whole_limit: true,
        timeout: limit,
        config: plan.config_file.clone(),
        ..WhyRequest::default()
    };
    let answers = causes(&request, session)?;
    let mut profiled: Vec<ProfiledBenchmark> = answers.into_iter().map(plain).collect();
    for benchmark in worst {
        if profiled.iter().all(|known| known.benchmark != benchmark) {
            profiled.push(ProfiledBenchmark {
                benchmark,
                functions: Vec::new(),
            });
        }
    }
    Ok(profiled)
}

/// Converts an answer to plain text, one line per function.
fn plain(answer: WhyAnswer) -> ProfiledBenchmark {
    let functions = answer
        .causes
        .iter()
        .map(|cause| term::printable(&cause.replace('`', "")));
    ProfiledBenchmark {
        benchmark: answer.benchmark,
        functions: functions.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_is_one_line_of_plain_text() {
        let answer = WhyAnswer {
            benchmark: "a".to_owned(),
            causes: vec!["`f` +1 ns\n@b".to_owned()],
        };
        let functions = plain(answer).functions;
        assert!(
            functions
                .iter()
                .all(|line| line.lines().count() == 1 && !line.contains('`')),
            "{functions:?}"
        );
    }
}
