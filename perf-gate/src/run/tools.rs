//! The other subcommands, as `run` and `init` call them.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Parser;
use perf_cli::{Exit, Failure, term};
use perf_config::Config;
use render_perf_deltas::Rerun;

use crate::names::PROGRAM;

/// `--name=value`, whatever the value looks like.
pub(super) fn option(name: &str, value: impl AsRef<OsStr>) -> OsString {
    let mut option = OsString::from(name);
    option.push("=");
    option.push(value);
    option
}

fn parsed<T: Parser>(options: Vec<OsString>) -> anyhow::Result<T> {
    T::try_parse_from([OsString::from(PROGRAM)].into_iter().chain(options)).map_err(|error| {
        Failure::new(error.to_string().trim().trim_start_matches("error: ").to_owned()).into()
    })
}

/// What is shown of a comparison.
pub(super) struct Shown {
    /// The benchmark that is explained.
    pub(super) explain: Option<String>,
    pub(super) is_verbose: bool,
    /// How to do all of it again.
    pub(super) rerun: Rerun,
}

/// Another process of this program.
fn subcommand(name: &str, options: Vec<OsString>) -> anyhow::Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.arg(name).args(options).stdin(Stdio::null());
    Ok(command)
}

/// Describes the machine. Without a description, rows have no machine class, which a warning of the tool explains.
pub(super) fn specs(folder: &Path) -> Option<PathBuf> {
    let path = folder.join("machine-specs.json");
    let options = vec!["--quiet".into(), option("--output-json", &path)];
    let mut command = subcommand("specs", options).ok()?;
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success()).then_some(path)
}

/// The options for rows that are compared: all samples, and all of their digits.
pub(super) const WHOLE: [&str; 3] = ["--samples=0", "--digits=all", "--refresh=all"];

/// Reads results into a file of rows.
pub(super) fn extract(results: &Path, rows: &Path, mut options: Vec<OsString>) -> anyhow::Result<()> {
    options.extend(["--input".into(), results.into(), option("--output", rows), "--replace".into()]);
    quietly(|| extract_perf_baseline::run(&parsed(options)?)).map(drop)
}

/// Runs a step whose notes are about files that nobody sees.
fn quietly<T>(step: impl FnOnce() -> T) -> T {
    let quiet = term::is_quiet();
    term::set_quiet(true);
    let result = step();
    term::set_quiet(quiet);
    result
}

/// Measures pairs; its progress and its errors are on standard error.
pub(super) fn measure(options: Vec<OsString>) -> anyhow::Result<()> {
    let status = subcommand("measure", options)?.stdout(Stdio::null()).status()?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new("the two sides were not measured").hint("the lines above say why").into())
}

/// The options for what is compared with: the file with its history, or else that of HEAD.
pub(super) fn baseline(path: &Path, last: usize) -> Vec<OsString> {
    let is_committed = is_committed(path);
    let mut options = Vec::new();
    if is_committed && !path.is_file() {
        let mut of_head = OsString::from("HEAD:./");
        of_head.push(path);
        options.push(option("--baseline-git", of_head));
    } else {
        options.push(option("--baseline-csv", path));
    }
    if is_committed {
        options.push(option("--history-git", last.to_string()));
    }
    options
}

/// Whether HEAD has the file.
pub(super) fn is_committed(path: &Path) -> bool {
    let mut git = Command::new("git");
    git.args(["ls-tree", "HEAD", "--"]).arg(path).stdin(Stdio::null()).stderr(Stdio::null());
    git.output().is_ok_and(|output| output.status.success() && !output.stdout.is_empty())
}

/// How many more runs would settle what is unconfirmed.
pub(super) fn confirmations(
    runs: &[PathBuf],
    against: &[OsString],
    config: Option<&Path>,
) -> anyhow::Result<u64> {
    let mut command = subcommand("compare", comparing(runs, against, config))?;
    let output = command.arg("--quiet").stderr(Stdio::null()).output()?;
    // What is wrong, the comparison that people see says.
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let confirm = lines.lines().find_map(|line| line.strip_prefix("confirm=")?.parse().ok());
    Ok(confirm.unwrap_or_default())
}

fn comparing(runs: &[PathBuf], against: &[OsString], config: Option<&Path>) -> Vec<OsString> {
    let mut options: Vec<OsString> = config.map(|config| option("--config", config)).into_iter().collect();
    options.push("--input".into());
    options.extend(runs.iter().map(|run| run.clone().into_os_string()));
    options.extend(against.iter().cloned());
    options
}

/// Compares, and prints the report, or all that is known of one benchmark.
pub(super) fn compare(
    runs: &[PathBuf],
    against: &[OsString],
    config: Option<&Path>,
    shown: &Shown,
) -> anyhow::Result<Exit> {
    let mut options = comparing(runs, against, config);
    options.push("--exit-code".into());
    match &shown.explain {
        Some(benchmark) => options.push(option("--explain", benchmark)),
        None if shown.is_verbose => options.push("--verbose".into()),
        None => {}
    }
    // A terminal gets the table.
    if shown.explain.is_none() && !io::stdout().is_terminal() {
        options.push("--output=-".into());
    }
    render_perf_deltas::run_for(&parsed(options)?, Some(&shown.rerun))
}

/// Writes the rows as the baseline, and the page.
pub(super) fn save(
    rows: &Path,
    baseline: &Path,
    config: &Config,
    named: Option<&Path>,
    specs: Option<&Path>,
) -> anyhow::Result<()> {
    let config_option = named.map(|config| option("--config", config));
    let mut options: Vec<OsString> = config_option.iter().cloned().collect();
    // Its versions are the history, which needs the numbers of every run.
    options.push("--refresh=all".into());
    extract(rows, baseline, options)?;
    term::note(&format!("`{}` is the new baseline", term::shown(baseline)));
    let Some(page) = &config.files().page else { return Ok(()) };
    let mut options = vec!["--input".into(), rows.into(), option("--doc", page)];
    options.extend(config_option);
    options.extend(specs.map(|specs| option("--machine-specs", specs)));
    render_perf_doc::run(&parsed(options)?).map(drop)
}
