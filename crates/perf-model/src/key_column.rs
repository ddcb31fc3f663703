//! Columns of a row that are not metrics.

/// A column that is not a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyColumn {
    /// The benchmark's stable key.
    Scenario,
    /// The platform on which the benchmark ran.
    Platform,
    /// The measured commit.
    Commit,
    /// The sample's number; −1 is an aggregate.
    RunIndex,
    /// The process run that the iteration belongs to.
    LaunchIndex,
    /// The machine type.
    MachineClass,
    /// How the numbers were measured.
    Methodology,
    /// The time of the measurement.
    MeasuredAt,
    /// Whether the benchmark was measured, was skipped, or failed.
    Outcome,
}

impl KeyColumn {
    /// The first columns in every built-in layout, in this order.
    pub const LAYOUT: [Self; 4] = [Self::Scenario, Self::Platform, Self::Commit, Self::RunIndex];

    /// Finds the key column with this name. Case and separators don't matter: `Run Index`, `run_index` and `runIndex` are
    /// the same.
    pub fn of(name: &str) -> Option<Self> {
        const NAMES: [(&str, KeyColumn); 9] = [
            ("scenario", KeyColumn::Scenario),
            ("platform", KeyColumn::Platform),
            ("commit", KeyColumn::Commit),
            ("runindex", KeyColumn::RunIndex),
            ("launchindex", KeyColumn::LaunchIndex),
            ("machineclass", KeyColumn::MachineClass),
            ("methodology", KeyColumn::Methodology),
            ("measuredat", KeyColumn::MeasuredAt),
            ("outcome", KeyColumn::Outcome),
        ];
        NAMES
            .iter()
            .find(|(known, _)| Self::is_spelled(name, known))
            .map(|(_, key)| *key)
    }

    /// Whether `name` equals `known` apart from case and separators. `known` is in lower case.
    pub fn is_spelled(name: &str, known: &str) -> bool {
        let letters = name
            .trim()
            .bytes()
            .filter(|byte| !matches!(byte, b'_' | b'-' | b' '));
        letters
            .map(|byte| byte.to_ascii_lowercase())
            .eq(known.bytes())
    }
}
