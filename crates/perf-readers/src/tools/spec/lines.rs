//! Lines that expressions describe.

use std::borrow::Cow;

use regex::bytes::Regex;

use super::Spec;
use super::fields::Fields;
use crate::tools::common::prelude::*;
use perf_config::Expression;

/// The lines of a described format.
pub(super) struct Lines {
    spec: &'static Spec,
    expressions: Vec<&'static Regex>,
    /// The expressions of lines above the results, and the parts of such lines.
    above: Vec<&'static Regex>,
    known: Parts,
    /// The result that further lines may add to, and its line.
    open: Option<(u64, Parts)>,
}

/// The named parts of lines.
type Parts = Vec<(Cow<'static, str>, Json<'static>)>;

impl Lines {
    pub(super) fn new(spec: &'static Spec) -> Self {
        let compiled =
            |lines: &'static [Expression]| lines.iter().filter_map(|line| line.regex().ok()).collect();
        let (expressions, above) = (compiled(&spec.entry.lines), compiled(&spec.entry.above));
        Self { spec, expressions, above, known: Vec::new(), open: None }
    }

    /// The expression that a line matches: the first one begins a result, and others match only behind it.
    fn place(&self, line: &[u8]) -> Option<usize> {
        let tried = if self.open.is_some() { self.expressions.len() } else { 1 };
        self.expressions.iter().take(tried).position(|expression| expression.is_match(line))
    }

    /// Ends the result, which is cut off unless a line has ended it.
    fn close(&mut self, is_whole: bool, sink: &mut RowCollector<'_>) {
        let Some((line, mut parts)) = self.open.take() else { return };
        parts.extend(self.known.iter().cloned());
        let parts = Json::Object(parts);
        let fields = Fields::of(&parts);
        if is_whole || self.expressions.len() == 1 {
            return self.spec.row(&fields, line, sink);
        }
        let name = self.spec.name(&fields);
        sink.skip(line, name.as_bytes(), || format!("result of `{name}` is cut off"));
    }
}

/// The named parts of a line.
fn parts(
    expression: &'static Regex,
    line: &[u8],
) -> impl Iterator<Item = (Cow<'static, str>, Json<'static>)> {
    let captures = expression.captures(line);
    expression.capture_names().flatten().filter_map(move |name| {
        let part = captures.as_ref()?.name(name)?.as_bytes();
        Some((Cow::Borrowed(name), Json::Text(Cow::Owned(text(part).into_owned()))))
    })
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if let Some(above) = self.above.iter().copied().find(|above| above.is_match(line)) {
            self.close(false, sink);
            self.known.retain(|(name, _)| above.capture_names().flatten().all(|other| other != name));
            self.known.extend(parts(above, line));
            return true;
        }
        let Some(place) = self.place(line) else { return false };
        let parts: Parts = parts(self.expressions[place], line).collect();
        let is_known = |all: &Parts| parts.iter().any(|(name, _)| all.iter().any(|(known, _)| known == name));
        if place == 0 && self.open.as_ref().is_none_or(|(_, all)| is_known(all)) {
            self.close(false, sink);
            self.open = Some((number, Vec::new()));
        }
        if let Some((begin, all)) = &mut self.open {
            *begin = if place == 0 { number } else { *begin };
            // The first line counts that has a part.
            let new = |(name, _): &(Cow<'_, str>, _)| all.iter().all(|(known, _)| known != name);
            let parts: Parts = parts.into_iter().filter(new).collect();
            all.extend(parts);
        }
        if place + 1 == self.expressions.len() {
            self.close(true, sink);
        }
        true
    }

    fn is_cut_off(&self, line: &[u8]) -> bool {
        let Some(place) = self.place(line) else { return false };
        let (expression, failed) = (self.expressions[place], &self.spec.entry.failed);
        let Some(captures) = expression.captures(line) else { return false };
        // A result that ends before its last line is cut off anyway, and a state is no number.
        let is_number = |name: &&str| failed.iter().all(|fields| !fields.contains_key(*name));
        let numbers = expression.capture_names().flatten().filter(is_number);
        let mut parts = numbers.filter_map(|name| captures.name(name));
        place + 1 == self.expressions.len() && parts.any(|part| part.end() == line.len())
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.close(false, sink);
    }
}
