//! The rates as tables for the terminal, at most 100 columns wide.

use std::fmt::Write as _;

use perf_cli::term::printable;

use crate::conclude::{Conclusion, Confirm};
use crate::draw::Drawn;
use crate::levels::SHARED;
use crate::plan::{GateWorkflow, NumberPlace};
use crate::power::{Measure, Met, RateBound};
use crate::rate::{Estimate, GROWTHS, Record};
use crate::replay::{Flag, Replay, WorkflowVerdict};
use crate::runs::RunHistory;

/// The growths in tables. The JSON contains all of [`GROWTHS`].
const SHOWN: [f64; 5] = [0.1, 0.2, 0.33, 0.5, 1.0];

/// The maximum number of flagged rows to list per kind. The JSON contains all.
const LISTED: usize = 10;

/// The maximum width of a line, in characters.
const WIDTH: usize = 100;

/// Aligns columns: the first to the left, the others to the right.
fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let length =
        |line: &Vec<String>, column: usize| line.get(column).map_or(0, |cell| cell.chars().count());
    let width = |column: usize| {
        lines
            .iter()
            .map(|line| length(line, column))
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let cells = line
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(at, (cell, width))| match at {
                0 => format!("{cell:width$}"),
                _ => format!("  {cell:>width$}"),
            });
        let _ = writeln!(text, "{}", cells.collect::<String>().trim_end());
    }
    text
}

/// A share on a scale, with one decimal if it is small.
fn number(share: f64, scale: f64) -> String {
    let number = share * scale;
    if number < 9.95 && number > 0.0 {
        format!("{number:.1}")
    } else {
        format!("{number:.0}")
    }
}

fn ends(estimate: &Estimate, scale: f64) -> String {
    format!(
        "{}–{}",
        number(estimate.low, scale),
        number(estimate.high, scale)
    )
}

/// The conclusion, its assumption, and each gate workflow.
pub fn history(
    history: &RunHistory,
    replay: &Replay,
    conclusion: &Conclusion,
    confirm: Confirm,
    has_limits: bool,
) -> String {
    let mut text = conclusion.sentences();
    let (runs, pulls) = (history.runs.len(), replay.pull_requests.len());
    let _ = writeln!(
        text,
        "\n{}: {runs} runs, replayed as {pulls} pull requests",
        history.name
    );
    text.push_str(&assumption(confirm));
    text.push('\n');
    text.push_str(&ways(replay, has_limits));
    text.push('\n');
    text.push_str(&outcomes(replay, confirm));
    text
}

fn assumption(confirm: Confirm) -> String {
    match confirm {
        Confirm::SameJob => format!(
            "Assumed: a confirmation run in the same job shares {:.0}% of the first run's noise (simulated).\n",
            SHARED * 100.0
        ),
        Confirm::OtherRunner => {
            "Assumed: a confirmation run is as independent of the first as the next run on main.\n".to_owned()
        }
        Confirm::Pairs => {
            "Assumed: pairs refute every false alarm and confirm every slowdown (see `just power`).\n"
                .to_owned()
        }
    }
}

/// Each gate workflow: false alarms and detection rates, with intervals below.
fn ways(replay: &Replay, has_limits: bool) -> String {
    let mut lines = head("failed wrongly");
    let mut add = |name: &str, record: &Record| lines.extend(way(name, record));
    add(
        "one value, fixed limit",
        &replay.record(GateWorkflow::OneValue),
    );
    if has_limits {
        add(
            "one value, own limits",
            &replay.record(GateWorkflow::Advised),
        );
    }
    add(
        "history, no confirmation",
        &replay.record(GateWorkflow::Signals),
    );
    add(
        "history, run in the same job",
        &Confirm::SameJob.record(replay),
    );
    add(
        "history, run on another runner",
        &Confirm::OtherRunner.record(replay),
    );
    add("history, interleaved pairs", &Confirm::Pairs.record(replay));
    aligned(&lines) + "below each: 95% intervals, from blocks of pull requests\n"
}

fn head(wrong: &str) -> Vec<Vec<String>> {
    let growths = SHOWN.map(|growth| format!("+{:.0}%", growth * 100.0));
    let mut found = vec![String::new(), wrong.to_owned()];
    found.extend(SHOWN.map(|_| "found".to_owned()));
    let mut named = vec![String::new(), "in 1,000".to_owned()];
    named.extend(growths);
    vec![found, named]
}

fn way(name: &str, record: &Record) -> [Vec<String>; 2] {
    let wrong = record.false_alarms();
    let found = SHOWN.map(|growth| record.found_at(growth));
    let mut shares = vec![name.to_owned(), number(wrong.share(), 1000.0)];
    shares.extend(found.iter().map(|found| number(found.share(), 100.0) + "%"));
    let mut intervals = vec![String::new(), ends(&wrong, 1000.0)];
    intervals.extend(found.iter().map(|found| ends(found, 100.0)));
    [shares, intervals]
}

/// A summary of the pull requests in a replay.
pub fn outcomes(replay: &Replay, confirm: Confirm) -> String {
    let workflow = confirm.workflow();
    let record = replay.record(workflow);
    let lasting = usize::try_from(record.lasting().rate.hits).unwrap_or(usize::MAX);
    let after_merged = replay.after_merged(workflow);
    let mut text = format!(
        "Pull requests that fail, confirmed {}: {} wrongly, {} rightly (lasting),\n\
         {after_merged} for a change merged before; inconclusive: {}; with an environment shift: {}\n",
        confirm.how(),
        record.false_alarms().rate.hits,
        lasting - after_merged,
        replay.count(workflow, WorkflowVerdict::Inconclusive),
        replay.shifts()
    );
    let passing: Vec<String> = replay
        .passing(workflow)
        .into_iter()
        .map(|(place, times)| format!("wrongly, {times}×: {}", named(place)))
        .collect();
    let lasting: Vec<String> = replay
        .lasting(workflow)
        .map(|(commit, flag)| stayed(commit, flag))
        .collect();
    text.push_str(&listed(&passing));
    text.push_str(&listed(&lasting));
    text
}

fn listed(lines: &[String]) -> String {
    let mut text: String = lines
        .iter()
        .take(LISTED)
        .map(|line| cut(&format!("  {line}")) + "\n")
        .collect();
    if lines.len() > LISTED {
        let _ = writeln!(
            text,
            "  … and {} more (all in `--json FILE`)",
            lines.len() - LISTED
        );
    }
    text
}

/// Cuts a line that is too long, with an ellipsis.
fn cut(line: &str) -> String {
    match line.char_indices().nth(WIDTH) {
        Some(_) => line.chars().take(WIDTH - 1).chain(['…']).collect(),
        None => line.to_owned(),
    }
}

fn stayed(commit: &str, flag: &Flag) -> String {
    let commit: String = printable(commit).chars().take(12).collect();
    let what = if flag.change.is_merged {
        "merged before"
    } else {
        "stayed"
    };
    format!(
        "{what}: {commit} {:+.0}% {}",
        flag.change.growth * 100.0,
        named(&flag.place)
    )
}

fn named(place: &NumberPlace) -> String {
    let [scope, scenario, metric] =
        [&place.scope, &place.scenario, &place.metric].map(|name| printable(name));
    let scope = if scope.is_empty() {
        String::new()
    } else {
        format!(", {scope}")
    };
    format!("{scenario} ({metric}{scope})")
}

/// The rates of pairs drawn from A/A runs, in the same columns. They have no intervals, because certainty depends on
/// the number of available pairs, not on the number of draws.
pub fn drawn(drawn: &Drawn) -> String {
    let mut lines = head("false PRs");
    let mut line = vec![
        format!("resampled from {} pairs", drawn.pairs),
        number(drawn.power.false_alarms.share(), 1000.0),
    ];
    line.extend(SHOWN.map(|growth| number(share_of(drawn, growth), 100.0) + "%"));
    lines.push(line);
    let (metrics, pairs, distinct) = (drawn.metrics, drawn.pairs, drawn.distinct);
    let found = number(share_of(drawn, 0.05), 100.0);
    format!(
        "Pairs find +5% {found} times in 100.\n\nA/A runs: {metrics} metrics, each with at least {pairs} pairs and {distinct} distinct pairs\n\n{}",
        aligned(&lines)
    )
}

fn share_of(drawn: &Drawn, growth: f64) -> f64 {
    let at = GROWTHS
        .iter()
        .position(|known| (known - growth).abs() < 1e-9)
        .unwrap_or_default();
    drawn.power.found[at].share()
}

/// Measured rates with their goals.
pub fn measures(measures: &[Measure]) -> String {
    let head = ["", "rate [95% interval]", "trials", "goal", "met"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    lines.extend(measures.iter().map(measure));
    let (text, mut on) = (aligned(&lines), "");
    let mut said = String::new();
    // Print the name of the data on a separate line. Otherwise the lines would be too wide.
    for (line, measured) in text
        .lines()
        .zip(std::iter::once(None).chain(measures.iter().map(Some)))
    {
        if let Some(measured) = measured.filter(|measured| measured.on != on) {
            on = &measured.on;
            let _ = writeln!(said, "{}", printable(on));
        }
        let _ = writeln!(said, "{line}");
    }
    said
}

fn measure(measure: &Measure) -> Vec<String> {
    let is_false = measure.what.starts_with("false");
    let (scale, sign) = if is_false {
        (1000.0, "‰")
    } else {
        (100.0, "%")
    };
    let rate = &measure.rate;
    let [share, low, high] =
        [rate.share(), rate.low, rate.high].map(|share| format!("{:.1}", share * scale));
    let goal = match measure.goal {
        None => String::new(),
        Some(RateBound::AtMost(goal)) => format!("≤ {:.0}{sign}", goal * scale),
        Some(RateBound::AtLeast(goal)) => format!("≥ {:.0}{sign}", goal * scale),
    };
    let met = match measure.met() {
        None => "",
        Some(Met::Surely) => "surely",
        Some(Met::Measured) => "yes",
        Some(Met::No) => "no",
    };
    vec![
        format!("  {}: {}", measure.rule, measure.what),
        format!("{share}{sign} [{low}–{high}]"),
        rate.rate.trials.to_string(),
        goal,
        met.to_owned(),
    ]
}
