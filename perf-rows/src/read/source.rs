//! An input with its head in view.

use std::io::{self, Read};

/// How much of an input decides which format it is.
///
/// Builds print a good deal before the first benchmark does.
const HEAD: usize = 128 * 1024;

/// An input whose beginning can be looked at before it is read.
pub(crate) struct Source<'r> {
    head: Vec<u8>,
    given: usize,
    rest: &'r mut dyn Read,
}

impl<'r> Source<'r> {
    pub(super) fn open(rest: &'r mut dyn Read) -> io::Result<Self> {
        let mut head = Vec::with_capacity(HEAD);
        (&mut *rest).take(HEAD as u64).read_to_end(&mut head)?;
        Ok(Self { head, given: 0, rest })
    }

    /// The first bytes of the input, whatever has been read since.
    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.head.len() {
            return self.rest.read(buffer);
        }
        let given = (&self.head[self.given..]).read(buffer)?;
        self.given += given;
        Ok(given)
    }
}
