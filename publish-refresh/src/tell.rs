//! Telling what became of the numbers: lines for stdout, a sentence on stderr, and the job summary.

use std::path::Path;

use perf_cli::actions::{Level, annotate, append_summary, summary_room};
use perf_cli::{failure, term};

use crate::Published;
use crate::content::Version;
use crate::outcome::{Outcome, Scene};
use crate::summary::summary;

const TITLE: &str = "Performance numbers";

/// Tells it everywhere. Numbers that nothing else keeps are shown in the job summary; `file` is where a
/// workflow wants it.
///
/// # Errors
/// The one that publishing ended with.
pub(crate) fn tell(
    scene: &Scene,
    file: Option<&Path>,
    rendered: &[Version],
    result: anyhow::Result<Outcome>,
) -> anyhow::Result<Published> {
    let outcome = match result {
        Ok(outcome) => outcome,
        Err(error) => {
            keep(file, &failure::message(&error), rendered);
            return Err(error);
        }
    };
    let sentence = outcome.sentence(scene);
    say(&outcome, &sentence, file.is_some())?;
    match &outcome {
        Outcome::Unpublished { .. } => keep(file, &sentence, rendered),
        _ => append(file, &sentence, &[]),
    }
    Ok(Published { refresh: outcome.name(), exit: outcome.exit(), lines: outcome.lines(scene) })
}

/// Shows numbers that nothing else keeps, and says where.
fn keep(file: Option<&Path>, sentence: &str, numbers: &[Version]) {
    append(file, sentence, numbers);
    if file.is_some() {
        term::note("the numbers are in the job summary");
    }
}

/// A summary that cannot be written is no reason to fail: what became of the numbers is decided already.
fn append(file: Option<&Path>, sentence: &str, numbers: &[Version]) {
    let Some(file) = file else { return };
    let written =
        summary_room(file).and_then(|room| append_summary(file, &summary(TITLE, sentence, numbers, room)));
    if let Err(failure) = written {
        term::warn(&failure::message(&failure.into()));
    }
}

/// To people; in a workflow also on the run's page, where it is more than they expect.
fn say(outcome: &Outcome, sentence: &str, in_workflow: bool) -> anyhow::Result<()> {
    let level = outcome.level();
    if level == Some(Level::Warning) {
        term::warn(sentence);
    } else {
        term::note(sentence);
    }
    outcome.hints().iter().for_each(|hint| term::hint(hint));
    match level {
        Some(level) if in_workflow => annotate(level, TITLE, sentence),
        _ => Ok(()),
    }
}
