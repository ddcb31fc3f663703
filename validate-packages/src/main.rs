//! `validate-comparison-packages`: the library as a standalone program.

use std::process::ExitCode;

fn main() -> ExitCode {
    perf_cli::main(validate_comparison_packages::run)
}
