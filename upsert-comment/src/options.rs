//! The command line.

use clap::Parser;
use perf_cli::Common;

use crate::request::CommentRequest;

/// Post a report on a pull request as one comment that is kept up to date, and in the job summary
#[derive(Parser)]
#[command(name = "upsert-pr-comment", version, after_help = EXAMPLES)]
pub struct Cli {
    #[command(flatten)]
    pub(crate) request: CommentRequest,

    #[command(flatten)]
    common: Common,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate comment --key perf --body-file deltas.md
  perf-gate comment --key perf --body-file deltas.md \\
    --annotate warning --report report.json
  perf-gate comment --key perf --mode delete
  GH_TOKEN=$(gh auth token) perf-gate comment --key perf \\
    --body-file deltas.md --repo octo/quill --pr 5 --dry-run

In a workflow, repository, pull request, run and API come from the
environment; the token is GITHUB_TOKEN, else GH_TOKEN, and needs
`pull-requests: write`.

Standard output has one line each for comment-url=, comment-id= and
action= (created, updated, unchanged, deleted, outdated, skipped, planned).

Exit codes: 0 the comment is up to date, or none is possible (a fork, a locked
conversation: a notice says why); 2 something is wrong";
