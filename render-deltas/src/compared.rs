//! Compares the rows, and collects the notes for readers.

use perf_cli::load::history::Snapshot;
use perf_cli::{Failure, ResultExt, term};
use perf_config::Config;
use perf_model::diagnostic::{Diagnostic, Severity};
use perf_model::methodology;
use perf_model::parallel;
use perf_model::row::Row;
use perf_model::suite::{Filter, LeftOut, Measurement, Suite};
use perf_readers::ParseReport;
use perf_report::reasons::OTHER_BENCHMARK;
use perf_verdict::{Blind, CannotFail, Comparison, Sides, Tally, compare};

use crate::cli::CompareRequest;
use crate::data::ComparisonData;
use crate::{classes, warnings};

/// The maximum number of metrics in a message.
const NAMED: usize = 5;

/// A comparison, and notes for its readers.
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
}

impl Compared {
    /// The notes for readers of a report, as sentences.
    pub(crate) fn sentences(&self) -> Vec<String> {
        self.notes.iter().map(Diagnostic::sentence).collect()
    }

    /// As `sentences`, with the difference of the two sides, for reports that do not show it elsewhere.
    pub(crate) fn all_sentences(&self) -> Vec<String> {
        let unlike = (!self.unlike.is_empty()).then(|| not_compared(&self.unlike).sentence());
        unlike.into_iter().chain(self.sentences()).collect()
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
    let runs = [&data.confirmation_runs, &data.elsewhere].map(|runs| {
        runs.iter()
            .map(|run| suite(&run.rows, config, &filter))
            .collect::<anyhow::Result<Vec<_>>>()
    });
    let [confirmation_runs, elsewhere] = runs;
    let (confirmation_runs, elsewhere) = (confirmation_runs?, elsewhere?);
    let history = suites(&current, &data.history, config, &filter);
    let nothing = Diagnostic::warning("no baseline row matches the requested platform and scope");
    let nothing = nothing.hint(perf_cli::load::places(&baseline.rows, config));
    let has_baseline = data.baseline.is_ok();
    let unmet = perf_cli::load::unmet(&data.current.rows, config);
    let of_baseline = baseline
        .diagnostics()
        .into_iter()
        .chain(before.left_out.diagnostics());
    // Rows of another machine type have their own warning.
    let others = LeftOut {
        other_class: 0,
        ..current.left_out
    };
    let found: Vec<Diagnostic> = others
        .diagnostics()
        .chain(of_baseline.map(|found| found.at("baseline")))
        .chain((has_baseline && before.is_empty()).then_some(nothing))
        .chain(
            (!unmet.is_empty()).then(|| Diagnostic::warning(perf_cli::load::not_measured(&unmet))),
        )
        .collect();
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
    let tally = comparison.tally();
    // An older baseline may have been measured like this run.
    let is_unlike = warnings::older(&comparison).is_none()
        || comparison
            .metrics()
            .any(|metric| metric.judgement.is_unlike());
    let unlike = if is_unlike {
        difference_of_sides(&current, &before)
    } else {
        String::new()
    };
    let left_out = classes::left_out(&current, &comparison);
    let leaves_class_out = left_out.is_some();
    let sides = [&current, &before];
    let warnings = warnings::collect(request, config, data, &comparison, sides);
    let found: Vec<Diagnostic> = found.into_iter().chain(left_out).chain(warnings).collect();
    told.extend((!unlike.is_empty()).then(|| not_compared(&unlike)));
    told.extend(found.iter().cloned());
    let read = data
        .current
        .diagnostics()
        .into_iter()
        .chain(data.found.clone());
    let mut notes: Vec<Diagnostic> = read
        .chain(found)
        .filter(|found| found.severity > Severity::Info)
        .collect();
    let findings = warnings::about_findings(&comparison, [&data.current, baseline]);
    told.extend(findings.iter().cloned());
    notes.extend(findings);
    Ok(Compared {
        comparison,
        tally,
        notes,
        unlike,
        has_baseline,
        unmet,
        leaves_class_out,
    })
}

/// Builds the suites of a history in two threads.
fn suites<'r>(
    current: &Suite<'_>,
    history: &'r [Snapshot],
    config: &'r Config,
    filter: &Filter,
) -> Vec<Suite<'r>> {
    parallel::halves(history, |snapshot| {
        Suite::beside(current, &snapshot.rows, config, filter)
    })
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
    let sides = |of: fn(&Measurement<'_>) -> Option<String>| {
        let first = |suite: &Suite<'_>| suite.measurements().find_map(of);
        first(current).zip(first(before))
    };
    let machines =
        sides(|side| side.machine_class().map(str::to_owned)).filter(|(now, then)| now != then);
    let machines = machines
        .map(|(now, then)| format!("this run was measured on {now}, the baseline on {then}"));
    let methods = sides(|side| side.methodology().map(str::to_owned));
    let methods = methods
        .filter(|(now, then)| !methodology::is_same(now, then))
        .map(|(now, then)| {
            if methodology::is_other_benchmark(&now, &then) {
                OTHER_BENCHMARK.to_owned()
            } else {
                format!("this run was measured as “{now}”, the baseline as “{then}”")
            }
        });
    machines
        .into_iter()
        .chain(methods)
        .collect::<Vec<_>>()
        .join("; ")
}

fn not_compared(unlike: &str) -> Diagnostic {
    Diagnostic::note(format!("{unlike}: times are not compared"))
}

/// Fails if the gate's self-test failed: a gate that passes everything is worse than none.
fn refuse_blind(blind: &[Blind]) -> anyhow::Result<()> {
    let blind: Vec<&Blind> = blind
        .iter()
        .filter(|blind| blind.why.is_failed_test())
        .collect();
    if blind.is_empty() {
        return Ok(());
    }
    let named: Vec<String> = blind
        .iter()
        .take(NAMED)
        .filter_map(|blind| missed(blind))
        .collect();
    let more = if blind.len() > NAMED {
        format!("; and {} more", blind.len() - NAMED)
    } else {
        String::new()
    };
    let message = format!(
        "gate self-test failed: an injected 10× slowdown was not detected: {}{more}",
        named.join("; ")
    );
    let hint = "set tighter limits for these metrics, or remove them from `[[gates]]`";
    let failure = Failure::new(message).hint(hint);
    Err(failure
        .hint("`render-perf-deltas --no-self-test` skips the self-test")
        .into())
}

fn missed(blind: &Blind) -> Option<String> {
    let (scenario, metric) = (
        term::printable(&blind.scenario),
        term::printable(&blind.metric),
    );
    match blind.why {
        CannotFail::Undetected(verdict) => {
            let verdict = verdict.word();
            Some(format!(
                "`{metric}` of `{scenario}` would be {verdict} at ten times the cost"
            ))
        }
        _ => None,
    }
}
