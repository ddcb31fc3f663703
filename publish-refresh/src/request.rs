//! The request: the files to commit, and the branch.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser};
use perf_cli::Common;
use perf_config::{Fallback, PathPattern};
use perf_github::{CommitId, Repo};

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
  perf-gate ci refresh --file docs/performance.md perf-baseline.csv
  perf-gate ci refresh --file docs/performance.md perf-baseline.csv \\
    --affects src/ Cargo.lock -- ./render.sh build.log

Run it in the checkout, after rendering the files. Standard output contains
refresh= (committed, unchanged, pull-request, newer, stale, superseded or
unpublished), and commit=, commit-url= and pull-request= if there is one.
The token comes from GITHUB_TOKEN or GH_TOKEN.

Exit codes: 0 published, or not necessary; 1 the repository does not accept
the numbers, so they are in the job summary; 2 wrong usage or an error";

/// Rendered files to commit. Also the command line.
#[derive(Clone, Debug, Args)]
pub struct RefreshRequest {
    /// The rendered files to publish, in one commit
    #[arg(long, value_name = "PATH", required = true, num_args = 1.., help_heading = "Commit")]
    pub file: Vec<PathBuf>,

    /// The branch to commit to [default: the one that was pushed]
    #[arg(long, value_name = "NAME", help_heading = "Commit")]
    pub branch: Option<String>,

    /// The repository [default: the workflow's]
    #[arg(
        long,
        value_name = "OWNER/NAME",
        help_heading = "Commit",
        hide_short_help = true
    )]
    pub repo: Option<Repo>,

    /// The commit whose code was measured [default: the workflow's]
    #[arg(
        long,
        value_name = "SHA",
        help_heading = "When the branch moved",
        hide_short_help = true
    )]
    pub measured: Option<CommitId>,

    /// The paths that the numbers depend on [default: everything but Markdown, documents and licences]
    #[arg(long, value_name = "GLOB", num_args = 1.., help_heading = "When the branch moved", hide_short_help = true)]
    pub affects: Vec<PathPattern>,

    /// The commit message; its first line is the headline
    #[arg(long, value_name = "TEXT", default_value = MESSAGE, value_parser = non_empty, help_heading = "Commit")]
    pub message: String,

    /// The fallback if the branch accepts no commits
    #[arg(long, value_name = "WAY", default_value = "pull-request", value_parser = fallback(), help_heading = "Commit")]
    pub fallback: Fallback,

    /// The command that renders the files again if they changed on the branch; runs without a shell
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

const MESSAGE: &str = "Refresh performance numbers";

fn fallback() -> impl TypedValueParser<Value = Fallback> {
    let ways = [
        PossibleValue::new("pull-request")
            .help("Commit to a separate branch and open a pull request"),
        PossibleValue::new("none").help("Leave the numbers in the job summary"),
    ];
    PossibleValuesParser::new(ways).map(|way| {
        if way == "none" {
            Fallback::None
        } else {
            Fallback::PullRequest
        }
    })
}

fn non_empty(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() {
        Err("a commit needs a message")
    } else {
        Ok(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn command_follows_two_dashes() {
        let line = "refresh --file a.md b.csv --affects src/ *.toml -- sh -c --file";
        let cli = Cli::try_parse_from(line.split(' ')).unwrap().request;
        assert_eq!(cli.file, [PathBuf::from("a.md"), PathBuf::from("b.csv")]);
        assert_eq!(cli.affects.len(), 2);
        assert_eq!(cli.command, ["sh", "-c", "--file"]);
    }

    #[test]
    fn invalid_arguments_are_rejected() {
        for rest in ["--repo x", "--measured HEAD", "--affects !a"] {
            let line = format!("refresh --file a {rest}");
            assert!(Cli::try_parse_from(line.split(' ')).is_err(), "{rest}");
        }
        let line = ["refresh", "--file", "a", "--message", " \n"];
        assert!(Cli::try_parse_from(line).is_err());
    }
}
