//! A fake GitHub for scripts.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use fake_github::script::Fault;
use fake_github::{Fake, Setup, World};
use perf_cli::{Common, Exit, file, term};
use serde::de::DeserializeOwned;

/// Serve a fake of GitHub's API for tests
///
/// Prints `url=` with the base URL of the API, `repository=` with the name of the repository, and a line
/// `token=TOKEN LOGIN` for each valid token, then serves until it is killed.
#[derive(Parser)]
#[command(version, after_help = HELP)]
struct Cli {
    /// The bare repository with branches, commits and files; created if missing
    #[arg(long, value_name = "DIR")]
    repo: PathBuf,

    /// The initial state as JSON: settings, tokens, pull requests, comments
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    /// Faults to inject, as JSON
    #[arg(long, value_name = "FILE")]
    faults: Option<PathBuf>,

    /// The port; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,

    /// Write each request with its end to this file, as JSON Lines without tokens
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,

    #[command(flatten)]
    common: Common,
}

const HELP: &str = "\
Examples:
  fake-github --repo quill.git
  fake-github --repo quill.git --state state.json --faults faults.json --port 4020 --journal requests.jsonl

The library's modules `world` and `script` document the formats of both files.

Exit codes: 2 invalid arguments, an unreadable file, or a port in use.";

fn main() -> ExitCode {
    perf_cli::main(run)
}

fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let world: World = read(cli.state.as_deref())?.unwrap_or_default();
    let faults: Vec<Fault> = read(cli.faults.as_deref())?.unwrap_or_default();
    let mut lines = format!("repository={}\n", world.repository);
    for (text, token) in &world.tokens {
        writeln!(lines, "token={text} {}", token.login)?;
    }
    let setup = Setup { git: Some(cli.repo.clone()), port: cli.port, journal: cli.journal.clone() };
    let fake = Fake::set_up(world, setup).context("cannot start the server")?;
    for fault in faults {
        fake.inject(fault);
    }
    term::stdout(&format!("url={}\n{lines}", fake.url()))?;
    fake.wait()
}

fn read<T: DeserializeOwned>(path: Option<&Path>) -> anyhow::Result<Option<T>> {
    let Some(path) = path else { return Ok(None) };
    let text = file::read_text(path)?;
    let parsed = serde_json::from_str(&text);
    parsed.map(Some).with_context(|| format!("cannot parse `{}`", term::shown(path)))
}
