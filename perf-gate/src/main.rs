//! `perf-gate`: every tool in one program.

use std::process::ExitCode;

fn main() -> ExitCode {
    perf_gate::main()
}
