//! Reads a document into its outline.
//!
//! It need not see everything that Markdown sees: what it takes for one part stays whole, and between blocks it
//! puts empty lines, so that what it took for a block is one. What would change the meaning of what follows when
//! it stands alone (HTML that does not end, a stray `<details>`) is *broken* and never stays.

use super::Limit;
use super::line::{Line, is_delimiter, is_open, opened};
use super::outline::{Frame, Kind, Outline, Rank};

/// How deep `<details>` may be nested; what is in deeper ones counts as part of the deepest.
const DEEPEST: usize = 8;

/// The outline of `text`, whose lines end in line feeds.
pub(super) fn outline(text: &str, limit: Limit) -> Outline<'_> {
    let mut parser =
        Parser { text, at: 0, outline: Outline::new(limit), around: Vec::new(), ignored: 0, opening: true };
    while let Some(line) = parser.line() {
        match Line::of(line) {
            Line::Blank => parser.skip(line),
            Line::Fence(_) => parser.code(line),
            Line::Heading(level) => parser.heading(line, level),
            Line::Item => parser.list(),
            Line::Raw(end) => parser.raw(end),
            Line::Close(count) => parser.close_details(line, count),
            Line::Text if parser.at_table() => parser.table(),
            Line::Text => parser.text(),
        }
    }
    parser.leave_to(0);
    parser.outline
}

struct Parser<'t> {
    text: &'t str,
    /// The byte at which the next line begins.
    at: usize,
    outline: Outline<'t>,
    /// The sections and details around that line, outer ones first.
    around: Vec<usize>,
    /// How many `</details>` belong to tags that were left out.
    ignored: usize,
    /// Whether the opening paragraph is still to come.
    opening: bool,
}

impl<'t> Parser<'t> {
    /// The next line without its end.
    fn line(&self) -> Option<&'t str> {
        let rest = &self.text[self.at..];
        (!rest.is_empty()).then(|| rest.split_once('\n').map_or(rest, |(line, _)| line))
    }

    /// The line after the next one.
    fn line_after(&self) -> Option<&'t str> {
        self.text[self.at..].split('\n').nth(1)
    }

    fn skip(&mut self, line: &str) {
        self.at = (self.at + line.len() + 1).min(self.text.len());
    }

    /// Goes over the next line and those after it that `belongs`; gives all of them, without the last one's end.
    fn lines(&mut self, belongs: impl Fn(&Self, &str) -> bool) -> &'t str {
        let start = self.at;
        self.line().inspect(|line| self.skip(line));
        while let Some(line) = self.line().filter(|line| belongs(self, line)) {
            self.skip(line);
        }
        self.since(start)
    }

    /// The lines since byte `start`, without the last one's end.
    fn since(&self, start: usize) -> &'t str {
        let lines = &self.text[start..self.at];
        lines.strip_suffix('\n').unwrap_or(lines)
    }

    /// Adds a part, unless it is broken.
    fn part(&mut self, text: &'t str, rank: Rank, frame: Option<usize>) {
        match opened(text) {
            Some(0) => self.outline.part(text, if self.is_folded() { Rank::Folded } else { rank }, frame),
            depth => {
                self.ignored += depth.and_then(|depth| usize::try_from(depth).ok()).unwrap_or(0);
                self.outline.broken(frame);
            }
        }
    }

    fn is_folded(&self) -> bool {
        self.around.iter().any(|&frame| self.outline.frames[frame].kind == Kind::Details { folded: true })
    }

    fn enter(&mut self, mut frame: Frame<'t>) -> usize {
        frame.parent = self.around.last().copied();
        self.outline.open(frame)
    }

    /// Closes the frames around, down to so many.
    fn leave_to(&mut self, depth: usize) {
        for frame in self.around.drain(depth..).rev() {
            self.outline.close(frame);
        }
    }

    fn code(&mut self, line: &'t str) {
        let Line::Fence(fence) = Line::of(line) else { return };
        self.skip(line);
        let frame = self.enter(Frame::new(Kind::Code, line, fence.closing()));
        let rank = if self.is_folded() { Rank::Folded } else { Rank::Row };
        while let Some(line) = self.line() {
            self.skip(line);
            if fence.is_closed_by(line) {
                break;
            }
            self.outline.part(line, rank, Some(frame));
        }
        self.outline.close(frame);
    }

    fn heading(&mut self, line: &'t str, level: usize) {
        self.skip(line);
        if opened(line) != Some(0) {
            return self.part(line, Rank::Text, None);
        }
        let ends = |&frame: &usize| match self.outline.frames[frame].kind {
            Kind::Section(other) => other >= level,
            _ => false,
        };
        let depth = self.around.iter().rposition(|frame| !ends(frame)).map_or(0, |at| at + 1);
        self.leave_to(depth);
        let frame = self.enter(Frame::new(Kind::Section(level), line, ""));
        self.around.push(frame);
    }

    fn list(&mut self) {
        let frame = self.enter(Frame::new(Kind::List, "", ""));
        while self.line().is_some_and(|line| Line::of(line) == Line::Item) {
            let item = self.lines(|_, line| Line::of(line) == Line::Text);
            self.part(item, Rank::Item, Some(frame));
        }
        self.outline.close(frame);
    }

    fn at_table(&self) -> bool {
        let header = self.line().is_some_and(|line| line.contains('|') && !is_delimiter(line));
        header && self.line_after().is_some_and(is_delimiter)
    }

    fn table(&mut self) {
        let start = self.at;
        for line in [self.line(), self.line_after()].into_iter().flatten() {
            self.skip(line);
        }
        let header = self.since(start);
        if opened(header) != Some(0) {
            return self.part(header, Rank::Text, None);
        }
        let frame = self.enter(Frame::new(Kind::Table, header, ""));
        while self.line().is_some_and(|line| Line::of(line) == Line::Text) {
            let row = self.lines(|_, _| false);
            let is_strong = row.contains("**");
            let rank = if is_strong { Rank::Strong } else { Rank::Row };
            self.part(row, rank, Some(frame));
        }
        self.outline.close(frame);
    }

    /// HTML up to its end; without one it would swallow everything that follows.
    fn raw(&mut self, end: &str) {
        let start = self.at;
        while let Some(line) = self.line() {
            self.skip(line);
            if line.to_ascii_lowercase().contains(end) {
                return self.part(self.since(start), Rank::Text, self.around.last().copied());
            }
        }
        self.outline.broken(None);
    }

    fn text(&mut self) {
        let block = self.lines(|parser, line| Line::of(line) == Line::Text && !parser.at_table());
        let depth = self.around.iter().filter(|&&frame| self.is_details(frame)).count();
        match opened(block) {
            Some(1) if depth < DEEPEST && self.ignored == 0 => {
                let kind = Kind::Details { folded: !is_open(block) };
                let frame = self.enter(Frame::new(kind, block, "</details>"));
                self.around.push(frame);
            }
            _ => {
                let rank = if self.opening { Rank::Opening } else { Rank::Text };
                self.opening = false;
                self.part(block, rank, self.around.last().copied());
            }
        }
    }

    fn is_details(&self, frame: usize) -> bool {
        matches!(self.outline.frames[frame].kind, Kind::Details { .. })
    }

    /// Leaves so many details; a tag without its partner is left out.
    fn close_details(&mut self, line: &str, count: usize) {
        self.skip(line);
        for _ in 0..count {
            if self.ignored > 0 {
                self.ignored -= 1;
            } else if let Some(depth) = self.around.iter().rposition(|&frame| self.is_details(frame)) {
                self.leave_to(depth);
            }
        }
    }
}
