//! The error for inputs without a row.

use crate::rows::parse_report::ParseReport;
use crate::tools::FORMATS;

/// No input held a row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no rows in {inputs} (lines: {lines}); looked for {looked_for}")]
pub struct NoRows {
    inputs: String,
    lines: u64,
    looked_for: String,
    /// What to do about it.
    pub hint: String,
}

impl ParseReport {
    /// Requires at least one row.
    ///
    /// # Errors
    /// What was searched for, and in how many lines.
    pub fn require_rows(&self) -> Result<(), NoRows> {
        if !self.rows.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = self.inputs.iter().map(|input| format!("`{}`", input.name)).collect();
        let requested = self.inputs.first().filter(|first| first.named);
        let formats: Vec<&str> = match requested {
            Some(input) => vec![input.format],
            None => FORMATS.iter().map(|format| format.name).collect(),
        };
        Err(NoRows {
            inputs: names.join(", "),
            lines: self.inputs.iter().map(|input| input.lines).sum(),
            looked_for: formats.join(", "),
            hint: self.why_no_rows(),
        })
    }

    fn why_no_rows(&self) -> String {
        let binary = self.inputs.iter().find(|input| input.binary);
        let (unlisted, rows) = (self.unlisted.keys().next(), self.unlisted.values().sum::<u64>());
        if let Some(near) = self.skipped.first() {
            return format!("the closest match is {}: {}", self.place(near.origin), near.reason);
        }
        if let Some(scenario) = unlisted {
            return format!("{rows} rows dropped: the config does not list scenarios such as `{scenario}`");
        }
        let near = self.inputs.iter().find_map(|input| Some((&input.name, input.nearest?)));
        if let Some((name, (format, but))) = near {
            return format!("the closest format is `{format}`: `{name}` {but}");
        }
        if let Some(input) = binary {
            return format!("`{}` does not look like text", input.name);
        }
        if self.inputs.iter().all(|input| input.lines == 0) {
            return "the input is empty: did the benchmark run?".to_owned();
        }
        if self.inputs.iter().any(|input| input.named) {
            return "omit `--format` to detect the format".to_owned();
        }
        if self.inputs.iter().any(|input| input.long) {
            return "the format is detected from the beginning of a document: set it with `--format`"
                .to_owned();
        }
        "see `--list-formats`, or describe other CSV lines with `rows.layouts` in perf-gate.toml".to_owned()
    }
}
