//! Rows as CSV without a header, buried in a log: `scenario,platform,commit,runIndex`, then metrics in an
//! agreed order, with anything before them.
//!
//! Rows are read from the right, as the prefix may have commas of its own. So that tables of numbers and
//! prose are not taken for rows, a scenario and a platform must have a letter, and a run index must be small.

use std::borrow::Cow;

use super::sink::{Cells, Sink};
use crate::row::{Metrics, Name, Value};

/// Scenario, platform, commit and run index.
const KEY: usize = 4;

/// A run index above is taken for something else, such as a commit of digits only.
const HIGHEST_RUN: i64 = 999_999;

/// A commit that is a number has at least as many digits.
const SHORTEST_COMMIT: usize = 7;

/// Reads rows by the number of their columns.
pub(super) struct Delimited {
    /// Metric columns, widest layout first.
    layouts: Vec<Vec<Name>>,
    fields: Vec<(usize, usize)>,
}

/// A line, seen as a row of one layout.
struct Candidate<'a> {
    scenario: &'a str,
    platform: &'a str,
    commit: &'a str,
    run: Result<i64, &'a str>,
    numbers: Vec<Result<Option<Value>, &'a str>>,
}

impl Delimited {
    pub(super) fn new(layouts: &[Vec<Name>]) -> Self {
        Self { layouts: layouts.to_vec(), fields: Vec::new() }
    }

    pub(super) fn read(&mut self, number: u64, line: &[u8], sink: &mut Sink<'_>) {
        let line = without_markup_end(line);
        let most = KEY + self.layouts.first().map_or(0, Vec::len);
        last_fields(line, most, &mut self.fields);
        if self.is_hopeless(line) {
            return;
        }
        let Ok(text) = std::str::from_utf8(line) else {
            return self.read_broken_text(number, line, sink);
        };
        let fields: Vec<Cow<'_, str>> =
            self.fields.iter().map(|(from, to)| unquoted(&text[*from..*to])).collect();
        if self.take_header(&fields, sink) {
            return;
        }
        let mut near = None;
        for layout in &self.layouts {
            let Some(candidate) = Candidate::of(&fields, layout.len()) else { continue };
            match candidate.problem(layout) {
                None => return candidate.emit(number, layout, sink),
                Some(problem) => near = near.or(candidate.is_near().then_some(problem)),
            }
        }
        if let Some(problem) = near.or_else(|| cut_off(&fields, self.layouts.last().map_or(0, Vec::len))) {
            sink.skip(number, line, || problem);
        }
    }

    /// Whether no field from the right can be a run index, which rules out most lines cheaply.
    fn is_hopeless(&self, line: &[u8]) -> bool {
        let is_whole = |(from, to): &(usize, usize)| {
            let field = line[*from..*to].strip_prefix(b"-").unwrap_or(&line[*from..*to]);
            !field.is_empty() && field.len() <= 6 && field.iter().all(u8::is_ascii_digit)
        };
        let numbers = |(from, to): &(usize, usize)| line[*from..*to].first().is_some_and(u8::is_ascii_digit);
        !self.fields.iter().any(is_whole)
            && self.fields.iter().filter(|field| numbers(field)).count() < 2
            && !self.fields.first().is_some_and(|(from, to)| line[*from..*to].ends_with(b"scenario"))
    }

    /// A row must be text; the log around it need not be.
    fn read_broken_text(&self, number: u64, line: &[u8], sink: &mut Sink<'_>) {
        let lossy = String::from_utf8_lossy(line);
        let mut spans = Vec::new();
        for layout in &self.layouts {
            last_fields(lossy.as_bytes(), KEY + layout.len(), &mut spans);
            let fields: Vec<Cow<'_, str>> =
                spans.iter().map(|(from, to)| unquoted(&lossy[*from..*to])).collect();
            let Some(candidate) = Candidate::of(&fields, layout.len()) else { continue };
            if !candidate.is_near() {
                continue;
            }
            let broken = |text: &str| text.contains(char::REPLACEMENT_CHARACTER);
            if [candidate.scenario, candidate.platform, candidate.commit].into_iter().any(broken) {
                return sink.skip(number, line, || "the row is not UTF-8".to_owned());
            }
            match candidate.problem(layout) {
                None => return candidate.emit(number, layout, sink),
                Some(problem) => return sink.skip(number, line, || problem),
            }
        }
    }

    /// A header in the log describes the rows behind it that have as many columns.
    fn take_header(&mut self, fields: &[Cow<'_, str>], sink: &mut Sink<'_>) -> bool {
        let named =
            |field: &str| field.rsplit([' ', '\t', '>', '[']).next().is_some_and(|last| last == "scenario");
        let Some(at) = fields.iter().position(|field| named(field)) else { return false };
        let [_, platform, commit, run, metrics @ ..] = &fields[at..] else { return false };
        if (&**platform, &**commit, &**run) != ("platform", "commit", "runIndex") || metrics.is_empty() {
            return false;
        }
        let layout: Vec<Name> = metrics.iter().map(|name| sink.metric(name)).collect();
        self.layouts.retain(|other| other.len() != layout.len());
        self.layouts.push(layout);
        self.layouts.sort_by_key(|layout| std::cmp::Reverse(layout.len()));
        true
    }
}

impl<'a> Candidate<'a> {
    fn of(fields: &'a [Cow<'_, str>], metrics: usize) -> Option<Self> {
        let first = fields.len().checked_sub(KEY + metrics)?;
        let [scenario, platform, commit, run, numbers @ ..] = &fields[first..] else { return None };
        let candidate = Self {
            scenario: match scenario {
                Cow::Borrowed(bare) => without_prefix(bare),
                Cow::Owned(quoted) => quoted,
            },
            platform,
            commit,
            run: run_index(run),
            numbers: numbers.iter().map(|field| number(field)).collect(),
        };
        candidate.has_key().then_some(candidate)
    }

    fn has_key(&self) -> bool {
        let has_letter = |text: &str| text.chars().any(char::is_alphabetic);
        // A number where the commit should be is a metric of a wider row.
        let is_number = self.commit.len() < SHORTEST_COMMIT && Value::parse(self.commit).is_some();
        let is_commit = !is_number && !self.commit.contains(char::is_whitespace);
        has_letter(self.scenario) && has_letter(self.platform) && is_commit
    }

    /// Why it is no row; of several reasons, the first column's.
    fn problem(&self, layout: &[Name]) -> Option<String> {
        if self.platform.starts_with(char::is_whitespace) {
            return Some("a field begins with a space: a name with a comma needs quotes".to_owned());
        }
        if let Err(run) = self.run {
            return Some(format!("`{run}` is not a run index"));
        }
        let bad = layout.iter().zip(&self.numbers).find_map(|(name, number)| Some((name, number.err()?)));
        if let Some((name, text)) = bad {
            return Some(format!("`{text}` is not a number (column `{name}`)"));
        }
        self.numbers.iter().all(|number| *number == Ok(None)).then(|| "no metric was measured".to_owned())
    }

    /// Whether it has the shape of a row: most of what should be numbers are.
    fn is_near(&self) -> bool {
        let good =
            self.numbers.iter().filter(|number| number.is_ok()).count() + usize::from(self.run.is_ok());
        let columns = self.numbers.len() + 1;
        good * 2 > columns && (self.run.is_ok() || good == columns - 1)
    }

    fn emit(&self, line: u64, layout: &[Name], sink: &mut Sink<'_>) {
        let measured =
            |(name, number): (&Name, &Result<Option<Value>, _>)| Some((Name::clone(name), (*number).ok()??));
        let metrics: Metrics = layout.iter().zip(&self.numbers).filter_map(measured).collect();
        let cells = Cells {
            scenario: self.scenario,
            platform: self.platform,
            commit: self.commit,
            run_index: self.run.unwrap_or(crate::row::AGGREGATE),
            machine_class: None,
        };
        sink.row(line, &cells, metrics);
    }
}

/// A line that ends behind its run index, as a log does whose writer was killed.
fn cut_off(fields: &[Cow<'_, str>], metrics: usize) -> Option<String> {
    let is_commit = |text: &str| {
        (SHORTEST_COMMIT..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
    };
    let at = fields.windows(2).position(|pair| is_commit(&pair[0]) && run_index(&pair[1]).is_ok())?;
    let found = fields.len() - at + 2;
    let keyed = at >= 2 && fields[at - 1].chars().any(char::is_alphabetic);
    (keyed && found < KEY + metrics)
        .then(|| format!("the row ends after {found} of {} columns", KEY + metrics))
}

fn run_index(text: &str) -> Result<i64, &str> {
    text.trim().parse().ok().filter(|run| (-1..=HIGHEST_RUN).contains(run)).ok_or(text)
}

/// A metric's cell: a number, or nothing (an empty cell and −1 stand for "not measured").
pub(super) fn number(text: &str) -> Result<Option<Value>, &str> {
    match text.trim() {
        "" => Ok(None),
        text => match Value::parse(text) {
            Some(value) => Ok(Some(value).filter(|value| !value.is_unmeasured())),
            None => Err(text),
        },
    }
}

/// The end of the text that precedes a row is white space or markup.
fn without_prefix(field: &str) -> &str {
    const CDATA: &str = "<![CDATA[";
    let field = field.rsplit_once(CDATA).map_or(field, |(_, rest)| rest);
    let field = match field.rsplit_once('>') {
        Some((markup, rest)) if markup.contains('<') => rest,
        _ => field,
    };
    field.rsplit(char::is_whitespace).next().unwrap_or(field)
}

/// What may follow a row on its line: the end of the markup that holds it.
fn without_markup_end(line: &[u8]) -> &[u8] {
    if line.last() != Some(&b'>') {
        return line;
    }
    let end = memchr::memmem::find(line, b"]]>").or_else(|| memchr::memmem::find(line, b"</"));
    line[..end.unwrap_or(line.len())].trim_ascii_end()
}

/// The places of the last `most` comma-separated fields, in order. A comma inside quotes separates nothing.
fn last_fields(line: &[u8], most: usize, fields: &mut Vec<(usize, usize)>) {
    fields.clear();
    let quoted = memchr::memchr(b'"', line).is_some();
    let mut end = line.len();
    while fields.len() < most {
        let comma = if quoted { comma_before(line, end) } else { memchr::memrchr(b',', &line[..end]) };
        fields.push((comma.map_or(0, |at| at + 1), end));
        let Some(comma) = comma else { break };
        end = comma;
    }
    fields.reverse();
}

/// The last comma before `end` that separates: not one inside a field that ends with a quote.
fn comma_before(line: &[u8], end: usize) -> Option<usize> {
    let from = match line[..end].strip_suffix(b"\"") {
        Some(inside) => opening_quote(inside).unwrap_or(end),
        None => end,
    };
    memchr::memrchr(b',', &line[..from])
}

/// Where the field opens whose text ends here; doubled quotes are part of it.
fn opening_quote(inside: &[u8]) -> Option<usize> {
    let mut end = inside.len();
    loop {
        let quote = memchr::memrchr(b'"', &inside[..end])?;
        match quote.checked_sub(1) {
            Some(before) if inside[before] == b'"' => end = before,
            _ => return Some(quote),
        }
    }
}

/// A field without its quotes. Text before the opening quote is a log's prefix, which goes.
fn unquoted(field: &str) -> Cow<'_, str> {
    let Some(inside) = field.strip_suffix('"') else { return Cow::Borrowed(field) };
    match opening_quote(inside.as_bytes()) {
        Some(quote) => Cow::Owned(inside[quote + 1..].replace("\"\"", "\"")),
        None => Cow::Borrowed(field),
    }
}
