//! The command line.

use std::path::PathBuf;

use clap::Parser;
use perf_cli::load::git::RefPath;
use perf_cli::load::{self, FilterArgs};
use perf_cli::{Common, Exit, Failure, actions, term};
use perf_model::diagnostic::{Severity, counted};

use crate::collect::{Collected, collect};
use crate::folder::{Folder, Summary};
use crate::series::Entry;
use crate::{assets, data, load as history, overview, tables};

/// Write the history of benchmarks as a static site, with a chart of each
#[derive(Parser)]
#[command(name = "perf-gate site", version, after_help = EXAMPLES)]
pub struct Cli {
    /// Files of rows with dates, as `extract-perf-baseline --append` writes them, or what other services export
    #[arg(long, value_name = "FILE", num_args = 1.., required_unless_present_any = ["baseline_csv", "baseline_git"])]
    pub(crate) history: Vec<PathBuf>,

    /// A baseline in git: its committed versions are the history
    #[arg(long, value_name = "FILE", conflicts_with = "baseline_git")]
    pub(crate) baseline_csv: Option<PathBuf>,

    /// The same as seen from a commit, such as `origin/main:perf-baseline.csv`
    #[arg(long, value_name = "REF:PATH")]
    pub(crate) baseline_git: Option<RefPath>,

    /// Only the last N committed versions of the baseline
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) history_git: u16,

    /// The folder of the site: a new or empty one, or the one that an earlier run wrote
    #[arg(long, value_name = "DIR")]
    pub(crate) output: PathBuf,

    /// The heading of the site [default: the repository, else `Benchmarks`]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,

    /// Where commits are linked to, such as `https://github.com/octo/quill` [default: the workflow's repository]
    #[arg(long, value_name = "URL", value_parser = address)]
    pub(crate) repository: Option<String>,

    #[command(flatten)]
    pub(crate) filter: FilterArgs,

    /// Only rows of this scope
    #[arg(long, value_name = "NAME")]
    pub(crate) scope: Option<String>,

    /// The config [default: perf-gate.toml or .github/perf-gate.toml, when there is one]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) common: Common,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate site --history perf-history.csv --output site
  perf-gate site --baseline-csv perf-baseline.csv --output site
  perf-gate site --history data.js --title Quill --output site

Open index.html in the folder, or publish the folder with GitHub Pages.

Exit codes: 0 the site is up to date, 2 error";

/// What pages say besides the series.
pub(crate) struct About {
    /// The heading.
    pub(crate) title: String,
    /// Where commits are linked to.
    pub(crate) repository: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// What keeps it from doing its work.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let mut folder = Folder::open(&cli.output)?;
    let history::History { snapshots, config, found } =
        history::read(cli, load::config(cli.config.as_deref())?)?;
    term::tell(found.iter().filter(|found| found.severity > Severity::Info));
    let collected = collect(&snapshots, &config, &cli.filter.filter(cli.scope.as_deref()));
    if collected.series.is_empty() {
        let rows: Vec<_> = snapshots.into_iter().flat_map(|snapshot| snapshot.rows).collect();
        let message = format!("none of the {} has a number to show", counted(rows.len() as u64, "row"));
        return Err(Failure::new(message).hint(load::places(&rows, &config)).into());
    }
    let entries = Entry::all(&collected, &config);
    let summary = write(&mut folder, &about(cli), &collected, &entries)?;
    let of = format!(
        "{} of {}",
        counted(entries.len() as u64, "chart"),
        counted(collected.runs.len() as u64, "commit")
    );
    term::note(&format!("`{}`: {of}; {summary}", term::shown(&cli.output)));
    Ok(Exit::Ok)
}

fn about(cli: &Cli) -> About {
    let repository = cli.repository.clone().or_else(|| actions::repository(|name| std::env::var(name).ok()));
    let named = repository.as_deref().and_then(|address| address.splitn(4, '/').nth(3)).map(str::to_owned);
    let title = cli.title.clone().or(named).unwrap_or_else(|| "Benchmarks".to_owned());
    About { title, repository }
}

/// Writes what pages refer to before the pages, and the first page last.
fn write(
    folder: &mut Folder,
    about: &About,
    collected: &Collected,
    entries: &[Entry<'_>],
) -> anyhow::Result<Summary> {
    for (name, content) in assets::ALL {
        folder.write(name, content)?;
    }
    for (number, chunk) in entries.chunks(data::CHUNK).enumerate() {
        folder.write(&data::name(number), data::chunk(number, chunk).as_bytes())?;
        let page = tables::page(about, collected, entries, number);
        folder.write(&tables::name(number), page.as_bytes())?;
    }
    folder.write("data/index.js", data::index(about, collected, entries).as_bytes())?;
    folder.write("index.html", overview::page(about, collected, entries).as_bytes())?;
    folder.finish()
}

/// Reads an address that pages may link to.
fn address(text: &str) -> Result<String, String> {
    let address = text.strip_suffix('/').unwrap_or(text);
    if actions::is_address(address) {
        return Ok(address.to_owned());
    }
    Err("an address that begins with `https://`, such as `https://github.com/octo/quill`".to_owned())
}
