//! The options of `calibrate-perf-gate`, and its commands.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgGroup, Args, Parser, Subcommand};
use perf_cli::{Common, Exit, Failure, file, term};
use perf_config::{Config, Glob};
use perf_model::diagnostic::Diagnostic;
use perf_verdict::Reason;

use crate::conclude::{Conclusion, Confirm};
use crate::draw::Drawn;
use crate::json::{CalibrationReport, HistoryReport};
use crate::plan::ReplayPlan;
use crate::power::{self, HistoryGoals, Measure, Trials};
use crate::replay::replay;
use crate::runs::{RunHistory, ScenarioChoice};
use crate::{draw, gates, load, machine, recommend, table};

/// Measure false alarms and detection rates of each rule on a history, and which limits the noise allows
#[derive(Parser)]
#[command(name = "calibrate-perf-gate", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
#[command(group = ArgGroup::new("measured").args(["history", "history_git", "a_a"]).required(true).multiple(true))]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,

    /// Rows of many commits, oldest first; each file is a separate history
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "History")]
    history: Vec<PathBuf>,

    /// Use the last N committed versions of the baseline as a history
    #[arg(
        long,
        value_name = "N",
        requires = "baseline",
        help_heading = "History"
    )]
    history_git: Option<usize>,

    /// The baseline for `--history-git`
    #[arg(
        short,
        long,
        value_name = "FILE",
        requires = "history_git",
        help_heading = "History"
    )]
    baseline: Option<PathBuf>,

    /// Rows from repeated runs without any change: shows what interleaved pairs would detect
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "History")]
    a_a: Vec<PathBuf>,

    #[command(flatten)]
    rows: RowsArgs,

    /// How your workflow confirms a suspected regression
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        default_value_t,
        hide_short_help = true
    )]
    confirm: Confirm,

    /// Write limits for a gate with a single baseline value, to paste into perf-gate.toml
    #[arg(long, value_name = "FILE", value_parser = perf_cli::load::named_file(), help_heading = "Output")]
    toml: Option<PathBuf>,

    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Command {
    /// Print the rates that the rules must reach, on histories, by simulation and on this machine
    #[command(after_help = POWER_EXAMPLES)]
    Power(PowerCli),
}

#[derive(Args)]
struct PowerCli {
    /// Rows of many commits, oldest first; each file is a separate history
    #[arg(value_name = "FILE")]
    history: Vec<PathBuf>,

    #[command(flatten)]
    rows: RowsArgs,

    /// Allowed share of pull requests that fail wrongly, for each history [default: 1%]
    #[arg(long, value_name = "SHARE", value_parser = perf_cli::load::fraction, num_args = 1.., help_heading = "Goals")]
    false_alarms: Vec<f64>,

    /// Required share of detected 50% slowdowns, for each history [default: 55%]
    #[arg(long, value_name = "SHARE", value_parser = perf_cli::load::fraction, num_args = 1.., help_heading = "Goals")]
    found: Vec<f64>,

    /// Simulated unchanged suites for each noise level
    #[arg(
        long,
        value_name = "N",
        default_value_t = 4000,
        help_heading = "Simulation"
    )]
    suites: u64,

    /// Simulated slower metrics for each noise level
    #[arg(
        long,
        value_name = "N",
        default_value_t = 4000,
        help_heading = "Simulation"
    )]
    metrics: u64,

    /// Blocks of 60 pairs to measure on this machine; 0 for none
    #[arg(
        long,
        value_name = "N",
        default_value_t = 200,
        help_heading = "Simulation"
    )]
    blocks: usize,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct RowsArgs {
    /// Only benchmarks that match; `*` stands for any text, `?` for one character
    #[arg(long, value_name = "GLOB", value_parser = glob, help_heading = "Rows")]
    rows: Vec<Glob>,

    /// Exclude benchmarks that match
    #[arg(long, value_name = "GLOB", value_parser = glob, help_heading = "Rows")]
    not: Vec<Glob>,

    /// The config [default: perf-gate.toml]
    ///
    /// Default: perf-gate.toml or .github/perf-gate.toml, if it exists
    #[arg(short, long, value_name = "FILE", help_heading = "Rows")]
    config: Option<PathBuf>,

    /// Write the results as JSON
    #[arg(short, long, value_name = "FILE", value_parser = perf_cli::load::named_file(), help_heading = "Output")]
    json: Option<PathBuf>,

    /// Seed of the random numbers
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        help_heading = "Simulation",
        hide_short_help = true
    )]
    seed: u64,

    /// Judge without this rule, to measure its effect
    #[arg(
        long,
        value_name = "RULE",
        value_parser = reasons_of_rule,
        help_heading = "Simulation",
        hide_short_help = true
    )]
    without: Option<fn(&Reason) -> bool>,

    /// Make at most N rows of each pull request slower, one at a time, and draw 10·N blocks of A/A pairs [default: 8
    /// rows and 200 blocks]
    #[arg(
        long,
        value_name = "N",
        help_heading = "Simulation",
        hide_short_help = true
    )]
    trials: Option<usize>,
}

const EXAMPLES: &str = "\
Examples:
  just calibrate --history baselines.csv --json calibration.json
  just calibrate --history baselines.csv --rows 'decode_*' --not '*_cold'
  just calibrate --history dev/bench/data.js --confirm other-runner
  just calibrate --history-git 100 --baseline docs/perf-baseline.csv
  just calibrate --a-a first.log second.log

A history is a file of `perf-gate baseline --append`, data.js or the JSON of
github-action-benchmark, the JSON of `bencher perf`, or a CSV with one value per
line (suite, name, unixMs, commit, value, unit).

Standard output begins with the conclusion. It then lists each gate workflow with
its false alarms, detection rates, 95% intervals, and the pull requests that fail.

Exit codes: 0 measured; 2 error";

const POWER_EXAMPLES: &str = "\
Examples:
  just calibrate power
  just calibrate power baselines.csv --rows 'Other_*' --blocks 0
  just calibrate power few.csv many.csv --false-alarms 2% 1%

If no benchmark in a history matches `--rows`, all its rows are used.

Exit codes: 0 measured; 1 a goal is not met; 2 error";

/// Returns a check for the reasons of a rule, so that a replay can omit the rule.
fn reasons_of_rule(name: &str) -> Result<fn(&Reason) -> bool, String> {
    Ok(match name {
        "budget" => |reason| matches!(reason, Reason::Budget(_)),
        "obstacle" => |reason| matches!(reason, Reason::Obstacle(_)),
        "pairs" => |reason| matches!(reason, Reason::Pairs(_)),
        "common" => |reason| matches!(reason, Reason::Common(_)),
        "environment" => |reason| matches!(reason, Reason::Environment(_)),
        "history" => |reason| matches!(reason, Reason::History(_)),
        "samples" => |reason| matches!(reason, Reason::Samples(_)),
        "tail" => |reason| matches!(reason, Reason::Tail(_)),
        "equal" => |reason| matches!(reason, Reason::Equal(_)),
        "ungated" => |reason| matches!(reason, Reason::NotGated(_)),
        "exact" => |reason| matches!(reason, Reason::Exact(_)),
        "count" => |reason| matches!(reason, Reason::Count(_)),
        "limit" => |reason| matches!(reason, Reason::Limit(_)),
        "newest" => |reason| matches!(reason, Reason::Newest(_)),
        "floor" => |reason| matches!(reason, Reason::Floor(_)),
        "mixture" => |reason| matches!(reason, Reason::Mixture(_)),
        _ => return Err(format!("no rule is called `{name}`")),
    })
}

/// Runs the workload if this process was started for it. Such a process is measured, so it does nothing else.
pub fn workload() -> Option<ExitCode> {
    let launched = std::env::args_os()
        .nth(1)
        .is_some_and(|first| first == machine::WORKLOAD);
    let work = || term::stdout(&format!("{}\n", machine::work())).map(|()| Exit::Ok);
    launched.then(|| perf_cli::run(work))
}

/// Runs the command line.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    match &cli.command {
        Some(Command::Power(power)) => run_power(power),
        None => calibrate_project(cli),
    }
}

fn calibrate_project(cli: &Cli) -> anyhow::Result<Exit> {
    let config = cli.rows.config()?;
    let mut text = String::new();
    let mut reports = Vec::new();
    let choice = cli.rows.choice();
    let files = cli
        .history
        .iter()
        .map(|path| load::history(path, &config, &choice));
    let in_git = cli.history_git.zip(cli.baseline.as_ref());
    let in_git = in_git.map(|(most, path)| load::history_of_git(path, most, &config, &choice));
    let histories = files.chain(in_git).collect::<anyhow::Result<Vec<_>>>()?;
    let launches = cli
        .a_a
        .iter()
        .map(|path| load::launches(path, &config, &choice));
    let launches = launches.collect::<anyhow::Result<Vec<_>>>()?;
    let config = with_metrics(config, histories.iter().chain(&launches));
    let mut plan = power::plan(&config, cli.rows.trials, cli.rows.seed);
    plan.without = cli.rows.without;
    let mut toml = String::new();
    for history in &histories {
        let (report, limits) = calibrate_history(history, &plan, cli.confirm, &mut text)?;
        reports.push(report);
        toml.push_str(&limits);
    }
    if let Some(path) = &cli.toml {
        file::write_if_changed(path, toml.as_bytes())?;
    }
    let pairs = cli.pairs(&launches, &config)?;
    if let Some(pairs) = &pairs {
        text.push_str(&table::drawn(pairs));
    }
    deliver(
        &cli.rows,
        &CalibrationReport::new(reports, pairs.as_ref(), &[]),
        &text,
    )?;
    Ok(Exit::Ok)
}

/// A history's report, and its limits as TOML.
fn calibrate_history(
    history: &RunHistory,
    plan: &ReplayPlan<'_>,
    confirm: Confirm,
    text: &mut String,
) -> anyhow::Result<(HistoryReport, String)> {
    let advice = recommend::advice(history, plan.config);
    let toml = gates::toml(&advice, plan.config);
    let pasted = gates::pasted(&toml, plan.config)?;
    let replay = replay(
        history,
        &ReplayPlan {
            advised: Some(&pasted),
            ..*plan
        },
    );
    if replay.pull_requests.is_empty() {
        let least = plan.config.history.least;
        let message = format!(
            "history too short: no row of `{}` has {least} earlier values and a later one",
            history.name
        );
        let hint = "use a longer history, or lower `least` in `[history]`";
        return Err(Failure::new(message).hint(hint).into());
    }
    let limits = gates::worth_having(&replay, toml);
    if !text.is_empty() {
        text.push('\n');
    }
    let conclusion = Conclusion::of(&replay, confirm);
    text.push_str(&table::history(
        history,
        &replay,
        &conclusion,
        confirm,
        limits.is_ok(),
    ));
    let toml = match limits {
        Ok(toml) => toml,
        Err(why) => {
            let _ = writeln!(text, "No limits for a single value are useful:\n  {why}");
            format!("# no useful limits: {why}\n")
        }
    };
    Ok((
        HistoryReport::new(&history.name, &replay, &advice, confirm),
        toml,
    ))
}

impl Cli {
    fn pairs(&self, launches: &[RunHistory], config: &Config) -> anyhow::Result<Option<Drawn>> {
        if launches.is_empty() {
            return Ok(None);
        }
        let blocks = self
            .rows
            .trials
            .map_or(200, |trials| trials.saturating_mul(10));
        let drawn = draw::draw(launches, config, blocks, self.rows.seed);
        let fewest = draw::FEWEST;
        if drawn.metrics == 0 {
            let most = drawn.pairs;
            let failure = Failure::new(format!(
                "too few A/A runs: each metric needs {fewest} pairs, and there are at most {most}"
            ));
            let hint = format!(
                "two successive runs form a pair, so pass at least {} runs per benchmark",
                2 * fewest
            );
            return Err(failure.hint(hint).into());
        }
        if drawn.left_out > 0 {
            let left_out = drawn.left_out;
            term::diagnostics(&[Diagnostic::note(format!(
                "skipped metrics with fewer than {fewest} pairs: {left_out}"
            ))]);
        }
        Ok(Some(drawn))
    }
}

fn run_power(cli: &PowerCli) -> anyhow::Result<Exit> {
    let config = cli.rows.config()?;
    let choice = cli.rows.choice();
    let histories = cli
        .history
        .iter()
        .map(|path| load::history_or_whole(path, &config, &choice));
    let histories = histories.collect::<anyhow::Result<Vec<_>>>()?;
    let config = with_metrics(config, histories.iter());
    let mut plan = power::plan(&config, cli.rows.trials, cli.rows.seed);
    plan.without = cli.rows.without;
    let mut measures: Vec<Measure> = Vec::new();
    let mut text = String::new();
    let mut reports = Vec::new();
    for (history, goals) in histories.iter().zip(cli.goals()?) {
        let (rates, replay) = power::measure_history(history, &plan, goals);
        measures.extend(rates);
        let confirm = Confirm::OtherRunner;
        let _ = write!(
            text,
            "{}: {}",
            history.name,
            table::outcomes(&replay, confirm)
        );
        let advice = recommend::advice(history, &config);
        reports.push(HistoryReport::new(&history.name, &replay, &advice, confirm));
    }
    measures.extend(power::measure_simulation(
        Trials {
            suites: cli.suites,
            metrics: cli.metrics,
        },
        cli.rows.seed,
    ));
    if cli.blocks > 0 {
        measures.push(power::measure_machine(
            &std::env::current_exe()?,
            cli.blocks,
        )?);
    }
    let is_met = measures
        .iter()
        .all(|measure| measure.met() != Some(power::Met::No));
    let text = format!("{}\n{text}", table::measures(&measures));
    deliver(
        &cli.rows,
        &CalibrationReport::new(reports, None, &measures),
        &text,
    )?;
    Ok(if is_met { Exit::Ok } else { Exit::Findings })
}

impl PowerCli {
    fn goals(&self) -> anyhow::Result<Vec<HistoryGoals>> {
        let histories = self.history.len();
        for (option, goals) in [
            ("--false-alarms", &self.false_alarms),
            ("--found", &self.found),
        ] {
            let count = goals.len();
            if count != 0 && count != histories {
                let failure = Failure::new(format!(
                    "`{option}` has {count} values for {histories} histories"
                ));
                return Err(failure
                    .hint("pass one for each history, in the same order")
                    .into());
            }
        }
        let usual = HistoryGoals::default();
        let goals = (0..histories).map(|at| HistoryGoals {
            false_alarms: *self.false_alarms.get(at).unwrap_or(&usual.false_alarms),
            found: *self.found.get(at).unwrap_or(&usual.found),
        });
        Ok(goals.collect())
    }
}

fn with_metrics<'h>(
    config: Config,
    histories: impl Iterator<Item = &'h RunHistory> + Clone,
) -> Config {
    let rows = histories
        .clone()
        .flat_map(|history| &history.runs)
        .flat_map(|run| &run.rows);
    let declared = histories.clone().map(|history| &history.declared);
    let (config, found) = perf_cli::load::with_declared(config, declared, rows);
    for history in histories {
        term::diagnostics(&history.found);
    }
    term::diagnostics(&found);
    config
}

/// Writes the file before standard output, whose reader may be gone.
fn deliver(rows: &RowsArgs, report: &CalibrationReport<'_>, text: &str) -> anyhow::Result<()> {
    if let Some(path) = &rows.json {
        file::write_if_changed(path, report.to_json()?.as_bytes())?;
    }
    term::stdout(text)
}

impl RowsArgs {
    fn choice(&self) -> ScenarioChoice {
        ScenarioChoice {
            rows: self.rows.clone(),
            not: self.not.clone(),
        }
    }

    fn config(&self) -> anyhow::Result<Config> {
        perf_cli::load::config(self.config.as_deref())
    }
}

#[expect(clippy::unnecessary_wraps, reason = "what clap calls")]
fn glob(text: &str) -> Result<Glob, String> {
    Ok(Glob::new(text))
}
