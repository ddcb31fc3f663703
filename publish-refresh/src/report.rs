//! Reports the outcome of a refresh: result lines, messages and the job summary.

use std::fmt::Write;
use std::path::Path;

use perf_cli::actions::{Level, annotate, append_summary, summary_room};
use perf_cli::term::printable;
use perf_cli::{Exit, failure, term};

use crate::content::PublishedFile;
use crate::outcome::{RefreshOutcome, Scene};

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
    pub fn word(&self) -> &'static str {
        self.outcome.word()
    }

    /// The command's exit code.
    pub fn exit(&self) -> Exit {
        self.outcome.exit()
    }

    /// The result lines for a workflow.
    pub fn lines(&self) -> String {
        self.outcome.lines(&self.scene)
    }

    /// Prints the outcome to standard error, and annotates a workflow run if it is unusual.
    pub fn show(&self) -> anyhow::Result<()> {
        let (level, sentence) = (self.outcome.level(), self.outcome.sentence(&self.scene));
        if level == Some(Level::Warning) {
            term::warn(&sentence);
        } else {
            term::note(&sentence);
        }
        self.outcome
            .hints()
            .iter()
            .for_each(|hint| term::hint(hint));
        if self.in_workflow && matches!(self.outcome, RefreshOutcome::Unpublished { .. }) {
            term::note(KEPT);
        }
        match level {
            Some(level) if self.in_workflow => annotate(level, TITLE, &sentence),
            _ => Ok(()),
        }
    }
}

/// The note after an outcome without published numbers.
const KEPT: &str = "the numbers are in the job summary";

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
    let is_lost = matches!(outcome, RefreshOutcome::Unpublished { .. });
    append(
        file,
        &outcome.sentence(&scene),
        if is_lost { rendered } else { &[] },
    );
    Ok(RefreshReport {
        scene,
        outcome,
        in_workflow: file.is_some(),
    })
}

/// Appends to the job summary. An error only causes a warning, because the numbers' outcome is already decided.
fn append(file: Option<&Path>, sentence: &str, numbers: &[PublishedFile]) {
    let Some(file) = file else { return };
    let written = summary_room(file)
        .and_then(|room| append_summary(file, &summary(TITLE, sentence, numbers, room)));
    if let Err(failure) = written {
        term::warn(&failure::message(&failure.into()));
    }
}

/// The bytes reserved for lines around the files.
const AROUND: usize = 4096;

/// A heading, a sentence, and the files in `numbers` that fit into `room` bytes.
fn summary(title: &str, sentence: &str, numbers: &[PublishedFile], room: usize) -> String {
    let mut text = format!("### {title}\n\n{}\n", inert(sentence));
    for version in numbers {
        let Some(content) = &version.content else {
            continue;
        };
        let path = inert(&printable(version.path.as_str()));
        let block = block(&String::from_utf8_lossy(content));
        // Writing to a string cannot fail.
        let _ = if text.len() + block.len() + AROUND <= room {
            write!(
                text,
                "\n<details><summary>{path}</summary>\n\n{block}\n</details>\n"
            )
        } else {
            write!(
                text,
                "\n{path} is too large to be shown here: {} bytes\n",
                content.len()
            )
        };
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
    let end = if content.ends_with('\n') || content.is_empty() {
        ""
    } else {
        "\n"
    };
    format!("{fence}text\n{content}{end}{fence}\n")
}

/// Escapes a sentence, such that its only markup is code and bare URLs.
fn inert(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('@', "&#64;")
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use proptest::prelude::*;

    use super::*;

    fn version(path: &str, content: &str) -> PublishedFile {
        PublishedFile {
            path: path.parse().unwrap(),
            content: Some(content.into()),
        }
    }

    #[test]
    fn numbers_are_shown_unchanged() {
        let numbers = [
            version("perf.csv", "scenario,platform\na,b"),
            version("perf.md", "````text\n</details>\n````\n"),
        ];
        assert_snapshot!(summary("Numbers", "`main` takes no commits, says <b>@octo</b>", &numbers, 100_000), @"
        ### Numbers

        `main` takes no commits, says &lt;b>&#64;octo&lt;/b>

        <details><summary>perf.csv</summary>

        ```text
        scenario,platform
        a,b
        ```

        </details>

        <details><summary>perf.md</summary>

        `````text
        ````text
        </details>
        ````
        `````

        </details>
        ");
    }

    #[test]
    fn too_large_file_is_listed_with_its_size() {
        let numbers = [version("a.csv", &"1".repeat(5000)), version("b.csv", "2\n")];
        assert_snapshot!(summary("Numbers", "Lost", &numbers, 5000), @"
        ### Numbers

        Lost

        a.csv is too large to be shown here: 5000 bytes

        <details><summary>b.csv</summary>

        ```text
        2
        ```

        </details>
        ");
    }

    proptest! {
        #[test]
        fn content_stays_in_its_block(content in "[`a\n]{0,40}") {
            let block = block(&content);
            let fence = block.lines().next().unwrap().trim_end_matches("text").to_owned();
            let inside = block.strip_prefix(&format!("{fence}text\n")).unwrap();
            let inside = inside.strip_suffix(&format!("{fence}\n")).unwrap();
            prop_assert!(inside.is_empty() || inside.ends_with('\n'));
            prop_assert!(!inside.contains(&fence));
        }

        #[test]
        fn summary_fits_into_room(sizes in prop::collection::vec(0..9000_usize, 0..5), room in 9000..30_000_usize) {
            let numbers: Vec<_> = sizes.iter().map(|size| version("a", &"x".repeat(*size))).collect();
            prop_assert!(summary("Numbers", "Lost", &numbers, room).len() <= room);
        }
    }
}
