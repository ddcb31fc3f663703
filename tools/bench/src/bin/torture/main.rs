//! `torture`: runs the real programs on mutated fixtures, with limits on time and memory, and checks their results.
//!
//! An *execution* is one mutated case with all its commands. Executions are numbered. Seed and number determine the case.

mod api;
mod case;
mod check;
mod harness;
mod limits;
mod mutation;
mod pipeline;
mod random;
mod seeds;
mod targets;

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, ensure};
use clap::Parser;
use perf_cli::{Common, Exit, term};
use perf_model::parallel;

use crate::api::TortureApi;
use crate::case::{CaseFolder, TARGETS, TortureSetting};
use crate::seeds::Seeds;

/// Run the programs on mutated fixtures and report every crash, hang and damaged output
#[derive(Parser)]
#[command(name = "torture", version)]
struct Cli {
    /// Number of mutated cases
    #[arg(long, value_name = "COUNT", default_value_t = 200_000)]
    executions: u64,

    /// Seed of the cases [default: the current time]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,

    /// Run only this execution, and keep its files
    #[arg(long, value_name = "NUMBER")]
    only: Option<u64>,

    /// Run only this target
    #[arg(long, value_name = "NAME", value_parser = TARGETS.map(|(name, ..)| name))]
    target: Option<String>,

    /// Folder of the built programs [default: built by cargo, in the release profile]
    #[arg(long, value_name = "FOLDER")]
    programs: Option<PathBuf>,

    #[command(flatten)]
    common: Common,
}

fn main() -> std::process::ExitCode {
    perf_cli::main(run)
}

fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let programs = cli.programs.clone().map_or_else(build, Ok)?;
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let seeds = Seeds::of(&root)?;
    let now = || {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(1, |since| since.as_secs())
    };
    let seed = cli.seed.unwrap_or_else(now);
    let api = TortureApi::start().context("cannot start the fake GitHub")?;
    let target = TARGETS
        .iter()
        .find(|(name, ..)| cli.target.as_deref() == Some(*name));
    let setting = TortureSetting {
        seed,
        seeds: &seeds,
        programs: &programs,
        api: &api,
        target: target.map(|(_, _, target)| *target),
    };
    term::note(&format!("seed {seed}, {} fixtures", seeds.count()));
    // A single execution keeps its files and shows its problem.
    if let Some(only) = cli.only {
        let place = CaseFolder::make(true)?;
        api.clone_into(place.path())?;
        term::note(&format!(
            "files are kept in `{}`",
            term::shown(place.path())
        ));
        let problem = case::run(&setting, only, &place)?;
        term::stdout(&format!(
            "{}\n",
            problem.as_deref().unwrap_or("nothing found")
        ))?;
        return Ok(if problem.is_some() {
            Exit::Findings
        } else {
            Exit::Ok
        });
    }
    let campaign = Campaign {
        next: AtomicU64::new(0),
        found: AtomicU64::new(0),
        failed: AtomicBool::new(false),
        last: cli.executions,
    };
    let threads = vec![(); parallel::cores()];
    let ended = parallel::map(&threads, |()| campaign.work(&setting));
    ended.into_iter().collect::<anyhow::Result<Vec<()>>>()?;
    let (done, found) = (
        campaign.next.into_inner().min(cli.executions),
        campaign.found.into_inner(),
    );
    term::stdout(&format!(
        "seed={seed}\nexecutions={done}\nfindings={found}\n"
    ))?;
    Ok(if found > 0 { Exit::Findings } else { Exit::Ok })
}

/// All executions, shared by several threads.
struct Campaign {
    next: AtomicU64,
    found: AtomicU64,
    failed: AtomicBool,
    last: u64,
}

impl Campaign {
    /// The number of findings after which to stop, because more would hardly differ.
    const MOST_FOUND: u64 = 20;

    fn work(&self, setting: &TortureSetting<'_>) -> anyhow::Result<()> {
        let place = CaseFolder::make(false)?;
        setting.api.clone_into(place.path())?;
        let is_over = || {
            let found = self.found.load(Ordering::Relaxed);
            self.failed.load(Ordering::Relaxed) || found >= Self::MOST_FOUND
        };
        while !is_over() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.last {
                break;
            }
            let problem = case::run(setting, number, &place);
            self.failed.fetch_or(problem.is_err(), Ordering::Relaxed);
            if let Some(problem) = problem.with_context(|| format!("execution {number}"))? {
                self.found.fetch_add(1, Ordering::Relaxed);
                term::warn(&format!(
                    "{problem}\nreproduce with `--seed {} --only {number}`",
                    setting.seed
                ));
            }
        }
        Ok(())
    }
}

/// Builds the programs and returns their directory.
fn build() -> anyhow::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--release", "--quiet"]);
    let status = command
        .args(limits::PROGRAMS.iter().flat_map(|name| ["--bin", name]))
        .status();
    ensure!(
        status.context("cannot run cargo")?.success(),
        "the programs cannot be built"
    );
    // Derive the directory from this program's path.
    let own = std::env::current_exe()?;
    let profile = own
        .parent()
        .and_then(|folder| folder.parent())
        .context("no folder of programs")?;
    let is_release = own
        .parent()
        .is_some_and(|folder| folder.ends_with("release"));
    Ok(if is_release {
        own.with_file_name("")
    } else {
        profile.join("release")
    })
}
