//! The origin of published numbers, stored in the commit message for later runs.
//!
//! The message ends with *trailers*: `Perf-Measured` is the measured commit, `Perf-Run` the workflow run that measured
//! it, and `Perf-Job` a *mark* that is unique to a process, because several jobs in a run may publish. Trailers survive
//! squashing and rebasing of pull requests.

use perf_github::{CommitId, RunAttempt};

const MEASURED: &str = "Perf-Measured: ";
const RUN: &str = "Perf-Run: ";
const JOB: &str = "Perf-Job: ";

/// The measured commit, and the run that measured it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MeasurementOrigin {
    pub(crate) measured: CommitId,
    /// `None` outside of a workflow.
    pub(crate) run: Option<RunAttempt>,
    /// The mark of the publishing process.
    pub(crate) mark: Option<String>,
}

/// The age of a refresh's measured code, compared with our measured code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Age {
    /// Our code contains it, or they are unrelated.
    Older,
    /// The same code.
    Same,
    /// It contains our code.
    Newer,
}

/// Numbers that the branch or a pull request already contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublishedRefresh {
    /// The commit that published them.
    pub(crate) commit: CommitId,
    pub(crate) origin: MeasurementOrigin,
    pub(crate) age: Age,
}

impl PublishedRefresh {
    /// Whether these numbers outrank those from `origin`: they measure newer code, or the same code in a later run.
    pub(crate) fn outranks(&self, origin: &MeasurementOrigin) -> bool {
        match (self.age, self.origin.run, origin.run) {
            (Age::Newer, ..) => true,
            (Age::Same, Some(theirs), Some(ours)) => theirs > ours,
            _ => false,
        }
    }
}

impl MeasurementOrigin {
    /// Parses the origin in a message. A squashed pull request contains several, in order, of which the last is returned.
    pub(crate) fn from_message(message: &str) -> Option<Self> {
        let mut found: Option<Self> = None;
        for line in message.lines().map(str::trim) {
            if let Some(text) = line.strip_prefix(MEASURED) {
                if let Ok(measured) = text.parse() {
                    found = Some(Self {
                        measured,
                        run: None,
                        mark: None,
                    });
                }
            } else if let Some(origin) = &mut found {
                if let Some(run) = line.strip_prefix(RUN) {
                    origin.run = run.parse().ok();
                } else if let Some(mark) = line.strip_prefix(JOB) {
                    origin.mark = Some(mark.to_owned());
                }
            }
        }
        found
    }
}

/// Returns the headline and the body of a commit message with trailers.
pub(crate) fn compose_message(text: &str, origin: &MeasurementOrigin) -> (String, String) {
    let (headline, rest) = text.trim().split_once('\n').unwrap_or((text.trim(), ""));
    let mut body = rest.trim().replace("\r\n", "\n");
    if !body.is_empty() {
        body += "\n\n";
    }
    body = format!("{body}{MEASURED}{}", origin.measured);
    if let Some(run) = origin.run {
        body = format!("{body}\n{RUN}{run}");
    }
    if let Some(mark) = &origin.mark {
        body = format!("{body}\n{JOB}{mark}");
    }
    (headline.trim_end().to_owned(), body)
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use proptest::prelude::*;

    use super::*;

    const SHA: &str = "4be19c7d1f0a5b6c7d8e9f0a1b2c3d4e5f607182";

    fn origin(run: &str) -> MeasurementOrigin {
        MeasurementOrigin {
            measured: SHA.parse().unwrap(),
            run: run.parse().ok(),
            mark: None,
        }
    }

    fn message(text: &str, origin: &MeasurementOrigin) -> String {
        let (headline, body) = compose_message(text, origin);
        format!("{headline}\n\n{body}")
    }

    #[test]
    fn message_consists_of_headline_text_and_trailers() {
        assert_snapshot!(message("Refresh numbers\r\n\r\nOn the big machine.\r\nTwice.\n", &origin("12.2")), @"
        Refresh numbers

        On the big machine.
        Twice.

        Perf-Measured: 4be19c7d1f0a5b6c7d8e9f0a1b2c3d4e5f607182
        Perf-Run: 12.2
        ");
        assert_snapshot!(message("Refresh numbers", &origin("")), @"
        Refresh numbers

        Perf-Measured: 4be19c7d1f0a5b6c7d8e9f0a1b2c3d4e5f607182
        ");
    }

    #[test]
    fn squashed_message_has_last_origin() {
        let squashed = format!(
            "Refresh (#12)\r\n\r\n* Refresh\r\n\r\nPerf-Measured: {}\r\nPerf-Run: 3.1\r\n\r\n* Refresh\r\n\r\n\
             Perf-Measured: {SHA}\r\nPerf-Run: 12.1\r\n\r\nCo-authored-by: A <a@b>",
            "0".repeat(40)
        );
        assert_eq!(
            MeasurementOrigin::from_message(&squashed),
            Some(origin("12.1"))
        );
    }

    #[test]
    fn other_messages_have_no_origin() {
        for message in [
            "",
            "Fix it",
            "Perf-Measured: main",
            "Perf-Run: 12.1",
            "see Perf-Measured: ",
        ] {
            assert_eq!(MeasurementOrigin::from_message(message), None, "{message}");
        }
        let odd = format!("Perf-Measured: {SHA}\nPerf-Run: first");
        assert_eq!(MeasurementOrigin::from_message(&odd), Some(origin("")));
    }

    #[test]
    fn later_runs_and_attempts_are_greater() {
        let run = |text: &str| text.parse::<RunAttempt>().unwrap();
        assert!(run("12.1") < run("12.2") && run("12.9") < run("13.1"));
        assert_eq!(run("12"), run("12.1"));
    }

    proptest! {
        #[test]
        fn origin_round_trips_with_any_text(text in any::<String>(), id in any::<u64>()) {
            let origin = MeasurementOrigin { mark: Some(format!("{id:016x}")), ..origin(&format!("{id}.3")) };
            prop_assert_eq!(MeasurementOrigin::from_message(&message(&text, &origin)), Some(origin));
        }
    }
}
