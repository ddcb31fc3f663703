//! The line that says which hardware measured.

use std::path::Path;

use perf_cli::load::machine_specs;
use perf_cli::term;

/// What stands for a machine that nobody described.
const NOT_DESCRIBED: &str = "hardware not recorded";

/// The hardware in one line. A description that is missing or broken costs a warning, not the page.
pub(crate) fn runner(path: Option<&Path>) -> String {
    let Some(path) = path else { return NOT_DESCRIBED.to_owned() };
    match machine_specs(path) {
        Ok(specs) => specs.summary(),
        Err(error) => {
            term::warn(&format!("{}: the page says `{NOT_DESCRIBED}`", perf_cli::failure::message(&error)));
            NOT_DESCRIBED.to_owned()
        }
    }
}
