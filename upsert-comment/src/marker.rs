//! Hidden lines in comments, by which comments and their parts are found.
//!
//! `<!-- perf-gate key=NAME head=SHA run=ID.ATTEMPT -->` contains the comment's *key* and *stamp*: the measured commit and the
//! run. It also contains the job, if a single job reports. Only a line with exactly this format is a marker.

use std::fmt;
use std::str::FromStr;

use perf_cli::term::printable;
use perf_github::{CommitId, RunAttempt};

use crate::job::{JobName, JobStamp};

/// A comment's key. A pull request has at most one comment per key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentKey(String);

/// The error for an invalid key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid key `{0}`: 1 to 64 letters, digits, `.`, `_` and `-`")]
pub struct InvalidKey(String);

impl FromStr for CommentKey {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        if (1..=64).contains(&text.len()) && text.bytes().all(plain) {
            return Ok(Self(text.to_owned()));
        }
        Err(InvalidKey(printable(text)))
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

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (head, run) = text.strip_prefix("head=")?.split_once(" run=")?;
        let run = match run {
            "none" => None,
            run => Some(run.parse().ok()?),
        };
        let stamp = Self {
            head: head.parse().ok()?,
            run,
        };
        // Reject other spellings: signs, leading zeros and capitals.
        (stamp.to_string() == text).then_some(stamp)
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

/// A comment's first line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommentMarker {
    pub(crate) key: CommentKey,
    pub(crate) stamp: Stamp,
    /// The reporting job, if it reports alone.
    pub(crate) job: Option<JobStamp>,
}

impl CommentMarker {
    /// Parses a line, without its line end.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let text = line
            .strip_prefix("<!-- perf-gate key=")?
            .strip_suffix(" -->")?;
        let (key, rest) = text.split_once(' ')?;
        let (stamp, job) = match rest.find(" of=") {
            Some(at) => (&rest[..at], Some(JobStamp::parse(&rest[at + 1..])?)),
            None => (rest, None),
        };
        Some(Self {
            key: key.parse().ok()?,
            stamp: Stamp::parse(stamp)?,
            job,
        })
    }

    /// Parses a text's first line, if it has this key.
    pub(crate) fn of(text: &str, key: &CommentKey) -> Option<Self> {
        Self::parse(text.lines().next()?).filter(|marker| marker.key == *key)
    }
}

impl fmt::Display for CommentMarker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let job = self
            .job
            .as_ref()
            .map_or_else(String::new, |job| format!(" {job}"));
        write!(f, "<!-- perf-gate key={} {}{job} -->", self.key, self.stamp)
    }
}

/// The line that begins a job's part, if several jobs share a comment.
pub(crate) struct PartMarker {
    pub(crate) stamp: Stamp,
    pub(crate) job: JobStamp,
}

impl PartMarker {
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let text = line
            .strip_prefix("<!-- perf-gate-part ")?
            .strip_suffix(" -->")?;
        let (stamp, job) = text.split_at(text.find(" of=")?);
        Some(Self {
            stamp: Stamp::parse(stamp)?,
            job: JobStamp::parse(&job[1..])?,
        })
    }
}

impl fmt::Display for PartMarker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<!-- perf-gate-part {} {} -->", self.stamp, self.job)
    }
}

/// The line that states that all jobs in a matrix have ended in a run, with or without a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EndMarker {
    pub(crate) run: RunAttempt,
    /// The jobs' common name, without their matrix values.
    pub(crate) job: JobName,
}

impl EndMarker {
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let text = line
            .strip_prefix("<!-- perf-gate-ended run=")?
            .strip_suffix(" -->")?;
        let (run, job) = text.split_once(" job=")?;
        Some(Self {
            run: run.parse().ok()?,
            job: job.parse().ok()?,
        })
    }
}

impl fmt::Display for EndMarker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "<!-- perf-gate-ended run={} job={} -->",
            self.run, self.job
        )
    }
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
    fn marker_is_one_hidden_line() {
        let marker = CommentMarker {
            key: "linux.x64".parse().unwrap(),
            stamp: stamp('a', Some((17, 2))),
            job: None,
        };
        insta::assert_snapshot!(marker, @"<!-- perf-gate key=linux.x64 head=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa run=17.2 -->");
        let by_hand = CommentMarker {
            stamp: stamp('a', None),
            ..marker
        };
        insta::assert_snapshot!(by_hand, @"<!-- perf-gate key=linux.x64 head=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa run=none -->");
    }

    #[test]
    fn malformed_lines_are_not_markers() {
        let line = CommentMarker {
            key: "foo".parse().unwrap(),
            stamp: stamp('a', Some((17, 2))),
            job: None,
        }
        .to_string();
        assert_eq!(
            CommentMarker::parse(&line).map(|marker| marker.to_string()),
            Some(line.clone())
        );
        let broken = [
            line.replace("foo", "foo bar"),
            line.replace("foo", ""),
            line.replace("foo", "foo-->"),
            line.replace("17.2", "017.2"),
            line.replace("17.2", "+17.2"),
            line.replace("17.2", "17"),
            line.replace("17.2", "17.2.3"),
            line.replace("17.2", "99999999999999999999.1"),
            line.replace('a', "A"),
            line.replace("aaaa", "aaa"),
            line.replace("head=", "head= "),
            format!(" {line}"),
            format!("{line} "),
            format!("> {line}"),
            format!("{line}{line}"),
            "<!-- perf-gate -->".to_owned(),
        ];
        for line in broken {
            assert_eq!(CommentMarker::parse(&line), None, "{line}");
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
        fn parsed_marker_formats_to_the_same_line(text in "(<!-- perf-gate(-earlier)? )?[ -~]{0,90}( -->)?") {
            if let Some(marker) = CommentMarker::parse(&text) {
                prop_assert_eq!(marker.to_string(), text);
            }
        }

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
