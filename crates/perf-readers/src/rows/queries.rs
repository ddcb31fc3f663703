//! Addresses that differ in nothing but their queries, which may hold secrets and are no part of names.

use std::collections::HashMap;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;

/// The most names that are remembered; a hostile input may have millions.
const MOST: usize = 10_000;

/// The queries behind each name of a platform, in the order of the input: what a name and they hash to, and no more.
#[derive(Default)]
pub(super) struct Queries {
    of_names: HashMap<(String, String), Vec<u64>, RandomState>,
}

impl Queries {
    /// The name, with a number if other queries than those of `text` had it first.
    pub(super) fn name(&mut self, platform: &str, name: String, text: &str) -> String {
        if self.of_names.len() >= MOST {
            return name;
        }
        let words = text.split([' ', '\t', '"', '\'']);
        let queries: Vec<&str> = words
            .filter_map(|word| word.find('?').map(|at| &word[at..]))
            .collect();
        let hash = self.of_names.hasher().hash_one(queries);
        let known = self
            .of_names
            .entry((platform.to_owned(), name.clone()))
            .or_default();
        let at = known
            .iter()
            .position(|known| *known == hash)
            .unwrap_or_else(|| {
                known.push(hash);
                known.len() - 1
            });
        if at == 0 {
            name
        } else {
            format!("{name} (query {})", at + 1)
        }
    }
}
