//! `calibrate-perf-gate`: the program.

use std::process::ExitCode;

fn main() -> ExitCode {
    calibrate::workload().unwrap_or_else(|| perf_cli::main(calibrate::run))
}
