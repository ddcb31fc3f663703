//! Sentences about the smallest detectable change, the noise, and what would detect smaller changes.

use perf_config::HistoryPolicy;
use perf_model::metric::Direction;
use perf_verdict::Rule;
use perf_verdict::cost_scale::value;
use perf_verdict::rules::history::Band;
use perf_verdict::rules::pairs::{DECISIVE, LOOKS};

use super::numbers::SentenceNumbers;
use super::percent;
use super::subject::Subject;
use crate::number::counted;

/// The slowdown that pairs are said to detect.
pub(crate) const FOUND_BY_PAIRS: f64 = 0.05;

/// The remark that the data are too noisy for the chosen limit or for any; `None` if they are not.
pub(crate) fn too_noisy(compared: &Subject<'_>) -> Option<String> {
    let judgement = &compared.judgement;
    let Rule::Limit(limit) = judgement.rule else {
        return None;
    };
    let detectable = detectable(compared)?;
    if judgement.power.is_too_tight {
        let limit = compared.signed(compared.change_of_limit(limit)?);
        return Some(format!(
            "limit {limit}, but stored values only detect {detectable}"
        ));
    }
    compared.band().filter(Band::is_too_wide)?;
    Some(format!("stored values only detect {detectable}"))
}

/// The measurements that would detect smaller changes; `None` where none would.
pub(crate) fn remedy(compared: &Subject<'_>, policy: &HistoryPolicy) -> Option<String> {
    let Rule::Limit(limit) = compared.judgement.rule else {
        return None;
    };
    if compared.metric.meaning.exact {
        return None;
    }
    let detected = if limit < FOUND_BY_PAIRS {
        ""
    } else {
        ", which detect 5%"
    };
    let pairs = measure_pairs() + detected;
    let values = compared
        .extra
        .as_ref()
        .map_or(0, |extra| extra.history.len());
    match policy.least.saturating_sub(values) {
        more if more > 0 && compared.band().is_none() => Some(format!(
            "add {}, or {pairs}",
            counted(more, "more baseline")
        )),
        _ => Some(pairs),
    }
}

fn measure_pairs() -> String {
    format!(
        "measure {} to {} interleaved pairs",
        DECISIVE, LOOKS[5].pairs
    )
}

/// The noise, and the smallest detectable change where it is not the limit of the gate.
pub(crate) fn numbers(compared: &Subject<'_>) -> Vec<String> {
    let mut said = Vec::new();
    // Exact counts do not vary.
    let noise = compared
        .judgement
        .power
        .noise
        .filter(|_| !matches!(compared.judgement.rule, Rule::Exact | Rule::Equal));
    said.extend(noise.map(|noise| format!("run-to-run variation ±{}", percent(noise, 1))));
    let beyond_limit = |change: &String| gate_limit(compared) != format!("limit {change}");
    let detectable = detectable(compared).filter(beyond_limit);
    said.extend(detectable.map(|change| format!("smallest detectable change {change}")));
    said
}

/// The smallest detectable change for the worse.
pub(crate) fn detectable(compared: &Subject<'_>) -> Option<String> {
    let distance = compared.judgement.power.detectable?.ln_1p();
    Some(compared.effect(distance))
}

/// The normal range by the history: its median, its end and the limit; `None` without a history.
pub(crate) fn band(compared: &Subject<'_>) -> Option<String> {
    let band = compared.band()?;
    let direction = compared.metric.meaning.direction;
    let shown = [band.median, band.normal, band.limit].map(|cost| value(direction, cost));
    let numbers = SentenceNumbers::new(compared, &shown);
    let [median, normal, limit] = shown;
    Some(format!(
        "{}: median {}, normal {} to {}, limit {}",
        counted(band.values, "earlier value"),
        numbers.bare(median),
        if direction == Direction::Higher {
            "down"
        } else {
            "up"
        },
        numbers.bare(normal),
        numbers.full(limit)
    ))
}

/// The limit of the gate: `limit −33%`, `any increase fails`.
pub(crate) fn gate_limit(compared: &Subject<'_>) -> String {
    match compared.judgement.rule {
        _ if !compared.judgement.is_gated() => "not gated".to_owned(),
        Rule::Limit(limit) => match compared.change_of_limit(limit) {
            Some(limit) => format!("limit {}", compared.signed(limit)),
            None => "no limit".to_owned(),
        },
        Rule::Exact => any_fails(compared.direction()).to_owned(),
        Rule::Count(limit) => format!("limit {}", compared.signed(toward_worse(compared, limit))),
        Rule::Equal => "any difference fails".to_owned(),
        Rule::Budget => "over its budget".to_owned(),
        Rule::Report => "not gated".to_owned(),
    }
}

/// The limit of an exact count.
pub(crate) fn any_fails(direction: Direction) -> &'static str {
    if direction == Direction::Higher {
        "any decrease fails"
    } else {
        "any increase fails"
    }
}

/// A share with the sign of a change for the worse.
pub(crate) fn toward_worse(compared: &Subject<'_>, share: f64) -> f64 {
    if compared.direction() == Direction::Higher {
        -share
    } else {
        share
    }
}

pub(crate) fn gate_rule(compared: &Subject<'_>) -> String {
    match compared.judgement.rule {
        Rule::Limit(limit) => match compared.change_of_limit(limit) {
            Some(limit) => format!("fixed limit of {}", compared.signed(limit)),
            None => "fixed limit beyond any loss".to_owned(),
        },
        Rule::Exact => "exact count".to_owned(),
        Rule::Count(limit) => format!("count, limit {}", percent(limit, 2)),
        Rule::Equal => "equal to the baseline".to_owned(),
        Rule::Budget => "budget".to_owned(),
        Rule::Report => "none (informational)".to_owned(),
    }
}
