//! Measurement keys. Each key is stored once and has a number.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

use crate::rows::cells::Cells;
use perf_model::row::{Conditions, Key};

/// A key's index in order of appearance.
pub(crate) type Number = u32;

/// All rows' keys. Hashes are seeded, because an input's author controls its names.
#[derive(Default)]
pub(crate) struct Keys {
    all: Vec<Arc<Key>>,
    numbers: HashMap<Arc<Key>, Number, RandomState>,
    conditions: HashMap<Conditions, Arc<Conditions>, RandomState>,
    /// Each row's key.
    pub(crate) of_rows: Vec<Number>,
}

impl Keys {
    /// Returns the key for these cells, which must be trimmed.
    pub(crate) fn number(&mut self, cells: &Cells<'_>) -> Number {
        // Samples with the same key are usually consecutive.
        if let Some(last) = self.of_rows.last()
            && is_key_of(&self.all[*last as usize], cells)
        {
            return *last;
        }
        let conditions = Conditions {
            platform: cells.platform.into(),
            commit: cells.commit.into(),
            machine_class: cells.machine_class.map(Into::into),
            methodology: cells.methodology.map(Into::into),
        };
        let shared = self
            .conditions
            .entry(conditions)
            .or_insert_with_key(|conditions| Arc::new(conditions.clone()));
        let conditions = Arc::clone(shared);
        self.number_of(Key {
            scenario: cells.scenario.into(),
            conditions,
        })
    }

    /// Returns the key that has this scenario and another key's conditions.
    pub(crate) fn renamed(&mut self, number: Number, scenario: &str) -> Number {
        let conditions = Arc::clone(&self.key(number).conditions);
        self.number_of(Key {
            scenario: scenario.into(),
            conditions,
        })
    }

    fn number_of(&mut self, key: Key) -> Number {
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = Number::try_from(self.all.len()).unwrap_or(Number::MAX);
        let key = Arc::new(key);
        self.all.push(Arc::clone(&key));
        self.numbers.insert(key, number);
        number
    }

    pub(crate) fn key(&self, number: Number) -> &Arc<Key> {
        &self.all[number as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }
}

/// Whether a row with these cells has this key.
fn is_key_of(key: &Key, cells: &Cells<'_>) -> bool {
    let conditions = &key.conditions;
    *key.scenario == *cells.scenario
        && *conditions.platform == *cells.platform
        && *conditions.commit == *cells.commit
        && conditions.machine_class.as_deref() == cells.machine_class
        && conditions.methodology.as_deref() == cells.methodology
}
