//! A comment's text: the marker, and the report.

use perf_github::Comment;
use perf_report::markdown::cut::{Limit, cut};

use crate::job::JobStamp;
use crate::marker::{CommentKey, CommentMarker, EndMarker, PartMarker, Stamp};

/// Upper bound on the length of a comment, in characters, marker included. GitHub takes 65,536.
pub(crate) const LIMIT: usize = 60_000;

/// A comment of our own with the wanted key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Own {
    pub(crate) id: u64,
    pub(crate) node_id: String,
    pub(crate) url: String,
    /// True if somebody has hidden it.
    pub(crate) hidden: bool,
    pub(crate) stamp: Stamp,
    /// The reporting job, if it reports alone.
    pub(crate) job: Option<JobStamp>,
    /// All of its text, lines ended by line feeds.
    pub(crate) text: String,
}

impl Own {
    /// The comment, if its first line is a marker of this key.
    pub(crate) fn of(comment: &Comment, key: &CommentKey) -> Option<Self> {
        let text = normal(&comment.body);
        let CommentMarker { stamp, job, .. } = CommentMarker::of(&text, key)?;
        let (id, url, hidden) = (comment.id, comment.url.clone(), comment.minimized);
        Some(Self {
            id,
            node_id: comment.node_id.clone(),
            url,
            hidden,
            stamp,
            job,
            text,
        })
    }

    /// The comment with another of its texts, if that begins with a marker of this key.
    pub(crate) fn with_text(&self, text: &str, key: &CommentKey) -> Option<Self> {
        let text = normal(text);
        let CommentMarker { stamp, job, .. } = CommentMarker::of(&text, key)?;
        Some(Self {
            stamp,
            job,
            text,
            ..self.clone()
        })
    }

    /// Whether it says the same as a text to be posted, about the same commit. A later run's text is just as good; an
    /// earlier run's marker would let a run in between overwrite it.
    pub(crate) fn says(&self, stamp: &Stamp, text: &str) -> bool {
        let below = |text: &str| text.split_once('\n').map(|(_, rest)| normal(rest));
        self.stamp.head == stamp.head
            && self.stamp.run >= stamp.run
            && below(&self.text) == below(&normal(text))
    }

    /// The report.
    pub(crate) fn report(&self) -> RunReport {
        let (_, text) = self.text.split_once('\n').unwrap_or_default();
        RunReport {
            stamp: self.stamp.clone(),
            job: self.job.clone(),
            text: normal(text),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunReport {
    pub(crate) stamp: Stamp,
    /// The job, if the report has one.
    pub(crate) job: Option<JobStamp>,
    /// Markdown.
    pub(crate) text: String,
}

/// A report as it is posted: cut if it must be, and without lines that would be taken for our own.
pub(crate) fn postable(
    markdown: &str,
    key: &CommentKey,
    (stamp, job): (Stamp, Option<JobStamp>),
    link: Option<&str>,
) -> RunReport {
    let is_ours =
        |line: &str| PartMarker::parse(line).is_some() || EndMarker::parse(line).is_some();
    let markdown: Vec<&str> = markdown.lines().filter(|line| !is_ours(line)).collect();
    let marker = CommentMarker {
        key: key.clone(),
        stamp,
        job,
    };
    let room = LIMIT - marker.to_string().len() - 1;
    let link = link.map_or_else(String::new, |link| format!(" [Full report]({link})"));
    let notice = format!("> This report is too long for a comment; its end is left out.{link}");
    let text = cut(&normal(&markdown.join("\n")), Limit::Chars(room), &notice).into_owned();
    RunReport {
        stamp: marker.stamp,
        job: marker.job,
        text,
    }
}

/// A comment's text.
pub(crate) fn comment(key: &CommentKey, report: &RunReport) -> String {
    let marker = CommentMarker {
        key: key.clone(),
        stamp: report.stamp.clone(),
        job: report.job.clone(),
    };
    format!("{marker}\n{}", report.text)
}

/// The text as GitHub probably stores it: line feeds, and no blank lines at the ends.
pub(crate) fn normal(text: &str) -> String {
    text.replace("\r\n", "\n")
        .trim_start_matches('\n')
        .trim_end()
        .to_owned()
}
