//! Reports the outcome of a refresh: result lines, messages and the job summary.

use std::path::Path;

use perf_cli::actions::{Level, annotate, append_summary, summary_room};
use perf_cli::term::{printable, printable_lines};
use perf_cli::{Exit, failure, term};
use perf_github::{CommitId, Repo};

use crate::content::PublishedFile;
use crate::origin::Age;
use crate::outcome::RefreshOutcome;

const TITLE: &str = "Performance numbers";

/// The note after an outcome without published numbers.
const KEPT: &str = "the numbers are in the job summary";

/// The branch, the measured commit and the repository of a refresh.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) branch: String,
    pub(crate) measured: CommitId,
    pub(crate) repo: Repo,
    /// The URL of the repository's page.
    pub(crate) page: String,
}

/// The report of a refresh.
#[derive(Debug)]
pub struct RefreshReport {
    pub(crate) scene: Scene,
    pub(crate) outcome: RefreshOutcome,
    pub(crate) in_workflow: bool,
}

impl RefreshReport {
    /// The outcome as a word.
    pub fn word(&self) -> &'static str {
        match self.outcome {
            RefreshOutcome::Committed { .. } => "committed",
            RefreshOutcome::Unchanged => "unchanged",
            RefreshOutcome::Proposed { .. } => "pull-request",
            RefreshOutcome::Outranked { .. } => "newer",
            RefreshOutcome::Stale => "stale",
            RefreshOutcome::Superseded { .. } => "superseded",
            RefreshOutcome::Unpublished { .. } => "unpublished",
        }
    }

    /// The command's exit code.
    pub fn exit(&self) -> Exit {
        match self.level() {
            Some(Level::Warning) => Exit::Findings,
            _ => Exit::Ok,
        }
    }

    /// The level of the annotation, or `None` for an ordinary outcome.
    fn level(&self) -> Option<Level> {
        match self.outcome {
            RefreshOutcome::Committed { .. } | RefreshOutcome::Unchanged => None,
            RefreshOutcome::Unpublished {
                expected: false, ..
            } => Some(Level::Warning),
            _ => Some(Level::Notice),
        }
    }

    /// The result lines for a workflow.
    pub fn lines(&self) -> String {
        let mut lines = format!("refresh={}\n", self.word());
        if let RefreshOutcome::Committed { commit } | RefreshOutcome::Proposed { commit, .. } =
            &self.outcome
        {
            let url = printable_lines(&self.commit_url(commit));
            lines = format!("{lines}commit={commit}\ncommit-url={url}\n");
        }
        if let RefreshOutcome::Proposed { url, .. } = &self.outcome {
            lines = format!("{lines}pull-request={}\n", printable_lines(url));
        }
        lines
    }

    fn commit_url(&self, commit: &CommitId) -> String {
        format!("{}/commit/{commit}", self.scene.page)
    }

    /// Prints the outcome to standard error, and annotates a workflow run if it is unusual.
    pub fn show(&self) -> anyhow::Result<()> {
        let (level, sentence) = (self.level(), self.sentence());
        if level == Some(Level::Warning) {
            term::warn(&sentence);
        } else {
            term::note(&sentence);
        }
        if let RefreshOutcome::Unpublished { hints, .. } = &self.outcome {
            for hint in hints {
                term::hint(hint);
            }
            if self.in_workflow {
                term::note(KEPT);
            }
        }
        match level {
            Some(level) if self.in_workflow => annotate(level, TITLE, &sentence),
            _ => Ok(()),
        }
    }

    /// Describes the outcome in one sentence, without a period.
    fn sentence(&self) -> String {
        let branch = printable(&self.scene.branch);
        let measured = self.scene.measured.short();
        let why = match &self.outcome {
            RefreshOutcome::Committed { commit } => {
                let url = self.commit_url(commit);
                return format!("committed the numbers for {measured} to `{branch}`: {url}");
            }
            RefreshOutcome::Unchanged => {
                return format!("nothing changed: `{branch}` already contains these numbers");
            }
            RefreshOutcome::Proposed {
                url, auto_merge, ..
            } => {
                let end = match auto_merge {
                    Ok(()) => "auto-merge is enabled".to_owned(),
                    Err(why) => format!("merge it manually, because {why}"),
                };
                let url = printable(url);
                return format!(
                    "`{branch}` does not accept the commit, so the numbers are in pull request {url}: {end}"
                );
            }
            RefreshOutcome::Outranked { refresh, pull } => {
                let place = match pull {
                    None => format!("`{branch}`"),
                    Some(number) => format!("pull request #{number}"),
                };
                let newer = refresh.origin.measured.short();
                match refresh.age {
                    Age::Same => {
                        format!("{place} contains numbers for the same code from a later run")
                    }
                    _ => format!("{place} contains numbers for newer code, {newer}"),
                }
            }
            RefreshOutcome::Stale => {
                format!("the measured commit {measured} is no longer in `{branch}`")
            }
            RefreshOutcome::Superseded { by } => {
                let changed = match by {
                    Some(path) => format!("`{}`", printable(path)),
                    None => "more files than GitHub lists".to_owned(),
                };
                format!(
                    "{changed} changed on `{branch}` since {measured} was measured; that push's run publishes its own numbers"
                )
            }
            RefreshOutcome::Unpublished { why, .. } => why.clone(),
        };
        format!("nothing published: {why}")
    }
}

/// Writes the outcome to the job summary, and returns the report. `file` is the summary's path in a workflow.
pub(crate) fn summarize(
    scene: Scene,
    file: Option<&Path>,
    rendered: &[PublishedFile],
    result: anyhow::Result<RefreshOutcome>,
) -> anyhow::Result<RefreshReport> {
    let outcome = match result {
        Ok(outcome) => outcome,
        Err(error) => {
            append(file, &failure::message(&error), rendered);
            if file.is_some() {
                term::note(KEPT);
            }
            return Err(error);
        }
    };
    let numbers = match outcome {
        RefreshOutcome::Unpublished { .. } => rendered,
        _ => &[],
    };
    let report = RefreshReport {
        scene,
        outcome,
        in_workflow: file.is_some(),
    };
    append(file, &report.sentence(), numbers);
    Ok(report)
}

/// Appends to the job summary. An error only causes a warning, because the numbers' outcome is already decided.
fn append(file: Option<&Path>, sentence: &str, numbers: &[PublishedFile]) {
    let Some(file) = file else { return };
    let written =
        summary_room(file).and_then(|room| append_summary(file, &summary(sentence, numbers, room)));
    if let Err(failure) = written {
        term::warn(&failure::message(&failure.into()));
    }
}

/// The bytes reserved for lines around the files.
const AROUND: usize = 4096;

/// A heading, a sentence, and the files in `numbers` that fit into `room` bytes.
fn summary(sentence: &str, numbers: &[PublishedFile], room: usize) -> String {
    let mut text = format!("### {TITLE}\n\n{}\n", inert(sentence));
    for version in numbers {
        let Some(content) = &version.content else {
            continue;
        };
        let path = inert(&printable(version.path.as_str()));
        let block = block(&String::from_utf8_lossy(content));
        let shown = if text.len() + block.len() + AROUND <= room {
            format!("\n<details><summary>{path}</summary>\n\n{block}\n</details>\n")
        } else {
            let size = content.len();
            format!("\n{path} is too large to be shown here: {size} bytes\n")
        };
        text.push_str(&shown);
    }
    text
}

/// Formats a fenced block, with a fence longer than any in the text.
fn block(content: &str) -> String {
    let longest = content
        .split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let content = content.strip_suffix('\n').unwrap_or(content);
    format!("{fence}text\n{content}\n{fence}\n")
}

/// Escapes a sentence so that its only markup is code and bare URLs.
fn inert(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('@', "&#64;")
}

#[cfg(test)]
mod tests;
