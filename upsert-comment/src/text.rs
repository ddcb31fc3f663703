//! A comment's text: the marker, the newest report, and in the mode `append` the reports of earlier runs.

use perf_github::Comment;
use perf_report::markdown::cut::{Limit, cut};

use crate::job::JobStamp;
use crate::marker::{CommentKey, CommentMarker, EarlierMarker, EndMarker, PartMarker, Stamp};

/// Upper bound on the length of a comment, in characters, marker included. GitHub takes 65,536.
pub(crate) const LIMIT: usize = 60_000;

/// The line instead of earlier reports that do not fit.
const NO_ROOM: &str = "\n\nReports of earlier runs are left out because they do not fit.";

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

    /// Whether it says that some reports did not fit.
    pub(crate) fn lacks_some(&self) -> bool {
        self.text.ends_with(NO_ROOM)
    }

    /// The newest report, and the reports of earlier runs.
    pub(crate) fn reports(&self) -> (RunReport, Vec<RunReport>) {
        let (_, rest) = self.text.split_once('\n').unwrap_or_default();
        let rest = rest.strip_suffix(NO_ROOM).unwrap_or(rest);
        let mut reports = vec![(self.stamp.clone(), self.job.clone(), String::new())];
        for line in rest.lines() {
            if let Some(EarlierMarker(stamp)) = EarlierMarker::parse(line) {
                reports.push((stamp, None, String::new()));
            } else if let Some((.., text)) = reports.last_mut() {
                text.push_str(line);
                text.push('\n');
            }
        }
        let mut reports = reports.into_iter().map(|(stamp, job, text)| RunReport {
            stamp,
            job,
            text: normal(&text),
        });
        let nothing = || RunReport {
            stamp: self.stamp.clone(),
            job: None,
            text: String::new(),
        };
        let newest = reports.next().unwrap_or_else(nothing);
        (newest, reports.collect())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunReport {
    pub(crate) stamp: Stamp,
    /// The job, if the report has one.
    pub(crate) job: Option<JobStamp>,
    /// Markdown; an earlier run's report is already folded.
    pub(crate) text: String,
}

impl RunReport {
    /// The report as it stands below a newer one.
    pub(crate) fn folded(self) -> Self {
        let commit = self.stamp.head.short();
        let text = format!(
            "<details><summary>Earlier, of {commit}</summary>\n\n{}\n\n</details>",
            self.text
        );
        Self { text, ..self }
    }
}

/// A report as it is posted: cut if it must be, and without lines that would be taken for our own.
pub(crate) fn postable(
    markdown: &str,
    key: &CommentKey,
    (stamp, job): (Stamp, Option<JobStamp>),
    link: Option<&str>,
) -> RunReport {
    let is_ours = |line: &str| {
        EarlierMarker::parse(line).is_some()
            || PartMarker::parse(line).is_some()
            || EndMarker::parse(line).is_some()
    };
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

/// A comment's text: `newest`, and below it as many of `earlier` as fit. If it `lacks_some` already, or does now, it
/// says so.
pub(crate) fn comment(
    key: &CommentKey,
    newest: &RunReport,
    earlier: &[RunReport],
    mut lacks_some: bool,
) -> String {
    let marker = CommentMarker {
        key: key.clone(),
        stamp: newest.stamp.clone(),
        job: newest.job.clone(),
    };
    let mut text = format!("{marker}\n{}", newest.text);
    let mut room = LIMIT.saturating_sub(text.chars().count() + NO_ROOM.len());
    for report in earlier {
        let more = format!(
            "\n\n{}\n{}",
            EarlierMarker(report.stamp.clone()),
            report.text
        );
        let Some(left) = room.checked_sub(more.chars().count()) else {
            // A shorter one may still fit.
            lacks_some = true;
            continue;
        };
        room = left;
        text += &more;
    }
    if lacks_some && text.chars().count() + NO_ROOM.len() <= LIMIT {
        text += NO_ROOM;
    }
    text
}

/// The text as GitHub probably stores it: line feeds, and no blank lines at the ends.
pub(crate) fn normal(text: &str) -> String {
    text.replace("\r\n", "\n")
        .trim_start_matches('\n')
        .trim_end()
        .to_owned()
}
