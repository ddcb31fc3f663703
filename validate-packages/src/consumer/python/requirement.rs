//! A requirement in PEP 508 syntax: `name[extra] ==1.2.3; marker`.

use std::ops::Range;

use perf_model::packages::Kind;

use crate::consumer::DeclaredChoice;

/// A requirement's parts, as bytes of its text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Requirement {
    pub name: Range<usize>,
    /// From the first operator to the last version; empty where they are missing.
    pub spec: Range<usize>,
    pub choice: DeclaredChoice,
}

impl Requirement {
    /// Parses a requirement. One without a name (a URL, a path) is its own name.
    pub fn parse(text: &str) -> Self {
        let start = text.len() - text.trim_start().len();
        let is_other = |c: char| !c.is_alphanumeric() && !"-_.".contains(c);
        let name = start
            ..text[start..]
                .find(is_other)
                .map_or(text.len(), |end| start + end);
        let behind = &text[name.end..];
        let extras = behind
            .trim_start()
            .strip_prefix('[')
            .and_then(|extras| extras.split_once(']'));
        let after = text.len() - extras.map_or(behind, |(_, after)| after).len();
        let rest = &text[after..];
        if rest.trim_start().starts_with('@') {
            return Self {
                name,
                spec: after..text.len(),
                choice: DeclaredChoice::Elsewhere("a URL"),
            };
        }
        let spec = trimmed(
            text,
            after..after + rest.find([';', '#']).unwrap_or(rest.len()),
        );
        if !spec.is_empty() && !text[spec.clone()].starts_with(['=', '<', '>', '!', '~', '(']) {
            return Self {
                name: trimmed(text, 0..text.len()),
                spec,
                choice: DeclaredChoice::Elsewhere("a URL"),
            };
        }
        let choice = choice(&text[spec.clone()]);
        Self { name, spec, choice }
    }
}

/// The span without surrounding whitespace, empty at its start if there is nothing else.
fn trimmed(text: &str, span: Range<usize>) -> Range<usize> {
    let inner = text[span.clone()].trim();
    if inner.is_empty() {
        return span.start..span.start;
    }
    let start = span.end - text[span.clone()].trim_start().len();
    start..start + inner.len()
}

/// `==` with a full version is exact; everything else is a range.
fn choice(spec: &str) -> DeclaredChoice {
    let spec = spec.trim_start_matches('(').trim_end_matches(')').trim();
    let exact = spec
        .strip_prefix("===")
        .or_else(|| spec.strip_prefix("=="))
        .unwrap_or_default();
    DeclaredChoice::of_version(Kind::Python, exact.trim())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(text: &str) -> (&str, &str, DeclaredChoice) {
        let Requirement { name, spec, choice } = Requirement::parse(text);
        (&text[name], &text[spec], choice)
    }

    #[test]
    fn parses_requirements() {
        let exact = |version: &str| DeclaredChoice::Exact(version.to_owned());
        assert_eq!(parts("rich==13.7.1"), ("rich", "==13.7.1", exact("13.7.1")));
        assert_eq!(
            parts(" a.b[x, y] == 1.0 ; python_version < '3'"),
            ("a.b", "== 1.0", exact("1.0"))
        );
        assert_eq!(parts("rich (===1.0)"), ("rich", "(===1.0)", exact("1.0")));
        assert_eq!(
            parts("rich>=1,<2 # why"),
            ("rich", ">=1,<2", DeclaredChoice::Range)
        );
        assert_eq!(parts("rich==1.*"), ("rich", "==1.*", DeclaredChoice::Range));
        assert_eq!(parts("rich"), ("rich", "", DeclaredChoice::Range));
        assert_eq!(parts("rich ; x"), ("rich", "", DeclaredChoice::Range));
        assert_eq!(
            parts("rich @ https://e.org/r.zip").2,
            DeclaredChoice::Elsewhere("a URL")
        );
        assert_eq!(parts("./local/x").0, "./local/x");
    }

    proptest! {
        #[test]
        fn never_panics(text in r"([a-z\[\];#@=<>()~ é.]|==1){0,24}") {
            let _ = parts(&text);
        }
    }
}
