//! The hidden first line of a comment, by which the comment is found again.
//!
//! `<!-- perf-gate key=NAME head=SHA run=ID.ATTEMPT -->` contains the comment's *key*, and its *stamp*: the measured
//! commit, the run, and the job if one reports alone. Only a line with exactly this content is a marker.

use std::fmt;
use std::str::FromStr;

use perf_cli::term::printable;
use perf_github::{CommitId, RunAttempt};

use crate::job::{JobName, JobStamp};

/// A comment's name: one pull request can have one comment per key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentKey(String);

/// A text that is not a key.
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

/// The commit and the run that a report is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// The commit that was measured.
    pub(crate) head: CommitId,
    /// The run that measured it; `None` outside of a workflow.
    pub(crate) run: Option<RunAttempt>,
}

impl Stamp {
    /// Whether this report replaces `other` on a pull request with this `head`.
    ///
    /// The head's report wins; between two reports of the head, or of older commits, the later run's. A report that
    /// somebody posts by hand, without a run, is shown, and so is the next report after it.
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
        // As it is written and no other way: no signs, no leading zeros, no capitals.
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

/// The line by which a comment is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommentMarker {
    pub(crate) key: CommentKey,
    pub(crate) stamp: Stamp,
    /// The reporting job, if it reports alone.
    pub(crate) job: Option<JobStamp>,
}

impl CommentMarker {
    /// The marker that a line is, without the line's end.
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

    /// The marker in a text's first line, if it has this key.
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

/// The line that begins the part of a job, where several jobs report.
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

/// The line that says that all jobs of a matrix have ended in a run, whether they reported or not.
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
    fn a_marker_is_one_hidden_line() {
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
    fn only_the_whole_line_is_a_marker() {
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
    fn keys_are_plain() {
        for text in ["", "a b", "a\n", "a>", "é", "a--b>", &"x".repeat(65)] {
            assert!(text.parse::<CommentKey>().is_err(), "{text:?}");
        }
        let error = "a\u{1b}[2J b".parse::<CommentKey>().unwrap_err();
        insta::assert_snapshot!(error, @"invalid key `a�[2J b`: 1 to 64 letters, digits, `.`, `_` and `-`");
    }

    #[test]
    fn the_report_of_the_head_is_shown_and_of_two_the_later_runs() {
        let head = sha('a');
        let cases = [
            // Of the same commit: by run, then attempt; the same run may say something else.
            (stamp('a', Some((9, 1))), stamp('a', Some((10, 1))), false),
            (stamp('a', Some((10, 1))), stamp('a', Some((9, 9))), true),
            (stamp('a', Some((9, 1))), stamp('a', Some((9, 2))), false),
            (stamp('a', Some((9, 1))), stamp('a', Some((9, 1))), true),
            // The head comes before any other commit, whatever the runs are.
            (stamp('a', Some((9, 1))), stamp('b', Some((10, 1))), true),
            (stamp('b', Some((10, 1))), stamp('a', Some((9, 1))), false),
            // Neither is the head any more.
            (stamp('b', Some((9, 1))), stamp('c', Some((10, 1))), false),
            (stamp('c', Some((10, 1))), stamp('b', Some((9, 1))), true),
            // By hand.
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
        fn no_line_of_text_is_taken_for_a_marker(text in "(<!-- perf-gate(-earlier)? )?[ -~]{0,90}( -->)?") {
            if let Some(marker) = CommentMarker::parse(&text) {
                prop_assert_eq!(marker.to_string(), text);
            }
        }

        #[test]
        fn of_two_runs_exactly_one_is_shown(a in (0..3_u64, 1..3_u32, 0..3_usize), b in (0..3_u64, 1..3_u32, 0..3_usize)) {
            let of = |(id, attempt, head): (u64, u32, usize)| stamp(['a', 'b', 'c'][head], Some((id, attempt)));
            let (a, b, head) = (of(a), of(b), sha('a'));
            let is_head = |stamp: &Stamp| stamp.head == head;
            let same = a.run == b.run && is_head(&a) == is_head(&b);
            prop_assert_eq!(a.supersedes(&b, &head) && b.supersedes(&a, &head), same);
            prop_assert!(a.supersedes(&b, &head) || b.supersedes(&a, &head));
        }
    }
}
