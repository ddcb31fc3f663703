//! The subcommands.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{
    Arg, ArgAction, ArgMatches, Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand,
};
use clap_complete::Shell;
use perf_cli::{Exit, Failure, help, term};

#[cfg(feature = "github")]
use crate::action;
use crate::{backfill, bisect, formats, history, run as local, why};

/// The command line. Its help is made of that of the small programs, under the names that they have here.
pub struct Cli(Task);

/// Catch performance regressions in pull requests
#[derive(Args)]
#[command(version, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    subcommand: Task,
}

#[derive(Subcommand)]
enum Task {
    Run(Box<local::Cli>),
    Init(Box<local::Init>),
    Doctor(Box<local::Doctor>),
    Accept(local::Accept),
    Bisect(Box<bisect::Cli>),
    Backfill(Box<backfill::Cli>),
    Why(Box<why::Cli>),
    Compare(Box<render_perf_deltas::Cli>),
    Explain(Box<render_perf_deltas::Cli>),
    Baseline(Box<extract_perf_baseline::Cli>),
    Page(Box<render_perf_doc::Cli>),
    Site(Box<perf_site::Cli>),
    Specs(collect_machine_specs::Cli),
    Packages(validate_comparison_packages::Cli),
    History(Box<history::Cli>),
    Formats(formats::Cli),
    Measure(measure::Cli),
    #[cfg(feature = "github")]
    Comment(Box<upsert_pr_comment::Cli>),
    #[cfg(feature = "github")]
    Command(upsert_pr_comment::CommandCli),
    #[cfg(feature = "github")]
    Refresh(Box<publish_perf_refresh::Cli>),
    /// Run a step of the GitHub Action; its inputs are in the environment
    #[cfg(feature = "github")]
    #[command(subcommand)]
    Action(action::ActionStep),
    /// Print the completion script for a shell
    #[command(hide = true)]
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

/// Runs the subcommand.
///
/// # Errors
/// What keeps it from doing its work.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    match &cli.0 {
        Task::Run(cli) => local::run(cli),
        Task::Init(cli) => local::init(cli),
        Task::Doctor(cli) => local::doctor(cli),
        Task::Accept(cli) => local::accept(cli),
        Task::Bisect(cli) => bisect::run(cli),
        Task::Backfill(cli) => backfill::run(cli),
        Task::Why(cli) => why::run(cli),
        Task::Explain(cli) => cli
            .explains_last()
            .map_or_else(|| compare(cli), local::explain),
        Task::Compare(cli) => compare(cli),
        Task::Baseline(cli) => extract_perf_baseline::run(cli),
        Task::Page(cli) => render_perf_doc::run(cli),
        Task::Site(cli) => perf_site::run(cli),
        Task::Specs(cli) => collect_machine_specs::run(cli),
        Task::Packages(cli) => validate_comparison_packages::run(cli),
        Task::History(cli) => history::run(cli),
        Task::Formats(cli) => formats::run(cli),
        Task::Measure(cli) => measure::run(cli),
        #[cfg(feature = "github")]
        Task::Comment(cli) => upsert_pr_comment::run(cli),
        #[cfg(feature = "github")]
        Task::Command(cli) => upsert_pr_comment::command(cli),
        #[cfg(feature = "github")]
        Task::Refresh(cli) => publish_perf_refresh::run(cli),
        #[cfg(feature = "github")]
        Task::Action(step) => Ok(action::run(*step)),
        Task::Completions { shell } => completions(*shell),
        Task::Man { folder } => manual(folder),
    }
}

/// Compares what the command line names, else the last run with the baseline of the config.
fn compare(cli: &render_perf_deltas::Cli) -> anyhow::Result<Exit> {
    let mut cli = cli.clone();
    cli.request = local::complete(&cli.request)?;
    render_perf_deltas::run(&cli)
}

fn completions(shell: Shell) -> anyhow::Result<Exit> {
    // Into memory, because the generator panics when it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), PROGRAM, &mut script);
    term::stdout(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}

fn manual(folder: &PathBuf) -> anyhow::Result<Exit> {
    let made = std::fs::create_dir_all(folder);
    made.and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
        .map_err(|error| {
            Failure::new(format!(
                "cannot write manual pages to `{}`",
                term::shown(folder)
            ))
            .because(error)
        })?;
    Ok(Exit::Ok)
}

impl CommandFactory for Cli {
    fn command() -> Command {
        let line = Arguments::augment_args(Command::new(PROGRAM).arg_required_else_help(true));
        let completed = |tool: Command| match tool.get_name() {
            "explain" => explaining(comparing(tool)),
            "compare" => comparing(tool),
            _ => tool,
        };
        help::arranged(joined(line).mut_subcommands(completed))
    }

    fn command_for_update() -> Command {
        Self::command()
    }
}

/// `compare` without options that must be given: the last run and the config say the rest. An argument is a new one, as
/// conditions cannot be taken from it.
fn comparing(command: Command) -> Command {
    let file = |name: &'static str, letter, help: &'static str| {
        let file = Arg::new(name)
            .short(letter)
            .value_name("FILE")
            .help(help)
            .display_order(0);
        file.value_parser(clap::value_parser!(PathBuf))
    };
    let input = file(
        "input",
        'i',
        "The output of the benchmark [default: the last `perf-gate run`]",
    );
    let input = input
        .long("input")
        .num_args(1..)
        .action(ArgAction::Append)
        .help_heading("Input");
    let baseline = file(
        "baseline_csv",
        'b',
        "The baseline [default: `files.baseline` of the config]",
    );
    let baseline = baseline
        .long("baseline-csv")
        .alias("baseline")
        .help_heading("Baseline");
    command
        .mut_arg("input", |_| input)
        .mut_arg("baseline_csv", |_| baseline)
}

/// `compare` with its `--explain` as the only thing that must be given.
fn explaining(command: Command) -> Command {
    command
        .about("Explain the verdicts on a benchmark: the rule, the numbers and the limit")
        .mut_arg("explain", |scenario| {
            let scenario = scenario.long(None::<&str>).index(1).required(true);
            scenario.help("The benchmark, by key or label, or any part that no other has")
        })
        .after_help(EXPLAIN_EXAMPLES)
}

const EXAMPLES: &str = "\
Examples:
  perf-gate init -- cargo bench
  perf-gate run --base-ref HEAD
  perf-gate compare --input bench.log --baseline-csv perf-baseline.csv";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  perf-gate explain Decode_Small       # of the last `perf-gate run`
  perf-gate explain Decode_Small --input build.log --baseline-csv base.csv
  perf-gate explain Decode_Small --input build.log \\
    --baseline-git origin/main:perf-baseline.csv --history-git 30

Exit codes: 0 explained; 2 something is wrong";

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

/// The name of the program that has them all.
pub(crate) const PROGRAM: &str = "perf-gate";

/// The refusal of `--completions` of a subcommand, with the command that prints the script for all of them.
fn elsewhere(shell: &str) -> Result<Shell, String> {
    Err(format!("`{PROGRAM} completions {shell}` prints the script"))
}

/// The subcommands without what only a program of its own needs.
pub(crate) fn joined(command: Command) -> Command {
    command.mut_subcommands(|subcommand| {
        let subcommand = subcommand.mut_args(|argument| {
            let is_elsewhere = argument.get_id() == "completions";
            if is_elsewhere {
                argument.hide(true).value_parser(elsewhere)
            } else {
                argument
            }
        });
        joined(subcommand.disable_version_flag(true))
    })
}

/// Runs the program whose name started this one; `None` for its own name.
pub(crate) fn run_by_link() -> Option<ExitCode> {
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
