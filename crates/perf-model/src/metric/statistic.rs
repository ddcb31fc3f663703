//! Statistics in metric names: the word for the minimum, the mean or a percentile, and the rest of the name.

use std::cmp::Ordering;

use super::quantile::{split_percentile, word_starts};
use super::{Direction, Meaning};

/// A statistic of many values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Statistic {
    /// A mean, or another value that represents all values.
    Typical,
    /// The least value.
    Minimum,
    /// The value below which this share of all values lies.
    Percentile(f64),
    /// The greatest value.
    Maximum,
}

/// Words for statistics in names.
const WORDS: [(&str, Statistic); 8] = [
    ("minimum", Statistic::Minimum),
    ("maximum", Statistic::Maximum),
    ("average", Statistic::Typical),
    ("median", Statistic::Percentile(0.5)),
    ("mean", Statistic::Typical),
    ("min", Statistic::Minimum),
    ("max", Statistic::Maximum),
    ("avg", Statistic::Typical),
];

impl Statistic {
    /// The order of two statistics of the same values. `None` if either one may be the larger one.
    pub(crate) fn at_most(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Typical, Self::Typical | Self::Percentile(_))
            | (Self::Percentile(_), Self::Typical) => None,
            (one, other) => one
                .rank()
                .partial_cmp(&other.rank())
                .filter(|order| order.is_ne()),
        }
    }

    pub(crate) fn is_percentile(self) -> bool {
        matches!(self, Self::Percentile(_))
    }

    fn rank(self) -> f64 {
        match self {
            Self::Minimum => -1.0,
            Self::Typical => 0.5,
            Self::Percentile(share) => share,
            Self::Maximum => 2.0,
        }
    }
}

/// A metric's name, split at the word for the statistic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatisticName<'n> {
    pub(crate) statistic: Statistic,
    /// The part of the name before the word for the statistic.
    before: &'n str,
    /// The part of the name after that word.
    after: &'n str,
    has_word: bool,
}

impl<'n> StatisticName<'n> {
    pub(crate) fn of(name: &'n str) -> Self {
        if let Some((before, share, after)) = split_percentile(name) {
            return Self {
                statistic: Statistic::Percentile(share),
                before,
                after,
                has_word: true,
            };
        }
        for at in word_starts(name) {
            for (word, statistic) in WORDS {
                let (begin, after) = name[at..].split_at_checked(word.len()).unwrap_or_default();
                if begin.eq_ignore_ascii_case(word) && !after.starts_with(char::is_lowercase) {
                    return Self {
                        statistic,
                        before: &name[..at],
                        after,
                        has_word: true,
                    };
                }
            }
        }
        Self {
            statistic: Statistic::Typical,
            before: name,
            after: "",
            has_word: false,
        }
    }

    /// Whether two names denote statistics of the same values. This is true for `timeNs` and `timeNs.min`, but not for
    /// `timeNs` and `minTimeNs`, because `minTimeNs` may be a setting.
    pub(crate) fn is_of_same(&self, other: &Self) -> bool {
        let is_suffix = |one: &Self| one.after.is_empty() && one.before.ends_with('.');
        let fits = |one: &Self, other: &Self| {
            one.has_word || other.statistic.is_percentile() || is_suffix(other)
        };
        fits(self, other) && fits(other, self) && self.letters().eq(other.letters())
    }

    /// The better direction of the values.
    pub(crate) fn direction(&self) -> Direction {
        match Meaning::of_name(self.before).direction {
            Direction::Unknown => Meaning::of_name(self.after).direction,
            direction => direction,
        }
    }

    /// The letters and digits of the name without the word for the statistic.
    fn letters(&self) -> impl Iterator<Item = char> {
        let letters = self.before.chars().chain(self.after.chars());
        letters
            .filter(|c| c.is_alphanumeric())
            .map(|c| c.to_ascii_lowercase())
    }
}
