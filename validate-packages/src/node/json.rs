//! Strict JSON with positions, from `jsonc-parser`'s syntax tree.

use std::rc::Rc;

use jsonc_parser::ast::{ObjectProp, Value as Ast};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::{Node, NodeValue, ObjectEntry};
use crate::source::{ParseError, SourceFile, SourceSpan};

/// No extensions of JSON are allowed, because package managers read these files as plain JSON.
const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(crate) fn read(source: &Rc<SourceFile>) -> Result<Node, ParseError> {
    let parsed = parse_to_ast(&source.text, &CollectOptions::default(), &STRICT);
    let parsed = parsed.map_err(|error| {
        let mut message = error.kind().to_string();
        if let Some(first) = message.get_mut(..1) {
            first.make_ascii_lowercase();
        }
        let offset = error.range().start;
        ParseError { offset, message }
    })?;
    match &parsed.value {
        Some(ast) => Ok(node(source, ast)),
        None => Err(ParseError {
            offset: 0,
            message: "the file is empty".to_owned(),
        }),
    }
}

fn node(source: &Rc<SourceFile>, ast: &Ast<'_>) -> Node {
    let value = match ast {
        Ast::Object(object) => {
            let properties = object.properties.iter();
            NodeValue::Object(properties.map(|property| entry(source, property)).collect())
        }
        Ast::Array(array) => {
            let elements = array.elements.iter();
            NodeValue::Array(elements.map(|item| node(source, item)).collect())
        }
        Ast::StringLit(text) => NodeValue::String(text.value.to_string()),
        _ => NodeValue::Other,
    };
    Node::new(source, ast.start()..ast.end(), value)
}

fn entry(source: &Rc<SourceFile>, property: &ObjectProp<'_>) -> ObjectEntry {
    let name = &property.name;
    let at = SourceSpan::new(source, name.start()..name.end());
    ObjectEntry {
        key: name.as_str().to_owned(),
        at,
        node: node(source, &property.value),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value as Json;

    use super::*;

    fn parse(text: &str) -> Result<Node, ParseError> {
        read(&Rc::new(SourceFile::new("a.json", text)))
    }

    /// Whether the tree equals serde_json's value, and every span contains exactly its value.
    fn same(node: &Node, json: &Json) -> bool {
        let spanned = serde_json::from_str::<Json>(node.place.text())
            .ok()
            .as_ref()
            == Some(json);
        let is_same = |entry: &ObjectEntry, map: &serde_json::Map<String, Json>| {
            entry.at.text().starts_with('"') && same(&entry.node, &map[&entry.key])
        };
        spanned
            && match json {
                Json::Object(map) => node.entries().iter().all(|entry| is_same(entry, map)),
                Json::Array(items) => {
                    items.len() == node.items().len()
                        && items
                            .iter()
                            .zip(node.items())
                            .all(|(json, node)| same(node, json))
                }
                Json::String(text) => node.text() == Some(text),
                _ => matches!(node.value, NodeValue::Other),
            }
    }

    fn json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<f64>().prop_map(Json::from),
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
        fn tree_agrees_with_serde(json in json(), pretty: bool) {
            let text = if pretty { format!("{json:#}\r\n") } else { json.to_string() };
            prop_assert!(same(&parse(&text).unwrap(), &json));
        }

        #[test]
        fn accepts_what_serde_accepts(text in r#"([\[\]{},:"\\ \n/']|[a-z0-9é+.-]|\\u[dD][89]00|null|"a"){0,12}"#) {
            prop_assert_eq!(parse(&text).is_ok(), serde_json::from_str::<Json>(&text).is_ok(), "{}", text);
        }
    }

    #[test]
    fn errors_have_a_position() {
        let fails = |text: &str| parse(text).map(|_| ()).unwrap_err();
        assert_eq!(fails("{\n \"a\": }").offset, 8);
        assert_eq!(fails("{} x").offset, 3);
        assert_eq!(fails("").message, "the file is empty");
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(fails(&deep).message, "maximum nesting depth exceeded");
    }

    #[test]
    fn duplicate_keys_are_kept() {
        let node = parse(r#"{"a": "1", "a": "2"}"#).unwrap();
        assert_eq!((node.entries().len(), node.text_at(&["a"])), (2, Some("2")));
    }
}
