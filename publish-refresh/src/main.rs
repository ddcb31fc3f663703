//! `publish-perf-refresh` as a standalone program.

use std::process::ExitCode;

fn main() -> ExitCode {
    perf_cli::main(publish_perf_refresh::run)
}
