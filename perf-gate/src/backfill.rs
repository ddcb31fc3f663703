//! `perf-gate backfill`: measures earlier commits, which gives a new project a history to derive limits from.
//!
//! Each commit is measured once instead of in pairs, because limits for single runs must include the noise that pairs
//! remove. Running the same command again measures the missing commits.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use clap::{Args, ValueEnum};
use measure::pairs::{self, KeptBase, PairsReport, PairsRequest, Session};
use perf_cli::{Exit, ResultExt, failure, file, load, term};
use perf_config::{Config, Measured};
use perf_model::diagnostic::counted;
use perf_model::methodology::{HARNESS, TOOLCHAIN};
use perf_model::row::{AGGREGATE, Key, Name, Row};
use perf_readers::baseline;

use crate::run::{HISTORY, describe_machine, is_decile, quickest};
use crate::series::{Commit, SeriesArgs, git, warn_of_uncommitted, with_commits};

/// The time limit for one process run, and for one commit if `--time-limit` is not set.
const LONGEST: Duration = Duration::from_hours(24);
/// Measure earlier commits to get a history
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Cli {
    /// The number of commits to measure, newest first, along first parents
    #[arg(value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    count: u16,

    /// Measure the newest tags instead
    #[arg(long, conflicts_with = "every")]
    tags: bool,

    /// Measure only the newest commit in each period
    #[arg(long, value_name = "PERIOD")]
    every: Option<Period>,

    #[command(flatten)]
    series: SeriesArgs,

    /// The file to write
    #[arg(long, value_name = "CSV", default_value = HISTORY)]
    output: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate backfill 30 -- go test -bench .
  perf-gate backfill 20 --every week --time-limit 1h
  perf-gate compare -i bench.log -b perf-baseline.csv --history perf-history.csv

Exit codes: 0 all measured; 2 wrong usage, an error, or the time is up. The same
command continues with missing commits";

const SECONDS_PER_DAY: i64 = 24 * 60 * 60;

/// A period. The discriminant is its length in days.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Period {
    Day = 1,
    Week = 7,
    Month = 30,
}

/// Runs the command.
///
/// # Errors
/// Fails if there are no commits, if `HEAD` cannot be measured, if no commit can be measured, if a file cannot be read or
/// written, or after Ctrl-C.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let config = cli.series.general.load()?;
    let request = PairsRequest {
        is_single: true,
        is_as_is: true,
        is_silent: true,
        launch_limit: Some(LONGEST),
        ..cli.series.request(&config)?
    };
    let commits = commits(cli)?;
    warn_of_uncommitted();
    let folder = tempfile::tempdir()?;
    let mut history = History::load(&cli.output, &config, describe_machine(folder.path()))?;
    let before = history.done.len();
    let (failed, left) = measure_all(&commits, &request, &mut history, cli.series.deadline())?;
    if failed > 0 && history.done.len() == before {
        let all = counted(failed as u64, "commit");
        return Err(anyhow!("cannot measure any of {all}")).hint("see the notes above");
    }
    let shown = term::shown(&cli.output);
    if left > 0 {
        let left = counted(left as u64, "commit");
        term::warn(&format!(
            "the time is up before {left}; run the same command again to measure them"
        ));
        return Ok(Exit::Error);
    }
    term::note(&format!(
        "`{shown}` contains {}; {failed} could not be measured",
        counted(history.done.len() as u64, "commit")
    ));
    term::hint(&format!(
        "`perf-gate compare --history {shown}` uses them; `perf-gate run` uses `{HISTORY}`"
    ));
    Ok(Exit::Ok)
}

/// Measures the missing commits. Returns how many failed, and how many the time limit left unmeasured.
fn measure_all(
    commits: &[Commit],
    request: &PairsRequest,
    history: &mut History<'_>,
    deadline: Option<Instant>,
) -> anyhow::Result<(usize, usize)> {
    let (session, mut kept) = (Session::start()?, KeptBase::default());
    let is_missing = |commit: &&Commit| !history.done.contains(&commit.id);
    let missing: Vec<&Commit> = commits.iter().filter(is_missing).collect();
    let head = Commit::resolve("HEAD")?;
    // The first commit that could be measured. The builds of later commits start from its build, so they are incremental.
    let mut built: Option<&str> = None;
    let (mut failed, count, mut last) = (0, commits.len(), Duration::ZERO);
    for (at, commit) in missing.iter().enumerate() {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero() || left < last) {
            return Ok((failed, missing.len() - at));
        }
        let number = count - missing.len() + at + 1;
        let time_limit = left.or(Some(LONGEST));
        let request = PairsRequest {
            time_limit,
            ..with_commits(request, built.unwrap_or(&commit.id), &commit.id)
        };
        let start = Instant::now();
        let measured = term::quietly(|| pairs::measure(&request, &session, Some(&mut kept), None));
        last = start.elapsed();
        if session.is_interrupted() {
            let done = number - 1;
            return Err(anyhow!("interrupted after {done} of {count} commits"))
                .hint("run the same command again to continue");
        }
        if measured.is_err() && deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Ok((failed, missing.len() - at));
        }
        let what = match measured.and_then(|report| history.add(commit, report)) {
            Ok(rows) => {
                built.get_or_insert(&commit.id);
                counted(rows as u64, "benchmark")
            }
            Err(error) if commit.id == head.id => return Err(error),
            Err(error) => {
                failed += 1;
                format!("left out: {}", failure::message(&error))
            }
        };
        let seconds = last.as_secs_f64();
        term::note(&format!(
            "{number}/{count} {}: {what}, {seconds:.0} s",
            commit.line()
        ));
    }
    Ok((failed, 0))
}

/// The commits to measure, the newest first.
fn commits(cli: &Cli) -> anyhow::Result<Vec<Commit>> {
    let listed = if cli.tags {
        git(&["tag", "--merged", "HEAD", "--sort=-creatordate"])?
    } else {
        git(&["log", "--first-parent", "--format=%H %ct", "HEAD"])?
    };
    let mut periods = BTreeSet::new();
    let mut commits = Vec::new();
    for line in listed.lines() {
        let (name, date) = line.split_once(' ').unwrap_or((line, ""));
        let date: i64 = date.parse().unwrap_or_default();
        if let Some(period) = cli.every
            && !periods.insert(date.div_euclid(SECONDS_PER_DAY * period as i64))
        {
            continue;
        }
        commits.push(Commit::resolve(name)?);
        if commits.len() == usize::from(cli.count) {
            break;
        }
    }
    if commits.is_empty() {
        let hint = "in a shallow clone, fetch more with `git fetch --unshallow --tags`";
        return Err(anyhow!("no commits to measure")).hint(hint);
    }
    Ok(commits)
}

/// The history file, its rows, and the commits that it already contains.
struct History<'h> {
    path: &'h Path,
    config: &'h Config,
    specs: Option<PathBuf>,
    rows: Vec<Row>,
    done: BTreeSet<String>,
}

impl<'h> History<'h> {
    fn load(path: &'h Path, config: &'h Config, specs: Option<PathBuf>) -> anyhow::Result<Self> {
        if config.run().measure == Measured::Process {
            return no_results();
        }
        let rows = if path.exists() {
            load::read_strictly(path, config)?.rows
        } else {
            Vec::new()
        };
        let done = rows.iter().map(|row| row.commit.to_string()).collect();
        Ok(Self {
            path,
            config,
            specs,
            rows,
            done,
        })
    }

    /// Adds a commit's rows and writes the file. Returns the number of added rows.
    fn add(&mut self, commit: &Commit, report: PairsReport) -> anyhow::Result<usize> {
        if let Some(file) = &report.shared_output {
            bail!("it ran `{file}` from the working tree; set `build`");
        }
        let mut rows = report.current;
        if rows
            .iter()
            .any(|row| row.metrics.get(measure::GROSS).is_some())
        {
            return no_results();
        }
        if rows.is_empty() {
            bail!("it printed no benchmark results");
        }
        if self.config.run().measure == Measured::Quickest {
            quickest(&mut rows, self.config);
        }
        for row in &mut rows {
            // Leave out deciles, because `perf-gate run` does not compare them.
            let kept = row.metrics.iter().filter(|(name, _)| !is_decile(name));
            row.metrics = kept
                .map(|(name, value)| (Name::clone(name), value))
                .collect();
            let mut key = Key::clone(&row.key);
            let conditions = Arc::make_mut(&mut key.conditions);
            conditions.commit = commit.id.as_str().into();
            // Leave out the methodology of pairs, because `perf-gate run` does not record it.
            let methodology = conditions.methodology.take().unwrap_or_default();
            let mut words: Vec<&str> = methodology.split(' ').collect();
            words.retain(|word| word.starts_with(HARNESS) || word.starts_with(TOOLCHAIN));
            conditions.methodology = (!words.is_empty()).then(|| words.join(" ").into());
            (row.key, row.run_index, row.measured_at) = (key.into(), AGGREGATE, commit.committed);
        }
        if let Some(specs) = &self.specs {
            term::diagnostics(&load::stamp_machine(&mut rows, specs));
        }
        let count = rows.len();
        // The file lists the oldest commit first, and commits are measured newest first. The order matters because rebased
        // commits may have the same date.
        self.rows.splice(0..0, rows);
        self.done.insert(commit.id.clone());
        file::write_if_changed(
            self.path,
            baseline::write(&self.rows, &[], self.config)?.as_bytes(),
        )?;
        Ok(count)
    }
}

fn no_results<T>() -> anyhow::Result<T> {
    Err(anyhow!(
        "the command prints no benchmark results, so it has no history"
    ))
    .hint("`perf-gate run` compares commands that are timed themselves")
}
