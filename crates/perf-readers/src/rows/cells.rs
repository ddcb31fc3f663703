//! A row's cells, except its metrics, and the checks before the row is stored.

use crate::input::escapes::ESCAPE;
use crate::rows::launches::Process;
use perf_model::key_column::KeyColumn;
use perf_model::row::{AGGREGATE, LONGEST_TEXT, Outcome};
use perf_model::system::Systems;

/// A row's cells, except its metrics, before they are stored.
#[derive(Clone, Copy)]
pub(crate) struct Cells<'a> {
    pub scenario: &'a str,
    pub platform: &'a str,
    pub commit: &'a str,
    pub run_index: i64,
    /// Whether the row contains its run index, which is then global rather than per document.
    pub is_numbered: bool,
    pub outcome: Outcome,
    pub process: Process,
    pub machine_class: Option<&'a str>,
    pub methodology: Option<&'a str>,
    /// The time of the measurement, in seconds since 1970 in UTC.
    pub measured_at: Option<i64>,
}

impl<'a> Cells<'a> {
    /// Creates the cells of a measured row that contains only a scenario.
    pub(crate) fn of(scenario: &'a str) -> Self {
        Self {
            scenario,
            platform: "",
            commit: "",
            run_index: AGGREGATE,
            is_numbered: false,
            outcome: Outcome::Measured,
            process: Process::OfDocument(0),
            machine_class: None,
            methodology: None,
            measured_at: None,
        }
    }

    /// Returns the same cells with the outcome `Failed` if `failed` is true.
    pub(crate) fn failed_if(self, failed: bool) -> Self {
        Self {
            outcome: if failed {
                Outcome::Failed
            } else {
                self.outcome
            },
            ..self
        }
    }
}

/// The platform and the machine type on which an input was measured. They apply to rows that contain none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The platform; empty if it is unknown.
    pub platform: String,
    /// The machine type; `None` if it is unknown.
    pub machine_class: Option<String>,
}

impl Provenance {
    /// Creates the cells of a row that was measured in this place and contains only a scenario.
    pub(crate) fn cells<'a>(&'a self, scenario: &'a str) -> Cells<'a> {
        let Self {
            platform,
            machine_class,
        } = self;
        Cells {
            platform,
            machine_class: machine_class.as_deref(),
            ..Cells::of(scenario)
        }
    }

    pub(crate) fn fill<'a>(&'a self, cells: &mut Cells<'a>) {
        if cells.platform.is_empty() {
            cells.platform = &self.platform;
        }
        // A folder may contain rows from another system, to which this machine type does not apply.
        let is_here = |class: &&str| !Systems::of(class).contradict(Systems::of(cells.platform));
        cells.machine_class = cells
            .machine_class
            .or(self.machine_class.as_deref().filter(is_here));
    }
}

impl Cells<'_> {
    /// Trims all cells, and removes the machine type and the methodology if they are empty.
    #[inline]
    pub(crate) fn trimmed(&self) -> Self {
        let [machine_class, methodology] = [self.machine_class, self.methodology]
            .map(|text| text.map(str::trim).filter(|text| !text.is_empty()));
        Self {
            scenario: self.scenario.trim(),
            platform: self.platform.trim(),
            commit: self.commit.trim(),
            machine_class,
            methodology,
            ..*self
        }
    }

    fn texts(&self) -> [&str; 5] {
        let [class, methodology] =
            [self.machine_class, self.methodology].map(Option::unwrap_or_default);
        [
            self.scenario,
            self.platform,
            self.commit,
            class,
            methodology,
        ]
    }

    /// Checks that the cells are within the limits.
    ///
    /// # Errors
    /// Fails if a baseline cannot store the cells, and returns the reason.
    #[inline]
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.scenario.trim().is_empty() {
            return Err("empty scenario".to_owned());
        }
        if KeyColumn::of(self.scenario) == Some(KeyColumn::Scenario) {
            return Err(format!(
                "invalid scenario `{}`: it is a column name",
                self.scenario
            ));
        }
        for text in self.texts() {
            if memchr::memchr(ESCAPE, text.as_bytes()).is_some() {
                return Err("a field contains an escape sequence".to_owned());
            }
            if text.len() > LONGEST_TEXT && text.trim().len() > LONGEST_TEXT {
                return Err(format!("a field is longer than {LONGEST_TEXT} bytes"));
            }
            if text.contains(char::REPLACEMENT_CHARACTER) {
                return Err("invalid UTF-8".to_owned());
            }
        }
        Ok(())
    }
}
