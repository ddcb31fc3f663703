//! `render-perf-deltas`: the library as a program of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    perf_cli::main(render_perf_deltas::run)
}
