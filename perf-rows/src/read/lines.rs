//! Lines that could hold a row, found among gigabytes that cannot.
//!
//! Every row has commas; almost no other line of a log has as many. One pass over the bytes looks for commas
//! and line ends together, and only lines with enough commas are looked at closer.

use std::io::{self, ErrorKind, Read};

use memchr::{memchr, memchr2_iter, memrchr};

/// How much is read at a time: what fits into a core's own cache.
const CHUNK: usize = 256 * 1024;

/// No row is longer. Longer lines are passed over, so that memory stays bounded whatever the input.
pub(super) const LONGEST: usize = 1024 * 1024;

/// What was seen besides the lines that were visited.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// Lines in all.
    pub lines: u64,
    /// Lines longer than [`LONGEST`], by number.
    pub overlong: Vec<u64>,
}

/// Calls `visit` with number (from 1) and text of each line that has at least `commas` commas.
pub(super) fn scan(
    input: &mut dyn Read,
    commas: usize,
    mut visit: impl FnMut(u64, &[u8]),
) -> io::Result<Seen> {
    let mut seen = Seen::default();
    let mut buffer = vec![0; CHUNK];
    let mut filled = 0;
    loop {
        let read = match input.read(&mut buffer[filled..]) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read?,
        };
        filled += read;
        let whole = if read == 0 { filled } else { memrchr(b'\n', &buffer[..filled]).map_or(0, |at| at + 1) };
        visit_lines(&buffer[..whole], commas, &mut seen.lines, &mut visit);
        if read == 0 {
            return Ok(seen);
        }
        buffer.copy_within(whole..filled, 0);
        filled -= whole;
        if filled == buffer.len() && filled < LONGEST {
            buffer.resize(filled * 2, 0);
        } else if filled == buffer.len() {
            seen.lines += 1;
            seen.overlong.push(seen.lines);
            filled = skip_line(input, &mut buffer)?;
        }
    }
}

fn visit_lines(lines: &[u8], commas: usize, count: &mut u64, visit: &mut impl FnMut(u64, &[u8])) {
    let mut start = 0;
    let mut found = 0;
    for at in memchr2_iter(b'\n', b',', lines) {
        if lines[at] == b',' {
            found += 1;
            continue;
        }
        *count += 1;
        if found >= commas {
            visit(*count, &lines[start..at]);
        }
        start = at + 1;
        found = 0;
    }
    if start < lines.len() {
        *count += 1;
        if found >= commas {
            visit(*count, &lines[start..]);
        }
    }
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Gives `step` bytes at a time, so that lines fall apart everywhere.
    struct Dribble<'a>(&'a [u8], usize);

    impl Read for Dribble<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(self.1);
            self.0.read(&mut buffer[..most])
        }
    }

    fn visited(input: &[u8], step: usize, commas: usize) -> (Seen, Vec<(u64, Vec<u8>)>) {
        let mut lines = Vec::new();
        let seen =
            scan(&mut Dribble(input, step), commas, |at, line| lines.push((at, line.to_vec()))).unwrap();
        (seen, lines)
    }

    #[test]
    fn only_lines_with_enough_commas_are_visited() {
        let (seen, lines) = visited(b"a,b\n\na,b,c\nd\n,,", 3, 2);
        assert_eq!(seen, Seen { lines: 5, overlong: vec![] });
        assert_eq!(lines, [(3, b"a,b,c".to_vec()), (5, b",,".to_vec())]);
    }

    #[test]
    fn an_overlong_line_is_counted_and_passed_over() {
        let mut input = b"a,b\n".to_vec();
        input.extend(std::iter::repeat_n(b',', LONGEST + CHUNK));
        input.extend(b"\nc,d\n");
        let (seen, lines) = visited(&input, usize::MAX, 1);
        assert_eq!(seen, Seen { lines: 3, overlong: vec![2] });
        assert_eq!(lines, [(1, b"a,b".to_vec()), (3, b"c,d".to_vec())]);
        input.truncate(LONGEST + CHUNK);
        assert_eq!(visited(&input, usize::MAX, 1).0, Seen { lines: 2, overlong: vec![2] });
    }

    proptest! {
        #[test]
        fn lines_are_those_of_the_whole_text(text in "[a,\n]{0,200}", step in 1usize..20) {
            let expected: Vec<(u64, Vec<u8>)> =
                (1..).zip(text.lines()).map(|(at, line)| (at, line.as_bytes().to_vec())).collect();
            let (seen, lines) = visited(text.as_bytes(), step, 0);
            prop_assert_eq!(seen.lines, expected.len() as u64);
            prop_assert_eq!(lines, expected);
        }
    }
}
