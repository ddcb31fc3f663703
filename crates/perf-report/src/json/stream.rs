//! Writing a report while it is made, a benchmark a line: two threads make the text of some benchmarks at a time, so that
//! a report of hundreds of megabytes is never in memory.

use std::io::{self, Write};

use perf_config::Config;
use perf_model::parallel;
use perf_verdict::{Comparison, ScenarioComparison, ScopeComparison};
use serde::Serialize;

use super::{Report, ScenarioReport, ScopeReport, parts};
use crate::deltas::{ProfiledBenchmark, Remarks};

/// The number of benchmarks in memory at a time.
const AT_A_TIME: usize = 4_096;

/// The number of benchmarks that is worth a thread.
const MANY: usize = 256;

/// Writes the report of a comparison: its scopes and their benchmarks each begin a line.
pub fn write(
    comparison: &Comparison,
    config: &Config,
    notes: Vec<String>,
    remarks: &Remarks,
    out: &mut dyn Write,
) -> io::Result<()> {
    let profiled = &remarks.profiled;
    let report =
        Report::of(comparison, config, notes, Vec::<ScopeReport>::new()).with_remarks(remarks);
    around(&report, "scopes", out, |out| {
        for (at, scope) in comparison.scopes.iter().enumerate() {
            out.write_all(if at == 0 { b"\n" } else { b",\n" })?;
            write_scope(scope, config, profiled, out)?;
        }
        Ok(())
    })?;
    out.write_all(b"\n")
}

fn write_scope(
    scope: &ScopeComparison,
    config: &Config,
    profiled: &[ProfiledBenchmark],
    out: &mut dyn Write,
) -> io::Result<()> {
    let report = parts::scope_report(scope, config, Vec::<ScenarioReport>::new());
    around(&report, "scenarios", out, |out| {
        // Their memory is used again and again: to ask for hundreds of megabytes takes long.
        let (mut one, mut other) = (Vec::new(), Vec::new());
        for (at, some) in scope.scenarios.chunks(AT_A_TIME).enumerate() {
            let (first, second) = some.split_at(if some.len() < MANY {
                some.len()
            } else {
                some.len() / 2
            });
            let written = if second.is_empty() {
                write_scenarios(first, config, profiled, &mut one)
            } else {
                let written = parallel::both(
                    || write_scenarios(first, config, profiled, &mut one),
                    || write_scenarios(second, config, profiled, &mut other),
                );
                written.0.and(written.1)
            };
            written?;
            // Each text begins with the comma behind the element before it.
            out.write_all(&one[usize::from(at == 0)..])?;
            out.write_all(&other)?;
            other.clear();
        }
        Ok(())
    })
}

/// Benchmarks of one scope, as they stand in its list.
fn write_scenarios(
    scenarios: &[ScenarioComparison],
    config: &Config,
    profiled: &[ProfiledBenchmark],
    text: &mut Vec<u8>,
) -> io::Result<()> {
    text.clear();
    for scenario in scenarios {
        text.extend_from_slice(b",\n");
        serde_json::to_writer(
            &mut *text,
            &parts::scenario_report(scenario, config, profiled),
        )?;
    }
    Ok(())
}

/// Writes an object whose list of this name is empty, with the elements that `elements` writes into it.
fn around(
    object: &impl Serialize,
    list: &str,
    out: &mut dyn Write,
    elements: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let text = serde_json::to_string(object)?;
    // Within a text of JSON, quotes have a backslash, so this is the key.
    let start = format!("\"{list}\":[");
    let place = text.find(&start).map(|at| at + start.len());
    let (before, after) = place
        .and_then(|place| text.split_at_checked(place))
        .ok_or(io::ErrorKind::InvalidData)?;
    out.write_all(before.as_bytes())?;
    elements(out)?;
    out.write_all(after.as_bytes())
}
