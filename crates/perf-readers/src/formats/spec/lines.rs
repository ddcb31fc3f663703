//! Lines that expressions describe.

use std::borrow::Cow;

use regex::bytes::{CaptureLocations, Regex};

use super::Spec;
use super::beginnings::{Beginnings, without_blanks};
use super::fields::Fields;
use crate::formats::common::blocks::{skip_cut_off, skip_second};
use crate::formats::common::prelude::*;
use crate::formats::common::tables::{Tables, is_set_off};
use perf_config::{Expression, FormatSpec};

/// The lines of a described format.
pub(super) struct Lines {
    spec: &'static Spec,
    expressions: Vec<Matcher>,
    /// The expression that the next line of the result is expected to match.
    next: usize,
    /// The expressions of lines above the results, and the parts of such lines.
    above: Vec<Matcher>,
    titles: Vec<Matcher>,
    known: Parts,
    /// The result that further lines may add to, and its line.
    open: Option<(u64, Parts)>,
    /// The first of the lines above that a block has not followed yet.
    head: Option<u64>,
    /// The results that are blocks of lines.
    tables: Tables,
    /// True if the next line is the first one of a paragraph, or all before it in the paragraph have a colon.
    begins_paragraph: bool,
    is_within_pairs: bool,
    /// A metric of the open block that has two values: lines of another run may have followed.
    twice: Option<String>,
}

/// The named parts of lines.
type Parts = Vec<(Cow<'static, str>, Json<'static>)>;

/// An expression, with what is computed once.
#[derive(Debug)]
pub(super) struct Pattern {
    expression: &'static Regex,
    beginnings: Beginnings,
    names: Vec<(usize, &'static str)>,
}

impl Pattern {
    pub(super) fn of(line: &'static Expression) -> Option<Self> {
        let expression = line.regex().ok()?;
        let names = expression.capture_names().enumerate();
        let names = names
            .filter_map(|(group, name)| Some((group, name?)))
            .collect();
        Some(Self {
            expression,
            beginnings: Beginnings::of(expression.as_str()),
            names,
        })
    }

    pub(super) fn is_match(&self, line: &[u8]) -> bool {
        self.beginnings.may_match(without_blanks(line)) && self.expression.is_match(line)
    }
}

/// An expression, and the places in the line that it matched last.
struct Matcher {
    pattern: &'static Pattern,
    places: CaptureLocations,
}

impl Matcher {
    fn new(pattern: &'static Pattern) -> Self {
        Self {
            pattern,
            places: pattern.expression.capture_locations(),
        }
    }

    /// True if a line matches, given how it begins behind white space.
    fn matches(&mut self, line: &[u8], beginning: &[u8]) -> bool {
        let Pattern {
            expression,
            beginnings,
            ..
        } = self.pattern;
        beginnings.may_match(beginning)
            && expression.captures_read(&mut self.places, line).is_some()
    }

    /// The named parts of the line that matched.
    fn parts<'m>(&'m self, line: &'m [u8]) -> impl Iterator<Item = (&'static str, &'m [u8])> {
        let part = |(group, name): &(usize, &'static str)| {
            let (start, end) = self.places.get(*group)?;
            Some((*name, &line[start..end]))
        };
        self.pattern.names.iter().filter_map(part)
    }
}

/// A line without the marks of a list and of bold text that its author made of it.
pub(super) fn without_mark(line: &[u8]) -> &[u8] {
    let line = line
        .strip_prefix(b"- ")
        .or(line.strip_prefix(b"* "))
        .unwrap_or(line);
    line.strip_prefix(b"**")
        .and_then(|line| line.strip_suffix(b"**"))
        .unwrap_or(line)
}

fn has(parts: &Parts, name: &str) -> bool {
    parts.iter().any(|(known, _)| known == name)
}

/// Adds the parts that are not there yet: the first line counts that has a part. `NAME.key` is the end of the next part's
/// name. Returns a part that has another value by now. Of running totals the last value counts.
fn add_new<'l>(
    parts: &mut Parts,
    are_running: bool,
    new: impl Iterator<Item = (&'static str, &'l [u8])>,
) -> Option<Cow<'static, str>> {
    let (mut twice, mut begun) = (None, None);
    for (name, part) in new {
        let part = text(if name == "name" {
            without_mark(part)
        } else {
            part
        });
        if let Some(begin) = name.strip_suffix(".key") {
            begun = Some(format!("{begin}{part}"));
            continue;
        }
        let name = begun.take().map_or(Cow::Borrowed(name), Cow::Owned);
        match parts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, Json::Text(known))) if *known == part => {}
            Some((_, known)) if are_running => *known = Json::Text(Cow::Owned(part.into_owned())),
            Some(_) => twice = Some(name),
            None => parts.push((name, Json::Text(Cow::Owned(part.into_owned())))),
        }
    }
    twice
}

impl Lines {
    pub(super) fn new(spec: &'static Spec) -> Self {
        let matchers =
            |patterns: &'static Vec<Pattern>| patterns.iter().map(Matcher::new).collect();
        let [expressions, above, titles] = spec.patterns().each_ref().map(matchers);
        Self {
            spec,
            expressions,
            next: 0,
            above,
            titles,
            known: Vec::new(),
            open: None,
            head: None,
            tables: Tables::default(),
            begins_paragraph: true,
            is_within_pairs: false,
            twice: None,
        }
    }

    /// The expression that a line matches: the first one begins a result, and others match only behind it. The one behind
    /// the last that matched is tried first, as most tools print lines in one order.
    fn place(&mut self, line: &[u8], beginning: &[u8]) -> Option<usize> {
        if self.open.is_none() && self.head.is_none() && self.has_sequence() {
            return self
                .expressions
                .first_mut()?
                .matches(line, beginning)
                .then_some(0);
        }
        if self.next > 0 && self.expressions[self.next].matches(line, beginning) {
            return Some(self.next);
        }
        self.expressions
            .iter_mut()
            .position(|matcher| matcher.matches(line, beginning))
    }

    /// True if a line is a whole result, although it may look like one above results.
    fn is_alternative(&mut self, line: &[u8], beginning: &[u8]) -> bool {
        !self.has_sequence()
            && self
                .expressions
                .iter_mut()
                .any(|matcher| matcher.matches(line, beginning))
    }

    /// True if further expressions are of further lines of one result.
    fn has_sequence(&self) -> bool {
        self.spec.entry.alternatives.is_empty()
    }

    /// Ends the result, which is cut off unless a line has ended it.
    fn close(&mut self, is_whole: bool, sink: &mut RowCollector<'_>) {
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
        let is_whole = is_whole || has_all || *open_end || self.expressions.len() == 1;
        parts.extend(self.known.iter().cloned());
        let parts = Json::Object(parts);
        let fields = Fields::of(&parts);
        let is_titled = !self.titles.is_empty() && !self.spec.has_samples;
        if is_whole && block.is_none() && !is_titled {
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

    /// Remembers the first line of a paragraph: what a tool prints behind its results is no title of the next ones.
    fn title(&mut self, line: &[u8]) {
        if line.is_empty() || line.starts_with(b"```") {
            (self.begins_paragraph, self.is_within_pairs) = (true, false);
            return;
        }
        let begins = std::mem::replace(&mut self.begins_paragraph, false);
        // Of several such as `Duration: 10s` and `Rate: 100`, the first counts that stays from run to run.
        let is_further = std::mem::replace(&mut self.is_within_pairs, false);
        if self.spec.entry.block.is_none() || !(begins || is_further) {
            return;
        }
        let text = text(line);
        // The open block may have lines that are not read.
        if self.open.is_some() && !is_set_off(&text) {
            return;
        }
        self.is_within_pairs = text.contains(": ");
        if begins {
            self.tables.no_title();
        }
        if begins || self.is_within_pairs {
            self.tables.title(&text);
        }
    }

    /// A line as it was printed last: progress is printed over itself.
    fn shown<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        if self.spec.entry.block.is_none() {
            return line;
        }
        let line = line.trim_ascii_end();
        without_mark(
            memchr::memrchr(b'\r', line)
                .map_or(line, |at| &line[at + 1..])
                .trim_ascii(),
        )
    }
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let (line, is_block) = (self.shown(line), self.spec.entry.block.is_some());
        let beginning = without_blanks(line);
        if let Some(at) = self
            .titles
            .iter_mut()
            .position(|title| title.matches(line, beginning))
        {
            self.close(false, sink);
            let title = self.titles[at]
                .parts(line)
                .map(|(_, part)| text(part))
                .next()
                .unwrap_or_default();
            self.tables.no_title();
            self.tables.title(&title);
            return false;
        }
        let above = self
            .above
            .iter_mut()
            .position(|above| above.matches(line, beginning));
        if let Some(at) = above.filter(|_| !self.is_alternative(line, beginning)) {
            let head = self.head.take();
            self.close(false, sink);
            let above = &self.above[at];
            self.known
                .retain(|(known, _)| above.pattern.names.iter().all(|(_, name)| name != known));
            add_new(&mut self.known, false, above.parts(line));
            self.head = head.or(Some(number)).filter(|_| is_block);
            self.begins_paragraph = false;
            // Another format may have the same lines above its results.
            return is_block;
        }
        let Some(place) = self.place(line, beginning) else {
            self.title(line);
            return false;
        };
        self.begins_paragraph = false;
        let needs = self.spec.entry.needs.as_ref().filter(|_| is_block);
        let names = || self.expressions[0].parts(line).map(|(name, _)| name);
        // Behind lines above it, a block begins with any of its lines.
        if self.open.as_ref().is_none_or(|(_, all)| {
            place == 0
                && if self.spec.entry.running {
                    names().any(|name| name == "begin")
                } else {
                    needs.is_some_and(|part| has(all, part)) || names().any(|name| has(all, name))
                }
        }) {
            let head = self.head.take();
            self.close(false, sink);
            if is_block {
                // What stands below its lines is above the next block.
                self.tables.begin(head.unwrap_or(number));
            }
            self.open = Some((
                head.unwrap_or(number),
                Vec::with_capacity(self.expressions.len()),
            ));
        }
        if let Some((begin, all)) = &mut self.open {
            *begin = if place == 0 && !is_block {
                number
            } else {
                *begin
            };
            let parts = self.expressions[place].parts(line);
            let twice = add_new(all, self.spec.entry.running, parts).filter(|_| is_block);
            self.twice = self.twice.take().or_else(|| self.spec.metric_of(&twice?));
        }
        self.next = if self.has_sequence() {
            (place + 1) % self.expressions.len()
        } else {
            0
        };
        let is_end = || {
            self.expressions[place]
                .parts(line)
                .any(|(name, _)| name == "end")
        };
        if (is_block && is_end()) || (!is_block && self.next == 0) {
            self.close(true, sink);
        }
        true
    }

    fn is_cut_off(&self, line: &[u8]) -> bool {
        if self.spec.entry.block.is_some() {
            let line = self.shown(line);
            let ends = |matcher: &Matcher| matcher.pattern.expression.as_str().ends_with('$');
            let mut whole = self.expressions.iter().filter(|matcher| ends(matcher));
            let is_open = self.open.is_some() || self.head.is_some();
            return is_open && !whole.any(|matcher| matcher.pattern.expression.is_match(line));
        }
        let is_read = self.expressions.len() == 1 || self.open.is_some() || !self.has_sequence();
        let ends = if self.has_sequence() {
            self.expressions.len().saturating_sub(1)
        } else {
            0
        };
        let mut ends = self.expressions[ends..].iter().filter(|_| is_read);
        let found =
            ends.find_map(|last| Some((last.pattern, last.pattern.expression.captures(line)?)));
        let Some((last, captures)) = found else {
            return false;
        };
        // A result that ends before its last line is cut off anyway, and a state is no number.
        let is_number = |name: &str| {
            self.spec
                .entry
                .failed
                .iter()
                .all(|fields| !fields.contains_key(name))
        };
        let numbers = last.names.iter().filter(|(_, name)| is_number(name));
        numbers
            .filter_map(|(group, _)| captures.get(*group))
            .any(|part| part.end() == line.len())
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.close(false, sink);
        self.tables.give(true, sink);
    }
}
