//! Measures pairs: base and head run alternately until every gated metric has a verdict.
//!
//! The same rules judge the rows and decide when to stop, so a later comparison of the written rows reaches the same
//! verdict. Interim analyses take place only after fixed numbers of pairs, because each analysis is another chance of a
//! false alarm.

mod args;
mod budget;
mod focus;
mod launches;
mod layout;
mod measurement;
mod outcome;
pub(crate) mod prepare;
mod profiled;
pub(crate) mod request;
mod summary;
mod tool;
mod warm_up;

use std::process;
use std::sync::{Arc, Once};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;
use perf_cli::{Exit, term};
use perf_config::Config;

pub use self::args::Args;
pub use self::focus::{
    Focus, KnownChange, comparison, differences, find_benchmark, margin, outcome,
};
use self::launches::Launches;
pub use self::layout::cargo_runner;
use self::measurement::{Measurement, methodology};
pub use self::outcome::NoPair;
pub use self::prepare::sides::KeptBase;
use self::prepare::sides::Sides;
pub use self::profiled::ProfiledSides;
pub use self::request::{Choose, PairsReport, PairsRequest, SideRequest, Tree};
pub use self::summary::{describe_machine, describe_pairs};
pub use self::tool::cannot_select;
use crate::conditions::Conditions;
use crate::guardian::{Guardian, Stopped};
use crate::priority;
use crate::process::Launcher;
use crate::sampling::Sampling;
use crate::schedule::{Schedule, Side};

/// The default time limit for one process run, and for a measurement that exceeds its budget.
const LIMIT: Duration = Duration::from_mins(10);
/// The time limit for the process run that finds all benchmarks, if the suite is measured in parts.
const LISTING: Duration = Duration::from_hours(1);
/// The default time for all pairs.
const BUDGET: Duration = Duration::from_mins(2);
/// The exit code after Ctrl-C, as in shells.
const INTERRUPTED: i32 = 130;

/// Ends all started processes after Ctrl-C or a signal. A program has one session, which all its measurements share.
pub struct Session {
    guardian: Arc<Guardian>,
}

impl Session {
    /// Starts the guardian and handles Ctrl-C.
    ///
    /// # Errors Fails if the guardian cannot be started, or if another Ctrl-C handler exists.
    pub fn start() -> anyhow::Result<Self> {
        let guardian = Arc::new(Guardian::start()?);
        // The handler is never dropped, but the guardian process must end with its last owner. So the handler holds a
        // weak reference.
        let heard = Arc::downgrade(&guardian);
        let listener = move || match heard.upgrade() {
            Some(guardian) => guardian.interrupt(),
            None => process::exit(INTERRUPTED),
        };
        ctrlc::set_handler(listener).context("cannot listen for Ctrl-C")?;
        Ok(Self { guardian })
    }

    /// Whether Ctrl-C or SIGTERM arrived. If so, no more processes are started.
    pub fn is_interrupted(&self) -> bool {
        self.guardian.is_interrupted()
    }

    /// Creates the launcher for a request. Its deadline is not set yet.
    fn launcher(&self, request: &PairsRequest) -> Launcher<'_> {
        Launcher {
            guardian: &self.guardian,
            limit: request.launch_limit.unwrap_or(LIMIT),
            deadline: None,
        }
    }
}

/// Measures the pairs that the command line requests, and prints the result lines.
///
/// # Errors
/// Fails if [`measure`] fails.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let report = measure(&args.request()?, &Session::start()?, None, None)?;
    for (side, findings) in ["base", "head"].into_iter().zip(&report.findings) {
        for finding in findings {
            let benchmark = finding.benchmark.as_deref().unwrap_or("its results");
            let text = term::printable(&format!("{benchmark}: {}", finding.text));
            term::warn(&format!("{side}: {text}"));
        }
    }
    term::stdout(&format!(
        "pairs={}\nseconds={:.1}\nconcluded={}\nregressed={}\n",
        report.pairs, report.seconds, report.is_concluded, report.is_regressed
    ))?;
    Ok(if report.is_regressed && args.exit_code {
        Exit::Regressed
    } else {
        Exit::Ok
    })
}

/// Measures pairs. Writes the rows to the files in the request, even after an error. Prints progress, warnings and each
/// metric's verdict to standard error.
///
/// In a series of requests with the same base, the base is unpacked and built only once and `kept`. If there is a `choose`,
/// only the benchmarks that it returns are measured. To find all benchmarks, base and head then run once; this does not use
/// up the time limit.
///
/// # Errors
/// Fails if a side cannot be prepared or started, if `choose` fails, if nothing was compared, or if the rows cannot be
/// written.
pub fn measure(
    request: &PairsRequest,
    session: &Session,
    mut kept: Option<&mut KeptBase>,
    choose: Option<&mut Choose<'_>>,
) -> anyhow::Result<PairsReport> {
    let config = perf_cli::load::config(request.config.as_deref())?;
    let guardian = &session.guardian;
    let mut sides = Sides::of(request, &config, guardian, kept.as_deref_mut())?;
    let finished = measure_sides(request, &config, session, &mut sides, choose);
    if let Some(kept) = kept {
        kept.keep(&mut sides, request);
    }
    match finished {
        Err(error) if matches!(error.downcast_ref(), Some(Stopped::Deadline)) => outcome::no_pair(),
        finished => finished,
    }
}

fn measure_sides(
    request: &PairsRequest,
    config: &Config,
    session: &Session,
    sides: &mut Sides,
    choose: Option<&mut Choose<'_>>,
) -> anyhow::Result<PairsReport> {
    let start = SystemTime::now();
    let mut launcher = session.launcher(request);
    sides.compute_fingerprints(config)?;
    let missing_base = if request.is_base_optional {
        sides.missing_benchmark(request, config)?
    } else {
        None
    };
    if let Some(command) = &request.build {
        sides.build(command, missing_base.is_none(), &launcher)?;
    }
    if missing_base.is_none() && !request.is_single {
        sides.reject_shared_code(request.build.as_deref().unwrap_or_default(), start)?;
    }
    let conditions = (!request.is_silent).then(Conditions::at_start);
    let raise = || priority::raise(|| session.guardian.restore_session());
    let priority = (!request.is_single).then(raise);
    if let Some(Err(why)) = &priority {
        static NOTED: Once = Once::new();
        NOTED.call_once(|| term::warn(&format!("the process priority is {why}")));
    }
    if choose.is_none() {
        launcher.deadline = Some(Instant::now() + request.time_limit.unwrap_or(LIMIT));
    } else {
        launcher.limit = LISTING;
    }
    let seed = match request.seed {
        Some(seed) => seed,
        None => getrandom::u64().context("cannot draw a seed")?,
    };
    term::note(&format!("order seed {seed}"));
    let sampling = Sampling::new(request, config, sides)?;
    let runs = Launches {
        launcher,
        schedule: Schedule::new(seed),
        repeats: 1,
        noop: None,
        noop_seconds: Vec::new(),
        hash_seed: 0,
    };
    if request.is_single {
        return run_head_once(runs, sampling);
    }
    let mut measurement = Measurement::prepare(request, runs, sampling, missing_base, choose)?;
    let mut measured = measurement.measure();
    // A regressed benchmark ends the measurement early. If only its code moved, the others still need a verdict.
    while measured.is_ok() && measurement.find_layout_changes() {
        measured = measurement.measure();
    }
    conditions.iter().for_each(Conditions::at_end);
    measurement.sampling.settle_process_runs();
    outcome::write(&measurement)?;
    measured?;
    outcome::report(measurement)
}

/// Runs the head once with its original command.
fn run_head_once(
    mut launches: Launches<'_>,
    mut sampling: Sampling<'_>,
) -> anyhow::Result<PairsReport> {
    let (start, side) = (Instant::now(), Side::Current);
    let line = &sampling.sides.side(side).command;
    let launch = warm_up::launch_watched(&mut launches, &mut sampling, side, line)?;
    let output = sampling
        .origin(&launch, line, false)
        .with_context(|| sampling.sides.described(side))?;
    // If the command prints no results, its process run is the result.
    sampling.is_process = output.rows.is_empty();
    sampling.methodology = methodology(&sampling, None, 1);
    let overhead = launches.overhead()?;
    let rows = sampling.read(side, (&launch, line), overhead, 0)?;
    sampling.add_rows(side, rows);
    sampling.settle_process_runs();
    let [base, current] = sampling.rows;
    Ok(PairsReport {
        base,
        current,
        seconds: start.elapsed().as_secs_f64(),
        shared_output: sampling.shared_output,
        findings: sampling.findings,
        ..PairsReport::default()
    })
}
