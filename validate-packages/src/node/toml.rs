//! TOML with positions, from `toml`'s spanned tree, which limits the nesting depth.

use std::rc::Rc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Node, NodeValue, ObjectEntry};
use crate::source::{ParseError, SourceFile, SourceSpan};

pub(crate) fn read(source: &Rc<SourceFile>) -> Result<Node, ParseError> {
    let table = DeTable::parse(&source.text).map_err(|error| ParseError {
        offset: error.span().map_or(0, |span| span.start),
        message: error.message().to_owned(),
    })?;
    Ok(Node::new(
        source,
        table.span(),
        object(source, table.get_ref()),
    ))
}

fn object(source: &Rc<SourceFile>, table: &DeTable<'_>) -> NodeValue {
    let entry = |(key, value): (&Spanned<_>, _)| ObjectEntry {
        key: ToString::to_string(key.get_ref()),
        at: SourceSpan::new(source, key.span()),
        node: node(source, value),
    };
    let mut entries: Vec<ObjectEntry> = table.iter().map(entry).collect();
    // The entries of a table that is defined in several parts are not in file order yet.
    entries.sort_by_key(|entry| entry.at.span.start);
    NodeValue::Object(entries)
}

fn node(source: &Rc<SourceFile>, spanned: &Spanned<DeValue<'_>>) -> Node {
    let value = match spanned.get_ref() {
        DeValue::Table(table) => object(source, table),
        DeValue::Array(items) => {
            NodeValue::Array(items.iter().map(|item| node(source, item)).collect())
        }
        DeValue::String(text) => NodeValue::String(text.to_string()),
        _ => NodeValue::Other,
    };
    Node::new(source, spanned.span(), value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Node, ParseError> {
        read(&Rc::new(SourceFile::new("a.toml", text)))
    }

    #[test]
    fn strings_and_keys_have_spans() {
        let text = "[b]\nz = '1'\n[[a]]\nb.c = \"\"\"2\"\"\"\n";
        let source = Rc::new(SourceFile::new("a.toml", text));
        let root = read(&source).unwrap();
        let keys: Vec<&str> = root.entries().iter().map(|entry| entry.at.text()).collect();
        assert_eq!(keys, ["b", "a"]);
        let (one, two) = (
            root.at(&["b", "z"]).unwrap(),
            root.at(&["a", "0", "b", "c"]).unwrap(),
        );
        assert_eq!(
            [one.place.text(), two.place.text()],
            ["'1'", "\"\"\"2\"\"\""]
        );
        assert_eq!(
            [one, two].map(|node| source.slice(&node.inside().unwrap())),
            ["1", "2"]
        );
    }

    #[test]
    fn broken_and_deep_files_are_errors() {
        let error = parse("a = 1\na = 2").unwrap_err();
        assert_eq!((error.offset, &*error.message), (6, "duplicate key"));
        for deep in [
            "a = ".to_owned() + &"[".repeat(100_000),
            "a = ".to_owned() + &"{a=".repeat(1_000) + "1" + &"}".repeat(1_000),
            format!("[{}b]", "a.".repeat(100_000)),
            "a.".repeat(100_000) + "b = 1",
        ] {
            assert!(parse(&deep).is_err());
        }
    }
}
