//! `perf-gate backfill`: rows of earlier commits, so that limits from a history exist on the first day.
//!
//! Each commit is measured in pairs with one anchor, as the command is. A number is that of one launch of the anchor times the
//! median of the ratios of the pairs. So it varies as single runs do, with the state of the machine at that time, which is the
//! noise that a limit for single runs has to know, and commits differ by what the pairs show.
//!
//! A later command goes on with the commits that the file lacks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use measure::pairs::{KeptBase, PairsReport, PairsRequest, Session, measure_beside};
use perf_cli::{Common, Exit, Failure, failure, file, load, term};
use perf_config::{Config, Measured};
use perf_model::diagnostic::counted;
use perf_model::methodology::{HARNESS, TOOLCHAIN};
use perf_model::row::{AGGREGATE, Conditions, Key, Metrics, Name, Outcome, Row, Value};
use perf_readers::baseline;
use perf_stats::order::{median, sorted};

use crate::run::{HISTORY, describe_machine, quickest};
use crate::series::{Commit, SeriesArgs, between, git, warn_of_uncommitted};

/// The pairs of a commit.
const PAIRS: usize = 3;
/// The metric that a command has that prints no results.
const OF_PROCESS: &str = "grossTimeS";

/// Measure earlier commits, as the history that limits come from
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// How many commits, the newest first, along first parents
    #[arg(value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    count: u16,

    /// The newest tags instead
    #[arg(long, conflicts_with = "every")]
    tags: bool,

    /// The newest commit of each period instead
    #[arg(long, value_name = "PERIOD")]
    every: Option<Period>,

    #[command(flatten)]
    series: SeriesArgs,

    /// The commit that all others are measured beside
    #[arg(long, value_name = "REF", default_value = "HEAD")]
    anchor: String,

    /// The file for the rows
    #[arg(long, value_name = "CSV", default_value = HISTORY)]
    output: PathBuf,

    #[command(flatten)]
    common: Common,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate backfill 30 -- go test -bench .
  perf-gate backfill 20 --every week --time-limit 1h
  perf-gate compare -i bench.log -b perf-baseline.csv --history perf-history.csv

Exit codes: 0 all are measured; 2 the time is up, or something is wrong. The same
command goes on with the commits that the file lacks";

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Period {
    Day,
    Week,
    Month,
}

impl Period {
    const fn seconds(self) -> i64 {
        86_400
            * match self {
                Self::Day => 1,
                Self::Week => 7,
                Self::Month => 30,
            }
    }
}

/// Runs the command.
///
/// # Errors
/// An anchor that cannot be measured, no commits, Ctrl-C, and a file that cannot be read or written.
pub(crate) fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let _ = &cli.common;
    let config = load::config(cli.series.config.as_deref())?;
    let request = PairsRequest {
        is_as_is: true,
        has_normal_priority: true,
        is_silent: true,
        most_pairs: Some(PAIRS),
        ..cli.series.request(&config)?
    };
    let anchor = Commit::of(&cli.anchor)?;
    let commits = commits(cli)?;
    warn_of_uncommitted();
    let folder = tempfile::tempdir()?;
    let mut history = History::of(&cli.output, &config, describe_machine(folder.path()))?;
    let before = history.done.len();
    let (failed, left) = measure_all(&anchor, &commits, &request, &mut history, cli.series.deadline())?;
    if failed > 0 && history.done.len() == before {
        let message = format!("none of {} could be measured", counted(failed as u64, "commit"));
        return Err(Failure::new(message).hint("the notes above have the reasons").into());
    }
    let shown = term::shown(&cli.output);
    if left > 0 {
        let left = counted(left as u64, "commit");
        term::warn(&format!("the time is up before {left}; the same command goes on with them"));
        return Ok(Exit::Error);
    }
    term::note(&format!("`{shown}` has {} commits; {failed} could not be measured", history.done.len()));
    term::hint(&format!(
        "`perf-gate compare --history {shown}` judges by them, and `perf-gate run` by `{HISTORY}`"
    ));
    Ok(Exit::Ok)
}

/// Measures the commits that the history lacks. Returns how many failed, and how many there was no time for.
fn measure_all(
    anchor: &Commit,
    commits: &[Commit],
    request: &PairsRequest,
    history: &mut History<'_>,
    deadline: Option<Instant>,
) -> anyhow::Result<(usize, usize)> {
    let session = Session::start()?;
    let mut kept = KeptBase::default();
    let (mut failed, count, mut longest) = (0, commits.len(), Duration::ZERO);
    for (at, commit) in commits.iter().enumerate() {
        if history.done.contains(&commit.id) {
            continue;
        }
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let request = PairsRequest { time_limit: left, ..between(request, &anchor.id, &commit.id) };
        let start = Instant::now();
        let measured = if left.is_some_and(|left| left < longest || left.is_zero()) {
            None
        } else {
            Some(term::quietly(|| measure_beside(&mut kept, &request, &session)))
        };
        longest = longest.max(start.elapsed());
        if session.is_interrupted() {
            let message = format!("interrupted after {at} of {count} commits");
            return Err(Failure::new(message).hint("the same command goes on from here").into());
        }
        let is_over = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let measured = measured
            .filter(|measured| !is_over || measured.as_ref().is_ok_and(|report| report.pairs >= PAIRS));
        let Some(measured) = measured else {
            let is_missing = |commit: &&Commit| !history.done.contains(&commit.id);
            return Ok((failed, commits[at..].iter().filter(is_missing).count()));
        };
        let what = match measured.and_then(|report| history.add(commit, &report)) {
            Ok(rows) => counted(rows as u64, "benchmark"),
            Err(error) if commit.id == anchor.id => return Err(error),
            Err(error) => {
                failed += 1;
                format!("left out: {}", failure::message(&error))
            }
        };
        let seconds = start.elapsed().as_secs();
        term::note(&format!("{}/{count} {}: {what}, {seconds} s", at + 1, commit.line()));
    }
    Ok((failed, 0))
}

/// The commits to measure, the newest first.
fn commits(cli: &Cli) -> anyhow::Result<Vec<Commit>> {
    let most = usize::from(cli.count);
    let listed = if cli.tags {
        git(&["tag", "--merged", "HEAD", "--sort=-creatordate"])?
    } else {
        git(&["log", "--first-parent", "--format=%H %ct", "HEAD"])?
    };
    let mut seen = BTreeSet::new();
    let is_wanted = |line: &&str| match cli.every {
        Some(period) => {
            let date = line.split_once(' ').and_then(|(_, date)| date.parse::<i64>().ok());
            seen.insert(date.unwrap_or_default().div_euclid(period.seconds()))
        }
        None => true,
    };
    let names = listed.lines().filter(is_wanted).take(most);
    let commits: Vec<Commit> =
        names.map(|line| Commit::of(line.split(' ').next().unwrap_or(line))).collect::<Result<_, _>>()?;
    if commits.is_empty() {
        let hint = "a shallow clone has one: fetch more with `git fetch --unshallow --tags`";
        return Err(Failure::new("there are no such commits").hint(hint).into());
    }
    Ok(commits)
}

/// The rows of all commits, and the file that they are in.
struct History<'h> {
    path: &'h Path,
    config: &'h Config,
    specs: Option<PathBuf>,
    rows: Vec<Row>,
    done: BTreeSet<String>,
}

/// A number of each pair.
type OfPairs = BTreeMap<i64, Value>;
/// The numbers of one side by benchmark and metric.
type Numbers = BTreeMap<(Name, Name), OfPairs>;

impl<'h> History<'h> {
    fn of(path: &'h Path, config: &'h Config, specs: Option<PathBuf>) -> anyhow::Result<Self> {
        if config.run().measure == Measured::Process {
            return Err(no_results());
        }
        let rows = if path.exists() { load::read_strictly(path, config)?.rows } else { Vec::new() };
        let done = rows.iter().map(|row| row.commit.to_string()).collect();
        Ok(Self { path, config, specs, rows, done })
    }

    /// Adds the rows of a commit and writes the file. Returns how many they are.
    fn add(&mut self, commit: &Commit, report: &PairsReport) -> anyhow::Result<usize> {
        if let Some(file) = &report.shared_output {
            return Err(Failure::new(format!("both commits ran the same `{file}`; set `build`")).into());
        }
        let [base, current] = [&report.base, &report.current].map(|rows| self.numbers(rows));
        if current.keys().any(|(_, metric)| &**metric == OF_PROCESS) {
            return Err(no_results());
        }
        let keys: BTreeMap<Name, Arc<Key>> =
            report.current.iter().map(|row| (Name::clone(&row.scenario), plain(row, commit))).collect();
        let mut metrics: BTreeMap<Name, Metrics> = BTreeMap::new();
        for (name, own) in &current {
            if let Some(value) = base.get(name).map_or_else(|| typical(own), |base| beside_anchor(base, own))
            {
                metrics.entry(Name::clone(&name.0)).or_default().insert(Name::clone(&name.1), value);
            }
        }
        let row = |(scenario, metrics)| {
            let (key, measured_at) = (Arc::clone(keys.get(&scenario)?), commit.committed);
            Some(Row {
                key,
                run_index: AGGREGATE,
                outcome: Outcome::Measured,
                launch: None,
                measured_at,
                metrics,
            })
        };
        let mut rows: Vec<Row> = metrics.into_iter().filter_map(row).collect();
        if rows.is_empty() {
            return Err(Failure::new("it printed no benchmark results").into());
        }
        if let Some(specs) = &self.specs {
            term::diagnostics(&load::stamp_machine(&mut rows, specs));
        }
        let count = rows.len();
        // Commits of a rebase have one date, and are in the order of the file.
        self.rows.splice(0..0, rows);
        self.done.insert(commit.id.clone());
        file::write_if_changed(self.path, baseline::write(&self.rows, &[], self.config)?.as_bytes())?;
        Ok(count)
    }

    /// The numbers that `perf-gate run` would take of these launches.
    fn numbers(&self, rows: &[Row]) -> Numbers {
        let mut numbers = Numbers::new();
        for row in rows {
            let mut one = vec![row.clone()];
            if self.config.run().measure == Measured::Quickest {
                quickest(&mut one, self.config);
            }
            let is_end = |name: &str| matches!(name.rsplit_once('.'), Some((_, "d1" | "d9")));
            for (name, value) in
                one.iter().flat_map(|one| one.metrics.iter()).filter(|(name, _)| !is_end(name))
            {
                let key = (Name::clone(&row.scenario), Name::clone(name));
                numbers.entry(key).or_default().insert(row.run_index, value);
            }
        }
        numbers
    }
}

/// The key of a row without what pairs add to it.
fn plain(row: &Row, commit: &Commit) -> Arc<Key> {
    let is_fingerprint = |word: &&str| word.starts_with(HARNESS) || word.starts_with(TOOLCHAIN);
    let words = row.methodology.as_deref().unwrap_or_default().split(' ').filter(is_fingerprint);
    let words = words.collect::<Vec<_>>().join(" ");
    let methodology = Some(words).filter(|words| !words.is_empty()).map(Name::from);
    let commit = commit.id.as_str().into();
    let conditions = Conditions { commit, methodology, ..Conditions::clone(&row.key.conditions) };
    Arc::new(Key { scenario: Name::clone(&row.scenario), conditions: conditions.into() })
}

fn typical(of_pairs: &OfPairs) -> Option<Value> {
    perf_model::suite::median(of_pairs.values().copied().collect())
}

/// The number of one launch of the anchor times the median of the ratios; counts do not vary.
fn beside_anchor(base: &OfPairs, own: &OfPairs) -> Option<Value> {
    let (pair, launch) = base.first_key_value()?;
    let (Value::Real(launch), Some(Value::Real(_))) = (launch, own.get(pair)) else { return typical(own) };
    let ratio = |(pair, own): (&i64, &Value)| Some(own.as_f64() / base.get(pair)?.as_f64());
    let ratios: Vec<f64> = own.iter().filter_map(ratio).filter(|ratio| ratio.is_finite()).collect();
    Value::new(launch * median(&sorted(&ratios))?).or_else(|| typical(own))
}

fn no_results() -> anyhow::Error {
    Failure::new("the command prints no benchmark results, so it has no history of such")
        .hint("commands that are timed themselves are compared by `perf-gate run --base-ref`")
        .into()
}
