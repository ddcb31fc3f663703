//! The better direction of quantities whose unit is not in the table of units, based on the words in their names.

use super::Direction::{self, Higher, Lower};
use super::UnitFamily;
use super::unit::scale;

/// Sizes in units other than bytes.
pub(super) const SIZES: [&str; 8] = ["kb", "mb", "gb", "tb", "kib", "mib", "gib", "tib"];

/// The last words of names of metrics that should be high, in lower case. Scores, rates and sums without further words
/// are in neither list, because their direction is not known.
const HIGHER: &[&str] = &[
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
    "accuracy",
    "precision",
    "recall",
    "auc",
    "psnr",
    "ssim",
    "speed",
    "speedup",
    "efficiency",
    "success",
    "successes",
];

/// The last words of names of metrics that should be low, in addition to [`SIZES`]. `cs` is for `GCs`, which is split
/// into `g` and `cs`.
const LOWER: &[&str] = &[
    "bits",
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
    "retries",
    "drops",
    "dropped",
    "timeouts",
    "stalls",
    "evictions",
    "spills",
    "conflicts",
    "aborts",
    "cs",
    "syscalls",
    "switches",
    "migrations",
    "wakeups",
    "requeues",
    "rebuilds",
    "copies",
    "failed",
    "loss",
    "error",
    "wer",
    "cer",
    "perplexity",
    "rmse",
    "mae",
    "mse",
];

/// Events that should be rare.
pub(super) const FAULTS: [&str; 6] = [
    "errors",
    "failures",
    "misses",
    "faults",
    "allocations",
    "allocs",
];

/// The better direction of a quantity whose name consists of these words.
pub(super) fn of_words(words: &[&str]) -> Direction {
    match words {
        [.., of, "per", span] if is_span(span) => {
            if FAULTS.contains(of) || LOWER.contains(of) && *of != "bits" {
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

/// Whether a quantity per `word` is a quantity per unit of time.
pub(super) fn is_span(word: &str) -> bool {
    scale(UnitFamily::Time, word).is_some() || ["m", "day", "cycle"].contains(&word)
}

fn of_word(word: &str) -> Direction {
    if HIGHER.contains(&word) {
        Higher
    } else if LOWER.contains(&word) || SIZES.contains(&word) {
        Lower
    } else {
        Direction::Unknown
    }
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
        let mut words = [HIGHER, LOWER, &SIZES].concat();
        let before = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), before);
    }
}
