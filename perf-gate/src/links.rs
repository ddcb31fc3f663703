//! The small programs by the names of links to this one, which archives have in their place.

use std::path::Path;
use std::process::ExitCode;

/// Runs the program whose name started this one; `None` for its own name.
pub(crate) fn run() -> Option<ExitCode> {
    let name = std::env::args_os().next()?;
    Some(match Path::new(&name).file_stem()?.to_str()? {
        "extract-perf-baseline" => perf_cli::main(extract_perf_baseline::run),
        "render-perf-doc" => perf_cli::main(render_perf_doc::run),
        "render-perf-deltas" => perf_cli::main(render_perf_deltas::run),
        "collect-machine-specs" => perf_cli::main(collect_machine_specs::run),
        "validate-comparison-packages" => perf_cli::main(validate_comparison_packages::run),
        "measure-perf" => measure::main(),
        #[cfg(feature = "github")]
        "upsert-pr-comment" => perf_cli::main(upsert_pr_comment::run),
        #[cfg(feature = "github")]
        "publish-perf-refresh" => perf_cli::main(publish_perf_refresh::run),
        _ => return None,
    })
}
