//! Finds lines that could hold a row among gigabytes that cannot.
//!
//! A delimited row has its key columns, and so at least three commas, and a run index, which is a digit before a
//! comma, or before a quote and a comma; a structured one has the word `scenario`, and so has a header. These are
//! *anchors*: vector instructions look for commas and for the word through megabytes at a time, and only lines that
//! have enough of them are looked at closer.

use aho_corasick::packed::Searcher;
use memchr::memmem::Finder;
use memchr::{memchr, memchr_iter, memrchr};

use crate::input::blocks::{self, ends};

/// The fewest commas in a delimited row: those between its key columns.
pub(crate) const FEWEST_COMMAS: u32 = 3;

/// The word, with any first letter.
pub(crate) const WORDS: [&str; 2] = ["cenario", "CENARIO"];

/// A line that may hold a row.
pub(crate) struct Candidate<'t> {
    pub line: &'t [u8],
    /// True if the line has as many commas as a row.
    pub is_list: bool,
    /// The end of the first `scenario` in the line.
    pub word_end: Option<usize>,
}

/// Finds lines that may hold a row.
pub(crate) struct Anchors {
    words: [Finder<'static>; 2],
    /// A number and a comma; `None` on a processor without the instructions for it.
    numbers: Option<Searcher>,
}

/// The number of bytes that are sampled to learn how close together the numbers before commas are.
const SAMPLE: usize = 16 * 1024;
/// The average distance in bytes up to which masks find commas sooner than a search for numbers does.
const CLOSE: usize = 256;

impl Anchors {
    pub(crate) fn new() -> Self {
        let ends: [&[u8]; 2] = [b",", b"\","];
        let ends = ends
            .into_iter()
            .flat_map(|end| (b'0'..=b'9').map(move |digit| [&[digit], end].concat()));
        Self {
            words: WORDS.map(Finder::new),
            numbers: Searcher::new(ends),
        }
    }

    /// True if the text has an anchor: a number before a comma, or the word.
    pub(crate) fn are_in(&self, text: &[u8]) -> bool {
        has_number(text) || self.is_named(text)
    }

    /// Returns the end of the first `scenario` in a text.
    pub(crate) fn word_end(&self, text: &[u8]) -> Option<usize> {
        let ends = self
            .words
            .iter()
            .zip(WORDS)
            .filter_map(|(word, name)| Some(word.find(text)? + name.len()));
        ends.min()
    }

    /// True if a text contains the word `scenario`.
    pub(crate) fn is_named(&self, text: &[u8]) -> bool {
        self.words.iter().any(|word| word.find(text).is_some())
    }

    /// Visits the lines of a text that have enough commas, or the word if it is searched for at all; the last line may
    /// have no end. `visit` also gets what finds out the number of the line.
    pub(crate) fn visit(
        &self,
        text: &[u8],
        has_word: bool,
        lines: &mut u64,
        mut visit: impl FnMut(&Candidate<'_>, &mut dyn FnMut() -> u64),
    ) {
        let sample = &text[..text.len().min(SAMPLE)];
        let are_far =
            |numbers: &&Searcher| numbers.find_iter(sample).count() * CLOSE <= sample.len();
        if let Some(numbers) = self.numbers.as_ref().filter(are_far) {
            return self.visit_sparse(numbers, text, has_word, lines, visit);
        }
        let mut words = NextWord::new(self, text, has_word);
        // Line ends before `counted` are counted.
        let mut counted = 0;
        lines_with_commas(text, |start, end, is_list| {
            let word_end = words.before(end).map(|at| at - start);
            if is_list || word_end.is_some() {
                visit(
                    &Candidate {
                        line: &text[start..end],
                        is_list,
                        word_end,
                    },
                    &mut || {
                        *lines += ends(&text[counted..start]);
                        counted = start;
                        *lines + 1
                    },
                );
            }
            words.next_or_end()
        });
        *lines +=
            ends(&text[counted..]) + u64::from(text.last().is_some_and(|last| *last != b'\n'));
    }

    /// As [`Self::visit`], for a text with few commas, but for lines without a number before one.
    fn visit_sparse(
        &self,
        numbers: &Searcher,
        text: &[u8],
        has_word: bool,
        lines: &mut u64,
        mut visit: impl FnMut(&Candidate<'_>, &mut dyn FnMut() -> u64),
    ) {
        let mut words = NextWord::new(self, text, has_word);
        // Line ends before `counted` are counted; what is before `from` was looked at.
        let (mut counted, mut from) = (0, 0);
        while from < text.len() {
            let word = words.next_or_end();
            let number = numbers
                .find(&text[from..word])
                .map(|found| from + found.start());
            let anchor = number.unwrap_or(word);
            if anchor == text.len() && words.next == [None; 2] {
                break;
            }
            let start = memrchr(b'\n', &text[from..anchor]).map_or(from, |at| from + at + 1);
            let end = memchr(b'\n', &text[anchor..]).map_or(text.len(), |at| anchor + at);
            let line = &text[start..end];
            let is_list = memchr_iter(b',', line)
                .nth(FEWEST_COMMAS as usize - 1)
                .is_some();
            let word_end = words.before(end).map(|at| at - start);
            if is_list || word_end.is_some() {
                visit(
                    &Candidate {
                        line,
                        is_list,
                        word_end,
                    },
                    &mut || {
                        *lines += ends(&text[counted..start]);
                        counted = start;
                        *lines + 1
                    },
                );
            }
            from = end + 1;
        }
        *lines +=
            ends(&text[counted..]) + u64::from(text.last().is_some_and(|last| *last != b'\n'));
    }
}

/// Finds the ends of the word in a text, one after the other.
struct NextWord<'t> {
    anchors: &'t Anchors,
    text: &'t [u8],
    /// The end of each spelling; `None` when it does not come again.
    next: [Option<usize>; 2],
}

impl<'t> NextWord<'t> {
    fn new(anchors: &'t Anchors, text: &'t [u8], has_word: bool) -> Self {
        let mut words = Self {
            anchors,
            text,
            next: [None; 2],
        };
        if has_word {
            words.next = [words.find(0, 0), words.find(1, 0)];
        }
        words
    }

    fn find(&self, word: usize, from: usize) -> Option<usize> {
        let start = self.anchors.words[word].find(&self.text[from..])?;
        Some(from + start + WORDS[word].len())
    }

    /// The next end up to this place, which is where a line ends; searches on behind it.
    fn before(&mut self, end: usize) -> Option<usize> {
        let found = self
            .next
            .into_iter()
            .flatten()
            .filter(|at| *at <= end)
            .min()?;
        for word in 0..WORDS.len() {
            if self.next[word].is_some_and(|at| at <= end) {
                self.next[word] = self.find(word, end);
            }
        }
        Some(found)
    }

    /// Returns the end of the word that comes next, or the end of the text.
    fn next_or_end(&self) -> usize {
        self.next
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(self.text.len())
    }
}

/// Calls `visit` with start and end of the lines with enough commas, and of the line of each place that it returns. The
/// first place is that of the first line.
fn lines_with_commas(text: &[u8], mut visit: impl FnMut(usize, usize, bool) -> usize) {
    let (mut start, mut commas, mut wanted) = (0, 0, 0);
    blocks::each(text, |at, block| {
        let [mut line_ends, mut all] = blocks::places(block, *b"\n,");
        if all == 0 && commas < FEWEST_COMMAS && wanted >= at + blocks::BLOCK {
            // No line that ends here is wanted.
            if line_ends != 0 {
                start = at + blocks::BLOCK - line_ends.leading_zeros() as usize;
                commas = 0;
            }
            return;
        }
        while line_ends != 0 {
            let place = line_ends.trailing_zeros();
            let end = at + place as usize;
            let before = all & ((1 << place) - 1);
            if commas < FEWEST_COMMAS {
                commas += few(before);
            }
            if commas >= FEWEST_COMMAS || wanted <= end {
                wanted = visit(start, end, commas >= FEWEST_COMMAS);
            }
            (start, commas) = (end + 1, 0);
            all ^= before;
            line_ends &= line_ends - 1;
        }
        if commas < FEWEST_COMMAS {
            commas += few(all);
        }
    });
    if start < text.len() && (commas >= FEWEST_COMMAS || wanted <= text.len()) {
        visit(start, text.len(), commas >= FEWEST_COMMAS);
    }
}

/// Counts the bits of a mask, up to [`FEWEST_COMMAS`]: few instructions on any processor.
const fn few(mut bits: u64) -> u32 {
    let mut count = 0;
    while bits != 0 && count < FEWEST_COMMAS {
        bits &= bits - 1;
        count += 1;
    }
    count
}

/// True if a number stands before a comma.
pub(crate) fn has_number(text: &[u8]) -> bool {
    memchr_iter(b',', text).any(|comma| {
        let before = text[..comma].strip_suffix(b"\"").unwrap_or(&text[..comma]);
        before.last().is_some_and(u8::is_ascii_digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn candidates_have_the_word_or_enough_commas(text in "([ab1,\n]|[a,]{50}|scenario|SCENARIO){0,60}", has_word: bool) {
            let mut candidates = Vec::new();
            let mut lines = 0;
            Anchors::new().visit(text.as_bytes(), has_word, &mut lines, |candidate, number| {
                let Candidate { line, is_list, word_end } = *candidate;
                candidates.push((number(), line.to_vec(), is_list, word_end));
            });
            prop_assert_eq!(lines, text.lines().count() as u64);
            let expected = (1..).zip(text.lines()).map(|(number, line)| {
                let word = WORDS.iter().filter_map(|word| Some(line.find(word)? + word.len())).min();
                let is_list = line.matches(',').count() >= FEWEST_COMMAS as usize;
                (number, line.as_bytes().to_vec(), is_list, word.filter(|_| has_word))
            });
            let expected: Vec<_> = expected.filter(|(_, _, is_list, word)| *is_list || word.is_some()).collect();
            // Lines without a number may be left out.
            let is_needed = |(_, line, _, word): &(u64, Vec<u8>, bool, Option<usize>)| {
                word.is_some() || has_number(line)
            };
            let needed = |all: Vec<_>| all.into_iter().filter(is_needed).collect::<Vec<_>>();
            prop_assert_eq!(needed(candidates), needed(expected));
        }
    }
}
