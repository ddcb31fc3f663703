//! Formats without marks, and what tools print for people, behind any length of other text.
//!
//! To look for all of them takes longer than to read, so that only text without any row is searched.

use crate::format::{Format, Kind, Likeness};
use crate::input::lines::Chunk;
use crate::input::source::HEAD;
use crate::rows::RowCollector;
use crate::terminal;

/// Whether a format has no marks that are searched for in every text.
pub(crate) fn is_unmarked(format: &Format) -> bool {
    matches!(format.kind, Kind::Document(_) | Kind::Lines(_, []))
}

/// The formats that were not found so far.
pub(crate) struct Hidden {
    formats: Vec<&'static Format>,
    /// Whether the next chunk is the first one, whose beginning was the head.
    is_first: bool,
}

impl Hidden {
    pub(crate) fn new(formats: Vec<&'static Format>) -> Self {
        Self { formats, is_first: true }
    }

    /// Where a text begins in a chunk that one of the formats reads, with other text before it.
    pub(crate) fn begin_in(&mut self, chunk: Chunk<'_>, sink: &mut RowCollector<'_>) -> Option<usize> {
        let is_first = std::mem::replace(&mut self.is_first, false);
        if self.formats.is_empty() || (is_first && chunk.all.len() <= HEAD) {
            return None;
        }
        let starts = if is_first {
            // What begins in the second half of the head may have been cut off.
            let behind = chunk.all.get(HEAD / 2..).unwrap_or_default();
            [memchr::memchr(b'\n', behind).map(|end| HEAD / 2 + end + 1), None]
        } else {
            [Some(chunk.before().len()), Some(0)]
        };
        starts.into_iter().flatten().find(|start| self.are_in(&chunk.all[*start..], sink))
    }

    fn are_in(&self, text: &[u8], sink: &mut RowCollector<'_>) -> bool {
        for format in &self.formats {
            match (format.looks_like)(text) {
                Likeness::Yes => return true,
                Likeness::Near(but) => sink.is_nearly((format.name, but)),
                Likeness::No => {}
            }
        }
        sink.is_for_people(text, terminal::recognise);
        false
    }
}
