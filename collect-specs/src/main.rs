//! `collect-machine-specs`: the library as a standalone program.

use std::process::ExitCode;

fn main() -> ExitCode {
    perf_cli::main(collect_machine_specs::run)
}
