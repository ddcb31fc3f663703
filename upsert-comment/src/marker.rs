//! Comment keys, report stamps, and hidden lines with data in comments.

use std::fmt;
use std::str::FromStr;

use perf_cli::term::printable;
use perf_github::{CommitId, RunAttempt};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A comment's key. A pull request has at most one comment per key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommentKey(String);

impl FromStr for CommentKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        if (1..=64).contains(&text.len()) && text.bytes().all(plain) {
            return Ok(Self(text.to_owned()));
        }
        Err(format!(
            "invalid key `{}`: 1 to 64 letters, digits, `.`, `_` and `-`",
            printable(text)
        ))
    }
}

impl Default for CommentKey {
    fn default() -> Self {
        Self("perf-gate".to_owned())
    }
}

impl fmt::Display for CommentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A report's commit and run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// The measured commit.
    pub(crate) head: CommitId,
    /// The workflow run that measured it. `None` outside of a workflow.
    pub(crate) run: Option<RunAttempt>,
}

impl Stamp {
    /// Whether this report replaces `other` on a pull request with this `head`.
    ///
    /// A report on the head wins. Between two reports on the head, or two on older commits, the later run wins. A report that
    /// was posted manually, without a run, replaces others and is replaced by the next one.
    pub(crate) fn supersedes(&self, other: &Self, head: &CommitId) -> bool {
        match (self.head == *head, other.head == *head) {
            (true, false) => true,
            (false, true) => false,
            _ => match (self.run, other.run) {
                (Some(run), Some(other)) => run >= other,
                _ => true,
            },
        }
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.run {
            Some(run) => write!(f, "head={} run={run}", self.head),
            None => write!(f, "head={} run=none", self.head),
        }
    }
}

const START: &str = "<!-- perf-gate";
const END: &str = " -->";

/// Formats the hidden line `<!-- perf-gate{kind} JSON -->`, without characters in the JSON that could end the line.
pub(crate) fn hidden_line(kind: &str, value: &impl Serialize) -> String {
    let json = serde_json::to_string(value)
        .unwrap_or_default()
        .replace("--", "-\\u002d")
        .replace('>', "\\u003e");
    format!("{START}{kind} {json}{END}")
}

/// Parses a line by [`hidden_line`].
pub(crate) fn parse_hidden<T: DeserializeOwned>(line: &str, kind: &str) -> Option<T> {
    let text = line.strip_prefix(START)?.strip_prefix(kind)?;
    let json = text.strip_prefix(' ')?.strip_suffix(END)?;
    serde_json::from_str(json).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sha(digit: char) -> CommitId {
        String::from(digit).repeat(40).parse().unwrap()
    }

    fn stamp(head: char, run: Option<(u64, u32)>) -> Stamp {
        Stamp {
            head: sha(head),
            run: run.map(|(id, attempt)| RunAttempt { id, attempt }),
        }
    }

    #[test]
    fn invalid_keys_are_rejected() {
        for text in ["", "a b", "a\n", "a>", "é", "a--b>", &"x".repeat(65)] {
            assert!(text.parse::<CommentKey>().is_err(), "{text:?}");
        }
        let error = "a\u{1b}[2J b".parse::<CommentKey>().unwrap_err();
        insta::assert_snapshot!(error, @"invalid key `a�[2J b`: 1 to 64 letters, digits, `.`, `_` and `-`");
    }

    #[test]
    fn report_on_head_wins_then_later_run() {
        let head = sha('a');
        let cases = [
            // Same commit: the later run wins, then the later attempt. The same run may change its report.
            (stamp('a', Some((9, 1))), stamp('a', Some((10, 1))), false),
            (stamp('a', Some((10, 1))), stamp('a', Some((9, 9))), true),
            (stamp('a', Some((9, 1))), stamp('a', Some((9, 2))), false),
            (stamp('a', Some((9, 1))), stamp('a', Some((9, 1))), true),
            // The head wins over any other commit, regardless of the run.
            (stamp('a', Some((9, 1))), stamp('b', Some((10, 1))), true),
            (stamp('b', Some((10, 1))), stamp('a', Some((9, 1))), false),
            // Both are older commits.
            (stamp('b', Some((9, 1))), stamp('c', Some((10, 1))), false),
            (stamp('c', Some((10, 1))), stamp('b', Some((9, 1))), true),
            // Posted manually.
            (stamp('a', None), stamp('a', Some((9, 1))), true),
            (stamp('a', Some((9, 1))), stamp('a', None), true),
            (stamp('b', None), stamp('a', Some((9, 1))), false),
        ];
        for (new, old, shown) in cases {
            assert_eq!(new.supersedes(&old, &head), shown, "{new} after {old}");
        }
    }

    proptest! {
        #[test]
        fn supersedes_orders_two_runs(a in (0..3_u64, 1..3_u32, 0..3_usize), b in (0..3_u64, 1..3_u32, 0..3_usize)) {
            let of = |(id, attempt, head): (u64, u32, usize)| stamp(['a', 'b', 'c'][head], Some((id, attempt)));
            let (a, b, head) = (of(a), of(b), sha('a'));
            let is_head = |stamp: &Stamp| stamp.head == head;
            let same = a.run == b.run && is_head(&a) == is_head(&b);
            prop_assert_eq!(a.supersedes(&b, &head) && b.supersedes(&a, &head), same);
            prop_assert!(a.supersedes(&b, &head) || b.supersedes(&a, &head));
        }
    }
}
