//! A comment's text: the marker and the report.

use perf_github::Comment;
use perf_report::markdown::cut::{Limit, cut};

use crate::job::JobStamp;
use crate::marker::{CommentKey, CommentMarker, EndMarker, PartMarker, Stamp};

/// The maximum length of a comment in characters, including the marker. GitHub accepts 65,536.
pub(crate) const LIMIT: usize = 60_000;

/// One of our own comments with the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Own {
    pub(crate) id: u64,
    pub(crate) node_id: String,
    pub(crate) url: String,
    /// True if a user has hidden it.
    pub(crate) hidden: bool,
    pub(crate) stamp: Stamp,
    /// The reporting job, if it reports alone.
    pub(crate) job: Option<JobStamp>,
    /// The whole text, with line feeds as line ends.
    pub(crate) text: String,
}

impl Own {
    /// Parses a comment, if its first line is a marker with this key.
    pub(crate) fn of(comment: &Comment, key: &CommentKey) -> Option<Self> {
        let text = normalize(&comment.body);
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

    /// The comment with another text, if that begins with a marker with this key.
    pub(crate) fn with_text(&self, text: &str, key: &CommentKey) -> Option<Self> {
        let text = normalize(text);
        let CommentMarker { stamp, job, .. } = CommentMarker::of(&text, key)?;
        Some(Self {
            stamp,
            job,
            text,
            ..self.clone()
        })
    }

    /// Whether the comment already shows a text on the same commit, from the same or a later run. An earlier run's marker must be
    /// replaced, otherwise a run between the two could overwrite the text.
    pub(crate) fn says(&self, stamp: &Stamp, text: &str) -> bool {
        let below = |text: &str| text.split_once('\n').map(|(_, rest)| normalize(rest));
        self.stamp.head == stamp.head
            && self.stamp.run >= stamp.run
            && below(&self.text) == below(&normalize(text))
    }

    /// The comment's report.
    pub(crate) fn report(&self) -> RunReport {
        let (_, text) = self.text.split_once('\n').unwrap_or_default();
        RunReport {
            stamp: self.stamp.clone(),
            job: self.job.clone(),
            text: normalize(text),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunReport {
    pub(crate) stamp: Stamp,
    /// The reporting job, if known.
    pub(crate) job: Option<JobStamp>,
    /// The Markdown text.
    pub(crate) text: String,
}

/// Prepares a report for posting: shortens it if necessary, and removes lines that look like our own markers.
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
    let text = cut(
        &normalize(&markdown.join("\n")),
        Limit::Chars(room),
        &notice,
    )
    .into_owned();
    RunReport {
        stamp: marker.stamp,
        job: marker.job,
        text,
    }
}

/// Builds a comment's text.
pub(crate) fn comment(key: &CommentKey, report: &RunReport) -> String {
    let marker = CommentMarker {
        key: key.clone(),
        stamp: report.stamp.clone(),
        job: report.job.clone(),
    };
    format!("{marker}\n{}", report.text)
}

/// Normalizes a text like GitHub: line feeds, and no blank lines at the start and the end.
pub(crate) fn normalize(text: &str) -> String {
    text.replace("\r\n", "\n")
        .trim_start_matches('\n')
        .trim_end()
        .to_owned()
}
