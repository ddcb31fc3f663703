//! Warnings about results that say less than they seem to.

use std::collections::HashSet;

use indexmap::IndexSet;
use perf_cli::load::git;
use perf_cli::term;
use perf_config::{Config, Date};
use perf_model::diagnostic::{Diagnostic, counted, named};
use perf_model::finding::FindingKind;
use perf_model::methodology;
use perf_model::metric::GateRule;
use perf_model::row::{Name, Value};
use perf_model::suggest::{nearest, suggest};
use perf_model::suite::{Definitions, Family, ScopeRows, Suite};
use perf_readers::ParseReport;
use perf_report::reasons;
use perf_report::report::grouped_findings;
use perf_report::shell::quoted;
use perf_verdict::{Comparison, MetricComparison, ScenarioComparison, SideFinding, Verdict};

use crate::cli::CompareRequest;
use crate::data::ComparisonData;

/// The warning that every time and rate is the baseline's, which no second run measures: an old file, or a copy.
fn stale(comparison: &Comparison) -> Option<Diagnostic> {
    const ENOUGH: usize = 3;
    let timed = || {
        comparison
            .metrics()
            .filter(|metric| !metric.metric.meaning.exact && metric.judgement.is_compared())
    };
    // A baseline keeps some of the samples, and few of their digits.
    let is_same = |metric: &MetricComparison| {
        let launches = metric
            .extra
            .as_ref()
            .map(|extra| (&extra.base_launches, &extra.current_launches));
        let is_kept =
            |base: &f64, current: &[f64]| current.iter().any(|now| is_rounded(*base, *now));
        let value = |side: Option<Value>| side.map(Value::as_f64);
        value(metric.baseline)
            .zip(value(metric.current))
            .is_some_and(|(base, now)| is_rounded(base, now))
            && launches
                .is_none_or(|(base, current)| base.iter().all(|launch| is_kept(launch, current)))
    };
    let count = timed().count();
    (count >= ENOUGH && timed().all(is_same)).then(|| {
        let message = format!("all {count} times and rates are exactly those of the baseline");
        Diagnostic::warning(message).hint("run the benchmark again, and pass the new output")
    })
}

/// True if a number of a baseline is another one, rounded. Its last digit may be that of a mean of two.
fn is_rounded(kept: f64, number: f64) -> bool {
    const TELLING: usize = 5;
    let text = kept.to_string();
    let digits = text
        .trim_start_matches(['0', '.'])
        .bytes()
        .filter(u8::is_ascii_digit)
        .count();
    let decimals = text
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    let last = 10_f64.powi(-i32::try_from(decimals).unwrap_or(i32::MAX));
    kept.total_cmp(&number).is_eq() || (digits >= TELLING && (kept - number).abs() <= 5.0 * last)
}

/// The warnings about a comparison: reasons for which a green result says less than it seems to.
pub(crate) fn of(
    request: &CompareRequest,
    config: &Config,
    data: &ComparisonData,
    comparison: &Comparison,
    [current, before]: [&Suite<'_>; 2],
) -> Vec<Diagnostic> {
    let idle = comparison
        .idle_gates
        .iter()
        .map(|metric| idle_gate(metric, config, comparison));
    let mut warnings: Vec<Diagnostic> = idle
        .chain(stale(comparison))
        .chain(older(comparison))
        .chain(dropped(comparison))
        .collect();
    warnings.extend(ungated(config, comparison));
    if !request.is_rerun {
        warnings.extend(same_commit(comparison));
    }
    warnings.extend(later(request, [current, before]));
    warnings.extend(history_dates(request, data, [current, before]));
    warnings.extend(creep(comparison));
    warnings.extend(renamed(comparison, [current, before]));
    warnings.extend(unmatched(config, data));
    if comparison.tally().compared > 0 && !comparison.can_fail() {
        let warning =
            Diagnostic::warning("nothing here can fail: no metric of these rows is gated");
        warnings.push(
            warning.hint("name metrics in `[[gates]]` of the config, or set `better` of a metric"),
        );
    }
    let is_paired = comparison.metrics().any(|metric| {
        metric
            .extra
            .as_ref()
            .is_some_and(|more| !more.pairs.is_empty())
    });
    if request.paired && is_paired {
        warnings.extend(of_pairs(current, request.pairs.is_some()));
    } else if request.paired {
        warnings.push(Diagnostic::warning(
            "no rows are paired: the two sides have no run index in common",
        ));
    }
    warnings
}

/// The warnings that a missing benchmark is probably a new one under its old name: both have the same digits, the same metrics
/// with values that differ by less than a factor of two, and each is the one of the other side with the nearest name.
fn renamed(comparison: &Comparison, sides: [&Suite<'_>; 2]) -> Vec<Diagnostic> {
    const MOST: usize = 100; // each name is compared with each
    let mut found = Vec::new();
    let few = comparison
        .scopes
        .iter()
        .filter(|scope| scope.missing.len().max(scope.new.len()) <= MOST);
    for scope in few {
        let [now, before] = sides.map(|suite| suite.scope(&scope.scope));
        let metrics = |side: Option<&ScopeRows<'_>>, name: &Name| {
            let measured = side?
                .measurements
                .iter()
                .find(|measured| measured.scenario == name)?;
            let first = measured.rows.first()?;
            Some(
                first
                    .metrics
                    .iter()
                    .map(|(name, value)| (Name::clone(name), value.as_f64()))
                    .collect::<Vec<_>>(),
            )
        };
        let digits = |name: &str| -> String { name.chars().filter(char::is_ascii_digit).collect() };
        let is_like = |old: &Name, new: &Name| {
            let Some((old_values, new_values)) = metrics(before, old).zip(metrics(now, new)) else {
                return false;
            };
            let mut values = old_values.iter().zip(&new_values);
            let is_near = |((old_name, old), (new_name, new)): (&(_, f64), &(_, f64))| {
                old_name == new_name && (old - new).abs() <= old.abs().max(new.abs()) / 2.0
            };
            digits(old) == digits(new)
                && old_values.len() == new_values.len()
                && values.all(is_near)
        };
        for old in &scope.missing {
            let like = scope
                .new
                .iter()
                .filter(|new| is_like(old, new))
                .map(|new| &**new);
            let new = nearest(old, like.collect::<Vec<_>>());
            let is_mutual =
                |new: &&str| nearest(new, scope.missing.iter().map(|name| &**name)) == Some(&**old);
            let Some(new) = new.filter(is_mutual) else {
                continue;
            };
            let [shown, shown_new] = [old, new].map(term::printable);
            let warning =
                Diagnostic::warning(format!("`{shown}` was probably renamed to `{shown_new}`"));
            let command = format!(
                "perf-gate accept {} --renamed-to {}",
                quoted(old),
                quoted(new)
            );
            found.push(warning.hint(format!("rename it in the baseline, too: `{command}`")));
        }
    }
    found
}

/// The warning that a gate covers no measured value: no benchmark has its metric, or none of those that it names.
fn idle_gate(metric: &Name, config: &Config, comparison: &Comparison) -> Diagnostic {
    let metrics = || comparison.metrics().map(|known| &*known.metric.name);
    let mut gates = config
        .gates
        .iter()
        .flatten()
        .filter(|gate| gate.metric == *metric);
    let named = gates.find_map(|gate| gate.scenarios.as_ref()?.first());
    let (why, hint) = match named.filter(|_| metrics().any(|known| *known == **metric)) {
        Some(glob) => {
            let scenarios = comparison.scopes.iter().flat_map(|scope| &scope.scenarios);
            let hint = suggest(glob.as_str(), scenarios.map(|one| &*one.scenario));
            (
                format!("no benchmark like `{}` has the metric", glob.as_str()),
                hint,
            )
        }
        None => (
            "no row that it covers has the metric".to_owned(),
            suggest(metric, metrics()),
        ),
    };
    let warning = Diagnostic::warning(format!("the gate on `{metric}` decides nothing: {why}"));
    match hint {
        Some(hint) => warning.hint(hint),
        None => warning,
    }
}

/// The warnings about how pairs were measured, by the methodology of their rows.
fn of_pairs(current: &Suite<'_>, are_some: bool) -> Vec<Diagnostic> {
    let states = |word: &str| {
        let methods = current
            .measurements()
            .map(|measured| measured.methodology().unwrap_or_default());
        // Rows that are no pairs say nothing about pairs.
        let of_pairs =
            methods.filter(|method| !are_some || method.contains(methodology::RANDOM_ORDER));
        of_pairs
            .map(|method| method.contains(word))
            .collect::<Vec<bool>>()
    };
    let is_random = states(methodology::RANDOM_ORDER)
        .into_iter()
        .all(|is_random| is_random);
    let mut warnings = Vec::new();
    if !is_random {
        let warning = Diagnostic::warning(
            "the rows do not state that the order within each pair was random: a fixed order can make one side slower",
        );
        let hint = format!(
            "measure with `perf-gate measure pairs`, or state `{}` as methodology",
            methodology::RANDOM_ORDER
        );
        warnings.push(warning.hint(hint));
    }
    if states(methodology::HARNESS_OF_CURRENT).contains(&true) {
        warnings.push(Diagnostic::note(
            "both sides ran the benchmark of the current one (`[harness]`), so that changes of it are not judged",
        ));
    }
    let long = states(methodology::CPU_OF_ITERATIONS)
        .into_iter()
        .filter(|is_long| *is_long)
        .count();
    if long > 0 {
        warnings.push(Diagnostic::note(format!(
            "{} with operations of more than 4 ms: launched alone with two numbers of iterations, and judged by the processor \
             time of the difference where they only compute",
            counted(long as u64, "benchmark")
        )));
    }
    if states(methodology::ONE_BUILD).contains(&true) {
        warnings.push(Diagnostic::note(
            "each side was built once: the layout of the code alone can make short inner loops 10 to 30% slower or faster, others by about 1%",
        ));
    }
    warnings
}

/// Gates whose metric was measured, and that no rule is for nevertheless.
fn ungated(config: &Config, comparison: &Comparison) -> Vec<Diagnostic> {
    let gates = config.gates.iter().flatten();
    let with_rule = gates.filter(|gate| gate.rule.is_some_and(|rule| rule != GateRule::None));
    let mut names: IndexSet<&Name> = with_rule.map(|gate| &gate.metric).collect();
    names.retain(|name| !comparison.idle_gates.contains(name));
    let doubt = |name: &&Name| {
        let mut all = comparison
            .metrics()
            .filter(|metric| metric.metric.name == **name)
            .peekable();
        let why = all.peek()?.judgement.not_gated()?;
        let message = format!(
            "the gate on `{name}` decides nothing: {}",
            reasons::not_gated(why, None)
        );
        all.all(|metric| !metric.judgement.is_gated())
            .then(|| Diagnostic::warning(message))
    };
    names.iter().filter_map(doubt).collect()
}

/// The note that the newest baseline does not have all that is compared.
pub(crate) fn older(comparison: &Comparison) -> Option<Diagnostic> {
    let is_older = |scenario: &&ScenarioComparison| {
        scenario.metrics.iter().any(|metric| metric.older.is_some())
    };
    let count = comparison
        .scopes
        .iter()
        .flat_map(|scope| &scope.scenarios)
        .filter(is_older)
        .count() as u64;
    let benchmarks = if count == 1 {
        "benchmark is"
    } else {
        "benchmarks are"
    };
    (count > 0).then(|| {
        Diagnostic::note(format!(
            "{count} {benchmarks} compared with an older baseline: the newest has no comparable value"
        ))
    })
}

/// The warning that launches without a usable number are left out.
fn dropped(comparison: &Comparison) -> Option<Diagnostic> {
    let dropped =
        |metric: &MetricComparison| metric.extra.as_ref().map_or(0, |extra| extra.dropped);
    let gated = comparison
        .metrics()
        .filter(|metric| metric.judgement.is_gated());
    let (count, metric) = gated
        .map(|metric| (dropped(metric), metric))
        .max_by_key(|(count, _)| *count)
        .filter(|(count, _)| *count > 0)?;
    let (values, name) = (
        counted(count as u64, "value"),
        term::printable(&metric.metric.name),
    );
    let message = format!("{values} of `{name}` left out: zero or negative in single launches");
    Some(
        Diagnostic::warning(message)
            .hint("let one launch do more work, so that it outweighs what is subtracted"),
    )
}

/// The warning that the run is compared with itself.
fn same_commit(comparison: &Comparison) -> Option<Diagnostic> {
    const SHORTEST: usize = 7;
    let is_same = |one: &str, other: &str| {
        let (short, long) = if one.len() < other.len() {
            (one, other)
        } else {
            (other, one)
        };
        short == long || (short.len() >= SHORTEST && long.starts_with(short))
    };
    // A work tree with changes is not the commit that its rows name.
    let is_changed =
        |commit: &str| git::changed_since(commit).is_some_and(|files| !files.is_empty());
    let measured = |commit: &&String| {
        comparison
            .current_commits
            .iter()
            .any(|now| is_same(commit, now))
            && !is_changed(commit)
    };
    comparison.baseline_commits.iter().find(measured).map(|commit| {
        let message = format!(
            "the baseline is of commit `{}`, which this run measured: it is compared with itself",
            git::short(commit)
        );
        Diagnostic::warning(message).hint("compare with a baseline of an earlier commit")
    })
}

/// The newest date of a suite's rows.
fn newest(suite: &Suite<'_>) -> Option<i64> {
    suite
        .measurements()
        .flat_map(|one| one.rows.iter())
        .filter_map(|row| row.measured_at)
        .max()
}

/// The warnings that the history is newer than the baseline, or than the run itself.
fn history_dates(
    request: &CompareRequest,
    data: &ComparisonData,
    [current, before]: [&Suite<'_>; 2],
) -> Vec<Diagnostic> {
    const DAY: i64 = 24 * 60 * 60;
    let rows = data.history.iter().flat_map(|snapshot| &snapshot.rows);
    let measured: HashSet<&str> = current
        .measurements()
        .map(perf_model::suite::Measurement::commit)
        .collect();
    let others = rows.filter(|row| row.commit.is_empty() || !measured.contains(&*row.commit));
    let Some(last) = others.filter_map(|row| row.measured_at).max() else {
        return Vec::new();
    };
    let day = |seconds: i64| Date::at(seconds.try_into().unwrap_or_default());
    let mut found = Vec::new();
    if let Some(base) = newest(before).filter(|base| last - base >= DAY) {
        let message = format!(
            "the baseline was measured on {}, but the history contains newer values, up to {}",
            day(base),
            day(last)
        );
        found.push(Diagnostic::warning(message).hint("refresh the baseline, or check its file"));
    }
    let is_after_run = match newest(current) {
        Some(now) => last > now,
        None => day(last) > request.today(),
    };
    if is_after_run {
        let message = format!("the history ends on {}, after this run", day(last));
        found
            .push(Diagnostic::warning(message).hint("use an earlier history, or check the clocks"));
    }
    found
}

/// The note that benchmarks became slower in steps too small to fail, from their levels now and up to 30 baselines ago.
fn creep(comparison: &Comparison) -> Option<Diagnostic> {
    const NAMED: usize = 3;
    const NOTABLE: f64 = 0.2;
    let mut grown: Vec<(f64, String)> = Vec::new();
    for scenario in comparison.scopes.iter().flat_map(|scope| &scope.scenarios) {
        let gated = scenario
            .metrics
            .iter()
            .filter(|metric| metric.judgement.is_gated() && !is_open(metric));
        let growths = gated.filter_map(MetricComparison::creep);
        let Some(most) = growths.max_by(f64::total_cmp) else {
            continue;
        };
        if most > NOTABLE {
            let name = term::printable(&scenario.scenario);
            grown.push((most, format!("`{name}` {:+.0}%", 100.0 * most)));
        }
    }
    if grown.is_empty() {
        return None;
    }
    grown.sort_by(|a, b| b.0.total_cmp(&a.0));
    let examples: Vec<String> = grown.into_iter().map(|(_, text)| text).collect();
    let message = format!(
        "slower than about 30 baselines ago: {}",
        named(&examples, NAMED)
    );
    let note = Diagnostic::note(message);
    Some(note)
}

/// True if the verdict shows the loss already.
fn is_open(metric: &MetricComparison) -> bool {
    matches!(
        metric.judgement.verdict,
        Verdict::Regressed | Verdict::Inconclusive
    )
}

/// The warning that the baseline was measured after the run.
fn later(request: &CompareRequest, [current, before]: [&Suite<'_>; 2]) -> Option<Diagnostic> {
    let day = |seconds: i64| Date::at(seconds.try_into().unwrap_or_default());
    let then = newest(before).filter(|_| !request.paired)?;
    let is_later = match newest(current) {
        Some(now) => then > now,
        None => day(then) > request.today(),
    };
    is_later.then(|| {
        let message = format!("the baseline was measured on {}, after this run", day(then));
        Diagnostic::warning(message).hint("compare with an earlier baseline, or check the clocks")
    })
}

/// Names of the comparison that match nothing in any row.
fn unmatched(config: &Config, data: &ComparisonData) -> Vec<Diagnostic> {
    let Some(comparison) = &config.comparison else {
        return Vec::new();
    };
    let names: IndexSet<&str> = data
        .reports()
        .flat_map(|report| &report.rows)
        .map(|row| &*row.scenario)
        .collect();
    let families = names.iter().filter_map(|name| match config.family(name) {
        Family::Comparison { technology, work } => Some((technology, work)),
        Family::Own => None,
    });
    let (libraries, works): (HashSet<&str>, HashSet<&str>) = families.unzip();
    if libraries.is_empty() {
        let pattern = comparison.pattern();
        let message =
            format!("`[comparison]` matches nothing: no benchmark is called like `{pattern}`");
        let example = names.iter().find(|name| name.contains('/'));
        let example = example.map_or_else(String::new, |name| {
            format!(": `{name}` is `{{work}}/{{library}}`")
        });
        return vec![Diagnostic::warning(message).hint(format!(
            "say in `pattern` how benchmarks are named{example}"
        ))];
    }
    let keys = comparison.technologies.keys().map(|key| (key, &libraries));
    let keys = keys.chain(comparison.scenarios.keys().map(|key| (key, &works)));
    let absent: Vec<String> = keys
        .filter(|(key, seen)| !seen.contains(&***key))
        .map(|(key, _)| format!("`{key}`"))
        .collect();
    let message = format!(
        "`[comparison]` names what no benchmark has: {}",
        absent.join(", ")
    );
    if absent.is_empty() {
        Vec::new()
    } else {
        vec![Diagnostic::note(message)]
    }
}

/// Warnings for findings that the comparison itself made. Readers report their own findings among their diagnostics.
pub(crate) fn of_findings(comparison: &Comparison, read: [&ParseReport; 2]) -> Vec<Diagnostic> {
    let mut own: Vec<&SideFinding> = Vec::new();
    for found in &comparison.findings {
        let is_of_reader = read
            .iter()
            .any(|report| report.findings.contains(&found.finding));
        if !is_of_reader || found.finding.kind == FindingKind::Stale {
            own.push(found);
        }
    }
    let mut warnings = Vec::new();
    for group in grouped_findings(own) {
        let name = |name: &Name| format!("`{}`", term::printable(name));
        let text = group.sentence(name, term::printable);
        let side = group.is_in_baseline.then(|| "baseline".to_owned());
        let line = group.line.map(|line| format!("line {line}"));
        let places: Vec<String> = side.into_iter().chain(line).collect();
        let warning = Diagnostic::warning(text);
        warnings.push(if places.is_empty() {
            warning
        } else {
            warning.at(places.join(", "))
        });
    }
    warnings
}
