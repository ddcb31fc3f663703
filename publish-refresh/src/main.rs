//! `publish-perf-refresh`: the library as a program of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    perf_cli::main(publish_perf_refresh::run)
}
