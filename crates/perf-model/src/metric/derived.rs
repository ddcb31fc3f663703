//! Metrics that are derived from another measurement: bytes per second from the time, or a median printed next to the mean.
//!
//! A baseline stores only names, so the names decide which metrics are derived. CPU time is a separate measurement.

use super::meaning::is_time;

/// Rates that are computed from an iteration's time.
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

/// The names that readers use for an iteration's time.
const TIMES: [&str; 5] = ["timeNs", "timeUs", "timeMs", "timeS", "ns/op"];

/// Pairs of a derived metric and the metric from which it is derived.
const OTHERS: [(&str, &str); 6] = [
    ("bytesPerSecond", "requestsPerSecond"),
    ("threadRequestsPerSecond", "requestsPerSecond"),
    ("meanOpsPerSecond", "opsPerSecond"),
    ("medianOpsPerSecond", "opsPerSecond"),
    ("grossTimeS", "timeS"),
    ("grossInstructions", "instructions"),
];

/// The metrics from which `name` may be derived. It is derived if at least one of them was measured.
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
        .filter(|(derived, _)| *derived == name)
        .map(|(_, of)| *of);
    times
        .chain(others)
        .map(str::to_owned)
        .chain(mean(name))
        .collect()
}

/// The mean that belongs to this median, if `name` is a median.
fn mean(name: &str) -> Option<String> {
    let (of, unit) = name.split_once("P50")?;
    let is_unit = unit.is_empty() || is_time(&unit.to_lowercase());
    (!of.is_empty() && is_unit).then(|| format!("{of}{unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separate_measurements_are_not_derived() {
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
