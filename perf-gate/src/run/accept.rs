//! `perf-gate accept`: writes waivers for slowdowns in the last run, or stores the last run's rows in the baseline.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use measure::pairs::find_benchmark;
use perf_cli::git::Git;
use perf_cli::load::{CONFIG, ConfigArgs, InputArgs};
use perf_cli::{Exit, ResultExt, file, term};
use perf_config::{Config, Date, Waiver};
use perf_model::row::{Name, Row};
use perf_readers::ParseReport;
use render_perf_deltas::BenchmarkReport;

use super::init::with_entries;
use super::workflow::quoted;
use super::{baseline_path, last, read_rows, write_baseline};

/// The default duration of a waiver: 90 days.
const SECONDS: u64 = 90 * 24 * 60 * 60;
/// A waiver covers slowdowns of up to this multiple of the slowdown in the last run.
const COVERED: f64 = 2.0;

/// Accept slowdowns of the last run: write waivers, or store the results in the baseline
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Cli {
    /// The benchmarks, each by its name or a unique part of it
    #[arg(value_name = "BENCHMARK", required_unless_present = "all")]
    benchmarks: Vec<String>,

    /// All benchmarks that regressed in the last run
    #[arg(long, conflicts_with = "benchmarks")]
    all: bool,

    /// Why the slowdown is accepted; required for a waiver
    #[arg(long, value_name = "TEXT", required_unless_present_any = ["rebaseline", "renamed_to"])]
    reason: Option<String>,

    /// The last day of the waiver [default: in 90 days]
    #[arg(short, long, value_name = "YYYY-MM-DD", conflicts_with = "rebaseline")]
    until: Option<Date>,

    /// Write the results of the last run into the baseline instead of a waiver
    #[arg(long)]
    rebaseline: bool,

    /// The benchmark was renamed to this name: compare it with the results of its old name
    #[arg(long, value_name = "NAME", conflicts_with_all = ["all", "reason", "until", "rebaseline"])]
    renamed_to: Option<String>,

    #[command(flatten)]
    general: ConfigArgs,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate accept Decode_Small --reason \"errors now say where they are\"
  perf-gate accept Decode_Small Decode_Large --rebaseline
  perf-gate accept --all --reason \"checks the length first\" --until 2027-01-31
  perf-gate accept Decode_Smal --renamed-to Decode_Small

A waiver covers up to twice the slowdown of the last run. Local runs use it at
once. Pull requests use the waivers of their base commit, so merge the waiver
in a pull request of its own first.

Exit codes: 0 written; 2 wrong usage or an error, and nothing is written";

/// Runs the command.
///
/// # Errors
/// Fails if there is no last run, if a benchmark did not regress in it, or if a file cannot be written.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let config = cli.general.load()?;
    if let Some(new) = &cli.renamed_to {
        return rename(cli, new, &config);
    }
    let reports = last::reports()?;
    let mut chosen: BTreeMap<&str, &BenchmarkReport> = BTreeMap::new();
    for name in &cli.benchmarks {
        chosen.extend([last::find(&reports, name, &config)?]);
    }
    if cli.all {
        let regressed = reports.iter().filter(|(_, report)| report.regressed);
        chosen.extend(regressed.map(|(name, report)| (&**name, report)));
    }
    if chosen.is_empty() {
        bail!("no benchmark regressed in the last run");
    }
    if cli.rebaseline {
        return rebaseline(cli, &chosen, &config);
    }
    let now = perf_cli::now();
    let until = cli.until.unwrap_or(Date::at(now + SECONDS));
    if until < Date::at(now) {
        bail!("`--until {until}` is in the past");
    }
    let (path, before) = read_config(cli)?;
    let change = format!("change `until` of its waiver in `{}`", term::shown(&path));
    let mut waivers = String::new();
    let mut waived = BTreeMap::new();
    let mut refused = Vec::new();
    for (name, report) in &chosen {
        let shown = term::printable(name);
        let growth = (report.loss.unwrap_or_default() * COVERED * 1000.0).ceil() / 1000.0;
        if let Some(waiver) = waiver_of(&config, name, growth) {
            let accepted = format!("`{shown}` is already accepted until {}", waiver.until);
            if cli.until.is_some_and(|until| until != waiver.until) {
                refused.push(accepted);
            } else {
                term::note(&accepted);
            }
            continue;
        }
        if report.regressed && growth <= 0.0 {
            return Err(anyhow!(
                "`{shown}` increased from zero, so its waiver cannot have a maximum"
            ))
            .hint("write the waiver in the config by hand, without `up-to`");
        }
        if !report.regressed {
            return Err(anyhow!(
                "there is nothing to accept: `{shown}` did not regress in the last run"
            ))
            .hint(
                "`perf-gate run` measures again, and `perf-gate explain` shows the last verdict",
            );
        }
        waivers += &render_waiver(cli, name, growth, until);
        waived.insert(*name, *report);
    }
    if waivers.is_empty() {
        if refused.is_empty() {
            return Ok(Exit::Ok);
        }
        return Err(anyhow!(refused.join(", "))).hint(change);
    }
    let text = before + &waivers;
    Config::parse(&text)
        .with_context(|| format!("cannot add the waiver to `{}`", term::shown(&path)))
        .hint("if `waivers` is a list in brackets, write each as a table that begins with the line `[[waivers]]`")?;
    file::write_if_changed(&path, text.trim_start().as_bytes())?;
    term::note(&format!(
        "added a waiver for {} to `{}`, until {until}, for up to twice this slowdown; pull requests use it once it is merged",
        list_names(&waived),
        term::shown(&path)
    ));
    for accepted in refused {
        term::warn(&accepted);
        term::hint(&change);
    }
    Ok(Exit::Ok)
}

/// Finds a waiver that has not expired and that covers a slowdown of the benchmark by `most`.
fn waiver_of<'c>(config: &'c Config, name: &str, most: f64) -> Option<&'c Waiver> {
    let today = Date::at(perf_cli::now());
    config.waivers.iter().find(|waiver| {
        waiver.covers(name)
            && waiver.excuses(None)
            && waiver.is_for(Some(most))
            && !waiver.is_over(today)
    })
}

/// Renders the config entry that waives a slowdown.
fn render_waiver(cli: &Cli, name: &str, growth: f64, until: Date) -> String {
    let reason = cli.reason.as_deref().unwrap_or_default();
    let user = Git::here().ask(&["config", "user.name"]);
    let by = match user.as_deref().map(str::trim) {
        None | Some("") => "unknown",
        Some(name) => name,
    };
    format!(
        "\n[[waivers]]\nscenario = {}\nreason = {}\nby = {}\nuntil = {until}\nup-to = {growth}\n",
        quoted(name),
        quoted(reason),
        quoted(by)
    )
}

/// Replaces the benchmarks' rows in the baseline with the rows from the last run.
fn rebaseline(
    cli: &Cli,
    chosen: &BTreeMap<&str, &BenchmarkReport>,
    config: &Config,
) -> anyhow::Result<Exit> {
    let (path, mut rows) = read_baseline(config)?;
    let is_chosen = |row: &Row| chosen.contains_key(&*row.scenario);
    rows.rows.retain(|row| !is_chosen(row));
    rows.rows
        .extend(last::rows(config)?.rows.into_iter().filter(is_chosen));
    let source = InputArgs {
        rows: Some(rows),
        config: cli.general.config.clone(),
        ..InputArgs::default()
    };
    write_baseline(source, &path)?;
    term::note(&format!(
        "`{}` now contains the last results of {}; pull requests use them once they are merged",
        term::shown(&path),
        list_names(chosen)
    ));
    Ok(Exit::Ok)
}

/// Adds an entry to the config that renames a benchmark in the baseline and in its earlier versions.
fn rename(cli: &Cli, new: &str, config: &Config) -> anyhow::Result<Exit> {
    let [old] = &cli.benchmarks[..] else {
        bail!("`--renamed-to` takes one benchmark, by its old name");
    };
    let mut old = Name::from(&**old);
    let shown_new = term::printable(new);
    // Without a baseline, there are no names to check, because the base is measured.
    if baseline_path(config).is_file() {
        let known = last::names_of(&read_baseline(config)?.1);
        old = find_benchmark(&old, &known, config).context("baseline")?;
        if known.contains(new) {
            bail!("the baseline already contains `{shown_new}`");
        }
    }
    let shown = term::printable(&old);
    let (path, before) = read_config(cli)?;
    let file = term::shown(&path);
    let (text, _) = with_entries(&before, "rows.renamed", [(&*old, new.into())])?;
    file::write_if_changed(&path, text.as_bytes())?;
    term::note(&format!(
        "`{file}` now renames `{shown}` to `{shown_new}` in earlier results; pull requests use it once it is merged"
    ));
    Ok(Exit::Ok)
}

/// Returns the config's path and its text. The text is empty if the file does not exist.
fn read_config(cli: &Cli) -> anyhow::Result<(PathBuf, String)> {
    let path = cli
        .general
        .config
        .clone()
        .unwrap_or_else(|| PathBuf::from(CONFIG));
    let text = file::read_text_if_exists(&path)?;
    Ok((path, text.unwrap_or_default()))
}

/// Reads the baseline, and returns its path and its content.
fn read_baseline(config: &Config) -> anyhow::Result<(PathBuf, ParseReport)> {
    let path = baseline_path(config);
    let rows = read_rows(&path, config).hint("`perf-gate run --save` writes all rows")?;
    Ok((path, rows))
}

/// Benchmark names for a message.
fn list_names(chosen: &BTreeMap<&str, &BenchmarkReport>) -> String {
    let names: Vec<String> = chosen.keys().map(|name| term::in_backticks(name)).collect();
    names.join(", ")
}
