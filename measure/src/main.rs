//! `measure-perf`: measures both sides in turn, on one machine.

use std::process::ExitCode;

fn main() -> ExitCode {
    measure::main()
}
