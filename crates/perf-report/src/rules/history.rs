//! The history, as in `12.10 → 16.00 ms (+32.2% vs. the median of 30); normal up to 13.40, limit 14.20`.

use perf_model::commit::CommitId;
use perf_model::metric::Direction;
use perf_verdict::Screening;
use perf_verdict::cost_scale::value;
use perf_verdict::rules::history::Finding;

use crate::number::counted;
use crate::series::current;
use crate::words::{SentenceNumbers, Subject, confirmation, power, versus};

pub(super) fn reason(finding: &Finding, compared: &Subject<'_>) -> String {
    let numbers = numbers(compared, finding);
    let from_median = from_median(compared, finding);
    let is_throughput = compared.metric.meaning.direction == Direction::Higher;
    let to = if is_throughput { "down" } else { "up" };
    let (normal, limit) = (numbers.bare(finding.normal), numbers.bare(finding.limit));
    let level = and_level(compared);
    match finding.screening {
        Screening::Improved => {
            let than = if is_throughput { "above" } else { "below" };
            let better = compared
                .band()
                .map(|band| value(compared.metric.meaning.direction, band.better));
            let better = better.map_or(String::new(), |better| {
                format!(" ({than} {})", numbers.bare(better))
            });
            format!("{from_median}; an improvement beyond run-to-run variation{better}{level}")
        }
        Screening::Normal => {
            format!("{from_median}; normal {to} to {normal}, limit {limit}{level}")
        }
        Screening::Suspect(runs) => {
            let confirmation = confirmation(compared, runs, finding.effect.ln_1p());
            format!("{from_median}; normal {to} to {normal}, limit {limit}{level}; {confirmation}")
        }
    }
}

pub(super) fn bound(_: &Finding, compared: &Subject<'_>) -> String {
    match compared.judgement.power.limit {
        Some(limit) => format!("limit {}", compared.effect(limit.ln_1p())),
        None => power::gate_limit(compared),
    }
}

/// `; level 12.1 µs since 1a2b3c4, 10.3 µs before`, where the history has changed its level.
pub(super) fn and_level(compared: &Subject<'_>) -> String {
    let Some(level) = &compared.level else {
        return String::new();
    };
    let numbers = SentenceNumbers::new(compared, &[level.now, level.before]);
    let [now, before] = [level.now, level.before].map(|number| numbers.full(number));
    let short = |commit: &str| {
        commit
            .parse()
            .map_or(commit.to_owned(), |id: CommitId| id.short().to_owned())
    };
    let since = match level.since.as_deref() {
        Some(commit) => format!("since {}", short(commit)),
        None => format!("for {}", counted(level.values, "run")),
    };
    format!("; level {now} {since}, {before} before")
}

fn numbers(compared: &Subject<'_>, finding: &Finding) -> SentenceNumbers {
    let now = current(compared).unwrap_or(finding.median);
    SentenceNumbers::new(
        compared,
        &[finding.median, now, finding.normal, finding.limit],
    )
}

/// `12.10 → 16.00 ms (+32.2% vs. the median of 30)`.
pub(super) fn from_median(compared: &Subject<'_>, finding: &Finding) -> String {
    let now = current(compared).unwrap_or(finding.median);
    let both = numbers(compared, finding).arrow(finding.median, now);
    let change = compared.effect(finding.effect.ln_1p());
    format!(
        "{both} ({})",
        versus(&change, &format!("the median of {}", finding.values))
    )
}
