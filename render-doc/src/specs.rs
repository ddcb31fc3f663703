//! The page's line about the hardware.

use std::path::{Path, PathBuf};

use perf_cli::load::{MACHINE_SPECS, machine_specs};
use perf_cli::term;
use perf_model::diagnostic::{Diagnostic, counted};
use perf_model::machine::{MachineSpecs, UNKNOWN};
use perf_model::suite::{Measurement, Suite};

/// Shown for rows from a machine without a description.
const NOT_DESCRIBED: &str = "hardware not recorded";

/// The hardware of each matrix leg with the scopes that it measured; `None` unless there are several descriptions next
/// to the inputs.
pub(crate) fn legs(inputs: &[PathBuf], suite: &Suite<'_>) -> Option<String> {
    let mut legs: Vec<String> = Vec::new();
    for input in inputs {
        let folder = if input.is_dir() {
            input
        } else {
            input.parent()?
        };
        let Ok(specs) = machine_specs(&folder.join(MACHINE_SPECS)) else {
            continue;
        };
        let mut leg = specs.summary();
        let mut scopes = Vec::new();
        for scope in &suite.scopes {
            let mut classes = scope.measurements.iter().map(Measurement::machine_class);
            if classes.any(|class| class.is_some() && class == specs.machine_class.as_deref()) {
                scopes.push(scope.name);
            }
        }
        if !scopes.is_empty() {
            leg = format!("{}: {leg}", scopes.join(", "));
        }
        if !legs.contains(&leg) {
            legs.push(leg);
        }
    }
    (legs.len() > 1).then(|| legs.join("; "))
}

/// The hardware in one line; empty if it was not recorded. A broken description causes only a warning. Rows from other
/// systems do not use this machine's hardware.
pub(crate) fn runner(path: Option<&Path>, suite: &Suite<'_>) -> String {
    let Some(path) = path else {
        return String::new();
    };
    let specs = match machine_specs(path) {
        Ok(specs) => specs,
        Err(error) => {
            let message = perf_cli::failure::message(&error);
            term::warn(&format!("{message}: the page does not show the hardware"));
            return String::new();
        }
    };
    let (mut all, mut elsewhere) = (0, 0);
    for one in suite.measurements() {
        let mut rows = one.rows.iter();
        let is_elsewhere = rows.any(|row| specs.is_elsewhere(&row.platform, one.machine_class()));
        all += 1;
        elsewhere += usize::from(is_elsewhere);
    }
    if elsewhere == 0 {
        return specs.summary();
    }
    term::diagnostics(&[describes_another(path, &specs, elsewhere, all)]);
    if elsewhere == all {
        return String::new();
    }
    format!(
        "{} (rows of other machines: {NOT_DESCRIBED})",
        specs.summary()
    )
}

/// The warning that the description is of another machine than the one that measured the rows.
fn describes_another(
    path: &Path,
    specs: &MachineSpecs,
    elsewhere: usize,
    all: usize,
) -> Diagnostic {
    let class = specs.machine_class.as_deref().unwrap_or(UNKNOWN);
    let (described, class) = (term::shown(path), term::printable(class));
    let benchmarks = counted(all as u64, "benchmark");
    let message = format!(
        "`{described}` describes a machine ({class}) that did not measure {elsewhere} of {benchmarks}: \
         the page does not show the hardware of these"
    );
    Diagnostic::warning(message).hint("pass the description of the machine that measured them")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn description_of_another_machine_is_a_warning() {
        let text = r#"{"machineClass": "ryzen-16c-x86_64-windows"}"#;
        let specs = MachineSpecs::from_json(text).unwrap();
        let warning = describes_another(Path::new("specs.json"), &specs, 2, 3);
        assert_eq!(
            warning.message,
            "`specs.json` describes a machine (ryzen-16c-x86_64-windows) that did not measure 2 of 3 benchmarks: \
             the page does not show the hardware of these"
        );
    }
}
