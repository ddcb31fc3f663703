//! `validate-comparison-packages`: the library as a program of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    perf_cli::main(validate_comparison_packages::run)
}
