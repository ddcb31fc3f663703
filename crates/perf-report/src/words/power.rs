//! What could be noticed, and what it takes to notice less.

use perf_config::HistoryPolicy;
use perf_verdict::compare::MetricComparison;
use perf_verdict::oriented::value;
use perf_verdict::rules::pairs::LOOKS;
use perf_verdict::{Reason, Rule};

use super::numbers::{Numbers, change_of, change_of_drop, signed};
use super::percent;

/// That the data stray too far for what they are to decide, and what would do instead; `None` where they do not.
pub(crate) fn too_noisy(compared: &MetricComparison) -> Option<String> {
    too_tight(compared).or_else(|| too_wide(compared))
}

/// That even half as much again would pass for noise.
fn too_wide(compared: &MetricComparison) -> Option<String> {
    let judgement = &compared.judgement;
    let is_judged =
        matches!(judgement.rule, Rule::Threshold(_)) && !matches!(judgement.because, Reason::Pairs(_));
    compared.band().filter(|band| is_judged && band.is_too_wide())?;
    let notices = signed(change_of(compared.metric.meaning.direction, judgement.power.notices?.ln_1p()));
    Some(format!(
        "not gateable by its history, which is so noisy that less than {notices} is not noticed: measure {} to {} \
         pairs side by side",
        LOOKS[0].0, LOOKS[2].0
    ))
}

fn too_tight(compared: &MetricComparison) -> Option<String> {
    let judgement = &compared.judgement;
    let (Rule::Threshold(limit), true) = (judgement.rule, judgement.power.is_too_tight) else { return None };
    let direction = compared.metric.meaning.direction;
    let limit = signed(change_of_drop(direction, limit)?);
    let notices = signed(change_of(direction, judgement.power.notices?.ln_1p()));
    Some(format!(
        "the limit of {limit} is tighter than the noise, in which less than {notices} is not noticed: choose \
         {notices} or more, or measure {} to {} pairs side by side",
        LOOKS[0].0, LOOKS[2].0
    ))
}

/// What would be needed to notice less; `None` where nothing would help.
pub(crate) fn better_means(compared: &MetricComparison, policy: &HistoryPolicy) -> Option<String> {
    let judgement = &compared.judgement;
    if compared.metric.meaning.exact || !matches!(judgement.rule, Rule::Threshold(_)) {
        return None;
    }
    let values = compared.more.as_ref().map_or(0, |more| more.history.len());
    let pairs = format!("{} to {} pairs measured side by side tell 5 %", LOOKS[0].0, LOOKS[2].0);
    match &judgement.because {
        Reason::Pairs(found) => found.until_next.map(|more| format!("{more} more pairs make the next look")),
        _ if compared.band().is_some() => Some(pairs),
        _ => {
            let more = policy.least.saturating_sub(values);
            Some(format!("{more} more baselines tell what is normal; {pairs}"))
        }
    }
}

/// What the verdict rests on, and the numbers that it looked at; `None` where nothing was measured.
pub(crate) fn evidence(compared: &MetricComparison) -> Option<String> {
    let (baseline, current) = (compared.baseline?, compared.current?);
    let numbers = Numbers::of_metric(compared, &[baseline.as_f64(), current.as_f64()]);
    let mut said = vec![format!(
        "judged by {}; baseline {}, current {}",
        judge(compared),
        numbers.full(baseline.as_f64()),
        numbers.full(current.as_f64())
    )];
    said.extend(band(compared));
    said.extend(power(compared));
    let said = said.join("; ");
    let mut letters = said.chars();
    let first = letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>());
    first.map(|said| said + ".")
}

/// Noise, and what would be noticed: `noise ±2.1 % of the cost; noticed from +16.5 %`.
fn power(compared: &MetricComparison) -> Option<String> {
    let power = &compared.judgement.power;
    // A count that must be exact has none worth telling.
    let noise = power.noise.filter(|_| compared.judgement.rule != Rule::Exact);
    let noise = noise.map(|noise| format!("noise ±{} of the cost", percent(noise, 1)));
    let notices = power.notices.map(|notices| {
        format!("noticed from {}", signed(change_of(compared.metric.meaning.direction, notices.ln_1p())))
    });
    let both: Vec<String> = [noise, notices].into_iter().flatten().collect();
    (!both.is_empty()).then(|| both.join("; "))
}

fn band(compared: &MetricComparison) -> Option<String> {
    let band = compared.band()?;
    let direction = compared.metric.meaning.direction;
    let told = [band.median, band.normal, band.limit].map(|cost| value(direction, cost));
    let numbers = Numbers::new(compared, &told);
    let [median, normal, limit] = told;
    Some(format!(
        "{} earlier values: median {}, normal to {}, limit {}",
        band.values,
        numbers.bare(median),
        numbers.bare(normal),
        numbers.full(limit)
    ))
}

/// The rule, for people.
fn judge(compared: &MetricComparison) -> String {
    let direction = compared.metric.meaning.direction;
    match (&compared.judgement.because, compared.judgement.rule) {
        (Reason::History(_), _) => "the history".to_owned(),
        (Reason::EnvironmentShift(_), _) => "the guard against what moves everything".to_owned(),
        (Reason::Samples(_), _) => "the launches of both runs".to_owned(),
        (Reason::Pairs(_), _) => "pairs measured side by side".to_owned(),
        (Reason::Ratchet(_), _) => "the ratchet".to_owned(),
        (Reason::BelowFloor { .. }, _) => "the floor".to_owned(),
        (Reason::Tail(_), _) => "the rule for percentiles".to_owned(),
        (_, Rule::Threshold(limit)) => match change_of_drop(direction, limit) {
            Some(limit) => format!("the threshold of {}", signed(limit)),
            None => "a threshold that nothing reaches".to_owned(),
        },
        (_, Rule::Exact) => "the exact rule".to_owned(),
        (_, Rule::Count(limit)) => format!("the rule for counts, within {}", percent(limit, 2)),
        (_, Rule::Report) => "nothing, as it is only reported".to_owned(),
    }
}
