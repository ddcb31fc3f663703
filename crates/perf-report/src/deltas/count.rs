//! Lists and tables of which only the first entries are shown, in the report and in a user's template.

use crate::number::thousands;
use perf_markdown::table::Table;
use serde::ser::{Serialize, Serializer};

/// How many entries of a list there are, and how many of them are shown: the first ones.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count {
    written: usize,
    shown: usize,
    /// Entries that no report shows: those beyond the length of its lists.
    beyond: usize,
}

impl Count {
    fn new(written: usize, beyond: usize) -> Self {
        Self { written, shown: written, beyond }
    }

    /// Entries that are not shown because the report would be too long.
    pub(super) fn hidden(self) -> usize {
        self.written - self.shown
    }

    pub(super) fn written(self) -> usize {
        self.written
    }

    pub(super) fn is_shown(self) -> bool {
        self.shown > 0
    }

    pub(super) fn hide(&mut self) {
        self.shown = 0;
    }

    /// Shows more entries, up to the first `most`, and takes them from `room`.
    pub(super) fn show(&mut self, most: usize, room: &mut usize) {
        let more = most.min(self.written).saturating_sub(self.shown).min(*room);
        self.shown += more;
        *room -= more;
    }

    /// `and 7 more rows (see the JSON report)`.
    fn more(self, noun: &str) -> Option<String> {
        let more = self.hidden() + self.beyond;
        let plural = if more == 1 || noun.is_empty() { "" } else { "s" };
        (more > 0)
            .then(|| format!("and {} more{noun}{plural} (see the JSON report)", thousands(&more.to_string())))
    }
}

/// A table with the most important rows first.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    table: Table,
    pub(super) count: Count,
    /// How many rows fail or are inconclusive: the first ones.
    pub(super) grave: usize,
}

impl Rows {
    /// A table, and how many more rows there are than it has.
    pub(super) fn new(table: Table, grave: usize, beyond: usize) -> Self {
        Self { count: Count::new(table.rows.len(), beyond), table, grave }
    }

    /// The shown rows as Markdown; empty if there are none.
    pub(super) fn to_markdown(&self) -> String {
        if !self.count.is_shown() {
            return String::new();
        }
        let table = self.table.compact(self.count.shown);
        self.count.more(" row").into_iter().fold(table, |table, more| table + "\n\n" + &more)
    }
}

impl Serialize for Rows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_markdown())
    }
}

/// Entries of a list, the most important first.
#[derive(Clone, Debug, Default)]
pub(super) struct First<T> {
    entries: Vec<T>,
    pub(super) count: Count,
}

/// Sentences or names.
pub(super) type List = First<String>;

impl<T> First<T> {
    /// The first `most` of `all`.
    pub(super) fn of<A>(most: usize, mut all: impl Iterator<Item = A>, entry: impl FnMut(A) -> T) -> Self {
        let entries: Vec<T> = all.by_ref().take(most).map(entry).collect();
        Self { count: Count::new(entries.len(), all.count()), entries }
    }

    /// The first `most` of `all`, where another place shows the rest.
    pub(super) fn head<A>(most: usize, all: impl Iterator<Item = A>, entry: impl FnMut(A) -> T) -> Self {
        Self::of(most, all.take(most), entry)
    }

    pub(super) fn shown(&self) -> &[T] {
        &self.entries[..self.count.shown]
    }

    /// How many entries follow those that are shown, if any is.
    fn more(&self) -> Option<String> {
        self.count.more("").filter(|_| self.count.is_shown())
    }
}

impl List {
    /// What is shown, and how many more there are.
    pub(super) fn items(&self) -> impl Iterator<Item = String> {
        self.shown().iter().cloned().chain(self.more())
    }
}

impl Serialize for List {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.items())
    }
}
