//! Launches in turn until every gated metric is concluded.
//!
//! The rows decide when to stop, by the rules that judge them later: a comparison of the written rows reaches the verdict on
//! which the measurement stopped. Looks are taken at fixed numbers of pairs only, as each further look is another chance
//! of a false alarm.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::builder::NonEmptyStringValueParser;
use perf_cli::{Exit, Failure, file, term};
use perf_config::Config;
use perf_model::row::{Name, Row};
use perf_model::suite::{Filter, Suite};
use perf_readers::{Format, baseline};
use perf_verdict::rules::pairs::{LOOKS, Outcome};
use perf_verdict::{Comparison, Policy, Reason, Rule, Sides as Compared, Verdict, compare};

use crate::guardian::Guardian;
use crate::process::{Launcher, Line};
use crate::sampling::{Overhead, Sampling, Source};
use crate::schedule::{Schedule, Side};
use crate::sides::{Request, Sides};

/// A launch whose own time is shorter than this repeats its command: below, the clock and the start are most of it.
const SHORTEST: f64 = 0.001;
/// How many times a command is repeated in one launch at most.
const MOST_REPEATS: u32 = 1 << 12;
/// Launches a side that make one pair, which the noise decides: looks come at multiples of these.
const LAUNCHES: [usize; 3] = [1, 3, 5];

/// Launch both sides in turn until every gated benchmark is concluded
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The command of both sides
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "current")]
    command: Vec<OsString>,

    /// The base's command, started without a shell
    #[arg(long, value_name = "COMMAND", requires = "current", help_heading = "Sides", value_parser = NonEmptyStringValueParser::new())]
    base: Option<String>,

    /// The current side's command
    #[arg(long, value_name = "COMMAND", requires = "base", conflicts_with = "command", help_heading = "Sides", value_parser = NonEmptyStringValueParser::new())]
    current: Option<String>,

    /// The base is this commit, checked out beside the working tree
    #[arg(long, value_name = "REF", conflicts_with = "base_dir", help_heading = "Sides")]
    base_ref: Option<String>,

    /// The current side is this commit [default: the working tree as it is]
    #[arg(long, value_name = "REF", conflicts_with = "current_dir", help_heading = "Sides")]
    current_ref: Option<String>,

    /// The base is where HEAD left the branch that --base-ref names
    #[arg(long, requires = "base_ref", help_heading = "Sides")]
    merge_base: bool,

    /// The base's folder
    #[arg(long, value_name = "FOLDER", help_heading = "Sides")]
    base_dir: Option<PathBuf>,

    /// The current side's folder [default: the working directory]
    #[arg(long, value_name = "FOLDER", help_heading = "Sides")]
    current_dir: Option<PathBuf>,

    /// Build each side with this command first
    #[arg(long, value_name = "COMMAND", help_heading = "Sides")]
    build: Option<String>,

    /// Run before each launch, untimed
    #[arg(long, value_name = "COMMAND", help_heading = "Launches")]
    prepare: Option<String>,

    /// Run after each launch, untimed
    #[arg(long, value_name = "COMMAND", help_heading = "Launches")]
    cleanup: Option<String>,

    /// Stop measuring after this long, such as 90s or 10m
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration, help_heading = "Launches")]
    time_limit: Duration,

    /// End a launch that takes longer
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration, help_heading = "Launches")]
    timeout: Duration,

    /// The seed of the random order [default: another one each time]
    #[arg(long, value_name = "N", help_heading = "Launches")]
    seed: Option<u64>,

    /// Pin both sides to this processor
    #[arg(long, value_name = "N", help_heading = "Launches")]
    cpu: Option<usize>,

    /// The format of what the command prints, where it is not detected
    #[arg(long, value_name = "NAME", value_parser = format_name, help_heading = "Output")]
    format: Option<&'static Format>,

    /// The file or folder that the command leaves its results in
    #[arg(long, value_name = "PATH", help_heading = "Output")]
    output_of: Option<PathBuf>,

    /// The benchmark's name, where the command prints no results of its own [default: the command]
    #[arg(long, value_name = "NAME", help_heading = "Output")]
    name: Option<String>,

    /// The config [default: perf-gate.toml or .github/perf-gate.toml]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    config: Option<PathBuf>,

    /// The base's rows
    #[arg(long, value_name = "CSV", default_value = "base.csv", help_heading = "Output")]
    output_base: PathBuf,

    /// The current side's rows
    #[arg(long, value_name = "CSV", default_value = "current.csv", help_heading = "Output")]
    output_current: PathBuf,

    /// Exit with 1 when something regressed
    #[arg(long, help_heading = "Output")]
    exit_code: bool,
}

const EXAMPLES: &str = "\
Examples:
  measure-perf pairs --base './old in.csv' --current './new in.csv'
  measure-perf pairs --base-ref origin/main --build 'cargo bench --no-run' \\
    -- cargo bench --bench parse
  measure-perf pairs --base-dir ../main -- ./bench --benchmark_format=json

Then: render-perf-deltas --input current.csv --baseline-csv base.csv --paired

Standard output has one line each for pairs= (launches a side), seconds=,
concluded= and regressed= (true or false).

Exit codes: 0 measured; 1 with --exit-code, something regressed; 2 nothing was
measured, or a launch failed (the rows so far are written)";

/// Measures, and writes the rows of both sides.
///
/// # Errors
/// A side that cannot be prepared or launched, or rows that cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let config = perf_cli::load::config(args.config.as_deref())?;
    pin(args.cpu)?;
    let guardian = Guardian::start().context("cannot start the guardian process")?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&interrupted);
    ctrlc::set_handler(move || heard.store(true, Ordering::SeqCst)).context("cannot listen for Ctrl-C")?;
    let launcher = Launcher { guardian: &guardian, limit: args.timeout };
    let sides = Sides::of(&args.request(), &guardian)?;
    if let Some(command) = &args.build {
        sides.build(command, &launcher)?;
    }
    let mut measurement = Measurement::prepare(args, &config, &sides, launcher)?;
    let measured = measurement.measure(&interrupted);
    measurement.write(args)?;
    let finished = measured.and_then(|()| measurement.report(args));
    sides.close()?;
    finished
}

impl Args {
    fn request(&self) -> Request {
        Request {
            base: self.base.clone(),
            current: self.current.clone(),
            command: self.command.clone(),
            base_dir: self.base_dir.clone(),
            current_dir: self.current_dir.clone(),
            base_ref: self.base_ref.clone(),
            current_ref: self.current_ref.clone(),
            merge_base: self.merge_base,
        }
    }
}

/// A measurement under way.
struct Measurement<'m> {
    args: &'m Args,
    sides: &'m Sides,
    launcher: Launcher<'m>,
    sampling: Sampling<'m>,
    source: Source,
    noops: Noops,
    schedule: Schedule,
    repeats: u32,
    start: Instant,
    rows: [Vec<Row>; 2],
    pairs: usize,
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
            sampling: Sampling {
                config,
                format: args.format,
                output_of: args.output_of.clone(),
                name: shortened(&name),
                methodology: "".into(),
            },
            source: Source::Process,
            noops: Noops::default(),
            schedule: Schedule::new(seed),
            repeats: 1,
            start: Instant::now(),
            rows: [Vec::new(), Vec::new()],
            pairs: 0,
        };
        measurement.warm_up()?;
        measurement.sampling.methodology = measurement.methodology();
        Ok(measurement)
    }

    fn warm_up(&mut self) -> anyhow::Result<()> {
        let mut sources = Vec::new();
        for side in [Side::Base, Side::Current] {
            let line = &self.sides.side(side).command;
            let launch = self.launch(side)?;
            sources.push(self.sampling.source(&launch, line)?);
        }
        if sources[0] != sources[1] {
            let (with, without) = if sources[0] == Source::Harness {
                ("base", "current side")
            } else {
                ("current side", "base")
            };
            return Err(Failure::new(format!(
                "the {with} prints benchmark results and the {without} does not"
            ))
            .hint("both sides must run the same benchmark")
            .into());
        }
        self.source = sources[0];
        if self.source == Source::Process {
            self.noops.line = Some(noop(&self.sides.current.command)?);
            self.choose_repeats()?;
        }
        Ok(())
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
        let mut words = vec!["pairs in random order".to_owned()];
        if self.source == Source::Process {
            words.push("net of a no-op".to_owned());
        }
        if self.repeats > 1 {
            words.push(format!("{} runs a launch", self.repeats));
        }
        if let Some(cpu) = self.args.cpu {
            words.push(format!("pinned to CPU {cpu}"));
        }
        words.join(", ").into()
    }

    /// One timed launch, between the untimed commands.
    fn launch(&mut self, side: Side) -> anyhow::Result<crate::process::Launch> {
        let line = &self.sides.side(side).command;
        self.untimed(self.args.prepare.as_deref(), line)?;
        let launch = self.launcher.launch(line, self.repeats, self.schedule.padding())?;
        self.untimed(self.args.cleanup.as_deref(), line)?;
        Ok(launch)
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
        let most = most_pairs();
        let progress = Progress::new(most);
        while self.pairs < most && self.start.elapsed() < self.args.time_limit {
            if interrupted.load(Ordering::SeqCst) {
                term::warn(&format!("interrupted after {} pairs", self.pairs));
                break;
            }
            self.pair()?;
            progress.show(self);
            if is_look(self.pairs) && self.is_concluded() {
                break;
            }
        }
        progress.end();
        Ok(())
    }

    fn pair(&mut self) -> anyhow::Result<()> {
        let number = i64::try_from(self.pairs).unwrap_or(i64::MAX);
        let wall = self.noop()?;
        let overhead = Overhead { wall, repeats: self.repeats };
        let mut taken: [Vec<Row>; 2] = Default::default();
        for side in self.schedule.order() {
            let launch = self.launch(side)?;
            let prepared = self.sides.side(side);
            let rows = self.sampling.rows(
                self.source,
                &launch,
                &prepared.command,
                overhead,
                (number, &prepared.commit),
            )?;
            taken[usize::from(side == Side::Current)] = rows;
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
        for (path, rows) in files.into_iter().filter(|(_, rows)| !rows.is_empty()) {
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
        if !self.compared(|comparison| verdicts(comparison).next().is_some()) {
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
        // Before the first look a weaker rule judges, and concludes nothing.
        let concluded = open == 0 && self.pairs >= LOOKS[0].0;
        let seconds = self.start.elapsed().as_secs_f64();
        term::stdout(&format!(
            "pairs={}\nseconds={seconds:.1}\nconcluded={concluded}\nregressed={regressed}\n",
            self.pairs
        ))?;
        Ok(if regressed && args.exit_code { Exit::Regressed } else { Exit::Ok })
    }
}

impl Noops {
    fn median(&self) -> f64 {
        let mut sorted = self.seconds.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or_default()
    }
}

fn most_pairs() -> usize {
    LOOKS.iter().map(|(pairs, _)| pairs * LAUNCHES[LAUNCHES.len() - 1]).max().unwrap_or_default()
}

/// Whether the rules look after this many launches a side, however many of them make one pair.
fn is_look(launches: usize) -> bool {
    LOOKS.iter().any(|(pairs, _)| LAUNCHES.iter().any(|each| pairs * each == launches))
}

/// Gated metrics that more pairs could still decide.
fn open_metrics(comparison: &Comparison) -> usize {
    let metrics =
        comparison.scopes.iter().flat_map(|scope| &scope.scenarios).flat_map(|scenario| &scenario.metrics);
    let gated = metrics.filter(|metric| metric.judgement.rule != Rule::Report);
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

/// A line for each gated metric: outcome, name, change, and what the pairs say.
fn summary(comparison: &Comparison) -> Vec<String> {
    let mut lines = Vec::new();
    for scenario in comparison.scopes.iter().flat_map(|scope| &scope.scenarios) {
        for metric in scenario.metrics.iter().filter(|metric| metric.judgement.rule != Rule::Report) {
            let Reason::Pairs(finding) = &metric.judgement.reason else { continue };
            let percent = |distance: f64| 100.0 * distance.exp_m1();
            let verdict = match finding.outcome {
                Outcome::Slower => "regressed",
                Outcome::Faster => "improved",
                Outcome::Same => "unchanged",
                Outcome::Open => "inconclusive",
            };
            let interval = finding.lower.zip(finding.upper).map_or_else(String::new, |(lower, upper)| {
                format!(" [{:+.1}%, {:+.1}%]", percent(lower), percent(upper))
            });
            lines.push(format!(
                "{verdict:<12} {} {}: cost {:+.1}%{interval}, slower by more than 2% in {} of {} pairs",
                term::printable(&scenario.scenario),
                term::printable(&metric.metric.label),
                percent(finding.median),
                finding.slower,
                finding.pairs
            ));
        }
    }
    lines
}

/// A line on the terminal that says how far it is.
struct Progress(indicatif::ProgressBar);

impl Progress {
    fn new(most: usize) -> Self {
        let bar = indicatif::ProgressBar::new(u64::try_from(most).unwrap_or(u64::MAX));
        if term::is_quiet() {
            bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
        }
        let style = indicatif::ProgressStyle::with_template("{pos} pairs, {elapsed}: {msg}");
        bar.set_style(style.unwrap_or_else(|_| indicatif::ProgressStyle::default_bar()));
        Self(bar)
    }

    fn show(&self, measurement: &Measurement<'_>) {
        self.0.set_position(u64::try_from(measurement.pairs).unwrap_or(u64::MAX));
        if !self.0.is_hidden() && measurement.pairs.is_multiple_of(5) {
            let left = measurement.args.time_limit.saturating_sub(measurement.start.elapsed()).as_secs();
            let worst = measurement.compared(worst);
            self.0.set_message(format!("{worst}at most {left} s more"));
        }
    }

    fn end(&self) {
        self.0.finish_and_clear();
    }
}

/// The estimate for the metric that got worst.
fn worst(comparison: &Comparison) -> String {
    let metrics = comparison.scopes.iter().flat_map(|scope| &scope.scenarios).flat_map(|scenario| {
        scenario.metrics.iter().map(move |metric| (&scenario.scenario, &metric.judgement.reason))
    });
    let found = metrics.filter_map(|(name, reason)| match reason {
        Reason::Pairs(finding) => Some((name, finding.median)),
        _ => None,
    });
    let worst = found.max_by(|(_, a), (_, b)| a.total_cmp(b));
    worst.map_or_else(String::new, |(name, median)| {
        format!("{} {:+.1}%, ", term::printable_within(name, 40), 100.0 * median.exp_m1())
    })
}

/// A command that does nothing, in the same folder.
fn noop(beside: &Line) -> anyhow::Result<Line> {
    let words =
        if cfg!(windows) { vec!["cmd".into(), "/C".into(), "exit".into()] } else { vec!["true".into()] };
    Line::of(words, &beside.folder)
}

/// A name fits into a row.
fn shortened(name: &str) -> Name {
    name.chars().take(200).collect::<String>().into()
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn pin(cpu: Option<usize>) -> anyhow::Result<()> {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let Some(cpu) = cpu else { return Ok(()) };
    let cannot = |why: &str| Failure::new(format!("cannot pin to CPU {cpu}: {why}"));
    if cpu >= CpuSet::MAX_CPU {
        return Err(cannot("there is no such CPU").into());
    }
    let mut set = CpuSet::new();
    set.set(cpu);
    // Children inherit it.
    sched_setaffinity(None, &set).map_err(|error| cannot(&error.to_string()).hint("leave `--cpu` out").into())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn pin(cpu: Option<usize>) -> anyhow::Result<()> {
    match cpu {
        None => Ok(()),
        Some(_) => Err(Failure::new("`--cpu` works on Linux only").into()),
    }
}

/// Reads `90s`, `10m`, `1h`, or seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let (number, scale) = match text.chars().last() {
        Some('s') => (&text[..text.len() - 1], 1.0),
        Some('m') => (&text[..text.len() - 1], 60.0),
        Some('h') => (&text[..text.len() - 1], 3600.0),
        _ => (text, 1.0),
    };
    let seconds = number.parse::<f64>().ok().map(|number| number * scale);
    let valid = seconds.filter(|seconds| seconds.is_finite() && *seconds > 0.0);
    valid
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "a time such as 90s, 10m or 1h".to_owned())
}

fn format_name(name: &str) -> Result<&'static Format, String> {
    perf_readers::format(name)
        .ok_or_else(|| format!("unknown format; {}", perf_readers::suggest_format(name)))
}
