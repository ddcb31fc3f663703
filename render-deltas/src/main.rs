//! `render-perf-deltas`: the library as a standalone program.

use std::process::ExitCode;

fn main() -> ExitCode {
    perf_cli::main(render_perf_deltas::run)
}
