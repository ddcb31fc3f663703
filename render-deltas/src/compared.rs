//! Compares the rows, and collects the notes for readers.

use perf_cli::load::machine_specs;
use perf_cli::{Failure, ResultExt, term};
use perf_config::{Config, FailOn};
use perf_model::diagnostic::{Diagnostic, Severity, named};
use perf_model::methodology;
use perf_model::parallel;
use perf_model::row::Row;
use perf_model::suite::{Filter, Measurement, Suite};
use perf_readers::ParseReport;
use perf_report::reasons::OTHER_BENCHMARK;
use perf_report::report::{FailureReason, ReportDetails};
use perf_verdict::{Blind, CannotFail, Comparison, MetricComparison, Sides, Thresholds, Verdict};

use crate::cli::{CompareRequest, links_from_env};
use crate::data::{ComparisonData, NoBaseline};
use crate::warnings;

/// A comparison, and everything else that its reports show.
pub(crate) struct Compared {
    pub comparison: Comparison,
    pub details: ReportDetails,
}

/// Compares the run with the baseline. `terminal` gets the diagnostics for the person who runs the command, even if
/// the comparison fails; [`ReportDetails::notes`] are for readers of the report.
pub(crate) fn compare_rows(
    request: &CompareRequest,
    config: &Config,
    data: &ComparisonData,
    terminal: &mut Vec<Diagnostic>,
) -> anyhow::Result<Compared> {
    let no_baseline = data.no_baseline.as_ref().map(NoBaseline::warning);
    terminal.extend(no_baseline.clone());

    let filter = request.platform_filter(config);
    let current = suite(&data.current.rows, config, &filter)?;
    let before = Suite::beside(&current, &data.baseline.rows, config, &filter);
    let [confirmation_runs, elsewhere] = &data.reruns;
    let history = parallel::map(&data.history, |snapshot| {
        Suite::beside(&current, &snapshot.rows, config, &filter)
    });
    let sides = Sides {
        current: &current,
        baseline: &before,
        history: &history,
        confirmation_runs: &suites(confirmation_runs, config, &filter)?,
        elsewhere: &suites(elsewhere, config, &filter)?,
        findings: &data.current.findings,
        baseline_findings: &data.baseline.findings,
        paired: config.deltas.paired,
    };
    let thresholds = Thresholds {
        today: Some(request.today()),
        ..Thresholds::of(config)
    };
    let comparison = perf_verdict::compare(&sides, config, thresholds);
    refuse_blind(&comparison.blind)?;

    // An older baseline may have been measured like this run.
    let mut unlike = String::new();
    if is_unlike(&comparison) || warnings::older(&comparison).is_none() {
        unlike = difference_of_sides(&current, &before);
    }
    let unmet = perf_cli::load::unmet(&data.current.rows, config);
    let left_out = warnings::machine_type_left_out(&current, &comparison);
    let mut warnings = warnings::about_rows(config, data, &sides);
    if !unmet.is_empty() {
        warnings.push(Diagnostic::warning(perf_cli::load::not_measured(&unmet)));
    }
    warnings.extend(left_out.clone());
    warnings.extend(warnings::collect(
        request,
        config,
        data,
        &comparison,
        &sides,
    ));

    // The terminal already shows the diagnostics from reading.
    let mut notes = Vec::from_iter(no_baseline);
    notes.extend(data.current.diagnostics());
    notes.extend(data.found.iter().chain(&warnings).cloned());
    notes.retain(|note| note.severity > Severity::Info);
    if !unlike.is_empty() {
        terminal.push(not_compared(&unlike));
    }
    terminal.extend(warnings);

    let mut failed = Vec::new();
    if !config.deltas.fail_on.is_empty() {
        if !unmet.is_empty() {
            failed.push(FailureReason::Required);
        }
        // Comparing nothing fails. Another machine or methodology is an excuse, except in a decisive comparison: rows
        // could claim either to pass.
        let has_nothing = data.no_baseline.is_none() && comparison.tally().compared == 0;
        if has_nothing && (request.is_decisive || !is_unlike(&comparison)) {
            failed.push(FailureReason::NothingCompared);
        }
        if left_out.is_some() {
            failed.push(FailureReason::NotCompared);
        }
        for verdict in FailOn::ALL {
            if config.deltas.fail_on.contains(&verdict) && has_occurred(&comparison, verdict) {
                failed.push(FailureReason::Verdict(verdict));
            }
        }
    }
    let details = ReportDetails {
        notes: notes.iter().map(Diagnostic::sentence).collect(),
        unlike,
        unmet,
        failed,
        reproduction: Some(request.reproduction(config)),
        machine: machine(request, &data.current.rows),
        links: links_from_env(),
    };
    Ok(Compared {
        comparison,
        details,
    })
}

/// Whether a metric was measured on another machine type, by another method or with another toolchain.
pub(crate) fn is_unlike(comparison: &Comparison) -> bool {
    let mut metrics = comparison.metrics();
    metrics.any(|metric| metric.judgement.is_unlike())
}

/// Whether a verdict of `fail-on` occurred.
fn has_occurred(comparison: &Comparison, verdict: FailOn) -> bool {
    let tally = comparison.tally();
    let mut metrics = comparison.metrics();
    match verdict {
        FailOn::Regressed => tally.regressed > 0,
        FailOn::Missing => tally.missing + tally.unmeasured > 0,
        FailOn::Inconclusive => {
            comparison.is_input_doubtful()
                || comparison.hidden_doublings().is_some()
                || metrics.any(|metric| has_verdict(metric, Verdict::Inconclusive))
        }
        FailOn::NotComparable => tally.not_comparable > 0,
        FailOn::Unmeasured => tally.unmeasured > 0,
        FailOn::New => tally.new > 0,
        FailOn::Moved => {
            metrics.any(|metric| metric.judgement.moved && metric.judgement.waived.is_none())
        }
        FailOn::Improved => metrics.any(|metric| has_verdict(metric, Verdict::Improved)),
    }
}

/// Whether a metric has this verdict without a waiver.
pub(crate) fn has_verdict(metric: &MetricComparison, verdict: Verdict) -> bool {
    metric.judgement.verdict == verdict && metric.judgement.waived.is_none()
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

fn suites<'r>(
    runs: &'r [ParseReport],
    config: &'r Config,
    filter: &Filter,
) -> anyhow::Result<Vec<Suite<'r>>> {
    runs.iter()
        .map(|run| suite(&run.rows, config, filter))
        .collect()
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
    const NAMED: usize = 5;
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
    let message = format!(
        "gate self-test failed: an injected 10× slowdown was not detected: {}",
        named(&missed, NAMED)
    );
    let hint = "set tighter limits for these metrics, or remove them from `[[gates]]`";
    Err(Failure::new(message).hint(hint).into())
}
