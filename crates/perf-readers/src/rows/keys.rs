//! Keys of measurements, interned: each is stored once and has a number.

use perf_model::row::Interner;
use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::rows::cells::Cells;
use perf_model::row::{Key, Name};

/// A key's place in order of appearance.
pub(crate) type Number = u32;

/// Interns keys. Hashes are seeded, because the author of an input chooses its names.
#[derive(Default)]
pub(crate) struct Keys {
    platforms: Interner,
    commits: Interner,
    machine_classes: Interner,
    methodologies: Interner,
    all: Vec<Known>,
    /// Hashes and numbers; the hash is stored because a growing table needs it to rehash.
    numbers: HashTable<(u64, Number)>,
    state: RandomState,
    /// The latest one: samples of one key are consecutive.
    last: Number,
    /// The key of each row.
    pub(crate) of_rows: Vec<Number>,
    /// The bytes of scenarios.
    texts: usize,
}

/// What a key takes besides its texts: itself, its places in tables, and what later distinguishes its rows.
const KEY: usize = size_of::<Key>() + size_of::<Known>() + 4 * size_of::<(u64, Number)>();

struct Known {
    key: Arc<Key>,
    beside: Beside,
    /// The last row of the key, if it has any.
    last_row: Option<Number>,
}

/// Interned texts other than the scenario.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Beside {
    platform: Number,
    commit: Number,
    machine_class: Option<Number>,
    methodology: Option<Number>,
}

impl Known {
    fn is(&self, scenario: &str, beside: Beside) -> bool {
        self.beside == beside && *self.key.scenario == *scenario
    }
}

impl Keys {
    /// The number of the key that these cells have, which are trimmed.
    pub(crate) fn number(&mut self, cells: &Cells<'_>) -> Number {
        let beside = Beside {
            platform: self.platforms.place(cells.platform),
            commit: self.commits.place(cells.commit),
            machine_class: cells.machine_class.map(|class| self.machine_classes.place(class)),
            methodology: cells.methodology.map(|text| self.methodologies.place(text)),
        };
        if !self.all.get(self.last as usize).is_some_and(|last| last.is(cells.scenario, beside)) {
            self.last = self.find(cells.scenario, beside);
        }
        self.last
    }

    /// The key of this number.
    pub(crate) fn key(&self, number: Number) -> &Arc<Key> {
        &self.all[number as usize].key
    }

    /// Adds a row, which has this place among all.
    pub(crate) fn add_row(&mut self, key: Number, place: usize) {
        self.of_rows.push(key);
        self.all[key as usize].last_row = Number::try_from(place).ok();
    }

    /// The place of the last row of a key.
    pub(crate) fn last_row(&self, key: Number) -> Option<usize> {
        self.all[key as usize].last_row.map(|place| place as usize)
    }

    /// How many bytes they take.
    pub(crate) fn bytes(&self) -> usize {
        self.all.len() * KEY + self.texts
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    fn find(&mut self, scenario: &str, beside: Beside) -> Number {
        let hash = self.state.hash_one((scenario, beside));
        let is_same = |(other, number): &(u64, Number)| {
            *other == hash && self.all[*number as usize].is(scenario, beside)
        };
        match self.numbers.entry(hash, is_same, |(hash, _)| *hash) {
            Entry::Occupied(known) => known.get().1,
            Entry::Vacant(slot) => {
                // No more rows are read than fit.
                let number = Number::try_from(self.all.len()).unwrap_or(Number::MAX);
                slot.insert((hash, number));
                let key = Key {
                    scenario: scenario.into(),
                    platform: Name::clone(self.platforms.at(beside.platform)),
                    commit: Name::clone(self.commits.at(beside.commit)),
                    machine_class: beside
                        .machine_class
                        .map(|class| Name::clone(self.machine_classes.at(class))),
                    methodology: beside.methodology.map(|text| Name::clone(self.methodologies.at(text))),
                };
                self.texts += scenario.len();
                self.all.push(Known { key: Arc::new(key), beside, last_row: None });
                number
            }
        }
    }
}
