//! A document as frames and parts, and which of them stay.

use std::borrow::Cow;
use std::iter;

use super::Limit;
use crate::number::thousands;

/// What an empty line between two blocks takes.
pub(super) const BETWEEN_BLOCKS: usize = 2;

/// What the end of a line takes between two lines of a block.
const BETWEEN_LINES: usize = 1;

/// How much a part matters, most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rank {
    Opening,
    Strong,
    Item,
    Text,
    Row,
    Folded,
}

impl Rank {
    const ALL: [Self; 6] = [Self::Opening, Self::Strong, Self::Item, Self::Text, Self::Row, Self::Folded];
}

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A heading of this level, and everything below it.
    Section(usize),
    /// `<details>`, which a reader has to unfold or not.
    Details {
        folded: bool,
    },
    Table,
    List,
    Code,
}

impl Kind {
    /// What its parts are called when it says how many are missing.
    fn noun(self) -> Option<&'static str> {
        match self {
            Self::Section(_) | Self::Details { .. } => None,
            Self::Table => Some("row"),
            Self::List => Some("item"),
            Self::Code => Some("line"),
        }
    }
}

pub(super) struct Frame<'t> {
    pub(super) kind: Kind,
    pub(super) parent: Option<usize>,
    pub(super) open: &'t str,
    pub(super) close: Cow<'static, str>,
    /// How many parts it has, and how many of them stay.
    parts: usize,
    kept: usize,
    stays: bool,
    size: usize,
}

impl<'t> Frame<'t> {
    pub(super) fn new(kind: Kind, open: &'t str, close: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, parent: None, open, close: close.into(), parts: 0, kept: 0, stays: false, size: 0 }
    }

    fn is_heading(&self) -> bool {
        matches!(self.kind, Kind::Section(_))
    }

    /// What it says about the parts that did not stay.
    fn note(&self, missing: usize) -> Option<String> {
        let noun = self.kind.noun().filter(|_| missing > 0)?;
        let plural = if missing == 1 { "" } else { "s" };
        Some(format!("and {} more {noun}{plural}", thousands(&missing.to_string())))
    }

    /// What it takes when none of its parts stays: never less than it will take.
    fn most(&self, limit: Limit) -> usize {
        let note = self.note(self.parts).unwrap_or_default();
        let blocks = [self.open, &*self.close, &*note].into_iter().filter(|block| !block.is_empty());
        let list = if self.kind == Kind::List { BETWEEN_LINES } else { 0 };
        list + blocks.map(|block| limit.size(block) + BETWEEN_BLOCKS).sum::<usize>()
    }
}

struct Part<'t> {
    text: &'t str,
    rank: Rank,
    frame: Option<usize>,
    stays: bool,
    size: usize,
}

enum Step {
    Open(usize),
    Part(usize),
    Close(usize),
}

/// The frames and parts of a document, in its order.
pub(super) struct Outline<'t> {
    pub(super) frames: Vec<Frame<'t>>,
    parts: Vec<Part<'t>>,
    steps: Vec<Step>,
    limit: Limit,
    /// Parts that cannot stay, as they would not stay alone: in no frame that says so.
    broken: usize,
}

impl<'t> Outline<'t> {
    pub(super) fn new(limit: Limit) -> Self {
        Self { frames: Vec::new(), parts: Vec::new(), steps: Vec::new(), limit, broken: 0 }
    }

    pub(super) fn open(&mut self, frame: Frame<'t>) -> usize {
        self.steps.push(Step::Open(self.frames.len()));
        self.frames.push(frame);
        self.frames.len() - 1
    }

    pub(super) fn close(&mut self, frame: usize) {
        self.steps.push(Step::Close(frame));
    }

    pub(super) fn part(&mut self, text: &'t str, rank: Rank, frame: Option<usize>) {
        self.count(frame);
        self.steps.push(Step::Part(self.parts.len()));
        let is_line = frame.is_some_and(|frame| self.frames[frame].kind.noun().is_some());
        let size = self.limit.size(text) + if is_line { BETWEEN_LINES } else { BETWEEN_BLOCKS };
        self.parts.push(Part { text, rank, frame, stays: false, size });
    }

    /// Counts a part that is left out in any case.
    pub(super) fn broken(&mut self, frame: Option<usize>) {
        self.count(frame);
        self.broken += usize::from(frame.is_none_or(|frame| self.frames[frame].kind != Kind::Table));
    }

    fn count(&mut self, frame: Option<usize>) {
        if let Some(frame) = frame {
            self.frames[frame].parts += 1;
        }
    }

    /// How many rows, and how many other parts, do not stay.
    pub(super) fn left_out(&self) -> (usize, usize) {
        let tables = self.frames.iter().filter(|frame| frame.kind == Kind::Table);
        let rows = tables.map(|table| table.parts - table.kept).sum();
        let is_row =
            |part: &&Part<'_>| part.frame.is_some_and(|frame| self.frames[frame].kind == Kind::Table);
        let others = self.parts.iter().filter(|part| !part.stays && !is_row(part)).count();
        let headings = self.frames.iter().filter(|frame| frame.is_heading() && !frame.stays).count();
        (rows, others + headings + self.broken)
    }

    /// Decides what stays within `room`: by rank, then in the document's order, whatever still fits. Headings
    /// with nothing left below them come last.
    pub(super) fn choose(&mut self, mut room: usize) {
        for frame in &mut self.frames {
            frame.size = frame.most(self.limit);
        }
        for rank in Rank::ALL {
            for at in 0..self.parts.len() {
                let Part { frame, size, .. } = self.parts[at];
                if self.parts[at].rank == rank && self.make_room(&mut room, size, frame) {
                    self.parts[at].stays = true;
                    self.count_kept(frame);
                }
            }
        }
        for at in 0..self.frames.len() {
            if self.frames[at].is_heading() {
                self.make_room(&mut room, 0, Some(at));
            }
        }
    }

    /// Takes what something of this size needs, with the frames around it that do not stay yet; whether it fits.
    fn make_room(&mut self, room: &mut usize, size: usize, frame: Option<usize>) -> bool {
        let outer = |&frame: &usize| self.frames[frame].parent;
        let missing: Vec<usize> =
            iter::successors(frame, outer).take_while(|&frame| !self.frames[frame].stays).collect();
        let size = size + missing.iter().map(|&frame| self.frames[frame].size).sum::<usize>();
        let Some(left) = room.checked_sub(size) else { return false };
        *room = left;
        for frame in missing {
            self.frames[frame].stays = true;
        }
        true
    }

    fn count_kept(&mut self, frame: Option<usize>) {
        if let Some(frame) = frame {
            self.frames[frame].kept += 1;
        }
    }

    /// What stays, and `ending` as the last block.
    pub(super) fn render(&self, ending: &str) -> String {
        let mut out = String::new();
        for step in &self.steps {
            match *step {
                Step::Open(frame) if self.frames[frame].stays => push_open(&mut out, &self.frames[frame]),
                Step::Part(part) if self.parts[part].stays => self.push_part(&mut out, &self.parts[part]),
                Step::Close(frame) if self.frames[frame].stays => push_close(&mut out, &self.frames[frame]),
                _ => {}
            }
        }
        push_block(&mut out, ending);
        out
    }

    fn push_part(&self, out: &mut String, part: &Part<'_>) {
        match part.frame.map(|frame| self.frames[frame].kind) {
            Some(Kind::Table | Kind::List | Kind::Code) => push_line(out, part.text),
            _ => push_block(out, part.text),
        }
    }
}

fn push_open(out: &mut String, frame: &Frame<'_>) {
    match frame.kind {
        // The line that sets off the first item.
        Kind::List => push_line(out, ""),
        _ => push_block(out, frame.open),
    }
}

fn push_close(out: &mut String, frame: &Frame<'_>) {
    match frame.kind {
        Kind::Code => push_line(out, &frame.close),
        _ => push_block(out, &frame.close),
    }
    push_block(out, &frame.note(frame.parts - frame.kept).unwrap_or_default());
}

fn push_block(out: &mut String, block: &str) {
    if block.is_empty() {
        return;
    }
    push_line(out, "");
    push_line(out, block);
}

fn push_line(out: &mut String, line: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(line);
}
