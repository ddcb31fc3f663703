//! XML with positions, as far as project files need it.

use std::ops::Range;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::node::SyntaxError;
use crate::source::Source;

/// A text and its span.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Text {
    pub text: String,
    pub span: Range<usize>,
}

/// An element; a file is a list of them, in order.
#[derive(Debug, Default)]
pub(super) struct Element {
    pub name: String,
    /// The span of its name.
    pub at: Range<usize>,
    /// The index of the element around it.
    pub parent: Option<usize>,
    pub attributes: Vec<(String, Text)>,
    /// The text directly in it, without entities.
    pub text: Text,
}

impl Element {
    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&Text> {
        self.attributes.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// Reads all elements of a file.
pub(super) fn read(source: &Source) -> Result<Vec<Element>, SyntaxError> {
    let mut reader = Reader::from_str(&source.text);
    let mut elements: Vec<Element> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    loop {
        let event = reader.read_event().map_err(|error| broken(reader.error_position(), &error))?;
        match event {
            Event::Start(tag) => {
                elements.push(element(source, &tag, open.last().copied())?);
                open.push(elements.len() - 1);
            }
            Event::Empty(tag) => elements.push(element(source, &tag, open.last().copied())?),
            Event::End(_) => drop(open.pop()),
            Event::Text(text) => add_text(&mut elements, &open, source, &text),
            Event::Eof if open.is_empty() => return Ok(elements),
            Event::Eof => return Err(unclosed(&elements, &open)),
            _ => {}
        }
    }
}

fn broken(offset: u64, error: &quick_xml::Error) -> SyntaxError {
    SyntaxError::new(usize::try_from(offset).unwrap_or(usize::MAX), error.to_string())
}

fn unclosed(elements: &[Element], open: &[usize]) -> SyntaxError {
    let last = open.last().and_then(|&index| elements.get(index));
    let (offset, name) = last.map_or((0, ""), |element| (element.at.start, element.name.as_str()));
    SyntaxError::new(offset, format!("`<{name}>` is not closed"))
}

fn element(source: &Source, tag: &BytesStart<'_>, parent: Option<usize>) -> Result<Element, SyntaxError> {
    let name = tag.name();
    let at = span(source, name.as_ref());
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| SyntaxError::new(at.start, error.to_string()))?;
        let value = span(source, &attribute.value);
        let text = attribute
            .normalized_value(XmlVersion::Implicit1_0)
            .unwrap_or_else(|_| attribute.value.clone())
            .into_owned();
        attributes.push((attribute.key.as_ref().to_owned(), Text { text, span: value }));
    }
    Ok(Element { name: name.as_ref().to_owned(), at, parent, attributes, text: Text::default() })
}

fn add_text(elements: &mut [Element], open: &[usize], source: &Source, text: &str) {
    let Some(element) = open.last().and_then(|&index| elements.get_mut(index)) else { return };
    let trimmed = text.trim();
    if !trimmed.is_empty() && element.text.text.is_empty() {
        element.text = Text { text: trimmed.to_owned(), span: span(source, trimmed) };
    }
}

/// The span of a slice of the file's text; the start for normalised text, which is a copy.
fn span(source: &Source, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr().wrapping_sub(source.text.as_ptr().addr());
    if start + part.len() <= source.text.len() { start..start + part.len() } else { 0..0 }
}
