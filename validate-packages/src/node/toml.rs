//! TOML with positions, from the spanned tree of the `toml` crate.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Entry, MAX_DEPTH, Node, SyntaxError, Value};
use crate::source::Source;

pub(super) fn read(source: &Source) -> Result<Node, SyntaxError> {
    let table = DeTable::parse(&source.text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        SyntaxError::new(offset, error.message())
    })?;
    let span = table.span();
    Ok(Node { span, value: object(table.get_ref(), 0)? })
}

fn object(table: &DeTable<'_>, depth: usize) -> Result<Value, SyntaxError> {
    let mut entries = Vec::with_capacity(table.len());
    for (key, value) in table {
        let node = node(value, depth + 1)?;
        entries.push(Entry { key: key.get_ref().to_string(), at: key.span(), node });
    }
    // The crate sorts by name.
    entries.sort_by_key(|entry| entry.at.start);
    Ok(Value::Object(entries))
}

fn node(value: &Spanned<DeValue<'_>>, depth: usize) -> Result<Node, SyntaxError> {
    let span = value.span();
    if depth > MAX_DEPTH {
        return Err(SyntaxError::too_deep(span.start));
    }
    let value = match value.get_ref() {
        DeValue::Table(table) => object(table, depth)?,
        DeValue::Array(items) => {
            Value::Array(items.iter().map(|item| node(item, depth + 1)).collect::<Result<_, _>>()?)
        }
        DeValue::String(text) => Value::String(text.to_string()),
        _ => Value::Other,
    };
    Ok(Node { span, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Node, SyntaxError> {
        read(&Source::new("a.toml", text))
    }

    #[test]
    fn strings_and_keys_know_their_bytes() {
        let text = "[b]\nz = '1'\n[[a]]\nb.c = \"\"\"2\"\"\"\n";
        let source = Source::new("a.toml", text);
        let root = read(&source).unwrap();
        let keys: Vec<&str> = root.entries().iter().map(|entry| &text[entry.at.clone()]).collect();
        assert_eq!(keys, ["b", "a"]);
        let (one, two) = (root.at(&["b", "z"]).unwrap(), root.at(&["a", "0", "b", "c"]).unwrap());
        assert_eq!([source.slice(&one.span), source.slice(&two.span)], ["'1'", "\"\"\"2\"\"\""]);
        assert_eq!([one, two].map(|node| source.slice(&node.inside(&source).unwrap())), ["1", "2"]);
    }

    #[test]
    fn broken_and_deep_files_are_errors() {
        let error = parse("a = 1\na = 2").unwrap_err();
        assert_eq!((error.offset, error.message.as_str()), (6, "duplicate key"));
        for deep in [
            "a = ".to_owned() + &"[".repeat(100_000),
            format!("[{}b]", "a.".repeat(100_000)),
            "a.".repeat(100_000) + "b = 1",
        ] {
            assert!(parse(&deep).is_err());
        }
    }
}
