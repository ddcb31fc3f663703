//! What was measured, as tables for people.

use std::fmt::Write as _;

use crate::draw::Drawn;
use crate::power::{Goal, Measure, Met};
use crate::rate::{GROWTHS, Power, Rate};
use crate::replay::Replay;
use crate::runs::History;

/// A Markdown table whose columns line up.
fn table(lines: &[Vec<String>]) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        for (cell, width) in line.iter().zip(&widths) {
            let _ = write!(text, "| {cell:width$} ");
        }
        text.push_str("|\n");
        if at == 0 {
            text.extend(widths.iter().map(|width| format!("|{}", "-".repeat(width + 2))));
            text.push_str("|\n");
        }
    }
    text
}

/// A rate with its interval.
fn percent(rate: Rate) -> String {
    let (low, high) = rate.interval();
    format!("{:.1} [{:.1}–{:.1}]", rate.share() * 100.0, low * 100.0, high * 100.0)
}

fn per_mille(rate: Rate) -> String {
    let (low, high) = rate.interval();
    format!("{:.1} [{:.1}–{:.1}]", rate.share() * 1000.0, low * 1000.0, high * 1000.0)
}

/// Rules side by side: false pull requests in 1,000, and the percentage found of each growth.
pub fn rules(rules: &[(&str, &Power)]) -> String {
    let mut lines = vec![head()];
    for (name, power) in rules {
        lines.push(line(name, power, per_mille, percent));
    }
    table(&lines)
}

/// What was drawn from A/A runs, in the same columns. How sure it is depends on the pairs, not on how often they were
/// drawn, so it has no intervals.
pub fn drawn(drawn: &Drawn) -> String {
    let share = |scale: f64| move |rate: Rate| format!("{:.1}", rate.share() * scale);
    let name = format!("resampled from {} pairs", drawn.pairs);
    let text = table(&[head(), line(&name, &drawn.power, share(1000.0), share(100.0))]);
    let (metrics, pairs, distinct) = (drawn.metrics, drawn.pairs, drawn.distinct);
    format!(
        "A/A runs, metrics of rows: {metrics}; the fewest pairs of one: {pairs}, distinct ones: {distinct}\n\n{text}"
    )
}

fn head() -> Vec<String> {
    let mut head = vec!["rule".to_owned(), "false PRs in 1,000".to_owned(), "PRs".to_owned()];
    head.extend(GROWTHS.map(|growth| format!("+{:.0} % found", growth * 100.0)));
    head.push("rows".to_owned());
    head
}

fn line(
    name: &str,
    power: &Power,
    per_mille: impl Fn(Rate) -> String,
    percent: impl Fn(Rate) -> String,
) -> Vec<String> {
    let false_alarms = power.false_alarms;
    let mut line = vec![name.to_owned(), per_mille(false_alarms), false_alarms.trials.to_string()];
    line.extend(power.found.map(percent));
    line.push(power.found[0].trials.to_string());
    line
}

/// What the pull requests of a replay came to.
pub fn outcomes(history: &History, replay: &Replay) -> String {
    let mut text = format!(
        "{}: {} runs, {} pull requests: {} regressed, {} inconclusive, {} with an environment shift\n",
        history.name,
        history.runs.len(),
        replay.pull_requests(),
        replay.regressed,
        replay.inconclusive,
        replay.shifts
    );
    for (place, times) in &replay.confirmed_rows {
        let name = format!("{} ({}, {})", place.scenario, place.scope, place.metric);
        let _ = writeln!(text, "  regressed {times} times: {}", perf_cli::term::printable(&name));
    }
    text
}

/// Measured rates beside their goals.
pub fn measures(measures: &[Measure]) -> String {
    let head = ["on", "rule", "what", "measured, with 95 % interval", "trials", "goal", "met"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    lines.extend(measures.iter().map(|measure| {
        let is_false = measure.what.starts_with("false");
        let rate = if is_false { per_mille(measure.rate) + " ‰" } else { percent(measure.rate) + " %" };
        let scaled = |goal: f64| {
            if is_false { format!("{:.0} ‰", goal * 1000.0) } else { format!("{:.0} %", goal * 100.0) }
        };
        let goal = match measure.goal {
            None => String::new(),
            Some(Goal::AtMost(goal)) => format!("≤ {}", scaled(goal)),
            Some(Goal::AtLeast(goal)) => format!("≥ {}", scaled(goal)),
        };
        let met = match measure.met() {
            None => "",
            Some(Met::Surely) => "surely",
            Some(Met::Measured) => "yes",
            Some(Met::No) => "no",
        };
        let trials = measure.rate.trials.to_string();
        vec![
            measure.on.clone(),
            measure.rule.to_owned(),
            measure.what.clone(),
            rate,
            trials,
            goal,
            met.to_owned(),
        ]
    }));
    table(&lines)
}
