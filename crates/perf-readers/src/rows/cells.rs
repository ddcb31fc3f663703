//! A row as a reader has it, before it is stored.

use crate::input::text::trimmed;
use perf_model::key_column::KeyColumn;
use perf_model::row::{AGGREGATE, LONGEST_TEXT, Outcome};

/// A row's texts before they are stored.
#[derive(Clone, Copy)]
pub(crate) struct Cells<'a> {
    pub scenario: &'a str,
    pub platform: &'a str,
    pub commit: &'a str,
    pub run_index: i64,
    /// Whether the row says the run index itself, so that it means the same in every document.
    pub is_numbered: bool,
    pub outcome: Outcome,
    pub machine_class: Option<&'a str>,
    pub methodology: Option<&'a str>,
    /// In seconds since 1970.
    pub measured_at: Option<i64>,
}

impl<'a> Cells<'a> {
    /// The texts of a row that says nothing but what was measured.
    pub(crate) fn of(scenario: &'a str) -> Self {
        Self {
            scenario,
            platform: "",
            commit: "",
            run_index: AGGREGATE,
            is_numbered: false,
            outcome: Outcome::Measured,
            machine_class: None,
            methodology: None,
            measured_at: None,
        }
    }
}

/// What tells a row from others of its key.
#[derive(Clone, Copy)]
pub(crate) struct Instance {
    pub run_index: i64,
    pub is_numbered: bool,
    pub outcome: Outcome,
    pub measured_at: Option<i64>,
}

impl Cells<'_> {
    /// What they say besides the key.
    pub(crate) fn instance(&self) -> Instance {
        let Self { run_index, is_numbered, outcome, measured_at, .. } = *self;
        Instance { run_index, is_numbered, outcome, measured_at }
    }

    /// Without white space around texts, and without a machine class or a methodology that is none.
    pub(crate) fn trimmed(&self) -> Self {
        let [machine_class, methodology] = [self.machine_class, self.methodology]
            .map(|text| text.map(trimmed).filter(|text| !text.is_empty()));
        Self {
            scenario: trimmed(self.scenario),
            platform: trimmed(self.platform),
            commit: trimmed(self.commit),
            machine_class,
            methodology,
            ..*self
        }
    }

    fn texts(&self) -> [&str; 5] {
        let [class, methodology] = [self.machine_class, self.methodology].map(Option::unwrap_or_default);
        [self.scenario, self.platform, self.commit, class, methodology]
    }

    /// Whether a text holds what stands for bytes that are no text.
    pub(crate) fn are_broken(&self) -> bool {
        self.texts().into_iter().any(|text| text.contains(char::REPLACEMENT_CHARACTER))
    }

    /// Whether a row can have them.
    ///
    /// # Errors
    /// Why a baseline could not hold it.
    pub(crate) fn check(&self) -> Result<(), String> {
        if trimmed(self.scenario).is_empty() {
            return Err("the scenario is empty".to_owned());
        }
        if KeyColumn::of(self.scenario) == Some(KeyColumn::Scenario) {
            return Err(format!("`{}` is the name of a column, not a scenario", self.scenario));
        }
        if self.texts().into_iter().any(|text| text.len() > LONGEST_TEXT && text.trim().len() > LONGEST_TEXT)
        {
            return Err(format!("a text of the row is longer than {LONGEST_TEXT} bytes"));
        }
        Ok(())
    }
}
