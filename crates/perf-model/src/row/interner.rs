//! Texts that are stored once.

use std::sync::Arc;

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use super::Name;

/// Stores each distinct text once. Hashes are seeded, as whoever writes an input chooses the texts in it.
#[derive(Debug, Default)]
pub struct Interner {
    /// The place of the text that was looked up last.
    last: u32,
    seen: IndexSet<Name, RandomState>,
}

impl Interner {
    /// The shared copy of `text`. Runs of the same text, as logs have them, cost one comparison.
    pub fn intern(&mut self, text: &str) -> Name {
        let place = self.place(text);
        Arc::clone(self.at(place))
    }

    /// The address of the shared copy of `text`, which no other text has.
    pub fn place(&mut self, text: &str) -> u32 {
        // To compare nothing with nothing takes long on processors that ask for its place in memory.
        let is_it = |last: &Name| last.len() == text.len() && (text.is_empty() || **last == *text);
        if !self.seen.get_index(self.last as usize).is_some_and(is_it) {
            let place = self
                .seen
                .get_index_of(text)
                .unwrap_or_else(|| self.seen.insert_full(text.into()).0);
            // Memory ends before.
            self.last = u32::try_from(place).unwrap_or(u32::MAX);
        }
        self.last
    }

    /// The text at this place.
    pub fn at(&self, place: u32) -> &Name {
        &self.seen[place as usize]
    }

    /// The number of texts.
    #[expect(
        clippy::len_without_is_empty,
        reason = "the count of names is a limit, never a question"
    )]
    pub fn len(&self) -> usize {
        self.seen.len()
    }

    /// True if this text is stored.
    pub fn contains(&self, text: &str) -> bool {
        self.seen.contains(text)
    }
}
