//! Compares the rows, and collects the notes for readers.

use perf_cli::load::machine_specs;
use perf_cli::{Failure, ResultExt, term};
use perf_config::{Config, FailOn};
use perf_model::diagnostic::{Diagnostic, Severity};
use perf_model::methodology;
use perf_model::parallel;
use perf_model::row::Row;
use perf_model::suite::{Filter, LeftOut, Measurement, Suite};
use perf_readers::ParseReport;
use perf_report::reasons::OTHER_BENCHMARK;
use perf_report::report::{Links, ReportRequest, Reproduction};
use perf_verdict::{Blind, CannotFail, Comparison, Sides, Tally, compare};

use crate::cli::{CompareRequest, FailOnList};
use crate::data::ComparisonData;
use crate::fail::{FailureReason, has_occurred};
use crate::reproduce::links_from_env;
use crate::{classes, reproduce, warnings};

/// The maximum number of metrics in a message.
const NAMED: usize = 5;

/// A comparison, and everything else that its reports show.
pub(crate) struct Compared {
    pub comparison: Comparison,
    pub tally: Tally,
    pub notes: Vec<Diagnostic>,
    /// How the two sides differ in machine or methodology; may be empty.
    pub unlike: String,
    pub has_baseline: bool,
    /// The required benchmarks that this run did not measure.
    pub unmet: Vec<String>,
    /// Whether one of several machine types was not compared.
    pub leaves_class_out: bool,
    /// Why the gate fails, most serious reason first.
    pub failed: Vec<FailureReason>,
    reproduction: Reproduction,
    machine: Option<String>,
    links: Option<Links>,
}

impl Compared {
    /// The notes for readers of a report, as sentences.
    pub(crate) fn sentences(&self) -> Vec<String> {
        self.notes.iter().map(Diagnostic::sentence).collect()
    }

    /// Whether a metric was measured on another machine type, by another method or with another toolchain.
    pub(crate) fn is_unlike(&self) -> bool {
        let mut metrics = self.comparison.metrics();
        metrics.any(|metric| metric.judgement.is_unlike())
    }

    /// Calls a function with the request for a report.
    pub(crate) fn show<T>(&self, config: &Config, make: impl FnOnce(&ReportRequest<'_>) -> T) -> T {
        let notes = self.sentences();
        let failed: Vec<&str> = self.failed.iter().map(|reason| reason.word()).collect();
        make(&ReportRequest {
            comparison: &self.comparison,
            config,
            notes: &notes,
            unlike: &self.unlike,
            unmet: &self.unmet,
            failed: &failed,
            reproduction: Some(&self.reproduction),
            machine: self.machine.as_deref(),
            links: self.links.as_ref(),
        })
    }
}

/// Compares the run with the baseline.
pub(crate) fn compared(
    request: &CompareRequest,
    config: &Config,
    data: &ComparisonData,
    baseline: &ParseReport,
    told: &mut Vec<Diagnostic>,
) -> anyhow::Result<Compared> {
    let filter = request.filter.filter(request.scope(config));
    let current = suite(&data.current.rows, config, &filter)?;
    let before = Suite::beside(&current, &baseline.rows, config, &filter);
    let mut confirmation_runs = Vec::new();
    for run in &data.confirmation_runs {
        confirmation_runs.push(suite(&run.rows, config, &filter)?);
    }
    let mut elsewhere = Vec::new();
    for run in &data.elsewhere {
        elsewhere.push(suite(&run.rows, config, &filter)?);
    }
    let history = parallel::halves(&data.history, |snapshot| {
        Suite::beside(&current, &snapshot.rows, config, &filter)
    });
    let sides = Sides {
        current: &current,
        baseline: &before,
        history: &history,
        confirmation_runs: &confirmation_runs,
        elsewhere: &elsewhere,
        findings: &data.current.findings,
        baseline_findings: &baseline.findings,
        paired: request.paired,
    };
    let comparison = compare(&sides, config, request.thresholds(config));
    refuse_blind(&comparison.blind)?;

    // Warnings about the rows.
    let mut found = Vec::new();
    // Rows of another machine type have their own warning.
    let others = LeftOut {
        other_class: 0,
        ..current.left_out
    };
    found.extend(others.diagnostics());
    let left_out = before.left_out.diagnostics();
    for diagnostic in baseline.diagnostics().into_iter().chain(left_out) {
        found.push(diagnostic.at("baseline"));
    }
    let has_baseline = data.baseline.is_ok();
    if has_baseline && before.is_empty() {
        let message = "no baseline row matches the requested platform and scope";
        let places = perf_cli::load::places(&baseline.rows, config);
        found.push(Diagnostic::warning(message).hint(places));
    }
    let unmet = perf_cli::load::unmet(&data.current.rows, config);
    if !unmet.is_empty() {
        found.push(Diagnostic::warning(perf_cli::load::not_measured(&unmet)));
    }
    let left_out = classes::left_out(&current, &comparison);
    let leaves_class_out = left_out.is_some();
    found.extend(left_out);
    let sides = [&current, &before];
    found.extend(warnings::collect(request, config, data, &comparison, sides));

    let mut notes = data.current.diagnostics();
    notes.extend(data.found.iter().chain(&found).cloned());
    notes.retain(|note| note.severity > Severity::Info);
    let findings = warnings::about_findings(&comparison, [&data.current, baseline]);
    notes.extend(findings.iter().cloned());
    let mut compared = Compared {
        tally: comparison.tally(),
        notes,
        unlike: String::new(),
        has_baseline,
        unmet,
        leaves_class_out,
        failed: Vec::new(),
        reproduction: match &request.reproduction {
            Some(reproduction) => reproduction.clone(),
            None => Reproduction {
                command: reproduce::command(request, config),
                ..Reproduction::default()
            },
        },
        machine: machine(request, &data.current.rows),
        links: links_from_env(),
        comparison,
    };
    // An older baseline may have been measured like this run.
    if warnings::older(&compared.comparison).is_none() || compared.is_unlike() {
        compared.unlike = difference_of_sides(&current, &before);
    }
    compared.failed = failed(&request.fail_on(config), &compared, request.is_decisive);
    if !compared.unlike.is_empty() {
        told.push(not_compared(&compared.unlike));
    }
    told.extend(found);
    told.extend(findings);
    Ok(compared)
}

/// The described machine, if it measured all rows.
fn machine(request: &CompareRequest, rows: &[Row]) -> Option<String> {
    let specs = machine_specs(request.machine_specs.as_deref()?).ok()?;
    let is_elsewhere = |row: &Row| specs.is_elsewhere(&row.platform, row.machine_class.as_deref());
    if rows.iter().any(is_elsewhere) {
        return None;
    }
    specs.short()
}

/// The filters leave no rows.
#[derive(Debug, thiserror::Error)]
#[error("none of the {_0} rows matches the requested platform and scope")]
pub(crate) struct NothingMatches(usize);

/// The requested rows; an error if there are none.
fn suite<'r>(rows: &'r [Row], config: &'r Config, filter: &Filter) -> anyhow::Result<Suite<'r>> {
    let suite = Suite::new(rows, config, filter);
    if suite.is_empty() {
        let places = perf_cli::load::places(rows, config);
        return Err(NothingMatches(rows.len())).hint(places);
    }
    Ok(suite)
}

/// How the two sides differ in machine or methodology; empty if their rows show no difference.
fn difference_of_sides(current: &Suite<'_>, before: &Suite<'_>) -> String {
    let [now, then] = [current, before].map(|suite| {
        let class = suite.measurements().find_map(Measurement::machine_class);
        let method = suite.measurements().find_map(Measurement::methodology);
        (class, method)
    });
    let mut differences = Vec::new();
    if let (Some(now), Some(then)) = (now.0, then.0)
        && now != then
    {
        differences.push(format!(
            "this run was measured on {now}, the baseline on {then}"
        ));
    }
    if let (Some(now), Some(then)) = (now.1, then.1)
        && !methodology::is_same(now, then)
    {
        differences.push(if methodology::is_other_benchmark(now, then) {
            OTHER_BENCHMARK.to_owned()
        } else {
            format!("this run was measured as “{now}”, the baseline as “{then}”")
        });
    }
    differences.join("; ")
}

pub(crate) fn not_compared(unlike: &str) -> Diagnostic {
    Diagnostic::note(format!("{unlike}: times are not compared"))
}

/// Fails if the gate's self-test failed: a gate that passes everything is worse than none.
fn refuse_blind(blind: &[Blind]) -> anyhow::Result<()> {
    let mut missed = Vec::new();
    for blind in blind {
        if let CannotFail::Undetected(verdict) = blind.why {
            let metric = term::printable(&blind.metric);
            let scenario = term::printable(&blind.scenario);
            let verdict = verdict.word();
            missed.push(format!(
                "`{metric}` of `{scenario}` would be {verdict} at ten times the cost"
            ));
        }
    }
    if missed.is_empty() {
        return Ok(());
    }
    let more = missed.len().saturating_sub(NAMED);
    missed.truncate(NAMED);
    if more > 0 {
        missed.push(format!("and {more} more"));
    }
    let message = format!(
        "gate self-test failed: an injected 10× slowdown was not detected: {}",
        missed.join("; ")
    );
    let hint = "set tighter limits for these metrics, or remove them from `[[gates]]`";
    let failure = Failure::new(message).hint(hint);
    Err(failure
        .hint("`render-perf-deltas --no-self-test` skips the self-test")
        .into())
}

/// Why a comparison fails, most serious reason first. Comparing nothing fails unless `fail-on` is `none`. Another
/// machine or methodology is an excuse, except in a decisive comparison: rows could claim either to pass.
fn failed(fail_on: &FailOnList, compared: &Compared, is_decisive: bool) -> Vec<FailureReason> {
    let mut failed = Vec::new();
    if fail_on.0.is_empty() {
        return failed;
    }
    if !compared.unmet.is_empty() {
        failed.push(FailureReason::Required);
    }
    let has_nothing = compared.has_baseline && compared.tally.compared == 0;
    if has_nothing && (is_decisive || !compared.is_unlike()) {
        failed.push(FailureReason::NothingCompared);
    }
    if compared.leaves_class_out {
        failed.push(FailureReason::NotCompared);
    }
    for verdict in FailOn::ALL {
        let is_found = has_occurred(&compared.comparison, compared.tally, verdict);
        if is_found && fail_on.0.contains(&verdict) {
            failed.push(FailureReason::Verdict(verdict));
        }
    }
    failed
}
