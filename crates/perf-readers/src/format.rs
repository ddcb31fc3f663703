//! The interface of all readers: a format, and how it recognises and reads an input.

use memchr::memmem;

use crate::formats::spec::Spec;
use crate::input::Input;
use crate::json;
use crate::rows::Rows;

pub use crate::rows::launches::Samples;

/// A format in which rows are printed.
#[derive(Debug)]
pub struct Format {
    /// The name for reports and `--format`.
    pub name: &'static str,
    /// A one-line description for users.
    pub about: &'static str,
    /// Whether repeated numbers for a benchmark in one output are process runs or iterations.
    pub samples: Samples,
    /// The tool's file name, which decides if the content does not; otherwise empty.
    pub(crate) file: &'static str,
    /// Strings that the beginning of every output contains.
    contains: &'static [&'static str],
    /// The brackets that a JSON document opens with, and sets of keys, one of which it contains.
    keys: (&'static str, KeySets),
    recognise: fn(&str) -> Likeness,
    pub(crate) kind: Kind,
}

impl Format {
    /// A format that is only chosen by name and whose rows are process runs. The methods below add its reader; if none
    /// does, the config describes it.
    pub(crate) const fn named(name: &'static str) -> Self {
        Self {
            name,
            about: "",
            samples: Samples::Launches,
            file: "",
            contains: &[],
            keys: ("", &[]),
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

    /// Sets the strings that the beginning must contain. They suffice unless [`looks_like`](Self::looks_like) follows.
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

    /// Sets the keys of a JSON document.
    pub(crate) const fn keys(self, opens_with: &'static str, sets: KeySets) -> Self {
        let keys = (opens_with, sets);
        Self { keys, ..self }
    }

    /// Sets the reader for a whole document.
    pub(crate) const fn document(self, read: ReadDocument) -> Self {
        self.read_as(Kind::Document(read))
    }

    /// Sets the reader for lines.
    pub(crate) const fn lines<R: LineReader + Default + 'static>(self) -> Self {
        self.read_as(Kind::Lines(|| Box::<R>::default()))
    }

    pub(crate) const fn read_as(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// Whether an input's beginning is in this format, or contains it.
    pub(crate) fn likeness(&self, head: &str) -> Likeness {
        self.likeness_with(head, |text| {
            memmem::find(head.as_bytes(), text.as_bytes()).is_some()
        })
    }

    /// Like [`Self::likeness`], but `has` tells which strings the beginning contains.
    pub(crate) fn likeness_with(&self, head: &str, has: impl Fn(&'static str) -> bool) -> Likeness {
        match self.kind {
            _ if !self.contains.iter().all(|text| has(text)) => Likeness::No,
            Kind::Described(data) => data.likeness(head),
            _ => {
                let (opens_with, sets) = self.keys;
                if sets.iter().any(|(keys, _)| keys.iter().all(|key| has(key))) {
                    return likeness(head, opens_with, sets);
                }
                (self.recognise)(head)
            }
        }
    }

    /// The strings that are searched for to recognise the format.
    fn texts(&self) -> impl Iterator<Item = &'static str> {
        let keys = self.keys.1.iter().flat_map(|(keys, _)| *keys);
        self.contains.iter().chain(keys).copied()
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

    /// Reads a document; does nothing for other formats.
    pub(crate) fn read_document(&self, input: &Input<'_>, sink: &mut Rows<'_>) {
        match self.kind {
            Kind::Document(read) => read(input, sink),
            Kind::Described(data) => data.read(input, sink),
            Kind::Lines(..) | Kind::Unknown => {}
        }
    }
}

/// Rates how well the beginning of an input matches each of these formats.
pub(crate) fn likeness_of_each(
    head: &str,
    formats: impl Iterator<Item = &'static Format> + Clone,
) -> impl Iterator<Item = (&'static Format, Likeness)> {
    let groups = Groups::of(formats.clone().flat_map(Format::texts), head);
    let has = move |text: &str| {
        groups.may_contain(text) && memmem::find(head.as_bytes(), text.as_bytes()).is_some()
    };
    formats.map(move |format| (format, format.likeness_with(head, &has)))
}

/// Rules out most of many strings in one pass over an input, which looks up every third group of four bytes.
pub(crate) struct Groups {
    /// The groups in the strings, by their hash. If two have the same hash, one of them is missing.
    known: Vec<u32>,
    /// Whether the input contains the group.
    seen: Vec<bool>,
}

/// The distance between two groups of an input that are looked up.
const STEP: usize = 3;

/// The number of bits of a group's hash.
const BITS: u32 = 13;

fn groups(text: &str, start: usize, step: usize) -> impl Iterator<Item = u32> {
    let all = text.as_bytes().windows(4).skip(start).step_by(step);
    all.map(|group| u32::from_le_bytes([group[0], group[1], group[2], group[3]]))
}

fn hash(group: u32) -> usize {
    (group.wrapping_mul(0x9e37_79b1) >> (32 - BITS)) as usize
}

impl Groups {
    /// Looks up the groups of these strings.
    pub(crate) fn of<'t>(texts: impl Iterator<Item = &'t str>, input: &str) -> Self {
        let (mut known, mut seen) = (vec![0; 1 << BITS], vec![false; 1 << BITS]);
        for group in texts.flat_map(|text| groups(text, 0, 1)) {
            known[hash(group)] = group;
        }
        for group in groups(input, 0, STEP) {
            let at = hash(group);
            if known[at] == group {
                seen[at] = true;
            }
        }
        Self { known, seen }
    }

    /// False only if the input does not contain the text: otherwise every third group from one of its first three was
    /// looked up.
    pub(crate) fn may_contain(&self, text: &str) -> bool {
        (0..STEP).any(|start| {
            groups(text, start, STEP).all(|group| {
                let at = hash(group);
                self.known[at] != group || self.seen[at]
            })
        })
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

/// Reads one tool's lines, which may be mixed with others.
pub(crate) trait LineReader {
    /// Reads a line without its end and without terminal escape sequences. Returns whether it belongs to the tool,
    /// so that no other reader needs to see it.
    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool;

    /// Like [`Self::line`], but for a last line without a line end. If it may be cut off, it is reported instead of
    /// read.
    fn unended(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        if self.is_cut_off(line) {
            sink.skip_cut_off(number, line);
            return true;
        }
        self.line(number, line, sink)
    }

    /// True if a last line without a line end stops before the tool's output was complete.
    fn is_cut_off(&self, line: &str) -> bool {
        let _ = line;
        false
    }

    /// Ends the input: emits or reports everything that waited for more lines.
    fn end(&mut self, sink: &mut Rows<'_>) {
        let _ = sink;
    }
}

/// Sets of keys that identify a document, and the likeness of a document with each.
pub(crate) type KeySets = &'static [(&'static [&'static str], Likeness)];

/// The likeness of the first set of keys that a document (also after other text) contains completely, otherwise `No`.
fn likeness(head: &str, opens_with: &str, sets: KeySets) -> Likeness {
    let document = json::first_document(head, opens_with);
    let known =
        document.and_then(|document| sets.iter().find(|(keys, _)| json::are_in(document, keys)));
    known.map_or(Likeness::No, |(_, likeness)| *likeness)
}

#[cfg(test)]
mod tests {
    use super::likeness_of_each;
    use crate::formats::FORMATS;

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
            for (format, likeness) in likeness_of_each(&head, FORMATS.iter()) {
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
