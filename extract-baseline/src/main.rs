//! `extract-perf-baseline`: the library as a standalone program.

use std::process::ExitCode;

fn main() -> ExitCode {
    perf_cli::main(extract_perf_baseline::run)
}
