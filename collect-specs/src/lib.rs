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
use perf_cli::{Common, Exit, file, term};

use crate::identity::Identities;
use crate::linux::Tree;
use crate::machine::Machine;

/// Describe this machine's hardware for a benchmark's provenance, without saying whose machine it is
///
/// Prints one line: `<cpu>, <physical>C/<logical>T @ <clock>MHz; <ram>GB <type>@<speed>; <gpu>; <os>`.
/// Facts that the system does not report are `unknown`, with a warning on stderr and exit code 0.
#[derive(Parser)]
#[command(version, after_help = "Exit codes: 0 described, 2 wrong usage or a file that cannot be written.")]
pub struct Cli {
    /// Write all fields to this file as JSON
    #[arg(long, value_name = "FILE")]
    output_json: Option<PathBuf>,

    /// Write the line to this file too
    #[arg(long, value_name = "FILE")]
    output_summary: Option<PathBuf>,

    /// Describe the Linux system whose /proc, /sys and /etc lie under this folder
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,

    #[command(flatten)]
    common: Common,
}

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
    if let Some(path) = &cli.output_json {
        file::write_if_changed(path, report.json()?.as_bytes())?;
    }
    let summary = format!("{}\n", report.summary()?);
    if let Some(path) = &cli.output_summary {
        file::write_if_changed(path, summary.as_bytes())?;
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
