//! Names that come from outside and end up in addresses: repositories, commits, accounts.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

/// A repository, `OWNER/NAME`. Two are equal as GitHub sees it: whatever their case.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Repo {
    owner: String,
    name: String,
}

/// Why a text is no repository.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid repository `{0}`: write `OWNER/NAME`")]
pub struct NoRepo(String);

impl Repo {
    /// Whose it is.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// Its name, without the owner.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl FromStr for Repo {
    type Err = NoRepo;

    fn from_str(text: &str) -> Result<Self, NoRepo> {
        let no = || NoRepo(perf_cli::term::printable(text));
        let (owner, name) = text.split_once('/').ok_or_else(no)?;
        let fits = |text: &str, extra: &[u8], most: usize| {
            (1..=most).contains(&text.len())
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || extra.contains(&byte))
        };
        // Owners of managed accounts have an underscore.
        if !fits(owner, b"-_", 100) || !fits(name, b"-_.", 100) || matches!(name, "." | "..") {
            return Err(no());
        }
        Ok(Self { owner: owner.into(), name: name.into() })
    }
}

impl TryFrom<String> for Repo {
    type Error = NoRepo;

    fn try_from(text: String) -> Result<Self, NoRepo> {
        text.parse()
    }
}

impl fmt::Display for Repo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

impl PartialEq for Repo {
    fn eq(&self, other: &Self) -> bool {
        self.owner.eq_ignore_ascii_case(&other.owner) && self.name.eq_ignore_ascii_case(&other.name)
    }
}

impl Eq for Repo {}

/// A commit's full name: 40 hexadecimal digits (64 in a repository of SHA-256), in lower case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct Sha(String);

/// Why a text is no commit's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid commit `{0}`: 40 hexadecimal digits")]
pub struct NoSha(String);

impl Sha {
    /// All digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first seven digits, for people.
    pub fn short(&self) -> &str {
        self.0.get(..7).unwrap_or(&self.0)
    }

    /// Whether it stands for no commit at all: what a new branch was before, and a deleted one is after.
    pub fn is_none(&self) -> bool {
        self.0.bytes().all(|digit| digit == b'0')
    }
}

impl FromStr for Sha {
    type Err = NoSha;

    fn from_str(text: &str) -> Result<Self, NoSha> {
        if matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(Self(text.to_ascii_lowercase()));
        }
        Err(NoSha(perf_cli::term::printable(text)))
    }
}

impl TryFrom<String> for Sha {
    type Error = NoSha;

    fn try_from(text: String) -> Result<Self, NoSha> {
        text.parse()
    }
}

impl fmt::Display for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Who did something: a person, or a bot such as `github-actions[bot]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Account {
    /// The name, with `[bot]` where it is one.
    pub login: String,
    /// The number, which stays when the name changes.
    pub id: u64,
}

impl Account {
    /// Whom a workflow's own token acts for.
    pub fn github_actions() -> Self {
        Self { login: "github-actions[bot]".into(), id: 41_898_282 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn repositories_are_equal_whatever_their_case() {
        let repo: Repo = "Octo-Org/quill.rs".parse().unwrap();
        assert_eq!(
            (repo.owner(), repo.name(), repo.to_string()),
            ("Octo-Org", "quill.rs", "Octo-Org/quill.rs".into())
        );
        assert_eq!(repo, "octo-org/QUILL.rs".parse().unwrap());
        assert_ne!(repo, "octo-org/quill".parse().unwrap());
    }

    #[test]
    fn what_would_lead_elsewhere_is_no_repository() {
        for text in ["", "a", "a/", "/b", "a/b/c", "a/..", "a/.", "a b/c", "a/b?c", "a/b%2f", "a/b\n", "é/b"]
        {
            assert!(text.parse::<Repo>().is_err(), "{text:?}");
        }
        let error = "a/b\n::error::x".parse::<Repo>().unwrap_err();
        insta::assert_snapshot!(error, @r"invalid repository `a/b\n::error::x`: write `OWNER/NAME`");
    }

    #[test]
    fn commits_are_full_and_in_lower_case() {
        let sha: Sha = "0123456789ABCDEF0123456789abcdef01234567".parse().unwrap();
        assert_eq!((sha.short(), sha.is_none()), ("0123456", false));
        assert_eq!(sha.as_str(), "0123456789abcdef0123456789abcdef01234567");
        assert!("0".repeat(40).parse::<Sha>().unwrap().is_none());
        for text in ["", "main", "0123456", "-123456789abcdef0123456789abcdef01234567"] {
            assert!(text.parse::<Sha>().is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_taken_for_a_repository_is_two_plain_segments(text in "[a-zA-Z0-9._/%?# -]{0,20}") {
            if let Ok(repo) = text.parse::<Repo>() {
                let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
                prop_assert!(repo.owner().bytes().chain(repo.name().bytes()).all(plain));
                prop_assert_eq!(repo.to_string(), text);
            }
        }
    }
}
