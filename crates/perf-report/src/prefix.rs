//! The texts that identifiers share.

/// A longer identifier would widen a table.
const LONG: usize = 28;

/// The shortest text that a title has instead of every row: less would save little.
const SHORTEST: usize = 12;

/// The text that all identifiers begin with, up to a separator: where one is long, a title has it instead of every row.
/// Empty if it would save little.
fn shared_prefix<'n>(names: &[&'n str]) -> &'n str {
    let Some((first, others)) = names.split_first() else {
        return "";
    };
    let shared = |name: &&str| {
        first
            .char_indices()
            .zip(name.chars())
            .find(|((_, a), b)| a != b)
    };
    let ends = others
        .iter()
        .filter(|name| *name != first)
        .map(|name| shared(name).map_or(first.len().min(name.len()), |((at, _), _)| at));
    let end = first[..ends.min().unwrap_or(0)]
        .rfind(['/', ':', '.'])
        .map_or(0, |at| at + 1);
    worth(names, &first[..end])
}

/// The text that all identifiers end with, from a separator on, such as the parameters that do not vary; likewise.
fn shared_suffix<'n>(names: &[&'n str]) -> &'n str {
    let Some((first, others)) = names.split_first() else {
        return "";
    };
    let same = |name: &&str| {
        let pairs = first.chars().rev().zip(name.chars().rev());
        pairs
            .take_while(|(a, b)| a == b)
            .map(|(a, _)| a.len_utf8())
            .sum()
    };
    let length: usize = others
        .iter()
        .filter(|name| *name != first)
        .map(same)
        .min()
        .unwrap_or(0);
    let end = &first[first.len() - length..];
    worth(
        names,
        end.find([',', ';', '&', '/', '(', '[', '-', '_'])
            .map_or("", |at| &end[at..]),
    )
}

fn is_long(name: &str) -> bool {
    name.chars().count() > LONG
}

fn worth<'n>(names: &[&str], shared: &'n str) -> &'n str {
    let has_long = names.iter().any(|name| is_long(name));
    if has_long && shared.chars().count() >= SHORTEST {
        shared
    } else {
        ""
    }
}

/// The beginning and the end that all identifiers of a table share.
#[derive(Clone, Copy, Debug, Default)]
pub struct SharedEnds<'n> {
    /// Up to a separator; empty if it would save little.
    pub begin: &'n str,
    /// From a separator on; likewise.
    pub end: &'n str,
    /// True if some name would widen a table without these ends: then all of them are text that may break.
    pub is_long: bool,
}

impl<'n> SharedEnds<'n> {
    /// The shared ends of these identifiers.
    pub fn of(names: &[&'n str]) -> Self {
        let begin = shared_prefix(names);
        let rest: Vec<&str> = names.iter().map(|name| &name[begin.len()..]).collect();
        let end = shared_suffix(&rest);
        Self {
            begin,
            end,
            is_long: rest
                .iter()
                .any(|rest| is_long(&rest[..rest.len() - end.len()])),
        }
    }

    /// None, of names of which some are no identifiers.
    pub(crate) fn none(identifiers: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let is_long = identifiers.into_iter().any(|name| is_long(name.as_ref()));
        Self {
            is_long,
            ..Self::default()
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.begin.is_empty() && self.end.is_empty()
    }

    /// Both for a title: `octocorp.quill.…,threads=8)`.
    pub(crate) fn title(&self) -> String {
        if self.end.is_empty() {
            self.begin.to_owned()
        } else {
            format!("{}…{}", self.begin, self.end)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_that_names_share_are_known_by_a_title() {
        let names = [
            "octocorp.quill.Read.all(size=1,thread=8)",
            "octocorp.quill.Write.one(size=2,thread=8)",
        ];
        let ends = |names: &[&'static str]| {
            let ends = SharedEnds::of(names);
            [ends.begin, ends.end]
        };
        assert_eq!(ends(&names), ["octocorp.quill.", ""]);
        let names = [
            "octocorp.quill.ReadRecords(a=1,compression=ü)",
            "octocorp.quill.ReadRecords(a=12,compression=ü)",
        ];
        assert_eq!(ends(&names), ["octocorp.quill.", ",compression=ü)"]);
        assert_eq!(
            SharedEnds::of(&names).title(),
            "octocorp.quill.…,compression=ü)"
        );
        assert_eq!(
            ends(&["a_short_name(threads=18)", "other_name(threads=18)"]),
            ["", ""]
        );
        assert_eq!(
            ends(&["one_name_alone_has_no_shared_end(threads=18)"]),
            ["", ""]
        );
        assert_eq!(ends(&[]), ["", ""]);
    }
}
