//! What is known without a catalogue: the runbook's columns, and what a metric's name tells.

use super::{DefaultGate, GateRule, Metric};
use crate::metric::{Direction, Meaning, Unit};

/// The runbook's CSV lines without a header: the metrics behind `scenario,platform,commit,runIndex`.
pub(super) const LAYOUTS: [&[&str]; 2] = [
    &["emitsPerSecond", "gcAllocations", "wallClockMs", "gcAllocatedBytes"],
    &["emitsPerSecond", "allocatedBytesDelta", "wallClockMs"],
];

const THROUGHPUT: &str = "emitsPerSecond";
const WALL_CLOCK: &str = "wallClockMs";

/// The names that the runbook's structured lines abbreviate, and what they stand for.
pub(super) const ABBREVIATIONS: [(&str, &str); 1] = [("emitsPerSec", THROUGHPUT)];

/// What `name` alone tells. The runbook's measured columns have three decimals in a baseline, and its wall
/// clock is a result only where no throughput was measured: everywhere else it is the length of the window.
pub(super) fn metric(name: &str) -> Metric {
    let meaning = Meaning::of_name(name);
    Metric {
        name: name.into(),
        label: label(name),
        meaning,
        formula: None,
        fallback_for: (name == WALL_CLOCK).then(|| THROUGHPUT.into()),
        format: None,
        noun: None,
        decimals: [THROUGHPUT, WALL_CLOCK].contains(&name).then_some(3),
        default_gate: default_gate(name, meaning),
    }
}

fn label(name: &str) -> String {
    match name {
        THROUGHPUT => "Throughput",
        WALL_CLOCK => "Wall clock",
        "gcAllocations" => "GC allocs",
        "gcAllocatedBytes" => "GC bytes",
        "allocatedBytesDelta" => "Allocated bytes",
        _ => name,
    }
    .to_owned()
}

/// By how much of its throughput a program may fall for executing more instructions: a growth of 0.2 % is what
/// the same program shows from build to build.
const MORE_INSTRUCTIONS: f64 = 0.002 / 1.002;

pub(super) fn default_gate(name: &str, meaning: Meaning) -> Option<DefaultGate> {
    // Bytes beside an exact number of allocations follow from it, and from the collector's moods.
    if [WALL_CLOCK, "gcAllocatedBytes"].contains(&name) || meaning.direction == Direction::Unknown {
        return None;
    }
    let gate = |rule, threshold| Some(DefaultGate { rule, threshold });
    match meaning.unit {
        _ if meaning.exact => gate(GateRule::Exact, None),
        Unit::Count if name.to_lowercase().contains("instructions") => {
            gate(GateRule::Threshold, Some(MORE_INSTRUCTIONS))
        }
        // How often a processor did something else is noise of its own.
        Unit::Percent | Unit::Count => None,
        _ => gate(GateRule::Threshold, None),
    }
}
