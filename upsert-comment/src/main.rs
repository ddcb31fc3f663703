//! `upsert-pr-comment`: the library as a program of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    perf_cli::main(upsert_pr_comment::run)
}
