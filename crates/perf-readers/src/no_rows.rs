//! Advice for inputs without rows: an error if no input contains rows, and a warning if others do.

use crate::rows::parse_report::{Beginning, InputSummary, ParseReport};
use perf_model::diagnostic::{Diagnostic, counted};

/// No input contains a row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no rows in {inputs} (lines: {lines}){looked_for}")]
pub struct NoRows {
    inputs: String,
    lines: u64,
    /// The end of the message, about the requested format; empty if none was requested.
    looked_for: String,
    /// The advice on how to get rows.
    pub hint: String,
}

impl ParseReport {
    /// Checks that at least one row was read.
    ///
    /// # Errors
    /// Fails if no row was read. The error lists the inputs and gives advice.
    pub fn require_rows(&self) -> Result<(), NoRows> {
        if !self.rows.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = self
            .inputs
            .iter()
            .map(|input| format!("`{}`", input.name))
            .collect();
        let requested = self.inputs.first().filter(|first| first.named);
        Err(NoRows {
            inputs: names.join(", "),
            lines: self.inputs.iter().map(|input| input.lines).sum(),
            looked_for: requested
                .map(|input| format!("; looked for {}", input.format))
                .unwrap_or_default(),
            hint: self.why_no_rows(),
        })
    }

    /// Whether no row was read although an input seems to contain results: output of an unsupported tool, lines or
    /// tables with numbers, or malformed rows.
    pub fn has_only_unread_results(&self) -> bool {
        let resembles_results =
            |input: &InputSummary| input.terminal.is_some() || input.nearest.is_some();
        self.rows.is_empty()
            && (self.skipped_count > 0 || self.inputs.iter().any(resembles_results))
    }

    fn why_no_rows(&self) -> String {
        let (unlisted, rows) = (
            self.unlisted.keys().next(),
            self.unlisted.values().sum::<u64>(),
        );
        if let Some(scenario) = unlisted.filter(|_| self.skipped_count == 0) {
            return format!(
                "{rows} rows dropped: the config does not list scenarios such as `{scenario}`"
            );
        }
        if let Some(terminal) = self.inputs.iter().find_map(InputSummary::terminal_hint) {
            return terminal;
        }
        if let Some(near) = self.skipped().next() {
            let place = self.place_of(near);
            return format!("the closest match is {place}: {}", Self::reason(near));
        }
        if let Some(near) = self.inputs.iter().find_map(InputSummary::nearest_hint) {
            return near;
        }
        if self.inputs.iter().all(|input| input.lines == 0) {
            return "the input is empty: did the benchmark run?".to_owned();
        }
        if let Some(input) = self
            .inputs
            .iter()
            .find(|input| input.begins == Beginning::Binary)
        {
            return format!("`{}` does not look like text", input.name);
        }
        if self.inputs.iter().any(|input| input.named) {
            return "omit `--format` to detect the format".to_owned();
        }
        if self.inputs.iter().any(|input| input.long) {
            return "if a known tool's output begins late in the file, set `--format`; `perf-gate formats try FILE` describes a new format"
                .to_owned();
        }
        self.inputs.iter().find_map(InputSummary::json_hint).unwrap_or_else(|| {
            "`--explain-input` shows how lines were read; `perf-gate formats try FILE` describes a new format"
                .to_owned()
        })
    }

    /// Returns a warning about inputs without rows, if other inputs contain rows. Leaves out inputs for which a finding
    /// already gives the reason.
    pub(crate) fn without_rows(&self) -> Option<Diagnostic> {
        let is_told = |at: usize| self.skipped().any(|finding| finding.input == Some(at));
        let is_blank = |(at, input): &(usize, &InputSummary)| input.is_blank() && !is_told(*at);
        let blank: Vec<&InputSummary> = self
            .inputs
            .iter()
            .enumerate()
            .filter(is_blank)
            .map(|(_, input)| input)
            .collect();
        let (count, all) = (
            blank.len() as u64,
            counted(self.inputs.len() as u64, "input"),
        );
        let examples = blank.iter().map(|input| {
            let hint = input
                .terminal_hint()
                .or_else(|| input.nearest_hint())
                .or_else(|| input.json_hint());
            hint.unwrap_or_else(|| {
                format!(
                    "`{}` has no rows ({})",
                    input.name,
                    counted(input.lines, "line")
                )
            })
        });
        let message = format!("no rows in {count} of {all}");
        let is_one_of_several = count > 0 && !self.rows.is_empty() && self.unlisted.is_empty();
        is_one_of_several.then(|| Diagnostic::warning(message).examples(count, examples))
    }
}

impl InputSummary {
    /// Whether the input contains no rows but should contain some. A table is allowed to consist of only its header.
    fn is_blank(&self) -> bool {
        self.rows == 0 && self.format != "csv"
    }

    fn terminal_hint(&self) -> Option<String> {
        let (what, advice) = self.terminal.filter(|_| self.rows == 0)?;
        Some(format!("`{}` is {what}: {advice}", self.name))
    }

    fn nearest_hint(&self) -> Option<String> {
        let (format, but) = self.nearest?;
        Some(format!(
            "the closest format is `{format}`: `{}` {but}",
            self.name
        ))
    }

    fn json_hint(&self) -> Option<String> {
        let advice = "from an unknown tool: convert it to `[{\"name\": …, \"unit\": …, \"value\": …}]` (format `custom`)";
        let advice = match self.begins {
            Beginning::Json => advice,
            Beginning::CutOffJson => "that is cut off: did the benchmark run to its end?",
            Beginning::Text | Beginning::Binary => return None,
        };
        Some(format!("`{}` is JSON {advice}", self.name))
    }
}
