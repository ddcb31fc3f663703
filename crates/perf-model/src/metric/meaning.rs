//! The meaning of a column of numbers: its unit, its better direction, and whether it is an exact count.
//!
//! The meaning comes from the config, a well-known metric name, or the unit at the end of the name (`decodeNs`,
//! `allocs_per_op`, `requestsPerSecond`). Any other metric is still read, shown and compared. Without a better direction, a
//! metric never regresses.

use serde::{Deserialize, Serialize};

use super::direction::{FAULTS, SIZES};
use super::{Unit, UnitFamily, direction};

/// The direction in which a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Lower is better: times, sizes, counts of work.
    Lower,
    /// Higher is better: throughput, hit rates.
    Higher,
    /// Not known: the metric can move, but neither improve nor regress.
    Unknown,
}

/// The meaning of a metric's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// The unit in which values are stored.
    pub unit: Unit,
    /// The direction in which values are better.
    pub direction: Direction,
    /// Whether values are exact counts, so any difference is real.
    pub exact: bool,
}

impl Meaning {
    const fn new(unit: Unit, direction: Direction) -> Self {
        Self {
            unit,
            direction,
            exact: false,
        }
    }

    /// Marks the numbers as exact counts.
    const fn counted(self) -> Self {
        Self {
            exact: true,
            ..self
        }
    }

    /// The meaning that `name` alone implies.
    ///
    /// ```
    /// # use perf_model::metric::{Direction, Meaning, Unit};
    /// let decode = Meaning::of_name("decodeNs");
    /// assert_eq!((decode.unit, decode.direction), (Unit::Ns, Direction::Lower));
    /// ```
    pub fn of_name(name: &str) -> Self {
        let words = words(name);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Self::of_words(&words)
    }

    pub(super) fn of_words(words: &[&str]) -> Self {
        use Direction::{Higher, Lower};
        match words {
            [before @ .., "per", "s" | "sec" | "second"] => match before.last() {
                Some(of) if FAULTS.contains(of) => Self::new(Unit::None, Lower),
                Some(&("bytes" | "b")) => Self::new(Unit::BytesPerSecond, Higher),
                Some(of) if SIZES.contains(of) => Self::new(Unit::None, Higher),
                _ => Self::new(Unit::PerSecond, Higher),
            },
            [.., word] if Unit::of_word(word).is_some_and(|line| line.unit == Unit::PerSecond) => {
                Self::new(Unit::PerSecond, Higher)
            }
            [_, .., "per", span] if direction::is_span(span) => {
                Self::new(Unit::None, direction::of_words(words))
            }
            [before @ .., "per", _] if !before.is_empty() => Self::of_words(before),
            ["throughput", ..] | [.., "throughput"] => Self::new(Unit::None, Higher),
            ["allocated", "bytes", .., last] if is_time(last) => Self::of_words(&[last]),
            ["allocated", "bytes", ..] | [.., "allocated", "bytes"] => {
                Self::new(Unit::Bytes, Lower).counted()
            }
            ["ram", "hit", "rate", "percent"] | [.., "miss" | "error", "rate", "percent"] => {
                Self::new(Unit::Percent, Lower)
            }
            [.., "hit", "rate", "percent"] => Self::new(Unit::Percent, Higher),
            // `ramHits` are cache misses, so lower is better.
            [before @ .., "hits"] if before != ["ram"] => Self::new(Unit::Count, Higher),
            [.., "allocations" | "allocs" | "errors" | "failures"] => {
                Self::new(Unit::Count, Lower).counted()
            }
            _ => match (words.last().and_then(|word| Unit::of_word(word)), words) {
                (Some(line), _) => Self::new(line.unit, line.direction),
                // A latency from a tool that prints no unit.
                (None, ["latency", ..]) => Self::new(Unit::None, Lower),
                (None, _) => Self::new(Unit::None, direction::of_words(words)),
            },
        }
    }
}

pub(super) fn is_time(word: &str) -> bool {
    Unit::of_word(word).is_some_and(|line| line.family == UnitFamily::Time)
}

/// Splits `emitsPerSecond`, `allocs/op`, `wall_clock_ms` into lower-case words.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    let mut following = name.chars().skip(1);
    for c in name.chars() {
        // In `MBPerSecond`, the last of several capitals begins a word.
        let ends_acronym = following.next().is_some_and(char::is_lowercase);
        let starts = c.is_uppercase() && (!before.is_uppercase() || ends_acronym);
        if starts || !c.is_alphanumeric() || before.is_ascii_digit() != c.is_ascii_digit() {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        } else if c == '/' {
            words.push("per".to_owned());
            words.push(String::new());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    join_sizes(&mut words);
    // `ops_s` is a rate, but `decode_s` is a time.
    let is_rate = match words.as_slice() {
        [.., of, last] => {
            ["s", "sec"].contains(&last.as_str())
                && (COUNTED_PER_SECOND.contains(&of.as_str()) || SIZES.contains(&of.as_str()))
        }
        _ => false,
    };
    if is_rate {
        words.insert(words.len() - 1, "per".to_owned());
    }
    words
}

/// Rejoins `MiB` and `kB`, which were split before the last capital.
fn join_sizes(words: &mut Vec<String>) {
    const PREFIXES: [&str; 8] = ["k", "m", "g", "t", "ki", "mi", "gi", "ti"];
    let mut at = 1;
    while at < words.len() {
        if words[at] == "b" && PREFIXES.contains(&words[at - 1].as_str()) {
            words[at - 1].push('b');
            words.remove(at);
        }
        at += 1;
    }
}

/// Nouns before `_s` in names of rates. Singular nouns are left out: `request_s` is one request's time.
const COUNTED_PER_SECOND: [&str; 53] = [
    "ops",
    "req",
    "reqs",
    "requests",
    "queries",
    "tokens",
    "tok",
    "toks",
    "events",
    "msg",
    "msgs",
    "messages",
    "items",
    "elements",
    "elems",
    "rows",
    "records",
    "txn",
    "txns",
    "tx",
    "txs",
    "transactions",
    "iterations",
    "iters",
    "iter",
    "calls",
    "samples",
    "frames",
    "packets",
    "pkts",
    "jobs",
    "tasks",
    "commits",
    "points",
    "docs",
    "documents",
    "pages",
    "images",
    "lines",
    "files",
    "objects",
    "keys",
    "reads",
    "writes",
    "inserts",
    "lookups",
    "bits",
    "emits",
    "errors",
    "failures",
    "b",
    "bytes",
    "mbit",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_and_direction_are_derived_from_the_name() {
        use Direction::{Higher, Lower, Unknown};
        for (name, unit, direction, exact) in [
            ("emitsPerSecond", Unit::PerSecond, Higher, false),
            ("requests/sec", Unit::PerSecond, Higher, false),
            ("bytes_per_second", Unit::BytesPerSecond, Higher, false),
            ("wallClockMs", Unit::Ms, Lower, false),
            ("decode_ns", Unit::Ns, Lower, false),
            ("nsPerOp", Unit::Ns, Lower, false),
            ("time_µs", Unit::Us, Lower, false),
            ("p99Ms", Unit::Ms, Lower, false),
            ("seconds", Unit::S, Lower, false),
            ("gcAllocations", Unit::Count, Lower, true),
            ("allocs/op", Unit::Count, Lower, true),
            ("gcAllocatedBytes", Unit::Bytes, Lower, true),
            ("allocatedBytesDelta", Unit::Bytes, Lower, true),
            ("peakBytes", Unit::Bytes, Lower, false),
            ("B/op", Unit::Bytes, Lower, false),
            ("L1Hits", Unit::Count, Higher, false),
            ("instructions", Unit::Count, Lower, false),
            ("ramHits", Unit::Count, Lower, false),
            ("l1HitRatePercent", Unit::Percent, Higher, false),
            ("ramHitRatePercent", Unit::Percent, Lower, false),
            ("d1MissRatePercent", Unit::Percent, Lower, false),
            ("conditionalBranches", Unit::Count, Lower, false),
            ("deallocations", Unit::Count, Lower, false),
            ("peakBlocks", Unit::Count, Lower, false),
            ("MBPerSecond", Unit::None, Higher, false),
            ("errorsPerSecond", Unit::None, Lower, false),
            ("throughput", Unit::None, Higher, false),
            ("latencyP99.9", Unit::None, Lower, false),
            ("score", Unit::None, Unknown, false),
            ("ops_s", Unit::PerSecond, Higher, false),
            ("req_s", Unit::PerSecond, Higher, false),
            ("tokens_s", Unit::PerSecond, Higher, false),
            ("events_sec", Unit::PerSecond, Higher, false),
            ("mb_s", Unit::None, Higher, false),
            ("bytes_s", Unit::BytesPerSecond, Higher, false),
            ("decode_s", Unit::S, Lower, false),
            ("request_s", Unit::S, Lower, false),
            ("latency_sec", Unit::S, Lower, false),
            ("time_usec", Unit::Us, Lower, false),
            ("time_μs", Unit::Us, Lower, false),
            ("elapsedMsec", Unit::Ms, Lower, false),
            ("MiB", Unit::None, Lower, false),
            ("KiB", Unit::None, Lower, false),
            ("kB", Unit::None, Lower, false),
            ("GiB/s", Unit::None, Higher, false),
            ("B", Unit::Bytes, Lower, false),
            ("", Unit::None, Unknown, false),
        ] {
            assert_eq!(
                Meaning::of_name(name),
                Meaning {
                    unit,
                    direction,
                    exact
                },
                "{name}"
            );
        }
    }
}
