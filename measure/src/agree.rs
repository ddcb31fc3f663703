//! Compares two instruments on the same work.
//!
//! Each run uses only one instrument, because two at once would slow each other down. The number of calls must be equal in
//! all runs. Otherwise the instruments did not measure the same work.

mod args;
mod instrument;
mod table;

use anyhow::anyhow;
use perf_cli::term::printable;
use perf_cli::{Exit, ResultExt, term};

pub use self::args::Args;
use self::instrument::Measured;
use self::table::ComparedBenchmark;
use crate::benchmarks::distinct;
use crate::guardian::Guardian;
use crate::process::Launcher;

/// Measures with both instruments, and prints a table.
///
/// # Errors
/// Fails if a run fails or its output cannot be read, if the number of calls differs between runs, or if no benchmark was
/// measured by both instruments.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let config = perf_cli::load::config(args.config.as_deref())?;
    let sides = args.sides()?;
    let [first, second] = sides.each_ref().map(|side| printable(&side.instrument));
    let [family, other] = sides.each_ref().map(|side| side.unit(&config).0);
    if family != other {
        return Err(anyhow!(
            "`{first}` and `{second}` do not measure the same quantity"
        ))
        .hint("compare two times, two sizes or two counts");
    }
    let guardian = Guardian::start()?;
    let launcher = Launcher {
        guardian: &guardian,
        limit: args.timeout,
        deadline: None,
    };
    let mut measured: [Vec<Measured>; 2] = Default::default();
    // Alternate between the instruments, so that a slow phase of the machine affects both.
    for _ in 0..args.runs {
        for (side, all) in sides.iter().zip(&mut measured) {
            all.extend(side.run(&launcher, &args.calls, &config)?);
        }
    }
    // Compare each benchmark that both instruments measured, in the reference's order.
    let mut lines = Vec::new();
    for name in distinct(measured[0].iter().map(|run| &*run.scenario)) {
        let own: [Vec<&Measured>; 2] = measured
            .each_ref()
            .map(|all| all.iter().filter(|run| run.scenario == name).collect());
        if own[1].is_empty() {
            let name = printable(name);
            term::warn(&format!("only the reference measured `{name}`"));
            continue;
        }
        lines.push(ComparedBenchmark::new(name, &own)?);
    }
    if lines.is_empty() {
        return Err(anyhow!("the two instruments have no benchmark in common"))
            .hint("both must measure the same benchmark under the same name");
    }
    term::stdout(&table::markdown([&first, &second], family, &lines))?;
    let is_within = |limit: f64| lines.iter().all(|line| line.discrepancy.abs() <= limit);
    Ok(if args.within.is_none_or(is_within) {
        Exit::Ok
    } else {
        Exit::Findings
    })
}
