//! `perf-gate bisect`: finds the commit that made a benchmark slower, by comparing commits with the last good one.
//!
//! * [`Cli`]: the command line.
//! * `comparisons`: compares two commits, and stores the results, from which a later command resumes.
//! * `search`: parses the range, and chooses the next commit to compare, including commits in merged branches.

mod comparisons;
mod search;

use std::path::{Path, PathBuf};

use clap::Args;
use measure::pairs::Focus;
use perf_cli::{Exit, file, load, term};
use perf_model::diagnostic::counted;
use serde_json::{Value, json};

use self::comparisons::{Compared, Comparisons, NoResult, Subject, percent};
use self::search::{Found, Hunt, Range};
use crate::series::{Commit, Resumption, SeriesArgs, short, warn_of_uncommitted};

/// The maximum number of commits listed for one change.
const LISTED: usize = 10;

/// Find the commit that made a benchmark slower
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Cli {
    /// The last good commit and the first known bad one; BAD defaults to HEAD
    #[arg(value_name = "GOOD..BAD")]
    range: String,

    /// The benchmark: its key, its label, or a unique part of either [default: the benchmark that changed most]
    benchmark: Option<String>,

    #[command(flatten)]
    series: SeriesArgs,

    /// The metric [default: the gated metric that changed most]
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,

    /// Find every change in the range, not only the largest
    #[arg(long)]
    all: bool,

    /// Stop once the probability that the found commit is wrong is at most this
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = share, hide_short_help = true)]
    error: f64,

    /// Write the result as JSON; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    json: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate bisect v1.2..main -- go test -bench .
  perf-gate bisect v1.2..main parse_field --build 'cargo bench --no-run' -- cargo bench
  perf-gate bisect HEAD~64.. --all --time-limit 1h

Exit codes: 0 found; 2 wrong usage or an error; 3 not found: no difference
between the ends, or the time is up. To continue after Ctrl-C, run the same
command again";

fn share(text: &str) -> Result<f64, String> {
    match load::fraction(text) {
        Ok(share) if share > 0.0 && share <= 0.2 => Ok(share),
        _ => Err("expected a probability above 0% and at most 20%".to_owned()),
    }
}

/// Runs the command.
///
/// # Errors
/// Fails if the range has no commits, or if its ends cannot be measured.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let config = cli.series.general.load()?;
    let range = Range::parse(&cli.range)?;
    let request = cli.series.request(&config)?;
    let wanted = Focus {
        benchmark: cli.benchmark.clone(),
        metric: cli
            .metric
            .as_deref()
            .map(|name| config.metric_name(name).to_owned()),
        ..Focus::default()
    };
    let question = serde_json::json!({ "range": [&range.good, range.bad()], "request": request, "focus": wanted });
    let resumption = Resumption::new("bisect", question);
    warn_of_uncommitted();
    let mut comparisons = Comparisons::new(&config, request, resumption, cli.series.deadline())?;
    let error = match search(cli, &range, &wanted, &mut comparisons) {
        Ok(true) => {
            comparisons.finish();
            return Ok(Exit::Ok);
        }
        Ok(false) => {
            term::warn("the time is up; run the same command again to continue");
            return Ok(Exit::NoAnswer);
        }
        Err(error) => error,
    };
    match error.downcast_ref() {
        Some(NoResult::Alike(sentence)) => {
            term::warn(sentence);
            term::hint(
                "specify a benchmark or `--metric`, or raise `time-limit` in `[run]` of perf-gate.toml",
            );
        }
        Some(reason) => {
            term::warn(&format!(
                "{reason} after {} comparisons",
                comparisons.count()
            ));
            term::hint("run the same command again to continue");
        }
        None => return Err(error),
    }
    Ok(Exit::NoAnswer)
}

/// Searches the range and prints the result. Returns false if the time limit ended the search.
fn search(
    cli: &Cli,
    range: &Range,
    wanted: &Focus,
    comparisons: &mut Comparisons<'_>,
) -> anyhow::Result<bool> {
    let (good, bad) = (&range.good, range.bad());
    term::note(&format!(
        "comparing {} with {}, {} commits",
        short(good),
        short(bad),
        range.commits.len()
    ));
    let subject = comparisons.subject(good, bad, wanted)?;
    let first = comparisons.results(good, bad, 1);
    if let Some(change) = first.and_then(Compared::typical) {
        term::note(&format!("1: {}: {}", subject.name(), percent(change)));
    }
    let mut hunt = Hunt {
        comparisons: &mut *comparisons,
        subject: subject.clone(),
        error: cli.error,
        is_out_of_time: false,
    };
    let found = hunt.changes(range, cli.all)?;
    let is_out_of_time = hunt.is_out_of_time;
    if found.is_empty() && !is_out_of_time {
        comparisons.finish();
        return Err(NoResult::Alike(format!(
            "{} and {} differ too little to search: further pairs did not confirm the change",
            short(good),
            short(bad)
        ))
        .into());
    }
    if let Some(path) = &cli.json {
        let json = format!("{}\n", result_as_json(&found, &subject, comparisons)?);
        if path == Path::new("-") {
            term::data(&json)?;
            return Ok(!is_out_of_time);
        }
        file::write_if_changed(path, json.as_bytes())?;
    }
    term::data(&result_as_text(&found, &subject, comparisons)?)?;
    Ok(!is_out_of_time)
}

/// Formats the result as JSON. Changes are relative, such as 0.1 for +10%.
fn result_as_json(
    changes: &[Found],
    subject: &Subject,
    comparisons: &Comparisons<'_>,
) -> anyhow::Result<Value> {
    let mut listed = Vec::new();
    for found in changes {
        let change = found.change;
        let low = change.and_then(|change| change.low);
        let high = change.and_then(|change| change.high);
        listed.push(json!({
            "commits": resolve(found)?,
            "change": change.map(|change| change.estimate.exp_m1()),
            "interval": low.zip(high).map(|(low, high)| [low.exp_m1(), high.exp_m1()]),
            "probability": found.probability,
            "is_complete": !found.is_open,
        }));
    }
    let mut skipped = Vec::new();
    for (commit, why) in comparisons.failures() {
        skipped.push(json!({ "commit": commit, "why": why }));
    }
    Ok(json!({
        "benchmark": subject.benchmark,
        "metric": subject.metric,
        "changes": listed,
        "comparisons": comparisons.count(),
        "seconds": comparisons.seconds(),
        "skipped": skipped,
    }))
}

fn result_as_text(
    changes: &[Found],
    subject: &Subject,
    comparisons: &Comparisons<'_>,
) -> anyhow::Result<String> {
    let mut lines = Vec::new();
    for found in changes {
        let commits = resolve(found)?;
        match &commits[..] {
            [commit] => lines.push(format!("{} made the change", short(&commit.id))),
            several => lines.push(format!(
                "one of these {} commits made the change",
                several.len()
            )),
        }
        for commit in commits.iter().take(LISTED) {
            lines.push(format!(
                "  commit   {} ({}, {})",
                commit.line(),
                commit.author,
                commit.date
            ));
        }
        let change = match found.change {
            Some(change) => percent(change) + direction(subject, change.estimate),
            None => "unknown".to_owned(),
        };
        lines.push(format!("  change   {}: {change}", subject.name()));
        let wrong = match 100.0 * (1.0 - found.probability) {
            wrong if wrong < 0.01 => "<0.01".to_owned(),
            wrong => format!("{wrong:.2}"),
        };
        lines.push(format!(
            "  error    {wrong}% probability that it was a different commit"
        ));
        let last = commits.last().map_or("", |commit| short(&commit.id));
        lines.push(format!("  look     git show {last}"));
    }
    for (commit, why) in comparisons.failures() {
        lines.push(format!("skipped {}: {}", short(commit), why));
    }
    lines.push(format!(
        "{} in {:.0} s\n",
        counted(comparisons.count() as u64, "comparison"),
        comparisons.seconds()
    ));
    Ok(lines.join("\n"))
}

fn resolve(found: &Found) -> anyhow::Result<Vec<Commit>> {
    let commits = found.commits.iter();
    commits.map(|commit| Commit::resolve(commit)).collect()
}

fn direction(subject: &Subject, change: f64) -> &'static str {
    match f64::from(subject.worse) * change {
        worse if worse > 0.0 => ", worse",
        better if better < 0.0 => ", better",
        _ => "",
    }
}
