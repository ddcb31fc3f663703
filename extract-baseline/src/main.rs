//! `extract-perf-baseline`: the library as a program of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    perf_cli::main(extract_perf_baseline::run)
}
