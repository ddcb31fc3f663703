//! `perf-gate accept`: a waiver for a slowdown of the last run, or its rows as the new baseline.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use perf_cli::git::Git;
use perf_cli::load::{CONFIG, ConfigArgs, InputArgs};
use perf_cli::{Exit, Failure, ResultExt, file, term};
use perf_config::{Config, Date};

use super::compared::quoted;
use super::{BASELINE, last, tools};

/// The days that a waiver lasts, unless it says otherwise.
const DAYS: u64 = 90;
/// The share of what was seen that a waiver covers.
const COVERED: f64 = 2.0;

/// Accept a slowdown of the last run: write a waiver, or its numbers into the baseline
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Cli {
    /// The benchmark, or any part of its name that no other has
    benchmark: String,

    /// Why it is accepted
    #[arg(long, value_name = "TEXT", required_unless_present = "rebaseline")]
    reason: Option<String>,

    /// The last day of the waiver [default: in 90 days]
    #[arg(short, long, value_name = "YYYY-MM-DD", conflicts_with = "rebaseline")]
    until: Option<Date>,

    /// Write the rows of the last run into the baseline instead of a waiver
    #[arg(long)]
    rebaseline: bool,

    #[command(flatten)]
    general: ConfigArgs,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate accept Decode_Small --reason \"errors now say where they are\"
  perf-gate accept Decode_Small --rebaseline

A waiver covers up to twice the change that was seen. Both count for pull
requests once they are merged, as limits come from the base commit.

Exit codes: 0 written; 2 something is wrong, and nothing is written";

/// Runs the command.
///
/// # Errors
/// No last run, a benchmark that is not slower in it, or a file that cannot be written.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let config = cli.general.load()?;
    let reports = last::reports()?;
    let (name, report) = last::one(&reports, &cli.benchmark)?;
    if cli.rebaseline {
        return rebaseline(name, &config);
    }
    let Some(loss) = report.loss.filter(|loss| *loss > 0.0) else {
        return Err(Failure::new(format!("`{}` is not slower in the last run", term::printable(name))).into());
    };
    let reason = cli.reason.as_deref().unwrap_or_default();
    let until = cli.until.unwrap_or_else(in_days);
    let most = (loss * COVERED * 1000.0).ceil() / 1000.0;
    let by = Git::here().ask(&["config", "user.name"]).map(|name| name.trim().to_owned());
    let by = by.filter(|name| !name.is_empty()).unwrap_or_else(|| "unknown".to_owned());
    let waiver = format!(
        "\n[[waivers]]\nscenario = {}\nreason = {}\nby = {}\nuntil = {until}\nup-to = {most}\n",
        quoted(name),
        quoted(reason),
        quoted(by)
    );
    let path = cli.general.config.clone().unwrap_or_else(|| PathBuf::from(CONFIG));
    let before = if path.exists() { file::read_text(&path)? } else { String::new() };
    let text = before + &waiver;
    Config::parse(&text).map_err(|error| Failure::new(format!("cannot add the waiver: {error}")))?;
    file::write_if_changed(&path, text.trim_start().as_bytes())?;
    term::note(&format!(
        "`{}` has a waiver for `{}` until {until}, for up to twice this slowdown; it counts once it is merged",
        term::shown(&path),
        term::printable(name)
    ));
    Ok(Exit::Ok)
}

/// Replaces the rows of the benchmark in the baseline by those of the last run.
fn rebaseline(name: &str, config: &Config) -> anyhow::Result<Exit> {
    let path = config.files().baseline.clone().unwrap_or_else(|| BASELINE.into());
    let source = InputArgs { input: vec![path.clone()], ..InputArgs::default() };
    let mut rows = source.rows(config).hint("`perf-gate run --save` writes all rows")?;
    rows.rows.retain(|row| *row.scenario != *name);
    rows.rows.extend(last::rows(config)?.rows.into_iter().filter(|row| *row.scenario == *name));
    tools::write_baseline(InputArgs { rows: Some(rows), ..InputArgs::default() }, &path)?;
    let (path, name) = (term::shown(Path::new(&path)), term::printable(name));
    term::note(&format!(
        "`{path}` has the numbers of the last run for `{name}`; they count once they are merged"
    ));
    Ok(Exit::Ok)
}

/// The last day of a waiver without one.
fn in_days() -> Date {
    let then = SystemTime::now() + Duration::from_hours(24 * DAYS);
    Date::at(then.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}
