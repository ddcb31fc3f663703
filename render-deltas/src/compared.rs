//! The comparison of what was read, and what people must know beside it.

use std::thread;

use perf_cli::{Failure, term};
use perf_config::Config;
use perf_load::history::Snapshot;
use perf_load::{tell, tell_left_out};
use perf_model::methodology;
use perf_model::metric::Direction;
use perf_model::row::Row;
use perf_model::suite::{Filter, Measurement, Suite};
use perf_readers::ParseReport;
use perf_report::words;
use perf_verdict::rules::ungated::NotGated;
use perf_verdict::{Blind, Comparison, Missed, Reason, Rule, Sides, Tally, compare};

use crate::cli::Cli;
use crate::data::Data;
use crate::fail::metrics;

/// How many metrics a message names.
const NAMED: usize = 5;

/// A comparison, and sentences for the readers of a report.
pub(crate) struct Compared {
    pub comparison: Comparison,
    pub tally: Tally,
    pub notes: Vec<String>,
}

/// Compares the run with the baseline by all that was read.
pub(crate) fn compared(
    cli: &Cli,
    config: &Config,
    data: &Data,
    baseline: &ParseReport,
) -> anyhow::Result<Compared> {
    let filter = cli.filter.filter(cli.scope.as_deref());
    let current = suite(&data.current.rows, config, &filter)?;
    let before = Suite::beside(&current, &baseline.rows, config, &filter);
    let repeats = data.repeats.iter().map(|run| suite(&run.rows, config, &filter));
    let repeats = repeats.collect::<anyhow::Result<Vec<_>>>()?;
    let history = suites(&current, &data.history, config, &filter);
    tell(baseline);
    if before.is_empty() {
        term::warn("no row of the baseline is of the platform and scope that were asked for");
        term::hint(&perf_load::places(&baseline.rows, config));
    }
    tell_left_out(current.left_out, "");
    tell_left_out(before.left_out, "of the baseline: ");
    let mut notes = perf_load::summary(&data.current, current.left_out);
    let of_baseline = perf_load::summary(baseline, before.left_out);
    notes.extend(of_baseline.into_iter().map(|note| format!("Of the baseline: {note}")));
    notes.extend(unlike(&current, &before));
    notes.extend(data.shortage.as_ref().map(|shortage| format!("The history has {shortage}.")));
    let sides = Sides {
        current: &current,
        baseline: &before,
        history: &history,
        repeats: &repeats,
        paired: cli.paired,
    };
    let comparison = compare(&sides, config, cli.policy(config));
    refuse_blind(&comparison.blind)?;
    let tally = comparison.tally();
    notes.extend(doubts(cli, &comparison, tally));
    Ok(Compared { comparison, tally, notes })
}

/// Those of a history. Arranging them takes as long as reading a file of rows, so two threads share it.
fn suites<'r>(
    current: &Suite<'_>,
    history: &'r [Snapshot],
    config: &'r Config,
    filter: &Filter,
) -> Vec<Suite<'r>> {
    let arrange = |part: &'r [Snapshot]| -> Vec<Suite<'r>> {
        part.iter().map(|snapshot| Suite::beside(current, &snapshot.rows, config, filter)).collect()
    };
    let (early, late) = history.split_at(history.len() / 2);
    thread::scope(|scope| {
        let early = scope.spawn(|| arrange(early));
        let late = arrange(late);
        let early = early.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        early.into_iter().chain(late).collect()
    })
}

/// The rows that count of a run that is to have some.
fn suite<'r>(rows: &'r [Row], config: &'r Config, filter: &Filter) -> anyhow::Result<Suite<'r>> {
    let suite = Suite::new(rows, config, filter);
    if suite.is_empty() {
        let message =
            format!("none of the {} rows is of the platform and scope that were asked for", rows.len());
        return Err(Failure::new(message).hint(perf_load::places(rows, config)).into());
    }
    Ok(suite)
}

/// That the two sides were measured on different machines or by different methods, as far as their rows say.
fn unlike(current: &Suite<'_>, before: &Suite<'_>) -> impl Iterator<Item = String> {
    let sides = |of: fn(&Measurement<'_>) -> Option<String>| {
        let first = |suite: &Suite<'_>| suite.measurements().find_map(of);
        first(current).zip(first(before))
    };
    let machines = sides(|side| side.machine_class().map(str::to_owned)).filter(|(now, then)| now != then);
    let machines = machines.map(|(now, then)| {
        format!("This run was measured on {now}, the baseline on {then}: times are not compared.")
    });
    let methods = sides(|side| side.methodology().map(str::to_owned));
    let methods = methods.filter(|(now, then)| !methodology::is_same(now, then)).map(|(now, then)| {
        format!("This run was measured as “{now}”, the baseline as “{then}”: times are not compared.")
    });
    machines.into_iter().chain(methods)
}

/// What makes a green result say less than it seems to; told, and as sentences for a report.
fn doubts(cli: &Cli, comparison: &Comparison, tally: Tally) -> Vec<String> {
    let mut doubts = Vec::new();
    for metric in &comparison.idle_gates {
        let name = term::printable(metric);
        term::warn(&format!(
            "the gate on `{name}` decides nothing, as no row that it covers has that metric"
        ));
        doubts
            .push(format!("The gate on {metric} decides nothing, as no row that it covers has that metric."));
    }
    if tally.compared > 0 && !can_fail(comparison) {
        term::warn("nothing here can fail: no metric of these rows is gated");
        term::hint("name metrics in `[[gates]]` of the config, or say which way they are better");
        doubts.push("Nothing here can fail, as no metric of these rows is gated.".to_owned());
    }
    if cli.paired
        && metrics(comparison).all(|metric| metric.extra.as_ref().is_none_or(|more| more.pairs.is_empty()))
    {
        term::warn(
            "no rows are paired: none of the run has the scenario and `runIndex` of one of the baseline",
        );
        doubts.push("No rows are paired, as none of the two sides have the same run index.".to_owned());
    }
    doubts
}

fn can_fail(comparison: &Comparison) -> bool {
    metrics(comparison).any(|metric| {
        let is_gated = metric.judgement.rule != Rule::Report;
        let is_told = !matches!(
            metric.judgement.reason,
            Reason::Tail(_) | Reason::NotGated(NotGated::UnknownDirection)
        );
        is_gated && is_told && metric.metric.meaning.direction != Direction::Unknown
    })
}

/// A gate that lets everything pass is worse than none.
fn refuse_blind(blind: &[Blind]) -> anyhow::Result<()> {
    let Some(first) = blind.first() else { return Ok(()) };
    let named: Vec<String> = blind.iter().take(NAMED).map(missed).collect();
    let more =
        if blind.len() > NAMED { format!("; and {} more", blind.len() - NAMED) } else { String::new() };
    let message = format!("the gate proved that it cannot fail: {}{more}", named.join("; "));
    let hint = match first.why {
        Missed::Regression(_) => "make the limits of these metrics tighter, or take them out of `[[gates]]`",
        Missed::Improvement => "say by `better` of `[[metrics]]` which way these metrics are better",
    };
    let failure = Failure::new(message).hint(hint);
    Err(failure.hint("`--no-self-test` compares without this proof").into())
}

fn missed(blind: &Blind) -> String {
    let (scenario, metric) = (term::printable(&blind.scenario), term::printable(&blind.metric));
    match blind.why {
        Missed::Regression(verdict) => {
            format!("`{metric}` of `{scenario}` would be {} at ten times the cost", words::verdict(verdict))
        }
        Missed::Improvement => format!("`{metric}` of `{scenario}` would regress by getting better"),
    }
}
