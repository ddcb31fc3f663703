//! Units. Everything that is known about a unit is in its line of [`UNITS`].

use serde::{Deserialize, Serialize};

use super::Direction;

/// A unit in which values are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
    /// Bytes.
    Bytes,
    /// Something per second.
    PerSecond,
    /// Bytes per second.
    BytesPerSecond,
    /// The number of times something happened.
    Count,
    /// Hundredths.
    Percent,
    /// A number without a unit, or with an unknown one.
    None,
}

/// A family of units that convert into each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitFamily {
    /// Durations. The base unit is a second.
    Time,
    /// Sizes. The base unit is a byte.
    Bytes,
    /// Sizes per second. The base unit is a byte per second.
    ByteRate,
    /// Events per second. The base unit is one event per second.
    Rate,
    /// Counts of events.
    Count,
    /// Shares.
    Share,
}

/// The properties of a unit.
#[derive(Debug)]
pub struct UnitLine {
    /// The unit that this line describes.
    pub unit: Unit,
    /// The family to which the unit belongs.
    pub family: UnitFamily,
    /// How many base units of the family one unit contains.
    pub scale: f64,
    /// The better direction, unless a metric's name implies another.
    pub direction: Direction,
    /// The last words of metric names that imply this unit.
    pub words: &'static [&'static str],
    /// The symbols for amounts in a config, each with its factor to this unit.
    pub symbols: &'static [(&'static str, f64)],
    /// The symbol in reports. `None` if values are never shown in this unit.
    pub shown: Option<&'static str>,
}

const fn line(unit: Unit, family: UnitFamily, scale: f64, direction: Direction) -> UnitLine {
    UnitLine {
        unit,
        family,
        scale,
        direction,
        words: &[],
        symbols: &[],
        shown: None,
    }
}

/// Every unit. A family's units are ordered from the finest to the coarsest.
#[rustfmt::skip]
pub const UNITS: &[UnitLine] = {
    use Direction::{Higher, Lower, Unknown};
    use UnitFamily::{ByteRate, Bytes, Count, Rate, Share, Time};
    &[
        UnitLine { words: &["ns", "nsec", "nsecs", "nanos", "nanoseconds"], symbols: &[("ns", 1.0)], shown: Some("ns"), ..line(Unit::Ns, Time, 1e-9, Lower) },
        UnitLine { words: &["us", "µs", "μs", "usec", "usecs", "micros", "microseconds"], symbols: &[("us", 1.0), ("µs", 1.0), ("μs", 1.0)], shown: Some("µs"), ..line(Unit::Us, Time, 1e-6, Lower) },
        UnitLine { words: &["ms", "msec", "msecs", "millis", "milliseconds"], symbols: &[("ms", 1.0)], shown: Some("ms"), ..line(Unit::Ms, Time, 1e-3, Lower) },
        UnitLine { words: &["s", "sec", "secs", "second", "seconds"], symbols: &[("s", 1.0)], shown: Some("s"), ..line(Unit::S, Time, 1.0, Lower) },
        UnitLine { words: &["bytes", "b"], symbols: BYTES, shown: Some("B"), ..line(Unit::Bytes, Bytes, 1.0, Lower) },
        UnitLine { words: &["rps", "qps", "tps", "iops", "fps", "ops", "hz"], shown: Some("/s"), ..line(Unit::PerSecond, Rate, 1.0, Higher) },
        UnitLine { shown: Some("B/s"), ..line(Unit::BytesPerSecond, ByteRate, 1.0, Higher) },
        UnitLine { words: COUNTS, ..line(Unit::Count, Count, 1.0, Lower) },
        UnitLine { words: &["percent", "pct"], shown: Some("%"), ..line(Unit::Percent, Share, 0.01, Unknown) },
        line(Unit::None, Count, 1.0, Unknown),
    ]
};

const BYTES: &[(&str, f64)] = &[
    ("B", 1.0),
    ("bytes", 1.0),
    ("kB", 1e3),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
];

/// Nouns of counted things.
const COUNTS: &[&str] = &[
    "count",
    "hits",
    "instructions",
    "cycles",
    "misses",
    "faults",
    "accesses",
    "reads",
    "writes",
    "branches",
    "calls",
    "events",
    "blocks",
    "contexts",
    "deallocations",
    "reallocations",
];

impl Unit {
    /// The properties of this unit.
    pub fn line(self) -> &'static UnitLine {
        UNITS
            .iter()
            .find(|line| line.unit == self)
            .unwrap_or(&UNITS[UNITS.len() - 1])
    }

    /// The number of seconds in one unit. `None` if this is not a unit of time.
    pub fn seconds(self) -> Option<f64> {
        let line = self.line();
        (line.family == UnitFamily::Time).then_some(line.scale)
    }

    /// Converts an amount to another unit. Returns `None` if the units belong to different families.
    pub fn convert(self, amount: f64, to: Self) -> Option<f64> {
        if self == to {
            return Some(amount);
        }
        let (own, other) = (self.line(), to.line());
        if own.family != other.family || [self, to].contains(&Self::None) {
            return None;
        }
        Some(rescaled(amount, own.scale / other.scale))
    }

    /// The unit and the factor that a symbol such as `ms` or `KiB` denotes.
    pub fn of_symbol(symbol: &str) -> Option<(Self, f64)> {
        for line in UNITS {
            for (known, factor) in line.symbols {
                if *known == symbol {
                    return Some((line.unit, *factor));
                }
            }
        }
        None
    }

    /// A family's symbols in reports, finest first, each with its factor to the base unit.
    pub fn shown(family: UnitFamily) -> impl Iterator<Item = (f64, &'static str)> {
        let lines = UNITS.iter().filter(move |line| line.family == family);
        lines.filter_map(|line| Some((line.scale, line.shown?)))
    }

    /// The unit of metric names that end in this word.
    pub(super) fn of_word(word: &str) -> Option<&'static UnitLine> {
        UNITS.iter().find(|line| line.words.contains(&word))
    }
}

/// Multiplies an amount. Whole factors and their inverses are exact, so 0.2 ms is exactly 200,000 ns.
pub(crate) fn rescaled(amount: f64, factor: f64) -> f64 {
    if factor < 1.0 {
        amount / whole(1.0 / factor)
    } else {
        amount * whole(factor)
    }
}

/// Removes the rounding error of a factor that should be a whole number.
fn whole(factor: f64) -> f64 {
    let whole = factor.round();
    if (factor - whole).abs() < whole * 1e-12 {
        whole
    } else {
        factor
    }
}

/// Further words for times, and the seconds that they denote. They are only used for conversions: no metric gets such a
/// unit.
const OTHER_TIMES: [(&[&str], f64); 4] = [
    (&["ps", "picoseconds"], 1e-12),
    (&["millisecond"], 1e-3),
    (&["min", "minute", "minutes"], 60.0),
    (&["h", "hour", "hours"], 3600.0),
];

/// Further words for sizes, and the bytes that they denote, like [`OTHER_TIMES`].
const OTHER_SIZES: [(&[&str], f64); 9] = [
    (&["byte"], 1.0),
    (&["kb", "kilobytes"], 1e3),
    (&["mb", "megabytes"], 1e6),
    (&["gb", "gigabytes"], 1e9),
    (&["tb", "terabytes"], 1e12),
    (&["kib"], 1024.0),
    (&["mib"], 1_048_576.0),
    (&["gib"], 1_073_741_824.0),
    (&["tib"], 1_099_511_627_776.0),
];

/// The time or size that this word denotes, in its family's base unit.
pub(super) fn scale(family: UnitFamily, word: &str) -> Option<f64> {
    if let Some(line) = Unit::of_word(word).filter(|line| line.family == family) {
        return Some(line.scale);
    }
    let others = match family {
        UnitFamily::Time => &OTHER_TIMES[..],
        _ => &OTHER_SIZES,
    };
    let other = others.iter().find(|(words, _)| words.contains(&word))?;
    Some(other.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_has_a_line() {
        let all: Vec<Unit> = UNITS.iter().map(|line| line.unit).collect();
        let last = Unit::None as usize;
        assert_eq!(
            all.iter().map(|unit| *unit as usize).collect::<Vec<_>>(),
            (0..=last).collect::<Vec<_>>()
        );
    }

    #[test]
    fn words_and_symbols_are_unambiguous() {
        let words: Vec<&str> = UNITS.iter().flat_map(|line| line.words).copied().collect();
        let symbols = UNITS
            .iter()
            .flat_map(|line| line.symbols)
            .map(|(symbol, _)| *symbol)
            .collect();
        for mut all in [words, symbols] {
            let before = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), before, "{all:?}");
        }
    }

    #[test]
    fn amounts_convert_within_a_family() {
        assert_eq!(Unit::Ms.convert(0.2, Unit::Ns), Some(200_000.0));
        assert_eq!(Unit::Us.convert(3.0, Unit::Us), Some(3.0));
        assert_eq!(Unit::Bytes.convert(1.0, Unit::BytesPerSecond), None);
        assert_eq!(Unit::Count.convert(1.0, Unit::None), None);
    }
}
