//! A header in a log: the names of the columns of the rows behind it.

use std::borrow::Cow;

use crate::rows::header::Header;
use crate::text_rows::prefix::{is_name, last_word};
use perf_model::key_column::KeyColumn;

/// The names of a header, without what stands before it.
pub(crate) struct Found<'l> {
    pub names: Vec<Cow<'l, str>>,
    /// True if other text stands before the header.
    pub prefixed: bool,
}

/// The header at the end of a line: its columns are in any order, but it has the key columns of every row, as
/// prose has not.
pub(crate) fn find<'l>(fields: &[Cow<'l, str>]) -> Option<Found<'l>> {
    let mut wanted = KeyColumn::LAYOUT.to_vec();
    let mut start = fields.len();
    let mut first = "";
    while !wanted.is_empty() {
        start = start.checked_sub(1)?;
        first = fields[start].trim();
        let key = KeyColumn::of(first).or_else(|| {
            first = last_word(first);
            KeyColumn::of(first).filter(|_| wanted.len() == 1)
        });
        wanted.retain(|wanted| Some(*wanted) != key);
    }
    let whole = |field: &str| KeyColumn::of(field).is_some() || is_name(field);
    let mut prefixed = first != fields[start].trim();
    let mut names: Vec<Cow<'l, str>> = fields[start..].to_vec();
    names[0] = Cow::Owned(first.to_owned());
    if !prefixed {
        let before = fields[..start]
            .iter()
            .rev()
            .take_while(|field| whole(field))
            .count();
        names.splice(0..0, fields[start - before..start].iter().cloned());
        prefixed = before < start;
    }
    Some(Found { names, prefixed })
}

/// Returns the name of the separator of a header's columns; `None` for a comma.
pub(crate) fn other_separator(line: &str) -> Option<&'static str> {
    let separators = [(';', "`;`"), ('\t', "tabs"), ('|', "`|`")];
    let has_keys = |(separator, _): &(char, &str)| {
        let keys = line.split(*separator).filter_map(KeyColumn::of);
        keys.take(2).count() == 2
    };
    separators.into_iter().find(has_keys).map(|(_, name)| name)
}

/// A header, or a layout that stands for one.
pub(crate) struct LogHeader {
    pub columns: Header,
    /// True if rows have a prefix.
    pub prefixed: bool,
    /// True for a layout, false for a header.
    pub agreed: bool,
}

impl LogHeader {
    /// True if the scenario is the first column, so that a prefix stands right before it.
    pub(crate) fn begins_with_scenario(&self) -> bool {
        self.columns.place(KeyColumn::Scenario) == Some(0)
    }
}
