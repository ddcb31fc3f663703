//! Scripts that set up a Unity project, such as the generator of a temporary one.
//!
//! They read the versions from the manifest. A version next to a package ID in a script would not follow the next pin,
//! so it is an error in every script, listed or not.

use std::ops::Range;
use std::rc::Rc;

use perf_model::packages::Consumer;

use crate::checker::Checker;
use crate::finding::FindingRule;
use crate::source::{SourceFile, SourceSpan};
use crate::version;

const BLOCKS: &[(&str, &str)] = &[("/*", "*/"), ("<#", "#>")];

/// Checks a script that a consumer lists; `false` if it does not exist.
pub(super) fn check(checker: &mut Checker<'_>, path: &str, consumer: &Consumer) -> bool {
    let Ok(source) = checker.open(path) else {
        return true;
    };
    let Some(source) = source else { return false };
    checker.compared.insert(path.to_owned());
    let code = code(&source.text);
    let manifest = manifest_name(checker);
    let start = SourceSpan::start(&source);
    for text in [&manifest].into_iter().chain(&consumer.mentions) {
        if code.contains(text.as_str()) {
            continue;
        }
        let message = format!("the code does not mention `{text}`");
        let hint = if *text == manifest {
            format!("read the versions from `{}`", checker.source.path)
        } else {
            "restore the reference, or remove it from this consumer's `mentions`".to_owned()
        };
        checker
            .find(FindingRule::Reference, &start, message, hint)
            .expected(text);
    }
    check_versions(checker, &source, &code);
    true
}

/// Checks a script that no consumer lists. It is a generator if it writes a project's manifest or has versions.
pub(super) fn check_unlisted(checker: &mut Checker<'_>, file: &str) {
    // A script that is not about packages is not among the checked files.
    let report = std::mem::take(&mut checker.report);
    let source = checker.open(file);
    checker.report = report;
    let Ok(Some(source)) = source else { return };
    let code = code(&source.text);
    let has_versions = check_versions(checker, &source, &code);
    if code.contains(&manifest_name(checker)) {
        return;
    }
    let mut ids = checker.manifest.packages.keys();
    let named = ids.find(|id| !mentions(&code, id).is_empty());
    let writes_manifest = named.is_some() && code.contains("manifest.json");
    let is_generator = has_versions || writes_manifest || code.contains("scopedRegistries");
    let message = match named {
        _ if is_generator => "a script sets up packages, but does not read the manifest".to_owned(),
        Some(id) => format!("a script mentions `{id}`, but does not read the manifest"),
        None => return,
    };
    let hint = format!(
        "generate the project's manifest with `perf-gate packages generate`, read `{0}`, or add `{1}` to its `ignore`",
        checker.source.path, source.path
    );
    let start = SourceSpan::start(&source);
    let found = named.cloned();
    if is_generator {
        checker
            .find(FindingRule::Reference, &start, message, hint)
            .found = found;
    } else {
        let finding = checker.find(FindingRule::Unlisted, &start, message, hint);
        finding.warning().found = found;
    }
}

fn manifest_name(checker: &Checker<'_>) -> String {
    let path = &checker.source.path;
    path.rsplit('/').next().unwrap_or_default().to_owned()
}

/// Reports each version of a pinned package in a script; returns whether there is one.
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

/// The code of a script: comments are replaced by spaces, so that positions stay. `#`, `//`, `/* */` and `<# #>` are
/// comments if they begin a word; within a word they belong to a URL or a path.
fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut block_end: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let mut is_comment = false;
        for word in line.split_inclusive(char::is_whitespace) {
            let block = BLOCKS.iter().find(|(start, _)| word.starts_with(start));
            if let (None, false, Some((_, end))) = (block_end, is_comment, block) {
                block_end = Some(end);
            }
            is_comment |= block_end.is_none() && (word.starts_with('#') || word.starts_with("//"));
            if is_comment || block_end.is_some() {
                let blank = |c: char| {
                    if c == '\n' {
                        "\n".to_owned()
                    } else {
                        " ".repeat(c.len_utf8())
                    }
                };
                code.extend(word.chars().map(blank));
            } else {
                code.push_str(word);
            }
            if block_end.is_some_and(|end| word.contains(end)) {
                block_end = None;
            }
        }
    }
    code
}

/// The places of a package ID, but not as a part of a longer ID.
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

/// The version that belongs to a package ID: the next one on its line, on the line after it, or the one before it.
fn version_near(code: &str, id: &Range<usize>) -> Option<Range<usize>> {
    let line_start = code[..id.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = code[id.end..]
        .find('\n')
        .map_or(code.len(), |at| id.end + at);
    let next_end = code[line_end..]
        .get(1..)
        .and_then(|rest| rest.find('\n'))
        .map_or(code.len(), |at| line_end + 1 + at);
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

/// The tokens of a text that starts at this offset.
fn tokens(text: &str, mut offset: usize) -> Vec<(&str, usize)> {
    let mut tokens = Vec::new();
    for part in text.split_inclusive(|c| !is_token(c)) {
        tokens.push((part.trim_end_matches(|c| !is_token(c)), offset));
        offset += part.len();
    }
    tokens
}

/// The first token with a dot, if it is a version. Another ID, or a variable such as `$pins.packages`, ends the search.
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
