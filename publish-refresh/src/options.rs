//! The command line.

use clap::Parser;
use perf_cli::Common;

use crate::request::RefreshRequest;

/// Commit refreshed performance pages and baselines through GitHub's API; never replaces newer numbers with older ones
#[derive(Debug, Parser)]
#[command(name = "publish-perf-refresh", version, after_help = EXAMPLES)]
pub struct Cli {
    #[command(flatten)]
    pub(crate) request: RefreshRequest,

    #[command(flatten)]
    common: Common,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate refresh --file docs/performance.md perf-baseline.csv
  perf-gate refresh --file docs/performance.md perf-baseline.csv \\
    --affects src/ Cargo.lock -- ./render.sh build.log
  perf-gate refresh --file perf-baseline.csv --store perf-baseline \\
    -- ./render.sh build.log
  perf-gate refresh --file perf-baseline.csv --branch main --dry-run

Run it in the checkout, after the files were rendered. Standard output has
refresh= (committed, unchanged, pull-request, newer, stale, superseded,
planned or unpublished), and commit=, commit-url= and pull-request= where
there is one. The token comes from GITHUB_TOKEN or GH_TOKEN.

Exit codes: 0 the numbers are published, or need not be; 1 the repository
does not accept them, and they are in the job summary; 2 something is wrong";

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_command_stands_behind_two_dashes() {
        let line = "refresh --file a.md b.csv --affects src/ *.toml -- sh -c --dry-run";
        let cli = Cli::try_parse_from(line.split(' ')).unwrap().request;
        assert_eq!(cli.file, [PathBuf::from("a.md"), PathBuf::from("b.csv")]);
        assert_eq!((cli.affects.len(), cli.dry_run), (2, false));
        assert_eq!(cli.command, ["sh", "-c", "--dry-run"]);
    }

    #[test]
    fn nonsense_is_refused() {
        for rest in
            ["--attempts 0", "--timeout 0", "--timeout 1.5", "--repo x", "--measured HEAD", "--affects !a"]
        {
            let line = format!("refresh --file a {rest}");
            assert!(Cli::try_parse_from(line.split(' ')).is_err(), "{rest}");
        }
        let line = ["refresh", "--file", "a", "--message", " \n"];
        assert!(Cli::try_parse_from(line).is_err());
        let line = "refresh --file a --affects b --unrelated c";
        assert!(Cli::try_parse_from(line.split(' ')).is_err());
    }
}
