//! Formats whose lines are described by regular expressions.

use regex::bytes::Regex;

use super::Spec;
use super::fields::Fields;
use crate::formats::common::blocks::{skip_cut_off, skip_second};
use crate::formats::common::prelude::*;
use perf_config::{Expression, FormatSpec};

/// Reads a described format's lines.
pub(super) struct Lines {
    spec: &'static Spec,
    /// The index of the expression that the result's next line should match.
    next: usize,
    /// The named parts of the lines above the results.
    known: Parts,
    /// The result to which more lines may belong, with its first line's number.
    open: Option<(u64, Parts)>,
    /// The first line above results, if no block has followed it yet.
    head: Option<u64>,
    /// Results that are blocks of lines, and results that are cut off.
    tables: Tables,
    /// A metric with two values in the open block, probably from two runs.
    twice: Option<String>,
}

/// The named parts of several lines. A part that is expected on a later line is `Null`.
type Parts = Vec<(Cow<'static, str>, Json<'static>)>;

/// The named parts of one line.
type LineParts<'l> = Vec<(&'static str, &'l [u8])>;

/// An expression and its groups' names.
#[derive(Debug)]
pub(super) struct Pattern {
    expression: &'static Regex,
    names: Vec<&'static str>,
}

impl Pattern {
    pub(super) fn of(line: &'static Expression) -> Option<Self> {
        let expression = line.regex().ok()?;
        let names = expression.capture_names().flatten().collect();
        Some(Self { expression, names })
    }

    pub(super) fn is_match(&self, line: &str) -> bool {
        self.expression.is_match(line.as_bytes())
    }

    /// Returns the named parts of a line; `None` if the line does not match.
    fn parts<'l>(&self, line: &'l str) -> Option<LineParts<'l>> {
        if !self.expression.is_match(line.as_bytes()) {
            return None;
        }
        let captures = self.expression.captures(line.as_bytes())?;
        let part = |name: &&'static str| Some((*name, captures.name(name)?.as_bytes()));
        Some(self.names.iter().filter_map(part).collect())
    }
}

/// Returns the index of the first expression that a line matches, and the named parts of the line.
fn first_match<'l>(patterns: &[Pattern], line: &'l str) -> Option<(usize, LineParts<'l>)> {
    let mut all = patterns.iter().enumerate();
    all.find_map(|(at, pattern)| Some((at, pattern.parts(line)?)))
}

/// Removes the markup for lists and bold text from a line. People add it when they paste output into Markdown.
pub(super) fn without_mark(line: &str) -> &str {
    let line = line
        .strip_prefix("- ")
        .or(line.strip_prefix("* "))
        .unwrap_or(line);
    line.strip_prefix("**")
        .and_then(|line| line.strip_suffix("**"))
        .unwrap_or(line)
}

fn has(parts: &Parts, name: &str) -> bool {
    parts.iter().any(|(known, _)| known == name)
}

/// Adds new parts. If a part already exists, its value is kept, because the first line with a part is used. The text of
/// a part `NAME.key` is appended to `NAME`, and the next part gets the resulting name, even on a later line. Returns
/// the last part that occurred again with another value.
fn add_new(parts: &mut Parts, new: LineParts<'_>) -> Option<Cow<'static, str>> {
    let waiting = parts.pop_if(|(_, part)| *part == Json::Null);
    let (mut twice, mut begun) = (None, waiting.map(|(name, _)| name));
    for (name, part) in new {
        let mut part = &*String::from_utf8_lossy(part);
        if name == "name" {
            part = without_mark(part);
        }
        if let Some(begin) = name.strip_suffix(".key") {
            let name = format!("{begin}{part}");
            parts.retain(|(known, _)| *known != name);
            begun = Some(name.into());
            continue;
        }
        let name = begun.take().unwrap_or(name.into());
        match parts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, Json::Text(known))) if *known == part => {}
            Some(_) => twice = Some(name),
            None => parts.push((name, Json::Text(Cow::Owned(part.to_owned())))),
        }
    }
    parts.extend(begun.map(|name| (name, Json::Null)));
    twice
}

impl Lines {
    pub(super) fn new(spec: &'static Spec) -> Self {
        Self {
            spec,
            next: 0,
            known: Vec::new(),
            open: None,
            head: None,
            tables: Tables::default(),
            twice: None,
        }
    }

    /// Returns the expressions that match results.
    fn results(&self) -> &'static [Pattern] {
        let [results, ..] = self.spec.patterns();
        results
    }

    /// Returns the index of the expression that a line matches, and the line's parts. The first expression begins a
    /// result, and the others match only after it. The expression after the last match is tried first, because most
    /// tools print their lines in a fixed order.
    fn place<'l>(&self, line: &'l str) -> Option<(usize, LineParts<'l>)> {
        let results = self.results();
        if self.open.is_none() && self.head.is_none() && self.has_sequence() {
            return Some((0, results.first()?.parts(line)?));
        }
        if self.next > 0
            && let Some(parts) = results[self.next].parts(line)
        {
            return Some((self.next, parts));
        }
        first_match(results, line)
    }

    /// Whether a line is a whole result, although it may look like a line above results.
    fn is_alternative(&self, line: &str) -> bool {
        !self.has_sequence() && self.results().iter().any(|result| result.is_match(line))
    }

    /// Whether the expressions match a result's successive lines, instead of being alternatives for a single line.
    fn has_sequence(&self) -> bool {
        self.spec.entry.alternatives.is_empty()
    }

    /// Ends the open result. `is_whole` is true if its last line was read. A result without its last line may be cut
    /// off.
    fn close(&mut self, is_whole: bool, sink: &mut Rows<'_>) {
        let headed = || Some((self.head.take()?, Parts::new()));
        let Some((line, mut parts)) = self.open.take().or_else(headed) else {
            return;
        };
        let FormatSpec {
            block,
            needs,
            open_end,
            ..
        } = &self.spec.entry;
        let has_all = needs.as_ref().is_some_and(|part| has(&parts, part));
        let is_whole = is_whole || has_all || *open_end || self.results().len() == 1;
        parts.extend(self.known.iter().cloned());
        let parts = Json::Object(parts);
        let fields = Fields::of(&parts);
        if is_whole && block.is_none() {
            return self.spec.row(&fields, line, sink);
        }
        let (name, what) = (
            self.spec.names.name(&fields, sink),
            block.as_deref().unwrap_or("result"),
        );
        if let Some(twice) = self.twice.take() {
            skip_second(what, &name, &twice, line, sink);
        }
        let (outcome, metrics) = match block {
            None if !is_whole => (Outcome::Measured, Metrics::default()),
            _ => self.spec.measured(&fields, sink),
        };
        let is_row = outcome != Outcome::Measured || !metrics.is_empty();
        if !is_whole {
            let lacks = needs.as_ref().and_then(|part| self.spec.metric_of(part));
            skip_cut_off(what, &name, is_row, lacks.as_deref(), line, sink);
        }
        if block.is_none() && self.tables.is_other(&name) {
            self.tables.begin(line);
        }
        if is_row {
            self.tables.add(line, &name, outcome, metrics);
        }
    }

    /// Returns the visible part of a block's line, because progress output overwrites its own line. Other lines are not
    /// changed.
    fn shown<'l>(&self, line: &'l str) -> &'l str {
        if self.spec.entry.block.is_none() {
            return line;
        }
        let line = line.trim_end();
        without_mark(line.rsplit('\r').next().unwrap_or_default().trim())
    }
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        let (line, is_block) = (self.shown(line), self.spec.entry.block.is_some());
        let [results, above] = self.spec.patterns();
        if let Some((at, parts)) = first_match(above, line)
            && !self.is_alternative(line)
        {
            let head = self.head.take();
            self.close(false, sink);
            self.known
                .retain(|(known, _)| above[at].names.iter().all(|name| name != known));
            add_new(&mut self.known, parts);
            self.head = head.or(Some(number)).filter(|_| is_block);
            // Another format may have the same lines above its results.
            return is_block;
        }
        let Some((place, parts)) = self.place(line) else {
            return false;
        };
        if self.begins(place, &parts) {
            let head = self.head.take();
            self.close(false, sink);
            if is_block {
                self.tables.begin(head.unwrap_or(number));
            }
            self.open = Some((head.unwrap_or(number), Vec::new()));
        }
        let has_end = parts.iter().any(|(name, _)| *name == "end");
        if let Some((begin, all)) = &mut self.open {
            if place == 0 && !is_block {
                *begin = number;
            }
            let twice = add_new(all, parts);
            if let Some(twice) = twice.filter(|_| is_block && self.twice.is_none()) {
                self.twice = self.spec.metric_of(&twice);
            }
        }
        self.next = if self.has_sequence() {
            (place + 1) % results.len()
        } else {
            0
        };
        let is_whole = if is_block { has_end } else { self.next == 0 };
        if is_whole {
            self.close(true, sink);
        }
        true
    }

    fn is_cut_off(&self, line: &str) -> bool {
        let results = self.results();
        if self.spec.entry.block.is_some() {
            let line = self.shown(line);
            let ends = |result: &&Pattern| result.expression.as_str().ends_with('$');
            let mut whole = results.iter().filter(ends);
            let is_open = self.open.is_some() || self.head.is_some();
            return is_open && !whole.any(|result| result.is_match(line));
        }
        if results.len() > 1 && self.open.is_none() && self.has_sequence() {
            return false;
        }
        let first = if self.has_sequence() {
            results.len().saturating_sub(1)
        } else {
            0
        };
        let Some((_, parts)) = first_match(&results[first..], line) else {
            return false;
        };
        // A number at the end may be cut off. A state such as "failed" only matches as a whole.
        let failed = &self.spec.entry.failed;
        let is_state = |name: &str| failed.iter().any(|fields| fields.contains_key(name));
        let end = line.as_bytes().as_ptr_range().end;
        let mut numbers = parts.iter().filter(|(name, _)| !is_state(name));
        numbers.any(|(_, part)| part.as_ptr_range().end == end)
    }

    fn end(&mut self, sink: &mut Rows<'_>) {
        self.close(false, sink);
        self.tables.give(sink);
    }
}

impl Lines {
    /// Whether a line that matches the expression `place` begins another result. If header lines came first, any line
    /// of a block can begin it.
    fn begins(&self, place: usize, parts: &LineParts<'_>) -> bool {
        let Some((_, all)) = &self.open else {
            return true;
        };
        if place > 0 {
            return false;
        }
        let FormatSpec { block, needs, .. } = self.spec.entry;
        let needed = needs.as_ref().filter(|_| block.is_some());
        needed.is_some_and(|part| has(all, part)) || parts.iter().any(|(name, _)| has(all, name))
    }
}
