//! Recognises percentiles in metric names.

use super::meaning::words;
use super::{Meaning, Unit};

/// Words for the measured quantity, which may follow a percentile or a maximum.
const SUBJECTS: [&str; 6] = ["latency", "time", "duration", "delay", "response", "wait"];

/// The quantile that a metric's name denotes, above 0 and up to 1. `None` if the name denotes no quantile. A maximum is the
/// quantile 1.
///
/// ```
/// # use perf_model::metric::quantile_of;
/// assert_eq!(quantile_of("latencyP99.9Ms"), Some(0.999));
/// assert_eq!(quantile_of("latencyMs"), None);
/// ```
pub fn quantile_of(name: &str) -> Option<f64> {
    let percentile = split_percentile(name).map(|(_, quantile, _)| quantile);
    percentile.or_else(|| is_maximum(name).then_some(1.0))
}

/// Splits a name around its percentile: `latencyP99Ms` into `latency`, 0.99 and `Ms`.
pub(super) fn split_percentile(name: &str) -> Option<(&str, f64, &str)> {
    word_starts(name).find_map(|at| {
        let (quantile, after) = percentile(name[at..].strip_prefix(['p', 'P'])?)?;
        Some((&name[..at], quantile, after))
    })
}

/// The indices at which a word begins: at the start, after a separator, or at a capital that follows no other capital.
pub(super) fn word_starts(name: &str) -> impl Iterator<Item = usize> {
    let mut before = ' ';
    name.char_indices().filter_map(move |(at, c)| {
        let follows_separator = !before.is_alphanumeric();
        let is_first_capital = c.is_uppercase() && !before.is_uppercase();
        before = c;
        (follows_separator || is_first_capital).then_some(at)
    })
}

/// Parses `99.9Ms`: at least two digits, followed only by a unit or a measured quantity.
fn percentile(text: &str) -> Option<(f64, &str)> {
    let (whole, rest) = digits(text);
    let (fraction, rest) = fraction(whole, rest);
    if whole.len() < 2 || !is_subject(rest) {
        return None;
    }
    // Some tools write 99.9 as `p999`.
    let is_run_together = whole.len() > 2 && whole.starts_with("99") && fraction.is_empty();
    let number = if is_run_together {
        format!("0.{whole}")
    } else {
        format!("{whole}.{fraction}0e-2")
    };
    let quantile = number
        .parse()
        .ok()
        .filter(|quantile| *quantile > 0.0 && *quantile <= 1.0);
    quantile.map(|quantile| (quantile, rest))
}

/// Splits off the leading digits.
fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len())
}

/// Splits off the decimals of `99.9`, which some tools write as `99_9`.
fn fraction<'t>(whole: &str, rest: &'t str) -> (&'t str, &'t str) {
    let behind = rest
        .strip_prefix('.')
        .or_else(|| rest.strip_prefix('_').filter(|_| whole.starts_with('9')));
    behind
        .map(digits)
        .filter(|(fraction, _)| !fraction.is_empty())
        .unwrap_or(("", rest))
}

fn is_subject(text: &str) -> bool {
    words(text).iter().all(|word| is_subject_word(word))
}

fn is_subject_word(word: &str) -> bool {
    let unit = Meaning::of_words(&[word]).unit;
    SUBJECTS.contains(&word) || unit.seconds().is_some() || unit == Unit::Bytes
}

/// Whether a name denotes the maximum of many times: it ends in "max" or "maximum", followed at most by a unit or a
/// measured quantity. A maximum amount of memory is a result of its own.
fn is_maximum(name: &str) -> bool {
    // This check alone rules out most names.
    if !name.to_ascii_lowercase().contains("max") {
        return false;
    }
    let words = words(name);
    let mark = words.iter().rfind(|word| !is_subject_word(word));
    let unit = Meaning::of_name(name).unit;
    mark.is_some_and(|word| word == "max" || word == "maximum")
        && (unit.seconds().is_some() || unit == Unit::None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_derived_from_names() {
        for (name, quantile) in [
            ("latencyP99.9Ms", Some(0.999)),
            ("latencyP99.99Ms", Some(0.9999)),
            ("latencyP99Ms", Some(0.99)),
            ("timeP97.5Ns", Some(0.975)),
            ("firstByteP50S", Some(0.5)),
            ("latencyP99.9", Some(0.999)),
            ("p50_ns", Some(0.5)),
            ("P95", Some(0.95)),
            ("p95", Some(0.95)),
            ("p99_9", Some(0.999)),
            ("p97_5_ms", Some(0.975)),
            ("p999", Some(0.999)),
            ("p995Ms", Some(0.995)),
            ("p9999_us", Some(0.9999)),
            ("p100", Some(1.0)),
            ("http_req_duration.p99", Some(0.99)),
            ("p99-latency", Some(0.99)),
            ("p90LatencyMs", Some(0.9)),
            ("http2P99Ms", Some(0.99)),
            ("max", Some(1.0)),
            ("max_ns", Some(1.0)),
            ("latencyMax", Some(1.0)),
            ("latencyMaxMs", Some(1.0)),
            ("maxLatencyMs", Some(1.0)),
        ] {
            assert_eq!(quantile_of(name), quantile, "{name}");
        }
    }

    #[test]
    fn names_that_only_resemble_percentiles_are_not_percentiles() {
        for name in [
            "",
            "p",
            "P",
            "latencyMs",
            "medianMs",
            "latencyMedianMs",
            "mean",
            "P256Sign",
            "P256",
            "p384",
            "secp256k1",
            "http2p99x",
            "http2p99",
            "mp99",
            "MAP99Ms",
            "p99x",
            "P50Sign",
            "p0",
            "p00",
            "p0.5",
            "p1Ms",
            "p101",
            "p99.upper",
            "p50_10",
            "p95RequestsPerSecond",
            "maxRssBytes",
            "maxBytes",
            "peakBytes",
            "climax",
            "maxima",
            "maxPerSecond",
            "timeMaxDepth",
            "é99",
        ] {
            assert_eq!(quantile_of(name), None, "{name}");
        }
    }
}
