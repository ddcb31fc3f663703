//! The command line of `perf-gate` and its subcommands.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::{ArgMatches, Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use perf_cli::{Exit, args, help, term};
use perf_report::report::Reproduction;
use perf_report::shell::quoted;
use render_perf_deltas::OutputFormat;

#[cfg(feature = "github")]
use crate::action;
use crate::{backfill, bisect, formats, history, run as local, why};

/// The parsed command line. Most subcommands call the library of a single-purpose program.
pub struct Cli(Task);

/// Catch performance regressions in pull requests
#[derive(Args)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    subcommand: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Measure this checkout and its base alternately, and compare them
    Run(Box<local::Cli>),
    /// Compare two results, or a result with a baseline
    Compare(Box<Compare>),
    /// Explain one benchmark's verdict: the rule, the numbers, the limit
    Explain(local::Explain),
    /// Find the smallest slowdown that this machine can detect
    Doctor(Box<local::Doctor>),
    /// Write perf-gate.toml and a GitHub workflow for a benchmark
    Init(Box<local::Init>),
    /// Find the functions that made a benchmark slower
    Why(Box<why::Cli>),
    /// Find the commit that made a benchmark slower
    Bisect(Box<bisect::Cli>),
    /// Accept slowdowns of the last run
    Accept(local::Accept),
    /// Write benchmark results as a baseline CSV
    Baseline(Box<extract_perf_baseline::Cli>),
    /// Measure earlier commits to get a history
    Backfill(Box<backfill::Cli>),
    /// Export all versions of a baseline for a database
    History(Box<history::Cli>),
    /// Update the tables in a Markdown page
    Page(Box<render_perf_doc::Cli>),
    /// Write a static site with a chart for each benchmark
    Site(Box<perf_site::Cli>),
    /// Measure with one instrument: pairs, instruction counts, latency, …
    Measure(measure::Cli),
    /// List the known formats, or describe a new one
    Formats(formats::Cli),
    /// Describe this machine without identifying it
    ///
    /// Prints one line: `<cpu>, <physical>C/<logical>T @ <clock>MHz; <ram>GB <type>@<speed>; <gpu>; <os>`. If the system
    /// does not report a fact, the line leaves it out, the JSON says `unknown`, and a warning appears on stderr. The exit
    /// code is still 0.
    Specs(collect_machine_specs::Cli),
    /// Check that every file pins the same versions of the libraries you benchmark against
    Packages(validate_comparison_packages::Cli),
    /// Post the report, answer comments, commit refreshed baselines
    #[command(subcommand)]
    Ci(Box<CiTask>),
    /// The same as `ci comment`
    #[cfg(feature = "github")]
    #[command(hide = true)]
    Comment(upsert_pr_comment::Cli),
    /// Print the completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write the manual pages into a folder
    #[command(hide = true)]
    Man {
        /// The folder
        folder: PathBuf,
    },
}

/// The tasks of `perf-gate ci`.
#[derive(Subcommand)]
enum CiTask {
    /// Post a report on a pull request as one comment that stays up to date
    #[cfg(feature = "github")]
    Comment(upsert_pr_comment::Cli),
    /// Answer `/bench` or `/perf accept` in a pull request comment
    #[cfg(feature = "github")]
    Answer(upsert_pr_comment::CommandCli),
    /// Commit a refreshed baseline and page through GitHub's API
    #[cfg(feature = "github")]
    Refresh(publish_perf_refresh::Cli),
    /// Run a step of the GitHub Action, which passes its inputs as variables
    #[cfg(feature = "github")]
    #[command(subcommand)]
    Step(action::ActionStep),
    #[cfg(not(feature = "github"))]
    #[command(aliases = ["answer", "comment", "refresh"])]
    Step(Unavailable),
}

/// Accepts any arguments of a GitHub task, in a program that was built without GitHub support.
#[cfg(not(feature = "github"))]
#[derive(Args)]
struct Unavailable {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _arguments: Vec<String>,
}

/// The groups of subcommands in the help. Only the long help shows the last group.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Measure", &["run", "compare", "explain", "doctor", "init"]),
    ("Find", &["why", "bisect", "accept"]),
    ("Keep", &["baseline", "backfill", "history", "page", "site"]),
    ("Tools", &["measure", "formats", "specs", "packages"]),
    ("CI", &["ci"]),
];

/// `compare`, which also accepts two files.
#[derive(Args)]
struct Compare {
    /// Two results to compare: the base first, then the head
    #[arg(
        value_names = ["BASE", "HEAD"],
        num_args = 2,
        conflicts_with_all = ["input", "baseline_csv", "baseline_git"],
        help_heading = "Input"
    )]
    files: Vec<PathBuf>,

    /// Exit with 0 even if the gate fails
    #[arg(long, help_heading = "Limits")]
    exit_zero: bool,

    #[command(flatten)]
    deltas: render_perf_deltas::Cli,
}

/// Runs the subcommand.
///
/// # Errors
/// Fails if the subcommand fails.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    match &cli.0 {
        Task::Run(cli) => local::run(cli),
        Task::Compare(cli) => compare(cli),
        Task::Explain(cli) => local::explain(cli),
        Task::Doctor(cli) => local::doctor(cli),
        Task::Init(cli) => local::init(cli),
        Task::Why(cli) => why::run(cli),
        Task::Bisect(cli) => bisect::run(cli),
        Task::Accept(cli) => local::accept(cli),
        Task::Baseline(cli) => extract_perf_baseline::run(cli),
        Task::Backfill(cli) => backfill::run(cli),
        Task::History(cli) => history::run(cli),
        Task::Page(cli) => render_perf_doc::run(cli),
        Task::Site(cli) => perf_site::run(cli),
        Task::Measure(cli) => measure::run(cli),
        Task::Formats(cli) => formats::run(cli),
        Task::Specs(cli) => collect_machine_specs::run(cli),
        Task::Packages(cli) => validate_comparison_packages::run(cli),
        Task::Ci(task) => match &**task {
            #[cfg(feature = "github")]
            CiTask::Comment(cli) => upsert_pr_comment::run(cli),
            #[cfg(feature = "github")]
            CiTask::Answer(cli) => upsert_pr_comment::command(cli),
            #[cfg(feature = "github")]
            CiTask::Refresh(cli) => publish_perf_refresh::run(cli),
            #[cfg(feature = "github")]
            CiTask::Step(step) => Ok(action::run(step)),
            #[cfg(not(feature = "github"))]
            CiTask::Step(_) => Err(perf_cli::Failure::new("built without GitHub support")
                .hint("build with `--features github`, or use a released program")
                .into()),
        },
        #[cfg(feature = "github")]
        Task::Comment(cli) => upsert_pr_comment::run(cli),
        Task::Completions { shell } => {
            term::stdout(&args::completions(&mut Cli::command(), *shell))?;
            Ok(Exit::Ok)
        }
        Task::Man { folder } => manual(folder),
    }
}

/// Compares two files, or results with a baseline. The baseline defaults to the config's.
fn compare(cli: &Compare) -> anyhow::Result<Exit> {
    let mut deltas = cli.deltas.clone();
    let request = &mut deltas.request;
    let source = &mut request.source;
    if let [base, head] = &cli.files[..] {
        source.input = vec![head.clone()];
        let config = source.config()?;
        request.baseline_rows = Some(source.rows_of(std::slice::from_ref(base), &config)?);
        // Build the command before setting the baseline, because the base is passed as its first argument.
        let command = request.command(&config);
        let base_word = quoted(&base.display().to_string());
        request.reproduction = Some(Reproduction {
            command: command.replacen("--input", &base_word, 1),
            ..Reproduction::default()
        });
        if request.history_git.is_some() {
            request.baseline_csv = Some(base.clone());
        }
    } else {
        local::set_configured_baseline(request)?;
    }
    deltas.shown.exit_code = !cli.exit_zero;
    deltas.shown.has_no_lines = true;
    let is_markdown = deltas.shown.output.as_deref() == Some(Path::new("-"));
    if deltas.shown.output_format.is_none() && !is_markdown {
        deltas.shown.output_format = Some(OutputFormat::Table);
    }
    render_perf_deltas::run(&deltas)
}

fn manual(folder: &PathBuf) -> anyhow::Result<Exit> {
    let made = std::fs::create_dir_all(folder);
    made.and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
        .with_context(|| format!("cannot write manual pages to `{}`", term::shown(folder)))?;
    Ok(Exit::Ok)
}

impl CommandFactory for Cli {
    fn command() -> Command {
        let mut command = Command::new(PROGRAM).arg_required_else_help(true);
        command = Arguments::augment_args(command)
            .mut_subcommand("compare", adapt_compare)
            .mut_subcommand("run", |run| {
                run.mut_arg("filters", |filters| filters.hide_short_help(false))
            });
        let short = list_groups(&command, &GROUPS[..GROUPS.len() - 1]);
        let long = list_groups(&command, &GROUPS);
        let command = command
            .help_template(TEMPLATE)
            .after_help(short)
            .after_long_help(long);
        help::arranged(adapt_options(command))
    }

    fn command_for_update() -> Command {
        Self::command()
    }
}

/// The template without an options section, because `--help` and `--version` are the only options.
const TEMPLATE: &str = "{about}\n\n{usage-heading} {usage}{after-help}";

/// Lists each group's subcommands, one per line, followed by examples.
fn list_groups(command: &Command, groups: &[(&str, &[&str])]) -> String {
    let mut text = String::new();
    for (group, names) in groups {
        let _ = writeln!(text, "{group}:");
        for name in *names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about
                .map(|about| about.ansi().to_string())
                .unwrap_or_default();
            let _ = writeln!(text, "  {name:<10}{about}");
        }
        text += "\n";
    }
    text + EXAMPLES
}

const BASELINE: &str = "The baseline [default: `files.baseline` of the config]";

/// Adapts `compare`: two files can replace `--input`, and the baseline defaults to the config's.
fn adapt_compare(command: Command) -> Command {
    command
        .mut_arg("input", |input| input.required_unless_present("files"))
        .mut_arg("baseline_csv", |baseline| {
            baseline
                .required_unless_present_any(["files", "input"])
                .help(BASELINE)
                .long_help(BASELINE)
        })
        .mut_arg("exit_code", |flag| flag.hide(true))
        .override_usage("perf-gate compare [OPTIONS] [BASE HEAD]")
        .after_help(COMPARE_EXAMPLES)
}

const EXAMPLES: &str = "\
Examples:
  perf-gate run -- go test -bench .
  perf-gate run --base main -- cargo bench
  perf-gate compare before.txt after.txt
  perf-gate completions bash

`perf-gate COMMAND -h` shows the main options of a command, `--help` shows all.

Exit codes: 0 passed; 1 the gate failed; 2 wrong usage or an error; 3 no answer, or an outdated page";

const COMPARE_EXAMPLES: &str = "\
Examples:
  perf-gate compare before.json after.json
  perf-gate compare --input bench.log --baseline perf-baseline.csv
  perf-gate compare before.csv after.csv --output deltas.md --json report.json
  perf-gate compare --input bench.log --baseline-git origin/main:perf-baseline.csv \\
    --history-git 30
  perf-gate compare --input run-1.log --confirm run-2.log \\
    --baseline perf-baseline.csv --fail-on regressed,missing,inconclusive

Exit codes: 0 the gate passes; 1 it fails, by default if a value is more than 33%
worse, or with a history, beyond its limits; 2 wrong usage or an error";

impl FromArgMatches for Cli {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Arguments::from_arg_matches(matches).map(|arguments| Self(arguments.subcommand))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Parser for Cli {}

/// The program's name.
pub const PROGRAM: &str = "perf-gate";

/// Hides and rejects options that only make sense in a single-purpose program.
pub fn adapt_options(command: Command) -> Command {
    command.mut_subcommands(|subcommand| {
        let subcommand = subcommand.mut_args(|argument| {
            match argument.get_id().as_str() {
                "completions" => argument.hide(true).value_parser(reject_completions),
                "baseline_csv" => argument.long("baseline").alias("baseline-csv"),
                "scope" => argument.hide(true),
                // Only the single-purpose programs accept `--unity-version`.
                "unity_version" => argument.hide(true).value_parser(|_: &str| {
                    Err::<String, _>("use `--filter 'platform=*Unity VERSION*'`")
                }),
                _ => argument,
            }
        });
        adapt_options(subcommand.disable_version_flag(true))
    })
}

fn reject_completions(shell: &str) -> Result<Shell, String> {
    Err(format!("use `{PROGRAM} completions {shell}`"))
}

/// Runs a single-purpose program if this process was started under that program's name, for example through a link. Returns
/// `None` for any other name.
pub fn run_by_link() -> Option<ExitCode> {
    let name = std::env::args_os().next()?;
    Some(match Path::new(&name).file_stem()?.to_str()? {
        "extract-perf-baseline" => perf_cli::main(extract_perf_baseline::run),
        "render-perf-doc" => perf_cli::main(render_perf_doc::run),
        "render-perf-deltas" => perf_cli::main(render_perf_deltas::run),
        "collect-machine-specs" => perf_cli::main(collect_machine_specs::run),
        "validate-comparison-packages" => perf_cli::main(validate_comparison_packages::run),
        "measure-perf" => measure::main(),
        #[cfg(feature = "github")]
        "upsert-pr-comment" => perf_cli::main(upsert_pr_comment::run),
        #[cfg(feature = "github")]
        "publish-perf-refresh" => perf_cli::main(publish_perf_refresh::run),
        _ => return None,
    })
}
