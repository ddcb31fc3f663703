//! `upsert-pr-comment` as a standalone program.

use std::process::ExitCode;

fn main() -> ExitCode {
    perf_cli::main(upsert_pr_comment::run)
}
