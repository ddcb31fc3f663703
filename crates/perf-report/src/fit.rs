//! Making a report fit where it is posted.
//!
//! A pull request's comment holds so many characters, a job's summary so many bytes. A report that is longer is
//! not cut where the room ends, but made shorter by *parts*, in the order in which a reader misses them: first
//! the opening paragraph stays, then rows of tables that have something in bold (a regression is), items of
//! lists, other text, other rows, and at last what stands folded away in closed `<details>`.
//!
//! - A *part* is what stays whole or goes: a row, an item, a line of a code block, a paragraph.
//! - A *frame* is what parts stand in: a table with its titles, a code block, a list, `<details>`, and a heading
//!   with everything below it. It stays when one of its parts does, and is always closed.

mod line;
mod outline;
mod parse;

use std::borrow::Cow;

use crate::number::thousands;

/// How long a text may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// So many characters: Unicode code points, as GitHub's API counts them.
    Chars(usize),
    /// So many bytes of UTF-8.
    Bytes(usize),
}

impl Limit {
    /// How many there may be.
    pub fn most(self) -> usize {
        match self {
            Self::Chars(most) | Self::Bytes(most) => most,
        }
    }

    /// How many `text` has.
    pub fn size(self, text: &str) -> usize {
        match self {
            Self::Chars(_) => text.chars().count(),
            Self::Bytes(_) => text.len(),
        }
    }
}

/// A report that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// The report, or what is left of it.
    pub text: String,
    /// How many rows of tables are left out.
    pub rows: usize,
    /// How many other parts are left out.
    pub others: usize,
}

impl Fitted {
    /// Whether anything is left out.
    pub fn is_cut(&self) -> bool {
        self.rows + self.others > 0
    }
}

/// `markdown` within `limit`; `link` is where all of it can be read: an absolute URL without spaces and
/// parentheses.
///
/// A text that fits is returned byte for byte. Of one that does not, each frame says how many of its parts are
/// left out, and the last line says how many there are in all and links to `link`. Where there is no room even
/// for that line, nothing is left.
pub fn fit(markdown: &str, limit: Limit, link: Option<&str>) -> Fitted {
    if limit.size(markdown) <= limit.most() {
        return Fitted { text: markdown.to_owned(), rows: 0, others: 0 };
    }
    let text = with_line_feeds(markdown);
    let mut outline = parse::outline(&text, limit);
    let (rows, others) = outline.left_out();
    // What is said in the end is at most as long as if nothing were kept.
    let reserved = limit.size(&ending(rows, others, link)) + outline::BETWEEN_BLOCKS;
    let Some(room) = limit.most().checked_sub(reserved) else {
        return Fitted { text: String::new(), rows, others };
    };
    outline.choose(room);
    let (rows, others) = outline.left_out();
    let text = outline.render(&ending(rows, others, link));
    Fitted { text, rows, others }
}

/// The line that says what is not there and where it is.
fn ending(rows: usize, others: usize, link: Option<&str>) -> String {
    let count = |count: usize, what: &str| {
        let plural = if count == 1 { "" } else { "s" };
        (count > 0).then(|| format!("{} {what}{plural}", thousands(&count.to_string())))
    };
    if rows + others == 0 {
        return String::new();
    }
    let counts: Vec<String> =
        [count(rows, "row"), count(others, "other part")].into_iter().flatten().collect();
    let link = link.map_or_else(String::new, |link| format!(" [The full report]({link}) has it all."));
    format!("Left out, as there is no room here: {}.{link}", counts.join(" and "))
}

/// A carriage return ends a line of Markdown too, alone or before a line feed.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}
