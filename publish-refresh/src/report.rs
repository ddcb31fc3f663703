//! The report of a refresh: its outcome, for programs, for people and in the job summary.

use std::path::Path;

use perf_cli::actions::{Level, annotate, append_summary, summary_room};
use perf_cli::{Exit, failure, term};

use crate::content::PublishedFile;
use crate::outcome::{RefreshAction, RefreshOutcome, Scene};
use crate::summary::summary;

const TITLE: &str = "Performance numbers";

/// The report of a refresh.
#[derive(Debug)]
pub struct RefreshReport {
    scene: Scene,
    outcome: RefreshOutcome,
    in_workflow: bool,
}

impl RefreshReport {
    /// The outcome as a word.
    pub fn action(&self) -> RefreshAction {
        self.outcome.action()
    }

    /// The code that the command ends with.
    pub fn exit(&self) -> Exit {
        self.outcome.exit()
    }

    /// The lines that a workflow reads.
    pub fn lines(&self) -> String {
        self.outcome.lines(&self.scene)
    }

    /// Says what happened on standard error; in a workflow also on the run's page, where it is more than people expect.
    ///
    /// # Errors
    /// When standard output cannot take it.
    pub fn show(&self) -> anyhow::Result<()> {
        let (level, sentence) = (self.outcome.level(), self.outcome.sentence(&self.scene));
        if level == Some(Level::Warning) {
            term::warn(&sentence);
        } else {
            term::note(&sentence);
        }
        self.outcome.hints().iter().for_each(|hint| term::hint(hint));
        if self.in_workflow && matches!(self.outcome, RefreshOutcome::Unpublished { .. }) {
            term::note(KEPT);
        }
        match level {
            Some(level) if self.in_workflow => annotate(level, TITLE, &sentence),
            _ => Ok(()),
        }
    }
}

/// The addition to an outcome whose numbers nothing else keeps.
const KEPT: &str = "the numbers are in the job summary";

/// The report of an outcome, which the job summary has, too. `file` is where a workflow wants that.
///
/// # Errors
/// The one that publishing ended with.
pub(crate) fn summarized(
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
    let is_lost = matches!(outcome, RefreshOutcome::Unpublished { .. });
    append(file, &outcome.sentence(&scene), if is_lost { rendered } else { &[] });
    Ok(RefreshReport { scene, outcome, in_workflow: file.is_some() })
}

/// A summary that cannot be written is no reason to fail: what became of the numbers is decided already.
fn append(file: Option<&Path>, sentence: &str, numbers: &[PublishedFile]) {
    let Some(file) = file else { return };
    let written =
        summary_room(file).and_then(|room| append_summary(file, &summary(TITLE, sentence, numbers, room)));
    if let Err(failure) = written {
        term::warn(&failure::message(&failure.into()));
    }
}
