//! Reads the run and the baseline, compares them, and collects the notes for readers.

use anyhow::anyhow;
use perf_cli::load::{self, machine_specs};
use perf_cli::{ResultExt, term};
use perf_config::{Config, FailOn};
use perf_model::diagnostic::{Diagnostic, Severity, named};
use perf_model::methodology;
use perf_model::parallel;
use perf_model::row::Row;
use perf_model::suite::{Filter, Measurement, Suite};
use perf_readers::ParseReport;
use perf_report::reasons::OTHER_BENCHMARK;
use perf_report::report::{FailureReason, Remarks, ReportDetails};
use perf_verdict::{Blind, CannotFail, Comparison, Sides, Thresholds, Verdict};

use crate::cli::{CompareRequest, links};
use crate::data::{self, ComparisonData, NoBaseline};
use crate::outcome::{CompareReport, Compared, has_verdict, is_unlike, not_compared};
use crate::warnings;

/// Compares a run with its baseline. Diagnostics are added to `found` even if the comparison fails.
///
/// # Errors
/// Fails if the rows, the baseline or the config cannot be read, or if the gate does not detect an injected slowdown.
pub fn compare(
    request: &CompareRequest,
    found: &mut Vec<Diagnostic>,
) -> anyhow::Result<CompareReport> {
    let config = request.config()?;
    let mut data = data::read(request, &config)?;
    data.add_findings(&request.findings, &config);
    data.leave_out(&request.other_shards);
    data.filter(&request.filter.rows, &config)?;
    let (config, conflicts) = load::with_inputs(config, data.reports());
    let history = data.history.iter().flat_map(|snapshot| &snapshot.rows);
    let rows = data.reports().flat_map(|report| &report.rows);
    load::check_names(
        &config,
        request.source.config.as_deref(),
        rows.chain(history),
    )?;
    data.found.extend(conflicts);
    data.adopt_units(&config);
    if data.no_baseline.is_none() {
        let changed = warnings::mark_changed_benchmark(&config, &mut data.baseline);
        data.found.extend(changed);
        data.found.extend(warnings::review(&config, &data.baseline));
    }
    found.extend(data.found.iter().cloned());

    // Budgets, required benchmarks and a history can be checked without a baseline.
    let is_checkable =
        !data.history.is_empty() || config.has_budgets() || !config.required.is_empty();
    let outcome = match &data.no_baseline {
        Some(none) if !is_checkable && !none.is_blank_base => Err(none.clone()),
        _ => Ok(compare_rows(request, &config, &data, found)?),
    };
    Ok(CompareReport {
        outcome,
        filter: request.platform_filter(&config),
        config,
        data,
        remarks: Remarks::default(),
    })
}

/// Compares the run with the baseline. The diagnostics for the person who runs the command are added to `terminal`,
/// even if the comparison fails. Diagnostics for readers of the report become [`ReportDetails::notes`].
fn compare_rows(
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

    // A difference from the newest baseline does not matter if older baselines, measured like this run, could be used.
    let mut unlike = String::new();
    if is_unlike(&comparison) || warnings::older(&comparison).is_none() {
        unlike = difference_of_sides(&current, &before);
    }
    let unmet = load::unmet(&data.current.rows, config);
    let left_out = warnings::machine_type_left_out(&current, &comparison);
    let mut warnings = warnings::about_rows(config, data, &sides);
    if !unmet.is_empty() {
        warnings.push(Diagnostic::warning(load::not_measured(&unmet)));
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
    if !unmet.is_empty() {
        failed.push(FailureReason::Required);
    }
    // Comparing nothing is a failure. A different machine or methodology is an excuse, except in a decisive comparison,
    // because rows could claim a difference in order to pass.
    let is_excused = is_unlike(&comparison) && !request.is_decisive;
    if data.no_baseline.is_none() && comparison.tally().compared == 0 && !is_excused {
        failed.push(FailureReason::NothingCompared);
    }
    if left_out.is_some() {
        failed.push(FailureReason::NotCompared);
    }
    failed.extend(failing_verdicts(&comparison, &config.deltas.fail_on));
    if config.deltas.fail_on.is_empty() {
        failed.clear();
    }
    let details = ReportDetails {
        notes: notes.iter().map(Diagnostic::sentence).collect(),
        unlike,
        unmet,
        failed,
        reproduction: Some(request.reproduction(config)),
        machine: machine(request, &data.current.rows),
        links: links(|name| std::env::var(name).ok()),
    };
    Ok(Compared {
        comparison,
        details,
    })
}

/// Returns the verdicts in `fail-on` that occurred.
fn failing_verdicts(comparison: &Comparison, fail_on: &[FailOn]) -> Vec<FailureReason> {
    let tally = comparison.tally();
    let mut failing = Vec::new();
    for verdict in FailOn::ALL {
        let mut metrics = comparison.metrics();
        let has_occurred = match verdict {
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
        };
        if has_occurred && fail_on.contains(&verdict) {
            failing.push(FailureReason::Verdict(verdict));
        }
    }
    failing
}

/// Describes the machine briefly. Returns `None` without a description, or if some rows were measured on another machine.
fn machine(request: &CompareRequest, rows: &[Row]) -> Option<String> {
    let specs = machine_specs(request.machine_specs.as_deref()?).ok()?;
    let is_elsewhere = |row: &Row| specs.is_elsewhere(&row.platform, row.machine_class.as_deref());
    if rows.iter().any(is_elsewhere) {
        return None;
    }
    specs.short()
}

/// Returns the suite of the requested rows. Fails if none of the rows is requested.
fn suite<'r>(rows: &'r [Row], config: &'r Config, filter: &Filter) -> anyhow::Result<Suite<'r>> {
    let suite = Suite::new(rows, config, filter);
    if suite.is_empty() && !rows.is_empty() {
        return Err(load::NothingMatches(rows.len())).hint(load::places(rows, config));
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

/// Describes how the run and the baseline differ in machine or methodology. The text is empty if their rows show no
/// difference.
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

/// Fails if the gate's self-test failed, because a gate that passes everything is worse than no gate.
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
    Err(anyhow!(message)).hint(hint)
}
