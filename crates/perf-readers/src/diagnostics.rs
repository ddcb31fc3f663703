//! Turns a parse report into diagnostics.

use std::collections::{BTreeSet, HashMap};

use perf_model::contradiction::Contradiction;
use perf_model::diagnostic::{Diagnostic, counted};
use perf_model::finding::{Finding, FindingKind};
use perf_model::row::Outcome;

use super::ParseReport;

impl ParseReport {
    /// Returns diagnostics about everything that was not read as a separate row, and about benchmarks that were not
    /// measured.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut all = Vec::new();
        for input in &self.inputs {
            for removed in &input.removed {
                let message = format!(
                    "removed {} from {} of {}",
                    removed.prefix.name(),
                    removed.removed,
                    counted(removed.lines, "line")
                );
                all.push(Diagnostic::info(message).at(&input.name));
            }
        }
        all.extend(self.unmeasured(Outcome::Failed));
        all.extend(self.unmeasured(Outcome::Skipped));
        all.extend(self.without_rows());
        all.extend(warning(
            self.skipped_count,
            |count| format!("{} skipped", counted(count, "malformed row")),
            self.skipped().map(|finding| self.describe(finding)),
        ));
        let numbered = warning(
            self.numbered.len() as u64,
            |count| {
                format!(
                    "{} numbered in order of appearance, because an earlier result in the same document has the same name",
                    counted(count, "result")
                )
            },
            self.numbered.iter().map(|name| format!("`{name}`")),
        );
        all.extend(numbered.map(|warning| {
            warning.hint("give each benchmark a unique name: these numbers depend on the order")
        }));
        all.extend(self.found(FindingKind::PartlyFailed, |count| {
            format!(
                "{} had failed process runs (excluded)",
                counted(count, "benchmark")
            )
        }));
        let unknown_units = self.found(FindingKind::UnknownUnit, |count| {
            counted(count, "unknown unit")
        });
        all.extend(
            unknown_units
                .map(|warning| warning.hint("set `better` in `[metrics.UNIT]` of perf-gate.toml")),
        );
        all.extend(warning(
            self.conflicts().count() as u64,
            |count| {
                let rows = counted(count, "row");
                format!("{rows} with the same key as an earlier row, but different numbers: inconclusive")
            },
            self.conflicts().map(|finding| self.describe(finding)),
        ));
        all.extend(self.contradictory());
        all.extend(warning(
            self.far_apart.len() as u64,
            |count| {
                let benchmarks = counted(count, "benchmark");
                format!("{benchmarks} with measurements far apart, read as samples of one benchmark: give different benchmarks different names")
            },
            self.far_apart.iter().cloned(),
        ));
        all.extend(self.notes());
        all
    }

    /// Returns the notes. They are about rows that were repeated or left out and about missing units, but not about
    /// defects.
    fn notes(&self) -> Vec<Diagnostic> {
        let mut notes = Vec::new();
        if self.without_unit > 0 {
            let latencies = counted(self.without_unit, "latency distribution");
            let note = Diagnostic::note(format!("{latencies} without a unit"));
            notes.push(note.hint("set `--unit`, or `rows.unit` in perf-gate.toml"));
        }
        if self.repeated > 0 {
            notes.push(Diagnostic::info(format!(
                "{} measured again by the same tool: all are used as samples, numbered consecutively",
                counted(self.repeated, "row")
            )));
        }
        if self.duplicates > 0 {
            let rows = counted(self.duplicates, "duplicate row");
            notes.push(Diagnostic::info(format!("{rows} ignored")));
        }
        if !self.unlisted.is_empty() {
            let rows = counted(self.unlisted.values().sum(), "row");
            let message = format!("{rows} left out: the config does not list their scenarios");
            let examples = self.unlisted.iter().map(|(scenario, rows)| {
                let rows = counted(*rows, "row");
                format!("`{scenario}` is not in the config: {rows} left out")
            });
            let count = self.unlisted.len() as u64;
            notes.push(Diagnostic::note(message).examples(count, examples));
        }
        if self.earlier_results > 0 {
            let results = counted(self.earlier_results, "result");
            notes.push(Diagnostic::note(format!(
                "{results} ignored: written before the command started, so left by an earlier run"
            )));
        }
        notes
    }

    fn unmeasured(&self, outcome: Outcome) -> Option<Diagnostic> {
        let rows = self.rows.iter().filter(|row| row.outcome == outcome);
        let scenarios: BTreeSet<&str> = rows.map(|row| &*row.scenario).collect();
        let (first, count) = (scenarios.first()?, scenarios.len() as u64);
        let more = if count > 1 {
            format!(" and {} more", count - 1)
        } else {
            String::new()
        };
        Some(Diagnostic::note(format!(
            "{} {}: {first}{more}",
            counted(count, "benchmark"),
            outcome.word()
        )))
    }

    /// Describes a finding by its location, its benchmark if it is about one, and its text.
    fn describe(&self, finding: &Finding) -> String {
        let place = self.place_of(finding);
        match &finding.benchmark {
            Some(name) => format!("{place}: `{name}`: {}", finding.text),
            None => format!("{place}: {}", finding.text),
        }
    }

    /// Returns a warning about all findings of a kind; `None` if the report contains none.
    fn found(&self, kind: FindingKind, message: impl FnOnce(u64) -> String) -> Option<Diagnostic> {
        let found = || self.findings.iter().filter(|finding| finding.kind == kind);
        let examples = found().map(|finding| self.describe(finding));
        warning(found().count() as u64, message, examples)
    }

    /// Returns a warning about rows whose numbers contradict each other, such as a mean above the maximum.
    fn contradictory(&self) -> Option<Diagnostic> {
        // Many rows share one list of metric names. Each list is checked only once. Few lists contain metrics that can
        // contradict each other, such as a minimum and a maximum.
        let mut known: HashMap<usize, bool> = HashMap::new();
        let mut examples = Vec::new();
        for (row, origin) in self.rows.iter().zip(&self.origins) {
            let is_possible = known
                .entry(row.metrics.names_at())
                .or_insert_with(|| Contradiction::is_possible(&row.metrics));
            if *is_possible && let Some(found) = Contradiction::within(&row.metrics) {
                examples.push(format!(
                    "{}: `{}`: {found}",
                    self.place(*origin),
                    row.scenario
                ));
            }
        }
        let message = |count| {
            let rows = counted(count, "row");
            format!("{rows} with contradictory numbers: inconclusive")
        };
        warning(examples.len() as u64, message, examples.into_iter())
    }
}

/// Returns a warning with examples; `None` if `count` is 0.
fn warning(
    count: u64,
    message: impl FnOnce(u64) -> String,
    examples: impl Iterator<Item = String>,
) -> Option<Diagnostic> {
    (count > 0).then(|| Diagnostic::warning(message(count)).examples(count, examples))
}
