//! An input whose head can be inspected before it is read.

use std::io::{self, Read};
use std::rc::Rc;

use crate::input::escapes::WithoutEscapes;
use crate::input::mangled;
use crate::input::prefixes::{Counts, Prefix, Removed, without_prefix};

/// The number of bytes at the beginning of an input that decide its format.
///
/// Builds print a good deal before the first benchmark does.
pub(crate) const HEAD: usize = 128 * 1024;

/// An input whose beginning can be inspected before it is read: the text that a tool printed. Escape sequences are
/// removed, and what a console has mangled is restored.
pub(crate) struct Source<'r> {
    head: Vec<u8>,
    given: usize,
    /// The bytes that were taken back beyond the head, which are read before the rest.
    returned: io::Cursor<Vec<u8>>,
    rest: Box<dyn Read + 'r>,
    /// Fails once reading on is in vain.
    stop: Box<dyn Fn() -> io::Result<()> + 'r>,
    removed: Vec<(Prefix, Counts)>,
}

impl<'r> Source<'r> {
    /// Opens an input, whose reading ends with the error of `stop`.
    pub(crate) fn open(
        input: &'r mut dyn Read,
        stop: impl Fn() -> io::Result<()> + 'r,
    ) -> io::Result<Self> {
        let rest = Box::new(WithoutEscapes::new(input));
        let head = Vec::with_capacity(HEAD);
        let mut source = Self {
            head,
            given: 0,
            returned: io::Cursor::default(),
            rest,
            stop: Box::new(stop),
            removed: Vec::new(),
        };
        source.fill()?;
        if let Some(page) = mangled::page(&source.head) {
            source.filter(|mangled| Box::new(mangled::restored(page, mangled)))?;
        }
        Ok(source)
    }

    /// Removes the prefix from all lines that have it. Nothing must have been read before.
    pub(crate) fn remove(&mut self, prefix: Prefix) -> io::Result<()> {
        let counts = Counts::default();
        self.removed.push((prefix, Rc::clone(&counts)));
        self.filter(|prefixed| Box::new(without_prefix(prefix, prefixed, counts)))
    }

    /// The prefixes that were removed from what was read.
    pub(crate) fn removed(&self) -> Vec<Removed> {
        let removed = self.removed.iter().map(|(prefix, counts)| {
            let (removed, lines) = counts.get();
            Removed {
                prefix: *prefix,
                removed,
                lines,
            }
        });
        removed.collect()
    }

    fn filter(
        &mut self,
        filter: impl FnOnce(Box<dyn Read + 'r>) -> Box<dyn Read + 'r>,
    ) -> io::Result<()> {
        let rest = std::mem::replace(&mut self.rest, Box::new(io::empty()));
        self.rest = filter(Box::new(
            io::Cursor::new(std::mem::take(&mut self.head)).chain(rest),
        ));
        self.fill()
    }

    /// Takes back what was read last, which becomes the head.
    pub(crate) fn take_back(&mut self, mut text: Vec<u8>) -> io::Result<()> {
        text.extend_from_slice(&self.head[self.given..]);
        self.returned.read_to_end(&mut text)?;
        let behind = text.split_off(text.len().min(HEAD));
        (self.head, self.given, self.returned) = (text, 0, io::Cursor::new(behind));
        self.fill()
    }

    fn fill(&mut self) -> io::Result<()> {
        let missing = HEAD.saturating_sub(self.head.len());
        (&mut self.rest)
            .take(missing as u64)
            .read_to_end(&mut self.head)
            .map(drop)
    }

    /// The first bytes of the input, whatever has been read since.
    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (self.stop)()?;
        if self.given < self.head.len() {
            let given = (&self.head[self.given..]).read(buffer)?;
            self.given += given;
            return Ok(given);
        }
        match self.returned.read(buffer)? {
            0 => self.rest.read(buffer),
            given => Ok(given),
        }
    }
}
