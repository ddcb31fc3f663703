//! Paths of the API, every piece of them encoded.

use std::fmt::Write;

use crate::names::Repo;

/// `/repos/OWNER/NAME` and the pieces below it. No piece can leave its place: slashes are encoded, too.
pub(crate) fn of(repo: &Repo, pieces: &[&str]) -> String {
    ["repos", repo.owner(), repo.name()]
        .iter()
        .chain(pieces)
        .flat_map(|piece| ["/".into(), encoded(piece)])
        .collect()
}

/// `key=value&…`, encoded.
pub(crate) fn query(pairs: &[(&str, &str)]) -> String {
    let pairs: Vec<String> =
        pairs.iter().map(|(key, value)| format!("{}={}", encoded(key), encoded(value))).collect();
    pairs.join("&")
}

fn encoded(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_piece_leaves_its_place() {
        let repo = "octo/quill".parse().unwrap();
        assert_eq!(of(&repo, &["git", "ref", "heads/a b"]), "/repos/octo/quill/git/ref/heads%2Fa%20b");
        assert_eq!(of(&repo, &["contents", "../ü?x#y"]), "/repos/octo/quill/contents/..%2F%C3%BC%3Fx%23y");
        assert_eq!(query(&[("ref", "a&b=c"), ("page", "2")]), "ref=a%26b%3Dc&page=2");
    }
}
