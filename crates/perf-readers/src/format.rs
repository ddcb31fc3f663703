//! The interface of all readers: a format, and how it recognises and reads an input.

use std::fmt;
use std::io;

use crate::input::source::Source;
use crate::rows::RowCollector;

pub use crate::rows::launches::Samples;

/// One way in which rows are printed.
#[derive(Debug)]
pub struct Format {
    /// The name for reports and `--format`.
    pub name: &'static str,
    /// A description of the contents, in one line for people.
    pub about: &'static str,
    /// The origin of several numbers of one benchmark in one output: process launches or iterations.
    pub samples: Samples,
    /// The name of the tool's file, which decides where its content leaves it open; empty where it says nothing.
    pub(crate) file: &'static str,
    recognise: fn(&[u8]) -> Likeness,
    pub(crate) kind: Kind,
}

impl Format {
    /// A format that is chosen only by name and whose rows are launches; the methods below add its reader.
    pub(crate) const fn named(name: &'static str) -> Self {
        let (recognise, kind) = (
            |_: &[u8]| Likeness::No,
            Kind::Document(|_, _| Err(io::Error::other("the format has no reader"))),
        );
        Self { name, about: "", samples: Samples::Launches, file: "", recognise, kind }
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

    pub(crate) const fn looks_like(self, recognise: fn(&[u8]) -> Likeness) -> Self {
        Self { recognise, ..self }
    }

    /// The format, whose whole input is one document.
    pub(crate) const fn document(self, read: ReadDocument) -> Self {
        self.read_as(Kind::Document(read))
    }

    /// The format, whose lines such a reader reads; see [`Kind::Lines`] for the marks.
    pub(crate) const fn lines<R: LineReader + Default + 'static>(
        self,
        marks: &'static [&'static str],
    ) -> Self {
        self.read_as(Kind::Lines(|| Box::<R>::default(), marks))
    }

    pub(crate) const fn read_as(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// Tells whether the beginning of an input is of this format, or contains it.
    pub(crate) fn likeness(&self, head: &[u8]) -> Likeness {
        match self.kind {
            Kind::Data(data) => data.likeness(head),
            _ => (self.recognise)(head),
        }
    }

    /// True if one format reads a whole input, rather than lines among others.
    pub(crate) fn is_document(&self) -> bool {
        match self.kind {
            Kind::Document(_) => true,
            Kind::Data(data) => !data.has_lines(),
            Kind::Lines(..) => false,
        }
    }

    /// Texts that are in any output of the tool; see [`Kind::Lines`].
    pub(crate) fn marks(&self) -> &'static [&'static str] {
        match self.kind {
            Kind::Lines(_, marks) => marks,
            Kind::Data(data) => data.marks(),
            Kind::Document(_) => &[],
        }
    }

    /// Starts to read lines; `None` for a document.
    pub(crate) fn line_reader(&self) -> Option<Box<dyn LineReader>> {
        match self.kind {
            Kind::Lines(start, _) => Some(start()),
            Kind::Data(data) if data.has_lines() => Some(data.line_reader()),
            _ => None,
        }
    }

    /// True if its lines are read only where no other format is.
    pub(crate) fn is_alone(&self) -> bool {
        matches!(self.kind, Kind::Data(data) if data.is_alone())
    }

    /// Reads a document; other formats have none.
    pub(crate) fn read_document(
        &self,
        source: &mut Source<'_>,
        sink: &mut RowCollector<'_>,
    ) -> io::Result<()> {
        match self.kind {
            Kind::Document(read) => read(source, sink),
            Kind::Data(data) => data.read(source, sink),
            Kind::Lines(..) => Ok(()),
        }
    }
}

/// Reads a whole input.
type ReadDocument = fn(&mut Source<'_>, &mut RowCollector<'_>) -> io::Result<()>;

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
    /// Lines among others, with *marks*: texts that are in any output of the tool, and that are searched for in the
    /// rest of a long input. A mark has at least four bytes, and the first four decide how long the search takes:
    /// as few small letters as possible (`s/op`, not `ns/op`). Few tools have marks, as all of them are searched for at
    /// once: one without is found where the head of the input has its lines.
    Lines(fn() -> Box<dyn LineReader>, &'static [&'static str]),
    /// As it is described.
    Data(&'static dyn FormatData),
}

/// A format whose reading data describes.
pub(crate) trait FormatData: fmt::Debug + Sync {
    fn likeness(&self, head: &[u8]) -> Likeness;

    /// True if lines are read among others, rather than whole inputs.
    fn has_lines(&self) -> bool;

    /// True if its lines are read only where no other format is.
    fn is_alone(&self) -> bool;

    /// As of [`Kind::Lines`].
    fn marks(&self) -> &'static [&'static str];

    fn line_reader(&'static self) -> Box<dyn LineReader>;

    fn read(&self, source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> io::Result<()>;
}

/// Reads the lines of one tool, whatever stands between them.
pub(crate) trait LineReader {
    /// Reads a line without its end and without terminal escape sequences. Returns whether it belongs to the tool,
    /// so that no other reader needs to see it.
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool;

    /// As [`Self::line`], for a last line without a line end. What may be cut off there is reported, not read.
    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if self.is_cut_off(line) {
            sink.skip_cut_off(number, line);
            return true;
        }
        self.line(number, line, sink)
    }

    /// True if a last line without a line end breaks off where the tool would have printed more.
    fn is_cut_off(&self, line: &[u8]) -> bool {
        let _ = line;
        false
    }

    /// The input has ended: emits or reports what was waiting for more lines.
    fn end(&mut self, sink: &mut RowCollector<'_>) {
        let _ = sink;
    }
}
