//! Repository names, accounts, and serde helpers for fields whose JSON differs from our types.

use std::fmt;
use std::str::FromStr;

use perf_cli::Failure;
use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A repository's full name, `OWNER/NAME`. Comparisons ignore case, as on GitHub.
#[derive(Clone, Debug)]
pub struct Repo(String);

impl FromStr for Repo {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let no = || {
            let text = perf_cli::term::printable(text);
            Failure::new(format!("invalid repository `{text}`: write `OWNER/NAME`"))
        };
        let (owner, name) = text.split_once('/').ok_or_else(no)?;
        let is_plain = |text: &str, extra: &[u8]| {
            let mut bytes = text.bytes();
            (1..=100).contains(&text.len())
                && bytes.all(|byte| byte.is_ascii_alphanumeric() || extra.contains(&byte))
        };
        // The names of enterprise-managed users contain an underscore.
        if !is_plain(owner, b"-_") || !is_plain(name, b"-_.") || matches!(name, "." | "..") {
            return Err(no());
        }
        Ok(Self(text.into()))
    }
}

impl fmt::Display for Repo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PartialEq for Repo {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl Eq for Repo {}

/// An account: a person, or a bot such as `github-actions[bot]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Account {
    /// The account's name. A bot's name ends with `[bot]`.
    pub login: String,
    /// The ID, which stays the same when the account is renamed.
    #[serde(alias = "databaseId")]
    pub id: u64,
}

impl Account {
    /// The account of a workflow's own token.
    pub fn github_actions() -> Self {
        Self {
            login: "github-actions[bot]".into(),
            id: 41_898_282,
        }
    }
}

/// Deserializes a text. Null becomes an empty text.
pub(crate) fn text_or_null<'de, D: Deserializer<'de>>(field: D) -> Result<String, D::Error> {
    Option::deserialize(field).map(Option::unwrap_or_default)
}

/// Deserializes any field as true, and null as false.
pub(crate) fn is_not_null<'de, D: Deserializer<'de>>(field: D) -> Result<bool, D::Error> {
    Option::<IgnoredAny>::deserialize(field).map(|value| value.is_some())
}

/// Deserializes a repository object as its name. Null becomes `None`.
pub(crate) fn full_name<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Repo>, D::Error> {
    let Some(repository) = Option::<Value>::deserialize(field)? else {
        return Ok(None);
    };
    let name = repository["full_name"].as_str().unwrap_or_default();
    name.parse().map(Some).map_err(D::Error::custom)
}

/// Deserializes an account. Null and an empty object become `None`.
pub(crate) fn account<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Account>, D::Error> {
    let account = Option::<Value>::deserialize(field)?.unwrap_or_default();
    if account["id"].is_null() {
        return Ok(None);
    }
    Account::deserialize(account)
        .map(Some)
        .map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn repository_names_are_case_insensitive() {
        let repo: Repo = "Octo-Org/quill.rs".parse().unwrap();
        assert_eq!(repo.to_string(), "Octo-Org/quill.rs");
        assert_eq!(repo, "octo-org/QUILL.rs".parse().unwrap());
        assert_ne!(repo, "octo-org/quill".parse().unwrap());
    }

    #[test]
    fn invalid_repository_names_are_rejected() {
        for text in [
            "", "a", "a/", "/b", "a/b/c", "a/..", "a/.", "a b/c", "a/b?c", "a/b%2f", "a/b\n", "é/b",
        ] {
            assert!(text.parse::<Repo>().is_err(), "{text:?}");
        }
        let error = "a/b\n::error::x".parse::<Repo>().unwrap_err();
        insta::assert_snapshot!(error, @r"invalid repository `a/b\n::error::x`: write `OWNER/NAME`");
    }

    proptest! {
        #[test]
        fn parsed_repository_is_two_plain_segments(text in "[a-zA-Z0-9._/%?# -]{0,20}") {
            if let Ok(repo) = text.parse::<Repo>() {
                let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
                let segments: Vec<&str> = text.split('/').collect();
                prop_assert_eq!(segments.len(), 2);
                prop_assert!(segments.iter().all(|segment| !segment.is_empty() && segment.bytes().all(plain)));
                prop_assert_eq!(repo.to_string(), text);
            }
        }
    }
}
