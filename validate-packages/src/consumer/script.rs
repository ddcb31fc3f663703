//! Scripts that set up a Unity project, such as a temporary one.
//!
//! Such scripts must read the versions from the manifest. A version next to a package ID would not change with the pin, so
//! it is a finding in every script, even if no consumer lists the script.

use std::ops::Range;
use std::rc::Rc;

use crate::checker::Checker;
use crate::finding::FindingRule;
use crate::source::{SourceFile, SourceSpan};
use crate::version;

/// The beginnings and ends of comments.
const COMMENTS: [(&str, &str); 4] = [("/*", "*/"), ("<#", "#>"), ("//", "\n"), ("#", "\n")];

/// Checks a script. A script that a consumer lists must mention the manifest. An unlisted script must mention it only if the
/// script contains versions or writes a Unity project's manifest.
pub(super) fn check(checker: &mut Checker<'_>, source: &Rc<SourceFile>, is_listed: bool) {
    let code = code(&source.text);
    let has_versions = check_versions(checker, source, &code);
    let path = &checker.source.path;
    let manifest = path.rsplit('/').next().unwrap_or_default().to_owned();
    if code.contains(&manifest) {
        return;
    }
    let mut ids = checker.manifest.packages.keys();
    let writes_manifest = code.contains("scopedRegistries")
        || code.contains("manifest.json") && ids.any(|id| !mentions(&code, id).is_empty());
    if is_listed || has_versions || writes_manifest {
        let message = "the script sets up packages, but does not read the manifest";
        let hint = format!(
            "generate the project's manifest with `perf-gate packages generate`, read `{path}`, or add `{}` to its `ignore`",
            source.path
        );
        let start = SourceSpan::start(source);
        checker
            .find(FindingRule::Reference, &start, message, hint)
            .expected(manifest);
    }
}

/// Reports each version of a pinned package in a script, and returns whether there is one.
fn check_versions(checker: &mut Checker<'_>, source: &Rc<SourceFile>, code: &str) -> bool {
    let hint = format!("read the version from `{}`", checker.source.path);
    let mut has_versions = false;
    for section in checker.manifest.unity_sections() {
        for (id, pin) in section.pins {
            for at in mentions(code, id) {
                let Some(span) = version_near(code, &at) else {
                    continue;
                };
                let found = code[span.clone()].to_owned();
                let message = if found == *pin {
                    format!("the script repeats the version of `{id}`")
                } else {
                    format!("the script uses a different version of `{id}`")
                };
                let place = SourceSpan::new(source, span);
                checker
                    .find(FindingRule::Version, &place, message, &hint)
                    .found(found)
                    .expected(pin);
                has_versions = true;
            }
        }
    }
    has_versions
}

/// Replaces a script's comments with spaces, so that positions stay the same. A comment begins only after white space:
/// within a word, `//` and `#` belong to a URL or a path.
fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut comment_end = 0;
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        if at >= comment_end && previous.is_whitespace() {
            comment_end = at + comment_length(&text[at..]);
        }
        if at < comment_end && c != '\n' {
            code.push_str(&" ".repeat(c.len_utf8()));
        } else {
            code.push(c);
        }
        previous = c;
    }
    code
}

/// The length in bytes of the comment at the start of `text`, or 0 if there is none.
fn comment_length(text: &str) -> usize {
    for (start, end) in COMMENTS {
        if let Some(inner) = text.strip_prefix(start) {
            let end = inner.find(end).map_or(inner.len(), |at| at + end.len());
            return start.len() + end;
        }
    }
    0
}

/// The positions of a package ID, except within longer IDs.
fn mentions(code: &str, id: &str) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    for (start, _) in code.match_indices(id) {
        let end = start + id.len();
        let before = code[..start].chars().next_back();
        let after = code[end..].chars().next();
        if !before.is_some_and(is_token) && !after.is_some_and(is_token) {
            places.push(start..end);
        }
    }
    places
}

/// Characters of versions, package IDs and variables.
fn is_token(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '+' | '_' | '$')
}

/// Finds the version that belongs to a package ID. It is the first version after the ID on the same line. The following line
/// is included if the statement continues there, or if that line contains `version`. If there is none, it is the last
/// version before the ID on the same line, but only if the text there contains `version`.
fn version_near(code: &str, id: &Range<usize>) -> Option<Range<usize>> {
    let line_start = code[..id.start].rfind('\n').map_or(0, |at| at + 1);
    let mut ends = code[id.end..]
        .match_indices('\n')
        .map(|(at, _)| id.end + at);
    let line_end = ends.next().unwrap_or(code.len());
    let next_end = ends.next().unwrap_or(code.len());
    let is_continued = code[..line_end]
        .trim_end()
        .ends_with(['{', '[', '(', ',', '=', ':', '`', '\\']);
    let says_version = |part: &str| part.to_lowercase().contains("version");
    let end = if is_continued || says_version(&code[line_end..next_end]) {
        next_end
    } else {
        line_end
    };
    let after = first_version(tokens(&code[id.end..end], id.end));
    if after.is_some() || !says_version(&code[line_start..id.start]) {
        return after;
    }
    let before = tokens(&code[line_start..id.start], line_start);
    first_version(before.into_iter().rev())
}

/// Splits `text` into tokens, each with its offset. `offset` is the offset of `text` in the script.
fn tokens(text: &str, mut offset: usize) -> Vec<(&str, usize)> {
    let mut tokens = Vec::new();
    for part in text.split_inclusive(|c| !is_token(c)) {
        tokens.push((part.trim_end_matches(|c| !is_token(c)), offset));
        offset += part.len();
    }
    tokens
}

/// The first token with a dot, if it is a version. Another ID or a variable such as `$pins.packages` ends the search.
fn first_version<'c>(tokens: impl IntoIterator<Item = (&'c str, usize)>) -> Option<Range<usize>> {
    let dotted = tokens.into_iter().find(|(token, _)| token.contains('.'));
    let (token, at) = dotted?;
    let number = token.trim_start_matches('v').trim_end_matches(['.', '-']);
    let start = at + token.len() - token.trim_start_matches('v').len();
    version::is_exact_for_unity(number).then(|| start..start + number.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_not_code() {
        let text = "<# a\nb #> c # d\n  // é\nhttps://f x/* /* g\n*/ h\n/*i*/ j\n#k";
        let code = code(text);
        let words: Vec<&str> = code.split_whitespace().collect();
        assert_eq!(words, ["c", "https://f", "x/*", "h", "j"]);
        assert_eq!(code.len(), text.len());
    }

    #[test]
    fn version_belongs_to_the_id_next_to_it() {
        let version = |code: &str| {
            let at = mentions(code, "com.a.b").into_iter().next()?;
            version_near(code, &at).map(|span| code[span].to_owned())
        };
        for code in [
            "'com.a.b' = '1.2.3'",
            "openupm add com.a.b@1.2.3",
            "git+https://x/com.a.b#v1.2.3",
            "@{ name = 'com.a.b'; version = '1.2.3' }",
            "@{ version = '1.2.3'; name = 'com.a.b' }",
            "add('com.a.b',\n    '1.2.3')",
            "name: 'com.a.b'\nversion: '1.2.3'",
            "\"com.a.b\": \"^1.2.3\"",
        ] {
            assert_eq!(version(code).as_deref(), Some("1.2.3"), "{code}");
        }
        for code in [
            "$deps['com.a.b'] = $pins.packages.'com.a.b' # 1.2.3",
            "{'com.a.b': v, 'com.other': '1.2.3'}",
            "use com.a.b\nnode 18.0.0",
            "com.a.b.editor = '1.2.3'",
            "com.a.b 2021.3.0f1",
        ] {
            assert_eq!(version(&super::code(code)), None, "{code}");
        }
    }
}
