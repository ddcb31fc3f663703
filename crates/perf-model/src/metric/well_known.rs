//! Metrics known without a config: the runbook's columns, and what a metric's name implies.

use super::{Declared, Direction, GateRule, Meaning, Metric, Unit, derived_from};

/// The runbook's CSV lines without a header: the metrics behind `scenario,platform,commit,runIndex`.
pub const LAYOUTS: [&[&str]; 2] = [
    &[
        "emitsPerSecond",
        "gcAllocations",
        "wallClockMs",
        "gcAllocatedBytes",
    ],
    &["emitsPerSecond", "allocatedBytesDelta", "wallClockMs"],
];

const THROUGHPUT: &str = "emitsPerSecond";
const WALL_CLOCK: &str = "wallClockMs";

/// The names that the runbook's structured lines abbreviate, and what they stand for.
pub const ABBREVIATIONS: [(&str, &str); 1] = [("emitsPerSec", THROUGHPUT)];

/// The meaning that `name` alone implies. The runbook's measured columns have three decimals in a baseline, and its wall
/// clock is a result only where no throughput was measured: everywhere else it is the length of the window.
pub fn metric(name: &str) -> Metric {
    let meaning = Meaning::of_name(name);
    let spread_of = spread_of(name);
    Metric {
        spread_of: spread_of.map(Into::into),
        derived_from: derived_from(name).into_iter().map(Into::into).collect(),
        name: name.into(),
        label: label(name),
        meaning: match spread_of {
            None => meaning,
            Some(of) => Meaning {
                unit: Meaning::of_name(of).unit,
                ..meaning
            },
        },
        formula: None,
        fallback_for: (name == WALL_CLOCK).then(|| THROUGHPUT.into()),
        format: None,
        noun: None,
        decimals: [THROUGHPUT, WALL_CLOCK].contains(&name).then_some(3),
        default_gate: default_gate(name, meaning),
    }
}

/// The meaning that a tool declared, and for the rest that of `name`.
pub fn declared(name: &str, declared: &Declared) -> Metric {
    let known = metric(name);
    if known.spread_of.is_some() {
        return known;
    }
    Metric {
        label: declared.label.clone().unwrap_or(known.label),
        meaning: declared.meaning,
        default_gate: default_gate(name, declared.meaning),
        ..known
    }
}

/// The metric whose spread one of this name says: `timeNs.upper` is the upper end of an interval of `timeNs`.
pub fn spread_of(name: &str) -> Option<&str> {
    const ENDS: [&str; 9] = [
        "lower", "upper", "d1", "d9", "stddev", "mad", "min", "max", "mean",
    ];
    let (of, end) = name.rsplit_once('.')?;
    (ENDS.contains(&end) && !of.is_empty()).then_some(of)
}

/// True if a metric of this name has a meaning of its own, in whatever tool.
pub fn is_known(name: &str) -> bool {
    // Names that tools give by themselves, and that are their own labels.
    const OF_TOOLS: [&str; 7] = [
        "ns/op",
        "B/op",
        "allocs/op",
        "MB/s",
        "allocs",
        "bytes",
        "cycles",
    ];
    let is_column = || LAYOUTS.iter().any(|layout| layout.contains(&name));
    is_column()
        || OF_TOOLS.contains(&name)
        || label(name) != name
        || spread_of(name).is_some_and(is_known)
}

fn label(name: &str) -> String {
    match name {
        THROUGHPUT => "Throughput",
        WALL_CLOCK => "Wall clock",
        "gcAllocations" => "GC allocs",
        "gcAllocatedBytes" => "GC bytes",
        "allocatedBytesDelta" => "Allocated bytes",
        "timeNs" | "timeUs" | "timeMs" | "timeS" => "Time",
        "cpuTimeNs" | "cpuTimeS" => "CPU time",
        "undelayedTimeNs" | "undelayedTimeS" => "Time without delay",
        "userS" => "User time",
        "systemS" => "System time",
        "contextSwitches" => "Context switches",
        "memoryBytes" => "Memory",
        "opsPerSecond" => "Operations/s",
        "itemsPerSecond" => "Items/s",
        "bytesPerSecond" => "Bytes/s",
        "requestsPerSecond" => "Requests/s",
        "allocations" => "Allocations",
        "allocatedBytes" => "Allocated",
        "latencyMs" | "latencyS" | "latency" => "Latency",
        "uncorrectedLatencyMs" => "Uncorrected latency",
        "threadRequestsPerSecond" => "Requests/s of a thread",
        "errors" => "Errors",
        "httpErrors" => "HTTP errors",
        "gcTimeNs" => "GC time",
        "sampledTimeNs" => "Time of a call",
        "singleShotTimeNs" => "Time of one shot",
        "meanOpsPerSecond" => "Operations/s, mean",
        "medianOpsPerSecond" => "Operations/s, median",
        "firstByteS" => "First byte",
        "instructions" => "Instructions",
        "estimatedCycles" => "Estimated cycles",
        "l1Hits" => "L1 hits",
        "l2Hits" => "L2 hits",
        "llHits" => "LL hits",
        "ramHits" => "RAM hits",
        "l1Accesses" => "L1 accesses",
        "l2Accesses" => "L2 accesses",
        "ramAccesses" => "RAM accesses",
        "readsAndWrites" => "Reads and writes",
        "peakBytes" => "Peak",
        "peakBlocks" => "Blocks at peak",
        _ => return percentile(name).unwrap_or_else(|| name.to_owned()),
    }
    .to_owned()
}

/// `latencyP99.9Ms` is "Latency p99.9".
fn percentile(name: &str) -> Option<String> {
    let (of, rest) = ["latencyP", "timeP", "firstByteP"]
        .iter()
        .find_map(|of| Some((*of, name.strip_prefix(of)?)))?;
    let digits = rest.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let fits = !digits.is_empty()
        && digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let of = match of {
        "latencyP" => "Latency",
        "timeP" => "Time",
        _ => "First byte",
    };
    fits.then(|| format!("{of} p{digits}"))
}

/// True if a metric of this name is mostly noise: the length of a window; parts of a time that was measured whole, where
/// the smaller is mostly the clock's grain; and the largest of many values.
pub fn is_noise(name: &str) -> bool {
    let behind = |mark: &str| name.split_once(mark).map(|(_, behind)| behind);
    [
        WALL_CLOCK,
        "meanOpsPerSecond",
        "grossTimeS",
        "undelayedTimeNs",
        "undelayedTimeS",
        "grossInstructions",
        "userS",
        "systemS",
        "userTimeS",
        "systemTimeS",
        "contextSwitches",
        "gcTimeNs",
    ]
    .contains(&name)
        || behind("P100").is_some()
        || behind("Max").is_some()
}

/// The way in which a metric of this name and meaning fails a change in a config without gates; `None` for what is noise.
pub fn default_gate(name: &str, meaning: Meaning) -> Option<GateRule> {
    // Bytes beside an exact number of allocations follow from it, and from the collector's moods.
    if name == "gcAllocatedBytes" || meaning.direction == Direction::Unknown || is_noise(name) {
        return None;
    }
    match meaning.unit {
        _ if meaning.exact => Some(GateRule::Exact),
        Unit::Count if name.to_lowercase().contains("instructions") => Some(GateRule::Count),
        // How often a processor did something else is noise of its own.
        Unit::Percent | Unit::Count => None,
        _ => Some(GateRule::Limit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mostly_noise_is_shown_and_not_gated() {
        let gated = |name: &str| metric(name).default_gate.is_some();
        for name in [
            "timeS",
            "latencyP50Ms",
            "latencyP99Ms",
            "latencyP95Ms",
            "cpuTimeNs",
            // Whether they have enough values is for the verdict to say.
            "latencyP99.9Ms",
            "latencyP99.99Ms",
        ] {
            assert!(gated(name), "{name}");
        }
        for name in [
            "userS",
            "systemS",
            "gcTimeNs",
            "latencyMaxMs",
            "timeS.upper",
        ] {
            assert!(!gated(name), "{name}");
        }
    }

    #[test]
    fn the_ends_of_an_interval_are_no_results_and_have_its_unit() {
        let upper = metric("timeNs.upper");
        assert_eq!(upper.spread_of.as_deref(), Some("timeNs"));
        assert_eq!(
            (upper.meaning.unit, upper.meaning.direction),
            (Unit::Ns, Direction::Unknown)
        );
        assert_eq!(metric("latencyP99.9Ms").spread_of, None);
        assert_eq!(metric(".upper").spread_of, None);
    }
}
