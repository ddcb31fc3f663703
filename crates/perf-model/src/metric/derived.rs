//! Metrics that are another form of a measurement: bytes per second beside the time, a median beside the mean.
//!
//! A baseline stores nothing but names, so the names decide. Time on the processor is a measurement of its own.

use super::{Unit, UnitFamily};

/// Rates that are computed from the time of one iteration.
const RATES: [&str; 9] = [
    "bytesPerSecond",
    "bitsPerSecond",
    "itemsPerSecond",
    "charsPerSecond",
    "cyclesPerSecond",
    "opsPerSecond",
    "meanOpsPerSecond",
    "medianOpsPerSecond",
    "MB/s",
];

/// The time of one iteration, as readers name it.
const TIMES: [&str; 5] = ["timeNs", "timeUs", "timeMs", "timeS", "ns/op"];

/// Other forms and their measurements.
const OTHERS: [(&str, &str); 6] = [
    ("bytesPerSecond", "requestsPerSecond"),
    ("threadRequestsPerSecond", "requestsPerSecond"),
    ("meanOpsPerSecond", "opsPerSecond"),
    ("medianOpsPerSecond", "opsPerSecond"),
    ("grossTimeS", "timeS"),
    ("grossInstructions", "instructions"),
];

/// The metrics that one of this name may be another form of: it is one where a measurement has any of them.
///
/// ```
/// # use perf_model::metric::derived_from;
/// assert!(derived_from("bytesPerSecond").contains(&"timeNs".to_owned()));
/// assert_eq!(derived_from("latencyP50Ms"), ["latencyMs"]);
/// assert!(derived_from("cpuTimeNs").is_empty());
/// ```
pub fn derived_from(name: &str) -> Vec<String> {
    let times = TIMES.iter().filter(|_| RATES.contains(&name)).copied();
    let others = OTHERS
        .iter()
        .filter(|(form, _)| *form == name)
        .map(|(_, of)| *of);
    times
        .chain(others)
        .map(str::to_owned)
        .chain(mean(name))
        .collect()
}

/// The mean beside this median, where it is one.
fn mean(name: &str) -> Option<String> {
    let (of, unit) = name.split_once("P50")?;
    let is_time =
        Unit::of_word(&unit.to_lowercase()).is_some_and(|line| line.family == UnitFamily::Time);
    (!of.is_empty() && (is_time || unit.is_empty())).then(|| format!("{of}{unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_measurements_are_no_other_form() {
        for name in [
            "timeNs",
            "cpuTimeNs",
            "userS",
            "requestsPerSecond",
            "emitsPerSecond",
            "P50Ms",
            "latencyP50Count",
            "timeP500Ns",
        ] {
            assert_eq!(derived_from(name), Vec::<String>::new(), "{name}");
        }
    }
}
