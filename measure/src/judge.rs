//! The gate's verdict on rows that were just measured: the same rules, limits and sentences as in a report.

use perf_cli::term::{self, printable};
use perf_cli::{Exit, Failure};
use perf_config::Config;
use perf_model::row::Row;
use perf_model::suite::{Filter, Suite};
use perf_report::reasons;
use perf_verdict::{Comparison, Sides, Thresholds, Verdict, compare};

/// The default thresholds, with this growth of the cost as the limit: 1.5 fails what costs more than 1.5 times as much.
pub fn thresholds(config: &Config, growth: Option<f64>) -> Thresholds {
    let thresholds = Thresholds {
        self_test: false,
        ..Thresholds::of(config)
    };
    match growth {
        Some(growth) => Thresholds {
            limit: growth - 1.0,
            is_limit_chosen: true,
            ..thresholds
        },
        None => thresholds,
    }
}

/// Compares, prints a line for each gated metric to standard error, and the result lines to standard output.
///
/// # Errors
/// A baseline without comparable rows, or a failed write to standard output.
pub fn judge(
    baseline_rows: &[Row],
    current: &[Row],
    config: &Config,
    thresholds: Thresholds,
    exit_code: bool,
) -> anyhow::Result<Exit> {
    let filter = Filter::default();
    let current = Suite::new(current, config, &filter);
    let baseline = Suite::beside(&current, baseline_rows, config, &filter);
    let comparison = compare(&Sides::new(&current, &baseline), config, thresholds);
    let verdicts = verdict_lines(&comparison, config);
    let mut compared = 0;
    for (verdict, line) in &verdicts {
        if matches!(verdict, Verdict::NotComparable | Verdict::Unmeasured) {
            term::warn(line);
        } else {
            compared += 1;
            term::stderr(line);
        }
    }
    if verdicts.is_empty() && !baseline_rows.is_empty() {
        // Rows of a run that differ from the baseline in how they were measured, or have no gated metric in common with it.
        return Err(
            Failure::new("no baseline row of the same name is comparable")
                .hint("the baseline must have the same method, metrics and machine type")
                .into(),
        );
    }
    let regressed = verdicts
        .iter()
        .any(|(verdict, _)| *verdict == Verdict::Regressed);
    term::stdout(&format!("compared={compared}\nregressed={regressed}\n"))?;
    Ok(if regressed && exit_code {
        Exit::Regressed
    } else {
        Exit::Ok
    })
}

/// The verdict and the line of each gated metric.
fn verdict_lines(comparison: &Comparison, config: &Config) -> Vec<(Verdict, String)> {
    let mut said = Vec::new();
    for scenario in comparison.scopes.iter().flat_map(|scope| &scope.scenarios) {
        for metric in scenario
            .metrics
            .iter()
            .filter(|metric| metric.judgement.is_gated())
        {
            let (name, label) = (
                printable(&scenario.scenario),
                printable(&metric.metric.label),
            );
            let verdict = metric.judgement.verdict;
            let sentence = reasons::sentence(metric, config);
            said.push((
                verdict,
                format!("{}: {name} {label}: {sentence}", verdict.word()),
            ));
        }
    }
    said
}
