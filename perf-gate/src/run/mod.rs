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
use perf_cli::load::{CONFIG, ConfigArgs, InputArgs};
use perf_cli::{Exit, Failure, term};
use perf_config::Config;
use perf_model::row::{Name, Row};
use perf_readers::Format;
use render_perf_deltas::{CompareRequest, ReportForms, compare, show};

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

    /// The file or folder that the command leaves its results in [default: what it prints, or Criterion's folder]
    #[arg(long, value_name = "PATH", help_heading = "Benchmark")]
    output_of: Option<PathBuf>,

    /// The format of the results, where it is not detected
    #[arg(short, long, value_name = "NAME", value_parser = perf_cli::load::format_name, help_heading = "Benchmark")]
    format: Option<&'static Format>,

    /// Launch the command as it is, without options for many short samples [default: `run.as-is` of the config]
    #[arg(long, help_heading = "Benchmark", hide_short_help = true)]
    as_is: bool,
}

/// A benchmark with its baseline, and what its rows say of themselves.
#[derive(Args, Clone, Debug)]
pub(crate) struct BenchmarkSource {
    #[command(flatten)]
    launch: LaunchArgs,

    /// The baseline [default: `files.baseline` of the config, or perf-baseline.csv]
    #[arg(short, long, value_name = "CSV", help_heading = "Comparison")]
    baseline: Option<PathBuf>,

    /// The platform of rows that name none
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new(), help_heading = "Benchmark", hide_short_help = true)]
    platform: Option<String>,

    /// Commit for rows without one [default: the commit of the CI run, or HEAD]
    #[arg(long, value_name = "COMMIT", value_parser = NonEmptyStringValueParser::new(), help_heading = "Benchmark", hide_short_help = true)]
    commit: Option<String>,
}

/// Run the benchmark and compare it with the baseline, or with another commit
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub struct Cli {
    #[command(flatten)]
    source: BenchmarkSource,

    /// Measure this commit and the working tree in turn, instead of comparing with the baseline
    #[arg(short = 'r', long, value_name = "REF", help_heading = "Comparison")]
    base_ref: Option<String>,

    /// Build with this command first, with --base-ref each side [default: `run.build` of the config]
    #[arg(
        long,
        value_name = "COMMAND",
        help_heading = "Comparison",
        hide_short_help = true
    )]
    build: Option<String>,

    /// With --base-ref: stop measuring after this long [default: `run.time-limit` of the config, or 2m, or as long as 16
    /// pairs take, at most 10m]
    #[arg(long, value_name = "TIME", value_parser = perf_config::duration, requires = "base_ref", help_heading = "Comparison", hide_short_help = true)]
    time_limit: Option<Duration>,

    /// With --base-ref: check the commit out beside the working tree, not at its path
    #[arg(
        long,
        requires = "base_ref",
        help_heading = "Comparison",
        hide_short_help = true
    )]
    two_paths: bool,

    /// With --base-ref: run the benchmark of this side on both, as far as `[harness]` of the config names its files
    #[arg(long, value_name = "SIDE", value_parser = ["current"], requires = "base_ref", help_heading = "Comparison", hide_short_help = true)]
    harness_from: Option<String>,

    /// Write the rows as the new baseline, and the page that `files.page` of the config names
    #[arg(short, long, conflicts_with = "base_ref", help_heading = "Comparison")]
    save: bool,

    /// Explain the verdicts on a benchmark, by key or label, instead of the report
    #[arg(long, value_name = "BENCHMARK", help_heading = "Output")]
    explain: Option<String>,

    /// Write the report as Markdown to this file; `-` is standard output
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "explain",
        help_heading = "Output"
    )]
    output: Option<PathBuf>,

    /// Exit with 1 if the gate fails, as without this flag
    #[arg(
        long,
        default_value_t = true,
        help_heading = "Output",
        hide_short_help = true
    )]
    exit_code: bool,

    /// In the table: show all rows, and how each verdict was decided
    #[arg(short, long, help_heading = "Output")]
    verbose: bool,

    /// Measure only this part of the benchmarks, such as `2/8`: they are divided by their recorded times
    #[arg(
        long,
        value_name = "I/N",
        conflicts_with = "save",
        help_heading = "Benchmark",
        hide_short_help = true
    )]
    shard: Option<Shard>,

    /// Measure only the benchmarks with this in their names, as the baseline and the last run have them
    #[arg(
        long,
        value_name = "TEXT",
        conflicts_with = "save",
        help_heading = "Benchmark",
        hide_short_help = true
    )]
    only: Option<String>,

    /// Do not run the benchmark again where a slow run is unconfirmed
    #[arg(long, help_heading = "Comparison", hide_short_help = true)]
    no_confirm: bool,

    #[command(flatten)]
    general: ConfigArgs,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate run -- cargo bench
  perf-gate run --base-ref HEAD -- cargo bench --bench parse
  perf-gate run --save

Exit codes: 0 the gate passes; 1 it fails; 2 something is wrong";

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
        only: cli.only.clone(),
        left: None,
    };
    // Pairs build each side themselves.
    if cli.base_ref.is_none() || !part.is_whole() {
        build(cli, &config, &source, folder.path())?;
    }
    if !part.is_whole() {
        let known = part.known(&source.baseline, &config);
        let (share, own) = part.take(&source, &source.baseline, known, folder.path(), &config)?;
        (others, source) = (share.names_of_others(), own);
    }
    match &cli.base_ref {
        Some(reference) => in_turn(cli, &config, &source, (reference, others), folder.path()),
        None => against_baseline(cli, &config, &source, others, folder.path()),
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
        exit_code: cli.exit_code,
        ..ReportForms::default()
    }
}
