//! Formats the answer of `perf-gate why`.

use std::fmt::Write;

use super::profile::{CAUSES, Cause, Comparison, Function, Profile, Reason, Role, Unit, short};
use perf_cli::load::git;
use serde_json::{Value, json};

use super::recorded::Recorded;

/// The maximum number of names in a list.
const NAMED: usize = 3;
/// The maximum number of functions in a profile's table.
const ROWS: usize = 15;
/// The smallest ratio that is shown as a factor instead of a percentage.
const TIMES: f64 = 1.95;
/// If the instructions of base and head differ by at most this share, both do the same work: hash seeds and addresses cause
/// small differences.
const SAME_WORK: f64 = 0.005;
/// The answer if base and head do the same work.
const SAME_INSTRUCTIONS: &str = "base and head execute the same number of instructions: a time difference comes from code \
     layout, memory access or branches";
/// A profile must show at least this share of the measured change. Both changes are logarithms of ratios.
const EXPLAINED: f64 = 0.1;
/// The smallest regression that the action finds by default, as the logarithm of a ratio.
#[cfg(feature = "github")]
const REGRESSION: f64 = 0.02;

/// The title of a flame graph.
pub fn title(recorded: &Recorded) -> String {
    match &recorded.base_commit {
        Some(commit) => format!("{} against {}", recorded.benchmark, git::short(commit)),
        None => recorded.benchmark.clone(),
    }
}

/// Formats the answer in at most five lines: causes, new and removed functions, and the total change. If there is no base,
/// formats a table of functions.
pub fn answer(recorded: &Recorded) -> String {
    let Some(comparison) = &recorded.comparison else {
        return function_table(&recorded.current);
    };
    let mut lines = match &recorded.no_answer {
        Some(reason) => vec![format!("no answer: {reason}")],
        None => causes(comparison),
    };
    if lines.is_empty() {
        lines.push(SAME_INSTRUCTIONS.to_owned());
    }
    lines.extend(new_and_gone(comparison));
    lines.push(total_change(recorded, comparison));
    lines.join("\n") + "\n"
}

/// At most three causes, one sentence each.
pub fn causes(comparison: &Comparison) -> Vec<String> {
    let causes = comparison.causes.iter().take(CAUSES);
    causes
        .map(|cause| describe_cause(cause, comparison))
        .collect()
}

/// The causes of a regression. If the instructions did not increase, returns a sentence that says so. Empty if the profiles
/// don't explain the regression.
#[cfg(feature = "github")]
pub fn causes_of_growth(comparison: &Comparison, profiler: &str) -> Vec<String> {
    let [base, current] = comparison.totals;
    if comparison.unit == Unit::Instructions && current <= base {
        return vec![
            "no more instructions than before: a time difference comes from code layout, memory access or branches"
                .to_owned(),
        ];
    }
    if no_answer(comparison, Some(REGRESSION), profiler).is_some() {
        return Vec::new();
    }
    causes(comparison)
}

/// Whether the profiles show a cause, or show that base and head do the same work. If some functions changed, an unchanged
/// function isn't accepted as a cause: a compiler may have inlined a changed function into it.
pub fn says_something(comparison: &Comparison) -> bool {
    let [base, current] = comparison.totals;
    let is_alike = (current / base - 1.0).abs() <= SAME_WORK;
    if is_alike && comparison.unit == Unit::Instructions {
        return true;
    }
    match comparison.causes.first() {
        Some(first) => first.role == Role::Changed || comparison.changed.is_empty(),
        None => false,
    }
}

/// Returns the reason if the profiles don't explain the change. `measured` is the change of the time without the profiler,
/// if it is clear, as the logarithm of a ratio.
pub fn no_answer(comparison: &Comparison, measured: Option<f64>, profiler: &str) -> Option<String> {
    let [base, current] = comparison.totals;
    if !says_something(comparison) {
        return Some(nothing_stands_out(comparison));
    }
    let unit = comparison.unit;
    let Some(change) = measured else {
        // Counts are exact, but the difference of two samples or times may be noise.
        let noise =
            format!("without {profiler}, the times show no clear change within the time limit");
        return (unit != Unit::Instructions).then_some(noise);
    };
    let shown = (current / base).ln();
    let is_explained = match unit {
        // A share can also grow because the rest became faster.
        Unit::Samples => change > 0.0,
        _ => shown / change >= EXPLAINED,
    };
    if is_explained {
        return None;
    }
    let word = if change > 0.0 { "slower" } else { "faster" };
    let profile = match unit {
        Unit::Samples => "other functions' shares grew".to_owned(),
        _ => format!("its profile shows {}", percent(shown.exp())),
    };
    let cause = match unit {
        Unit::Instructions => {
            "the cause is code layout, memory access, branches or waiting".to_owned()
        }
        _ => format!("{profiler} misses waiting and slows down short calls"),
    };
    let change = percent(change.exp());
    let amount = change.trim_start_matches(['+', '−']);
    Some(format!(
        "the benchmark is {amount} {word}, but {profile}: {cause}"
    ))
}

/// Says that no function explains the change, and lists the changed functions.
fn nothing_stands_out(comparison: &Comparison) -> String {
    let [base, current] = comparison.totals;
    let mut changed = Vec::new();
    for (name, costs) in comparison.changed.iter().take(NAMED) {
        changed.push(format!(
            "`{}` ({:.1}% → {:.1}% of the total)",
            short(name),
            100.0 * costs[0] / base,
            100.0 * costs[1] / current
        ));
    }
    let none = "no function stands out".to_owned();
    if changed.is_empty() {
        none
    } else {
        format!("{none}; changed here: {}", changed.join(", "))
    }
}

fn describe_cause(cause: &Cause, comparison: &Comparison) -> String {
    let plus = if cause.change < 0.0 { "" } else { "+" };
    let change = comparison.unit.format(cause.change);
    let mut sentence = format!("`{}` {plus}{change}", short(&cause.function));
    if comparison.unit != Unit::Samples {
        let [base, current] = comparison.totals;
        let word = if current >= base {
            "growth"
        } else {
            "decrease"
        };
        let _ = write!(sentence, " ({:.0}% of the {word})", 100.0 * cause.share);
    }
    let _ = write!(sentence, ": {}", describe_reason(cause));
    if let Some(caller) = &cause.caller
        && !matches!(cause.reason, Reason::Within(_))
    {
        let _ = write!(sentence, ", called by `{}`", short(caller));
    }
    if cause.role == Role::Changed {
        sentence.push_str("; changed here");
    }
    sentence
}

fn describe_reason(cause: &Cause) -> String {
    let each = match cause.calls {
        [Some(_), Some(_)] => " in each call",
        _ => "",
    };
    match &cause.reason {
        Reason::Own(ratio) if !ratio.is_finite() => "its own code".to_owned(),
        Reason::Own(ratio) if *ratio >= TIMES => {
            format!("its own code costs {ratio:.1}× as much{each}")
        }
        Reason::Own(ratio) => format!("its own code costs {}{each}", percent(*ratio)),
        Reason::Calls(callee, ratio) if *ratio >= TIMES => {
            format!("calls `{}` {ratio:.1}× as often", short(callee))
        }
        Reason::Calls(callee, ratio) => {
            let word = if *ratio >= 1.0 { "more" } else { "less" };
            let change = 100.0 * (ratio - 1.0).abs();
            format!("calls `{}` {change:.0}% {word} often", short(callee))
        }
        Reason::NowCalls(callee) => format!("now calls `{}`", short(callee)),
        Reason::NoLongerCalls(callee) => format!("no longer calls `{}`", short(callee)),
        Reason::Within(callee) => format!("most of it in `{}`", short(callee)),
    }
}

fn percent(ratio: f64) -> String {
    format!("{:+.0}%", 100.0 * (ratio - 1.0)).replace('-', "−")
}

/// Lists functions that exist only in the head or only in the base.
fn new_and_gone(comparison: &Comparison) -> Option<String> {
    let mut parts = Vec::new();
    for (word, functions) in [("new", &comparison.new), ("gone", &comparison.gone)] {
        let first: Vec<String> = functions
            .iter()
            .take(NAMED)
            .map(|(name, _)| format!("`{}`", short(name)))
            .collect();
        if !first.is_empty() {
            parts.push(format!("{word}: {}", first.join(", ")));
        }
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn total_change(recorded: &Recorded, comparison: &Comparison) -> String {
    let [base, current] = comparison.totals;
    let unit = comparison.unit;
    let mut line = format!("{}: ", recorded.benchmark);
    if unit == Unit::Samples {
        line += "shares of the total";
    } else {
        let [before, after] = [base, current].map(|cost| unit.format(cost));
        let each = if recorded.is_each {
            " per iteration"
        } else {
            ""
        };
        let _ = write!(line, "{before} → {after}{each}");
        let percentage = 100.0 * (current / base - 1.0);
        if percentage.is_finite() {
            let _ = write!(line, " ({percentage:+.1}%)");
        }
    }
    let commit = recorded.base_commit.as_deref().unwrap_or_default();
    let _ = write!(
        line,
        " against {}, by {}",
        git::short(commit),
        recorded.profiler.name()
    );
    if let [Some(base), Some(current)] = comparison.samples {
        let _ = write!(line, ", {base} and {current} samples");
    }
    line
}

/// Formats the functions of a profile as a table, sorted by their own cost.
fn function_table(profile: &Profile) -> String {
    let total = profile.total();
    let mut text = "    own   total  function\n".to_owned();
    for function in sorted_functions(profile).into_iter().take(ROWS) {
        let shares = [function.own, function.inclusive.min(total)];
        let [own, inclusive] = shares.map(|cost| 100.0 * cost / total);
        let name = short(&function.name);
        let _ = writeln!(text, "{own:>6.1}% {inclusive:>6.1}%  {name}");
    }
    match profile.samples {
        Some(samples) => text + &format!("\n{samples} samples\n"),
        None => text + &format!("\n{} in total\n", profile.unit.format(total)),
    }
}

fn sorted_functions(profile: &Profile) -> Vec<&Function> {
    let mut functions: Vec<&Function> = profile.functions.iter().collect();
    functions.retain(|function| function.own > 0.0);
    functions.sort_by(|a, b| b.own.total_cmp(&a.own));
    functions
}

/// Formats the answer as JSON: the comparison, or all functions of a single profile.
pub fn json(recorded: &Recorded) -> anyhow::Result<Value> {
    let profile = &recorded.current;
    let mut json = if let Some(comparison) = &recorded.comparison {
        serde_json::to_value(comparison)?
    } else {
        json!({
            "unit": profile.unit, "total": profile.total(), "samples": profile.samples,
            "functions": sorted_functions(profile),
        })
    };
    json["benchmark"] = recorded.benchmark.clone().into();
    json["noAnswer"] = recorded.no_answer.clone().into();
    json["base"] = recorded.base_commit.clone().into();
    Ok(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(unit: Unit, totals: [f64; 2]) -> Comparison {
        let cause = Cause {
            function: "parse".to_owned(),
            file: None,
            lines: None,
            role: Role::Own,
            change: totals[1] - totals[0],
            share: 1.0,
            inclusive: totals,
            calls: [None; 2],
            reason: Reason::Own(2.0),
            caller: None,
        };
        Comparison {
            unit,
            totals,
            samples: [None; 2],
            causes: vec![cause],
            changed: Vec::new(),
            new: Vec::new(),
            gone: Vec::new(),
        }
    }

    fn reason_without_answer(
        unit: Unit,
        totals: [f64; 2],
        measured: Option<f64>,
    ) -> Option<String> {
        let comparison = comparison(unit, totals);
        no_answer(&comparison, measured.map(f64::ln), "cProfile")
    }

    #[test]
    fn unchanged_function_is_no_answer_if_others_changed() {
        let mut comparison = comparison(Unit::Instructions, [100.0, 150.0]);
        comparison.changed = vec![("split".to_owned(), [10.0, 12.0])];
        let reason = no_answer(&comparison, None, "callgrind");
        let expected = "no function stands out; changed here: `split` (10.0% → 8.0% of the total)";
        assert_eq!(reason.as_deref(), Some(expected));
        comparison.causes[0].role = Role::Changed;
        assert_eq!(no_answer(&comparison, None, "callgrind"), None);
    }

    #[cfg(feature = "github")]
    #[test]
    fn action_shows_no_causes_if_the_profile_shows_no_growth() {
        for (unit, current, count) in [
            (Unit::Nanoseconds, 150.0, 1),
            (Unit::Nanoseconds, 100.1, 0),
            (Unit::Nanoseconds, 90.0, 0),
            (Unit::Instructions, 150.0, 1),
            (Unit::Instructions, 100.1, 0),
        ] {
            let comparison = comparison(unit, [100.0, current]);
            let causes = causes_of_growth(&comparison, "cProfile");
            assert_eq!(causes.len(), count, "{current}");
        }
        let mut inlined = comparison(Unit::Instructions, [100.0, 150.0]);
        inlined.changed = vec![("split".to_owned(), [10.0, 12.0])];
        assert!(causes_of_growth(&inlined, "callgrind").is_empty());
    }

    #[test]
    fn answer_needs_a_profile_that_agrees_with_measured_times() {
        let answered = [
            (Unit::Nanoseconds, [100.0, 150.0], Some(1.4)),
            (Unit::Nanoseconds, [100.0, 60.0], Some(0.5)),
            (Unit::Instructions, [100.0, 150.0], None),
            (Unit::Instructions, [100.0, 100.1], None),
            (Unit::Samples, [1.0, 1.0], Some(1.4)),
        ];
        for (unit, totals, measured) in answered {
            assert_eq!(reason_without_answer(unit, totals, measured), None);
        }
        let unanswered = [
            (
                (Unit::Nanoseconds, [100.0, 62.0], Some(2.21)),
                "the benchmark is 121% slower, but its profile shows −38%: cProfile misses waiting and slows down short calls",
            ),
            (
                (Unit::Nanoseconds, [100.0, 102.0], Some(1.3)),
                "the benchmark is 30% slower, but its profile shows +2%: cProfile misses waiting and slows down short calls",
            ),
            (
                (Unit::Instructions, [100.0, 100.0], Some(1.3)),
                "the benchmark is 30% slower, but its profile shows +0%: the cause is code layout, memory access, branches or waiting",
            ),
            (
                (Unit::Samples, [1.0, 1.0], Some(0.7)),
                "the benchmark is 30% faster, but other functions' shares grew: cProfile misses waiting and slows down short calls",
            ),
            (
                (Unit::Nanoseconds, [100.0, 150.0], None),
                "without cProfile, the times show no clear change within the time limit",
            ),
        ];
        for ((unit, totals, measured), expected) in unanswered {
            let reason = reason_without_answer(unit, totals, measured);
            assert_eq!(reason.as_deref(), Some(expected));
        }
    }
}
