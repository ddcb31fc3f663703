//! A text that is rewritten while it is read.

use std::io::{self, Read};

/// The number of bytes read at a time.
const CHUNK: usize = 64 * 1024;

/// Reads what `rewrite` makes of an input: `rewrite` drains what it can finish from the buffer, and all of it at the end of the
/// input.
pub(crate) struct Rewritten<R, F> {
    input: R,
    rewrite: F,
    raw: Vec<u8>,
    ready: Vec<u8>,
    given: usize,
    ended: bool,
}

impl<R: Read, F: FnMut(&mut Vec<u8>, bool) -> Vec<u8>> Rewritten<R, F> {
    pub(crate) fn new(input: R, rewrite: F) -> Self {
        Self {
            input,
            rewrite,
            raw: Vec::new(),
            ready: Vec::new(),
            given: 0,
            ended: false,
        }
    }
}

impl<R: Read, F: FnMut(&mut Vec<u8>, bool) -> Vec<u8>> Read for Rewritten<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.ready.len() && !self.ended {
            let read = (&mut self.input)
                .take(CHUNK as u64)
                .read_to_end(&mut self.raw)?;
            self.ended = read == 0;
            self.ready = (self.rewrite)(&mut self.raw, self.ended);
            self.given = 0;
        }
        let given = (&self.ready[self.given..]).read(buffer)?;
        self.given += given;
        Ok(given)
    }
}
