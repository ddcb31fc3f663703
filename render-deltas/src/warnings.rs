//! Warns if a passing result proves less than it seems to.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use indexmap::IndexSet;
use perf_cli::load::{benchmark_files, git};
use perf_cli::{file, term};
use perf_config::{Config, Date, PathPattern};
use perf_model::diagnostic::{Diagnostic, counted, named};
use perf_model::finding::FindingKind;
use perf_model::methodology;
use perf_model::metric::GateRule;
use perf_model::row::{Name, Row};
use perf_model::suggest::{nearest, suggest};
use perf_model::suite::{Definitions, Family, LeftOut, Measurement, Suite};
use perf_readers::ParseReport;
use perf_report::reasons;
use perf_report::report::grouped_findings;
use perf_report::shell::quoted;
use perf_verdict::{Comparison, MetricComparison, Obstacle, Reason, SideFinding, Sides, Verdict};

use crate::cli::CompareRequest;
use crate::data::ComparisonData;

/// Warns about rows that are not compared.
pub(crate) fn about_rows(
    config: &Config,
    data: &ComparisonData,
    sides: &Sides<'_, '_>,
) -> Vec<Diagnostic> {
    // There is a separate warning about rows of other machine types.
    let left_out = LeftOut {
        other_class: 0,
        ..sides.current.left_out
    };
    let mut warnings: Vec<Diagnostic> = left_out.diagnostics().collect();
    let left_out = sides.baseline.left_out.diagnostics();
    for diagnostic in data.baseline.diagnostics().into_iter().chain(left_out) {
        warnings.push(diagnostic.at("baseline"));
    }
    if data.no_baseline.is_none() && sides.baseline.is_empty() {
        let message = "no baseline row matches the filters";
        let places = perf_cli::load::places(&data.baseline.rows, config);
        warnings.push(Diagnostic::warning(message).hint(places));
    }
    warnings
}

/// Returns all warnings about a comparison.
pub(crate) fn collect(
    request: &CompareRequest,
    config: &Config,
    data: &ComparisonData,
    comparison: &Comparison,
    sides: &Sides<'_, '_>,
) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    for metric in &comparison.idle_gates {
        warnings.push(idle_gate(metric, config, comparison));
    }
    warnings.extend(copied(comparison));
    warnings.extend(older(comparison));
    warnings.extend(dropped(comparison));
    warnings.extend(ineffective_gates(config, comparison));
    if !request.is_rerun {
        warnings.extend(same_commit(comparison));
    }
    if !sides.paired {
        warnings.extend(measured_later(request, sides));
    }
    warnings.extend(creep(comparison));
    warnings.extend(renamed(comparison, sides));
    warnings.extend(unmatched_comparison(config, data));
    if comparison.tally().compared > 0 && !comparison.can_fail() {
        let warning =
            Diagnostic::warning("nothing here can fail: none of these rows' metrics is gated");
        warnings.push(
            warning.hint("add metrics to `[[gates]]` in the config, or set a metric's `better`"),
        );
    }
    if sides.paired {
        let mut metrics = comparison.metrics();
        if metrics.any(|metric| !metric.extra.pairs.is_empty()) {
            warnings.extend(about_pairs(sides.current));
        } else {
            warnings.push(Diagnostic::warning(
                "no rows are paired: base and head share no run index",
            ));
        }
    }
    warnings.extend(about_findings(comparison, data));
    warnings
}

/// Warns if all times and rates are identical to the baseline. This never happens in a real rerun, so the input is probably
/// an old file or a copy.
fn copied(comparison: &Comparison) -> Option<Diagnostic> {
    const ENOUGH: usize = 3;
    let mut count = 0;
    for metric in comparison.metrics() {
        if metric.metric.meaning.exact || !metric.judgement.is_compared() {
            continue;
        }
        if !is_copied(metric) {
            return None;
        }
        count += 1;
    }
    if count < ENOUGH {
        return None;
    }
    let message = format!("all {count} times and rates are identical to the baseline");
    Some(Diagnostic::warning(message).hint("run the benchmark again, and pass the new output"))
}

/// Whether the baseline's numbers are copies of the current ones, possibly with fewer samples and digits.
fn is_copied(metric: &MetricComparison) -> bool {
    let (Some(base), Some(current)) = (metric.baseline, metric.current) else {
        return false;
    };
    let mut is_copied = is_rounded(base.as_f64(), current.as_f64());
    for base in &metric.extra.base_launches {
        let mut current = metric.extra.current_launches.iter();
        is_copied &= current.any(|now| is_rounded(*base, *now));
    }
    is_copied
}

/// Whether `kept`, a number in the baseline, is `number` after rounding. The last digit may be off, because `kept` may be
/// the mean of two rounded samples.
fn is_rounded(kept: f64, number: f64) -> bool {
    const TELLING: usize = 5;
    let text = kept.to_string();
    let significant = text.trim_start_matches(['0', '.']);
    let digits = significant.bytes().filter(u8::is_ascii_digit).count();
    let decimals = text.split_once('.').map_or(0, |(_, it)| it.len());
    let last = 10_f64.powi(-i32::try_from(decimals).unwrap_or(i32::MAX));
    kept.total_cmp(&number).is_eq() || (digits >= TELLING && (kept - number).abs() <= 5.0 * last)
}

/// Warns about missing benchmarks that were probably renamed. A new benchmark is assumed to be the renamed one if both
/// names contain the same digits and are more similar to each other than to other names, and if both benchmarks have
/// the same metrics, with values within a factor of two.
fn renamed(comparison: &Comparison, sides: &Sides<'_, '_>) -> Vec<Diagnostic> {
    const MOST: usize = 100; // every old name is compared with every new one
    let mut found = Vec::new();
    for scope in &comparison.scopes {
        if scope.missing.len().max(scope.new.len()) > MOST {
            continue;
        }
        for old in &scope.missing {
            let Some(old_row) = first_row(sides.baseline, &scope.scope, old) else {
                continue;
            };
            let mut similar: Vec<&str> = Vec::new();
            for new in &scope.new {
                let has_same_digits = old.matches(is_digit).eq(new.matches(is_digit));
                if has_same_digits
                    && let Some(new_row) = first_row(sides.current, &scope.scope, new)
                    && are_near(old_row, new_row)
                {
                    similar.push(new);
                }
            }
            let Some(new) = nearest(old, similar) else {
                continue;
            };
            if nearest(new, scope.missing.iter().map(|name| &**name)) != Some(&**old) {
                continue;
            }
            let message = format!(
                "`{}` was probably renamed to `{}`",
                term::printable(old),
                term::printable(new)
            );
            let (old, new) = (quoted(old), quoted(new));
            found.push(Diagnostic::warning(message).hint(format!(
                "also rename it in the baseline: `perf-gate accept {old} --renamed-to {new}`"
            )));
        }
    }
    found
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

fn first_row<'r>(suite: &Suite<'r>, scope: &str, scenario: &Name) -> Option<&'r Row> {
    let mut measurements = suite.scope(scope)?.measurements.iter();
    let measured = measurements.find(|measured| measured.scenario == scenario)?;
    measured.rows.first().copied()
}

/// Whether two rows have the same metrics, with values within a factor of two.
fn are_near(old: &Row, new: &Row) -> bool {
    let mut both = old.metrics.iter().zip(new.metrics.iter());
    old.metrics.iter().count() == new.metrics.iter().count()
        && both.all(|((old_name, old), (new_name, new))| {
            let (old, new) = (old.as_f64(), new.as_f64());
            old_name == new_name && (old - new).abs() <= old.abs().max(new.abs()) / 2.0
        })
}

/// Warns that a gate matches no measured value, because no benchmark has the gate's metric, or none of the gate's
/// benchmarks do.
fn idle_gate(metric: &Name, config: &Config, comparison: &Comparison) -> Diagnostic {
    let gates = config.gates.iter().flatten();
    let mut gates = gates.filter(|gate| gate.metric == *metric);
    let glob = gates.find_map(|gate| gate.scenarios.as_ref()?.first());
    let metrics = comparison.metrics().map(|known| &*known.metric.name);
    let metrics: Vec<&str> = metrics.collect();
    let (why, hint);
    if let Some(glob) = glob
        && (**metric == *"*" || metrics.contains(&&**metric))
    {
        let glob = glob.as_str();
        let scenarios = comparison.scopes.iter().flat_map(|scope| &scope.scenarios);
        why = match &**metric {
            "*" => format!("no benchmark matches `{glob}`"),
            _ => format!("no benchmark that matches `{glob}` has the metric"),
        };
        hint = suggest(glob, scenarios.map(|one| &*one.scenario));
    } else {
        why = "no benchmark has this metric".to_owned();
        hint = suggest(metric, metrics);
    }
    let mut warning = Diagnostic::warning(format!("the gate on `{metric}` has no effect: {why}"));
    warning.hint = hint;
    warning
}

/// Warns about how pairs were measured, which the methodology of their rows shows.
fn about_pairs(current: &Suite<'_>) -> Vec<Diagnostic> {
    let has = |measured: &Measurement<'_>, word: &str| {
        let methodology = measured.methodology();
        methodology.is_some_and(|methodology| methodology.contains(word))
    };
    let mut all = current.measurements();
    let mut warnings = Vec::new();
    if !all.all(|one| has(one, methodology::RANDOM_ORDER)) {
        let warning = Diagnostic::warning(
            "the rows do not state that the order within each pair was random: a fixed order can make one side slower",
        );
        warnings.push(warning.hint(format!(
            "measure with `perf-gate measure pairs`, or set the methodology to `{}`",
            methodology::RANDOM_ORDER
        )));
    }
    for (word, note) in [
        (
            methodology::HARNESS_OF_CURRENT,
            "base and head ran the head's benchmark files (`[harness]`), so changes to these files are not judged",
        ),
        (
            methodology::ONE_BUILD,
            "base and head were built once each: code layout alone can make short inner loops 10 to 40% slower or faster, others about 1%",
        ),
    ] {
        if current.measurements().any(|one| has(one, word)) {
            warnings.push(Diagnostic::note(note));
        }
    }
    warnings
}

/// Warns about gates that match measured metrics, but have no effect, because no rule applies to these metrics.
fn ineffective_gates(config: &Config, comparison: &Comparison) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    for gate in config.gates.iter().flatten() {
        let has_rule = gate.rule.is_some_and(|rule| rule != GateRule::None);
        if !has_rule || comparison.idle_gates.contains(&gate.metric) {
            continue;
        }
        let name = &gate.metric;
        let mut metrics = comparison
            .metrics()
            .filter(|metric| metric.metric.name == *name);
        if let Some(first) = metrics.next()
            && let Some(why) = first.judgement.not_gated()
            && metrics.all(|metric| !metric.judgement.is_gated())
        {
            let why = reasons::not_gated(why, None);
            let message = format!("the gate on `{name}` has no effect: {why}");
            let warning = Diagnostic::warning(message);
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    }
    warnings
}

/// Notes that some benchmarks are compared with an older baseline, because the newest has no comparable value.
pub(crate) fn older(comparison: &Comparison) -> Option<Diagnostic> {
    let scenarios = comparison.scopes.iter().flat_map(|scope| &scope.scenarios);
    let count = scenarios
        .filter(|scenario| scenario.metrics.iter().any(|metric| metric.older.is_some()))
        .count();
    if count == 0 {
        return None;
    }
    let benchmarks = counted(count as u64, "benchmark");
    Some(Diagnostic::note(format!(
        "{benchmarks} compared with an older baseline: the newest has no comparable value"
    )))
}

/// Warns about process runs that are left out because their values are zero or negative.
fn dropped(comparison: &Comparison) -> Option<Diagnostic> {
    let metrics = comparison.metrics();
    let gated = metrics.filter(|metric| metric.judgement.is_gated());
    // Use the first of the metrics with the most dropped values.
    let metric = gated.min_by_key(|metric| Reverse(metric.extra.dropped))?;
    let count = metric.extra.dropped;
    if count == 0 {
        return None;
    }
    let values = counted(count as u64, "value");
    let name = term::printable(&metric.metric.name);
    let message =
        format!("{values} of `{name}` left out: zero or negative in individual process runs");
    let hint = "let each process run do more work, so that the subtracted part is small";
    Some(Diagnostic::warning(message).hint(hint))
}

/// Warns if a commit is compared with itself.
fn same_commit(comparison: &Comparison) -> Option<Diagnostic> {
    const SHORTEST: usize = 7;
    for commit in &comparison.baseline_commits {
        let is_same = comparison.current_commits.iter().any(|now| {
            let is_short = now.len().min(commit.len()) < SHORTEST;
            now == commit || !is_short && (now.starts_with(&**commit) || commit.starts_with(&**now))
        });
        // A working tree with changes differs from the commit that its rows specify.
        if !is_same || git::changed_since(commit).is_some_and(|files| !files.is_empty()) {
            continue;
        }
        let message = format!(
            "baseline and run are both from commit `{}`, compared with itself",
            git::short(commit)
        );
        let hint = "compare with a baseline of an earlier commit";
        return Some(Diagnostic::warning(message).hint(hint));
    }
    None
}

/// Notes which benchmarks became slower over the last 30 or so baselines, in steps that were too small to fail.
fn creep(comparison: &Comparison) -> Option<Diagnostic> {
    const SHOWN: usize = 3;
    const NOTABLE: f64 = 0.2;
    let mut grown: Vec<(f64, String)> = Vec::new();
    for scenario in comparison.scopes.iter().flat_map(|scope| &scope.scenarios) {
        let mut most: f64 = 0.0;
        for metric in &scenario.metrics {
            // The verdicts of these metrics already show the loss.
            let verdict = metric.judgement.verdict;
            let is_shown = matches!(verdict, Verdict::Regressed | Verdict::Inconclusive);
            if metric.judgement.is_gated() && !is_shown {
                most = most.max(metric.creep().unwrap_or_default());
            }
        }
        if most > NOTABLE {
            let name = term::printable(&scenario.scenario);
            grown.push((most, format!("`{name}` {:+.0}%", 100.0 * most)));
        }
    }
    if grown.is_empty() {
        return None;
    }
    grown.sort_by(|one, other| other.0.total_cmp(&one.0));
    let examples: Vec<String> = grown.into_iter().map(|(_, text)| text).collect();
    let message = format!(
        "slower than about 30 baselines ago: {}",
        named(&examples, SHOWN)
    );
    Some(Diagnostic::note(message))
}

/// Warns if the baseline was measured after the run, or in the future.
fn measured_later(request: &CompareRequest, sides: &Sides<'_, '_>) -> Option<Diagnostic> {
    let [now, then] = [sides.current, sides.baseline].map(|suite| {
        let rows = suite.measurements().flat_map(|one| one.rows.iter());
        rows.filter_map(|row| row.measured_at).max()
    });
    let day = Date::at(then?.try_into().unwrap_or_default());
    let is_later = if now.is_some() {
        then > now
    } else {
        day > request.today()
    };
    if !is_later {
        return None;
    }
    let message = format!("the baseline was measured on {day}, after this run");
    Some(Diagnostic::warning(message).hint("compare with an earlier baseline, or check the clocks"))
}

/// Warns if `[comparison]` matches no row.
fn unmatched_comparison(config: &Config, data: &ComparisonData) -> Option<Diagnostic> {
    let comparison = config.comparison.as_ref()?;
    let rows = data.reports().flat_map(|report| &report.rows);
    let names: IndexSet<&str> = rows.map(|row| &*row.scenario).collect();
    let is_compared = |name: &&str| matches!(config.family(name), Family::Comparison { .. });
    if names.iter().any(is_compared) {
        return None;
    }
    let mut hint = "set `pattern` to the form of the benchmark names".to_owned();
    if let Some(name) = names.iter().find(|name| name.contains('/')) {
        hint = format!("{hint}: `{name}` is `{{work}}/{{library}}`");
    }
    let pattern = &comparison.pattern;
    let message = format!("`[comparison]` matches nothing: no benchmark name matches `{pattern}`");
    Some(Diagnostic::warning(message).hint(hint))
}

/// Warns about findings of the comparison itself, and about stale results. The readers of the inputs already report all
/// other findings.
fn about_findings(comparison: &Comparison, data: &ComparisonData) -> Vec<Diagnostic> {
    let mut own: Vec<&SideFinding> = Vec::new();
    for found in &comparison.findings {
        let is_read = data.current.findings.contains(&found.finding)
            || data.baseline.findings.contains(&found.finding);
        if !is_read || found.finding.kind == FindingKind::Stale {
            own.push(found);
        }
    }
    let mut warnings = Vec::new();
    for group in grouped_findings(own) {
        let sentence = group.sentence(|name| term::in_backticks(name), term::printable);
        let mut warning = Diagnostic::warning(sentence);
        let mut places = Vec::new();
        if group.is_in_baseline {
            places.push("baseline".to_owned());
        }
        places.extend(group.line.map(|line| format!("line {line}")));
        if !places.is_empty() {
            warning = warning.at(places.join(", "));
        }
        warnings.push(warning);
    }
    warnings
}

/// Warns if a machine type's results were not compared, because another type measured the same benchmarks, or because the
/// baseline was measured on other machines.
pub(crate) fn machine_type_left_out(
    current: &Suite<'_>,
    comparison: &Comparison,
) -> Option<Diagnostic> {
    let hint =
        "compare one machine type with `--filter platform=GLOB`, or give each its own platform";
    if current.left_out.other_class > 0 {
        let rows = counted(current.left_out.other_class as u64, "row");
        let message =
            format!("several machine types measured the same benchmarks: {rows} not compared");
        return Some(Diagnostic::warning(message).hint(hint));
    }
    let mut types: HashMap<(&str, &str), &str> = HashMap::new();
    for scope in &current.scopes {
        for one in &scope.measurements {
            let machine_type = one.machine_class();
            types.extend(machine_type.map(|known| ((scope.name, &**one.scenario), known)));
        }
    }
    if types.values().collect::<BTreeSet<_>>().len() < 2 {
        return None;
    }
    // Whether any metric was compared, for each machine type.
    let mut is_compared: BTreeMap<&str, bool> = BTreeMap::new();
    for scope in &comparison.scopes {
        for scenario in &scope.scenarios {
            let Some(machine_type) = types.get(&(&*scope.scope, &*scenario.scenario)) else {
                continue;
            };
            for metric in &scenario.metrics {
                let judgement = &metric.judgement;
                let is_barred = judgement.reason == Reason::Obstacle(Obstacle::OtherMachine);
                if judgement.is_compared() || is_barred {
                    *is_compared.entry(machine_type).or_default() |= judgement.is_compared();
                }
            }
        }
    }
    let mut left_out = Vec::new();
    for (machine_type, is_compared) in is_compared {
        if !is_compared {
            left_out.push(term::in_backticks(machine_type));
        }
    }
    if left_out.is_empty() {
        return None;
    }
    let message = format!(
        "not compared because the baseline was measured on other machines: {}",
        left_out.join(", ")
    );
    let hint = "refresh the baseline on these machines, or measure base and head in one job";
    Some(Diagnostic::warning(message).hint(hint))
}

/// The locations of CODEOWNERS, in the order in which GitHub searches them.
const CODEOWNERS: [&str; 3] = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];

/// Notes which benchmark files changed since the baseline's commit, if git knows the commit. If pairs were measured,
/// marks the base's rows as measured with other benchmark files.
pub(crate) fn mark_changed_benchmark(
    config: &Config,
    baseline: &mut ParseReport,
) -> Option<Diagnostic> {
    const NAMED: usize = 5;
    let (commit, changed) = changed_since(baseline, &config.harness.paths).ok()?;
    if changed.is_empty() {
        return None;
    }
    let changed: Vec<String> = changed
        .iter()
        .map(|path| term::in_backticks(path))
        .collect();
    let files = counted(changed.len() as u64, "benchmark file");
    let message = format!(
        "{files} (`[harness]`) changed since the baseline: {}",
        named(&changed, NAMED)
    );
    if config.deltas.paired {
        let other = format!("{}{commit}", methodology::HARNESS).into();
        perf_cli::load::stamp_methodology(&mut baseline.rows, Some(&other));
    }
    Some(Diagnostic::note(message))
}

/// Lists the files in `[review] paths` that changed since the baseline's commit, with their owners. Warns if git cannot
/// show whether any did.
pub(crate) fn review(config: &Config, baseline: &ParseReport) -> Option<Diagnostic> {
    const NAMED: usize = 10;
    let (_, changed) = match changed_since(baseline, config.review()) {
        Ok(changed) => changed,
        Err(why) => {
            let message = format!("cannot tell whether the hot path (`[review]`) changed: {why}");
            let hint = if git::is_shallow() {
                "the clone is shallow: let `actions/checkout` fetch all commits with `fetch-depth: 0`, or run \
                 `git fetch --unshallow`"
            } else {
                "fetch the commit with `git fetch`, or store it in the baseline with `perf-gate baseline --commit`"
            };
            return Some(Diagnostic::warning(message).hint(hint));
        }
    };
    if changed.is_empty() {
        return None;
    }
    let root = benchmark_files::root().unwrap_or_default();
    let mut places = CODEOWNERS.iter();
    let text = places.find_map(|place| file::read_text(&root.join(place)).ok());
    let owners = text.unwrap_or_default();
    let mut files = Vec::new();
    for path in &changed {
        files.push(with_owners(path, &owners));
    }
    let message = format!(
        "review these numbers, because the hot path changed: {}",
        named(&files, NAMED)
    );
    Some(Diagnostic::note(message))
}

/// Returns the baseline's commit, and the files that changed since then and match the patterns. If these are unknown, the
/// error completes the sentence "cannot tell whether … changed:".
fn changed_since(
    baseline: &ParseReport,
    patterns: &[PathPattern],
) -> Result<(Name, Vec<String>), String> {
    // Avoid calling git, which takes longer than most comparisons.
    if patterns.is_empty() {
        return Ok((Name::from(""), Vec::new()));
    }
    let mut commits = baseline.rows.iter().map(|row| &row.commit);
    let Some(commit) = commits.find(|commit| !commit.is_empty()) else {
        return Err("the baseline does not specify a commit".to_owned());
    };
    let Some(mut changed) = git::changed_since(commit) else {
        let shown = term::printable(git::short(commit));
        return Err(format!("git does not know the baseline's commit `{shown}`"));
    };
    changed.retain(|path| patterns.iter().any(|pattern| pattern.matches(path)));
    Ok((Name::clone(commit), changed))
}

/// Formats a path with its owners. The last matching pattern in the CODEOWNERS file sets the owners.
fn with_owners(path: &str, codeowners: &str) -> String {
    let mut owners = String::new();
    for line in codeowners.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let Some(written) = words.next() else {
            continue;
        };
        let mut source = written.strip_prefix('/').unwrap_or(written).to_owned();
        // A CODEOWNERS pattern without a folder matches in every folder.
        if !written.trim_end_matches('/').contains('/') {
            source = format!("**/{source}");
        }
        if PathPattern::new(&source).is_ok_and(|pattern| pattern.matches(path)) {
            owners = words.collect::<Vec<_>>().join(" ");
        }
    }
    let shown = term::in_backticks(path);
    if owners.is_empty() {
        return shown;
    }
    format!("{shown} (owned by {})", term::in_backticks(&owners))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_matching_pattern_sets_the_owners() {
        let owners = "* @all\n*.rs @rust @core # Rust\n/src/bus/ @bus\ndocs/ @docs\n/src/free.rs\n";
        for (path, named) in [
            ("README.md", "`README.md` (owned by `@all`)"),
            ("src/a/b.rs", "`src/a/b.rs` (owned by `@rust @core`)"),
            ("src/bus/a.rs", "`src/bus/a.rs` (owned by `@bus`)"),
            ("a/docs/b.md", "`a/docs/b.md` (owned by `@docs`)"),
            ("src/free.rs", "`src/free.rs`"),
        ] {
            assert_eq!(with_owners(path, owners), named);
        }
    }
}
