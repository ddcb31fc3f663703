//! Truncates a text to a maximum length.

use std::borrow::Cow;

/// The maximum length of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// In Unicode code points, as GitHub's API counts characters.
    Chars(usize),
    /// In bytes of UTF-8.
    Bytes(usize),
}

impl Limit {
    /// The maximum itself.
    pub fn most(self) -> usize {
        match self {
            Self::Chars(most) | Self::Bytes(most) => most,
        }
    }

    /// True if `text` fits the limit.
    pub fn holds(self, text: &str) -> bool {
        self.size(text) <= self.most()
    }

    fn size(self, text: &str) -> usize {
        match self {
            Self::Chars(_) => text.chars().count(),
            Self::Bytes(_) => text.len(),
        }
    }

    /// The byte offset in `text` after `room` characters or bytes.
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

/// Lines longer than this are worth showing without their end.
const PARAGRAPH: usize = 1000;

/// `text` within `limit`: unchanged if it fits, otherwise `notice`, as many lines as fit below it, and the beginning of
/// a long paragraph after these. Empty if the notice does not fit.
///
/// The notice comes first because truncation can leave a code block or `<details>` open, which would hide it at the
/// end.
pub fn cut<'t>(text: &'t str, limit: Limit, notice: &str) -> Cow<'t, str> {
    if limit.holds(text) {
        return Cow::Borrowed(text);
    }
    let notice = format!("{notice}\n\n");
    let Some(room) = limit.most().checked_sub(limit.size(&notice)) else {
        return Cow::Borrowed("");
    };
    let start = &text[..limit.end(text, room)];
    let (lines, last) = start.rsplit_once('\n').unwrap_or(("", start));
    let is_kept = lines.is_empty() || last.len() >= PARAGRAPH && is_prose(last);
    Cow::Owned(notice + if is_kept { start } else { lines }.trim_end())
}

/// True if the beginning of a line makes sense without the rest, which a part of a table row or of a tag does not.
fn is_prose(line: &str) -> bool {
    !line.trim_start().starts_with(['|', '<'])
}
