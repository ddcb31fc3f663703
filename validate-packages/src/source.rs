//! The text of a file, and positions in it.

use std::ops::Range;
use std::rc::Rc;

use serde::Serialize;

/// Line and column from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TextPosition {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// A text file with its path from the project root, with `/`.
///
/// `text` has no byte order mark; [`crate::fix::apply`] keeps the file's own.
#[derive(Debug)]
pub struct SourceFile {
    pub path: String,
    /// The content.
    pub text: String,
    line_starts: Vec<usize>,
    /// The number of characters before every [`STEP`]th byte: a column in a file of one long line would
    /// otherwise be counted from its start.
    counted: Vec<usize>,
}

const STEP: usize = 1024;

impl SourceFile {
    /// A file as read, with or without a byte order mark.
    pub fn new(path: impl Into<String>, text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let line_starts = std::iter::once(0).chain(breaks).collect();
        let mut counted = vec![0];
        for chunk in text.as_bytes().chunks(STEP) {
            counted.push(counted.last().copied().unwrap_or(0) + characters(chunk));
        }
        Self {
            path: path.into(),
            text,
            line_starts,
            counted,
        }
    }

    /// The position of a byte; past the end is the end.
    pub fn position(&self, offset: usize) -> TextPosition {
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let start = self
            .line_starts
            .get(line.saturating_sub(1))
            .copied()
            .unwrap_or(0);
        TextPosition {
            line,
            column: self.characters_before(offset) - self.characters_before(start) + 1,
        }
    }

    fn characters_before(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        let step = offset / STEP;
        let rest = self
            .text
            .as_bytes()
            .get(step * STEP..offset)
            .unwrap_or_default();
        self.counted.get(step).copied().unwrap_or(0) + characters(rest)
    }

    /// The whitespace before a byte, for formatting an insertion like its neighbour.
    pub fn blanks_before(&self, offset: usize) -> &str {
        let before = self.text.get(..offset).unwrap_or_default();
        &before[before.trim_end_matches([' ', '\t', '\r', '\n']).len()..]
    }

    /// The text of a span, empty for a span outside the file.
    pub fn slice(&self, span: &Range<usize>) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    /// Each line with its offset, as `split_inclusive` has it.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let starts = self.line_starts.iter().copied();
        starts.zip(self.text.split_inclusive('\n'))
    }
}

#[derive(Debug, Clone)]
pub struct SourceSpan {
    pub source: Rc<SourceFile>,
    /// The bytes.
    pub span: Range<usize>,
}

impl SourceSpan {
    pub fn new(source: &Rc<SourceFile>, span: Range<usize>) -> Self {
        Self {
            source: Rc::clone(source),
            span,
        }
    }

    /// The start of a file, the position of what is missing.
    pub fn start(source: &Rc<SourceFile>) -> Self {
        Self::new(source, 0..0)
    }

    /// A part of it, in bytes from its start.
    pub fn part(&self, part: Range<usize>) -> Self {
        Self::new(
            &self.source,
            self.span.start + part.start..self.span.start + part.end,
        )
    }

    pub fn text(&self) -> &str {
        self.source.slice(&self.span)
    }

    /// The position of its start.
    pub fn position(&self) -> TextPosition {
        self.source.position(self.span.start)
    }
}

/// The number of characters that start in some bytes: all but continuation bytes (0b10xx_xxxx).
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn positions_equal_counting(parts in prop::collection::vec("[aé😀\r\n]{0,9}", 0..400), at: prop::sample::Index) {
            let text = parts.concat();
            let source = SourceFile::new("a", &text);
            let chars: Vec<(usize, char)> = text.char_indices().collect();
            prop_assume!(!chars.is_empty());
            let (offset, _) = chars[at.index(chars.len())];
            let before = &text[..offset];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
            prop_assert_eq!(source.position(offset), TextPosition { line, column });
        }
    }

    #[test]
    fn columns_count_characters_without_the_byte_order_mark() {
        let source = SourceFile::new("a.json", "\u{feff}{\r\n  \"é\": 1\r\n}");
        let at = |offset| {
            let TextPosition { line, column } = source.position(offset);
            (line, column)
        };
        let one = source.text.find('1').unwrap();
        assert_eq!(
            [at(0), at(3), at(one), at(one + 1), at(9999)],
            [(1, 1), (2, 1), (2, 8), (2, 9), (3, 2)]
        );
    }
}
