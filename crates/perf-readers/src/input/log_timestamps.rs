//! Timestamps that a build server adds to each line, as in GitHub's logs: `2031-03-04T09:14:10.1234567Z `. The `gh`
//! command line adds the job and the step before that, each with a tab.
//!
//! They are not output of the benchmark, and differ from run to run.

use std::io::{self, ErrorKind, Read};

use memchr::{memchr, memchr_iter};

/// How many lines are looked at.
const LOOKED_AT: usize = 20;

/// Limit for a timestamp with job and step.
const LONGEST: usize = 512;

/// How much is read at a time.
const CHUNK: usize = 64 * 1024;

/// Whether the first lines of a text all begin with a timestamp.
pub(crate) fn are_on(head: &[u8]) -> bool {
    let whole = memchr::memrchr(b'\n', head).map_or(head, |end| &head[..end]);
    let mut lines =
        whole.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).take(LOOKED_AT).peekable();
    lines.peek().is_some() && lines.all(|line| length(line) > 0)
}

/// Length of the timestamp at the beginning of a line; 0 without one.
fn length(line: &[u8]) -> usize {
    let line = &line[..line.len().min(LONGEST)];
    let tabs: Vec<usize> = memchr_iter(b'\t', line).take(2).collect();
    let start = match tabs[..] {
        [_, second] if time(&line[second + 1..]) > 0 => second + 1,
        _ => 0,
    };
    match time(&line[start..]) {
        0 => 0,
        time => start + time,
    }
}

/// Length of the time at the beginning of a text, its space included; 0 without one.
fn time(text: &[u8]) -> usize {
    const SHAPE: &[u8] = b"0000-00-00T00:00:00";
    let fits = |(byte, shape): (&u8, &u8)| if *shape == b'0' { byte.is_ascii_digit() } else { byte == shape };
    if text.len() < SHAPE.len() || !text.iter().zip(SHAPE).all(fits) {
        return 0;
    }
    let rest = &text[SHAPE.len()..];
    let digits = rest.iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
    let fraction = if rest.first() == Some(&b'.') { 1 + digits } else { 0 };
    match rest[fraction..] {
        [b'Z', b' ', ..] => SHAPE.len() + fraction + 2,
        // A line of nothing else.
        [b'Z'] | [b'Z', b'\r', ..] => SHAPE.len() + fraction + 1,
        _ => 0,
    }
}

/// A text without its timestamps.
pub(crate) struct WithoutTimestamps<'r> {
    input: Box<dyn Read + 'r>,
    raw: Vec<u8>,
    ready: Vec<u8>,
    given: usize,
    /// Whether the next bytes continue a line whose timestamp was removed.
    in_line: bool,
    ended: bool,
}

impl<'r> WithoutTimestamps<'r> {
    pub(crate) fn new(input: Box<dyn Read + 'r>) -> Self {
        Self { input, raw: Vec::new(), ready: Vec::new(), given: 0, in_line: false, ended: false }
    }

    fn read_on(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.given = 0;
        while self.ready.is_empty() && !self.ended {
            let filled = self.raw.len();
            self.raw.resize(filled + CHUNK, 0);
            let read = match self.input.read(&mut self.raw[filled..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => 0,
                Err(error) => return Err(error),
                Ok(0) => {
                    self.ended = true;
                    0
                }
                Ok(read) => read,
            };
            self.raw.truncate(filled + read);
            self.remove_timestamps();
        }
        Ok(())
    }

    fn remove_timestamps(&mut self) {
        let mut from = 0;
        while from < self.raw.len() {
            let rest = &self.raw[from..];
            let end = memchr(b'\n', rest).map(|at| at + 1);
            let is_whole = end.is_some() || self.ended || rest.len() >= LONGEST;
            if !self.in_line && !is_whole {
                break;
            }
            let line = &rest[..end.unwrap_or(rest.len())];
            let prefix = if self.in_line { 0 } else { length(line.strip_suffix(b"\n").unwrap_or(line)) };
            self.ready.extend_from_slice(&line[prefix..]);
            self.in_line = end.is_none();
            from += line.len();
        }
        self.raw.drain(..from);
    }
}

impl Read for WithoutTimestamps<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.ready.len() {
            self.read_on()?;
        }
        let given = (&self.ready[self.given..]).read(buffer)?;
        self.given += given;
        Ok(given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::lines::tests::Dribble;
    use proptest::prelude::*;

    fn without(text: &str, step: usize) -> String {
        let mut plain = String::new();
        WithoutTimestamps::new(Box::new(Dribble(text.as_bytes(), step))).read_to_string(&mut plain).unwrap();
        plain
    }

    #[test]
    fn timestamp_is_removed_from_every_line() {
        let stamp = "2031-03-04T09:14:10.1234567Z ";
        let text = format!(
            "{stamp}one\r\n{stamp}  two {stamp}\n2031-03-04T09:14:10Z\nplain\nbench\tRun it\t{stamp}{{"
        );
        assert_eq!(without(&text, 1000), format!("one\r\n  two {stamp}\n\nplain\n{{"));
        assert!(are_on(format!("{stamp}a\n{stamp}b\nrest of the he").as_bytes()));
        assert!(!are_on(format!("{stamp}a\nb\n").as_bytes()));
        assert!(!are_on(b"\n\n") && !are_on(b"2031-03-04,5\n"));
    }

    proptest! {
        #[test]
        fn result_does_not_depend_on_read_sizes(lines in prop::collection::vec("(2031-03-04T09:14:10(\\.[0-9]{1,7})?Z ?)?[a-z\t ]{0,8}", 0..6), step in 1..50_usize) {
            let text = lines.join("\n");
            prop_assert_eq!(without(&text, step), without(&text, usize::MAX));
        }
    }
}
