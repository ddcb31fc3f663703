//! The better direction of quantities whose unit is not in the table of units, based on the words in their names.

use super::Direction::{self, Higher, Lower};

/// The last word of a metric's name, in lower case, and the better direction that it implies. Scores, rates and sums
/// without further words are left out: their direction is not known.
const WORDS: [(Direction, &[&str]); 9] = [
    // Sizes in units other than bytes.
    (
        Lower,
        &["kb", "mb", "gb", "tb", "kib", "mib", "gib", "tib", "bits"],
    ),
    // Rates with their own unit, or in bits.
    (
        Higher,
        &[
            "bps",
            "kbps",
            "mbps",
            "gbps",
            "bandwidth",
            "goodput",
            "flops",
            "mflops",
            "gflops",
            "tflops",
            "mips",
        ],
    ),
    (
        Higher,
        &[
            "accuracy",
            "precision",
            "recall",
            "auc",
            "psnr",
            "ssim",
            "speed",
            "speedup",
            "efficiency",
        ],
    ),
    (Higher, &["success", "successes"]),
    (
        Lower,
        &[
            "latency",
            "duration",
            "time",
            "elapsed",
            "delay",
            "jitter",
            "lag",
            "overhead",
            "size",
            "footprint",
            "minutes",
            "hours",
        ],
    ),
    (
        Lower,
        &[
            "memory",
            "heap",
            "rss",
            "gc",
            "gcs",
            "collects",
            "collections",
            "gas",
            "energy",
            "joules",
            "watts",
        ],
    ),
    (
        Lower,
        &[
            "retries",
            "drops",
            "dropped",
            "timeouts",
            "stalls",
            "evictions",
            "spills",
            "conflicts",
            "aborts",
        ],
    ),
    // `GCs` and `context-switches` (from `perf stat`) are each split into two words.
    (
        Lower,
        &[
            "cs",
            "syscalls",
            "switches",
            "migrations",
            "wakeups",
            "requeues",
            "rebuilds",
            "copies",
            "failed",
        ],
    ),
    (
        Lower,
        &[
            "loss",
            "error",
            "wer",
            "cer",
            "perplexity",
            "rmse",
            "mae",
            "mse",
        ],
    ),
];

/// Time units in the denominator of a rate, except seconds, which are handled with their own units.
const SPANS: [&str; 13] = [
    "ns",
    "us",
    "µs",
    "μs",
    "ms",
    "millisecond",
    "m",
    "min",
    "minute",
    "h",
    "hour",
    "day",
    "cycle",
];

/// Events that should be rare.
const FAULTS: [&str; 7] = [
    "errors",
    "failures",
    "misses",
    "faults",
    "allocations",
    "allocs",
    "timeouts",
];

/// The better direction of a quantity whose name consists of these words.
pub(super) fn of_words(words: &[&str]) -> Direction {
    match words {
        [.., of, "per", span] if is_span(span) => {
            if FAULTS.contains(of) || of_word(of) == Lower && !is_size(of) {
                Lower
            } else {
                Higher
            }
        }
        [
            ..,
            "hit" | "success" | "pass" | "completion",
            "rate" | "ratio",
        ] => Higher,
        // A profiler prints `#/op`, with no word for the counted events.
        [
            ..,
            "miss" | "error" | "drop" | "failure" | "loss" | "timeout" | "retry",
            "rate" | "ratio",
        ]
        | ["per", "op" | "iter" | "call"] => Lower,
        [.., word] => of_word(word),
        [] => Direction::Unknown,
    }
}

/// Whether a quantity per `word` is a quantity per time.
pub(super) fn is_span(word: &str) -> bool {
    SPANS.contains(&word)
}

fn of_word(word: &str) -> Direction {
    let known = WORDS.iter().find(|(_, words)| words.contains(&word));
    known.map_or(Direction::Unknown, |(direction, _)| *direction)
}

/// Whether `word` is a unit of size, so an amount of it per time is a throughput.
fn is_size(word: &str) -> bool {
    WORDS[0].1.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::super::Meaning;
    use super::*;

    #[test]
    fn units_from_other_tools_have_a_direction() {
        for (direction, names) in [
            (
                Higher,
                "TPS tps IOPS read_iops FPS fps avg-fps Mbps Gbps bitrate_kbps items/ms req/min requests/minute \
                 MB/ms ops/us hit-rate cacheHitRate cache-hits accuracy top1_accuracy bandwidth GFLOPS speedup \
                 success_rate QPS ops/s MB/s MiB/s",
            ),
            (
                Lower,
                "KB/op heap-MB MB kB retries drops packet_drops GCs gas/op gas errors/min Gen0Collects #/op \
                 p99-latency p99_latency miss-rate error_rate loss binary-size bundle.size rss context-switches \
                 cpu_migrations wall_time startup-time allocs/ms ns/op B/op timeouts",
            ),
            (
                Direction::Unknown,
                "score points rate total value requests x",
            ),
        ] {
            for name in names.split_whitespace() {
                assert_eq!(Meaning::of_name(name).direction, direction, "{name}");
            }
        }
    }

    #[test]
    fn no_word_has_two_directions() {
        let mut words: Vec<&str> = WORDS
            .iter()
            .flat_map(|(_, words)| *words)
            .copied()
            .collect();
        let before = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), before);
    }
}
