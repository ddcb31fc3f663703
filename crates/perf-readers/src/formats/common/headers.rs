//! Recognises what a tool prints by its beginning.

use crate::input::text;

/// True if a line that contains `mark` is a header by `is_header`.
pub(crate) fn has_line(head: &[u8], mark: &str, is_header: impl Fn(&str) -> bool) -> bool {
    memchr::memmem::find_iter(head, mark.as_bytes()).any(|at| {
        let start = memchr::memrchr(b'\n', &head[..at]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &head[at..]).map_or(head.len(), |end| at + end);
        is_header(text(&head[start..end]).trim_end_matches('\r'))
    })
}

/// True if the beginning of an input has all of these texts.
pub(crate) fn has_all(head: &[u8], texts: &[&str]) -> bool {
    texts
        .iter()
        .all(|text| memchr::memmem::find(head, text.as_bytes()).is_some())
}
