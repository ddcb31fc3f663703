//! Keys of measurements, interned: each is stored once and has a number. So are the conditions of each key.

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::rows::cells::Cells;
use perf_model::row::{Conditions, Interner, Key};

/// A key's place in order of appearance.
pub(crate) type Number = u32;

/// Interns keys. Hashes are seeded, because the author of an input chooses its names.
#[derive(Default)]
pub(crate) struct Keys {
    /// The texts of conditions.
    texts: Interner,
    conditions: Vec<Arc<Conditions>>,
    /// Hashes and numbers; the hash is stored because a growing table needs it to rehash.
    condition_numbers: HashTable<(u64, Number)>,
    /// The conditions of the latest row.
    last_conditions: Number,
    all: Vec<Arc<Key>>,
    /// The conditions of each key.
    conditions_of: Vec<Number>,
    /// The numbers of keys, found by hash.
    numbers: HashTable<Number>,
    /// Half of the hash of each key, for a growing table to rehash.
    hashes: Vec<u32>,
    state: RandomState,
    /// The latest one: samples of one key are consecutive.
    last: Number,
    /// The key of each row.
    pub(crate) of_rows: Vec<Number>,
    /// One past the place of each key's last row, 0 where it has none; made when it is first asked for.
    behind_last: Option<Vec<Number>>,
    /// The bytes of texts.
    bytes: usize,
}

/// The bytes that a key takes besides its texts: itself, its places in tables, and what later distinguishes its rows.
const KEY: usize = size_of::<Key>() + size_of::<Arc<Key>>() + 13 * size_of::<Number>();

/// The bytes that conditions take besides their texts.
const CONDITIONS: usize =
    size_of::<Conditions>() + size_of::<Arc<Conditions>>() + size_of::<(u64, Number)>();

impl Keys {
    /// The number of the key that these cells have, which are trimmed.
    pub(crate) fn number(&mut self, cells: &Cells<'_>) -> Number {
        let conditions = self.conditions(cells);
        let shared = &self.conditions[conditions as usize];
        if !self
            .all
            .get(self.last as usize)
            .is_some_and(|last| is(last, cells.scenario, shared))
        {
            self.last = self.find(cells.scenario, conditions);
        }
        self.last
    }

    pub(crate) fn key(&self, number: Number) -> &Arc<Key> {
        &self.all[number as usize]
    }

    /// The number of the key that has this scenario, and the conditions of another one.
    pub(crate) fn renamed(&mut self, number: Number, scenario: &str) -> Number {
        self.behind_last = None;
        self.find(scenario, self.conditions_of[number as usize])
    }

    /// Adds a row.
    pub(crate) fn add_row(&mut self, key: Number) {
        self.of_rows.push(key);
        if let Some(behind_last) = &mut self.behind_last {
            behind_last.resize(self.all.len(), 0);
            behind_last[key as usize] = number(self.of_rows.len());
        }
    }

    /// The place of the last row of a key. Only inputs with run indices need it, so that others do not store it.
    pub(crate) fn last_row(&mut self, key: Number) -> Option<usize> {
        let behind_last = self.behind_last.get_or_insert_with(|| {
            let mut behind_last = vec![0; self.all.len()];
            for (key, behind) in self.of_rows.iter().zip(1..) {
                behind_last[*key as usize] = behind;
            }
            behind_last
        });
        behind_last
            .get(key as usize)?
            .checked_sub(1)
            .map(|place| place as usize)
    }

    /// Returns the bytes that the keys and their conditions take.
    pub(crate) fn bytes(&self) -> usize {
        self.all.len() * KEY + self.conditions.len() * CONDITIONS + self.bytes
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    fn find(&mut self, scenario: &str, conditions: Number) -> Number {
        #[expect(clippy::cast_possible_truncation, reason = "half of it")]
        let hash = self.state.hash_one((scenario, conditions)) as u32;
        // The table looks at the lowest and the highest bits.
        let whole = |half: u32| u64::from(half) << 32 | u64::from(half);
        let shared = &self.conditions[conditions as usize];
        let is_same = |number: &Number| {
            let number = *number as usize;
            self.hashes[number] == hash && is(&self.all[number], scenario, shared)
        };
        match self.numbers.entry(whole(hash), is_same, |number| {
            whole(self.hashes[*number as usize])
        }) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(slot) => {
                let number = number(self.all.len());
                slot.insert(number);
                self.hashes.push(hash);
                self.bytes += scenario.len();
                let key = Key {
                    scenario: scenario.into(),
                    conditions: Arc::clone(shared),
                };
                self.all.push(Arc::new(key));
                self.conditions_of.push(conditions);
                number
            }
        }
    }

    /// The number of the conditions that these cells have.
    fn conditions(&mut self, cells: &Cells<'_>) -> Number {
        // Rows have those of the row before, or, where each benchmark ran on several platforms, take turns.
        let next = self.last_conditions + 1;
        let next = if (next as usize) < self.conditions.len() {
            next
        } else {
            0
        };
        let guesses = [self.last_conditions, next];
        let is_it = |guess: &Number| {
            self.conditions
                .get(*guess as usize)
                .is_some_and(|known| are(known, cells))
        };
        self.last_conditions = guesses
            .into_iter()
            .find(is_it)
            .unwrap_or_else(|| self.find_conditions(cells));
        self.last_conditions
    }

    fn find_conditions(&mut self, cells: &Cells<'_>) -> Number {
        let Cells {
            platform,
            commit,
            machine_class,
            methodology,
            ..
        } = *cells;
        let hash = self
            .state
            .hash_one((platform, commit, machine_class, methodology));
        let is_same = |(other, number): &(u64, Number)| {
            *other == hash && are(&self.conditions[*number as usize], cells)
        };
        match self
            .condition_numbers
            .entry(hash, is_same, |(hash, _)| *hash)
        {
            Entry::Occupied(known) => known.get().1,
            Entry::Vacant(slot) => {
                let number = number(self.conditions.len());
                slot.insert((hash, number));
                let before = self.texts.len();
                let mut text = |text: &str| self.texts.intern(text);
                let conditions = Conditions {
                    platform: text(platform),
                    commit: text(commit),
                    machine_class: machine_class.map(&mut text),
                    methodology: methodology.map(&mut text),
                };
                let new = before..self.texts.len();
                let length = |place: usize| self.texts.at(self::number(place)).len();
                self.bytes += new.map(length).sum::<usize>();
                self.conditions.push(Arc::new(conditions));
                number
            }
        }
    }
}

/// A place as a number: no more rows are read than fit.
fn number(place: usize) -> Number {
    Number::try_from(place).unwrap_or(Number::MAX)
}

/// True if this is the key of a scenario under conditions, which are stored once.
fn is(key: &Key, scenario: &str, conditions: &Arc<Conditions>) -> bool {
    Arc::ptr_eq(&key.conditions, conditions) && *key.scenario == *scenario
}

/// True if these are the conditions of a row.
fn are(conditions: &Conditions, cells: &Cells<'_>) -> bool {
    let Conditions {
        platform,
        commit,
        machine_class,
        methodology,
    } = conditions;
    are_equal(platform, cells.platform)
        && are_equal(commit, cells.commit)
        && machine_class.as_deref() == cells.machine_class
        && methodology.as_deref() == cells.methodology
}

/// True if two texts are equal. Most are empty: comparing those by `memcmp` took up to a fifth of the time of inputs
/// with a row for each number.
fn are_equal(one: &str, other: &str) -> bool {
    one.len() == other.len() && (one.is_empty() || one == other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_row_is_known_whenever_it_is_asked_for() {
        let mut keys = Keys::default();
        let [one, other] = ["a", "b"].map(|scenario| keys.number(&Cells::of(scenario)));
        for key in [one, other, one] {
            keys.add_row(key);
        }
        assert_eq!(
            [one, other].map(|key| keys.last_row(key)),
            [Some(2), Some(1)]
        );
        let new = keys.number(&Cells::of("c"));
        assert_eq!(keys.last_row(new), None);
        for key in [other, new] {
            keys.add_row(key);
        }
        assert_eq!(
            [one, other, new].map(|key| keys.last_row(key)),
            [Some(2), Some(3), Some(4)]
        );
    }
}
