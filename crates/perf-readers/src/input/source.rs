//! An input with its head in view.

use std::io::{self, Read};

use crate::input::log_timestamps::{self, WithoutTimestamps};
use crate::input::mangled::{self, Restored};

/// How much of an input decides which format it is.
///
/// Builds print a good deal before the first benchmark does.
pub(crate) const HEAD: usize = 128 * 1024;

/// An input whose beginning can be inspected before it is read. Timestamps that a build server added to its lines are
/// removed, and what a console has mangled is restored.
pub(crate) struct Source<'r> {
    head: Vec<u8>,
    given: usize,
    rest: Box<dyn Read + 'r>,
    /// Whether reading on is in vain.
    stop: Box<dyn Fn() -> io::Result<()> + 'r>,
}

impl<'r> Source<'r> {
    /// Opens an input, whose reading ends with the error of `stop`.
    pub(crate) fn open(input: &'r mut dyn Read, stop: impl Fn() -> io::Result<()> + 'r) -> io::Result<Self> {
        let (rest, stop) = (Box::new(input), Box::new(stop));
        let mut source = Self { head: Vec::with_capacity(HEAD), given: 0, rest, stop };
        source.fill()?;
        if log_timestamps::are_on(&source.head) {
            let stamped = io::Cursor::new(std::mem::take(&mut source.head)).chain(source.rest);
            source.rest = Box::new(WithoutTimestamps::new(Box::new(stamped)));
            source.fill()?;
        }
        if let Some(page) = mangled::page(&source.head) {
            let mangled = io::Cursor::new(std::mem::take(&mut source.head)).chain(source.rest);
            source.rest = Box::new(Restored::new(page, mangled));
            source.fill()?;
        }
        Ok(source)
    }

    fn fill(&mut self) -> io::Result<()> {
        (&mut self.rest).take(HEAD as u64).read_to_end(&mut self.head).map(drop)
    }

    /// The first bytes of the input, whatever has been read since.
    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (self.stop)()?;
        if self.given == self.head.len() {
            return self.rest.read(buffer);
        }
        let given = (&self.head[self.given..]).read(buffer)?;
        self.given += given;
        Ok(given)
    }
}
