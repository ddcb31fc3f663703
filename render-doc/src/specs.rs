//! The line that says which hardware measured.

use std::path::Path;

use perf_cli::{file, term};
use perf_rows::machine::MachineSpecs;

/// What stands for a machine that nobody described.
const NOT_DESCRIBED: &str = "hardware not recorded";

/// The hardware in one line. A description that is missing or broken costs a warning, not the page.
pub(crate) fn runner(path: Option<&Path>) -> String {
    let Some(path) = path else { return NOT_DESCRIBED.to_owned() };
    let read = file::read_text(path).and_then(|text| Ok(MachineSpecs::from_json(&text)?));
    match read {
        Ok(specs) => specs.summary(),
        Err(error) => {
            term::warn(&format!("{}: the page says `{NOT_DESCRIBED}`", perf_cli::failure::message(&error)));
            NOT_DESCRIBED.to_owned()
        }
    }
}
