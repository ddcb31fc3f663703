//! Recognises a tool's output by its beginning.

use memchr::memmem;

/// Whether `is_header` accepts one of the lines that contain `mark`.
pub(crate) fn has_line(head: &str, mark: &str, is_header: impl Fn(&str) -> bool) -> bool {
    memmem::find_iter(head.as_bytes(), mark.as_bytes()).any(|at| {
        let start = head[..at].rfind('\n').map_or(0, |end| end + 1);
        let end = head[at..].find('\n').map_or(head.len(), |end| at + end);
        is_header(head[start..end].trim_end_matches('\r'))
    })
}

/// Whether an input's beginning contains all of these strings.
pub(crate) fn has_all(head: &str, texts: &[&str]) -> bool {
    let has = |text: &&str| memmem::find(head.as_bytes(), text.as_bytes()).is_some();
    texts.iter().all(has)
}
