//! The type for full commit IDs, used by all crates.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A full commit ID in lower case: 40 hexadecimal digits, or 64 in a SHA-256 repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct CommitId(String);

/// The error for text that is not a full commit ID.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid commit `{0}`: expected 40 or 64 hexadecimal digits")]
pub struct InvalidCommitId(String);

/// The maximum number of characters of an invalid ID that the error shows.
const SHOWN: usize = 80;

impl CommitId {
    /// The whole ID.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first seven digits, for people.
    pub fn short(&self) -> &str {
        self.0.get(..7).unwrap_or(&self.0)
    }

    /// Whether this is the all-zero ID, which GitHub sends as `before` of a new branch and as `after` of a deleted branch.
    pub fn is_none(&self) -> bool {
        self.0.bytes().all(|digit| digit == b'0')
    }
}

impl FromStr for CommitId {
    type Err = InvalidCommitId;

    fn from_str(text: &str) -> Result<Self, InvalidCommitId> {
        if matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(Self(text.to_ascii_lowercase()));
        }
        Err(InvalidCommitId(
            text.chars()
                .take(SHOWN)
                .flat_map(char::escape_default)
                .collect(),
        ))
    }
}

impl TryFrom<String> for CommitId {
    type Error = InvalidCommitId;

    fn try_from(text: String) -> Result<Self, InvalidCommitId> {
        text.parse()
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_full_ids_are_accepted() {
        let id: CommitId = "ABCDEF0123456789abcdef0123456789abcdef01".parse().unwrap();
        assert_eq!((id.short(), id.is_none()), ("abcdef0", false));
        assert!("0".repeat(64).parse::<CommitId>().unwrap().is_none());
        for text in ["", "abcdef0", &"g".repeat(40), &"a".repeat(41)] {
            assert!(text.parse::<CommitId>().is_err(), "{text}");
        }
        let error = "main\n".parse::<CommitId>().unwrap_err();
        assert_eq!(
            error.to_string(),
            r"invalid commit `main\n`: expected 40 or 64 hexadecimal digits"
        );
    }
}
