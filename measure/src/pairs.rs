//! Launches in turn until every gated metric is concluded.
//!
//! The rows decide when to stop, by the rules that judge them later: a comparison of the written rows reaches the verdict on
//! which the measurement stopped. Looks are taken at fixed numbers of pairs only, as each further look is another chance
//! of a false alarm.

mod args;
mod display;
mod focus;
mod launches;
mod long;
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
use self::long::LongBenchmarks;
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

/// The limit of a launch, unless the request has one, and of a measurement that takes longer than its budget.
const LIMIT: Duration = Duration::from_mins(10);
/// The time for a measurement, unless the request has one.
const BUDGET: Duration = Duration::from_mins(2);
/// The time beyond it for benchmarks that look slower, which would be left open.
const EXTENSION: Duration = Duration::from_mins(1);
/// Pairs that are measured although the budget does not hold them: with fewer nothing can be concluded.
const FEWEST: usize = DECISIVE;
/// The exit code after Ctrl-C, as shells have it.
const INTERRUPTED: i32 = 130;
/// Launches of a current side without a base.
const ALONE: usize = 5;

/// The guardian, which Ctrl-C and signals tell to end what runs; all measurements of one process share.
#[derive(Debug)]
pub struct Session {
    guardian: Arc<Guardian>,
}

impl Session {
    /// Starts the guardian, and listens for Ctrl-C.
    ///
    /// # Errors
    /// No guardian process, or a handler of Ctrl-C that was there before.
    pub fn start() -> anyhow::Result<Self> {
        let guardian = Arc::new(Guardian::start()?);
        // Weak, as the handler is never dropped, and the guardian process ends with its last owner.
        let heard = Arc::downgrade(&guardian);
        let listener = move || match heard.upgrade() {
            Some(guardian) => guardian.interrupt(),
            None => process::exit(INTERRUPTED),
        };
        ctrlc::set_handler(listener).context("cannot listen for Ctrl-C")?;
        Ok(Self { guardian })
    }

    /// True after Ctrl-C or SIGTERM: nothing is launched any more.
    pub fn is_interrupted(&self) -> bool {
        self.guardian.is_interrupted()
    }

    /// Starts commands of a request, without a deadline yet.
    fn launcher(&self, request: &PairsRequest) -> Launcher<'_> {
        let limit = request.launch_limit.unwrap_or(LIMIT);
        Launcher {
            guardian: &self.guardian,
            limit,
            deadline: None,
        }
    }
}

/// Measures as the command line says, and prints the result lines.
///
/// # Errors
/// Those of [`measure`].
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

/// Measures, and writes the rows of both sides where the request names files, also those before an error. Progress,
/// warnings and the verdict on each metric go to standard error.
///
/// # Errors
/// A side that cannot be prepared or launched, nothing that could be compared, or rows that cannot be written.
pub fn measure(request: &PairsRequest, session: &Session) -> anyhow::Result<PairsReport> {
    let config = perf_cli::load::config(request.config.as_deref())?;
    let mut sides = Sides::of(request, &config, &session.guardian, None)?;
    let finished = take(request, &config, session, &mut sides)?;
    sides.close()?;
    Ok(finished)
}

/// As [`measure`], for a series of requests with one base, which is unpacked and built once.
///
/// # Errors
/// As there.
pub fn measure_beside(
    kept: &mut KeptBase,
    request: &PairsRequest,
    session: &Session,
) -> anyhow::Result<PairsReport> {
    let config = perf_cli::load::config(request.config.as_deref())?;
    let mut sides = Sides::of(request, &config, &session.guardian, Some(kept))?;
    let finished = take(request, &config, session, &mut sides);
    kept.keep(&mut sides, request);
    sides.close()?;
    finished
}

fn take(
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
    sides.take_fingerprints(config)?;
    let mut missing_base = if request.is_base_optional {
        sides.lacking(request, config)?
    } else {
        None
    };
    if let Some(command) = &request.build {
        sides.build(command, missing_base.is_none(), &launcher)?;
        sides.tell_of_same_program()?;
    }
    if let (Some(checkout), line) = (&sides.checkout, &sides.current.command) {
        let words = request.build.iter().flatten().chain(&line.words);
        prepare::outputs::no_foreign_sources(checkout, &line.folder, words)?;
    }
    if request.is_single {
        missing_base = Some("one launch of the current side is wanted".to_owned());
    }
    let conditions = (!request.is_silent).then(Conditions::at_start);
    let raise = || priority::raise(|| session.guardian.restore_session());
    let priority = (!request.has_normal_priority).then(raise);
    if let Some(Err(why @ NotRaised::Chosen(_))) = priority {
        term::note(&format!("the priority of launches is {why}"));
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

/// A measurement under way.
struct Measurement<'m> {
    request: &'m PairsRequest,
    launches: Launches<'m>,
    /// The processors of a pair whose sides run at the same time.
    processors: Option<[usize; 2]>,
    sampling: Sampling<'m>,
    source: Source,
    /// The format of the output, where it has rows.
    format: Option<&'static str>,
    /// The reason why the output of the last side has no rows.
    unread: Option<String>,
    start: Instant,
    /// The only launch of the current side, until its rows are read.
    single: Option<Launch>,
    /// The time of the longest launch that warmed up.
    launch_cost: Duration,
    /// The seconds of an operation of each benchmark of both sides, where all have such a time.
    operations: [Vec<(Name, f64)>; 2],
    /// True for the parts of each side that gave rows.
    shown: [Vec<bool>; 2],
    rows: [Vec<Row>; 2],
    pairs: usize,
    /// The failed process runs of each side, the base first.
    failed_runs: [usize; 2],
    /// The options of the benchmark tool, where it is known.
    tool: Option<ToolOptions>,
    /// Benchmarks whose operations are launched alone.
    long: LongBenchmarks,
    /// The reason the base is not measured.
    missing_base: Option<String>,
    /// A file with the current side's code that the base ran.
    shared_output: Option<String>,
    /// The benchmark in focus, as rows name it.
    focused: Option<Name>,
}

impl<'m> Measurement<'m> {
    /// Launches each side once to warm up, and finds what the rows are and how often a short command is repeated.
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
        term::note(&format!("the seed of the order is {seed}"));
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
            long: LongBenchmarks::default(),
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
        // Without a build command, a script in an interpreted language starts no program that was built.
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

    /// Pairs until all is concluded, the time is up, or somebody interrupts.
    fn measure(&mut self) -> anyhow::Result<()> {
        let most = match (&self.missing_base, &self.shared_output) {
            (Some(_), _) if self.request.is_single => 1,
            (Some(_), _) => ALONE,
            // Rows for the report, which more of would not change.
            (None, Some(_)) => 1,
            (None, None) => most_pairs(),
        };
        let mut progress = Progress::new();
        let budget = self.budget();
        let mut limit = budget;
        let (start, is_soft) = (self.start, self.request.time_limit.is_none());
        let is_extensible = is_soft && self.missing_base.is_none();
        // The time after which no further look is awaited beside a slowdown, as no other verdict makes the whole green.
        let (mut is_extended, mut enough) = (false, None);
        while self.pairs < most {
            let elapsed = start.elapsed();
            let has_time = elapsed < limit
                || is_soft && self.pairs < self.fewest() && elapsed < LIMIT && !self.is_red();
            if !has_time {
                if is_extended || enough.is_some() || !is_extensible || !self.narrow_to_suspects() {
                    break;
                }
                term::note("the time is up, and what looks slower gets up to a minute more");
                (is_extended, limit) =
                    (true, elapsed + self.request.extension.unwrap_or(EXTENSION));
            }
            match self.pair().map_err(anyhow::Error::downcast::<Stopped>) {
                Ok(()) => {}
                Err(Ok(Stopped::Deadline)) => break,
                Err(Ok(Stopped::Interrupted)) => {
                    term::warn(&format!("interrupted after {} pairs", self.pairs));
                    break;
                }
                Err(Err(error)) => return Err(error),
            }
            let left = limit.saturating_sub(self.start.elapsed());
            progress.show(self.pairs, left, || self.compared(worst));
            if self.pairs == FEWEST {
                self.tell_detectable();
            }
            if is_look(self.pairs) || self.long.is_look(self.pairs) {
                if self.is_concluded() || is_extended && !self.narrow_to_suspects() {
                    break;
                }
                if !is_extended {
                    self.narrow();
                }
                if enough.is_none() && self.is_red() {
                    enough = Some((start.elapsed() + budget / 4).max(budget / 2));
                }
                // Between looks, pairs would be lost.
                if enough.is_some_and(|enough| start.elapsed() >= enough) {
                    break;
                }
                Progress::note(|| self.compared(|comparison| status(comparison, self.pairs)));
            }
        }
        term::end_line();
        Ok(())
    }

    /// True if a benchmark fails the gate whatever the rest is. A metric in focus has its own end.
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

    /// The time for all pairs. Without a limit of the request, it holds the fewest that say something.
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
                "{FEWEST} pairs take about {seconds} s, more than the time limit leaves"
            ));
            return budget;
        }
        term::note(&format!(
            "measuring {FEWEST} pairs takes up to {seconds} s; it ends after ten minutes at most"
        ));
        needed.min(LIMIT)
    }

    /// The time of the fewest pairs that say something.
    fn time_of_pairs(&self) -> Duration {
        self.launch_cost * 2 * u32::try_from(FEWEST).unwrap_or(u32::MAX)
    }

    /// Pairs that are measured although the time is up.
    fn fewest(&self) -> usize {
        FEWEST + self.long.since().unwrap_or_default()
    }

    fn is_concluded(&self) -> bool {
        // Beside a slowdown, nobody waits for what may only be an improvement.
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

/// Pairs at the last look.
const fn most_pairs() -> usize {
    LOOKS[LOOKS.len() - 1].pairs
}

/// True if the rules look after this many pairs.
fn is_look(pairs: usize) -> bool {
    LOOKS.iter().any(|look| look.pairs == pairs)
}
