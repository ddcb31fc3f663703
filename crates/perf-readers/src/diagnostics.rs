//! Turns a report of what was read into diagnostics.

use std::collections::BTreeSet;

use perf_model::diagnostic::{Diagnostic, counted};
use perf_model::finding::FindingKind;
use perf_model::row::Outcome;

use super::{Conflict, Contradictory, Differing, ParseReport, Removed, Skipped};

/// The most characters of a malformed row that are shown.
const EXCERPT: usize = 80;

impl ParseReport {
    /// Everything that was not read as a row of its own, and the scenarios that were not measured.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let found = [
            self.unmeasured(Outcome::Failed),
            self.unmeasured(Outcome::Skipped),
            self.without_rows(),
            self.malformed(),
            self.numbered(),
            self.found(FindingKind::PartlyFailed),
            self.found(FindingKind::UnknownUnit),
            self.contradicting(),
            self.contradictory(),
            self.differing(),
            self.without_unit(),
            self.repeating(),
            self.duplicated(),
            self.not_listed(),
            self.left_by_earlier_runs(),
        ];
        self.without_prefixes()
            .chain(found.into_iter().flatten())
            .collect()
    }

    fn without_prefixes(&self) -> impl Iterator<Item = Diagnostic> {
        let of_inputs = self
            .inputs
            .iter()
            .flat_map(|input| input.removed.iter().map(move |removed| (input, removed)));
        of_inputs.map(
            |(
                input,
                Removed {
                    prefix,
                    removed,
                    lines,
                },
            )| {
                let message = format!(
                    "removed {} from {removed} of {}",
                    prefix.name(),
                    counted(*lines, "line")
                );
                Diagnostic::info(message).at(&input.name)
            },
        )
    }

    fn left_by_earlier_runs(&self) -> Option<Diagnostic> {
        let count = self.earlier_results;
        let results = counted(count, "result");
        let message = format!(
            "{results} ignored: written before the command started, so left by an earlier run"
        );
        (count > 0).then(|| Diagnostic::note(message))
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

    fn malformed(&self) -> Option<Diagnostic> {
        let count = self.skipped_count;
        let warning = Diagnostic::warning(format!("{} skipped", counted(count, "malformed row")));
        (count > 0).then(|| warning.examples(count, self.skipped.iter().map(|row| self.why(row))))
    }

    fn why(&self, row: &Skipped) -> String {
        let text: String = row.text.chars().take(EXCERPT).collect();
        let cut = if text.len() < row.text.len() {
            "…"
        } else {
            ""
        };
        let text = if text.is_empty() {
            text
        } else {
            format!(": `{text}{cut}` is skipped")
        };
        format!("{}: {}{text}", self.place(row.origin), row.reason)
    }

    fn numbered(&self) -> Option<Diagnostic> {
        let count = self.numbered.len() as u64;
        let message = format!(
            "{} numbered in order of appearance, because an earlier result in the same document has the same name",
            counted(count, "result")
        );
        let examples = self.numbered.iter().map(|name| format!("`{name}`"));
        (count > 0).then(|| {
            let warning = Diagnostic::warning(message).examples(count, examples);
            warning
                .hint("give each benchmark a unique name: these numbers change when the order does")
        })
    }

    /// The findings of a kind that no list of rows or conflicts of this report has.
    fn found(&self, kind: FindingKind) -> Option<Diagnostic> {
        let findings = self.findings.iter().filter(|finding| finding.kind == kind);
        let examples: Vec<String> = findings
            .map(|finding| match &finding.benchmark {
                Some(name) => format!("`{name}`: {}", finding.text),
                None => finding.text.clone(),
            })
            .collect();
        let count = examples.len() as u64;
        let (message, hint) = match kind {
            FindingKind::PartlyFailed => {
                let benchmarks = counted(count, "benchmark");
                let message = format!("{benchmarks} had failed process runs (excluded)");
                (message, None)
            }
            FindingKind::UnknownUnit => {
                let message = format!("{} without a known meaning", counted(count, "unit"));
                let hint = "set `better` in `[metrics.UNIT]` of perf-gate.toml";
                (message, Some(hint))
            }
            _ => return None,
        };
        if count == 0 {
            return None;
        }
        let warning = Diagnostic::warning(message).examples(count, examples);
        Some(match hint {
            Some(hint) => warning.hint(hint),
            None => warning,
        })
    }

    fn contradicting(&self) -> Option<Diagnostic> {
        let count = self.conflicts.len() as u64;
        let what = counted(count, "row");
        let message = format!(
            "{what} with different numbers than an earlier row of the same key: inconclusive"
        );
        let example = |conflict: &Conflict| {
            let (first, second) = (self.place(conflict.first), self.place(conflict.second));
            format!(
                "{second}: `{}` has different numbers than at {first}",
                conflict.key.scenario
            )
        };
        (count > 0).then(|| {
            Diagnostic::warning(message).examples(count, self.conflicts.iter().map(example))
        })
    }

    fn contradictory(&self) -> Option<Diagnostic> {
        let count = self.contradictory_count;
        let message = format!(
            "{} with numbers that contradict each other: inconclusive",
            counted(count, "row")
        );
        let example = |row: &Contradictory| {
            format!(
                "{}: `{}`: {}",
                self.place(row.origin),
                row.scenario,
                row.found
            )
        };
        (count > 0).then(|| {
            Diagnostic::warning(message).examples(count, self.contradictory.iter().map(example))
        })
    }

    fn differing(&self) -> Option<Diagnostic> {
        let count = self.differing.len() as u64;
        let what = counted(count, "benchmark");
        let message = format!(
            "{what} with measurements far apart, read as samples of one: different benchmarks need different names"
        );
        let example = |differing: &Differing| {
            let Differing {
                scenario,
                metric,
                ends: [least, most],
            } = differing;
            format!("`{scenario}`: {metric} from {least} to {most}")
        };
        (count > 0).then(|| {
            Diagnostic::warning(message).examples(count, self.differing.iter().map(example))
        })
    }

    fn without_unit(&self) -> Option<Diagnostic> {
        let what = counted(self.without_unit, "latency distribution");
        let note = Diagnostic::note(format!("{what} without a unit"));
        (self.without_unit > 0)
            .then(|| note.hint("`--unit`, or `rows.unit` in perf-gate.toml, says it"))
    }

    fn repeating(&self) -> Option<Diagnostic> {
        let rows = counted(self.repeated, "row");
        let message = format!(
            "{rows} measured again by the same tool: all are samples, numbered consecutively"
        );
        (self.repeated > 0).then(|| Diagnostic::info(message))
    }

    fn duplicated(&self) -> Option<Diagnostic> {
        let rows = counted(self.duplicates, "exact duplicate");
        (self.duplicates > 0).then(|| Diagnostic::info(format!("{rows} of rows read once")))
    }

    fn not_listed(&self) -> Option<Diagnostic> {
        let rows = self.unlisted.values().sum();
        let message = format!(
            "{} left out: the config does not list their scenarios",
            counted(rows, "row")
        );
        let count = self.unlisted.len() as u64;
        let examples = self.unlisted.iter().map(|(scenario, rows)| {
            format!(
                "`{scenario}` is not in the config: {} left out",
                counted(*rows, "row")
            )
        });
        (count > 0).then(|| Diagnostic::note(message).examples(count, examples))
    }
}
