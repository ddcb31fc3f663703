//! Lists and tables of which only the first entries are shown, in the report and in a user's template.

use std::sync::Arc;

use crate::markdown::table::Table;
use crate::number::{counted, whole};
use serde::ser::{Serialize, Serializer};

/// The number of entries in a list, and the number of those that are shown: the first ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Count {
    written: usize,
    shown: usize,
    /// Entries that no report shows: those beyond the length of its lists.
    beyond: usize,
    /// The place of the other entries; the JSON report if nothing is named.
    pub(crate) rest: Option<Arc<str>>,
}

impl Count {
    fn new(written: usize, beyond: usize) -> Self {
        Self {
            written,
            shown: written,
            beyond,
            rest: None,
        }
    }

    /// Entries that are not shown because the report would be too long.
    pub(crate) fn hidden(&self) -> usize {
        self.written - self.shown
    }

    pub(crate) fn written(&self) -> usize {
        self.written
    }

    pub(crate) fn is_shown(&self) -> bool {
        self.shown > 0
    }

    pub(crate) fn hide(&mut self) {
        self.shown = 0;
    }

    /// Shows more entries, up to the first `most`, and takes them from `room`.
    pub(crate) fn show(&mut self, most: usize, room: &mut usize) {
        let more = most.min(self.written).saturating_sub(self.shown).min(*room);
        self.shown += more;
        *room -= more;
    }

    /// `and 7 more rows (see the JSON report)`, or without a noun `and 7 more (see the JSON report)`.
    fn more(&self, noun: Option<&str>) -> Option<String> {
        let more = self.hidden() + self.beyond;
        let counted = noun.map_or_else(|| whole(more) + " more", |noun| counted(more, noun));
        let place = self.rest.as_deref().unwrap_or("see the JSON report");
        (more > 0).then(|| format!("and {counted} ({place})"))
    }
}

/// A table with the most important rows first.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankedRows {
    table: Table,
    pub(crate) count: Count,
    /// The number of rows that fail or are inconclusive: the first ones.
    pub(crate) grave: usize,
}

impl RankedRows {
    /// A table, and how many more rows there are than it has.
    pub(crate) fn new(table: Table, grave: usize, beyond: usize) -> Self {
        Self {
            count: Count::new(table.rows.len(), beyond),
            table,
            grave,
        }
    }
}

/// The shown rows as Markdown; empty if there are none.
impl Serialize for RankedRows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.count.is_shown() {
            return serializer.serialize_str("");
        }
        let table = self.table.compact(self.count.shown);
        let more = self
            .count
            .more(Some("more row"))
            .map(|more| format!("\n\n{more}"))
            .unwrap_or_default();
        serializer.serialize_str(&(table + &more))
    }
}

/// Sentences, names or diagrams, the most important first.
#[derive(Clone, Debug, Default)]
pub(crate) struct List {
    entries: Vec<String>,
    pub(crate) count: Count,
    /// True if a last line gives the number of entries that are not shown.
    says_more: bool,
}

impl List {
    /// The first `most` of `all`.
    pub(crate) fn of<A>(
        most: usize,
        mut all: impl Iterator<Item = A>,
        entry: impl FnMut(A) -> String,
    ) -> Self {
        let entries: Vec<String> = all.by_ref().take(most).map(entry).collect();
        Self {
            count: Count::new(entries.len(), all.count()),
            entries,
            says_more: true,
        }
    }

    /// The first `most` of `all`, where another place shows the rest.
    pub(crate) fn head<A>(
        most: usize,
        all: impl Iterator<Item = A>,
        entry: impl FnMut(A) -> String,
    ) -> Self {
        Self::of(most, all.take(most), entry)
    }

    /// The same without a line for those that are left out.
    pub(crate) fn silent(self) -> Self {
        Self {
            says_more: false,
            ..self
        }
    }
}

/// The shown entries, and how many more there are if any is shown.
impl Serialize for List {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let more = self
            .count
            .more(None)
            .filter(|_| self.says_more && self.count.is_shown());
        let shown = self.entries.iter().take(self.count.shown);
        serializer.collect_seq(shown.chain(&more))
    }
}
