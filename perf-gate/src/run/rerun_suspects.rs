//! Confirmation of suspected changes: pairs with the baseline's commit if git has it, otherwise reruns of the benchmark.
//!
//! Without pairs, benchmarks whose stored values could hide a doubling are rerun first, so that more than one run is
//! compared with them.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use measure::pairs::{self, NoPair, Session};
use measure::rows::{name_as_known, name_findings_as_known};
use perf_cli::git::Git;
use perf_cli::load::{InputArgs, git};
use perf_cli::{failure, term};
use perf_config::{Config, Measured};
use perf_model::aggregate::aggregate_launch;
use perf_model::diagnostic::{counted, named};
use perf_model::finding::Finding;
use perf_model::row::{Name, Row};
use perf_readers::ParseReport;
use render_perf_deltas::{CompareReport, CompareRequest, compare};

use super::load::Watched;
use super::noise::FINE;
use super::{Benchmark, Cli, rows};

/// The most names in a line.
const NAMED: usize = 3;

/// The runs on a busy machine that end the second look.
const BUSY: usize = 2;

/// The slowdown that no gate may hide: twice as slow.
const DOUBLING: f64 = 1.0;
/// Reruns of benchmarks that could hide it: at least as many as a rank test needs, more within [`RERUN_TIME`].
const FEWEST_RERUNS: usize = 4;
const MOST_RERUNS: usize = 19;
const RERUN_TIME: Duration = Duration::from_secs(10);
/// The time after which no rerun starts, even if there were fewer than [`FEWEST_RERUNS`].
const LONGEST_RERUNS: Duration = Duration::from_mins(2);

/// Looks again at what is not settled, and adds that to the request. Returns false if there is nothing to look at.
pub(super) fn run(
    cli: &Cli,
    config: &Config,
    benchmark: &Benchmark,
    request: &mut CompareRequest,
    report: &CompareReport,
    rerun: impl Fn(&Benchmark, usize) -> anyhow::Result<ParseReport>,
) -> anyhow::Result<bool> {
    let suspects = report.suspects();
    let commit = report.baseline_commit().filter(|commit| is_commit(commit));
    let meant = commit
        .as_deref()
        .map(|commit| meant(report, &suspects, commit))
        .unwrap_or_default();
    if let Some(commit) = commit.filter(|_| !meant.is_empty()) {
        term::note(&format!(
            "{}; measuring {} in turn",
            why(&suspects, &meant),
            git::short(&commit)
        ));
        match in_turn(
            cli,
            config,
            &narrowed(benchmark, config, &meant),
            &commit,
            &meant,
        ) {
            Ok(Some((rows, findings))) => {
                request.pairs = Some(rows);
                request.findings = findings;
                return Ok(true);
            }
            Ok(None) => {
                term::note(
                    "base and head ran the same build: set the build command with `run.build`",
                );
            }
            Err(error) => {
                let why = failure::message(&error);
                term::note(&format!("cannot measure the baseline's commit: {why}"));
                failure::hints(&error).into_iter().for_each(term::hint);
                // On a machine as busy as that, another run would confirm whatever this one shows.
                if error.chain().any(<dyn std::error::Error>::is::<NoPair>) {
                    return Ok(false);
                }
            }
        }
    }
    let reruns = rerun_unsettled(request, report, benchmark, config, rerun)?;
    if let Some(why) = reruns.open {
        term::note(&why);
        term::hint("rerun the benchmark when the machine is idle");
    }
    Ok(reruns.has_any)
}

/// The reruns of a benchmark.
pub(crate) struct Reruns {
    /// Whether there was any.
    pub(crate) has_any: bool,
    /// Why a slowdown is left unconfirmed, as a sentence.
    pub(crate) open: Option<String>,
}

/// Reruns benchmarks whose stored values could hide a doubling, then suspected ones until they are confirmed or refuted, and
/// adds these runs to the request.
pub(crate) fn rerun_unsettled(
    request: &mut CompareRequest,
    report: &CompareReport,
    benchmark: &Benchmark,
    config: &Config,
    rerun: impl Fn(&Benchmark, usize) -> anyhow::Result<ParseReport>,
) -> anyhow::Result<Reruns> {
    let blind = report.too_noisy_for(DOUBLING);
    let has_more = !blind.is_empty();
    let renewed;
    let report = if has_more {
        let blind_alone = narrowed(benchmark, config, &blind);
        measure_again(request, &blind_alone, &blind, &rerun)?;
        renewed = compare(request, &mut Vec::new())?;
        &renewed
    } else {
        report
    };
    let suspects = report.suspects();
    if suspects.is_empty() {
        return Ok(Reruns {
            has_any: has_more,
            open: None,
        });
    }
    term::note(&format!("unconfirmed: {}", listed(&suspects)));
    // A shift shows only among the others.
    let again = if report.is_shifted() {
        benchmark.clone()
    } else {
        narrowed(benchmark, config, &suspects)
    };
    let missing = report.counts().confirmations.max(1);
    let open = repeat(request, missing, |number| rerun(&again, number))?;
    Ok(Reruns {
        has_any: true,
        open,
    })
}

/// Adds reruns of benchmarks that could hide a doubling to the rows of this run.
fn measure_again(
    request: &mut CompareRequest,
    benchmark: &Benchmark,
    blind: &BTreeSet<Name>,
    rerun: &impl Fn(&Benchmark, usize) -> anyhow::Result<ParseReport>,
) -> anyhow::Result<()> {
    let Some(current) = &mut request.source.rows else {
        return Ok(());
    };
    term::note(&format!(
        "baseline too noisy to detect a 2× slowdown in {}; rerunning: {}",
        counted(blind.len() as u64, "benchmark"),
        listed(blind)
    ));
    // One row for each benchmark and run.
    current.rows = aggregate_launch(std::mem::take(&mut current.rows));
    for row in &mut current.rows {
        (row.run_index, row.launch) = (0, None);
    }
    let start = Instant::now();
    for number in 1..=MOST_RERUNS {
        let elapsed = start.elapsed();
        let is_enough = number > FEWEST_RERUNS && elapsed >= RERUN_TIME;
        if is_enough || elapsed >= LONGEST_RERUNS {
            break;
        }
        let run = term::silently(|| rerun(benchmark, number))?;
        for finding in run.findings {
            if !current.findings.contains(&finding) {
                current.findings.push(finding);
            }
        }
        let mut rows = aggregate_launch(run.rows);
        rows.retain(|row| blind.contains(&row.scenario));
        for row in &mut rows {
            (row.run_index, row.launch) = (i64::try_from(number)?, None);
        }
        current.rows.extend(rows);
    }
    Ok(())
}

/// The benchmarks to measure in turn: the suspects, and if files changed since the commit, those of which stored values cannot
/// tell a slowdown.
fn meant(report: &CompareReport, suspects: &BTreeSet<Name>, commit: &str) -> BTreeSet<Name> {
    let is_changed =
        git::changed_since(commit).is_some_and(|files| files.iter().any(|file| is_measured(file)));
    let hidden = if is_changed {
        report.hidden(FINE)
    } else {
        BTreeSet::new()
    };
    suspects.union(&hidden).cloned().collect()
}

/// False for the files that `init` writes, which change nothing that is measured.
fn is_measured(file: &str) -> bool {
    ![".github/", "perf-gate.toml", "perf-baseline.csv"]
        .iter()
        .any(|own| file.starts_with(own))
}

/// The reason for measuring these benchmarks.
fn why(suspects: &BTreeSet<Name>, meant: &BTreeSet<Name>) -> String {
    let benchmarks = counted(suspects.len() as u64, "benchmark");
    let unconfirmed = format!("unconfirmed: {benchmarks} ({})", listed(suspects));
    let hidden = meant.len() - suspects.len();
    match (suspects.len(), hidden) {
        (_, 0) => unconfirmed,
        (0, _) => format!("too noisy for stored values: {hidden}"),
        _ => format!("{unconfirmed}; too noisy for stored values: {hidden}"),
    }
}

/// The first of these names.
fn listed(names: &BTreeSet<Name>) -> String {
    named(
        &names
            .iter()
            .map(|name| term::printable(name))
            .collect::<Vec<_>>(),
        NAMED,
    )
}

/// Runs the benchmark again until the confirmation is complete or refuted: as many within the limit as beyond it ask for one
/// more run. A run confirms no slowdown that the other work on the machine explains; where that leaves something open, the
/// sentence that says so is returned.
fn repeat(
    request: &mut CompareRequest,
    mut missing: usize,
    rerun: impl Fn(usize) -> anyhow::Result<ParseReport>,
) -> anyhow::Result<Option<String>> {
    const MOST: usize = 5;
    let mut explained: Vec<f64> = Vec::new();
    for count in 1..=MOST {
        if missing == 0 || explained.len() == BUSY {
            break;
        }
        term::note(&format!("running the benchmark again, {count}"));
        let watched = Watched::start();
        let mut run = rerun(count)?;
        let slowdown = watched.slowdown();
        let alone = InputArgs {
            input: Vec::new(),
            rows: Some(run.clone()),
            ..request.source.clone()
        };
        let alone = CompareRequest {
            source: alone,
            confirmation_runs: Vec::new(),
            ..request.clone()
        };
        let by_load = compare(&alone, &mut Vec::new())?.slower_by_at_most(slowdown - 1.0);
        if !by_load.is_empty() {
            run.rows.retain(|row| !by_load.contains(&row.scenario));
            explained.push(slowdown);
        }
        request
            .confirmation_runs
            .extend(Some(run).filter(|run| !run.rows.is_empty()));
        missing = compare(request, &mut Vec::new())?.counts().confirmations;
    }
    let most = explained
        .into_iter()
        .reduce(f64::max)
        .filter(|_| missing > 0);
    Ok(most.map(|most| {
        format!(
            "background load could explain slowdowns up to {most:.1}×, so smaller ones were not confirmed"
        )
    }))
}

/// The benchmark for these names alone, where its tool can select them.
fn narrowed(benchmark: &Benchmark, config: &Config, names: &BTreeSet<Name>) -> Benchmark {
    let is_one = config.run().measure == Measured::Process;
    let chosen = if is_one {
        BTreeSet::new()
    } else {
        names.clone()
    };
    Benchmark {
        chosen,
        ..benchmark.clone()
    }
}

fn is_commit(commit: &str) -> bool {
    let commit = format!("{commit}^{{commit}}");
    Git::here()
        .ask(&[
            "rev-parse",
            "--quiet",
            "--verify",
            "--end-of-options",
            &commit,
        ])
        .is_some()
}

/// The rows and the findings of pairs, the base first.
type MeasuredPairs = ([Vec<Row>; 2], [Vec<Finding>; 2]);

/// Pairs of the commit of the baseline and the working tree; `None` where both ran the same build.
fn in_turn(
    cli: &Cli,
    config: &Config,
    benchmark: &Benchmark,
    commit: &str,
    suspects: &BTreeSet<Name>,
) -> anyhow::Result<Option<MeasuredPairs>> {
    let request = rows::pairs_request(cli, config, benchmark, commit)?;
    let report = pairs::measure(&request, &Session::start()?)?;
    if report.shared_output.is_some() {
        return Ok(None);
    }
    let [base, current] = [report.base, report.current].map(|rows| rows_of(rows, suspects));
    if base.is_empty() || current.is_empty() {
        return Ok(None);
    }
    let findings = report
        .findings
        .map(|findings| findings_of(findings, suspects));
    let benchmarks = counted(suspects.len() as u64, "benchmark");
    term::note(&format!(
        "{benchmarks} measured in {} pairs with the baseline's commit",
        report.pairs
    ));
    Ok(Some(([base, current], findings)))
}

/// The rows of these benchmarks, under their names in the whole suite.
fn rows_of(mut rows: Vec<Row>, benchmarks: &BTreeSet<Name>) -> Vec<Row> {
    name_as_known(&mut rows, |name| benchmarks.contains(name));
    rows.retain(|row| benchmarks.contains(&row.scenario));
    rows
}

/// The findings about these benchmarks and about the whole input, named as in [`rows_of`].
fn findings_of(mut findings: Vec<Finding>, benchmarks: &BTreeSet<Name>) -> Vec<Finding> {
    name_findings_as_known(&mut findings, |name| benchmarks.contains(name));
    findings.retain(|finding| {
        let benchmark = finding.benchmark.as_ref();
        benchmark.is_none_or(|name| benchmarks.contains(name))
    });
    findings
}

#[cfg(test)]
mod tests {
    use perf_model::finding::FindingKind;

    use super::*;

    #[test]
    fn findings_of_pairs_have_the_names_of_the_whole_suite() {
        let benchmarks = BTreeSet::from(["Read/all".into()]);
        let about = |name: &str| Finding::about(FindingKind::Failed, name.into(), "failed");
        let input = Finding::about_input(FindingKind::Unreadable, "line 3");
        let found = vec![about("Read/all-8"), about("Write"), input.clone()];
        assert_eq!(findings_of(found, &benchmarks), [about("Read/all"), input]);
    }
}
