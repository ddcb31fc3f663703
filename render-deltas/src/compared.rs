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
use perf_report::report::{FailureReason, ReportDetails, Reproduction};
use perf_verdict::{
    Blind, CannotFail, Comparison, MetricComparison, Sides, Tally, Thresholds, Verdict,
};

use crate::cli::CompareRequest;
use crate::data::ComparisonData;
use crate::reproduce::{self, links_from_env};
use crate::warnings;

/// A comparison, and everything else that its reports show.
pub(crate) struct Compared {
    pub comparison: Comparison,
    pub details: ReportDetails,
}

/// Compares the run with the baseline, and adds diagnostics to `found` even if it fails.
pub(crate) fn compare_rows(
    request: &CompareRequest,
    config: &Config,
    data: &ComparisonData,
    found: &mut Vec<Diagnostic>,
) -> anyhow::Result<Compared> {
    let mut notes = Vec::new();
    let no_baseline = ParseReport::default();
    let baseline = match &data.baseline {
        Ok(baseline) => baseline,
        Err(none) => {
            notes.push(none.warning());
            &no_baseline
        }
    };
    found.extend(notes.iter().cloned());

    let filter = request.platform_filter(config);
    let current = suite(&data.current.rows, config, &filter)?;
    let before = Suite::beside(&current, &baseline.rows, config, &filter);
    let confirmation_runs = suites(&data.confirmation_runs, config, &filter)?;
    let elsewhere = suites(&data.elsewhere, config, &filter)?;
    let history = parallel::map(&data.history, |snapshot| {
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
        paired: config.deltas.paired,
    };
    let thresholds = Thresholds {
        today: Some(request.today()),
        self_test: !request.no_self_test,
        ..Thresholds::of(config)
    };
    let comparison = perf_verdict::compare(&sides, config, thresholds);
    let tally = comparison.tally();
    refuse_blind(&comparison.blind)?;

    let sides = [&current, &before];
    let mut told = warnings::about_rows(config, data, baseline, sides);
    let unmet = perf_cli::load::unmet(&data.current.rows, config);
    if !unmet.is_empty() {
        told.push(Diagnostic::warning(perf_cli::load::not_measured(&unmet)));
    }
    let left_out = warnings::machine_type_left_out(&current, &comparison);
    let leaves_machine_type_out = left_out.is_some();
    told.extend(left_out);
    told.extend(warnings::collect(request, config, data, &comparison, sides));

    notes.extend(data.current.diagnostics());
    notes.extend(data.found.iter().chain(&told).cloned());
    notes.retain(|note| note.severity > Severity::Info);
    let findings = warnings::about_findings(&comparison, [&data.current, baseline]);
    notes.extend(findings.iter().cloned());

    // An older baseline may have been measured like this run.
    let is_unlike = is_unlike(&comparison);
    let mut unlike = String::new();
    if is_unlike || warnings::older(&comparison).is_none() {
        unlike = difference_of_sides(&current, &before);
    }
    if !unlike.is_empty() {
        found.push(not_compared(&unlike));
    }
    found.extend(told);
    found.extend(findings);

    // Comparing nothing fails. Another machine or methodology is an excuse, except in a decisive comparison: rows could
    // claim either to pass.
    let fail_on = &config.deltas.fail_on;
    let mut failed = Vec::new();
    if !unmet.is_empty() {
        failed.push(FailureReason::Required);
    }
    let has_nothing = data.baseline.is_ok() && tally.compared == 0;
    if has_nothing && (request.is_decisive || !is_unlike) {
        failed.push(FailureReason::NothingCompared);
    }
    if leaves_machine_type_out {
        failed.push(FailureReason::NotCompared);
    }
    for verdict in FailOn::ALL {
        if fail_on.contains(&verdict) && has_occurred(&comparison, tally, verdict) {
            failed.push(FailureReason::Verdict(verdict));
        }
    }
    if fail_on.is_empty() {
        failed.clear();
    }
    let command = || Reproduction {
        command: reproduce::reproducing_command(request, config),
        ..Reproduction::default()
    };
    let details = ReportDetails {
        notes: notes.iter().map(Diagnostic::sentence).collect(),
        unlike,
        unmet,
        failed,
        reproduction: Some(request.reproduction.clone().unwrap_or_else(command)),
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
fn has_occurred(comparison: &Comparison, tally: Tally, verdict: FailOn) -> bool {
    let any = |is: fn(&MetricComparison) -> bool| comparison.metrics().any(is);
    match verdict {
        FailOn::Regressed => tally.regressed > 0,
        FailOn::Missing => tally.missing + tally.unmeasured > 0,
        FailOn::Inconclusive => {
            comparison.is_input_doubtful()
                || comparison.hidden_doublings().is_some()
                || any(|metric| has_verdict(metric, Verdict::Inconclusive))
        }
        FailOn::NotComparable => {
            tally.not_comparable > 0
                || any(|metric| {
                    has_verdict(metric, Verdict::NotComparable) && metric.judgement.is_gated()
                })
        }
        FailOn::Unmeasured => tally.unmeasured > 0,
        FailOn::New => tally.new > 0,
        FailOn::Moved => any(|metric| metric.judgement.moved && metric.judgement.waived.is_none()),
        FailOn::Improved => any(|metric| has_verdict(metric, Verdict::Improved)),
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
    let suites = runs.iter().map(|run| suite(&run.rows, config, filter));
    suites.collect()
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
    let failure = Failure::new(message).hint(hint);
    Err(failure
        .hint("`render-perf-deltas --no-self-test` skips the self-test")
        .into())
}
