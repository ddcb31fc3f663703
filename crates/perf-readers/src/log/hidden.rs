//! Finds formats without marks, and what tools print for people, after any length of other text.
//!
//! To look for all of them takes longer than to read. Only text without any row is searched, and of that only what has
//! a line that begins as none before did: most of a build's lines begin alike.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use crate::format::{Format, Likeness};
use crate::formats::TEXTS;
use crate::input::lines::Chunk;
use crate::input::source::HEAD;
use crate::rows::RowCollector;
use crate::terminal;

/// The fewest separators in the header of a table.
const FEWEST_SEPARATORS: usize = 2;
/// The most bytes of a table that are looked at.
const LONGEST_BEGINNING: usize = 4096;

/// Limit for the places in one part of a text at which a table may begin.
const MOST_TABLES: usize = 32;

/// Limit for the beginnings of lines that are remembered.
const MOST_BEGINNINGS: usize = 100_000;

/// The formats that were not found so far.
pub(crate) struct Hidden {
    formats: Vec<&'static Format>,
    /// True if the next chunk is the first one, whose beginning was the head.
    is_first: bool,
    /// The first eight bytes of each line so far.
    beginnings: HashSet<u64, RandomState>,
    /// True if the chunk before had a line with a new beginning: the text that it begins may go on in the next one.
    was_new: bool,
}

impl Hidden {
    pub(crate) fn new(formats: Vec<&'static Format>) -> Self {
        Self {
            formats,
            is_first: true,
            beginnings: HashSet::default(),
            was_new: false,
        }
    }

    /// True if this chunk or the one before has a line that begins as none before it did.
    fn is_new(&mut self, chunk: Chunk<'_>) -> bool {
        if self.beginnings.len() > MOST_BEGINNINGS {
            return true;
        }
        let known = self.beginnings.len();
        let text = chunk.text();
        for start in std::iter::once(0).chain(memchr::memchr_iter(b'\n', text).map(|end| end + 1)) {
            let mut beginning = [0; 8];
            let line = &text[start..text.len().min(start + beginning.len())];
            beginning[..line.len()].copy_from_slice(line);
            self.beginnings.insert(u64::from_le_bytes(beginning));
        }
        let is_new = self.beginnings.len() > known;
        std::mem::replace(&mut self.was_new, is_new) || is_new
    }

    /// Returns the start of a text in the chunk that one of the formats reads, with other text before it.
    pub(crate) fn begin_in(
        &mut self,
        chunk: Chunk<'_>,
        sink: &mut RowCollector<'_>,
    ) -> Option<usize> {
        let is_first = std::mem::replace(&mut self.is_first, false);
        if self.formats.is_empty() || (is_first && chunk.all.len() <= HEAD) || !self.is_new(chunk) {
            return None;
        }
        let starts = if is_first {
            // What begins in the second half of the head may have been cut off.
            let behind = chunk.all.get(HEAD / 2..).unwrap_or_default();
            [
                memchr::memchr(b'\n', behind).map(|end| HEAD / 2 + end + 1),
                None,
            ]
        } else {
            [Some(chunk.before().len()), Some(0)]
        };
        let mut starts = starts.into_iter().flatten();
        let found = starts.clone().find_map(|start| {
            let text = &chunk.all[start..];
            let format = self.format_in(text, sink)?;
            Some(start + document_start(format, text))
        });
        found.or_else(|| {
            let start = starts.next()?;
            self.table_in(&chunk.all[start..]).map(|at| start + at)
        })
    }

    /// Returns the start of a table that is only recognised by its first line.
    fn table_in(&self, text: &[u8]) -> Option<usize> {
        let (mut end, mut was_list) = (0, true);
        let starts = text
            .split_inclusive(|byte| *byte == b'\n')
            .filter_map(|line| {
                let start = end;
                end += line.len();
                let is_list = memchr::memchr3_iter(b',', b';', b'\t', line)
                    .nth(FEWEST_SEPARATORS - 1)
                    .is_some();
                let was_list = std::mem::replace(&mut was_list, is_list);
                (is_list && !was_list).then_some(start)
            });
        let is_table = |start: &usize| {
            let beginning = &text[*start..text.len().min(start + LONGEST_BEGINNING)];
            let mut likeness = TEXTS.likeness(beginning, self.formats.iter().copied());
            likeness.any(|(_, likeness)| likeness == Likeness::Yes)
        };
        starts.take(MOST_TABLES).find(is_table)
    }

    fn format_in(&self, text: &[u8], sink: &mut RowCollector<'_>) -> Option<&'static Format> {
        for (format, likeness) in TEXTS.likeness(text, self.formats.iter().copied()) {
            match likeness {
                Likeness::Yes => return Some(format),
                Likeness::Near(but) => {
                    sink.change_input(|input| {
                        input.nearest = input.nearest.or(Some((format.name, but)));
                    });
                }
                Likeness::No => {}
            }
        }
        sink.change_input(|input| {
            input.terminal = input.terminal.or_else(|| terminal::recognise(text));
        });
        None
    }
}

/// Returns the start of the first JSON or XML of a text if a document of this format begins there, else 0; some readers
/// allow no text before it.
fn document_start(format: &Format, text: &[u8]) -> usize {
    if !format.is_document() {
        return 0;
    }
    let mut starts = memchr::memchr_iter(b'\n', text).map(|end| end + 1);
    let first = starts.find(|start| matches!(text.get(*start), Some(b'{' | b'[' | b'<')));
    first
        .filter(|start| format.likeness(&text[*start..]) == Likeness::Yes)
        .unwrap_or(0)
}
