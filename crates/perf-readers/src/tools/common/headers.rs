//! Recognises the header of a table among other lines.

use crate::input::text::text;

/// Whether a line that has `mark` is the header that is searched for.
pub(crate) fn has_line(head: &[u8], mark: &str, is_header: impl Fn(&str) -> bool) -> bool {
    memchr::memmem::find_iter(head, mark.as_bytes()).any(|at| {
        let start = memchr::memrchr(b'\n', &head[..at]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &head[at..]).map_or(head.len(), |end| at + end);
        is_header(text(&head[start..end]).trim_end_matches('\r'))
    })
}
