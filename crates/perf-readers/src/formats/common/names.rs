//! Names of benchmarks, runs and machines.

use std::collections::HashMap;
use std::path::Path;

use crate::rows::Provenance;
use perf_model::row::AGGREGATE;

/// Keys and columns that may contain a benchmark's name, best first.
const NAMES: [&str; 12] = [
    "fullname",
    "full_name",
    "name",
    "title",
    "benchmark",
    "bench",
    "case",
    "test",
    "scenario",
    "label",
    "id",
    "key",
];

/// Returns the name with the best rank in `NAMES`, or the first name if `NAMES` contains none of them.
pub(crate) fn best_name<'n>(names: &[&'n str]) -> Option<&'n str> {
    let rank = |name: &str| {
        NAMES
            .iter()
            .position(|known| known.eq_ignore_ascii_case(name))
            .unwrap_or(NAMES.len())
    };
    names.iter().copied().min_by_key(|name| rank(name))
}

/// Appends distinguishing details in brackets to a name: `sort (size=8, threads=2)`.
pub(crate) fn with_details(name: &str, details: &[String]) -> String {
    if details.is_empty() {
        name.to_owned()
    } else {
        format!("{name} ({})", details.join(", "))
    }
}

/// Joins the parts that are not empty.
pub(crate) fn joined<'p>(parts: impl IntoIterator<Item = &'p str>, separator: &str) -> String {
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(separator)
}

/// Returns the first two parts of a version: `3.12` for `3.12.1`.
pub(crate) fn minor_version(version: &str) -> &str {
    version
        .match_indices('.')
        .nth(1)
        .map_or(version, |(end, _)| &version[..end])
}

/// Builds the provenance from the system, the runtime and, if known, the processor. The platform is coarse
/// (`Linux x86_64, CPython 3.11`), because results from different platforms are never compared.
pub(crate) fn place(system: [&str; 2], runtime: [&str; 2], processor: Option<&str>) -> Provenance {
    let [system, runtime] = [system, runtime].map(|parts| joined(parts, " "));
    Provenance {
        platform: joined([&*system, &*runtime], ", "),
        machine_class: processor.map(machine_class),
    }
}

/// Returns the run index of each measurement, given the measurements' names. If a name occurs only once, its
/// measurement is an aggregate. Measurements with a repeated name are samples.
pub(crate) fn run_indices<'n>(names: impl Iterator<Item = &'n str>) -> Vec<i64> {
    // For each name, the place of its first occurrence, and the number of occurrences.
    let mut known: HashMap<&str, (usize, i64)> = HashMap::new();
    let mut run_indices = Vec::new();
    for (place, name) in names.enumerate() {
        let (first, count) = known.entry(name).or_insert((place, 0));
        if *count == 1 {
            run_indices[*first] = 0;
        }
        run_indices.push(if *count == 0 { AGGREGATE } else { *count });
        *count += 1;
    }
    run_indices
}

/// Returns a short key for a processor model: `intel-xeon-platinum-8370c` for
/// `Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz`.
pub(crate) fn machine_class(model: &str) -> String {
    let model = model
        .to_lowercase()
        .replace("(r)", " ")
        .replace("(tm)", " ");
    let model = model.split('@').next().unwrap_or_default();
    let words = model
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !["", "cpu", "processor"].contains(word));
    words.collect::<Vec<_>>().join("-")
}

/// Returns a URL without its user, password and query, which may contain secrets.
pub(crate) fn address(url: &str) -> String {
    let plain = &url[..url.find(['?', '#']).unwrap_or(url.len())];
    let Some((scheme, rest)) = plain.split_once("://") else {
        return plain.to_owned();
    };
    let host = rest.find('/').unwrap_or(rest.len());
    match rest[..host].rfind('@') {
        Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
        None => plain.to_owned(),
    }
}

/// Converts an event's name to camel case. `Estimated Cycles`, `EstimatedCycles` and `estimated-cycles` become
/// `estimatedCycles`.
pub(crate) fn camel_case(event: &str) -> String {
    let words = event
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let joined: String = words.map(capitalised).collect();
    let mut rest = joined.chars();
    rest.next()
        .map(|first| first.to_lowercase().chain(rest).collect())
        .unwrap_or_default()
}

pub(crate) fn capitalised(word: &str) -> String {
    let mut rest = word.chars();
    rest.next()
        .map(|first| first.to_uppercase().chain(rest).collect())
        .unwrap_or_default()
}

/// Returns a name for a benchmark whose output contains none: the input's file stem, or `otherwise` if the stem is
/// unusable. The suffix `.FAIL` is not part of the stem.
pub(crate) fn of_file<'f>(input: &'f str, otherwise: &'f str) -> &'f str {
    let input = input.strip_suffix(FAILED).unwrap_or(input);
    let stem = Path::new(input).file_stem().and_then(|stem| stem.to_str());
    stem.filter(|stem| stem.starts_with(char::is_alphanumeric))
        .unwrap_or(otherwise)
}

/// The suffix that load tests append to a failed measurement's file name.
pub(crate) const FAILED: &str = ".FAIL";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_model_becomes_a_short_key() {
        assert_eq!(
            machine_class("Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz"),
            "intel-xeon-platinum-8370c"
        );
        assert_eq!(
            machine_class("AMD EPYC 7763 64-Core Processor                "),
            "amd-epyc-7763-64-core"
        );
    }
}
