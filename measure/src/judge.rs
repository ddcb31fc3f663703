//! Judges new rows by the gate's rules and limits, and describes the verdicts in the sentences of a report.

use anyhow::anyhow;
use perf_cli::term::{self, printable};
use perf_cli::{Exit, ResultExt};
use perf_config::Config;
use perf_model::finding::Finding;
use perf_model::row::Row;
use perf_model::suite::{Filter, Suite};
use perf_report::reasons;
use perf_verdict::{Comparison, Sides, Thresholds, Verdict, compare};

/// Compares the rows. Prints a line for each gated metric to standard error, and the result lines to standard output. If
/// `growth` is set, it replaces the config's limits. For example, 1.5 fails costs of more than 1.5 times the baseline.
///
/// # Errors
/// Fails if no baseline row is comparable, or if writing to standard output fails.
pub fn judge(
    baseline_rows: &[Row],
    current: &[Row],
    config: &Config,
    growth: Option<f64>,
    exit_code: bool,
) -> anyhow::Result<Exit> {
    let limit = growth.map(|growth| growth - 1.0);
    let comparison = compare_rows(baseline_rows, current, config, limit, false, &[]);
    let verdicts = verdict_lines(&comparison, config);
    let (mut compared, mut regressed) = (0, false);
    for (verdict, line) in &verdicts {
        if matches!(verdict, Verdict::NotComparable | Verdict::Unmeasured) {
            term::warn(line);
        } else {
            compared += 1;
            regressed |= *verdict == Verdict::Regressed;
            term::stderr(line);
        }
    }
    if verdicts.is_empty() && !baseline_rows.is_empty() {
        // The methodology or the machine type differs, or the rows have no gated metric in common.
        return Err(anyhow!("no benchmark is comparable with the baseline"))
            .hint("the baseline must have the same method, metrics and machine type");
    }
    term::stdout(&format!("compared={compared}\nregressed={regressed}\n"))?;
    Ok(if regressed && exit_code {
        Exit::Regressed
    } else {
        Exit::Ok
    })
}

/// Compares the rows of two runs, or of pairs if `paired`. A `limit` replaces the config's limits.
pub fn compare_rows(
    baseline: &[Row],
    current: &[Row],
    config: &Config,
    limit: Option<f64>,
    paired: bool,
    findings: &[Finding],
) -> Comparison {
    let mut thresholds = Thresholds {
        self_test: false,
        ..Thresholds::of(config)
    };
    if let Some(limit) = limit {
        (thresholds.limit, thresholds.is_limit_chosen) = (limit, true);
    }
    let filter = Filter::default();
    let current = Suite::new(current, config, &filter);
    let baseline = Suite::beside(&current, baseline, config, &filter);
    let sides = Sides {
        paired,
        findings,
        ..Sides::new(&current, &baseline)
    };
    compare(&sides, config, thresholds)
}

/// Returns each gated metric's verdict, and a line that describes it.
pub fn verdict_lines(comparison: &Comparison, config: &Config) -> Vec<(Verdict, String)> {
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
