//! `measure-perf`: compares two builds by running them in turn.

use std::process::ExitCode;

fn main() -> ExitCode {
    measure::main()
}
