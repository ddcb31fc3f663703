//! JSON, TOML and YAML as one kind of tree in which every key and value has its span.
//!
//! The checks need objects, arrays and strings; everything else is [`NodeValue::Other`].

mod json;
mod toml;
mod yaml;

pub(crate) use self::json::read as json;
pub(crate) use self::toml::read as toml;
pub(crate) use self::yaml::read as yaml;

use std::ops::Range;
use std::rc::Rc;

use crate::source::{ParseError, SourceFile, SourceSpan};

/// A value and its position.
#[derive(Debug)]
pub struct Node {
    /// The value's span in the file, including quotes and brackets.
    pub place: SourceSpan,
    pub value: NodeValue,
}

/// The content of a node.
#[derive(Debug)]
pub enum NodeValue {
    /// An object or a table: the entries in file order, including duplicate keys.
    Object(Vec<ObjectEntry>),
    Array(Vec<Node>),
    /// A string, unescaped.
    String(String),
    /// A number, a boolean, null or a date.
    Other,
}

/// A key of an object, and its value.
#[derive(Debug)]
pub struct ObjectEntry {
    /// The key, unescaped.
    pub key: String,
    /// The key's span in the file.
    pub at: SourceSpan,
    pub node: Node,
}

pub type Parser = fn(&Rc<SourceFile>) -> Result<Node, ParseError>;

impl Node {
    fn new(source: &Rc<SourceFile>, span: Range<usize>, value: NodeValue) -> Self {
        Self {
            place: SourceSpan::new(source, span),
            value,
        }
    }

    /// The entries of an object; empty for anything else.
    pub fn entries(&self) -> &[ObjectEntry] {
        if let NodeValue::Object(entries) = &self.value {
            entries
        } else {
            &[]
        }
    }

    /// The elements of an array; empty for anything else.
    pub fn items(&self) -> &[Self] {
        if let NodeValue::Array(items) = &self.value {
            items
        } else {
            &[]
        }
    }

    pub fn text(&self) -> Option<&str> {
        if let NodeValue::String(text) = &self.value {
            Some(text)
        } else {
            None
        }
    }

    /// A string's text. Any other value is returned as written in the file.
    pub fn shown(&self) -> &str {
        self.text().unwrap_or_else(|| self.place.text())
    }

    /// The last entry with this key, because parsers also use the last one of duplicate keys.
    pub fn entry(&self, key: &str) -> Option<&ObjectEntry> {
        self.entries().iter().rev().find(|entry| entry.key == key)
    }

    /// The value of the last entry with this key.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// The value of a key as a node and as text. `None` if the value is not a string.
    pub fn string(&self, key: &str) -> Option<(&Self, &str)> {
        let node = self.get(key)?;
        Some((node, node.text()?))
    }

    /// The value at a path of keys and array indices.
    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, &key| match &node.value {
            NodeValue::Array(items) => items.get(key.parse::<usize>().ok()?),
            _ => node.get(key),
        })
    }

    pub fn text_at(&self, path: &[&str]) -> Option<&str> {
        self.at(path)?.text()
    }

    /// The entries of the object at a path. Empty if there is no object.
    pub fn table(&self, path: &[&str]) -> &[ObjectEntry] {
        self.at(path).map_or(&[], Self::entries)
    }

    /// The elements of the array at a path. Empty if there is no array.
    pub fn list(&self, path: &[&str]) -> &[Self] {
        self.at(path).map_or(&[], Self::items)
    }

    /// The range of bytes between a string's quotes, for replacing the text. `None` if the value is not a quoted string.
    pub fn inside(&self) -> Option<Range<usize>> {
        let (literal, span) = (self.place.text(), &self.place.span);
        let mut quotes = ["\"\"\"", "'''", "\"", "'"].into_iter();
        let quote = quotes.find(|quote| literal.starts_with(quote))?;
        let inside = span.start + quote.len()..span.end.checked_sub(quote.len())?;
        (self.text().is_some() && inside.start <= inside.end).then_some(inside)
    }
}
