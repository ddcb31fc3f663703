//! Instruction counts: the same on every run but for what a program draws at random.
//!
//! Starting a process alone is often most of a small command's instructions, so a no-op is counted the same way and taken
//! off; with a set-up benchmark, that one's net count is taken off too. What remains belongs to the work.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context;
use perf_cli::{Exit, Failure, file, term};
use perf_config::Config;
use perf_model::row::{AGGREGATE, Key, Metrics, Name, Outcome, Row, Value};
use perf_readers::baseline;

use crate::guardian::Guardian;
use crate::process::{Launcher, Line};

/// The metric.
pub const INSTRUCTIONS: &str = "instructions";

/// Count instructions, without those of starting a process
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A benchmark: its name and its command
    #[arg(long, value_name = "NAME=COMMAND", value_parser = named, help_heading = "Benchmarks")]
    bench: Vec<(String, String)>,

    /// One benchmark's command
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "bench")]
    command: Vec<OsString>,

    /// What the benchmark NAME does before its work is the benchmark OTHER: its net count is taken off
    #[arg(long, value_name = "NAME=OTHER", value_parser = named, help_heading = "Benchmarks")]
    setup: Vec<(String, String)>,

    /// How often each is counted
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=100))]
    times: u32,

    /// How many are counted at once: counts do not disturb each other
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,

    /// Keep what cachegrind says of each function in this folder
    #[arg(long, value_name = "FOLDER")]
    details: Option<PathBuf>,

    /// End a count that takes longer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    timeout: u64,

    /// The rows [default: standard output]
    #[arg(long, value_name = "CSV")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  measure-perf count -- ./parse in.json
  measure-perf count --bench 'load=./tool load' --bench 'query=./tool load query' \\
    --setup query=load --output counts.csv
  measure-perf count --details profile -- ./parse in.json   # then: cg_annotate

Needs valgrind (`apt-get install valgrind`, `brew install valgrind`).

Exit codes: 0 counted; 2 a benchmark failed, or a count is below its no-op or
its set-up";

/// A benchmark to count.
#[derive(Clone, Debug)]
struct Bench {
    name: String,
    line: Line,
    setup: Option<String>,
}

/// Lowest and highest of several counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counts {
    least: u64,
    most: u64,
}

/// Counts, and writes the rows.
///
/// # Errors
/// No valgrind, a benchmark that fails, a set-up that does not exist, a count below what is taken off.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let benches = args.benches()?;
    let valgrind = Valgrind::find(args.details.as_deref())?;
    let guardian = Guardian::start().context("cannot start the guardian process")?;
    let launcher = Launcher { guardian: &guardian, limit: Duration::from_secs(args.timeout) };
    let noop =
        valgrind.count(&Line::of(vec!["true".into()], Path::new("."))?, "no-op", args.times, &launcher)?;
    let gross = count_all(&benches, &valgrind, args, &launcher)?;
    let rows = benches.iter().map(|bench| row(bench, &gross, noop)).collect::<anyhow::Result<Vec<_>>>()?;
    let text = baseline::write(&rows, &[], &Config::default())?;
    match &args.output {
        Some(path) => drop(file::write_if_changed(path, text.as_bytes())?),
        None => term::stdout(&text)?,
    }
    Ok(Exit::Ok)
}

impl Args {
    fn benches(&self) -> anyhow::Result<Vec<Bench>> {
        let here = std::env::current_dir().context("cannot determine the working directory")?;
        let setups: BTreeMap<&str, &str> =
            self.setup.iter().map(|(name, other)| (name.as_str(), other.as_str())).collect();
        let bench = |name: String, line| Bench {
            setup: setups.get(name.as_str()).map(ToString::to_string),
            name,
            line,
        };
        let mut benches = Vec::new();
        for (name, command) in &self.bench {
            benches.push(bench(name.clone(), Line::parse(command, &here)?));
        }
        if !self.command.is_empty() {
            let line = Line::of(self.command.clone(), &here)?;
            benches.push(bench(line.shown(), line));
        }
        let exists = |wanted: &str| benches.iter().any(|bench| bench.name == wanted);
        for (name, other) in &self.setup {
            for wanted in [name, other] {
                if !exists(wanted) {
                    let names: Vec<&str> = benches.iter().map(|bench| bench.name.as_str()).collect();
                    let hint = perf_model::suggest::suggest(wanted, names).unwrap_or_default();
                    let message = format!("no such benchmark: `{}`", term::printable(wanted));
                    return Err(Failure::new(message).hint(hint).into());
                }
            }
            if name == other {
                return Err(
                    Failure::new(format!("`{}` cannot be its own set-up", term::printable(name))).into()
                );
            }
        }
        Ok(benches)
    }
}

/// Counts every benchmark, several at once.
fn count_all(
    benches: &[Bench],
    valgrind: &Valgrind,
    args: &Args,
    launcher: &Launcher<'_>,
) -> anyhow::Result<BTreeMap<String, Counts>> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Ok(BTreeMap::new())));
    std::thread::scope(|scope| {
        for _ in 0..args.jobs.clamp(1, benches.len()) {
            scope.spawn(|| {
                while let Some(bench) = benches.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let counted = valgrind.count(&bench.line, &bench.name, args.times, launcher);
                    let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    match (&mut *done, counted) {
                        (Ok(all), Ok(counts)) => drop(all.insert(bench.name.clone(), counts)),
                        (Ok(_), Err(error)) => *done = Err(error),
                        (Err(_), _) => return,
                    }
                }
            });
        }
    });
    done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The net count of a benchmark as a row, its spread beside it.
fn row(bench: &Bench, gross: &BTreeMap<String, Counts>, noop: Counts) -> anyhow::Result<Row> {
    let of = |name: &str| gross.get(name).copied().with_context(|| format!("`{name}` was not counted"));
    let counts = of(&bench.name)?;
    let (below, what) = match &bench.setup {
        // Both started a process, so the no-op is in both.
        Some(setup) => (of(setup)?, format!("its set-up `{}`", term::printable(setup))),
        None => (noop, "a no-op".to_owned()),
    };
    let net = |count: u64| {
        let negative = || {
            Failure::new(format!(
                "`{}` has {count} instructions, fewer than {what} with {}",
                term::printable(&bench.name),
                below.least
            ))
        };
        count.checked_sub(below.least).ok_or_else(negative)
    };
    let mut metrics = Metrics::default();
    for (name, count) in [
        (INSTRUCTIONS, net(counts.least)?),
        ("instructions.upper", net(counts.most)?),
        ("grossInstructions", counts.least),
    ] {
        if let Some(value) = i64::try_from(count).ok().map(Value::Int) {
            metrics.insert(name.into(), value);
        }
    }
    let methodology = Some(Name::from(if bench.setup.is_some() {
        "cachegrind, net of a no-op and a set-up"
    } else {
        "cachegrind, net of a no-op"
    }));
    let key = Key { scenario: bench.name.as_str().into(), methodology, ..Key::default() };
    Ok(Row {
        key: key.into(),
        run_index: AGGREGATE,
        outcome: Outcome::Measured,
        launch: None,
        measured_at: None,
        metrics,
    })
}

/// The program that counts.
#[derive(Debug)]
struct Valgrind {
    /// `setarch -R` where there is one: addresses at random make hash tables differ.
    fixed_addresses: bool,
    folder: tempfile::TempDir,
    details: Option<PathBuf>,
}

impl Valgrind {
    fn find(details: Option<&Path>) -> anyhow::Result<Self> {
        if !is_there("valgrind", &["--version"]) {
            return Err(Failure::new("valgrind is not installed")
                .hint("install it with `apt-get install valgrind` or `dnf install valgrind`")
                .into());
        }
        if let Some(folder) = details {
            fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", term::shown(folder)))?;
        }
        Ok(Self {
            fixed_addresses: is_there("setarch", &["-R", "true"]),
            folder: tempfile::tempdir().context("cannot make a temporary folder")?,
            details: details.map(Path::to_owned),
        })
    }

    fn count(&self, line: &Line, name: &str, times: u32, launcher: &Launcher<'_>) -> anyhow::Result<Counts> {
        let mut counts = Vec::new();
        for time in 0..times {
            let folder = self.folder(name, time)?;
            launcher
                .launch(&self.under(line, &folder), 1, 0)
                .with_context(|| format!("cannot count `{}`", term::printable(name)))?;
            counts.push(total(&folder)?);
        }
        let least = counts.iter().copied().min().unwrap_or_default();
        Ok(Counts { least, most: counts.into_iter().max().unwrap_or_default() })
    }

    /// An empty folder for each count: several run at once, and each process writes a file of its own.
    fn folder(&self, name: &str, time: u32) -> anyhow::Result<PathBuf> {
        let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let name: String = name.chars().map(safe).take(60).collect();
        let within = self.details.as_deref().unwrap_or(self.folder.path());
        let within = fs::canonicalize(within).unwrap_or_else(|_| within.to_owned());
        let folder =
            (0..1000).map(|other| within.join(format!("{name}-{time}-{other}"))).find(|path| !path.exists());
        let folder = folder.unwrap_or(within);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make `{}`", term::shown(&folder)))?;
        Ok(folder)
    }

    fn under(&self, line: &Line, folder: &Path) -> Line {
        let mut words: Vec<OsString> = Vec::new();
        if self.fixed_addresses {
            words.extend(["setarch", "-R"].map(OsString::from));
        }
        let mut output = OsString::from("--cachegrind-out-file=");
        output.push(folder.join("%p.cachegrind"));
        // A wrapper, such as a version manager's, starts the program that is meant.
        let counting = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--trace-children=yes", "-q"];
        words.extend(counting.map(OsString::from));
        words.push(output);
        words.extend(line.words.iter().cloned());
        Line { words, ..line.clone() }
    }
}

fn is_there(program: &str, arguments: &[&str]) -> bool {
    use std::process::{Command, Stdio};
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The instructions of all processes of one launch.
fn total(folder: &Path) -> anyhow::Result<u64> {
    let files = fs::read_dir(folder).with_context(|| format!("cannot read `{}`", term::shown(folder)))?;
    let mut sum = 0_u64;
    for entry in files {
        let path = entry?.path();
        let count = summary(&file::read_text(&path)?);
        let count =
            count.with_context(|| format!("`{}` has no line `summary:` with a count", term::shown(&path)))?;
        sum = sum.saturating_add(count);
    }
    if sum == 0 {
        Err(Failure::new("valgrind counted nothing: is the command a program for this machine?").into())
    } else {
        Ok(sum)
    }
}

/// The total of a cachegrind file: the first number of its line `summary:`.
fn summary(text: &str) -> Option<u64> {
    let line = text.lines().rev().find_map(|line| line.strip_prefix("summary:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Reads `NAME=VALUE`.
fn named(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("a name, `=`, and what it stands for".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench(name: &str, setup: Option<&str>) -> Bench {
        let line = Line::of(vec!["true".into()], Path::new(".")).unwrap();
        Bench { name: name.to_owned(), line, setup: setup.map(str::to_owned) }
    }

    fn counts(all: &[(&str, u64, u64)]) -> BTreeMap<String, Counts> {
        all.iter()
            .map(|(name, least, most)| ((*name).to_owned(), Counts { least: *least, most: *most }))
            .collect()
    }

    const NOOP: Counts = Counts { least: 100, most: 101 };

    #[test]
    fn noop_is_subtracted() {
        let row = row(&bench("a", None), &counts(&[("a", 350, 352)]), NOOP).unwrap();
        let of = |metric| row.metrics.get(metric);
        assert_eq!(of("instructions"), Some(Value::Int(250)));
        assert_eq!(of("instructions.upper"), Some(Value::Int(252)));
        assert_eq!(of("grossInstructions"), Some(Value::Int(350)));
    }

    #[test]
    fn setup_is_subtracted_with_its_own_start() {
        let all = counts(&[("load", 300, 300), ("query", 900, 900)]);
        let row = row(&bench("query", Some("load")), &all, NOOP).unwrap();
        assert_eq!(row.metrics.get("instructions"), Some(Value::Int(600)));
    }

    #[test]
    fn count_below_its_setup_is_an_error() {
        let all = counts(&[("load", 900, 900), ("query", 300, 300)]);
        let error = row(&bench("query", Some("load")), &all, NOOP).unwrap_err();
        insta::assert_snapshot!(error, @"`query` has 300 instructions, fewer than its set-up `load` with 900");
    }
}
