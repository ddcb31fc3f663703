//! The interface of all readers: a format, and how it recognises and reads an input.

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use memchr::memmem;

use crate::formats::spec::Spec;
use crate::input::Input;
use crate::rows::Rows;

pub use crate::rows::launches::Samples;

/// One way in which rows are printed.
#[derive(Debug)]
pub struct Format {
    /// The name for reports and `--format`.
    pub name: &'static str,
    /// A description of the contents, in one line for people.
    pub about: &'static str,
    /// What several numbers for one benchmark in one output are: process launches or iterations.
    pub samples: Samples,
    /// The tool's file name, which decides if the content does not; otherwise empty.
    pub(crate) file: &'static str,
    /// Texts that are in all of its beginnings.
    contains: &'static [&'static str],
    recognise: fn(&str) -> Likeness,
    pub(crate) kind: Kind,
}

impl Format {
    /// A format that is chosen only by name and whose rows are launches; the methods below add its reader, without which
    /// the config describes it.
    pub(crate) const fn named(name: &'static str) -> Self {
        Self {
            name,
            about: "",
            samples: Samples::Launches,
            file: "",
            contains: &[],
            recognise: |_| Likeness::No,
            kind: Kind::Unknown,
        }
    }

    pub(crate) const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    pub(crate) const fn samples(self, samples: Samples) -> Self {
        Self { samples, ..self }
    }

    pub(crate) const fn file(self, file: &'static str) -> Self {
        Self { file, ..self }
    }

    /// The format, whose beginning has all of these texts, and needs no more than them unless
    /// [`looks_like`](Self::looks_like) follows.
    pub(crate) const fn contains(self, contains: &'static [&'static str]) -> Self {
        Self {
            contains,
            recognise: |_| Likeness::Yes,
            ..self
        }
    }

    pub(crate) const fn looks_like(self, recognise: fn(&str) -> Likeness) -> Self {
        Self { recognise, ..self }
    }

    /// The format, whose whole input is one document.
    pub(crate) const fn document(self, read: ReadDocument) -> Self {
        self.read_as(Kind::Document(read))
    }

    /// The format, whose lines such a reader reads.
    pub(crate) const fn lines<R: LineReader + Default + 'static>(self) -> Self {
        self.read_as(Kind::Lines(|| Box::<R>::default()))
    }

    pub(crate) const fn read_as(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// Tells whether the beginning of an input is of this format, or contains it.
    pub(crate) fn likeness(&self, head: &str) -> Likeness {
        self.likeness_with(head, |text| {
            memmem::find(head.as_bytes(), text.as_bytes()).is_some()
        })
    }

    /// As [`Self::likeness`], for a beginning whose texts are known.
    pub(crate) fn likeness_with(&self, head: &str, has: impl Fn(&'static str) -> bool) -> Likeness {
        match self.kind {
            _ if !self.contains.iter().all(|text| has(text)) => Likeness::No,
            Kind::Described(data) => data.likeness(head),
            _ => (self.recognise)(head),
        }
    }

    /// True if one format reads a whole input, rather than lines among others.
    pub(crate) fn is_document(&self) -> bool {
        match self.kind {
            Kind::Document(_) | Kind::Unknown => true,
            Kind::Described(data) => !data.has_lines(),
            Kind::Lines(..) => false,
        }
    }

    /// Starts to read lines; `None` for a document.
    pub(crate) fn line_reader(&self) -> Option<Box<dyn LineReader>> {
        match self.kind {
            Kind::Lines(start) => Some(start()),
            Kind::Described(data) if data.has_lines() => Some(data.line_reader()),
            _ => None,
        }
    }

    /// Reads a document; other formats have none.
    pub(crate) fn read_document(&self, input: &Input<'_>, sink: &mut Rows<'_>) {
        match self.kind {
            Kind::Document(read) => read(input, sink),
            Kind::Described(data) => data.read(input, sink),
            Kind::Lines(..) | Kind::Unknown => {}
        }
    }
}

/// How many bytes of a text are searched for together with the others: with more, the searcher takes longer to build
/// than a small input to read.
const SEARCHED: usize = 6;

/// Searches for the texts of many formats at once.
pub(crate) struct Texts {
    /// In order.
    all: Vec<&'static str>,
    /// Finds their first bytes, if there are any texts.
    searcher: Option<AhoCorasick>,
}

impl Texts {
    pub(crate) fn of<'f>(formats: impl Iterator<Item = &'f Format>) -> Self {
        let all: BTreeSet<&str> = formats
            .flat_map(|format| format.contains)
            .copied()
            .collect();
        let all: Vec<&str> = all.into_iter().collect();
        let begins = all
            .iter()
            .map(|text| &text.as_bytes()[..text.len().min(SEARCHED)]);
        let searcher = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .build(begins)
            .ok();
        Self { all, searcher }
    }

    /// Rates how well the beginning of an input matches each of these formats.
    pub(crate) fn likeness(
        &self,
        head: &str,
        formats: impl Iterator<Item = &'static Format>,
    ) -> impl Iterator<Item = (&'static Format, Likeness)> {
        let mut begins = vec![self.searcher.is_none(); self.all.len()];
        for found in self
            .searcher
            .iter()
            .flat_map(|searcher| searcher.find_overlapping_iter(head))
        {
            begins[found.pattern().as_usize()] = true;
        }
        let has = move |text: &str| {
            let may_be = self.all.binary_search(&text).map_or(true, |at| begins[at]);
            may_be && memmem::find(head.as_bytes(), text.as_bytes()).is_some()
        };
        formats.map(move |format| (format, format.likeness_with(head, &has)))
    }
}

/// Reads a whole input.
type ReadDocument = fn(&Input<'_>, &mut Rows<'_>);

/// The degree to which the beginning of an input matches a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Likeness {
    No,
    /// Worth a hint when no other format matches; the text completes "it …, but …".
    Near(&'static str),
    Yes,
}

impl From<bool> for Likeness {
    fn from(is: bool) -> Self {
        if is { Self::Yes } else { Self::No }
    }
}

/// The way a format is read: as a whole, or line by line.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// The whole input is one document.
    Document(ReadDocument),
    /// Lines among others.
    Lines(fn() -> Box<dyn LineReader>),
    /// A format that only a config can describe.
    Unknown,
    /// As an entry of `[[formats]]` or of `specs.toml` describes it.
    Described(&'static Spec),
}

/// Reads one tool's lines, which may have others between them.
pub(crate) trait LineReader {
    /// Reads a line without its end and without terminal escape sequences. Returns whether it belongs to the tool,
    /// so that no other reader needs to see it.
    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool;

    /// As [`Self::line`], for a last line without a line end. A line that may be cut off there is reported, not read.
    fn unended(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        if self.is_cut_off(line) {
            sink.skip_cut_off(number, line);
            return true;
        }
        self.line(number, line, sink)
    }

    /// True if a last line without a line end breaks off before the tool's output was complete.
    fn is_cut_off(&self, line: &str) -> bool {
        let _ = line;
        false
    }

    /// The input has ended: emits or reports everything that was waiting for more lines.
    fn end(&mut self, sink: &mut Rows<'_>) {
        let _ = sink;
    }
}

#[cfg(test)]
mod tests {
    use crate::formats::{FORMATS, TEXTS};

    #[test]
    fn texts_are_found_at_once_as_each_alone() {
        let all: Vec<&str> = FORMATS
            .iter()
            .flat_map(|format| format.contains)
            .copied()
            .collect();
        let cut_off: Vec<&str> = all
            .iter()
            .map(|text| &text[..text.floor_char_boundary(text.len() - 1)])
            .collect();
        let mut found = 0;
        for head in [
            all.join("\n"),
            cut_off.join("\n"),
            all[..all.len() / 2].concat(),
            String::new(),
        ] {
            for (format, likeness) in TEXTS.likeness(&head, FORMATS.iter()) {
                assert_eq!(
                    likeness,
                    format.likeness(&head),
                    "{} in {head}",
                    format.name
                );
                found += usize::from(likeness == super::Likeness::Yes);
            }
        }
        assert!(found > 10, "{found}");
    }
}
