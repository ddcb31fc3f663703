//! YAML with positions, from `saphyr-parser`'s events.

use std::ops::Range;
use std::rc::Rc;

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::{Node, NodeValue, ObjectEntry};
use crate::source::{ParseError, SourceFile, SourceSpan};

/// The maximum nesting depth. The parser itself does not limit it.
const MAX_DEPTH: usize = 128;

/// A mapping or sequence that has not ended yet.
struct OpenCollection {
    start: usize,
    is_mapping: bool,
    entries: Vec<ObjectEntry>,
    items: Vec<Node>,
    /// The mapping key whose value has not been read yet.
    key: Option<(String, SourceSpan)>,
}

/// Reads YAML. Every scalar except null is read as text. If there are several documents, the last one is used.
pub(crate) fn read(source: &Rc<SourceFile>) -> Result<Node, ParseError> {
    let offsets: Vec<usize> = source.text.char_indices().map(|(at, _)| at).collect();
    let byte = |index: usize| offsets.get(index).copied().unwrap_or(source.text.len());
    let mut open: Vec<OpenCollection> = Vec::new();
    let mut root = Node::new(source, 0..0, NodeValue::Other);
    for event in Parser::new_from_str(&source.text) {
        let (event, span) = event.map_err(|error| ParseError {
            offset: byte(error.marker().index()),
            message: error.info().to_owned(),
        })?;
        let span = byte(span.start.index())..byte(span.end.index());
        let node = match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                if open.len() == MAX_DEPTH {
                    return Err(ParseError {
                        offset: span.start,
                        message: "maximum nesting depth exceeded".to_owned(),
                    });
                }
                open.push(OpenCollection {
                    start: span.start,
                    is_mapping: matches!(event, Event::MappingStart(..)),
                    entries: Vec::new(),
                    items: Vec::new(),
                    key: None,
                });
                continue;
            }
            Event::MappingEnd | Event::SequenceEnd => match open.pop() {
                Some(ended) => ended.node(source, span.end),
                None => continue,
            },
            Event::Scalar(text, style, ..) => scalar(source, &text, style, span),
            Event::Alias(_) => Node::new(source, span, NodeValue::Other),
            _ => continue,
        };
        match open.last_mut() {
            Some(parent) => parent.add(node),
            None => root = node,
        }
    }
    Ok(root)
}

fn scalar(source: &Rc<SourceFile>, text: &str, style: ScalarStyle, span: Range<usize>) -> Node {
    let is_null = style == ScalarStyle::Plain && matches!(text, "" | "~" | "null");
    let value = if is_null {
        NodeValue::Other
    } else {
        NodeValue::String(text.to_owned())
    };
    Node::new(source, span, value)
}

impl OpenCollection {
    fn add(&mut self, node: Node) {
        match self.key.take() {
            _ if !self.is_mapping => self.items.push(node),
            Some((key, at)) => self.entries.push(ObjectEntry { key, at, node }),
            None => self.key = Some((node.shown().to_owned(), node.place)),
        }
    }

    fn node(self, source: &Rc<SourceFile>, end: usize) -> Node {
        let value = if self.is_mapping {
            NodeValue::Object(self.entries)
        } else {
            NodeValue::Array(self.items)
        };
        Node::new(source, self.start..end.max(self.start), value)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<Node, ParseError> {
        read(&Rc::new(SourceFile::new("a.yaml", text)))
    }

    #[test]
    fn scalars_have_spans() {
        let text = "# é\n'@a/b':\n  version: 3.0\n  resolution: {integrity: sha, tarball: \"x y\"}\nlist:\n- one\n- ~\n";
        let root = parse(text).unwrap();
        let texts = [
            &["@a/b", "version"][..],
            &["@a/b", "resolution", "tarball"],
            &["list", "0"],
        ]
        .map(|path| root.at(path).map(|node| (node.text(), node.place.text())));
        assert_eq!(
            texts,
            [
                Some((Some("3.0"), "3.0")),
                Some((Some("x y"), "\"x y\"")),
                Some((Some("one"), "one"))
            ]
        );
        assert_eq!(root.at(&["list", "1"]).unwrap().text(), None);
        assert_eq!(root.entries()[0].at.text(), "'@a/b'");
    }

    #[test]
    fn last_document_counts() {
        let root = parse("---\na: 1\nb: 1\n---\na: 2\n").unwrap();
        assert_eq!(
            (root.text_at(&["a"]), root.text_at(&["b"])),
            (Some("2"), None)
        );
    }

    #[test]
    fn broken_and_deep_files_are_errors() {
        assert_eq!(parse("a: [1\nb: 2\n").unwrap_err().offset, 7);
        for deep in [
            "[".repeat(100_000),
            "{a: ".repeat(100_000),
            "- ".repeat(100_000),
        ] {
            assert!(parse(&deep).is_err());
        }
        let bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n";
        assert_eq!(parse(bomb).unwrap().get("c").unwrap().items().len(), 2);
    }

    proptest! {
        #[test]
        fn never_panics(text in r#"([a-z: \n\-\[\]{},'"&*!|>?#é]|- |: |\n  ){0,24}"#) {
            let _ = parse(&text);
        }
    }
}
