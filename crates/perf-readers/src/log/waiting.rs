//! Finds the tools whose lines begin anywhere in a log, long after the head that decides how it is read.
//!
//! A *mark* is a text that is in any output of the tool. Vector instructions search for the marks of all tools and for
//! the word in rows at once, which takes no longer than to search for the word alone.

use std::collections::BTreeSet;

use aho_corasick::packed::Searcher;
use memchr::memmem;

use crate::format::{Format, Likeness};
use crate::input::{anchors::WORDS, lines::Chunk};
use crate::xml;

/// The beginnings of an XML report, which is a document rather than lines.
pub(crate) const XML: [&str; 2] = ["<?xml ", "<testsuite"];

/// The most places of marks that are looked at one by one: to search for each mark alone is faster than to go on.
const MOST_PLACES: usize = 256;

/// The tools that were not found so far.
pub(crate) struct Waiting {
    formats: Vec<&'static Format>,
    /// True if an XML report may begin in the chunk that was looked at last; `None` when one was found before.
    xml: Option<bool>,
    marks: Vec<&'static str>,
    /// The searchers for the marks, and for the marks and the word; `None` on a processor without the instructions for
    /// it.
    searchers: Option<[Searcher; 2]>,
}

impl Waiting {
    pub(crate) fn new(formats: Vec<&'static Format>) -> Self {
        let of_formats = formats.iter().flat_map(|format| format.marks());
        let marks: BTreeSet<&str> = of_formats.chain(&XML).copied().collect();
        let marks: Vec<&str> = marks.into_iter().collect();
        let searchers = Searcher::new(&marks).zip(Searcher::new(marks.iter().chain(&WORDS)));
        Self {
            formats,
            xml: Some(false),
            marks,
            searchers: searchers.map(|(marks, all)| [marks, all]),
        }
    }

    /// True if a text has a mark or the word, or if this processor cannot search for them.
    pub(crate) fn is_worth_a_look(&self, text: &[u8]) -> bool {
        self.searchers
            .as_ref()
            .is_none_or(|[_, all]| all.find(text).is_some())
    }

    /// The tools that the chunk has lines of; they wait no longer.
    pub(crate) fn found(&mut self, chunk: Chunk<'_>) -> Vec<&'static Format> {
        let there = self.marks_in(chunk.text());
        let is_marked = |format: &Format| format.marks().iter().any(|mark| there.contains(mark));
        let is_there =
            |format: &&Format| is_marked(format) && format.likeness(chunk.all) == Likeness::Yes;
        let (found, rest): (Vec<_>, Vec<_>) =
            self.formats.iter().partition(|format| is_there(format));
        self.xml = self
            .xml
            .map(|_| XML.iter().any(|mark| there.contains(mark)));
        if !found.is_empty() {
            *self = Self {
                xml: self.xml,
                ..Self::new(rest)
            };
        }
        found
    }

    /// Returns the start of the first XML report in the chunk that was looked at.
    pub(crate) fn xml(&mut self, text: &[u8]) -> Option<usize> {
        self.xml.filter(|may_be| *may_be)?;
        let start = XML
            .iter()
            .filter_map(|mark| memmem::find(text, mark.as_bytes()))
            .min()?;
        xml::is_report(&text[start..]).then(|| {
            self.xml = None;
            start
        })
    }

    fn marks_in(&self, text: &[u8]) -> BTreeSet<&'static str> {
        let (mut there, mut places) = (BTreeSet::new(), 0);
        for found in self
            .searchers
            .iter()
            .flat_map(|[marks, _]| marks.find_iter(text))
            .take(MOST_PLACES)
        {
            there.insert(self.marks[found.pattern().as_usize()]);
            places += 1;
        }
        if self.searchers.is_none() || places == MOST_PLACES {
            let is_there = |mark: &&&str| memmem::find(text, mark.as_bytes()).is_some();
            there.extend(self.marks.iter().filter(is_there));
        }
        there
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Kind;

    const fn format(name: &'static str, marks: &'static [&'static str]) -> Format {
        Format::named(name).read_as(Kind::Lines(|| unreachable!("no line is read"), marks))
    }

    static FORMATS: [Format; 2] = [
        format("one", &["ns/op", "goos: "]),
        format("two", &[" ops/sec", "ns/op"]),
    ];

    #[test]
    fn search_without_vector_instructions_finds_the_same_marks() {
        let waiting = Waiting::new(FORMATS.iter().collect());
        let plain = Waiting {
            searchers: None,
            ..Waiting::new(FORMATS.iter().collect())
        };
        let all = waiting.marks.join("\n");
        for text in ["", "ns/op", "x ops/sec y goos: z", "scenario", all.as_str()] {
            let text = text.as_bytes();
            assert_eq!(waiting.marks_in(text), plain.marks_in(text));
            assert!(plain.is_worth_a_look(text));
        }
        assert_eq!(waiting.marks_in(all.as_bytes()).len(), 3 + XML.len());
        assert!(waiting.is_worth_a_look(b"Scenario") && !waiting.is_worth_a_look(b"Scene,1,2"));
    }
}
