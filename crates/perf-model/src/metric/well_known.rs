//! Metrics that are known without a config: the columns of the built-in layouts, and the meaning of names.

use super::{Declared, Direction, GateRule, Meaning, Metric, Unit, derived_from};

/// The built-in layouts: the metric columns of CSV lines without a header, after `scenario,platform,commit,runIndex`.
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

/// Abbreviated metric names in structured lines, with the full names.
pub const ABBREVIATIONS: [(&str, &str); 1] = [("emitsPerSec", THROUGHPUT)];

/// The metric that `name` alone implies. Throughput and wall clock are stored with three decimals. The wall clock is a
/// result only if no throughput was measured. Otherwise, it is the length of the measurement window.
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

/// The metric that a tool declared, completed from its name.
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

/// The metric whose spread `name` describes: `timeNs.upper` is the upper end of an interval of `timeNs`.
pub fn spread_of(name: &str) -> Option<&str> {
    const ENDS: [&str; 9] = [
        "lower", "upper", "d1", "d9", "stddev", "mad", "min", "max", "mean",
    ];
    let (of, end) = name.rsplit_once('.')?;
    (ENDS.contains(&end) && !of.is_empty()).then_some(of)
}

/// Whether a metric name has the same meaning in every tool.
pub fn is_known(name: &str) -> bool {
    // Names that tools print themselves and that need no label.
    const PRINTED_BY_TOOLS: [&str; 7] = [
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
        || PRINTED_BY_TOOLS.contains(&name)
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
        "threadRequestsPerSecond" => "Requests/s per thread",
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

/// The label of a percentile: `latencyP99.9Ms` is "Latency p99.9".
fn percentile(name: &str) -> Option<String> {
    const LABELS: [(&str, &str); 3] = [
        ("latencyP", "Latency"),
        ("timeP", "Time"),
        ("firstByteP", "First byte"),
    ];
    for (of, label) in LABELS {
        if let Some(rest) = name.strip_prefix(of) {
            let digits = rest.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            let is_number = !digits.contains(|c: char| !c.is_ascii_digit() && c != '.');
            return (is_number && !digits.is_empty()).then(|| format!("{label} p{digits}"));
        }
    }
    None
}

/// Whether a metric is mostly noise: the length of a window, a maximum of many values, or a part of a time whose total was
/// also measured. The smaller of such parts mostly shows the clock's resolution.
pub fn is_noise(name: &str) -> bool {
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
        || name.contains("P100")
        || name.contains("Max")
}

/// The gate rule of a metric if the config contains no gates. `None` if the metric is not gated by default, for example
/// because it is mostly noise or its direction is unknown.
pub fn default_gate(name: &str, meaning: Meaning) -> Option<GateRule> {
    // Bytes next to an exact number of allocations add no information, and depend on the garbage collector.
    if name == "gcAllocatedBytes" || meaning.direction == Direction::Unknown || is_noise(name) {
        return None;
    }
    match meaning.unit {
        _ if meaning.exact => Some(GateRule::Exact),
        Unit::Count if name.to_lowercase().contains("instructions") => Some(GateRule::Count),
        // Counts such as context switches vary even if the code does not change.
        Unit::Percent | Unit::Count => None,
        _ => Some(GateRule::Limit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_not_gated() {
        let gated = |name: &str| metric(name).default_gate.is_some();
        for name in [
            "timeS",
            "latencyP50Ms",
            "latencyP99Ms",
            "latencyP95Ms",
            "cpuTimeNs",
            // Whether there are enough values for these percentiles is decided by the verdict.
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
    fn interval_ends_are_not_results_and_keep_the_unit() {
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
