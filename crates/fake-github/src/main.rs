//! A fake GitHub for scripts: serves until it is ended.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use fake_github::orders::Order;
use fake_github::{Fake, Setup, World};
use perf_cli::{Common, Exit, file, term};
use serde::de::DeserializeOwned;

/// Serve the needed part of GitHub's API, for tests
///
/// Prints `url=` with the API's address, `repository=` with the repository's name, and a line `token=TOKEN LOGIN` for
/// each token that it takes, then serves until it is ended.
#[derive(Parser)]
#[command(version, after_help = HELP)]
struct Cli {
    /// The bare repository behind branches, commits and files; made when there is none
    #[arg(long, value_name = "DIR")]
    repo: PathBuf,

    /// The world to begin with, as JSON: settings, tokens, pull requests, comments
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    /// Trouble on order, as JSON
    #[arg(long, value_name = "FILE")]
    orders: Option<PathBuf>,

    /// The port to listen at; any free one for 0
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,

    /// Write each request to this file when it has been answered, as a line of JSON without its token
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,

    #[command(flatten)]
    common: Common,
}

const HELP: &str = "\
Examples:
  fake-github --repo quill.git
  fake-github --repo quill.git --state state.json --orders orders.json --port 4020 --journal requests.jsonl

The documentation of the library's modules `world` and `orders` has both files' format.

Exit codes: 2 wrong usage, a file that cannot be read, or no port to listen at.";

fn main() -> ExitCode {
    perf_cli::main(run)
}

fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let world: World = read(cli.state.as_deref())?.unwrap_or_default();
    let orders: Vec<Order> = read(cli.orders.as_deref())?.unwrap_or_default();
    let mut lines = format!("repository={}\n", world.repository);
    for (text, token) in &world.tokens {
        writeln!(lines, "token={text} {}", token.login)?;
    }
    let setup = Setup { git: Some(cli.repo.clone()), port: cli.port, journal: cli.journal.clone() };
    let fake = Fake::set_up(world, setup).context("cannot start")?;
    for order in orders {
        order.give(&fake);
    }
    term::stdout(&format!("url={}\n{lines}", fake.url()))?;
    fake.wait();
    Ok(Exit::Ok)
}

fn read<T: DeserializeOwned>(path: Option<&Path>) -> anyhow::Result<Option<T>> {
    let Some(path) = path else { return Ok(None) };
    let text = file::read_text(path)?;
    let parsed = serde_json::from_str(&text);
    parsed.map(Some).with_context(|| format!("cannot understand `{}`", term::shown(path)))
}
