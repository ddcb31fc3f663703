//! `calibrate-perf-gate`: the library as a program of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    calibrate::workload().unwrap_or_else(|| perf_cli::main(calibrate::run))
}
