//! Describes the hardware that measured, and never says whose machine it is.
//!
//! The way of a fact: a *probe* finds it (`linux`, `portable`), `machine::Machine` holds what was
//! found, `facts` puts it into words, `screen` compares the words with the machine's *identities*
//! (names, addresses and numbers that belong to this machine or its people), and only a field of the
//! allow-list in `field` can be written.

mod class;
mod facts;
mod field;
mod identity;
mod linux;
mod machine;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(not(target_os = "linux"))]
mod portable;
mod screen;
mod smbios;
mod warning;
#[cfg(windows)]
mod windows;
mod words;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Parser;
use perf_cli::{Common, Exit, failure, file, term};

use crate::identity::Identities;
use crate::linux::Tree;
use crate::machine::Machine;

/// Describe this machine's hardware for a benchmark's provenance, without saying whose machine it is
///
/// Prints one line: `<cpu>, <physical>C/<logical>T @ <clock>MHz; <ram>GB <type>@<speed>; <gpu>; <os>`.
/// Facts that the system does not report are `unknown`, with a warning on stderr and exit code 0.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
pub struct Cli {
    /// Write all fields to this file as JSON
    #[arg(short = 'j', long, value_name = "FILE", help_heading = "Output")]
    output_json: Option<PathBuf>,

    /// Write the line to this file too
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    output_summary: Option<PathBuf>,

    /// Describe the Linux system whose /proc, /sys and /etc lie under this folder
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,

    /// Warn of a file that cannot be written, and exit with 0: measuring goes on without a description
    #[arg(long, help_heading = "Output")]
    best_effort: bool,

    #[command(flatten)]
    common: Common,
}

const EXAMPLES: &str = "\
Examples:
  collect-machine-specs
  collect-machine-specs --output-json machine-specs.json
  collect-machine-specs --root /mnt/image

Exit codes: 0 described; 2 wrong usage, or without --best-effort a file that
cannot be written";

/// Environment variables by name. What is not Unicode is kept as near as can be, so that it is checked.
type Environment = BTreeMap<String, String>;

/// Runs the command.
///
/// # Errors
/// What keeps it from doing its work.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let environment = environment();
    let (machine, identities) = look(cli.root.clone(), &environment);
    let (report, warnings) = screen::screen(&machine, &identities);
    warning::show(&warnings, &environment);
    let (json, summary) = (report.json()?, format!("{}\n", report.summary()?));
    for (path, text) in [(&cli.output_json, &json), (&cli.output_summary, &summary)] {
        let Some(path) = path else { continue };
        match file::write_if_changed(path, text.as_bytes()) {
            Err(error) if cli.best_effort => term::warn(&failure::message(&error)),
            written => _ = written?,
        }
    }
    term::stdout(&summary)?;
    Ok(Exit::Ok)
}

fn environment() -> Environment {
    let text = |value: std::ffi::OsString| value.to_string_lossy().into_owned();
    std::env::vars_os().map(|(name, value)| (text(name), text(value))).collect()
}

fn look(root: Option<PathBuf>, environment: &Environment) -> (Machine, Identities) {
    let mut identities = Identities::from_environment(environment);
    let machine = match root {
        Some(root) => linux::look(&Tree::new(root), environment, &mut identities),
        None => look_here(environment, &mut identities),
    };
    (machine, identities)
}

#[cfg(target_os = "linux")]
fn look_here(environment: &Environment, identities: &mut Identities) -> Machine {
    linux::look(&Tree::new(PathBuf::from("/")), environment, identities)
}

#[cfg(not(target_os = "linux"))]
fn look_here(_: &Environment, identities: &mut Identities) -> Machine {
    portable::look(identities)
}
