//! Builds a benchmark's name from the fields of its result.

use super::fields::Fields;
use crate::formats::common::prelude::*;

/// Text that contains fields in braces.
#[derive(Debug)]
pub(super) struct Template {
    parts: Vec<Part>,
    /// The text after the last field.
    end: &'static str,
}

/// A function that removes secrets from a value.
type Clean = fn(&str) -> String;

#[derive(Debug)]
struct Part {
    before: &'static str,
    field: &'static str,
    /// Removes the secrets from the value of `field:address` or `field:command`. For `field:known`, removes the whole
    /// value.
    clean: Option<Clean>,
}

impl Template {
    pub(super) fn of(text: &'static str) -> Self {
        let (mut parts, mut end) = (Vec::new(), text);
        while let Some((before, (field, behind))) = end
            .split_once('{')
            .and_then(|(before, open)| Some((before, open.split_once('}')?)))
        {
            let (field, clean) = cleaning(field);
            parts.push(Part {
                before,
                field,
                clean,
            });
            end = behind;
        }
        Self { parts, end }
    }

    /// Whether all fields have a value.
    fn is_whole(&self, fields: &Fields<'_>) -> bool {
        self.parts.iter().all(|part| has_value(part.field, fields))
    }

    /// Returns the text with its fields' values.
    pub(super) fn fill(&self, fields: &Fields<'_>) -> Cow<'static, str> {
        if self.parts.is_empty() {
            return Cow::Borrowed(self.end);
        }
        let mut filled = String::new();
        for part in &self.parts {
            filled.push_str(part.before);
            filled.push_str(&part.value(fields));
        }
        Cow::Owned(filled + self.end)
    }
}

/// The templates for benchmark names.
#[derive(Debug)]
pub(super) struct Names {
    texts: Vec<Template>,
    /// The fields from whose values secrets are removed.
    shortened: Vec<&'static str>,
    /// The format's name, which is the benchmark's name if the result contains none.
    format: &'static str,
}

impl Names {
    pub(super) fn of(texts: &'static [String], format: &'static str) -> Self {
        let texts: Vec<Template> = texts.iter().map(|text| Template::of(text)).collect();
        let parts = texts.iter().flat_map(|text| &text.parts);
        let mut shortened: Vec<&str> = parts
            .filter(|part| part.clean.is_some())
            .map(|part| part.field)
            .collect();
        shortened.sort_unstable();
        shortened.dedup();
        Self {
            texts,
            shortened,
            format,
        }
    }

    /// Returns the benchmark's name. The first template whose fields all have a value is used. If there is none, the
    /// last template is used with the fields that have a value. Names that differ only in hidden parts are numbered.
    pub(super) fn name(&self, fields: &Fields<'_>, sink: &mut Rows<'_>) -> String {
        let name = match &self.texts[..] {
            [] => Some(fields.text("name"))
                .filter(|name| !name.is_empty())
                .map(Cow::Owned),
            [others @ .., last] => {
                let whole = others.iter().find(|text| text.is_whole(fields));
                Some(whole.unwrap_or(last).fill(fields))
            }
        };
        let name = name.unwrap_or(Cow::Borrowed(self.format)).into_owned();
        let shortened = self
            .shortened
            .iter()
            .map(|field| fields.text(field))
            .collect::<Vec<_>>()
            .join(" ");
        if shortened.is_empty() {
            name
        } else {
            sink.apart(name, &shortened)
        }
    }
}

fn has_value(field: &str, fields: &Fields<'_>) -> bool {
    if !field.contains('*') {
        return fields.has(field, "*");
    }
    let mut has_any = false;
    fields.each(field, |_, _| has_any = true);
    has_any
}

/// Splits the text in braces into the field's name and the function that removes secrets from its value.
fn cleaning(field: &str) -> (&str, Option<Clean>) {
    match field.rsplit_once(':') {
        Some((field, "address")) => (field, Some(address)),
        Some((field, "known")) => (field, Some(|_| String::new())),
        Some((field, "command")) => (field, Some(command::shown)),
        _ => (field, None),
    }
}

impl Part {
    /// Returns the field's value. For a field with a `*`, returns `NAME=VALUE` for each match.
    fn value(&self, fields: &Fields<'_>) -> String {
        let clean = |text: String| match self.clean {
            Some(clean) => clean(&text),
            None => text,
        };
        if !self.field.contains('*') {
            return clean(fields.text(self.field));
        }
        let mut all = Vec::new();
        fields.each(self.field, |star, value| {
            all.push(clean(format!("{star}={value}")));
        });
        all.join(", ")
    }
}
