//! The text of a file, and positions in it.

use std::ops::Range;
use std::rc::Rc;

use serde::Serialize;

/// A file that could not be read or parsed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Broken {
    /// The file, from the project root.
    pub file: String,
    /// The position at which parsing stopped.
    #[serde(flatten)]
    pub position: Option<TextPosition>,
    /// The mistake.
    pub message: String,
}

#[cfg(test)]
impl Broken {
    pub(crate) fn column(&self) -> usize {
        self.position.map_or(0, |position| position.column)
    }
}

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
    /// The number of characters before each block of bytes: counting from the start of a long line for every
    /// finding would take quadratic time.
    block_starts: Vec<usize>,
}

/// The bytes of a block.
const BLOCK: usize = 256;

impl SourceFile {
    /// A file as read, with or without a byte order mark.
    pub fn new(path: impl Into<String>, text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let mut block_starts = vec![0];
        let mut characters = 0;
        for block in text.as_bytes().chunks(BLOCK) {
            characters += count_characters(block);
            block_starts.push(characters);
        }
        Self {
            path: path.into(),
            line_starts: std::iter::once(0).chain(breaks).collect(),
            block_starts,
            text,
        }
    }

    /// The position of a byte; past the end is the end.
    pub fn position(&self, offset: usize) -> TextPosition {
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let start = self.characters_before(self.line_starts[line - 1]);
        let column = self.characters_before(offset.min(self.text.len())) - start + 1;
        TextPosition { line, column }
    }

    fn characters_before(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        let rest = &self.text.as_bytes()[block * BLOCK..offset];
        self.block_starts[block] + count_characters(rest)
    }

    /// This file, with the mistake at a byte where parsing stopped.
    pub fn broken(&self, offset: usize, message: impl Into<String>) -> Broken {
        Broken {
            file: self.path.clone(),
            position: Some(self.position(offset)),
            message: message.into(),
        }
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
}

/// The characters that start in these bytes; continuation bytes (`0b10xx_xxxx`) start none.
fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[derive(Debug, Clone)]
pub struct SourceSpan {
    pub source: Rc<SourceFile>,
    /// The bytes.
    pub span: Range<usize>,
}

impl SourceSpan {
    pub fn new(source: &Rc<SourceFile>, span: Range<usize>) -> Self {
        let source = Rc::clone(source);
        Self { source, span }
    }

    /// The start of a file, the position of something missing.
    pub fn start(source: &Rc<SourceFile>) -> Self {
        Self::new(source, 0..0)
    }

    pub fn text(&self) -> &str {
        self.source.slice(&self.span)
    }

    /// The position of its start.
    pub fn position(&self) -> TextPosition {
        self.source.position(self.span.start)
    }
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
