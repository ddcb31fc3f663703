//! The command line.

use std::path::PathBuf;

use clap::Parser;
use perf_cli::load::FilterArgs;
use perf_cli::load::git::RefPath;
use perf_cli::{Common, actions};

/// Write the benchmark history as a static site with a chart for each benchmark
#[derive(Parser)]
#[command(name = "perf-gate site", version, after_help = EXAMPLES)]
pub struct Cli {
    /// Files with dated rows, as `perf-gate baseline --append` writes them, or exports from other services
    #[arg(long, value_name = "FILE", num_args = 1.., required_unless_present_any = ["baseline_csv", "baseline_git"])]
    pub(crate) history: Vec<PathBuf>,

    /// A baseline in git, whose committed versions are the history
    #[arg(long, value_name = "FILE", conflicts_with = "baseline_git")]
    pub(crate) baseline_csv: Option<PathBuf>,

    /// A baseline at a commit, such as `origin/main:perf-baseline.csv`; it and its earlier versions are the history
    #[arg(long, value_name = "REF:PATH")]
    pub(crate) baseline_git: Option<RefPath>,

    /// Use only the last N committed versions of the baseline
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) history_git: u16,

    /// The site's folder, which must be new, empty or from an earlier run
    #[arg(long, value_name = "DIR")]
    pub(crate) output: PathBuf,

    /// The heading of the site [default: the repository, otherwise `Benchmarks`]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,

    /// The repository for links to commits, such as `https://github.com/octo/quill` [default: the workflow's repository]
    #[arg(long, value_name = "URL", value_parser = address)]
    pub(crate) repository: Option<String>,

    #[command(flatten)]
    pub(crate) filter: FilterArgs,

    /// The config [default: perf-gate.toml or .github/perf-gate.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) common: Common,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate site --history perf-history.csv --output site
  perf-gate site --baseline perf-baseline.csv --output site
  perf-gate site --history data.js --title Quill --output site

Open index.html in the folder, or publish the folder with GitHub Pages.

Exit codes: 0 the site is up to date, 2 error";

/// The title, and the URLs for links in the pages and the feed.
pub(crate) struct About {
    /// The site's heading.
    pub(crate) title: String,
    /// The repository's URL for links to commits, without a trailing slash.
    pub(crate) repository: Option<String>,
    /// The site's URL for the links in the feed, without a trailing slash.
    pub(crate) site: Option<String>,
}

/// Parses a URL that pages may link to, and removes a trailing slash.
fn address(text: &str) -> Result<String, String> {
    let address = text.strip_suffix('/').unwrap_or(text);
    if actions::is_address(address) {
        return Ok(address.to_owned());
    }
    Err(
        "expected an address that begins with `https://`, such as `https://github.com/octo/quill`"
            .to_owned(),
    )
}
