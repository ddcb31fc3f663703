//! What a rule can detect, and what would detect smaller changes.

use perf_config::HistoryPolicy;
use perf_model::metric::Direction;
use perf_verdict::oriented::value;
use perf_verdict::rules::history::Band;
use perf_verdict::rules::pairs::LOOKS;
use perf_verdict::{MetricComparison, Rule};

use super::numbers::{Numbers, change_of, change_of_drop, counted, signed};
use super::percent;
use crate::rules::{finding, samples};

/// That the data are too noisy for the chosen limit or for any, and the remedy.
pub(crate) fn too_noisy(compared: &MetricComparison) -> Option<String> {
    let judgement = &compared.judgement;
    let Rule::Threshold(limit) = judgement.rule else { return None };
    let direction = compared.metric.meaning.direction;
    let detectable = detectable(compared)?;
    let pairs = measure_pairs();
    if judgement.power.is_too_tight {
        let limit = signed(change_of_drop(direction, limit)?);
        return Some(format!(
            "the limit of {limit} is below the run-to-run variation, with which the smallest detectable change is \
             {detectable}: choose {detectable} or more, or {pairs}"
        ));
    }
    compared.band().filter(Band::is_too_wide)?;
    Some(format!(
        "too noisy to gate by history, with which the smallest detectable change is {detectable}: {pairs}"
    ))
}

/// What would detect smaller changes; `None` where nothing would.
pub(crate) fn remedy(compared: &MetricComparison, policy: &HistoryPolicy) -> Option<String> {
    if compared.metric.meaning.exact || !matches!(compared.judgement.rule, Rule::Threshold(_)) {
        return None;
    }
    let pairs = format!("{}, which detect 5%", measure_pairs());
    let values = compared.extra.as_ref().map_or(0, |extra| extra.history.len());
    match policy.least.saturating_sub(values) {
        more if more > 0 && compared.band().is_none() => {
            Some(format!("add {}, or {pairs}", counted(more, "more baseline")))
        }
        _ => Some(pairs),
    }
}

fn measure_pairs() -> String {
    format!("measure {} to {} interleaved pairs", LOOKS[0].pairs, LOOKS[2].pairs)
}

/// The rule and the numbers behind the verdict; `None` where one side was not measured.
pub(crate) fn evidence(compared: &MetricComparison) -> Option<String> {
    let (baseline, current) = (compared.baseline?, compared.current?);
    let numbers = Numbers::of_metric(compared, &[baseline.as_f64(), current.as_f64()]);
    let rule = finding(&compared.judgement.reason).rule(compared);
    let (baseline, current) = (numbers.value(baseline), numbers.value(current));
    let mut said = vec![format!("Rule: {rule}; baseline {baseline}, current {current}")];
    said.extend(band(compared));
    // Exact counts do not vary.
    let noise = compared
        .judgement
        .power
        .noise
        .filter(|_| !matches!(compared.judgement.rule, Rule::Exact | Rule::Equal));
    said.extend(noise.map(|noise| format!("run-to-run variation ±{}", percent(noise, 1))));
    said.extend(samples::iterations(compared));
    said.extend(detectable(compared).map(|change| format!("smallest detectable change {change}")));
    Some(said.join("; ") + ".")
}

fn detectable(compared: &MetricComparison) -> Option<String> {
    let distance = compared.judgement.power.detectable?.ln_1p();
    Some(signed(change_of(compared.metric.meaning.direction, distance)))
}

fn band(compared: &MetricComparison) -> Option<String> {
    let band = compared.band()?;
    let direction = compared.metric.meaning.direction;
    let shown = [band.median, band.normal, band.limit].map(|cost| value(direction, cost));
    let numbers = Numbers::new(compared, &shown);
    let [median, normal, limit] = shown;
    Some(format!(
        "{}: median {}, normal {} to {}, limit {}",
        counted(band.values, "earlier value"),
        numbers.bare(median),
        if direction == Direction::Higher { "down" } else { "up" },
        numbers.bare(normal),
        numbers.full(limit)
    ))
}

/// The rule of the gate.
pub(crate) fn gate_rule(compared: &MetricComparison) -> String {
    match compared.judgement.rule {
        Rule::Threshold(limit) => match change_of_drop(compared.metric.meaning.direction, limit) {
            Some(limit) => format!("fixed limit of {}", signed(limit)),
            None => "fixed limit beyond any loss".to_owned(),
        },
        Rule::Exact => "exact count".to_owned(),
        Rule::Count(limit) => format!("count, limit {}", percent(limit, 2)),
        Rule::Equal => "equal to the baseline".to_owned(),
        Rule::Budget => "budget".to_owned(),
        Rule::Report => "none (informational)".to_owned(),
    }
}
