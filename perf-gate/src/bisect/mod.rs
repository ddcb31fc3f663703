//! `perf-gate bisect`: finds the commit that made a benchmark slower, by comparing commits with the last good one.
//!
//! * [`Cli`]: the command line.
//! * `range`: the commits, along first parents.
//! * `comparisons`: measurements of two commits, and the file that a later command resumes from.
//! * `search`: selects the next commit to compare, also inside merges.
//! * `words`: the result as text and JSON.

mod comparisons;
mod range;
mod search;
mod words;

use std::path::{Path, PathBuf};

use clap::Args;
use measure::pairs::Focus;
use perf_cli::{Common, Exit, file, load, term};

use self::comparisons::{Compared, Comparisons, NoResult, percent};
use self::range::Range;
use self::search::Hunt;
use crate::series::{Resumption, SeriesArgs, short, warn_of_uncommitted};

/// Find the commit that made a benchmark slower
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// The last good commit and the first known bad one; BAD defaults to HEAD
    #[arg(value_name = "GOOD..BAD")]
    range: String,

    /// The benchmark: its key, its label, or a unique part of them [default: the one that changed most]
    benchmark: Option<String>,

    #[command(flatten)]
    series: SeriesArgs,

    /// The metric [default: the gated metric that changed most]
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,

    /// Find every change in the range, not only the largest
    #[arg(long)]
    all: bool,

    /// Stop when the probability of naming the wrong commit is at most this
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = share, hide_short_help = true)]
    error: f64,

    /// Write the result as JSON; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    json: Option<PathBuf>,

    #[command(flatten)]
    common: Common,
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
    let number = text.strip_suffix('%').map_or(text.parse(), |percent| {
        percent.parse().map(|share: f64| share / 100.0)
    });
    number
        .ok()
        .filter(|share| *share > 0.0 && *share <= 0.2)
        .ok_or_else(|| "expected a probability above 0% and at most 20%".to_owned())
}

/// Runs the command.
///
/// # Errors
/// If the range has no commits, or its ends cannot be measured.
pub(crate) fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let _ = &cli.common;
    let config = load::config(cli.series.config.as_deref())?;
    let range = Range::parse(&cli.range)?;
    let request = cli.series.request(&config)?;
    let wanted = Focus {
        benchmark: cli.benchmark.clone(),
        metric: cli
            .metric
            .as_deref()
            .map(|name| config.metric_name(name).to_owned()),
        is_sensitive: true,
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

/// Searches the range and prints the result. Returns whether the search ended before its time limit.
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
        return Err(comparisons::unconfirmed(good, bad).into());
    }
    if let Some(path) = &cli.json {
        let json = format!("{}\n", words::json(&found, &subject, comparisons)?);
        if path == Path::new("-") {
            term::data(&json)?;
            return Ok(!is_out_of_time);
        }
        file::write_if_changed(path, json.as_bytes())?;
    }
    term::data(&words::text(&found, &subject, comparisons)?)?;
    Ok(!is_out_of_time)
}
