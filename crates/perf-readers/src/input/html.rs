//! HTML around lines that were copied from a page: entities, and the tags of preformatted text.

use memchr::{memchr, memchr2, memmem};

/// The tags around preformatted text; no name of a benchmark is likely to have one.
const TAGS: [&[u8]; 6] = [b"pre", b"code", b"samp", b"span", b"details", b"summary"];

/// The entities that stand for characters in results.
const ENTITIES: [(&[u8], char); 11] = [
    (b"lt", '<'),
    (b"gt", '>'),
    (b"amp", '&'),
    (b"quot", '"'),
    (b"apos", '\''),
    (b"nbsp", ' '),
    (b"plusmn", '±'),
    (b"micro", 'µ'),
    (b"mu", 'μ'),
    (b"times", '×'),
    (b"hellip", '…'),
];

/// The beginnings of XML documents, which may stand behind other text.
const DOCUMENTS: [&[u8]; 4] = [b"<?xml ", b"<testsuite", b"<testResults", b"<test-run"];

/// The longest name or number of an entity.
const LONGEST_ENTITY: usize = 8;

/// True if a text has lines that were copied from a page, and is no document of its own, whose reader knows entities.
pub(super) fn is_in(text: &[u8]) -> bool {
    let begins = text.trim_ascii_start();
    let is_document = match begins.first() {
        Some(b'{' | b'[') => true,
        Some(b'<') => marked(begins).is_none() && memmem::find(begins, b"<html").is_none(),
        _ => false,
    };
    let is_document = is_document
        || DOCUMENTS
            .iter()
            .any(|mark| memmem::find(text, mark).is_some());
    let mut marks = memchr::memchr2_iter(b'&', b'<', text);
    !is_document && marks.any(|at| marked(&text[at..]).is_some())
}

/// Appends a line without tags and entities. Returns whether it had any.
pub(super) fn decode(line: &[u8], into: &mut Vec<u8>) -> bool {
    let (mut rest, mut is_changed) = (line, false);
    while let Some(at) = memchr2(b'&', b'<', rest) {
        into.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let (length, character) = marked(rest).unwrap_or((0, None));
        is_changed |= length > 0;
        match character {
            Some(character) => {
                into.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            None if length == 0 => into.push(rest[0]),
            None => {}
        }
        rest = &rest[length.max(1)..];
    }
    into.extend_from_slice(rest);
    is_changed
}

/// Length of the tag or entity that a text begins with, and the character that the entity stands for.
fn marked(text: &[u8]) -> Option<(usize, Option<char>)> {
    let inside = text.get(1..)?;
    if text[0] == b'<' {
        let tag = inside.strip_prefix(b"/").unwrap_or(inside);
        let ends = |rest: &[u8]| matches!(rest.first(), Some(b' ' | b'>'));
        let is_tag = TAGS
            .iter()
            .any(|name| tag.strip_prefix(*name).is_some_and(ends));
        // The name first: a line of many `<` without `>` would be searched to its end for each.
        if !is_tag {
            return None;
        }
        return Some((memchr(b'>', inside)? + 2, None));
    }
    let end = memchr(b';', &inside[..inside.len().min(LONGEST_ENTITY + 1)])?;
    let entity = &inside[..end];
    let named = || {
        ENTITIES
            .iter()
            .find(|(name, _)| *name == entity)
            .map(|(_, character)| *character)
    };
    let character = numbered(entity).or_else(named)?;
    Some((end + 2, Some(character)))
}

/// The character of `#177` or `#xb1`, if it can stand in a line.
fn numbered(entity: &[u8]) -> Option<char> {
    let number = std::str::from_utf8(entity.strip_prefix(b"#")?).ok()?;
    let code = match number.strip_prefix('x') {
        Some(number) => u32::from_str_radix(number, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?).filter(|character| !character.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(line: &str) -> (bool, String) {
        let mut plain = Vec::new();
        let is_changed = decode(line.as_bytes(), &mut plain);
        (is_changed, String::from_utf8(plain).unwrap())
    }

    #[test]
    fn tags_and_entities_are_replaced() {
        for (line, plain) in [
            ("<pre>a &lt;b&gt; &#177; &#xB5;s</pre>", "a <b> ± µs"),
            ("<code class=\"log\">x &plusmn; 1 &mu;s</code>", "x ± 1 μs"),
            ("&amp;lt;", "&lt;"),
        ] {
            assert_eq!(decoded(line), (true, plain.to_owned()), "{line}");
            assert!(is_in(line.as_bytes()), "{line}");
        }
        for line in ["a < b && c", "Vec<u8>", "&unknown; &#10; &", "<pre", "&lt"] {
            assert_eq!(decoded(line), (false, line.to_owned()), "{line}");
            assert!(!is_in(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn documents_have_entities_of_their_own() {
        for text in [
            "<testsuite name=\"a &lt; b\"/>",
            "{\"a\": \"&lt;\"}",
            "[\"&lt;\"]",
            "log\n<testsuite name=\"&lt;\">",
        ] {
            assert!(!is_in(text.as_bytes()), "{text}");
        }
    }
}
