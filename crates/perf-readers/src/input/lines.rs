//! The lines of an input, in chunks of bounded size.

use std::io::{self, ErrorKind, Read};

use memchr::{memchr, memchr_iter, memrchr};

use crate::input::anchors::Anchors;

/// The number of bytes read at a time: what fits into a core's own cache.
const CHUNK: usize = 256 * 1024;

/// The most bytes kept before a chunk: what a tool prints before its results.
const BEFORE: usize = 16 * 1024;

/// Limit for the length of a row. Longer lines are skipped, so that memory stays bounded.
pub(crate) const LONGEST: usize = 1024 * 1024;

/// Totals of a scan.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// All lines.
    pub lines: u64,
    /// Lines longer than [`LONGEST`], by number.
    pub overlong: Vec<u64>,
    /// The last byte of an input whose last line has no end.
    pub unended: Option<u8>,
    /// The bytes that were read but not visited, if the visitor has stopped.
    pub rest: Option<Vec<u8>>,
}

/// Calls `visit` with number (from 1) and text of each line that has an anchor.
pub(crate) fn scan(input: &mut dyn Read, mut visit: impl FnMut(u64, &[u8])) -> io::Result<Seen> {
    let anchors = Anchors::new();
    chunks(input, |chunk, lines| {
        each_line(chunk.text(), lines, |number, line| {
            if anchors.are_in(line) {
                visit(number, line);
            }
        });
        None
    })
}

/// Calls `visit` with number (from 1) and text of every line that is not too long.
pub(crate) fn each(input: &mut dyn Read, mut visit: impl FnMut(u64, &[u8])) -> io::Result<Seen> {
    chunks(input, |chunk, lines| {
        each_line(chunk.text(), lines, &mut visit);
        None
    })
}

/// Calls `visit` with number and text of every line, and adds to the number of lines before them.
pub(crate) fn each_line(text: &[u8], lines: &mut u64, mut visit: impl FnMut(u64, &[u8])) {
    let mut from = 0;
    for end in memchr_iter(b'\n', text).chain((text.last() != Some(&b'\n')).then_some(text.len())) {
        if from < text.len() {
            *lines += 1;
            visit(*lines, &text[from..end]);
        }
        from = end + 1;
    }
}

/// Whole lines, and whole lines that stood before them.
#[derive(Clone, Copy)]
pub(crate) struct Chunk<'b> {
    pub all: &'b [u8],
    /// The beginning of the lines that were not visited before.
    start: usize,
}

impl<'b> Chunk<'b> {
    /// Returns the text that was kept before the chunk.
    pub(crate) fn before(self) -> &'b [u8] {
        &self.all[..self.start]
    }

    pub(crate) fn text(self) -> &'b [u8] {
        &self.all[self.start..]
    }

    /// The text without the last line of the input if that has no line end, and that line.
    pub(crate) fn split_unended(self) -> (&'b [u8], &'b [u8]) {
        let text = self.text();
        text.split_at(memrchr(b'\n', text).map_or(0, |at| at + 1))
    }
}

/// Calls `visit` repeatedly with whole lines and with the count of lines before them, to which it adds its own, until
/// it returns the place in [`Chunk::all`] from which the rest is read otherwise. The result does not depend on the
/// sizes of reads.
pub(crate) fn chunks(
    input: &mut dyn Read,
    mut visit: impl FnMut(Chunk<'_>, &mut u64) -> Option<usize>,
) -> io::Result<Seen> {
    let mut seen = Seen::default();
    let mut buffer = vec![0; BEFORE + CHUNK];
    let (mut start, mut filled) = (0, 0);
    loop {
        filled += fill(input, &mut buffer[filled..])?;
        let has_ended = filled < buffer.len();
        let last = memrchr(b'\n', &buffer[start..filled]).map_or(start, |at| start + at + 1);
        let whole = if has_ended { filled } else { last };
        if let Some(stop) = visit(
            Chunk {
                all: &buffer[..whole],
                start,
            },
            &mut seen.lines,
        ) {
            seen.rest = Some(buffer[stop..filled].to_vec());
            return Ok(seen);
        }
        if has_ended {
            seen.unended = buffer[start..filled]
                .last()
                .copied()
                .filter(|last| *last != b'\n');
            return Ok(seen);
        }
        let kept = if whole > start {
            line_start(&buffer[..whole])
        } else {
            start
        };
        buffer.copy_within(kept..filled, 0);
        (start, filled) = (whole - kept, filled - kept);
        if filled == buffer.len() && filled < LONGEST {
            buffer.resize(filled * 2, 0);
        } else if filled == buffer.len() {
            seen.lines += 1;
            seen.overlong.push(seen.lines);
            (start, filled) = (0, skip_line(input, &mut buffer)?);
        }
    }
}

/// Returns the start of the lines to keep: those within the last [`BEFORE`] bytes.
fn line_start(text: &[u8]) -> usize {
    match text.len().checked_sub(BEFORE) {
        None => 0,
        Some(from) => memchr(b'\n', &text[from..]).map_or(text.len(), |at| from + at + 1),
    }
}

/// Reads until the buffer is full, or the input has ended.
fn fill(input: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Ok(0) => break,
            read => filled += read?,
        }
    }
    Ok(filled)
}

/// Reads up to the next line end; what was read behind it is moved to the front of the buffer.
fn skip_line(input: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        let read = match input.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read?,
        };
        if read == 0 {
            return Ok(0);
        }
        if let Some(end) = memchr(b'\n', &buffer[..read]) {
            buffer.copy_within(end + 1..read, 0);
            return Ok(read - end - 1);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Gives `step` bytes at a time, so that lines fall apart everywhere.
    pub(crate) struct Dribble<'a>(pub &'a [u8], pub usize);

    impl Read for Dribble<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(self.1);
            self.0.read(&mut buffer[..most])
        }
    }

    fn visited(input: &[u8], step: usize) -> (Seen, Vec<(u64, Vec<u8>)>) {
        let mut lines = Vec::new();
        let seen = scan(&mut Dribble(input, step), |at, line| {
            lines.push((at, line.to_vec()));
        })
        .unwrap();
        (seen, lines)
    }

    #[test]
    fn only_lines_with_an_anchor_are_visited() {
        let (seen, lines) = visited(b"a,b\n\na,1,c\nscenario\n1\n,,\n{scenario:2,", 3);
        assert_eq!(
            seen,
            Seen {
                lines: 7,
                overlong: vec![],
                unended: Some(b','),
                rest: None
            }
        );
        let expected: [(u64, &[u8]); 3] = [(3, b"a,1,c"), (4, b"scenario"), (7, b"{scenario:2,")];
        assert_eq!(lines, expected.map(|(at, line)| (at, line.to_vec())));
    }

    #[test]
    fn overlong_line_is_counted_and_skipped() {
        let mut input = b"a1,b\n".to_vec();
        input.extend(std::iter::repeat_n(b',', LONGEST + CHUNK));
        input.extend(b"\nc2,d\n");
        let (seen, lines) = visited(&input, usize::MAX);
        assert_eq!(
            seen,
            Seen {
                lines: 3,
                overlong: vec![2],
                unended: None,
                rest: None
            }
        );
        assert_eq!(lines, [(1, b"a1,b".to_vec()), (3, b"c2,d".to_vec())]);
        input.truncate(LONGEST + CHUNK);
        assert_eq!(
            visited(&input, usize::MAX).0,
            Seen {
                lines: 2,
                overlong: vec![2],
                unended: None,
                rest: None
            }
        );
    }

    proptest! {
        #[test]
        fn lines_do_not_depend_on_read_sizes(text in "([ab1,\"\n]|scenario|Scenario|SCENARIO){0,200}", step in 1usize..20) {
            let has_anchor = |line: &str| {
                line.contains("1,") || line.contains("1\",") || line.to_lowercase().contains("scenario")
            };
            let lines = (1..).zip(text.lines());
            let expected: Vec<(u64, Vec<u8>)> = lines
                .filter(|(_, line)| has_anchor(line))
                .map(|(at, line)| (at, line.as_bytes().to_vec()))
                .collect();
            let (seen, visited) = visited(text.as_bytes(), step);
            prop_assert_eq!(seen.lines, text.lines().count() as u64);
            prop_assert_eq!(visited, expected);
        }
    }
}
