//! A report as a comment's text: the marker and the Markdown.

use std::fmt;

use perf_github::Comment;
use perf_report::markdown::cut::{Limit, cut};

use crate::job::JobStamp;
use crate::marker::{CommentKey, Stamp, hidden_line};

/// The maximum length of a comment in characters, including the marker. GitHub accepts 65,536.
pub(crate) const LIMIT: usize = 60_000;

/// A report for a comment. It is formatted as the comment's text, whose first line is the *marker*.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunReport {
    pub(crate) key: CommentKey,
    pub(crate) stamp: Stamp,
    /// The reporting job. `None` for a report that combines several jobs.
    pub(crate) job: Option<JobStamp>,
    pub(crate) text: String,
}

impl RunReport {
    /// Parses a comment's text, if it begins with a marker with this key.
    pub(crate) fn parse(text: &str, key: &CommentKey) -> Option<Self> {
        let text = normalize(text);
        let (marker, text) = text.split_once('\n').unwrap_or((&text, ""));
        let report = Self::parse_marker(marker).filter(|report| report.key == *key)?;
        Some(Self {
            text: normalize(text),
            ..report
        })
    }

    /// Parses a marker, `<!-- perf-gate key=NAME head=SHA run=ID.ATTEMPT -->`, which may also contain the job as JSON.
    ///
    /// Other text instead of the JSON is ignored, so comments by other versions can be updated.
    pub(crate) fn parse_marker(line: &str) -> Option<Self> {
        let text = line.strip_prefix("<!-- perf-gate key=")?;
        let mut words = text.strip_suffix(" -->")?.splitn(4, ' ');
        let key = words.next()?.parse().ok()?;
        let head = words.next()?.strip_prefix("head=")?.parse().ok()?;
        let run = match words.next()?.strip_prefix("run=")? {
            "none" => None,
            run => Some(run.parse().ok()?),
        };
        let job = words.next().unwrap_or_default();
        let report = Self {
            key,
            stamp: Stamp { head, run },
            job: serde_json::from_str(job).ok(),
            text: String::new(),
        };
        // Reject other spellings: signs, leading zeros and capitals.
        let is_exact = text.starts_with(&format!("{} {} ", report.key, report.stamp));
        (is_exact && !job.contains("-->")).then_some(report)
    }

    pub(crate) fn marker(&self) -> String {
        let kind = format!(" key={} {}", self.key, self.stamp);
        match &self.job {
            Some(job) => hidden_line(&kind, job),
            None => format!("<!-- perf-gate{kind} -->"),
        }
    }

    /// Whether a comment with this report already shows `other`: the same text on the same commit, from the same or a later
    /// run. An earlier run's marker must be replaced, otherwise a run between the two could overwrite the text.
    pub(crate) fn shows(&self, other: &Self) -> bool {
        self.stamp.head == other.stamp.head
            && self.stamp.run >= other.stamp.run
            && self.text == other.text
    }

    /// Shortens the text for a comment if necessary, and removes lines that look like our own markers.
    pub(crate) fn postable(mut self, link: Option<&str>) -> Self {
        let room = LIMIT.saturating_sub(self.marker().chars().count() + 1);
        let link = link.map_or_else(String::new, |link| format!(" [Full report]({link})"));
        let notice = format!("> This report is too long for a comment; its end is left out.{link}");
        let text = normalize(&self.text);
        let text = cut(&text, Limit::Chars(room), &notice);
        let mut lines = Vec::new();
        // Shortening can turn the start of a line into a marker, and so can normalizing, which trims the last line.
        for line in text.lines() {
            if Self::parse_marker(line.trim_end()).is_none() {
                lines.push(line);
            }
        }
        self.text = normalize(&lines.join("\n"));
        self
    }
}

impl fmt::Display for RunReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.marker(), self.text)
    }
}

/// One of our own comments with the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Own {
    pub(crate) comment: Comment,
    pub(crate) report: RunReport,
}

impl Own {
    /// Parses a comment, if its first line is a marker with this key.
    pub(crate) fn of(comment: &Comment, key: &CommentKey) -> Option<Self> {
        Some(Self {
            report: RunReport::parse(&comment.body, key)?,
            comment: comment.clone(),
        })
    }
}

/// Normalizes a text like GitHub: line feeds, and no blank lines at the start and the end.
pub(crate) fn normalize(text: &str) -> String {
    text.replace("\r\n", "\n")
        .trim_start_matches('\n')
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::job::JobName;

    fn report(run: &str) -> RunReport {
        RunReport {
            key: "linux.x64".parse().unwrap(),
            stamp: Stamp {
                head: "a".repeat(40).parse().unwrap(),
                run: run.parse().ok(),
            },
            job: None,
            text: "fine".to_owned(),
        }
    }

    #[test]
    fn marker_is_one_hidden_line() {
        insta::assert_snapshot!(report("17.2").marker(), @"<!-- perf-gate key=linux.x64 head=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa run=17.2 -->");
        insta::assert_snapshot!(report("").marker(), @"<!-- perf-gate key=linux.x64 head=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa run=none -->");
        let name = JobName {
            workflow: "ci".to_owned(),
            job: "perf".to_owned(),
            values: vec!["--> <!--\n".to_owned()],
        };
        let job = Some(JobStamp {
            of: 3,
            ended: false,
            shard: None,
            name,
        });
        let hostile = RunReport {
            job,
            ..report("17.2")
        };
        insta::assert_snapshot!(hostile.marker(), @r#"<!-- perf-gate key=linux.x64 head=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa run=17.2 {"of":3,"name":{"workflow":"ci","job":"perf","values":["-\u002d\u003e <!-\u002d\n"]}} -->"#);
        assert_eq!(
            RunReport::parse(&hostile.to_string(), &hostile.key),
            Some(hostile)
        );
    }

    #[test]
    fn malformed_lines_are_not_markers() {
        let line = report("17.2").marker();
        assert!(RunReport::parse_marker(&line).is_some());
        let broken = [
            line.replace("linux.x64", "foo bar"),
            line.replace("linux.x64", ""),
            line.replace("linux.x64", "foo-->"),
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
            assert_eq!(RunReport::parse_marker(&line), None, "{line}");
        }
    }

    #[test]
    fn posted_text_contains_no_other_marker() {
        let marker = report("17.2").marker();
        // A line is cut if it does not fit into the room below the notice. This one is cut after a marker.
        let notice = "> This report is too long for a comment; its end is left out.\n\n";
        let room = LIMIT - marker.len() - 1 - notice.len();
        let job = format!(" {} -->", "x".repeat(room - marker.len() - 1));
        let cut = marker.replace(" -->", &job);
        for text in [
            format!("fine\n{marker}\nmore"),
            format!("fine\n{marker} \n"),
            format!("fine\n{marker}\t\r\r\nmore"),
            format!("{cut}{}", "x".repeat(LIMIT)),
        ] {
            let posted = RunReport {
                text,
                ..report("17.2")
            }
            .postable(None);
            let shown = RunReport::parse(&posted.to_string(), &posted.key).unwrap();
            let mut lines = shown.text.lines();
            assert!(
                lines.all(|line| RunReport::parse_marker(line).is_none()),
                "{}",
                &shown.text[..shown.text.len().min(200)]
            );
        }
    }

    #[test]
    fn marker_of_another_version_identifies_the_comment() {
        let known = report("17.2");
        let marker = known.marker();
        for job in ["of=0 at=1796000000 job=ci/perf (linux)", "of=3 job=ci/perf"] {
            let other = known.to_string().replace("-->", &format!("{job} -->"));
            assert_ne!(other.lines().next(), Some(&*marker));
            assert_eq!(RunReport::parse(&other, &known.key), Some(known.clone()));
        }
    }

    proptest! {
        #[test]
        fn parsed_marker_formats_to_the_same_line(text in "(<!-- perf-gate key=[a-b ]{1,3} head=a{40} run=)?[ -~]{0,90}( -->)?") {
            if let Some(report) = RunReport::parse_marker(&text) {
                let marker = report.marker();
                let start = marker.trim_end_matches("-->");
                prop_assert!(text == marker || report.job.is_none() && text.starts_with(start), "{}", marker);
            }
        }
    }
}
