//! Drops failed process runs and reports each affected benchmark.

use std::sync::Arc;

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::rows::parse_report::ParseReport;
use perf_model::diagnostic::counted;
use perf_model::finding::{Finding, FindingKind};
use perf_model::row::{Key, Outcome};

/// The process runs of a benchmark with at least one failure.
struct Failures {
    line: u64,
    failed: u64,
    measured: u64,
    is_reported: bool,
}

/// The benchmarks with failed process runs.
#[derive(Default)]
pub(super) struct FailedRuns(IndexMap<*const Key, Failures, RandomState>);

impl FailedRuns {
    /// Counts the failed and the measured process runs, before repeated rows are collapsed.
    pub(super) fn count(report: &ParseReport) -> Self {
        let mut all = Self::default();
        for (row, origin) in report.rows.iter().zip(&report.origins) {
            if row.outcome == Outcome::Failed {
                let new = Failures {
                    line: origin.line(),
                    failed: 0,
                    measured: 0,
                    is_reported: false,
                };
                all.0.entry(Arc::as_ptr(&row.key)).or_insert(new).failed += 1;
            }
        }
        if all.0.is_empty() {
            return all;
        }
        for row in &report.rows {
            if row.outcome == Outcome::Measured
                && let Some(failures) = all.0.get_mut(&Arc::as_ptr(&row.key))
            {
                failures.measured += 1;
            }
        }
        all
    }

    /// Drops the failed rows of benchmarks with successful runs, keeps one failed row of the others, and adds the findings.
    pub(super) fn settle(mut self, report: &mut ParseReport) {
        if self.0.is_empty() {
            return;
        }
        let rows = std::mem::take(&mut report.rows);
        let origins = std::mem::take(&mut report.origins);
        for (row, origin) in rows.into_iter().zip(origins) {
            if row.outcome == Outcome::Failed
                && let Some(failures) = self.0.get_mut(&Arc::as_ptr(&row.key))
            {
                let is_first = !std::mem::replace(&mut failures.is_reported, true);
                if is_first {
                    report.findings.push(failures.finding(&row.key));
                }
                if !is_first || failures.measured > 0 {
                    continue;
                }
            }
            report.rows.push(row);
            report.origins.push(origin);
        }
    }
}

impl Failures {
    fn finding(&self, key: &Key) -> Finding {
        let (kind, text) = if self.measured == 0 {
            (FindingKind::Failed, "failed".to_owned())
        } else {
            let all = counted(self.failed + self.measured, "process run");
            let text = format!("{} of {all} failed", self.failed);
            (FindingKind::PartlyFailed, text)
        };
        Finding::about_rows(kind, key, text).on_line(self.line)
    }
}
