//! Pairs: base and head run in turn until every gated metric has a verdict.
//!
//! The rules that judge the rows also decide when to stop, so a comparison of the written rows reaches the same verdict.
//! Interim analyses take place only after fixed numbers of pairs, because each one is another chance of a false alarm.

mod args;
mod display;
mod focus;
mod launches;
mod outcome;
mod parts;
mod pin;
pub(crate) mod prepare;
mod profiled;
mod request;
mod summary;
mod tool;
mod turns;

use std::process;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::bench_tools::{Language, is_interpreted};
use anyhow::Context;
use perf_cli::load::known_format;
use perf_cli::{Exit, term};
use perf_config::Config;
use perf_model::methodology::{HARNESS_OF_CURRENT, ONE_BUILD, RANDOM_ORDER};
use perf_model::row::{Name, Row};
use perf_verdict::rules::pairs::{DECISIVE, LOOKS};
use perf_verdict::{Comparison, Verdict};

pub use self::args::Args;
use self::display::{Progress, is_open, may_be_slower, status, worst};
pub use self::focus::{Focus, KnownChange, comparison, differences, margin, outcome};
use self::launches::{Launches, Noops};
pub use self::outcome::NoPair;
use self::parts::Part;
pub use self::prepare::sides::KeptBase;
use self::prepare::sides::Sides;
pub use self::profiled::ProfiledSides;
pub use self::request::{
    PairsFailure, PairsReport, PairsRequest, Paths, Processors, SideRequest, Tree, serve,
};
pub use self::summary::Summary;
use self::tool::ToolOptions;
use crate::conditions::Conditions;
use crate::guardian::{Guardian, Stopped};
use crate::priority::{self, NotRaised};
use crate::process::{Launch, Launcher};
use crate::rows;
use crate::sampling::{Sampling, Source};
use crate::schedule::{Schedule, Side};

/// Default time limit for a process run, and for a measurement that exceeds its budget.
const LIMIT: Duration = Duration::from_mins(10);
/// Default time for all pairs.
const BUDGET: Duration = Duration::from_mins(2);
/// The number of pairs to measure even beyond the budget: fewer cannot give a verdict.
const FEWEST: usize = DECISIVE;
/// The exit code after Ctrl-C, as in shells.
const INTERRUPTED: i32 = 130;
/// The number of process runs for a head without a base.
const ALONE: usize = 5;

/// A guardian that ends the processes after Ctrl-C or a signal. All measurements of one process share it.
#[derive(Debug)]
pub struct Session {
    guardian: Arc<Guardian>,
}

impl Session {
    /// Starts the guardian and handles Ctrl-C.
    ///
    /// # Errors
    /// The guardian cannot be started, or another handler of Ctrl-C exists.
    pub fn start() -> anyhow::Result<Self> {
        let guardian = Arc::new(Guardian::start()?);
        // A weak reference, because the handler is never dropped, but the guardian process must end with its last owner.
        let heard = Arc::downgrade(&guardian);
        let listener = move || match heard.upgrade() {
            Some(guardian) => guardian.interrupt(),
            None => process::exit(INTERRUPTED),
        };
        ctrlc::set_handler(listener).context("cannot listen for Ctrl-C")?;
        Ok(Self { guardian })
    }

    /// Whether Ctrl-C or SIGTERM arrived. Nothing is started any more.
    pub fn is_interrupted(&self) -> bool {
        self.guardian.is_interrupted()
    }

    /// Creates the request's launcher, still without a deadline.
    fn launcher(&self, request: &PairsRequest) -> Launcher<'_> {
        let limit = request.launch_limit.unwrap_or(LIMIT);
        Launcher {
            guardian: &self.guardian,
            limit,
            deadline: None,
        }
    }
}

/// Runs the command line and prints the result lines.
///
/// # Errors
/// As for [`measure`].
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let report = measure(&args.request()?, &Session::start()?)?;
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

/// Measures pairs, and writes the rows to the files in the request, even after an error. Prints progress, warnings and each
/// metric's verdict to standard error.
///
/// # Errors
/// A side cannot be prepared or started, nothing was compared, or the rows cannot be written.
pub fn measure(request: &PairsRequest, session: &Session) -> anyhow::Result<PairsReport> {
    let config = perf_cli::load::config(request.config.as_deref())?;
    let mut sides = Sides::of(request, &config, &session.guardian, None)?;
    let finished = measure_sides(request, &config, session, &mut sides)?;
    sides.close()?;
    Ok(finished)
}

/// Does the same as [`measure`], for a series of requests with the same base, which is unpacked and built only once.
///
/// # Errors
/// As for [`measure`].
pub fn measure_beside(
    kept: &mut KeptBase,
    request: &PairsRequest,
    session: &Session,
) -> anyhow::Result<PairsReport> {
    let config = perf_cli::load::config(request.config.as_deref())?;
    let mut sides = Sides::of(request, &config, &session.guardian, Some(kept))?;
    let finished = measure_sides(request, &config, session, &mut sides);
    kept.keep(&mut sides, request);
    sides.close()?;
    finished
}

fn measure_sides(
    request: &PairsRequest,
    config: &Config,
    session: &Session,
    sides: &mut Sides,
) -> anyhow::Result<PairsReport> {
    let processors = match request.processors {
        Processors::Two => Some(pin::two()?),
        Processors::One(cpu) => pin::pin(Some(cpu)).map(|()| None)?,
        Processors::Any => None,
    };
    let mut launcher = session.launcher(request);
    sides.compute_fingerprints(config)?;
    let mut missing_base = if request.is_base_optional {
        sides.missing_benchmark(request, config)?
    } else {
        None
    };
    if let Some(command) = &request.build {
        sides.build(command, missing_base.is_none(), &launcher)?;
        sides.note_same_program()?;
    }
    if let (Some(checkout), line) = (&sides.checkout, &sides.current.command) {
        let words = request.build.iter().flatten().chain(&line.words);
        prepare::outputs::reject_foreign_sources(checkout, &line.folder, words)?;
    }
    if request.is_single {
        missing_base = Some("only a single run was requested".to_owned());
    }
    let conditions = (!request.is_silent).then(Conditions::at_start);
    let raise = || priority::raise(|| session.guardian.restore_session());
    let priority = (!request.has_normal_priority).then(raise);
    if let Some(Err(why @ NotRaised::Chosen(_))) = priority {
        term::note(&format!("the process priority is {why}"));
    }
    launcher.deadline = Some(Instant::now() + request.time_limit.unwrap_or(LIMIT));
    let mut measurement =
        Measurement::prepare(request, config, sides, launcher, processors, missing_base)?;
    let measured = measurement.measure();
    conditions.iter().for_each(Conditions::at_end);
    let Measurement { sampling, rows, .. } = &mut measurement;
    sampling.settle_process_runs(rows);
    measurement.write()?;
    measured.and_then(|()| measurement.report())
}

/// A running measurement.
struct Measurement<'m> {
    request: &'m PairsRequest,
    launches: Launches<'m>,
    /// The two processors of a parallel measurement.
    processors: Option<[usize; 2]>,
    sampling: Sampling<'m>,
    source: Source,
    /// The format of the output, if it contains results.
    format: Option<&'static str>,
    /// The reason why the output contains no results, from the last side that ran.
    unread: Option<String>,
    start: Instant,
    /// A single-run request's process run, until its rows are read.
    single: Option<Launch>,
    /// The duration of the longest warm-up run.
    launch_cost: Duration,
    /// Seconds per operation of each benchmark, of base and head; empty if some benchmark has no such time.
    operations: [Vec<(Name, f64)>; 2],
    /// For base and head: whether each part produced rows.
    shown: [Vec<bool>; 2],
    rows: [Vec<Row>; 2],
    pairs: usize,
    /// The number of failed process runs of base and head.
    failed_runs: [usize; 2],
    /// The benchmark tool's options, if the tool is known.
    tool: Option<ToolOptions>,
    /// The reason why the base is not measured.
    missing_base: Option<String>,
    /// A file with the head's code that the base executed.
    shared_output: Option<String>,
    /// The benchmark in focus, with its row name.
    focused: Option<Name>,
}

impl<'m> Measurement<'m> {
    /// Runs each side once to warm up. Determines the source of the rows and how often a short command is repeated.
    fn prepare(
        request: &'m PairsRequest,
        config: &'m Config,
        sides: &'m Sides,
        launcher: Launcher<'m>,
        processors: Option<[usize; 2]>,
        missing_base: Option<String>,
    ) -> anyhow::Result<Self> {
        let format = request
            .format
            .as_deref()
            .map(|name| known_format("--format", name, config))
            .transpose()?;
        let seed = match request.seed {
            Some(seed) => seed,
            None => getrandom::u64().context("cannot draw a seed")?,
        };
        term::note(&format!("order seed {seed}"));
        let name = request
            .name
            .clone()
            .unwrap_or_else(|| sides.current.command.shown());
        let lines = [Side::Base, Side::Current].map(|side| sides.side(side).command.clone());
        let mut measurement = Self {
            request,
            tool: ToolOptions::of(request, launcher.guardian, lines.each_ref(), None)?,
            launches: Launches {
                sides,
                parts: vec![Part::whole(lines)],
                launcher,
                prepare: request.prepare.as_deref(),
                cleanup: request.cleanup.as_deref(),
                schedule: Schedule::new(seed),
                repeats: 1,
                has_threads: false,
                noops: Noops::default(),
            },
            processors,
            sampling: Sampling {
                config,
                format,
                output_of: request.output_of.clone(),
                name: rows::shortened(&name),
                methodology: "".into(),
                findings: Default::default(),
                process_runs: Default::default(),
            },
            failed_runs: [0, 0],
            source: Source::Process,
            format: None,
            unread: None,
            start: Instant::now(),
            single: None,
            launch_cost: Duration::ZERO,
            operations: Default::default(),
            shown: Default::default(),
            rows: [Vec::new(), Vec::new()],
            pairs: 0,
            missing_base,
            shared_output: None,
            focused: None,
        };
        measurement.warm_up()?;
        measurement.sampling.methodology = measurement.methodology();
        Ok(measurement)
    }

    fn methodology(&self) -> Name {
        let mut words = vec![RANDOM_ORDER.to_owned()];
        let line = &self.launches.sides.current.command;
        let tool = self
            .tool
            .as_ref()
            .and_then(|options| Language::of_tool(options.tool()));
        let language = tool.unwrap_or_else(|| Language::of_command(&line.words, &line.folder));
        // Without a build command, an interpreted script starts no compiled program.
        let is_built = self.request.build.is_some()
            || tool.is_some()
            || !is_interpreted(&line.words, &line.folder);
        if language.is_laid_out_by_builds() && is_built {
            words.push(ONE_BUILD.to_owned());
        }
        if self.source == Source::Process {
            words.push("net of a no-op".to_owned());
        }
        if self.launches.repeats > 1 {
            words.push(format!("{} runs a launch", self.launches.repeats));
        }
        if self.launches.sides.harness.is_some() {
            words.push(HARNESS_OF_CURRENT.to_owned());
        }
        if self.launches.sides.paths == Paths::Two {
            words.push("at two paths".to_owned());
        }
        if self.processors.is_some() {
            words.push("both sides at once".to_owned());
        }
        if let Processors::One(cpu) = self.request.processors {
            words.push(format!("pinned to CPU {cpu}"));
        }
        words.join(", ").into()
    }

    /// Measures pairs until every metric has a verdict, the time is up, or an interruption.
    fn measure(&mut self) -> anyhow::Result<()> {
        let most = match (&self.missing_base, &self.shared_output) {
            (Some(_), _) if self.request.is_single => 1,
            (Some(_), _) => ALONE,
            // One pair is enough for the report, and more would not change the verdict.
            (None, Some(_)) => 1,
            (None, None) => most_pairs(),
        };
        let mut progress = Progress::new();
        let budget = self.budget();
        let is_soft = self.request.time_limit.is_none();
        // Once a benchmark regressed, the time at which to stop: no other verdict can make the gate pass.
        let mut enough = None;
        while self.pairs < most {
            let elapsed = self.start.elapsed();
            let is_beyond = is_soft && self.pairs < FEWEST && elapsed < LIMIT;
            if elapsed >= budget && (!is_beyond || self.is_red()) {
                break;
            }
            match self
                .measure_pair()
                .map_err(anyhow::Error::downcast::<Stopped>)
            {
                Ok(()) => {}
                Err(Ok(Stopped::Deadline)) => break,
                Err(Ok(Stopped::Interrupted)) => {
                    term::warn(&format!("interrupted after {} pairs", self.pairs));
                    break;
                }
                Err(Err(error)) => return Err(error),
            }
            let left = budget.saturating_sub(self.start.elapsed());
            progress.show(self.pairs, left, || self.compared(worst));
            if self.pairs == FEWEST {
                self.note_detectable();
            }
            if is_look(self.pairs) {
                if self.is_concluded() {
                    break;
                }
                self.narrow();
                let elapsed = self.start.elapsed();
                if enough.is_none() && self.is_red() {
                    enough = Some((elapsed + budget / 4).max(budget / 2));
                }
                // Stop only at an analysis. Otherwise the pairs since the last one would be wasted.
                if enough.is_some_and(|enough| elapsed >= enough) {
                    break;
                }
                Progress::note(|| self.compared(|comparison| status(comparison, self.pairs)));
            }
        }
        term::end_line();
        Ok(())
    }

    /// Whether a benchmark already fails the gate. Not used if the focus is on one metric.
    fn is_red(&self) -> bool {
        let is_of_gates = self
            .request
            .focus
            .as_ref()
            .is_none_or(|focus| focus.metric.is_none() && !focus.is_sensitive);
        let is_failing = |comparison: &Comparison| {
            comparison.thresholds.fails.regressed
                && comparison.metrics().any(|metric| {
                    let judgement = &metric.judgement;
                    judgement.verdict == Verdict::Regressed
                        && judgement.waived.is_none()
                        && !is_open(metric)
                })
        };
        is_of_gates && self.compared(is_failing)
    }

    /// The time for all pairs. Without a time limit, it is extended to [`FEWEST`] pairs.
    fn budget(&self) -> Duration {
        let pairs = self.time_of_pairs();
        let needed = self.start.elapsed() + pairs;
        let budget = self.request.budget();
        if needed <= budget || self.missing_base.is_some() || self.request.budget.is_some() {
            return budget;
        }
        let seconds = pairs.as_secs().max(1);
        if self.request.time_limit.is_some() {
            term::warn(&format!(
                "{FEWEST} pairs take about {seconds} s, more than the time limit allows"
            ));
            return budget;
        }
        term::note(&format!(
            "{FEWEST} pairs take up to {seconds} s; the measurement ends after ten minutes at most"
        ));
        needed.min(LIMIT)
    }

    /// The time of [`FEWEST`] pairs.
    fn time_of_pairs(&self) -> Duration {
        self.launch_cost * 2 * u32::try_from(FEWEST).unwrap_or(u32::MAX)
    }

    fn is_concluded(&self) -> bool {
        // If the gate fails anyway, do not wait for possible improvements.
        let is_open = if self.is_red() {
            may_be_slower
        } else {
            is_open
        };
        self.is_decided()
            .unwrap_or_else(|| !self.compared(|comparison| comparison.metrics().any(is_open)))
    }

    fn is_sensitive(&self) -> bool {
        let focus = self.request.focus.as_ref();
        focus.is_some_and(|focus| focus.is_sensitive)
    }

    fn compared<T>(&self, look: impl FnOnce(&Comparison) -> T) -> T {
        look(&comparison(
            &self.rows[0],
            &self.rows[1],
            self.sampling.config,
            self.is_sensitive(),
        ))
    }
}

/// The number of pairs at the final analysis.
const fn most_pairs() -> usize {
    LOOKS[LOOKS.len() - 1].pairs
}

/// Whether there is an analysis after this many pairs.
fn is_look(pairs: usize) -> bool {
    LOOKS.iter().any(|look| look.pairs == pairs)
}
