//! Statistics in metric names: the word for the minimum, the mean or a percentile, and the rest of the name.

use std::cmp::Ordering;

use super::quantile::split_percentile;
use super::{Direction, Meaning};

/// A statistic of many values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Statistic {
    /// A mean, or another value that represents all.
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
    /// The order of two statistics of the same values; `None` if either may be the larger one.
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
    /// The part before that word.
    before: &'n str,
    /// The part after it.
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
        let words = || word_starts(name).flat_map(|at| WORDS.iter().map(move |word| (at, word)));
        let found = words().find_map(|(at, (word, statistic))| {
            let after = without_prefix(&name[at..], word)?;
            ends_word(after).then_some(Self {
                statistic: *statistic,
                before: &name[..at],
                after,
                has_word: true,
            })
        });
        found.unwrap_or(Self {
            statistic: Statistic::Typical,
            before: name,
            after: "",
            has_word: false,
        })
    }

    /// Whether both are statistics of the same values. `timeNs` and `timeNs.min` are; `timeNs` and `minTimeNs` are
    /// not, because the latter may be a setting.
    pub(crate) fn is_of_same(&self, other: &Self) -> bool {
        let is_suffix = |one: &Self| one.after.is_empty() && one.before.ends_with('.');
        let fits = |one: &Self, other: &Self| {
            one.has_word || other.statistic.is_percentile() || is_suffix(other)
        };
        fits(self, other) && fits(other, self) && self.letters().eq(other.letters())
    }

    /// The better direction of the values.
    pub(crate) fn direction(&self) -> Direction {
        let parts = [self.before, self.after].map(|part| Meaning::of_name(part).direction);
        parts
            .into_iter()
            .find(|direction| *direction != Direction::Unknown)
            .unwrap_or(Direction::Unknown)
    }

    /// The letters and digits of the name without the word for the statistic.
    fn letters(&self) -> impl Iterator<Item = char> {
        let letters = self.before.chars().chain(self.after.chars());
        letters
            .filter(|c| c.is_alphanumeric())
            .map(|c| c.to_ascii_lowercase())
    }
}

/// The indices at which a word begins with `m` or `a`, like all words for statistics.
fn word_starts(name: &str) -> impl Iterator<Item = usize> {
    name.match_indices(['m', 'M', 'a', 'A'])
        .map(|(at, _)| at)
        .filter(|at| {
            let before = name[..*at].chars().next_back();
            let is_capital = name.as_bytes()[*at].is_ascii_uppercase();
            before.is_none_or(|c| !c.is_alphanumeric() || (is_capital && !c.is_uppercase()))
        })
}

fn ends_word(after: &str) -> bool {
    after.chars().next().is_none_or(|c| !c.is_lowercase())
}

fn without_prefix<'n>(name: &'n str, word: &str) -> Option<&'n str> {
    let is_word = name
        .get(..word.len())
        .is_some_and(|begin| begin.eq_ignore_ascii_case(word));
    is_word.then(|| &name[word.len()..])
}
