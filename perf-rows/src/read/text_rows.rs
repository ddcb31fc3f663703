//! Rows in a line of text, whatever stands before them: delimited ones and structured ones.

use std::borrow::Cow;

use memchr::memmem::Finder;

use super::delimited::Delimited;
use super::lines::LONGEST;
use super::sink::Sink;
use super::structured;
use crate::row::Name;

/// Finds the rows of an input's lines; it remembers the header lines that it has seen.
pub(super) struct TextRows {
    delimited: Delimited,
    scenario: Finder<'static>,
}

impl TextRows {
    pub(super) fn new(layouts: &[Vec<Name>]) -> Self {
        Self { delimited: Delimited::new(layouts), scenario: Finder::new("scenario") }
    }

    pub(super) fn line(&mut self, number: u64, line: &[u8], sink: &mut Sink<'_>) {
        let line = without_escapes(line);
        let line = line.trim_ascii();
        if self.scenario.find(line).is_some() && structured::read(number, line, sink) {
            return;
        }
        self.delimited.read(number, line, sink);
    }
}

/// Accounts for the lines of an input that were too long to hold a row.
pub(super) fn skip_overlong(overlong: &[u64], sink: &mut Sink<'_>) {
    for line in overlong {
        sink.skip(*line, b"", || format!("the line is longer than {LONGEST} bytes"));
    }
}

/// The line without the escape sequences that colour a terminal.
fn without_escapes(line: &[u8]) -> Cow<'_, [u8]> {
    const ESCAPE: u8 = 0x1b;
    if memchr::memchr(ESCAPE, line).is_none() {
        return Cow::Borrowed(line);
    }
    let mut plain = Vec::with_capacity(line.len());
    let mut rest = line.iter().copied();
    while let Some(byte) = rest.next() {
        if byte != ESCAPE {
            plain.push(byte);
        } else if rest.next() == Some(b'[') {
            // A control sequence ends with its first byte in this range.
            rest.by_ref().find(|byte| (0x40..=0x7e).contains(byte));
        }
    }
    Cow::Owned(plain)
}
