//! Compares the rows that were read, and collects what people must know beside the result.

use perf_cli::load::history::Snapshot;
use perf_cli::{Failure, ResultExt, term};
use perf_config::Config;
use perf_model::diagnostic::{Diagnostic, Severity};
use perf_model::methodology;
use perf_model::parallel;
use perf_model::row::Row;
use perf_model::suite::{Filter, LeftOut, Measurement, Suite};
use perf_readers::ParseReport;
use perf_report::words;
use perf_verdict::{Blind, CannotFail, Comparison, Sides, Tally, compare};

use crate::cli::CompareRequest;
use crate::data::ComparisonData;
use crate::{classes, warnings};

/// The number of metrics that a message names.
const NAMED: usize = 5;

/// A comparison, and what readers of a report should know about it.
pub(crate) struct Compared {
    pub comparison: Comparison,
    pub tally: Tally,
    pub notes: Vec<Diagnostic>,
    /// The difference of the two sides in machine or methodology, in words; empty if there is none.
    pub unlike: String,
    pub has_baseline: bool,
    /// The benchmarks that the config requires of every run, and this one lacks.
    pub unmet: Vec<String>,
    /// True if several classes of machines measured, and one of them was not compared.
    pub leaves_class_out: bool,
}

impl Compared {
    /// The notes for readers of a report, as sentences.
    pub(crate) fn sentences(&self) -> Vec<String> {
        self.notes.iter().map(Diagnostic::sentence).collect()
    }

    /// The same with how the two sides differ, for a report that says it nowhere else.
    pub(crate) fn all_sentences(&self) -> Vec<String> {
        let unlike = (!self.unlike.is_empty()).then(|| not_compared(&self.unlike).sentence());
        unlike.into_iter().chain(self.sentences()).collect()
    }
}

/// Compares the run with the baseline by all that was read.
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
    let nothing =
        Diagnostic::warning("no row of the baseline has the requested platform and scope");
    let nothing = nothing.hint(perf_cli::load::places(&baseline.rows, config));
    let has_baseline = data.baseline.is_ok();
    let unmet = perf_cli::load::unmet(&data.current.rows, config);
    let of_baseline = baseline
        .diagnostics()
        .into_iter()
        .chain(before.left_out.diagnostics());
    // Rows of another class are a doubt of their own.
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
    // An older baseline may have been measured as this run was.
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
    let warnings = warnings::of(request, config, data, &comparison, sides);
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
    let findings = warnings::of_findings(&comparison, [&data.current, baseline]);
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

/// The suites of a history. Arranging them takes as long as reading a file of rows, so two threads share it.
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

/// A run that has rows, but none that was asked for.
#[derive(Debug, thiserror::Error)]
#[error("none of the {_0} rows has the requested platform and scope")]
pub(crate) struct NothingMatches(usize);

/// The rows that count of a run that is to have some.
fn suite<'r>(rows: &'r [Row], config: &'r Config, filter: &Filter) -> anyhow::Result<Suite<'r>> {
    let suite = Suite::new(rows, config, filter);
    if suite.is_empty() {
        let places = perf_cli::load::places(rows, config);
        return Err(NothingMatches(rows.len())).hint(places);
    }
    Ok(suite)
}

/// The difference of the two sides in machine or methodology, as far as their rows say it; empty if there is none.
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
                words::OTHER_BENCHMARK.to_owned()
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

/// A gate that lets everything pass is worse than none.
fn refuse_blind(blind: &[Blind]) -> anyhow::Result<()> {
    let blind: Vec<&Blind> = blind
        .iter()
        .filter(|blind| blind.why.is_failed_test())
        .collect();
    let Some(first) = blind.first() else {
        return Ok(());
    };
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
    let hint = match first.why {
        CannotFail::Misjudged => "set `better` of these metrics in the config",
        _ => "set tighter limits for these metrics, or remove them from `[[gates]]`",
    };
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
        CannotFail::Misjudged => Some(format!(
            "`{metric}` of `{scenario}` would regress by getting better"
        )),
        _ => None,
    }
}
