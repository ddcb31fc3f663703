//! `perf-gate run`: runs the benchmark, compares it with the baseline, and runs it again where a slow run is unconfirmed.
//!
//! * [`Cli`]: the command line; what it leaves out, `[run]` and `[files]` of the config say.
//! * `again`: the command line that does the same again.
//! * `rerun_suspects`: what looks slower or faster is measured again before a verdict says so.
//! * `load`: the slowdown that other work on the machine explains.
//! * `shard`: a part of the benchmarks, by name or as the share of a job of a matrix.
//! * `defaults`: what `compare` and `explain` take from the last run and the config.
//! * `last`: the last run, for `explain` and `accept`.
//! * `doctor`: what a measurement meets on this machine, and which slowdowns it would detect.
//! * `noise`: how much each benchmark varies, which a first baseline shows.
//! * `benchmark`: one run of the benchmark, and finding what it left behind.
//! * `workflow`: the workflow for pull requests; `ecosystems`: its steps and its build, by the files of the project.
//! * `tools`: what the other subcommands do, as functions.

#![cfg_attr(
    not(feature = "github"),
    allow(
        dead_code,
        unused_imports,
        reason = "the action uses parts that `run` does not"
    )
)]

mod accept;
mod benchmark;
mod compared;
mod defaults;
mod doctor;
mod ecosystems;
mod init;
mod last;
mod load;
mod noise;
mod reproduce;
mod rerun_suspects;
mod rows;
mod shard;
mod workflow;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use measure::Conditions;
use measure::pairs::{self, PairsRequest, Session};
use perf_cli::load::git::{self, RefPath};
use perf_cli::load::{CONFIG, ConfigArgs, FilterArgs, InputArgs, RowFilters};
use perf_cli::{Exit, Failure, term};
use perf_config::Config;
use perf_model::row::{Name, Row};
use perf_readers::Format;
use render_perf_deltas::{CompareRequest, FailOnList, ReportForms, compare, show};

pub use self::accept::{Cli as Accept, run as accept};
pub(crate) use self::benchmark::{Benchmark, FOLDER, Surroundings, quickest};
pub use self::defaults::complete;
pub use self::doctor::{Cli as Doctor, run as doctor};
pub use self::init::{Cli as Init, run as init};
pub use self::last::explain;
pub(crate) use self::last::whole_name;
pub(crate) use self::reproduce::{end, option};
pub(crate) use self::rerun_suspects::rerun_unsettled;
pub(crate) use self::rows::describe_machine;
pub(crate) use self::shard::{Part, Shard, Share};

/// What the baseline is called where nobody says otherwise.
pub(crate) const BASELINE: &str = "perf-baseline.csv";

/// The file of rows of earlier commits that `backfill` writes, which a comparison with the baseline reads.
pub(crate) const HISTORY: &str = "perf-history.csv";

/// The benchmark as it is launched, and the place of its results.
#[derive(Args, Clone, Debug)]
pub(crate) struct LaunchArgs {
    /// The benchmark [default: `run.command` of the config]
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,

    /// The file or folder that the command writes its results to [default: its output, or Criterion's folder]
    #[arg(long, value_name = "PATH", help_heading = "Benchmark")]
    output_of: Option<PathBuf>,

    /// The format of the results, if it is not detected
    #[arg(short, long, value_name = "NAME", value_parser = perf_cli::load::format_name, help_heading = "Benchmark")]
    format: Option<&'static Format>,

    /// Run the command as it is: add no options for many short samples [default: `run.as-is` of the config]
    #[arg(long, help_heading = "Benchmark", hide_short_help = true)]
    as_is: bool,
}

/// A benchmark with its baseline, and what its rows say of themselves.
#[derive(Args, Clone, Debug)]
pub(crate) struct BenchmarkSource {
    #[command(flatten)]
    launch: LaunchArgs,

    /// Compare with the stored values in this file
    #[arg(short, long, value_name = "FILE", help_heading = "Comparison")]
    baseline: Option<PathBuf>,

    /// Platform for results without one
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new(), help_heading = "Benchmark", hide_short_help = true)]
    platform: Option<String>,

    /// Commit for results without one [default: the commit of the CI run, or HEAD]
    #[arg(long, value_name = "COMMIT", value_parser = NonEmptyStringValueParser::new(), help_heading = "Benchmark", hide_short_help = true)]
    commit: Option<String>,
}

/// Measure this checkout and its base in turn, and compare them
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub struct Cli {
    #[command(flatten)]
    source: BenchmarkSource,

    /// The commit to compare with [default: HEAD if files changed, otherwise the merge base with the default branch,
    /// otherwise HEAD~1]
    #[arg(
        short = 'r',
        long,
        alias = "base-ref",
        value_name = "REV",
        conflicts_with = "baseline",
        help_heading = "Comparison"
    )]
    base: Option<String>,

    /// Build with this command before measuring [default: `run.build` of the config]
    #[arg(long, value_name = "COMMAND", help_heading = "Comparison")]
    build: Option<String>,

    /// Stop measuring after this long [default: `run.time-limit` of the config, or 2m, or the time for 16 pairs up to 10m]
    #[arg(long, value_name = "TIME", value_parser = perf_config::duration, help_heading = "Comparison")]
    time_limit: Option<Duration>,

    /// Check the base out next to the working tree, not at its path
    #[arg(long, help_heading = "Comparison", hide_short_help = true)]
    two_paths: bool,

    /// Run this side's benchmark files on both sides, if `[harness]` of the config lists them
    #[arg(long, value_name = "SIDE", value_parser = ["current"], help_heading = "Comparison", hide_short_help = true)]
    harness_from: Option<String>,

    /// Write the results as the new baseline, and update the page in `files.page` of the config
    #[arg(short, long, conflicts_with = "base", help_heading = "Comparison")]
    save: bool,

    /// Compare a single run with the baseline: rerun nothing
    #[arg(long, help_heading = "Comparison", hide_short_help = true)]
    no_confirm: bool,

    /// Verdicts that fail the gate [default: `deltas.fail-on` of the config, or regressed,missing]
    #[arg(long, value_name = "LIST", help_heading = "Comparison")]
    fail_on: Option<FailOnList>,

    /// Explain one benchmark's verdict instead of printing the table
    #[arg(long, value_name = "BENCHMARK", help_heading = "Output")]
    explain: Option<String>,

    /// Write the report as Markdown; `-` is standard output
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "explain",
        help_heading = "Output"
    )]
    output: Option<PathBuf>,

    /// Write the report as JSON
    #[arg(short, long, value_name = "FILE", value_parser = perf_cli::load::named_file(), help_heading = "Output")]
    json: Option<PathBuf>,

    /// Exit with 0 even if the gate fails
    #[arg(long, help_heading = "Output")]
    exit_zero: bool,

    /// No effect: `run` always exits with 1 if the gate fails
    #[arg(long, hide = true)]
    exit_code: bool,

    /// Show every benchmark in the table, and how its verdict was reached
    #[arg(short, long, help_heading = "Output")]
    verbose: bool,

    /// Measure only this part of the benchmarks, such as `2/8`, divided by their recorded times
    #[arg(
        long,
        value_name = "I/N",
        conflicts_with = "save",
        help_heading = "Benchmark",
        hide_short_help = true
    )]
    shard: Option<Shard>,

    #[command(flatten)]
    filter: RowFilters,

    /// Measure only benchmarks whose names contain this text
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["save", "filters"], hide = true)]
    only: Option<String>,

    #[command(flatten)]
    general: ConfigArgs,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate run -- cargo bench
  perf-gate run --base main -- go test -bench .
  perf-gate run --filter 'benchmark=parse/*' -- cargo bench
  perf-gate run --baseline perf-baseline.csv -- cargo bench
  perf-gate run --save

In a git checkout, run measures the base commit and the working tree in turn
and stores nothing. With --baseline, with `compare = \"baseline\"` in `[run]` of
perf-gate.toml, or outside git, it compares with stored values.

Exit codes: 0 the gate passes; 1 it fails; 2 wrong usage or an error";

/// Runs the command.
///
/// # Errors
/// A benchmark that cannot be run or leaves no results, and what keeps the comparison from being made.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let config = cli.general.load()?;
    let mut source = cli.source.with(&config)?;
    let folder = tempfile::tempdir()?;
    let mut others = BTreeSet::new();
    let part = Part {
        shard: cli.shard,
        only: cli.pattern(),
        left: None,
    };
    // Pairs build each side themselves.
    if cli.base.is_none() || !part.is_whole() {
        build(cli, &config, &source, folder.path())?;
    }
    if !part.is_whole() {
        let known = part.known(&source.baseline, &config);
        let (share, own) = part.take(&source, &source.baseline, known, folder.path(), &config)?;
        (others, source) = (share.names_of_others(), own);
    }
    match &cli.base {
        Some(reference) => in_turn(cli, &config, &source, (reference, others), folder.path()),
        None => against_baseline(cli, &config, &source, others, folder.path()),
    }
}

impl Cli {
    /// The pattern for the names of the benchmarks to measure.
    fn pattern(&self) -> Option<String> {
        match &self.only {
            Some(text) => Some(format!("*{text}*")),
            None => self.filter.benchmark().map(str::to_owned),
        }
    }

    /// The filters for the comparison.
    fn filters(&self) -> FilterArgs {
        FilterArgs {
            rows: self.filter.clone(),
            ..FilterArgs::default()
        }
    }
}

/// Builds the working tree: a program of before the change would measure as unchanged.
fn build(cli: &Cli, config: &Config, source: &Benchmark, folder: &Path) -> anyhow::Result<()> {
    let build = cli.build.clone().or_else(|| config.run().build.clone());
    let Some(build) = build else { return Ok(()) };
    source.launch(&words_of("build", &build)?, &folder.join("build.log"))
}

impl LaunchArgs {
    /// The benchmark that the command line and the config name together.
    ///
    /// # Errors
    /// No command, one with an open quote, or a format that there is not.
    pub(crate) fn with(&self, config: &Config) -> anyhow::Result<Benchmark> {
        let written = config.run();
        Ok(Benchmark {
            words: command_of(&self.command, config)?,
            output: self.output_of.clone().or_else(|| written.results.clone()),
            format: format_in(self.format, config)?,
            is_as_is: self.as_is || written.as_is,
            ..Benchmark::default()
        })
    }
}

impl BenchmarkSource {
    fn with(&self, config: &Config) -> anyhow::Result<Benchmark> {
        let baseline = self
            .baseline
            .clone()
            .or_else(|| config.files().baseline.clone());
        Ok(Benchmark {
            baseline: baseline.unwrap_or_else(|| BASELINE.into()),
            platform: self.platform.clone(),
            commit: self.commit.clone(),
            ..self.launch.with(config)?
        })
    }
}

/// The format that the command line names, else the config.
///
/// # Errors
/// One that there is not.
pub(crate) fn format_in(
    named: Option<&'static Format>,
    config: &Config,
) -> anyhow::Result<Option<&'static Format>> {
    let written = || {
        config
            .run()
            .format
            .as_deref()
            .map(|name| ("run.format", name))
    };
    let named = named
        .map(|format| ("--format", format.name))
        .or_else(written);
    named
        .map(|(key, name)| perf_cli::load::known_format(key, name, config))
        .transpose()
}

/// The benchmark that the command line names behind `--`, else the config.
///
/// # Errors
/// No command, or one with an open quote.
pub(crate) fn command_of(named: &[OsString], config: &Config) -> anyhow::Result<Vec<OsString>> {
    let written = config.run().command.as_deref().filter(|_| named.is_empty());
    let words = written.map_or_else(
        || Ok(named.to_vec()),
        |written| words_of("command", written),
    )?;
    if words.is_empty() {
        let hint = match config_above() {
            Some(path) => format!("`{}` is in a folder above: run this there", term::shown(&path)),
            None => {
                "write it behind `--`, as in `-- cargo bench`, or set `command` in `[run]` of perf-gate.toml"
                    .to_owned()
            }
        };
        return Err(Failure::new("no benchmark to run").hint(hint).into());
    }
    Ok(words)
}

/// Refuses a name that the config's baseline does not have, where there is one.
///
/// # Errors
/// Such a name, or a baseline that cannot be read.
pub(crate) fn refuse_unknown(name: &str, config: &Config) -> anyhow::Result<()> {
    let path = config
        .files()
        .baseline
        .clone()
        .unwrap_or_else(|| BASELINE.into());
    defaults::refuse_unknown(name, &path, config)
}

/// The nearest config in a folder above this one, if this one has none.
fn config_above() -> Option<PathBuf> {
    let here = std::env::current_dir()
        .ok()
        .filter(|here| !here.join(CONFIG).exists())?;
    here.ancestors()
        .skip(1)
        .map(|folder| folder.join(CONFIG))
        .find(|path| path.is_file())
}

/// The words of a command that is one text, as `run.command` and `run.build` of the config are.
pub(crate) fn words_of(key: &str, command: &str) -> anyhow::Result<Vec<OsString>> {
    let words = shell_words::split(command).map_err(|_| {
        Failure::new(format!(
            "invalid {key} `{}`: a quote is not closed",
            term::printable(command)
        ))
    })?;
    Ok(words.into_iter().map(OsString::from).collect())
}

/// Launches of both sides in turn; pairs need no baseline and no confirmation.
fn in_turn(
    cli: &Cli,
    config: &Config,
    benchmark: &Benchmark,
    (reference, others): (&str, BTreeSet<Name>),
    folder: &Path,
) -> anyhow::Result<Exit> {
    let [base, current] = ["base.csv", "current.csv"].map(|name| folder.join(name));
    let request = rows::pairs_request(cli, config, benchmark, reference)?;
    let [base_rows, current_rows] = [&base, &current].map(|path| Some(path.clone()));
    let measured = pairs::measure(
        &PairsRequest {
            base_rows,
            current_rows,
            ..request
        },
        &Session::start()?,
    )?;
    let source = InputArgs {
        input: vec![current],
        config: cli.general.config.clone(),
        ..InputArgs::default()
    };
    let request = CompareRequest {
        baseline_csv: Some(base),
        paired: true,
        other_shards: others,
        reproduction: Some(reproduce::reproduction(cli)),
        filter: cli.filters(),
        fail_on: cli.fail_on.clone(),
        findings: measured.findings,
        ..CompareRequest::of(source)
    };
    let mut found = Vec::new();
    let report = compare(&request, &mut found);
    term::diagnostics(&found);
    let report = report?;
    last::keep(&report)?;
    show(&report, &shown(cli))
}

fn against_baseline(
    cli: &Cli,
    config: &Config,
    benchmark: &Benchmark,
    others: BTreeSet<Name>,
    folder: &Path,
) -> anyhow::Result<Exit> {
    if let Some(name) = &cli.explain {
        defaults::refuse_unknown(name, &benchmark.baseline, config)?;
    }
    // A name that messages can show, and a file that can be looked at.
    let kept = Path::new(FOLDER);
    let folder = if kept.is_dir() { kept } else { folder };
    let machine = Conditions::at_start();
    let specs = describe_machine(folder);
    benchmark
        .note(config)
        .iter()
        .for_each(|note| term::note(note));
    let run = |number| benchmark.run(folder, number, specs.as_deref(), config);
    let source = InputArgs {
        rows: Some(run(0)?),
        config: cli.general.config.clone(),
        ..InputArgs::default()
    };
    let mut request = CompareRequest {
        reproduction: Some(reproduce::reproduction(cli)),
        filter: cli.filters(),
        fail_on: cli.fail_on.clone(),
        ..CompareRequest::of(source.clone())
    };
    name_baseline(&mut request, &benchmark.baseline, config.history.last)?;
    request
        .history
        .extend(Some(PathBuf::from(HISTORY)).filter(|path| path.is_file()));
    let lacks_baseline = !benchmark.has_baseline() && !request.history.is_empty();
    if let Some(current) = source.rows.as_ref().filter(|_| lacks_baseline) {
        request.baseline_csv = Some(newest_of_history(&current.rows, folder, config)?);
    }
    (request.is_rerun, request.other_shards) = (true, others);
    let mut found = Vec::new();
    let mut report = compare(&request, &mut found);
    if let (Ok(first), false) = (&report, cli.no_confirm)
        && rerun_suspects::run(
            cli,
            config,
            benchmark,
            &mut request,
            first,
            |narrowed, number| narrowed.run(folder, number, specs.as_deref(), config),
        )?
    {
        found.clear();
        report = compare(&request, &mut found);
    }
    machine.at_end();
    term::diagnostics(&found);
    let report = report?;
    if let Some(rows) = &source.rows {
        last::keep_rows(rows, config)?;
    }
    last::keep(&report)?;
    let exit = show(&report, &shown(cli))?;
    if cli.save {
        rows::save(source, benchmark, config, specs)?;
        return Ok(Exit::Ok);
    }
    if !benchmark.has_baseline() {
        term::hint(&format!(
            "`--save` writes the baseline `{}`",
            term::shown(&benchmark.baseline)
        ));
    }
    Ok(exit)
}

/// The rows of the newest commit of the history on the platforms of this run as a baseline, which the second look measures.
fn newest_of_history(current: &[Row], folder: &Path, config: &Config) -> anyhow::Result<PathBuf> {
    let platforms: BTreeSet<&Name> = current.iter().map(|row| &row.platform).collect();
    let mut rows = perf_cli::load::read_strictly(Path::new(HISTORY), config)?.rows;
    rows.retain(|row| platforms.contains(&row.platform));
    let newest = rows
        .iter()
        .max_by_key(|row| row.measured_at)
        .map(|row| Name::clone(&row.commit));
    rows.retain(|row| Some(&row.commit) == newest.as_ref());
    perf_cli::load::history::name_as_now(&mut rows, config);
    let path = folder.join("newest-of-history.csv");
    perf_cli::file::write_if_changed(
        &path,
        perf_readers::baseline::write(&rows, &[], config)?.as_bytes(),
    )?;
    Ok(path)
}

/// What is compared with: the file with its history, or else that of HEAD.
fn name_baseline(request: &mut CompareRequest, path: &Path, last: usize) -> anyhow::Result<()> {
    let is_committed = git::is_committed(path);
    if is_committed && !path.is_file() {
        let place = RefPath::new("HEAD", &format!("./{}", path.display())).map_err(Failure::new)?;
        request.baseline_git = Some(place);
    } else {
        request.baseline_csv = Some(path.to_owned());
    }
    request.history_git = is_committed.then_some(last);
    Ok(())
}

/// The report that the command line asks for. A terminal gets the table.
fn shown(cli: &Cli) -> ReportForms {
    let is_markdown = cli.explain.is_none() && !io::stdout().is_terminal();
    ReportForms {
        explain: cli.explain.clone(),
        verbose: cli.verbose,
        output: cli
            .output
            .clone()
            .or_else(|| is_markdown.then(|| "-".into())),
        json: cli.json.clone(),
        exit_code: !cli.exit_zero,
        ..ReportForms::default()
    }
}
