//! `perf-gate run`: measures the checkout and a base commit alternately, or the checkout alone against stored values.
//!
//! * [`Cli`]: the command line; other settings come from the config.
//! * `base`: the commit to compare with.
//! * `rerun_suspects`: reruns undecided benchmarks when comparing with stored values.
//! * `shard`: selects benchmarks by name or for one CI job.
//! * `last`: the last run, for `explain` and `accept`.
//! * `doctor`: shows what disturbs measurements on this machine, and which slowdowns pairs can detect.
//! * `benchmark`: one run and its results.
//! * `workflow`: the workflow for pull requests, with its setup steps and build.

#![cfg_attr(
    not(feature = "github"),
    allow(
        dead_code,
        unused_imports,
        reason = "the action uses parts that `run` does not"
    )
)]

mod accept;
mod base;
mod benchmark;
mod doctor;
mod init;
mod last;
mod rerun_suspects;
mod shard;
mod workflow;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use extract_perf_baseline::BaselineRequest;
use measure::Conditions;
use measure::pairs::{PairsRequest, Session, Tree};
use perf_cli::load::git::{self, RefPath};
use perf_cli::load::history::name_run_as_now;
use perf_cli::load::{CONFIG, ConfigArgs, FilterArgs, InputArgs, RowFilters};
use perf_cli::{Exit, Failure, ResultExt, file, term};
use perf_config::{ComparedWith, Config, FailOn, FailOnList, Measured, Refresh};
use perf_model::diagnostic::counted;
use perf_model::row::Row;
use perf_readers::{Format, ParseReport};
use perf_report::shell::CommandLine;
use perf_verdict::rules::pairs::LOOKS;
use render_perf_deltas::{
    CompareReport, CompareRequest, OutputFormat, ReportForms, Reproduction, compare, show,
};
use render_perf_doc::{PageReport, PageRequest, update_page};

pub use self::accept::{Cli as Accept, run as accept};
use self::base::Base;
pub use self::base::default_base;
pub use self::benchmark::{Benchmark, FOLDER, create_folder, is_decile, quickest};
pub use self::doctor::{Cli as Doctor, run as doctor};
pub use self::init::{Cli as Init, run as init};
pub use self::last::{Explain, explain};
pub use self::last::{refuse_unknown, whole_name, write_rows};
pub use self::rerun_suspects::rerun_unsettled;
pub use self::shard::{Part, Shard, Share, seconds};

/// The default baseline.
pub const BASELINE: &str = "perf-baseline.csv";

/// The history that `backfill` writes and `run` reads.
pub const HISTORY: &str = "perf-history.csv";

/// The benchmark command and its results.
#[derive(Args, Clone, Debug)]
pub struct LaunchArgs {
    /// The benchmark [default: `run.command` of the config]
    #[arg(last = true, value_name = "COMMAND", help_heading = None)]
    command: Vec<OsString>,

    /// The file or folder that the command writes its results to [default: its output, or Criterion's folder]
    #[arg(
        long,
        value_name = "PATH",
        help_heading = "Benchmark",
        hide_short_help = true
    )]
    output_of: Option<PathBuf>,

    /// The format of the results, if it is not detected
    #[arg(short, long, value_name = "NAME", value_parser = perf_cli::load::format_name, help_heading = "Benchmark", hide_short_help = true)]
    format: Option<&'static Format>,

    /// Run the command as it is: add no options for many short samples [default: `run.as-is` of the config]
    #[arg(long, help_heading = "Benchmark", hide_short_help = true)]
    as_is: bool,
}

/// Measure this checkout and its base alternately, and compare them
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES, next_help_heading = "Comparison")]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub struct Cli {
    #[command(flatten)]
    launch: LaunchArgs,

    /// Compare with the stored values in this file
    #[arg(short, long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// The commit to compare with
    ///
    /// By default HEAD if files changed, otherwise the merge base with the default branch, otherwise HEAD~1
    #[arg(
        short = 'r',
        long,
        alias = "base-ref",
        value_name = "REV",
        conflicts_with = "baseline"
    )]
    base: Option<String>,

    /// Build with this command before measuring
    ///
    /// By default `run.build` of the config
    #[arg(long, value_name = "COMMAND")]
    build: Option<String>,

    /// Stop measuring after this long [default: 2m, extended to at most 10m if 16 pairs take longer]
    ///
    /// `run.time-limit` of the config changes the default
    #[arg(long, value_name = "TIME", value_parser = perf_config::duration)]
    time_limit: Option<Duration>,

    /// Check out the base next to the working tree instead of at the working tree's path
    #[arg(long, hide_short_help = true)]
    two_paths: bool,

    /// Run the head's benchmark files in the base too, if `[harness]` of the config lists them
    #[arg(long, value_name = "SIDE", value_parser = ["current"], hide_short_help = true)]
    harness_from: Option<String>,

    /// Write the results as the new baseline
    ///
    /// Also updates the page in `files.page` of the config
    #[arg(short, long, conflicts_with_all = ["base", "filters"])]
    save: bool,

    /// Compare a single run with the baseline, without reruns
    #[arg(long, hide_short_help = true)]
    no_confirm: bool,

    /// Verdicts that fail the gate [default: regressed,missing]
    ///
    /// `deltas.fail-on` of the config changes the default
    #[arg(long, value_name = "LIST", value_parser = FailOn::parse_list)]
    fail_on: Option<FailOnList>,

    /// Write the report as Markdown; `-` is standard output
    #[arg(long, value_name = "FILE", help_heading = "Output")]
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

    /// Show every benchmark, and how its verdict was reached
    #[arg(short, long, help_heading = "Output")]
    verbose: bool,

    /// Measure only this part of the benchmarks, such as `2/8`; recorded times balance the parts
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

    #[command(flatten)]
    general: ConfigArgs,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate run -- cargo bench
  perf-gate run --base main -- go test -bench .
  perf-gate run --filter 'benchmark=parse/*' -- cargo bench
  perf-gate run --baseline perf-baseline.csv -- cargo bench

In a git checkout, run measures base and working tree alternately. With --baseline,
or outside git, it compares with stored values.

The report's last line says which limit applied. perf-gate.toml sets others:

  [[gates]]
  scenarios = [\"*Parse\"]
  limit = \"5%\"

Exit codes: 0 the gate passes; 1 it fails, by default if pairs prove a slowdown of
more than 2%, if a value is more than 33% worse than its baseline, or if a benchmark
is missing; 2 wrong usage or an error. `--fail-on regressed,missing,inconclusive`
also fails what could not be decided";

/// Runs the command.
///
/// # Errors
/// Fails if the benchmark cannot be run or produces no results, or if the results cannot be compared.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let config = cli.general.load()?;
    let mut benchmark = cli.benchmark(&config)?;
    let base = base(cli, &config)?;
    let needs_baseline = base.is_none() && !cli.save;
    // If there is a history, a missing baseline is a mistake: every benchmark would be new and pass.
    let is_mistake = cli.baseline.is_some() || Path::new(HISTORY).is_file();
    if needs_baseline && is_mistake && !benchmark.has_baseline() {
        let path = term::shown(&benchmark.baseline);
        return Err(anyhow!("`{path}` does not exist"))
            .hint("`perf-gate run --save` writes a baseline");
    }
    let folder = create_folder()?;
    let part = Part {
        shard: cli.shard,
        only: cli.filter.benchmark().map(str::to_owned),
    };
    let exit = if let Some(base) = base {
        compare_pairs(cli, &config, &benchmark, &base, &part)?
    } else {
        // Without a build, an outdated program could be measured.
        if let Some(build) = build_command(cli.build.as_deref(), &config)? {
            term::step("building");
            benchmark.launch(&build, &folder.join("build.log"))?;
        }
        let mut share = None;
        if !part.is_whole() {
            let selected = part.select(&benchmark, folder, &config)?;
            share = Some(selected.0);
            benchmark = selected.1;
        }
        compare_with_baseline(cli, &config, &benchmark, share)?
    };
    if exit == Exit::Regressed {
        term::hint(
            "`perf-gate explain BENCHMARK` shows how it was decided, `perf-gate why BENCHMARK` the cause",
        );
    }
    Ok(exit)
}

/// Chooses the commit to measure alternately with the checkout. Returns `None` to compare with stored values.
fn base(cli: &Cli, config: &Config) -> anyhow::Result<Option<Base>> {
    if let Some(reference) = &cli.base {
        return Ok(Some(Base::named(reference)));
    }
    let is_stored = config.run().compare == ComparedWith::Baseline;
    if cli.baseline.is_some() || cli.save || is_stored {
        return Ok(None);
    }
    let base = default_base()?;
    if base.is_none() {
        term::note("comparing with stored values: git has no commit to compare with");
    }
    Ok(base)
}

impl Cli {
    /// The benchmark from the command line and the config, with the path of its baseline.
    fn benchmark(&self, config: &Config) -> anyhow::Result<Benchmark> {
        let baseline = self.baseline.clone();
        Ok(Benchmark {
            baseline: baseline.unwrap_or_else(|| baseline_path(config)),
            ..self.launch.with(config)?
        })
    }

    /// Adds the command line's settings, and the benchmarks that other shards measure, to a request. Prints which part
    /// of the suite was measured.
    fn comparison(&self, request: CompareRequest, share: Option<Share>) -> CompareRequest {
        let mut others = BTreeSet::new();
        if let Some(share) = share {
            term::note(&share.sentence());
            others = share.others;
        }
        CompareRequest {
            other_shards: others,
            reproduction: Some(reproduction(self)),
            filter: FilterArgs {
                rows: self.filter.clone(),
                ..FilterArgs::default()
            },
            fail_on: self.fail_on.clone(),
            ..request
        }
    }
}

impl LaunchArgs {
    /// The benchmark from the command line and the config, without a baseline.
    ///
    /// # Errors
    /// Fails if the command is missing or contains an unclosed quote, or if the format is unknown.
    pub fn with(&self, config: &Config) -> anyhow::Result<Benchmark> {
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

/// The results' format from the command line or the config. `None` if neither sets it.
///
/// # Errors
/// Fails if the format is unknown.
pub fn format_in(
    named: Option<&'static Format>,
    config: &Config,
) -> anyhow::Result<Option<&'static Format>> {
    let (key, name) = match (named, &config.run().format) {
        (Some(format), _) => ("--format", format.name),
        (None, Some(name)) => ("run.format", name.as_str()),
        (None, None) => return Ok(None),
    };
    perf_cli::load::known_format(key, name, config).map(Some)
}

/// The build command from the command line or the config. `None` if neither sets it.
///
/// # Errors
/// Fails if the command contains an unclosed quote.
pub fn build_command(
    given: Option<&str>,
    config: &Config,
) -> anyhow::Result<Option<Vec<OsString>>> {
    match given.or(config.run().build.as_deref()) {
        Some(build) => words_of("build", build).map(Some),
        None => Ok(None),
    }
}

/// The baseline's path: the config's, or the default.
pub fn baseline_path(config: &Config) -> PathBuf {
    let named = config.files().baseline.clone();
    named.unwrap_or_else(|| BASELINE.into())
}

/// The command after `--`, or the config's.
///
/// # Errors
/// Fails if the command is missing, or contains an unclosed quote.
pub fn command_of(named: &[OsString], config: &Config) -> anyhow::Result<Vec<OsString>> {
    let words = match &config.run().command {
        Some(written) if named.is_empty() => words_of("command", written)?,
        _ => named.to_vec(),
    };
    if words.is_empty() {
        let hint = match config_above() {
            Some(path) => format!("`{}` is in a parent folder: run this there", term::shown(&path)),
            None => {
                "pass it after `--`, such as `-- cargo bench`, or set `command` in `[run]` of perf-gate.toml"
                    .to_owned()
            }
        };
        return Err(anyhow!("no benchmark to run")).hint(hint);
    }
    Ok(words)
}

/// The nearest config in a parent folder. `None` if the current folder contains a config itself.
fn config_above() -> Option<PathBuf> {
    let here = std::env::current_dir()
        .ok()
        .filter(|here| !here.join(CONFIG).exists())?;
    here.ancestors()
        .skip(1)
        .map(|folder| folder.join(CONFIG))
        .find(|path| path.is_file())
}

/// Splits a command such as `run.build` of the config into words.
pub fn words_of(key: &str, command: &str) -> anyhow::Result<Vec<OsString>> {
    let words = shell_words::split(command);
    let words = words.with_context(|| format!("invalid {key} `{}`", term::printable(command)))?;
    Ok(words.into_iter().map(OsString::from).collect())
}

/// Measures the base and the checkout alternately, and compares them. This needs neither a baseline nor confirmation
/// runs.
fn compare_pairs(
    cli: &Cli,
    config: &Config,
    benchmark: &Benchmark,
    base: &Base,
    part: &Part,
) -> anyhow::Result<Exit> {
    if !base.sentence.is_empty() {
        term::note(&base.sentence);
    }
    let request = PairsRequest {
        // If the base does not contain the benchmark yet, report it as new.
        is_base_optional: true,
        is_silent: true,
        build: build_command(cli.build.as_deref(), config)?,
        is_at_two_paths: cli.two_paths,
        is_harness_of_current: cli.harness_from.is_some(),
        time_limit: cli.time_limit.or(config.run().time_limit()),
        config: cli.general.config.clone(),
        ..benchmark.pairs(Tree::Commit(base.reference.clone()), config)
    };
    let session = Session::start()?;
    let machine = Conditions::at_start();
    let measure = || part.measure(&request, benchmark, &session, config);
    let measured = if cli.verbose {
        measure()
    } else {
        term::quietly(measure)
    };
    let is_interrupted = session.is_interrupted();
    if is_interrupted && measured.is_err() {
        bail!("interrupted before the first pair was measured");
    }
    let (measured, share) = measured?;
    machine.at_end();
    let mut rows = measured.current.iter();
    let is_process = rows.any(|row| row.metrics.get(measure::GROSS).is_some());
    if is_process && config.run().measure != Measured::Process {
        term::note("the command prints no benchmark results, so the whole command is timed");
    }
    let (pairs, seconds) = (measured.pairs, measured.seconds);
    // More time would not help if base and head ran the same program.
    let has_ended_early = is_interrupted || measured.shared_output.is_some();
    if let Some(shortage) = measured.shortage()
        && !has_ended_early
    {
        term::warn(&shortage);
    }
    let config = cli.general.config.clone();
    let request = CompareRequest {
        findings: measured.findings,
        ..pairs_comparison(measured.base, measured.current, config)
    };
    let request = cli.comparison(request, share);
    let mut diagnostics = Vec::new();
    let report = compare(&request, &mut diagnostics);
    term::diagnostics(&diagnostics);
    let report = report?;
    last::keep(&report)?;
    last::forget_rows();
    let exit = show(&report, &report_forms(cli))?;
    if !has_ended_early {
        hint_at_undecided(&report, pairs, seconds);
    }
    Ok(exit)
}

/// If more than half of the benchmarks are inconclusive, suggests a time limit that allows the next analysis, or the
/// command that explains the verdicts.
fn hint_at_undecided(report: &CompareReport, pairs: usize, seconds: f64) {
    let tally = report.counts().tally;
    if tally.inconclusive * 2 <= tally.compared {
        return;
    }
    let next = LOOKS.iter().find(|look| look.pairs > pairs);
    let hint = match next.filter(|_| pairs > 0) {
        Some(next) => {
            let each = Duration::from_secs_f64(seconds).as_millis() / pairs as u128;
            // A quarter more, because the next run may be slower.
            let needed = each * next.pairs as u128 / 800 + 1;
            let pairs = next.pairs;
            format!(
                "the next analysis needs {pairs} pairs: `--time-limit {needed}s` should be enough"
            )
        }
        None => "`perf-gate explain BENCHMARK` shows why".to_owned(),
    };
    term::note(&hint);
}

/// Runs the benchmark once, compares it with stored values, and reruns undecided benchmarks.
fn compare_with_baseline(
    cli: &Cli,
    config: &Config,
    benchmark: &Benchmark,
    share: Option<Share>,
) -> anyhow::Result<Exit> {
    let machine = Conditions::at_start();
    let folder = Path::new(FOLDER);
    let specs = describe_machine(folder);
    if let Some(note) = benchmark.note(config) {
        term::note(&note);
    }
    let run =
        |benchmark: &Benchmark, number| benchmark.run(folder, number, specs.as_deref(), config);
    term::step("running the benchmark");
    let first = run(benchmark, 0)?;
    if first.earlier_results > 0 {
        let results = counted(first.earlier_results, "result");
        term::note(&format!("ignored {results} of an earlier run"));
    }
    let source = InputArgs {
        rows: Some(first),
        config: cli.general.config.clone(),
        ..InputArgs::default()
    };
    let mut request = cli.comparison(
        CompareRequest {
            source: source.clone(),
            ..CompareRequest::default()
        },
        share,
    );
    request.is_rerun = true;
    set_baseline(&mut request, &benchmark.baseline, config.history.last)?;
    if Path::new(HISTORY).is_file() {
        request.history.push(HISTORY.into());
    }
    let mut diagnostics = Vec::new();
    let mut report = compare(&request, &mut diagnostics);
    if !cli.no_confirm
        && let Ok(first) = &report
    {
        if let Some(why) = rerun_unsettled(&mut request, first, benchmark, config, run)? {
            term::note(&why);
            term::hint("rerun the benchmark when the machine is idle");
        }
        diagnostics.clear();
        report = compare(&request, &mut diagnostics);
    }
    machine.at_end();
    term::diagnostics(&diagnostics);
    let report = report?;
    if let Some(rows) = &source.rows {
        write_rows(Path::new(last::ROWS), rows, config)?;
    }
    last::keep(&report)?;
    let exit = show(&report, &report_forms(cli))?;
    hint_at_undecided(&report, 0, 0.0);
    if cli.save {
        save_baseline(source, benchmark, config, specs)?;
        return Ok(Exit::Ok);
    }
    if !benchmark.has_baseline() {
        term::hint(&format!(
            "`perf-gate run --save` writes the baseline `{}`",
            term::shown(&benchmark.baseline)
        ));
    }
    Ok(exit)
}

/// Sets the request's baseline to the config's, if the request does not contain a baseline.
///
/// # Errors
/// Fails if the config cannot be read.
pub fn set_configured_baseline(request: &mut CompareRequest) -> anyhow::Result<()> {
    if request.baseline_csv.is_some() || request.baseline_git.is_some() {
        return Ok(());
    }
    let config = perf_cli::load::config(request.source.config.as_deref())?;
    let history = request.history_git.unwrap_or(config.history.last);
    set_baseline(request, &baseline_path(&config), history)
}

/// Sets the baseline and its history. A committed file that was deleted from the working tree is read from `HEAD`.
fn set_baseline(request: &mut CompareRequest, path: &Path, last: usize) -> anyhow::Result<()> {
    let is_committed = git::is_committed(path);
    request.history_git = is_committed.then_some(last);
    if path.is_file() || !is_committed {
        request.baseline_csv = Some(path.to_owned());
    } else {
        let place = RefPath::new("HEAD", &format!("./{}", path.display())).map_err(Failure::new)?;
        request.baseline_git = Some(place);
    }
    Ok(())
}

/// Selects the report's output formats from the command line. The default is the table.
fn report_forms(cli: &Cli) -> ReportForms {
    let is_markdown = cli.output.as_deref() == Some(Path::new("-"));
    ReportForms {
        verbose: cli.verbose,
        output: cli.output.clone(),
        output_format: (!is_markdown).then_some(OutputFormat::Table),
        json: cli.json.clone(),
        exit_code: !cli.exit_zero,
        has_no_lines: true,
        ..ReportForms::default()
    }
}

/// Writes the machine description to `folder` and returns its path. Returns `None` if that fails; the rows then get no
/// machine type.
pub fn describe_machine(folder: &Path) -> Option<PathBuf> {
    let path = folder.join("machine-specs.json");
    let specs = collect_machine_specs::collect().json().ok()?;
    file::write_if_changed(&path, specs.as_bytes())
        .ok()
        .map(|_| path)
}

/// Reads the rows in a file, with the current names of renamed benchmarks.
///
/// # Errors
/// Fails if the file cannot be read, or contains no rows.
fn read_rows(path: &Path, config: &Config) -> anyhow::Result<ParseReport> {
    let mut rows = InputArgs::default().rows_of(&[path.to_owned()], config)?;
    name_run_as_now(&mut rows, config);
    Ok(rows)
}

/// Creates the request to compare the rows of pairs.
fn pairs_comparison(base: Vec<Row>, current: Vec<Row>, config: Option<PathBuf>) -> CompareRequest {
    let report = |rows| ParseReport {
        rows,
        ..ParseReport::default()
    };
    let source = InputArgs {
        rows: Some(report(current)),
        config,
        ..InputArgs::default()
    };
    CompareRequest {
        baseline_rows: Some(report(base)),
        paired: true,
        source,
        ..CompareRequest::default()
    }
}

/// Writes the baseline, and updates the page if the config specifies one.
fn save_baseline(
    source: InputArgs,
    benchmark: &Benchmark,
    config: &Config,
    specs: Option<PathBuf>,
) -> anyhow::Result<()> {
    write_baseline(source.clone(), &benchmark.baseline)?;
    term::note(&format!(
        "wrote the baseline `{}`",
        term::shown(&benchmark.baseline)
    ));
    let Some(page) = &config.files().page else {
        return Ok(());
    };
    let request = PageRequest {
        doc: Some(page.clone()),
        machine_specs: specs,
        source,
        ..PageRequest::default()
    };
    if matches!(update_page(&request)?, PageReport::Rewritten) {
        term::note(&format!("updated `{}`", term::shown(page)));
    }
    Ok(())
}

fn write_baseline(source: InputArgs, path: &Path) -> anyhow::Result<()> {
    let request = BaselineRequest {
        output: Some(path.to_owned()),
        replace: true,
        // Write all results, because the baseline's versions in git are the history, which needs the results of every
        // run.
        refresh: Some(Refresh::All),
        source,
        ..BaselineRequest::default()
    };
    term::quietly(|| extract_perf_baseline::baseline(&request)).map(drop)
}

/// The command line that reproduces this run, in two parts: `perf-gate run` with options, and the benchmark with its
/// build command and its config.
fn reproduction(cli: &Cli) -> Reproduction {
    let mut line = CommandLine::new("perf-gate run");
    line.option("--base", cli.base.as_ref());
    line.option("--shard", cli.shard);
    let pattern = cli.filter.benchmark();
    line.option(
        "--filter",
        pattern.map(|pattern| format!("benchmark={pattern}")),
    );
    let limit = cli.time_limit.map(|limit| limit.as_secs_f64());
    line.option("--time-limit", limit.map(|seconds| format!("{seconds}s")));
    line.option("--harness-from", cli.harness_from.as_ref());
    line.files("--output-of", &cli.launch.output_of);
    line.option("--format", cli.launch.format.map(|format| format.name));
    line.files("--baseline", &cli.baseline);
    line.flag("--two-paths", cli.two_paths);
    line.flag("--as-is", cli.launch.as_is);

    let words = cli.launch.command.iter();
    let words: Vec<String> = words
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let config = cli.general.config.as_deref();
    Reproduction {
        command: line.text(),
        benchmark: Some(benchmark_words(cli.build.as_deref(), config, &words)),
        ..Reproduction::default()
    }
}

/// The last part of a command line that measures: the build command, the config and the benchmark. Empty if the default
/// config contains all of them.
pub fn benchmark_words(build: Option<&str>, config: Option<&Path>, words: &[String]) -> String {
    let mut line = CommandLine::default();
    line.option("--build", build);
    line.option("--config", config.map(Path::display));
    line.command(words);
    line.text()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        cli: Cli,
    }

    fn reproduce(line: &[&str]) -> [String; 2] {
        let line = Line::try_parse_from(["run"].iter().chain(line)).unwrap();
        let reproduction = reproduction(&line.cli);
        [reproduction.command, reproduction.benchmark.unwrap()]
    }

    #[test]
    fn options_and_benchmark_are_repeated() {
        let line = [
            "-r",
            "HEAD~1",
            "--build",
            "make -j",
            "--time-limit=1.5m",
            "--two-paths",
            "--as-is",
            "--",
            "sh",
            "-c",
            "./bench | tail",
        ];
        let [command, benchmark] = reproduce(&line);
        assert_eq!(
            command,
            "perf-gate run --base 'HEAD~1' --time-limit 90s --two-paths --as-is"
        );
        assert_eq!(benchmark, "--build 'make -j' -- sh -c './bench | tail'");
        assert_eq!(
            reproduce(&["--config", "ci/gate.toml"])[1],
            "--config ci/gate.toml"
        );
        assert_eq!(reproduce(&[]), ["perf-gate run", ""]);
    }
}
