//! Comparison of two instruments on the same work.
//!
//! Each run uses only one instrument, because two would slow each other down. The number of calls must be equal in all runs.
//! Otherwise the instruments did not measure the same work.

mod args;
mod instrument;
mod table;

use perf_cli::term::printable;
use perf_cli::{Exit, Failure, term};
use perf_model::metric::UnitFamily;

pub use self::args::Args;
use self::instrument::{InstrumentedCommand, Measured};
use self::table::ComparedBenchmark;
use crate::guardian::Guardian;
use crate::process::Launcher;

/// Measures with both instruments, and prints a table.
///
/// # Errors
/// A run fails or its output cannot be read, the number of calls differs, or no benchmark was measured by both.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let config = perf_cli::load::config(args.config.as_deref())?;
    let sides = args.sides()?;
    let family = common_unit(
        sides.each_ref().map(|side| side.instrument.unit(&config).0),
        &sides,
    )?;
    let guardian = Guardian::start()?;
    let launcher = Launcher {
        guardian: &guardian,
        limit: args.timeout,
        deadline: None,
    };
    let mut measured: [Vec<Measured>; 2] = Default::default();
    // In turn, so that a slow phase of the machine affects both.
    for _ in 0..args.runs {
        for (side, all) in sides.iter().zip(&mut measured) {
            all.extend(side.run(&launcher, &args.calls, &config)?);
        }
    }
    let lines = lines(&measured)?;
    let names = sides.each_ref().map(|side| side.instrument.name());
    term::stdout(&table::markdown(
        names.each_ref().map(String::as_str),
        family,
        &lines,
    ))?;
    let is_within = |limit: f64| lines.iter().all(|line| line.discrepancy.abs() <= limit);
    Ok(if args.within.is_none_or(is_within) {
        Exit::Ok
    } else {
        Exit::Findings
    })
}

fn common_unit(
    [a, b]: [UnitFamily; 2],
    sides: &[InstrumentedCommand; 2],
) -> anyhow::Result<UnitFamily> {
    let [first, second] = sides.each_ref().map(|side| side.instrument.name());
    if a == b {
        return Ok(a);
    }
    Err(Failure::new(format!(
        "`{first}` and `{second}` do not measure the same quantity"
    ))
    .hint("compare two times, two sizes or two counts")
    .into())
}

/// One line for each benchmark that both measured, in the order of the reference.
fn lines([a, b]: &[Vec<Measured>; 2]) -> anyhow::Result<Vec<ComparedBenchmark>> {
    let mut lines: Vec<ComparedBenchmark> = Vec::new();
    for scenario in names(a) {
        let of = |all: &'_ [Measured]| -> Vec<Measured> {
            all.iter()
                .filter(|run| run.scenario == scenario)
                .cloned()
                .collect()
        };
        let (own, other) = (of(a), of(b));
        if other.is_empty() {
            term::warn(&format!(
                "only the reference measured `{}`",
                printable(scenario)
            ));
            continue;
        }
        lines.push(
            ComparedBenchmark::new(scenario, &own, &other)
                .map_err(|unequal| unequal_calls(scenario, unequal))?,
        );
    }
    if lines.is_empty() {
        return Err(
            Failure::new("the two instruments have no benchmark in common")
                .hint("both must measure the same benchmark under the same name")
                .into(),
        );
    }
    Ok(lines)
}

fn names(all: &[Measured]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for run in all {
        if !names.contains(&run.scenario.as_str()) {
            names.push(&run.scenario);
        }
    }
    names
}

fn unequal_calls(scenario: &str, (least, most): (f64, f64)) -> Failure {
    let scenario = printable(scenario);
    Failure::new(format!(
        "`{scenario}` has {least} calls in one run and {most} in another"
    ))
    .hint("both instruments must measure the same work in every run")
}
