//! Describes the machine's hardware without revealing whose machine it is.
//!
//! The path of a fact: `probe` finds it, `machine::Machine` stores it, `facts` turns it into text, `redact` compares the
//! text with the machine's *identities* (names, addresses and numbers that belong to this machine or its people). Only the
//! fields of [`MachineSpecs`] can be written.

mod class;
mod facts;
mod identity;
#[cfg(target_os = "linux")]
mod linux;
mod machine;
#[cfg(target_os = "macos")]
mod macos;
mod probe;
mod redact;
#[cfg(any(target_os = "linux", windows))]
mod smbios;
#[cfg(windows)]
mod windows;
mod words;

use std::io::Write as _;
use std::path::PathBuf;

use clap::Parser;
use perf_cli::{Common, Exit, actions, failure, file, term};
use perf_model::machine::MachineSpecs;

use crate::identity::Identities;

/// Describe this machine's hardware for a benchmark's provenance, without saying whose machine it is
///
/// Prints one line: `<cpu>, <physical>C/<logical>T @ <clock>MHz; <ram>GB <type>@<speed>; <gpu>; <os>`. Facts that the system
/// does not report are left out of the line, and are `unknown` in the JSON. They cause a warning on stderr, but no error.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
pub struct Cli {
    /// Write all fields to this file as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    output_json: Option<PathBuf>,

    /// `-OutputJson FILE`, as PowerShell scripts pass it: clap reads it as a short option whose value is the rest of
    /// the name.
    #[arg(short = 'O', value_parser = ["utputJson"], requires = "file", conflicts_with = "output_json", hide = true)]
    powershell_name: Option<String>,

    /// The file of `-OutputJson`.
    #[arg(requires = "powershell_name", hide = true)]
    file: Option<PathBuf>,

    /// If the file cannot be written, warn and exit with 0, so a script continues without it
    #[arg(long, help_heading = "Output")]
    best_effort: bool,

    #[command(flatten)]
    common: Common,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate specs
  perf-gate specs --output-json machine-specs.json

Exit codes: 0 described; 2 wrong usage, or a file cannot be written";

/// A description that may be published, and the reasons for its gaps.
#[derive(Clone, Debug)]
pub struct SpecsReport {
    /// The machine's facts, without those that would reveal whose machine it is.
    pub specs: MachineSpecs,
    /// The reasons why facts are unknown or withheld, one line each. They never contain a fact's value.
    pub warnings: Vec<String>,
}

/// Describes this machine. Prints nothing and never fails: a missing fact is unknown, and causes a warning.
pub fn collect() -> SpecsReport {
    // Names that are not Unicode are converted as closely as possible, so that they are also compared with the facts.
    let variable = |name: &str| Some(std::env::var_os(name)?.to_string_lossy().into_owned());
    let mut identities = Identities::from_environment(variable);
    let machine = probe::probe(&mut identities);
    let (specs, warnings) = redact::redact(&machine, &identities);
    SpecsReport { specs, warnings }
}

impl SpecsReport {
    /// The content of `machine-specs.json`: every field, known or not.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(&self.specs).map(|json| json + "\n")
    }
}

/// Prints the description, and writes the JSON file if the command line asks for it.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let report = collect();
    let is_runner = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    for warning in &report.warnings {
        if is_runner {
            // A closed stderr is not an error.
            let _ = writeln!(std::io::stderr(), "::warning::{}", actions::escape(warning));
        } else {
            term::warn(warning);
        }
    }
    if let Some(path) = cli.output_json.as_ref().or(cli.file.as_ref()) {
        match file::write_if_changed(path, report.json()?.as_bytes()) {
            Err(error) if cli.best_effort => term::warn(&failure::message(&error)),
            written => _ = written?,
        }
    }
    term::stdout(&format!("{}\n", report.specs.summary()))?;
    Ok(Exit::Ok)
}
