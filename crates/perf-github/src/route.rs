//! Paths of the API, every piece of them encoded.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::names::Repo;

/// All that is not plain in every part of an address; slashes are encoded, too, so no piece can leave its place.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// `/repos/OWNER/NAME` and the pieces below it.
pub(crate) fn of(repo: &Repo, pieces: &[&str]) -> String {
    let pieces = ["repos", repo.owner(), repo.name()].into_iter().chain(pieces.iter().copied());
    pieces.flat_map(|piece| ["/".into(), utf8_percent_encode(piece, ENCODED).to_string()]).collect()
}

/// `key=value`, encoded.
pub(crate) fn parameter(key: &str, value: &str) -> String {
    format!("{key}={}", utf8_percent_encode(value, ENCODED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_piece_leaves_its_place() {
        let repo = "octo/quill".parse().unwrap();
        assert_eq!(of(&repo, &["git", "ref", "heads/a b"]), "/repos/octo/quill/git/ref/heads%2Fa%20b");
        assert_eq!(of(&repo, &["contents", "../ü?x#y"]), "/repos/octo/quill/contents/..%2F%C3%BC%3Fx%23y");
        assert_eq!(parameter("ref", "a&b=c"), "ref=a%26b%3Dc");
    }
}
