//! Strict JSON with positions: serde_json judges the text, then a small walk notes where everything stands.

use serde::de::IgnoredAny;

use super::{Entry, MAX_DEPTH, Node, SyntaxError, Value};
use crate::source::Source;

pub(super) fn read(source: &Source) -> Result<Node, SyntaxError> {
    judge(source)?;
    Walk { text: &source.text, at: 0 }.node(0)
}

/// Skipping a value needs no recursion in serde_json, so any depth is judged.
fn judge(source: &Source) -> Result<(), SyntaxError> {
    let Err(error) = serde_json::from_str::<IgnoredAny>(&source.text) else { return Ok(()) };
    let before = source.text.split_inclusive('\n').take(error.line().saturating_sub(1));
    let offset = before.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
    let message = error.to_string();
    let message = message.rfind(" at line ").map_or(message.as_str(), |end| &message[..end]);
    Err(SyntaxError::new(offset, message))
}

/// A position in text that is known to be JSON.
struct Walk<'t> {
    text: &'t str,
    at: usize,
}

impl Walk<'_> {
    fn node(&mut self, depth: usize) -> Result<Node, SyntaxError> {
        let first = self.peek();
        let start = self.at;
        if depth > MAX_DEPTH {
            return Err(SyntaxError::too_deep(start));
        }
        let value = match first {
            Some(b'{') => Value::Object(self.object(depth + 1)?),
            Some(b'[') => Value::Array(self.array(depth + 1)?),
            Some(b'"') => Value::String(self.string()?),
            _ => self.scalar(),
        };
        Ok(Node { span: start..self.at, value })
    }

    fn object(&mut self, depth: usize) -> Result<Vec<Entry>, SyntaxError> {
        let mut entries = Vec::new();
        self.at += 1;
        while self.peek().is_some_and(|next| next != b'}') {
            let start = self.at;
            let key = self.string()?;
            let at = start..self.at;
            self.skip(b':');
            entries.push(Entry { key, at, node: self.node(depth)? });
            self.skip(b',');
        }
        self.at += 1;
        Ok(entries)
    }

    fn array(&mut self, depth: usize) -> Result<Vec<Node>, SyntaxError> {
        let mut items = Vec::new();
        self.at += 1;
        while self.peek().is_some_and(|next| next != b']') {
            items.push(self.node(depth)?);
            self.skip(b',');
        }
        self.at += 1;
        Ok(items)
    }

    fn string(&mut self) -> Result<String, SyntaxError> {
        let start = self.at;
        let mut escaped = false;
        let rest = self.text.as_bytes().get(start + 1..).unwrap_or_default();
        let close = rest.iter().position(|&byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        });
        self.at = close.map_or(self.text.len(), |close| start + close + 2);
        // What the judge lets pass when it only skips: half of a surrogate pair.
        serde_json::from_str(&self.text[start..self.at])
            .map_err(|_| SyntaxError::new(start, "string is not Unicode text"))
    }

    fn scalar(&mut self) -> Value {
        let rest = &self.text[self.at..];
        self.at += rest.find([',', ']', '}', ' ', '\t', '\r', '\n']).unwrap_or(rest.len());
        Value::Other
    }

    /// The next byte that is not blank.
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip(&mut self, mark: u8) {
        if self.peek() == Some(mark) {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value as Json;

    use super::*;

    fn parse(text: &str) -> Result<Node, SyntaxError> {
        read(&Source::new("a.json", text))
    }

    /// The tree must say what serde_json says, and every span must hold exactly its value.
    fn same(node: &Node, json: &Json, text: &str) -> bool {
        let spanned = serde_json::from_str::<Json>(&text[node.span.clone()]).ok().as_ref() == Some(json);
        spanned
            && match json {
                Json::Object(map) => {
                    map.len() == node.entries().len()
                        && node.entries().iter().all(|entry| {
                            text[entry.at.clone()].starts_with('"')
                                && same(&entry.node, &map[&entry.key], text)
                        })
                }
                Json::Array(items) => {
                    items.len() == node.items().len()
                        && items.iter().zip(node.items()).all(|(json, node)| same(node, json, text))
                }
                Json::String(text) => node.text() == Some(text),
                _ => matches!(node.value, Value::Other),
            }
    }

    fn json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<i32>().prop_map(Json::from),
            ".{0,8}".prop_map(Json::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
                prop::collection::hash_map(".{0,6}", inner, 0..4)
                    .prop_map(|map| Json::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_tree_says_what_serde_says(json in json(), pretty: bool) {
            let text = if pretty { format!("{json:#}\r\n") } else { json.to_string() };
            prop_assert!(same(&parse(&text).unwrap(), &json, &text));
        }

        #[test]
        fn nothing_panics(text in r#"([\[\]{},:"\\ \n]|[a-z0-9é]|\\u[dD][89]00){0,40}"#) {
            let _ = parse(&text);
        }
    }

    #[test]
    fn errors_have_a_place() {
        let fails = |text: &str| parse(text).map(|_| ()).unwrap_err();
        assert_eq!(fails("{\n \"a\": }"), SyntaxError::new(8, "expected value"));
        assert_eq!(fails("{\"a\": \"\\ud800\"}"), SyntaxError::new(6, "string is not Unicode text"));
        assert_eq!(fails("{} x").message, "trailing characters");
        assert_eq!(fails("").message, "EOF while parsing a value");
        assert_eq!(fails(&"[".repeat(1_000_000)).message, "EOF while parsing a list");
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        assert_eq!(fails(&deep), SyntaxError::new(129, "nested deeper than 128 levels"));
    }

    #[test]
    fn a_key_that_is_given_twice_is_there_twice() {
        let node = parse(r#"{"a": "1", "a": "2"}"#).unwrap();
        assert_eq!((node.entries().len(), node.text_at(&["a"])), (2, Some("2")));
    }
}
