//! The interface of all readers: a format, and how it recognises and reads an input.

use memchr::memmem;

use crate::formats::spec::Spec;
use crate::input::Input;
use crate::json;
use crate::rows::Rows;

pub use crate::rows::launches::Samples;

/// A format of benchmark results, with the functions that recognise and read it.
#[derive(Debug)]
pub struct Format {
    /// The format's name in reports and for `--format`.
    pub name: &'static str,
    /// A one-line description for users.
    pub about: &'static str,
    /// Whether repeated numbers for a benchmark in one output are process runs or iterations.
    pub samples: Samples,
    /// The tool's usual file name, which decides between formats if the content is ambiguous. Empty if the file can
    /// have any name.
    pub(crate) file: &'static str,
    /// Strings that must all occur at the beginning of an output.
    contains: &'static [&'static str],
    /// The brackets that can open a JSON document, and sets of keys, each with the likeness of a document that contains
    /// all its keys.
    keys: (&'static str, KeySets),
    recognise: fn(&str) -> Likeness,
    pub(crate) kind: Kind,
}

impl Format {
    /// Creates a format that is only selected by name and whose rows are process runs. The methods below change this
    /// and set the reader. A format without a reader is a placeholder for one that the config describes.
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

    /// Sets the strings that the beginning must contain. They are sufficient unless [`looks_like`](Self::looks_like) is
    /// called afterwards.
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

    /// Sets the brackets that can open a JSON document, and the keys that identify it.
    pub(crate) const fn keys(self, opens_with: &'static str, sets: KeySets) -> Self {
        let keys = (opens_with, sets);
        Self { keys, ..self }
    }

    /// Sets the reader for a whole document.
    pub(crate) const fn document(self, read: ReadDocument) -> Self {
        self.read_as(Kind::Document(read))
    }

    /// Sets the reader for single lines.
    pub(crate) const fn lines<R: LineReader + Default + 'static>(self) -> Self {
        self.read_as(Kind::Lines(|| Box::<R>::default()))
    }

    pub(crate) const fn read_as(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// Rates how well the beginning of an input matches this format. Other text may precede the format.
    pub(crate) fn likeness(&self, head: &str) -> Likeness {
        self.likeness_with(head, |text| {
            memmem::find(head.as_bytes(), text.as_bytes()).is_some()
        })
    }

    /// Like [`Self::likeness`], but `has` looks up whether the beginning contains a string.
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

    /// Returns the strings that are searched for to recognise the format.
    fn texts(&self) -> impl Iterator<Item = &'static str> {
        let keys = self.keys.1.iter().flat_map(|(keys, _)| *keys);
        self.contains.iter().chain(keys).copied()
    }

    /// Whether the format reads a whole input, rather than lines between other lines.
    pub(crate) fn is_document(&self) -> bool {
        match self.kind {
            Kind::Document(_) | Kind::Unknown => true,
            Kind::Described(data) => !data.has_lines(),
            Kind::Lines(..) => false,
        }
    }

    /// Creates a reader for lines. Returns `None` for a document format.
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

/// Rules out most of many strings in one pass over an input. The pass looks up every third group of four bytes.
pub(crate) struct Groups {
    /// The groups of four bytes in the strings, by their hash. If two groups have the same hash, only one of them is
    /// stored.
    known: Vec<u32>,
    /// For each hash, whether the input contains the stored group.
    seen: Vec<bool>,
}

/// The distance in bytes between the groups of an input that are looked up.
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
    /// Collects the groups in `texts`, and looks them up in `input`.
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

    /// Returns `false` only if the input does not contain `text`. If the input contained it, the pass would have looked
    /// up every third group of `text`, starting with one of its first three.
    pub(crate) fn may_contain(&self, text: &str) -> bool {
        (0..STEP).any(|start| {
            groups(text, start, STEP).all(|group| {
                let at = hash(group);
                self.known[at] != group || self.seen[at]
            })
        })
    }
}

type ReadDocument = fn(&Input<'_>, &mut Rows<'_>);

/// The degree to which the beginning of an input matches a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Likeness {
    No,
    /// Almost a match, worth a hint if the input contains no rows. The text is a predicate for the input: "has …, but
    /// no …".
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
    /// The format consists of lines, which may be mixed with other lines.
    Lines(fn() -> Box<dyn LineReader>),
    /// A placeholder for a format that only a config can describe.
    Unknown,
    /// The format is described by an entry of `[[formats]]` or of `specs.toml`.
    Described(&'static Spec),
}

/// Reads one tool's lines, which may be mixed with others.
pub(crate) trait LineReader {
    /// Reads a line, which is passed without its line end and without terminal escape sequences. Returns whether the
    /// line belongs to the tool. If it does, other readers do not see it.
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

    /// Whether the input's last line, which has no line end, stops before the tool's output is complete.
    fn is_cut_off(&self, line: &str) -> bool {
        let _ = line;
        false
    }

    /// Ends the input: emits or reports everything that waited for more lines.
    fn end(&mut self, sink: &mut Rows<'_>) {
        let _ = sink;
    }
}

/// Sets of keys that identify a document. Each set comes with the likeness of a document that contains all its keys.
pub(crate) type KeySets = &'static [(&'static [&'static str], Likeness)];

/// Returns the likeness for the first set of keys that a document contains completely, or `No` if there is none. Other
/// text may precede the document.
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
