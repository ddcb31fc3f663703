//! The name of a benchmark from the fields of its result.

use super::fields::Fields;
use crate::tools::common::command;
use crate::tools::common::prelude::*;

/// The first of these texts whose fields all have a value, else the last one with those that have; the name of the
/// format where there is none.
pub(super) fn of(texts: &[String], format: &str, fields: &Fields<'_>) -> String {
    if let [only] = texts {
        return fill(only, fields).0;
    }
    if texts.is_empty() {
        return Some(fields.text("name"))
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| format.to_owned());
    }
    let whole = texts.iter().find(|text| {
        let mut fields_of = text.split('{').skip(1).filter_map(|open| open.split_once('}'));
        fields_of.all(|(field, _)| has_value(cleaning(field).0, fields))
    });
    whole.or(texts.last()).map(|text| fill(text, fields).0).unwrap_or_default()
}

/// The values that are shown without the queries of their addresses.
pub(super) fn shortened(texts: &[String], fields: &Fields<'_>) -> String {
    let open = texts.iter().flat_map(|text| text.split('{').skip(1));
    let cleaned = open.filter_map(|open| open.split_once('}')?.0.rsplit_once(':'));
    cleaned.map(|(field, _)| fields.text(field)).collect::<Vec<_>>().join(" ")
}

fn has_value(field: &str, fields: &Fields<'_>) -> bool {
    if !field.contains('*') {
        return fields.has(field, "*");
    }
    let mut has_any = false;
    fields.each(field, |_, _| has_any = true);
    has_any
}

/// A text with the fields in its braces, and whether all of them have a value.
pub(super) fn fill(text: &str, fields: &Fields<'_>) -> (String, bool) {
    let (mut filled, mut rest, mut is_whole) = (String::new(), text, true);
    while let Some((before, (field, behind))) =
        rest.split_once('{').and_then(|(before, open)| Some((before, open.split_once('}')?)))
    {
        let value = value(field, fields);
        is_whole &= !value.is_empty();
        filled.push_str(before);
        filled.push_str(&value);
        rest = behind;
    }
    (filled + rest, is_whole)
}

/// The field in braces, and what leaves out the secrets in its value.
fn cleaning(field: &str) -> (&str, fn(&str) -> String) {
    match field.rsplit_once(':') {
        Some((field, "address")) => (field, address),
        Some((field, "known")) => (field, |_| String::new()),
        Some((field, "command")) => (field, command::shown),
        Some((field, "table-command")) => (field, |cell| command::shown(&cell.replace("\\|", "|"))),
        _ => (field, str::to_owned),
    }
}

/// The value of `field`, `field:address`, `field:command` or `field:table-command`, nothing for `field:known`;
/// `NAME=VALUE` for each field with a `*`.
fn value(field: &str, fields: &Fields<'_>) -> String {
    let (field, clean) = cleaning(field);
    if !field.contains('*') {
        return clean(&fields.text(field));
    }
    let mut all = Vec::new();
    fields.each(field, |star, value| all.push(clean(&format!("{star}={value}"))));
    all.join(", ")
}
