//! A file's text, and positions in it.

use std::ops::Range;
use std::rc::Rc;

use serde::Serialize;

/// A parse error, and the byte where parsing stopped.
#[derive(Debug)]
pub struct ParseError {
    pub offset: usize,
    pub message: String,
}

/// A line and a column in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TextPosition {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
}

/// A text file. Its path starts at the project root and uses `/`.
///
/// `text` does not contain the file's byte order mark. [`crate::finding::apply`] keeps the mark in the file.
#[derive(Debug)]
pub struct SourceFile {
    pub path: String,
    /// The content, without a byte order mark.
    pub text: String,
}

impl SourceFile {
    /// Creates a file from its path and its content, which may begin with a byte order mark.
    pub fn new(path: impl Into<String>, text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        Self {
            path: path.into(),
            text,
        }
    }

    /// The position of a byte. An offset past the end gives the position of the end.
    pub fn position(&self, offset: usize) -> TextPosition {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        TextPosition {
            // Much faster than `matches`, which matters if a large file has a finding on every line.
            line: memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }

    /// A span's text. Empty if the span is outside the file.
    pub fn slice(&self, span: &Range<usize>) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }
}

#[derive(Debug, Clone)]
pub struct SourceSpan {
    pub source: Rc<SourceFile>,
    /// The range of bytes in the source's text.
    pub span: Range<usize>,
}

impl SourceSpan {
    pub fn new(source: &Rc<SourceFile>, span: Range<usize>) -> Self {
        Self {
            source: Rc::clone(source),
            span,
        }
    }

    /// The start of a file, which is the position of findings about something that is missing.
    pub fn start(source: &Rc<SourceFile>) -> Self {
        Self::new(source, 0..0)
    }

    pub fn text(&self) -> &str {
        self.source.slice(&self.span)
    }

    /// The position of the span's start.
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
