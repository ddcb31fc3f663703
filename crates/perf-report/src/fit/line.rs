//! What a line of Markdown begins.

/// What kind of line this is, as far as the outline of a document needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Nothing to see.
    Blank,
    /// A code block, until the same fence or a longer one.
    Fence(Fence),
    /// A heading of this level, 1 to 6.
    Heading(usize),
    /// An item of a list.
    Item,
    /// HTML that Markdown passes on until this text, blank lines and all.
    Raw(&'static str),
    /// Nothing but so many `</details>`.
    Close(usize),
    /// Anything else, rows of tables included.
    Text,
}

/// What opens a code block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    /// Whether `line` closes the block.
    pub(super) fn is_closed_by(self, line: &str) -> bool {
        let closes = |other: Fence, rest: &str| {
            other.mark == self.mark && other.length >= self.length && rest.trim().is_empty()
        };
        unindented(line).and_then(fence).is_some_and(|(other, rest)| closes(other, rest))
    }

    /// The line that closes the block.
    pub(super) fn closing(self) -> String {
        String::from(self.mark).repeat(self.length)
    }
}

impl Line {
    /// What `line`, without its end, begins.
    pub(super) fn of(line: &str) -> Self {
        if line.trim().is_empty() {
            return Self::Blank;
        }
        let Some(text) = unindented(line) else { return Self::Text };
        if let Some((fence, _)) = fence(text).filter(|(fence, info)| fence.mark == '~' || !info.contains('`'))
        {
            return Self::Fence(fence);
        }
        if let Some(level) = heading(text) {
            return Self::Heading(level);
        }
        if is_item(text) {
            return Self::Item;
        }
        match (raw(text), closes(text)) {
            (Some(end), _) => Self::Raw(end),
            (None, 0) => Self::Text,
            (None, count) => Self::Close(count),
        }
    }
}

/// Whether `line` stands between the titles and the rows of a table: `| --- | :-: |`.
pub(super) fn is_delimiter(line: &str) -> bool {
    let line = line.trim();
    let known = line.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t'));
    known && line.contains('|') && line.contains('-')
}

/// How many `<details>` a text leaves open (positive) or closes too many (negative); `None` when it does both.
pub(super) fn opened(text: &str) -> Option<isize> {
    let (mut depth, mut least) = (0_isize, 0_isize);
    for (at, _) in text.match_indices('<') {
        let rest = &text[at + 1..];
        if is_tag(rest, "details") {
            depth += 1;
        } else if rest.strip_prefix('/').is_some_and(|rest| is_tag(rest, "details")) {
            depth -= 1;
        }
        least = least.min(depth);
    }
    (least == 0 || least == depth).then_some(depth)
}

/// Whether the first `<details>` of a text shows what is in it without a click.
pub(super) fn is_open(text: &str) -> bool {
    let tag = text.to_ascii_lowercase();
    let tag = tag.split_once("<details").map_or("", |(_, rest)| rest);
    let tag = tag.split_once('>').map_or(tag, |(tag, _)| tag);
    tag.split_ascii_whitespace().any(|word| word == "open" || word.starts_with("open="))
}

/// The line without the up to three spaces that mean nothing; four begin a code block.
fn unindented(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    (line.len() - text.len() < 4 && !text.starts_with('\t')).then_some(text)
}

/// The fence that a line begins with, and what follows it.
fn fence(text: &str) -> Option<(Fence, &str)> {
    let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let info = text.trim_start_matches(mark);
    let length = text.len() - info.len();
    (length >= 3).then_some((Fence { mark, length }, info))
}

fn heading(text: &str) -> Option<usize> {
    let title = text.trim_start_matches('#');
    let level = text.len() - title.len();
    let ends = title.is_empty() || title.starts_with([' ', '\t']);
    (ends && (1..=6).contains(&level)).then_some(level)
}

fn is_item(text: &str) -> bool {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let marks = if digits == 0 { ['-', '*', '+'].as_slice() } else { ['.', ')'].as_slice() };
    let rest = text[digits..].strip_prefix(marks);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])) && digits < 10
}

fn raw(text: &str) -> Option<&'static str> {
    let declares = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic());
    let rest = text.strip_prefix('<')?;
    match rest {
        _ if rest.starts_with("!--") => Some("-->"),
        _ if rest.starts_with('?') => Some("?>"),
        _ if rest.starts_with("![CDATA[") => Some("]]>"),
        _ if rest.strip_prefix('!').is_some_and(declares) => Some(">"),
        _ if is_tag(rest, "pre") => Some("</pre>"),
        _ if is_tag(rest, "script") => Some("</script>"),
        _ if is_tag(rest, "style") => Some("</style>"),
        _ if is_tag(rest, "textarea") => Some("</textarea>"),
        _ => None,
    }
}

/// How many `</details>` there are when there is nothing else.
fn closes(text: &str) -> usize {
    const TAG: &str = "</details>";
    let (mut rest, mut count) = (text.trim(), 0);
    while let Some(tag) = rest.get(..TAG.len()).filter(|tag| tag.eq_ignore_ascii_case(TAG)) {
        rest = rest[tag.len()..].trim_start();
        count += 1;
    }
    if rest.is_empty() { count } else { 0 }
}

/// Whether `rest`, which follows a `<`, is the tag of this name, in whatever case.
fn is_tag(rest: &str, name: &str) -> bool {
    let found = rest.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name));
    let ends =
        |rest: &str| rest.is_empty() || rest.starts_with(['>', '/']) || rest.starts_with(char::is_whitespace);
    found && ends(&rest[name.len()..])
}
