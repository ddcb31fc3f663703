//! Truncates text to a maximum length.

use std::borrow::Cow;

/// A maximum text length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// In Unicode code points, as GitHub's API counts characters.
    Chars(usize),
    /// In bytes of UTF-8.
    Bytes(usize),
}

impl Limit {
    /// The maximum number of characters or bytes.
    pub fn most(self) -> usize {
        match self {
            Self::Chars(most) | Self::Bytes(most) => most,
        }
    }

    /// True if `text` is within the limit.
    pub fn holds(self, text: &str) -> bool {
        self.size(text) <= self.most()
    }

    fn size(self, text: &str) -> usize {
        match self {
            Self::Chars(_) => text.chars().count(),
            Self::Bytes(_) => text.len(),
        }
    }

    /// Returns the byte offset in `text` after `room` characters or bytes.
    fn end(self, text: &str, room: usize) -> usize {
        match self {
            Self::Chars(_) => text
                .char_indices()
                .nth(room)
                .map_or(text.len(), |(at, _)| at),
            Self::Bytes(_) => text.floor_char_boundary(room),
        }
    }
}

/// Shortens `text` to the limit if it is too long: the result is `notice`, followed by as many lines of `text` as fit. It is
/// empty if not even the notice fits.
///
/// The notice comes first, because shortened text may leave a code block or `<details>` open, which would hide a notice at
/// the end.
pub fn cut<'t>(text: &'t str, limit: Limit, notice: &str) -> Cow<'t, str> {
    if limit.holds(text) {
        return Cow::Borrowed(text);
    }
    let notice = format!("{notice}\n\n");
    let Some(room) = limit.most().checked_sub(limit.size(&notice)) else {
        return Cow::Borrowed("");
    };
    let start = &text[..limit.end(text, room)];
    let (lines, _) = start.rsplit_once('\n').unwrap_or((start, ""));
    Cow::Owned(notice + lines.trim_end())
}
