//! `upsert-pr-comment`: one comment on a pull request for each key, kept up to date.
//!
//! - A *key* names the comment; one pull request can have several.
//! - The *marker* is the hidden first line by which the comment is found; its *stamp* says what was measured.
//! - *Own* comments are those that have the marker and that we wrote ourselves; no other is ever touched.

mod commit;
mod dry_run;
mod marker;
mod plan;
mod post;
mod regressions;
mod settle;
mod skip;
mod summary;
mod target;
mod text;

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};
use perf_cli::actions::{Level, annotate};
use perf_cli::term::{self, printable};
use perf_cli::{Common, Exit, Failure, file, input};
use perf_github::{Actions, CommitId, Repo};

pub use crate::commit::comment_on_commit;
use crate::marker::Key;
use crate::plan::{Mode, Newer};
use crate::post::Outcome;
use crate::regressions::Regression;
use crate::settle::Settled;
use crate::skip::Skip;

/// Post a report on a pull request as one comment that is kept up to date, and in the job summary
#[derive(Parser)]
#[command(name = "upsert-pr-comment", version, after_help = EXAMPLES)]
pub struct Cli {
    /// The name of the comment: a pull request can have one for each key
    #[arg(short, long, value_name = "NAME", help_heading = "Comment")]
    key: Key,

    /// The report, in Markdown; `-` is standard input
    #[arg(short, long, value_name = "MD", help_heading = "Comment")]
    body_file: Option<PathBuf>,

    /// The report for the job summary, which may be longer [default: that of --body-file]
    #[arg(
        long,
        value_name = "MD",
        requires = "body_file",
        conflicts_with = "no_summary",
        help_heading = "Job",
        hide_short_help = true
    )]
    summary_file: Option<PathBuf>,

    /// The repository [default: the workflow's]
    #[arg(long, value_name = "OWNER/NAME", help_heading = "Target", hide_short_help = true)]
    repo: Option<Repo>,

    /// The pull request [default: the event's]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Target")]
    pr: Option<u64>,

    /// The commit that was measured [default: the event's, else the pull request's newest]
    #[arg(long, value_name = "SHA", help_heading = "Target", hide_short_help = true)]
    head: Option<CommitId>,

    /// How the comment is updated
    #[arg(long, value_enum, default_value_t = Mode::Update, help_heading = "Comment")]
    mode: Mode,

    /// Print what would be done, and write nothing
    #[arg(long)]
    dry_run: bool,

    /// Do not append the report to the job summary
    #[arg(long, help_heading = "Job", hide_short_help = true)]
    no_summary: bool,

    /// Show an annotation for each regression
    #[arg(long, value_enum, value_name = "LEVEL", requires = "report", help_heading = "Job")]
    annotate: Option<Alarm>,

    /// The report that `render-perf-deltas --json` wrote, for `--annotate`
    #[arg(long, value_name = "JSON", help_heading = "Job")]
    report: Option<PathBuf>,

    #[command(flatten)]
    common: Common,
}

/// How much a regression alarms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Alarm {
    /// Yellow
    Warning,
    /// Red
    Error,
}

const EXAMPLES: &str = "\
Examples:
  upsert-pr-comment --key perf --body-file deltas.md
  upsert-pr-comment --key perf --body-file deltas.md \\
    --annotate warning --report report.json
  upsert-pr-comment --key perf --mode delete
  GH_TOKEN=$(gh auth token) upsert-pr-comment --key perf \\
    --body-file deltas.md --repo octo/quill --pr 5 --dry-run

In a workflow, repository, pull request, run and API come from the
environment; the token is GITHUB_TOKEN, else GH_TOKEN, and needs
`pull-requests: write`.

Standard output has one line each for comment-url=, comment-id= and
action= (created, updated, unchanged, deleted, outdated, skipped, planned).

Exit codes: 0 the comment is up to date, or none is possible (a fork, a closed
pull request: a notice says why); 2 something is wrong";

/// The size of the largest report that is read, in bytes.
const MAX_BODY: u64 = file::MAX_TEXT;

/// Runs the command.
///
/// # Errors
/// What keeps it from doing its work.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let actions = Actions::from_env()?;
    let markdown = announce(cli, &actions)?;
    term::stdout(&post(cli, &actions, &markdown)?.lines())?;
    Ok(Exit::Ok)
}

/// Appends the report to the job summary, shows an annotation for each regression, and returns the report.
///
/// # Errors
/// A report or a summary that cannot be read or written.
pub fn announce(cli: &Cli, actions: &Actions) -> anyhow::Result<String> {
    let markdown = cli.markdown(actions)?;
    let regressions = cli.regressions(actions)?;
    if !cli.dry_run {
        if let Some(path) = actions.summary.as_deref().filter(|_| !cli.no_summary && !markdown.is_empty()) {
            let whole = cli.summary_file.as_deref().map(|path| report_of(path, actions)).transpose()?;
            summary::write(path, whole.as_deref().unwrap_or(&markdown))?;
        }
        if let Some(alarm) = cli.annotate {
            regressions::tell(&regressions, alarm.level())?;
        }
    }
    Ok(markdown)
}

/// What happened to the comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// Its id and its address, if there is one.
    pub comment: Option<(u64, String)>,
    /// `created`, `updated`, `unchanged`, `deleted`, `outdated`, `skipped` or `planned`.
    pub action: &'static str,
}

impl Posted {
    fn lines(&self) -> String {
        let (id, url) =
            self.comment.as_ref().map_or_else(Default::default, |(id, url)| (id.to_string(), printable(url)));
        format!("comment-url={url}\ncomment-id={id}\naction={}\n", self.action)
    }
}

/// Posts the report, or updates or deletes its comment, and says on standard error what happened.
///
/// # Errors
/// Everything that somebody has to fix; an expected read-only token is not an error.
pub fn post(cli: &Cli, actions: &Actions, markdown: &str) -> anyhow::Result<Posted> {
    let outcome = post::post(cli, actions, markdown)?;
    let (action, comment) = match &outcome {
        Outcome::Settled(settled) => (settled.action.word(), settled.comment.clone()),
        Outcome::Planned(..) => ("planned", None),
        Outcome::Skipped(_) => ("skipped", None),
    };
    match &outcome {
        Outcome::Settled(settled) => tell_settled(cli, settled),
        Outcome::Planned(number, plan) => term::stdout(&dry_run::described(*number, plan))?,
        Outcome::Skipped(skip) => tell_skipped(cli, actions, skip)?,
    }
    Ok(Posted { comment, action })
}

impl Cli {
    /// The report; nothing when there is none, as nothing is to be posted.
    fn markdown(&self, actions: &Actions) -> anyhow::Result<String> {
        let Some(path) = &self.body_file else {
            if self.mode == Mode::Delete {
                return Ok(String::new());
            }
            return Err(Failure::new("there is no report to post")
                .hint("pass it with `--body-file`, or delete the comment with `--mode delete`")
                .into());
        };
        report_of(path, actions)
    }

    /// What the report for programs lists, if there is one.
    fn regressions(&self, actions: &Actions) -> anyhow::Result<Vec<Regression>> {
        let Some(path) = &self.report else { return Ok(Vec::new()) };
        let mut all = regressions::read(path)?;
        for text in all.iter_mut().flat_map(|found| [&mut found.title, &mut found.text]) {
            *text = redacted(std::mem::take(text), actions);
        }
        Ok(all)
    }
}

impl Alarm {
    fn level(self) -> Level {
        match self {
            Self::Warning => Level::Warning,
            Self::Error => Level::Error,
        }
    }
}

/// A report, whole and without the token.
fn report_of(path: &Path, actions: &Actions) -> anyhow::Result<String> {
    let markdown = read(path)?;
    if markdown.trim().is_empty() {
        return Err(Failure::new(format!("nothing to post: `{}` is empty", term::shown(path)))
            .hint("delete the comment with `--mode delete` when there is nothing to report")
            .into());
    }
    Ok(redacted(markdown, actions))
}

/// A report never publishes the token, whoever printed it.
fn redacted(text: String, actions: &Actions) -> String {
    match actions.token() {
        Ok(token) => token.redact(&text),
        Err(_) => text,
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    let mut input = input::open(path)?;
    let mut text = Vec::new();
    let read = input.by_ref().take(MAX_BODY + 1).read_to_end(&mut text);
    read.map_err(|error| input::cannot_read(&input.name, error))?;
    if text.len() as u64 > MAX_BODY {
        return Err(Failure::new(format!("`{}` is too large for a report", input.name)).into());
    }
    Ok(String::from_utf8(text).map_err(|error| file::not_utf8(Path::new(&input.name), &error))?)
}

fn tell_settled(cli: &Cli, settled: &Settled) {
    let url = settled.comment.as_ref().map_or_else(String::new, |(_, url)| format!(": {}", printable(url)));
    match &settled.outdated_by {
        Some(Newer::Commit(head)) => term::note(&format!(
            "no comment `{}`: the run of the newest commit {} will report",
            cli.key,
            head.short()
        )),
        Some(Newer::Report(stamp)) => term::note(&format!(
            "the comment `{}` shows a newer report, of {}, and was left as it is{url}",
            cli.key,
            stamp.head.short()
        )),
        None => term::note(&format!("the comment `{}` is {}{url}", cli.key, settled.action.word())),
    }
}

/// In a workflow, the notice stands on the run's page.
fn tell_skipped(cli: &Cli, actions: &Actions, skip: &Skip) -> anyhow::Result<()> {
    let written = actions.summary.is_some() && !cli.no_summary && !cli.dry_run && cli.body_file.is_some();
    let instead = if written { "; the report is in the job summary" } else { "" };
    let text = format!("no comment `{}`: {skip}{instead}", cli.key);
    if actions.run.is_none() {
        term::note(&text);
        return Ok(());
    }
    annotate(Level::Notice, "No comment", &text)
}
