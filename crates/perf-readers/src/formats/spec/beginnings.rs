//! The texts that begin all lines which an expression can match: most lines have none of them, and need no search.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::literal::Extractor;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// The most texts to compare a line with; beyond it, only their common prefix or their first bytes are compared.
const MOST: usize = 16;

/// The beginnings of lines, behind white space.
#[derive(Debug)]
pub(super) struct Beginnings {
    /// `None` where a line may begin with anything.
    texts: Option<Vec<Vec<u8>>>,
    /// Which bytes are the first of one.
    firsts: [bool; 256],
}

impl Beginnings {
    pub(super) fn of(expression: &str) -> Self {
        let parsed = ParserBuilder::new()
            .unicode(false)
            .utf8(false)
            .build()
            .parse(expression);
        let texts = parsed.ok().and_then(|expression| beginnings(&expression));
        let mut firsts = [false; 256];
        for first in texts.iter().flatten().filter_map(|text| text.first()) {
            firsts[usize::from(*first)] = true;
        }
        Self { texts, firsts }
    }

    /// True if a line without the white space before it begins so.
    pub(super) fn may_match(&self, line: &[u8]) -> bool {
        let may_begin = || {
            line.first()
                .is_some_and(|first| self.firsts[usize::from(*first)])
        };
        let begins = |text: &Vec<u8>| line.starts_with(text);
        self.texts
            .as_ref()
            .is_none_or(|texts| may_begin() && texts.iter().any(begins))
    }
}

/// A line without the white space before it, as expressions have it.
pub(super) fn without_blanks(line: &[u8]) -> &[u8] {
    let first = line.iter().position(|byte| !is_blank(*byte));
    &line[first.unwrap_or(line.len())..]
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

fn beginnings(expression: &Hir) -> Option<Vec<Vec<u8>>> {
    let parts = match expression.kind() {
        HirKind::Alternation(all) => {
            let all: Option<Vec<_>> = all.iter().map(beginnings).collect();
            return Some(all?.concat());
        }
        HirKind::Concat(parts) if *parts[0].kind() == HirKind::Look(Look::Start) => &parts[1..],
        _ => return None,
    };
    let first = parts.iter().position(|part| !is_white_space(part))?;
    let mut texts = Extractor::new().extract(&Hir::concat(parts[first..].to_vec()));
    if texts.len().is_none_or(|count| count > MOST) {
        match texts.longest_common_prefix().map(<[u8]>::to_vec) {
            Some(shared) if !shared.is_empty() => return Some(vec![shared]),
            _ => texts.keep_first_bytes(1),
        }
        texts.dedup();
    }
    let texts: Vec<Vec<u8>> = texts
        .literals()?
        .iter()
        .map(|text| text.as_bytes().to_vec())
        .collect();
    texts
        .iter()
        .all(|text| text.first().is_some_and(|first| !is_blank(*first)))
        .then_some(texts)
}

/// True for `\s*`, `\s+` and blanks.
fn is_white_space(part: &Hir) -> bool {
    match part.kind() {
        HirKind::Literal(text) => text.0.iter().all(|byte| is_blank(*byte)),
        HirKind::Class(Class::Bytes(class)) => class
            .ranges()
            .iter()
            .all(|range| (range.start()..=range.end()).all(is_blank)),
        HirKind::Repetition(repeated) => is_white_space(&repeated.sub),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_cannot_match_are_known_by_their_beginnings() {
        for (expression, line, may_match) in [
            (
                r"^Complete requests:\s*(?<complete>\d+)$",
                "Complete requests: 5",
                true,
            ),
            (
                r"^Complete requests:\s*(?<complete>\d+)$",
                "Completed",
                false,
            ),
            (
                r"^\s*(?:(?<begin>Server Software:)|Server Port: (?<port>\d+))",
                "  Server Port: 80",
                true,
            ),
            (
                r"^\s*(?:(?<begin>Server Software:)|Server Port: (?<port>\d+))",
                "Server Name",
                false,
            ),
            (r"^(?<key>[1-9]?\d)%\s+(?<value>\d+)$", "95%  12", true),
            (r"^(?<key>[1-9]?\d)%\s+(?<value>\d+)$", "Total", false),
            (r"^one (?<a>\d)|^\s+two (?<b>\d)", " two 2", true),
            (r"^(?<name>\S.*): (?<value>\d+)", "anything", true),
            (r"(?<value>\d+) ms", "anything", true),
            (r"^(?:\s+)?x(?<value>\d+)", " x1", true),
            (r"^│ Stat\s+(?<value>\d+)", "│ Stat  5", true),
            (r"^│ Stat\s+(?<value>\d+)", "│ Latency", false),
        ] {
            let found = Beginnings::of(expression).may_match(without_blanks(line.as_bytes()));
            assert_eq!(found, may_match, "{expression} {line}");
        }
    }
}
