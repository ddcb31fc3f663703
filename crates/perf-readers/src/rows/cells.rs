//! A row's cells before it is stored.

use crate::input::escapes::ESCAPE;
use crate::rows::launches::Process;
use perf_model::key_column::KeyColumn;
use perf_model::row::{AGGREGATE, LONGEST_TEXT, Outcome};
use perf_model::system::Systems;

/// A row's cells before they are stored.
#[derive(Clone, Copy)]
pub(crate) struct Cells<'a> {
    pub scenario: &'a str,
    pub platform: &'a str,
    pub commit: &'a str,
    pub run_index: i64,
    /// True if the row contains its run index, which is then global rather than per document.
    pub is_numbered: bool,
    pub outcome: Outcome,
    pub process: Process,
    pub machine_class: Option<&'a str>,
    pub methodology: Option<&'a str>,
    /// In seconds since 1970.
    pub measured_at: Option<i64>,
}

impl<'a> Cells<'a> {
    /// A row with nothing but a scenario.
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

    /// The same, failed or measured.
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

/// An input's origin: platform and machine type for rows that have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The platform; may be empty.
    pub platform: String,
    /// The machine type.
    pub machine_class: Option<String>,
}

impl Provenance {
    /// A row that was measured here, with only a scenario.
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
        // A folder may contain rows from another system.
        let is_here = |class: &&str| !Systems::of(class).contradict(Systems::of(cells.platform));
        cells.machine_class = cells
            .machine_class
            .or(self.machine_class.as_deref().filter(is_here));
    }
}

impl Cells<'_> {
    /// Trims all cells, and removes an empty machine type and methodology.
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

    /// Checks a row's limits.
    ///
    /// # Errors
    /// Why a baseline cannot store it.
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
