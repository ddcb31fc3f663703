//! Measures latency at a constant rate, without coordinated omission.
//!
//! If a sender waits for each answer before it sends the next message, a stall of the target delays messages, and their
//! delays are never timed. So the results omit most of the time that users would have waited ("coordinated omission", Gil
//! Tene, "How not to measure latency", 2013). Here, the schedule is fixed, and the latency of a late message starts at its
//! scheduled time.

mod args;
mod files;
mod schedule;
mod tally;
mod target;

use std::time::SystemTime;

use anyhow::anyhow;
use perf_cli::{Exit, ResultExt, term};
use perf_model::metric::UnitFamily;
use perf_model::row::Outcome;
use perf_report::number::significant;

pub use self::args::Args;
use self::files::Repetition;
use self::schedule::{Clock, Monotonic, RateSchedule, nanoseconds};
use self::tally::{QUANTILES, Tally};
use self::target::Target;
use crate::amount::in_fitting_unit;
use crate::guardian::Guardian;
use crate::process::CommandSpec;
use crate::rows;

/// The time between two repetitions, in nanoseconds. The target settles meanwhile.
const PAUSE: u64 = 50_000_000;

/// Measures the target, and writes rows and histograms.
///
/// # Errors
/// Fails if the command cannot be started, or cannot keep up with the rate. In the latter case, the rows and histograms are
/// written, but marked as failed.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let guardian = Guardian::start()?;
    let clock = Monotonic::new();
    let line = CommandSpec::of(args.command.clone())?;
    let mut target = Target::start(&line, &args.message, clock, &guardian)?;
    let name = args.name.clone().unwrap_or_else(|| line.shown());
    let grace = nanoseconds(args.grace);
    let mut counted = Vec::new();
    let all = args.warm_up + args.repetitions;
    for number in 1..=all {
        let is_warm_up = number <= args.warm_up;
        let schedule = RateSchedule::new(clock.now() + PAUSE, args.rate, args.length);
        let began = SystemTime::now();
        let repetition = Repetition {
            tally: target.repetition(&schedule, schedule.end().saturating_add(grace), clock)?,
            began,
            length: args.length,
        };
        let label = if is_warm_up { " (warmup)" } else { "" };
        term::stderr(&format!(
            "Rep {number}/{all}{label}: {}",
            repetition_line(&repetition.tally)
        ));
        let is_whole = repetition.tally.is_whole();
        if !is_warm_up || !is_whole {
            counted.push(repetition);
        }
        if !is_whole {
            // Late answers would be mistaken for answers in the next repetition.
            break;
        }
    }
    warn_of_lateness(&counted);
    if let Some(folder) = &args.histograms {
        files::write(folder, &name, &counted)?;
    }
    let methodology = format!("fixed rate of {}/s, intended starts", args.rate);
    let mut rows = Vec::new();
    for (index, counted) in (0..).zip(&counted) {
        let mut row = rows::row(&name, &methodology, index, counted.tally.metrics());
        if !counted.tally.is_whole() {
            row.outcome = Outcome::Failed;
        }
        rows.push(row);
    }
    rows::write(&rows, args.output.as_deref())?;
    match counted.iter().find(|counted| !counted.tally.is_whole()) {
        Some(failed) => loss_failure(args, &line.shown(), &failed.tally),
        None => Ok(Exit::Ok),
    }
}

fn repetition_line(tally: &Tally) -> String {
    let Tally {
        expected,
        sent,
        received,
        latency,
        lateness,
        ..
    } = tally;
    if *received == 0 {
        return format!("sent {sent} of {expected}, received 0");
    }
    let percentiles = QUANTILES.map(|(quantile, label, _)| {
        format!("{label} {}", time(latency.value_at_quantile(quantile)))
    });
    format!(
        "sent {sent} of {expected}, received {received}; {}; min {} mean {} max {}; sender late by {} (p99)",
        percentiles.join(" "),
        time(latency.min()),
        in_fitting_unit(latency.mean() / 1e9, UnitFamily::Time),
        time(latency.max()),
        time(lateness.value_at_quantile(0.99)),
    )
}

fn time(nanoseconds: u64) -> String {
    in_fitting_unit(rows::float(nanoseconds) / 1e9, UnitFamily::Time)
}

/// Warns if the sender itself was late, because that increases the measured latency.
fn warn_of_lateness(counted: &[Repetition]) {
    let late = counted.iter().map(|counted| {
        let tally = &counted.tally;
        (
            tally.lateness.value_at_quantile(0.99),
            tally.latency.value_at_quantile(0.99),
        )
    });
    let Some((late, latency)) = late.max() else {
        return;
    };
    if latency > 0 && late > latency / 10 {
        term::warn(&format!(
            "the sender was late by {} (p99), which is more than a tenth of the latency of {} (p99)",
            time(late),
            time(latency)
        ));
        term::hint("use a quieter machine, or lower the rate");
    }
}

fn loss_failure(args: &Args, target: &str, tally: &Tally) -> anyhow::Result<Exit> {
    let Tally {
        expected,
        sent,
        received,
        ..
    } = tally;
    let loss = significant(100.0 * tally.loss(), 3);
    if tally.ended {
        return Err(anyhow!(
            "`{target}` ended after {received} of {expected} answers ({loss}% lost)"
        ))
        .hint("it must answer each line with a line, until its input ends");
    }
    Err(anyhow!(
        "`{target}` did not keep up with {}/s: {sent} of {expected} messages were sent in time and {received} answered ({loss}% lost)",
        args.rate
    ))
    .hint("lower `--rate`, or allow more time with `--grace`")
}
