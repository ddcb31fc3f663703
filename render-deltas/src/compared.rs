//! The comparison of what was read, and what people must know beside it.

use perf_cli::load::history::Snapshot;
use perf_cli::{Failure, term};
use perf_config::Config;
use perf_model::diagnostic::{Diagnostic, Severity, counted};
use perf_model::methodology;
use perf_model::metric::Direction;
use perf_model::parallel;
use perf_model::row::{Row, Value};
use perf_model::suite::{Filter, LeftOut, Measurement, Suite};
use perf_readers::ParseReport;
use perf_report::words;
use perf_verdict::rules::ungated::NotGated;
use perf_verdict::{
    Blind, Comparison, MetricComparison, Missed, Reason, Rule, ScenarioComparison, Sides, Tally, compare,
};

use crate::classes;
use crate::cli::Cli;
use crate::data::Data;

/// How many metrics a message names.
const NAMED: usize = 5;

/// A comparison, and what readers of a report should know about it.
pub(crate) struct Compared {
    pub comparison: Comparison,
    pub tally: Tally,
    pub notes: Vec<Diagnostic>,
    /// How the two sides differ in machine or methodology; empty if they do not.
    pub unlike: String,
    /// Whether there is a baseline.
    pub has_baseline: bool,
    /// Whether the run lacks what the config requires.
    pub is_incomplete: bool,
    /// Whether several classes of machines measured, and one of them was not compared.
    pub leaves_class_out: bool,
}

impl Compared {
    /// What readers of a report should know, as sentences.
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
    cli: &Cli,
    config: &Config,
    data: &Data,
    baseline: &ParseReport,
) -> anyhow::Result<Compared> {
    let filter = cli.filter.filter(cli.scope(config));
    let current = suite(&data.current.rows, config, &filter)?;
    let before = Suite::beside(&current, &baseline.rows, config, &filter);
    let runs = [&data.repeats, &data.elsewhere].map(|runs| {
        runs.iter().map(|run| suite(&run.rows, config, &filter)).collect::<anyhow::Result<Vec<_>>>()
    });
    let [repeats, elsewhere] = runs;
    let (repeats, elsewhere) = (repeats?, elsewhere?);
    let history = suites(&current, &data.history, config, &filter);
    let nothing = Diagnostic::warning("no row of the baseline has the requested platform and scope");
    let nothing = nothing.hint(perf_cli::load::places(&baseline.rows, config));
    let has_baseline = data.baseline.is_ok();
    let unmet = perf_cli::load::unmet(&data.current.rows, config);
    let of_baseline = baseline.diagnostics().into_iter().chain(before.left_out.diagnostics());
    // Rows of another class are a doubt of their own.
    let others = LeftOut { other_class: 0, ..current.left_out };
    let found: Vec<Diagnostic> = others
        .diagnostics()
        .chain(of_baseline.map(|found| found.at("baseline")))
        .chain((has_baseline && before.is_empty()).then_some(nothing))
        .chain(unmet.clone().map(Diagnostic::warning))
        .collect();
    let sides = Sides {
        current: &current,
        baseline: &before,
        history: &history,
        repeats: &repeats,
        elsewhere: &elsewhere,
        paired: cli.paired,
    };
    let comparison = compare(&sides, config, cli.policy(config));
    refuse_blind(&comparison)?;
    let tally = comparison.tally();
    // An older baseline may have been measured as this run was.
    let is_unlike =
        older(&comparison).is_none() || comparison.metrics().any(|metric| metric.judgement.is_unlike());
    let unlike = if is_unlike { unlike(&current, &before) } else { String::new() };
    let left_out = classes::left_out(&current, &comparison);
    let leaves_class_out = left_out.is_some();
    let doubts = doubts(cli, &current, &comparison, tally);
    let found: Vec<Diagnostic> = found.into_iter().chain(left_out).chain(doubts).collect();
    if !unlike.is_empty() {
        term::diagnostics(&[not_compared(&unlike)]);
    }
    term::diagnostics(&found);
    let read = data.current.diagnostics().into_iter().chain(data.found.clone());
    let notes = read.chain(found).filter(|found| found.severity > Severity::Info).collect();
    let is_incomplete = unmet.is_some();
    Ok(Compared { comparison, tally, notes, unlike, has_baseline, is_incomplete, leaves_class_out })
}

/// Those of a history. Arranging them takes as long as reading a file of rows, so two threads share it.
fn suites<'r>(
    current: &Suite<'_>,
    history: &'r [Snapshot],
    config: &'r Config,
    filter: &Filter,
) -> Vec<Suite<'r>> {
    parallel::halves(history, |snapshot| Suite::beside(current, &snapshot.rows, config, filter))
}

/// The rows that count of a run that is to have some.
fn suite<'r>(rows: &'r [Row], config: &'r Config, filter: &Filter) -> anyhow::Result<Suite<'r>> {
    let suite = Suite::new(rows, config, filter);
    if suite.is_empty() {
        let message = format!("none of the {} rows has the requested platform and scope", rows.len());
        return Err(Failure::new(message).hint(perf_cli::load::places(rows, config)).into());
    }
    Ok(suite)
}

/// That the two sides were measured on different machines or by different methods, as far as their rows say.
fn unlike(current: &Suite<'_>, before: &Suite<'_>) -> String {
    let sides = |of: fn(&Measurement<'_>) -> Option<String>| {
        let first = |suite: &Suite<'_>| suite.measurements().find_map(of);
        first(current).zip(first(before))
    };
    let machines = sides(|side| side.machine_class().map(str::to_owned)).filter(|(now, then)| now != then);
    let machines =
        machines.map(|(now, then)| format!("this run was measured on {now}, the baseline on {then}"));
    let methods = sides(|side| side.methodology().map(str::to_owned));
    let methods = methods
        .filter(|(now, then)| !methodology::is_same(now, then))
        .map(|(now, then)| format!("this run was measured as “{now}”, the baseline as “{then}”"));
    machines.into_iter().chain(methods).collect::<Vec<_>>().join("; ")
}

fn not_compared(unlike: &str) -> Diagnostic {
    Diagnostic::note(format!("{unlike}: times are not compared"))
}

/// That every time and rate is the baseline's, which no second run measures: an old file, or a copy.
fn stale(comparison: &Comparison) -> Option<Diagnostic> {
    const ENOUGH: usize = 3;
    let timed = || {
        comparison.metrics().filter(|metric| !metric.metric.meaning.exact && metric.judgement.is_compared())
    };
    // A baseline keeps some of the samples, and few of their digits.
    let is_same = |metric: &MetricComparison| {
        let launches = metric.extra.as_ref().map(|extra| (&extra.base_launches, &extra.current_launches));
        let is_kept = |base: &f64, current: &[f64]| current.iter().any(|now| is_rounded(*base, *now));
        let value = |side: Option<Value>| side.map(Value::as_f64);
        value(metric.baseline).zip(value(metric.current)).is_some_and(|(base, now)| is_rounded(base, now))
            && launches.is_none_or(|(base, current)| base.iter().all(|launch| is_kept(launch, current)))
    };
    let count = timed().count();
    (count >= ENOUGH && timed().all(is_same)).then(|| {
        let message = format!("all {count} times and rates are exactly those of the baseline");
        Diagnostic::warning(message).hint("run the benchmark again, and pass the new output")
    })
}

/// Whether a number of a baseline is another one, as far as its digits go. The last one may be that of a mean of two.
fn is_rounded(kept: f64, number: f64) -> bool {
    const TELLING: usize = 5;
    let text = kept.to_string();
    let digits = text.trim_start_matches(['0', '.']).bytes().filter(u8::is_ascii_digit).count();
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let last = 10_f64.powi(-i32::try_from(decimals).unwrap_or(i32::MAX));
    kept.total_cmp(&number).is_eq() || (digits >= TELLING && (kept - number).abs() <= 5.0 * last)
}

/// That the newest baseline does not have all that is compared.
fn older(comparison: &Comparison) -> Option<Diagnostic> {
    let is_older =
        |scenario: &&ScenarioComparison| scenario.metrics.iter().any(|metric| metric.older.is_some());
    let count = comparison.scopes.iter().flat_map(|scope| &scope.scenarios).filter(is_older).count() as u64;
    let benchmarks = if count == 1 { "benchmark is" } else { "benchmarks are" };
    (count > 0).then(|| {
        Diagnostic::note(format!(
            "{count} {benchmarks} compared with an older baseline: the newest has no comparable value"
        ))
    })
}

/// That launches without a usable number are left out.
fn dropped(comparison: &Comparison) -> Option<Diagnostic> {
    let dropped = |metric: &MetricComparison| metric.extra.as_ref().map_or(0, |extra| extra.dropped);
    let most = comparison.metrics().map(|metric| (dropped(metric), metric)).max_by_key(|(count, _)| *count);
    let (count, metric) = most.filter(|(count, _)| *count > 0)?;
    let (launches, name) = (counted(count as u64, "launch"), term::printable(&metric.metric.name));
    let message = format!("{launches} left out: `{name}` is zero or negative in single launches");
    Some(
        Diagnostic::warning(message)
            .hint("let one launch do more work, so that it outweighs what is subtracted"),
    )
}

/// What makes a green result say less than it seems to.
fn doubts(cli: &Cli, current: &Suite<'_>, comparison: &Comparison, tally: Tally) -> Vec<Diagnostic> {
    let idle = comparison.idle_gates.iter().map(|metric| {
        Diagnostic::warning(format!(
            "the gate on `{metric}` decides nothing: no row that it covers has the metric"
        ))
    });
    let mut doubts: Vec<Diagnostic> =
        idle.chain(stale(comparison)).chain(older(comparison)).chain(dropped(comparison)).collect();
    if tally.compared > 0 && !can_fail(comparison) {
        let warning = Diagnostic::warning("nothing here can fail: no metric of these rows is gated");
        doubts.push(warning.hint("name metrics in `[[gates]]` of the config, or set `better` of a metric"));
    }
    let is_paired =
        comparison.metrics().any(|metric| metric.extra.as_ref().is_some_and(|more| !more.pairs.is_empty()));
    if cli.paired && is_paired {
        doubts.extend(of_pairs(current));
    } else if cli.paired {
        doubts.push(Diagnostic::warning("no rows are paired: the two sides have no run index in common"));
    }
    doubts
}

/// What rows say of how their pairs were measured.
fn of_pairs(current: &Suite<'_>) -> Vec<Diagnostic> {
    let states = |word: &str| {
        let method = |measured: &Measurement<'_>| measured.methodology().unwrap_or_default().contains(word);
        current.measurements().map(method).collect::<Vec<bool>>()
    };
    let is_random = states(methodology::RANDOM_ORDER).into_iter().all(|is_random| is_random);
    let mut doubts = Vec::new();
    if !is_random {
        let warning = Diagnostic::warning(
            "the rows do not state that the order within each pair was random: a fixed order can make one side slower",
        );
        let hint = format!(
            "measure with `measure-perf pairs`, or state `{}` as methodology",
            methodology::RANDOM_ORDER
        );
        doubts.push(warning.hint(hint));
    }
    if states(methodology::ONE_BUILD).contains(&true) {
        doubts.push(Diagnostic::note(
            "each side was built once: a difference of about 1% can come from how the linker laid out the code",
        ));
    }
    doubts
}

fn can_fail(comparison: &Comparison) -> bool {
    comparison.metrics().any(|metric| {
        let is_gated = metric.judgement.rule != Rule::Report;
        if metric.budget.is_some() || metric.judgement.rule == Rule::Equal {
            return true;
        }
        let is_judged = !matches!(
            metric.judgement.reason,
            Reason::Tail(_) | Reason::NotGated(NotGated::UnknownDirection)
        );
        is_gated && is_judged && metric.metric.meaning.direction != Direction::Unknown
    })
}

/// A gate that lets everything pass is worse than none. Where other metrics can fail, the report names those that cannot:
/// one odd number does not keep the others from being judged.
fn refuse_blind(comparison: &Comparison) -> anyhow::Result<()> {
    let blind: Vec<&Blind> = comparison.blind.iter().filter(|blind| blind.why.is_failed_test()).collect();
    let Some(first) = blind.first().filter(|_| comparison.tested == 0) else { return Ok(()) };
    let named: Vec<String> = blind.iter().take(NAMED).filter_map(|blind| missed(blind)).collect();
    let more =
        if blind.len() > NAMED { format!("; and {} more", blind.len() - NAMED) } else { String::new() };
    let message = format!(
        "gate self-test failed: an injected 10× slowdown was not detected: {}{more}",
        named.join("; ")
    );
    let hint = match first.why {
        Missed::Improvement => "set `better` of these metrics in the config",
        _ => "set tighter limits for these metrics, or remove them from `[[gates]]`",
    };
    let failure = Failure::new(message).hint(hint);
    Err(failure.hint("`--no-self-test` skips the self-test").into())
}

fn missed(blind: &Blind) -> Option<String> {
    let (scenario, metric) = (term::printable(&blind.scenario), term::printable(&blind.metric));
    match blind.why {
        Missed::Regression(verdict) => {
            let verdict = words::verdict(verdict);
            Some(format!("`{metric}` of `{scenario}` would be {verdict} at ten times the cost"))
        }
        Missed::Improvement => Some(format!("`{metric}` of `{scenario}` would regress by getting better")),
        _ => None,
    }
}
