//! The request: a report and the comment that shows it.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use perf_cli::actions::{append_summary, summary_room};
use perf_cli::{Failure, file, input, term};
use perf_github::{Actions, CommitId, Repo};
use perf_report::markdown::cut::{Limit, cut};

use crate::job::{JobName, ShardStamp};
use crate::marker::CommentKey;
use crate::plan::UpsertMode;

/// The maximum size of a report in bytes.
const MAX_BODY: u64 = file::MAX_TEXT;

/// A report and the comment that shows it. Also the command line.
#[derive(Clone, Debug, Default, Args)]
pub struct CommentRequest {
    /// The name of the comment: a pull request can have one per key
    #[arg(short, long, value_name = "NAME", help_heading = "Comment")]
    pub key: CommentKey,

    /// The report, in Markdown; `-` is standard input
    #[arg(long, value_name = "MD", help_heading = "Comment")]
    pub body_file: Option<PathBuf>,

    /// The report for the job summary, which may be longer than the body.
    #[arg(skip)]
    pub summary_file: Option<PathBuf>,

    /// The repository [default: the workflow's]
    #[arg(
        long,
        value_name = "OWNER/NAME",
        help_heading = "Target",
        hide_short_help = true
    )]
    pub repo: Option<Repo>,

    /// The pull request [default: the event's]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Target")]
    pub pr: Option<u64>,

    /// The measured commit [default: the event's, otherwise the pull request's newest]
    #[arg(
        long,
        value_name = "SHA",
        help_heading = "Target",
        hide_short_help = true
    )]
    pub head: Option<CommitId>,

    /// What to do with the comment
    #[arg(long, value_enum, default_value_t = UpsertMode::Update, help_heading = "Comment")]
    pub mode: UpsertMode,

    /// Do not append the report to the job summary
    #[arg(long, help_heading = "Job", hide_short_help = true)]
    pub no_summary: bool,

    /// The job that reports, if several jobs share the comment: `WORKFLOW/JOB (VALUES)`
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Comment",
        hide_short_help = true
    )]
    pub job: Option<JobName>,

    /// How many jobs share the comment
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 0,
        hide_default_value = true,
        requires = "job",
        help_heading = "Comment",
        hide_short_help = true
    )]
    pub jobs: u32,

    /// All jobs with this name have ended: show the ones that have not reported
    #[arg(long, value_name = "WORKFLOW/JOB", value_parser = parse_matrix, conflicts_with_all = ["body_file", "job"], help_heading = "Comment", hide_short_help = true)]
    pub ended: Option<JobName>,

    /// The part of the suite that the job measured.
    #[arg(skip)]
    pub shard: Option<ShardStamp>,

    /// Whether check runs contain the other jobs' reports.
    #[arg(skip)]
    pub has_checks: bool,
}

impl CommentRequest {
    /// A request to only update the comment with this key from a report file.
    pub fn new(key: CommentKey, body_file: PathBuf) -> Self {
        Self {
            key,
            body_file: Some(body_file),
            no_summary: true,
            ..Self::default()
        }
    }

    /// The report, or an empty text to delete the comment.
    pub(crate) fn markdown(&self, actions: &Actions) -> anyhow::Result<String> {
        match &self.body_file {
            Some(path) => read_report(path, actions),
            None if self.mode == UpsertMode::Delete || self.ended.is_some() => Ok(String::new()),
            None => Err(Failure::new("no report to post")
                .hint("pass it with `--body-file`, or delete the comment with `--mode delete`")
                .into()),
        }
    }

    /// Appends the report to the job summary, shortened if necessary.
    pub(crate) fn summarize(&self, actions: &Actions, markdown: &str) -> anyhow::Result<()> {
        let Some(path) = actions.summary.as_deref() else {
            return Ok(());
        };
        if self.no_summary || markdown.is_empty() {
            return Ok(());
        }
        let markdown = match &self.summary_file {
            Some(file) => &read_report(file, actions)?,
            None => markdown,
        };
        let notice = "> The end of this report is left out, because the job summary is full.";
        let text = cut(markdown, Limit::Bytes(summary_room(path)?), notice);
        if text != markdown {
            term::warn("the job summary is full: the end of the report is left out");
        }
        if !text.is_empty() {
            append_summary(path, &text)?;
        }
        Ok(())
    }
}

/// Parses the name of a whole matrix.
fn parse_matrix(text: &str) -> Result<JobName, &'static str> {
    let name: JobName = text.parse()?;
    if name.values.is_empty() {
        Ok(name)
    } else {
        Err("name the whole matrix, without values")
    }
}

/// Reads a report, and removes the token from it.
fn read_report(path: &Path, actions: &Actions) -> anyhow::Result<String> {
    let mut input = input::open(path)?;
    let mut text = Vec::new();
    let read = input.by_ref().take(MAX_BODY + 1).read_to_end(&mut text);
    read.map_err(|error| input::cannot_read(&input.name, error))?;
    let name = input.name;
    if text.len() as u64 > MAX_BODY {
        return Err(Failure::new(format!("`{name}` is too large for a report")).into());
    }
    let markdown =
        String::from_utf8(text).map_err(|error| file::not_utf8(Path::new(&name), &error))?;
    if markdown.trim().is_empty() {
        return Err(Failure::new(format!("nothing to post: `{name}` is empty"))
            .hint("delete the comment with `--mode delete` when there is nothing to report")
            .into());
    }
    Ok(actions.redact(&markdown))
}
