//! The name of a benchmark from the fields of its result.

use super::fields::Fields;
use crate::tools::common::command;
use crate::tools::common::prelude::*;

/// The first of these texts whose fields all have a value, else the last one with those that have; the name of the
/// format where there is none.
pub(super) fn of(texts: &[String], format: &str, fields: &Fields<'_>) -> String {
    let default = ["{name}".to_owned(), format.to_owned()];
    let texts = if texts.is_empty() { &default[..] } else { texts };
    let filled: Vec<(String, bool)> = texts.iter().map(|text| fill(text, fields)).collect();
    let whole = filled.iter().find(|(_, is_whole)| *is_whole).or(filled.last());
    whole.map(|(name, _)| name.clone()).unwrap_or_default()
}

/// A text with the fields in its braces, and whether all of them have a value.
pub(super) fn fill(text: &str, fields: &Fields<'_>) -> (String, bool) {
    let (mut filled, mut rest, mut is_whole) = (String::new(), text, true);
    while let Some((before, (field, behind))) =
        rest.split_once('{').and_then(|(before, open)| Some((before, open.split_once('}')?)))
    {
        let value = value(field, fields);
        is_whole &= !value.is_empty();
        filled = filled + before + &value;
        rest = behind;
    }
    (filled + rest, is_whole)
}

/// The value of `field`, `field:address`, `field:command` or `field:table-command`, of which secrets are no part;
/// `NAME=VALUE` for each field with a `*`.
fn value(field: &str, fields: &Fields<'_>) -> String {
    let (field, clean): (&str, fn(&str) -> String) = match field.rsplit_once(':') {
        Some((field, "address")) => (field, address),
        Some((field, "command")) => (field, command::shown),
        Some((field, "table-command")) => (field, |cell| command::shown(&cell.replace("\\|", "|"))),
        _ => (field, str::to_owned),
    };
    if !field.contains('*') {
        return clean(&fields.text(field));
    }
    let mut all = Vec::new();
    fields.each(field, |star, value| all.push(clean(&format!("{star}={value}"))));
    all.join(", ")
}
