//! The report of a failed comparison, and notes for reports.

use perf_model::commit::CommitId;
use render_perf_deltas::Remarks;

use crate::action::plan::StepFailure;

/// The maximum lines of an error message. A comment's length is limited.
const SHOWN: usize = 200;

const BROKEN: &str =
    "**Nothing was compared:** the rows, the baseline or the configuration cannot be read.\n\n";

/// Renders the report of a failed comparison. The message is indented code, because no text can end that.
pub fn broken(error: &StepFailure, remarks: &Remarks) -> String {
    let hints = error.hints.iter().map(|hint| format!("hint: {hint}"));
    let said: Vec<String> = [format!("error: {}", error.message)]
        .into_iter()
        .chain(hints)
        .collect();
    let said = said.join("\n");
    let notes: Vec<String> = remarks
        .notes
        .iter()
        .map(|note| format!("> {note}\n"))
        .collect();
    let notes = notes.join(">\n") + if notes.is_empty() { "" } else { "\n" };
    let footer = remarks.measured.as_ref();
    let footer = footer.map_or_else(String::new, |measured| {
        format!("\n<sub>{}</sub>\n", measured.footer())
    });
    let lines: Vec<&str> = said.lines().filter(|line| !line.is_empty()).collect();
    let shown: String = lines
        .iter()
        .take(SHOWN)
        .flat_map(|line| ["    ", line, "\n"])
        .collect();
    match lines.len().saturating_sub(SHOWN) {
        0 => format!("{notes}{BROKEN}{shown}{footer}"),
        more => format!("{notes}{BROKEN}{shown}\nThe log contains {more} more lines.\n{footer}"),
    }
}

/// The note that the base could not be measured.
pub fn unmeasured_base(base: Option<&CommitId>, why: &str) -> String {
    let base = base.map_or_else(String::new, |base| format!(" `{}`", base.short()));
    let why = why.replace('`', "'");
    format!("**The base commit{base} was not measured, so all benchmarks are new:** `{why}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_message_is_indented_and_shortened() {
        let error = |message: &str| StepFailure {
            message: message.to_owned(),
            hints: vec!["h".to_owned()],
        };
        let said: Vec<String> = (1..=900).map(|line| format!("{line}\r\n")).collect();
        let report = broken(&error(&said.join("\n")), &Remarks::default());
        assert!(
            report.ends_with("    200\n\nThe log contains 701 more lines.\n"),
            "{report}"
        );
        let notes = vec!["one".to_owned(), "two".to_owned()];
        let report = broken(
            &error("x\n```\n"),
            &Remarks {
                notes,
                ..Remarks::default()
            },
        );
        assert!(
            report.starts_with("> one\n>\n> two\n\n**Nothing"),
            "{report}"
        );
        assert!(report.ends_with("\n\n    error: x\n    ```\n    hint: h\n"));
    }
}
