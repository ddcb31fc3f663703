//! A result's fields, to which a description refers.

use crate::formats::common::prelude::*;

/// A result, and the values that contain it.
pub(super) struct Fields<'j> {
    pub result: &'j Json<'j>,
    /// The value that contains the list of results.
    pub outer: Option<&'j Json<'j>>,
    /// The keys and indices that the wildcards in the path of results matched. They are the fields `1`, `2`, ….
    pub above: Vec<&'j str>,
}

impl<'j> Fields<'j> {
    pub(super) fn of(result: &'j Json<'j>) -> Self {
        Self {
            result,
            outer: None,
            above: Vec::new(),
        }
    }

    /// Returns a field's value. The field is a path, or a key that contains a `/`. If the result does not contain the
    /// field, the outer value is searched.
    pub(super) fn at(&self, field: &str) -> &'j Json<'j> {
        let path = if field == "." { "" } else { field };
        let found = |json: &'j Json<'j>| match json.at(path) {
            Json::Null if field.contains('/') => json
                .entries()
                .iter()
                .find(|(name, _)| name == field)
                .map(|(_, value)| value),
            value => Some(value).filter(|value| **value != Json::Null),
        };
        found(self.result)
            .or_else(|| self.outer.and_then(found))
            .unwrap_or(&Json::Null)
    }

    /// Returns a field's trimmed text, which is empty if the field is missing.
    pub(super) fn text(&self, field: &str) -> String {
        match self.at(field) {
            Json::Null => {
                let place = field
                    .parse()
                    .ok()
                    .and_then(|place: usize| place.checked_sub(1));
                place
                    .and_then(|place| self.above.get(place))
                    .map_or_else(String::new, |above| (*above).to_owned())
            }
            Json::Text(text) => text.trim().to_owned(),
            value => value.to_string(),
        }
    }

    /// Whether a field has this value. `*` matches any value except an empty one, and `!VALUE` matches any value except
    /// `VALUE`.
    pub(super) fn has(&self, field: &str, value: &str) -> bool {
        match (self.at(field), value) {
            (Json::Object(entries), "*") => !entries.is_empty(),
            (_, "*") => !self.text(field).is_empty(),
            _ => match value.strip_prefix('!') {
                Some(other) => self.text(field) != other,
                None => self.text(field) == value,
            },
        }
    }

    /// Calls `take` for each key that a field's `*` matches, with the matched text and the value there. `[KEY]` instead
    /// visits a list's values, with the text under `KEY` in each of them.
    pub(super) fn each(&self, field: &str, mut take: impl FnMut(&str, &Json<'_>)) {
        let keys: Vec<&str> = field.split('/').collect();
        let Some(open) = keys
            .iter()
            .position(|key| key.contains('*') || key.starts_with('['))
        else {
            return;
        };
        let (before, behind) = (self.at(&keys[..open].join("/")), keys[open + 1..].join("/"));
        if let Some(key) = keys[open]
            .strip_prefix('[')
            .and_then(|key| key.strip_suffix(']'))
        {
            return before
                .list("")
                .iter()
                .for_each(|value| take(&value.at(key).to_string(), value.at(&behind)));
        }
        let within = if open == 0 { self.result } else { before };
        for (key, value) in within.entries() {
            if let Some(star) = star(keys[open], key) {
                take(star, value.at(&behind));
            }
        }
    }
}

/// Returns the text in a key that the `*` of a pattern matches.
pub(super) fn star<'k>(pattern: &str, key: &'k str) -> Option<&'k str> {
    let (before, behind) = pattern.split_once('*')?;
    key.strip_prefix(before)?.strip_suffix(behind)
}

/// Whether a key matches one of these patterns, in which `*` matches any text.
pub(super) fn is_among(patterns: &[String], key: &str) -> bool {
    patterns
        .iter()
        .any(|pattern| pattern == key || star(pattern, key).is_some())
}
