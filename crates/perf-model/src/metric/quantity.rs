//! Quantities: recognises one metric in different units, such as `timeNs` and `timeUs`, or `ops/ms` and
//! `opsPerSecond`.

use super::meaning::words;
use super::unit::scale;
use super::{UnitFamily, spread_of};

/// A metric's name, split into its subject and its unit. Metrics with equal subjects and unit families can be
/// converted into each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    subject: Vec<String>,
    family: UnitFamily,
    /// How many base units of the family one unit contains.
    scale: f64,
}

impl Quantity {
    /// Parses a metric's name. Returns `None` if the name contains no convertible unit.
    pub fn of_name(name: &str) -> Option<Self> {
        // `timeNs.lower` keeps `.lower` as part of its subject.
        let (name, end) = match spread_of(name) {
            Some(of) => (of, &name[of.len()..]),
            None => (name, ""),
        };
        let words = words(name);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (before, family, scale) = match words[..] {
            [ref before @ .., size, "per", span] if scale(UnitFamily::Bytes, size).is_some() => {
                let (size, span) = (
                    scale(UnitFamily::Bytes, size)?,
                    scale(UnitFamily::Time, span)?,
                );
                (before, UnitFamily::ByteRate, size / span)
            }
            [ref before @ .., "per", span] if !before.is_empty() => (
                before,
                UnitFamily::Rate,
                1.0 / scale(UnitFamily::Time, span)?,
            ),
            [ref before @ .., unit] => match scale(UnitFamily::Time, unit) {
                // After other words, `min` means minimum, not minutes.
                Some(_) if unit == "min" && !before.is_empty() => return None,
                Some(seconds) => (before, UnitFamily::Time, seconds),
                None => (before, UnitFamily::Bytes, scale(UnitFamily::Bytes, unit)?),
            },
            [] => return None,
        };
        let mut subject: Vec<String> = before.iter().map(|word| (*word).to_owned()).collect();
        subject.push(end.to_owned());
        Some(Self {
            subject,
            family,
            scale,
        })
    }

    /// The factor that converts numbers of this metric to numbers of `other`. `None` if the metrics measure different
    /// things.
    pub fn factor_to(&self, other: &Self) -> Option<f64> {
        let is_same = self.subject == other.subject && self.family == other.family;
        is_same.then(|| self.scale / other.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_metric_in_different_units_converts() {
        for (from, to, factor) in [
            ("timeNs", "timeUs", Some(1e-3)),
            ("time_usec", "timeNs", Some(1e3)),
            ("latencyP99Ms", "latencyP99S", Some(1e-3)),
            ("timeNs.lower", "timeUs.lower", Some(1e-3)),
            ("timeNs.lower", "timeUs", None),
            ("MiB", "KB", Some(1048.576)),
            ("heapKiB", "heapBytes", Some(1024.0)),
            ("ops/ms", "opsPerSecond", Some(1e3)),
            ("ops_s", "opsPerSecond", Some(1.0)),
            ("iter/sec", "iter/s", Some(1.0)),
            ("req/min", "req/s", Some(1.0 / 60.0)),
            ("MB/s", "bytesPerSecond", Some(1e6)),
            ("GiB/s", "MiB/s", Some(1024.0)),
            ("us", "ms", Some(1e-3)),
            ("timeNs", "timeBytes", None),
            ("encodeNs", "decodeNs", None),
            ("instructions", "cycles", None),
            ("B/op", "KB/op", None),
        ] {
            let [one, other] = [from, to].map(Quantity::of_name);
            let found = one
                .zip(other)
                .and_then(|(one, other)| one.factor_to(&other));
            let is_expected = match (found, factor) {
                (Some(found), Some(factor)) => (found / factor - 1.0).abs() < 1e-9,
                (found, factor) => found.is_none() && factor.is_none(),
            };
            assert!(is_expected, "{from} to {to}: {found:?}");
        }
    }
}
