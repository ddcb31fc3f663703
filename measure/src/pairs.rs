//! Launches in turn until every gated metric is concluded.
//!
//! The rows decide when to stop, by the rules that judge them later: a comparison of the written rows reaches the verdict on
//! which the measurement stopped. Looks are taken at fixed numbers of pairs only, as each further look is another chance
//! of a false alarm.

mod args;
mod display;
mod pin;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Instant;

use anyhow::Context;
use perf_cli::{Exit, Failure, failure, file, term};
use perf_config::Config;
use perf_model::methodology::{ONE_BUILD, RANDOM_ORDER};
use perf_model::row::{Name, Row};
use perf_model::suite::{Filter, Suite};
use perf_readers::baseline;
use perf_verdict::rules::pairs::{LOOKS, Outcome};
use perf_verdict::{Comparison, Policy, Reason, Rule, Sides as Compared, Verdict, compare};

pub use self::args::Args;
use self::display::{Progress, status, summary, worst};
use crate::conditions::Conditions;
use crate::guardian::Guardian;
use crate::process::{Launch, Launcher, Line};
use crate::rows;
use crate::sampling::{Overhead, Sampling, Source};
use crate::schedule::{Schedule, Side};
use crate::sides::Sides;

/// A launch whose own time is shorter than this repeats its command: below, the clock and the start are most of it.
const SHORTEST: f64 = 0.001;
/// How many times a command is repeated in one launch at most.
const MOST_REPEATS: u32 = 1 << 12;
/// How often a current side is launched that has nothing to be compared with.
const ALONE: usize = 5;
/// Launches a side that make one pair, which the noise decides: looks come at multiples of these.
const LAUNCHES: [usize; 3] = [1, 3, 5];

/// Measures, and writes the rows of both sides.
///
/// # Errors
/// A side that cannot be prepared or launched, or rows that cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let config = perf_cli::load::config(args.config.as_deref())?;
    let processors = if args.parallel { Some(pin::two()?) } else { None };
    pin::pin(args.cpu)?;
    let guardian = Guardian::start().context("cannot start the guardian process")?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&interrupted);
    ctrlc::set_handler(move || heard.store(true, Ordering::SeqCst)).context("cannot listen for Ctrl-C")?;
    let launcher = Launcher { guardian: &guardian, limit: args.timeout };
    let sides = Sides::of(&args.request(), &guardian)?;
    let mut lacking = None;
    if let Some(command) = &args.build {
        lacking = lacks(args, sides.build(Side::Base, command, &launcher))?.err();
        sides.build(Side::Current, command, &launcher)?;
    }
    let conditions = Conditions::at_start();
    let mut measurement = Measurement::prepare(args, &config, &sides, launcher, processors, lacking)?;
    let measured = measurement.measure(&interrupted);
    conditions.at_end();
    measurement.write(args)?;
    let finished = measured.and_then(|()| measurement.report(args));
    sides.close()?;
    finished
}

/// What came of the base, or why it has nothing to measure, where that is no error.
///
/// # Errors
/// Those of the base, where it must have something.
fn lacks<T>(args: &Args, base: anyhow::Result<T>) -> anyhow::Result<Result<T, String>> {
    match base {
        Ok(base) => Ok(Ok(base)),
        Err(error) if args.base_may_lack => Ok(Err(failure::message(&error))),
        Err(error) => Err(error),
    }
}

/// A measurement under way.
struct Measurement<'m> {
    args: &'m Args,
    sides: &'m Sides,
    launcher: Launcher<'m>,
    /// The processors of a pair whose sides run at the same time.
    processors: Option<[usize; 2]>,
    sampling: Sampling<'m>,
    source: Source,
    noops: Noops,
    schedule: Schedule,
    repeats: u32,
    start: Instant,
    rows: [Vec<Row>; 2],
    pairs: usize,
    /// Why the base is not measured.
    lacking: Option<String>,
}

/// Wall times of a command that does nothing.
#[derive(Debug, Default)]
struct Noops {
    line: Option<Line>,
    seconds: Vec<f64>,
}

impl<'m> Measurement<'m> {
    /// Launches each side once to warm up, and finds what the rows are and how often a short command is repeated.
    fn prepare(
        args: &'m Args,
        config: &'m Config,
        sides: &'m Sides,
        launcher: Launcher<'m>,
        processors: Option<[usize; 2]>,
        lacking: Option<String>,
    ) -> anyhow::Result<Self> {
        let seed = match args.seed {
            Some(seed) => seed,
            None => getrandom::u64().context("cannot draw a seed")?,
        };
        term::note(&format!("the seed of the order is {seed}"));
        let name = args.name.clone().unwrap_or_else(|| sides.current.command.shown());
        let mut measurement = Self {
            args,
            sides,
            launcher,
            processors,
            sampling: Sampling {
                config,
                format: args.format,
                output_of: args.output_of.clone(),
                name: rows::shortened(&name),
                methodology: "".into(),
            },
            source: Source::Process,
            noops: Noops::default(),
            schedule: Schedule::new(seed),
            repeats: 1,
            start: Instant::now(),
            rows: [Vec::new(), Vec::new()],
            pairs: 0,
            lacking,
        };
        measurement.warm_up()?;
        measurement.sampling.methodology = measurement.methodology();
        Ok(measurement)
    }

    fn warm_up(&mut self) -> anyhow::Result<()> {
        let base = match &self.lacking {
            Some(_) => None,
            None => match lacks(self.args, self.source_of(Side::Base))? {
                Ok(source) => Some(source),
                Err(why) => {
                    self.lacking = Some(why);
                    None
                }
            },
        };
        self.source = self.source_of(Side::Current)?;
        match base.filter(|base| *base != self.source) {
            Some(Source::Process) => self.lacking = lacks(self.args, unlike(Source::Process))?.err(),
            Some(Source::Harness) => unlike(Source::Harness)?,
            None => {}
        }
        if self.source == Source::Process && self.lacking.is_none() {
            self.noops.line = Some(Line::noop(&self.sides.current.command));
            self.choose_repeats()?;
        }
        Ok(())
    }

    /// Launches a side, and finds where its rows come from.
    fn source_of(&mut self, side: Side) -> anyhow::Result<Source> {
        let launch = self.launch(side).with_context(|| format!("{} does not run", self.sides.named(side)))?;
        self.sampling.source(&launch, &self.sides.side(side).command)
    }

    /// Doubles the repeats until the faster side's net time is long enough. Decided once, and the same for both.
    fn choose_repeats(&mut self) -> anyhow::Result<()> {
        while self.repeats < MOST_REPEATS {
            let empty = self.noop()?;
            let base = self.launch(Side::Base)?.wall;
            let current = self.launch(Side::Current)?.wall;
            if base.min(current) - empty * f64::from(self.repeats) >= SHORTEST {
                break;
            }
            self.repeats *= 2;
        }
        Ok(())
    }

    fn methodology(&self) -> Name {
        let mut words = vec![RANDOM_ORDER.to_owned(), ONE_BUILD.to_owned()];
        if self.source == Source::Process {
            words.push("net of a no-op".to_owned());
        }
        if self.repeats > 1 {
            words.push(format!("{} runs a launch", self.repeats));
        }
        if self.processors.is_some() {
            words.push("both sides at once".to_owned());
        }
        if let Some(cpu) = self.args.cpu {
            words.push(format!("pinned to CPU {cpu}"));
        }
        words.join(", ").into()
    }

    /// One timed launch, between the untimed commands.
    fn launch(&mut self, side: Side) -> anyhow::Result<Launch> {
        let line = &self.sides.side(side).command;
        self.untimed(self.args.prepare.as_deref(), line)?;
        let launch = self.launcher.launch(line, self.repeats, self.schedule.padding())?;
        self.untimed(self.args.cleanup.as_deref(), line)?;
        Ok(launch)
    }

    /// Both sides at the same time, the first on the first processor.
    fn launch_both(&mut self, order: [Side; 2], processors: [usize; 2]) -> [anyhow::Result<Launch>; 2] {
        let lines = order.map(|side| &self.sides.side(side).command);
        let padding = lines.map(|_| self.schedule.padding());
        let prepared = lines.map(|line| self.untimed(self.args.prepare.as_deref(), line));
        let start = Barrier::new(2);
        let launch = |at: usize| {
            // Only this thread's, which the launch inherits.
            let pinned = pin::pin(Some(processors[at]));
            start.wait();
            pinned.and_then(|()| self.launcher.launch(lines[at], self.repeats, padding[at]))
        };
        let launches = std::thread::scope(|scope| {
            [0, 1].map(|at| scope.spawn(move || launch(at))).map(|thread| match thread.join() {
                Ok(launch) => launch,
                Err(panic) => std::panic::resume_unwind(panic),
            })
        });
        let cleaned = lines.map(|line| self.untimed(self.args.cleanup.as_deref(), line));
        let mut around = prepared.into_iter().zip(cleaned);
        launches.map(|launch| {
            let (prepared, cleaned) = around.next().unwrap_or((Ok(()), Ok(())));
            prepared?;
            let launch = launch?;
            cleaned?;
            Ok(launch)
        })
    }

    fn untimed(&self, command: Option<&str>, beside: &Line) -> anyhow::Result<()> {
        let Some(command) = command else { return Ok(()) };
        let mut line = Line::parse(command, &beside.folder)?;
        line.variables.clone_from(&beside.variables);
        self.launcher.launch(&line, 1, 0).map(drop)
    }

    /// The wall time of one no-op, where that matters.
    fn noop(&mut self) -> anyhow::Result<f64> {
        let Some(line) = &self.noops.line else { return Ok(0.0) };
        let seconds = self.launcher.launch(line, 1, self.schedule.padding())?.wall;
        self.noops.seconds.push(seconds);
        Ok(self.noops.median())
    }

    /// Pairs until all is concluded, the time is up, or somebody interrupts.
    fn measure(&mut self, interrupted: &AtomicBool) -> anyhow::Result<()> {
        let most = if self.lacking.is_some() { ALONE } else { most_pairs() };
        let progress = Progress::new(most);
        while self.pairs < most && self.start.elapsed() < self.args.time_limit {
            if interrupted.load(Ordering::SeqCst) {
                term::warn(&format!("interrupted after {} pairs", self.pairs));
                break;
            }
            self.pair()?;
            let left = self.args.time_limit.saturating_sub(self.start.elapsed());
            progress.show(self.pairs, left, || self.compared(worst));
            if is_look(self.pairs) {
                if self.is_concluded() {
                    break;
                }
                progress.note(|| self.compared(|comparison| status(comparison, self.pairs)));
            }
        }
        progress.end();
        Ok(())
    }

    /// One launch of the current side, whose base has nothing to measure.
    fn alone(&mut self, number: i64) -> anyhow::Result<()> {
        let launch = self.launch(Side::Current)?;
        let (prepared, overhead) = (&self.sides.current, Overhead { wall: 0.0, repeats: self.repeats });
        let of_pair = (number, &*prepared.commit);
        let rows = self.sampling.rows(self.source, &launch, &prepared.command, overhead, of_pair)?;
        self.rows[1].extend(rows);
        self.pairs += 1;
        Ok(())
    }

    fn pair(&mut self) -> anyhow::Result<()> {
        let number = i64::try_from(self.pairs).unwrap_or(i64::MAX);
        if self.lacking.is_some() {
            return self.alone(number);
        }
        let wall = self.noop()?;
        let overhead = Overhead { wall, repeats: self.repeats };
        let order = self.schedule.order();
        let mut both = match self.processors {
            Some(processors) => self.launch_both(order, processors).map(Some),
            None => [None, None],
        };
        let mut taken: [Vec<Row>; 2] = Default::default();
        for (side, launched) in order.into_iter().zip(&mut both) {
            let launch = launched.take().unwrap_or_else(|| self.launch(side));
            let prepared = self.sides.side(side);
            let rows = launch.and_then(|launch| {
                let of_pair = (number, &*prepared.commit);
                self.sampling.rows(self.source, &launch, &prepared.command, overhead, of_pair)
            });
            let all = &mut self.rows[usize::from(side == Side::Current)];
            match rows {
                Ok(rows) => taken[usize::from(side == Side::Current)] = rows,
                Err(error) => {
                    all.extend(self.sampling.failed(all, (number, &prepared.commit)));
                    return Err(error);
                }
            }
        }
        for (all, new) in self.rows.iter_mut().zip(taken) {
            all.extend(new);
        }
        self.pairs += 1;
        Ok(())
    }

    fn is_concluded(&self) -> bool {
        self.compared(|comparison| open_metrics(comparison) == 0)
    }

    fn compared<T>(&self, look: impl FnOnce(&Comparison) -> T) -> T {
        let (config, filter) = (self.sampling.config, Filter::default());
        let current = Suite::new(&self.rows[1], config, &filter);
        let base = Suite::beside(&current, &self.rows[0], config, &filter);
        let sides = Compared { paired: true, ..Compared::new(&current, &base) };
        look(&compare(&sides, config, Policy { self_test: false, ..Policy::of(config) }))
    }

    fn write(&self, args: &Args) -> anyhow::Result<()> {
        let files = [(&args.output_base, &self.rows[0]), (&args.output_current, &self.rows[1])];
        // A base without a benchmark has a file without rows.
        let is_written = |rows: &[Row]| !rows.is_empty() || self.lacking.is_some();
        for (path, rows) in files.into_iter().filter(|(_, rows)| is_written(rows)) {
            file::write_if_changed(path, baseline::write(rows, &[], self.sampling.config)?.as_bytes())?;
        }
        Ok(())
    }

    fn report(&self, args: &Args) -> anyhow::Result<Exit> {
        if self.pairs == 0 {
            return Err(Failure::new("no pair was measured within the time limit")
                .hint("give it longer with `--time-limit`, or make the benchmark quicker")
                .into());
        }
        if let Some(why) = &self.lacking {
            term::warn(&format!("the base was not measured: {why}"));
            let seconds = self.start.elapsed().as_secs_f64();
            let lines = format!("pairs=0\nseconds={seconds:.1}\nconcluded=false\nregressed=false\n");
            term::stdout(&lines)?;
            return Ok(Exit::Ok);
        }
        if !self.compared(|comparison| verdicts(comparison).next().is_some()) {
            if self.args.base_may_lack {
                term::warn("the base was not measured: it has no benchmark of the current side");
                return Ok(Exit::Ok);
            }
            return Err(Failure::new("nothing was compared: the two sides have no benchmark in common")
                .hint("both sides must run the same benchmark under the same name")
                .into());
        }
        let (open, regressed) = self.compared(|comparison| {
            for line in summary(comparison) {
                term::stderr(&format!("{line}\n"));
            }
            (open_metrics(comparison), verdicts(comparison).any(|verdict| verdict == Verdict::Regressed))
        });
        // An exact count can be judged before the first look, and the rest cannot.
        let concluded = open == 0 && self.pairs >= LOOKS[0].pairs;
        let seconds = self.start.elapsed().as_secs_f64();
        term::stdout(&format!(
            "pairs={}\nseconds={seconds:.1}\nconcluded={concluded}\nregressed={regressed}\n",
            self.pairs
        ))?;
        Ok(if regressed && args.exit_code { Exit::Regressed } else { Exit::Ok })
    }
}

/// That one side prints results and the other does not.
fn unlike(base: Source) -> anyhow::Result<()> {
    let (with, without) = match base {
        Source::Harness => ("base", "current side"),
        Source::Process => ("current side", "base"),
    };
    Err(Failure::new(format!("the {with} prints benchmark results and the {without} does not"))
        .hint("both sides must run the same benchmark")
        .into())
}

impl Noops {
    fn median(&self) -> f64 {
        let mut sorted = self.seconds.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or_default()
    }
}

fn most_pairs() -> usize {
    LOOKS.iter().map(|look| look.pairs * LAUNCHES[LAUNCHES.len() - 1]).max().unwrap_or_default()
}

/// Whether the rules look after this many launches a side, however many of them make one pair.
fn is_look(launches: usize) -> bool {
    LOOKS.iter().any(|look| LAUNCHES.iter().any(|each| look.pairs * each == launches))
}

/// Gated metrics that more pairs could still decide.
fn open_metrics(comparison: &Comparison) -> usize {
    let gated = comparison.metrics().filter(|metric| metric.judgement.rule != Rule::Report);
    let is_open = |reason: &Reason| match reason {
        Reason::Pairs(finding) => finding.outcome == Outcome::Open && finding.until_next.is_some(),
        _ => false,
    };
    gated.filter(|metric| is_open(&metric.judgement.reason)).count()
}

fn verdicts(comparison: &Comparison) -> impl Iterator<Item = Verdict> {
    let scenarios = comparison.scopes.iter().flat_map(|scope| &scope.scenarios);
    scenarios.flat_map(|scenario| &scenario.metrics).map(|metric| metric.judgement.verdict)
}
