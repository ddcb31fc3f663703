//! The cells of a table of differences.

use perf_config::{Config, Plus};
use perf_model::metric::Direction;
use perf_model::metric::Metric;
use perf_model::row::Value;
use perf_verdict::{Judgement, MetricComparison, ScenarioComparison, Verdict};

use crate::cell::{Formats, UNMEASURED};
use crate::number::{fixed, thousands};
use crate::spark::spark;
use crate::{series, words};
use perf_markdown::escape::inline;

/// How the cells of one table are written.
pub(super) struct Cells<'c> {
    pub(super) config: &'c Config,
    pub(super) formats: Formats,
}

impl Cells<'_> {
    pub(super) fn baseline(&self, compared: &MetricComparison) -> String {
        self.formats.cell(&compared.metric, compared.baseline)
    }

    /// What was measured now, or what became of the measurement.
    pub(super) fn current(&self, compared: &MetricComparison) -> String {
        self.formats.cell_or(&compared.metric, compared.current, compared.outcome)
    }

    /// The percentage; where there is none, the difference of counts.
    pub(super) fn delta(&self, compared: &MetricComparison) -> String {
        let counted = compared.metric.meaning.exact && compared.judgement.change.is_none();
        let difference = if counted { self.difference(compared) } else { None };
        difference.unwrap_or_else(|| self.percent(compared))
    }

    /// `+2.04%`: in the direction that the config calls plus.
    fn percent(&self, compared: &MetricComparison) -> String {
        let (Some(_), Some(change)) = (compared.current, compared.judgement.change) else {
            return if compared.baseline.is_some() && compared.baseline == compared.current {
                "0.00%".to_owned()
            } else {
                UNMEASURED.to_owned()
            };
        };
        let text = fixed(if self.is_flipped(compared) { -change } else { change } * 100.0, 2);
        let zero = !text.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
        let falls = text.starts_with('-');
        match compared.metric.meaning.direction {
            _ if zero => format!("{text}%"),
            // Plus would say that it is better.
            Direction::Unknown if self.config.deltas.plus == Plus::Better => {
                format!("{} {}%", if falls { "▼" } else { "▲" }, text.trim_start_matches('-'))
            }
            _ => format!("{}{text}%", if falls { "" } else { "+" }),
        }
    }

    /// Whether more is shown as less, since plus is better.
    fn is_flipped(&self, compared: &MetricComparison) -> bool {
        self.config.deltas.plus == Plus::Better && compared.metric.meaning.direction == Direction::Lower
    }

    /// The difference of a metric that stands beside the primary one, when there is one.
    pub(super) fn difference(&self, compared: &MetricComparison) -> Option<String> {
        let (baseline, current) = (compared.baseline?, compared.current?);
        if baseline == current {
            return None;
        }
        if !compared.metric.meaning.exact {
            return Some(format!("{} {}", self.percent(compared), inline(&compared.metric.label)));
        }
        Some(self.exact_difference(&compared.metric, baseline, current))
    }

    /// `12 more bytes` for a metric with a noun, `+12 B` for one without.
    fn exact_difference(&self, metric: &Metric, baseline: Value, current: Value) -> String {
        let difference = match (baseline, current) {
            (Value::Int(baseline), Value::Int(current)) => current.checked_sub(baseline).map(Value::Int),
            _ => None,
        };
        let difference =
            difference.or_else(|| Value::new(current.as_f64() - baseline.as_f64())).unwrap_or(Value::Int(0));
        let more = difference.as_f64() > 0.0;
        match &metric.noun {
            Some(noun) => {
                let size = difference.to_string();
                let way = if more { "more" } else { "fewer" };
                format!("{} {way} {}", thousands(size.trim_start_matches('-')), inline(noun))
            }
            None => format!("{}{}", if more { "+" } else { "" }, self.formats.show(metric, difference)),
        }
    }

    /// The smallest change for the worse that would be noticed, with the sign that it would have here.
    pub(super) fn notices(&self, compared: &MetricComparison) -> String {
        let power = &compared.judgement.power;
        let Some(notices) = power.detectable else { return String::new() };
        let change = words::change_of(compared.metric.meaning.direction, notices.ln_1p());
        let change = words::signed(if self.is_flipped(compared) { -change } else { change });
        let is_wide = compared.band().is_some_and(|band| band.is_too_wide());
        match () {
            () if power.is_too_tight => format!("from {change} (limit too tight)"),
            () if is_wide => format!("from {change} (too noisy)"),
            () => format!("from {change}"),
        }
    }
}

/// How far the cost strays: `±2.1 %`.
pub(super) fn noise(compared: &MetricComparison) -> String {
    let noise = compared.judgement.power.noise;
    noise.map_or_else(String::new, |noise| format!("±{}", words::percent(noise, 1)))
}

/// The last values, as a line of little bars.
pub(super) fn history(compared: &MetricComparison) -> String {
    spark(&series::numbers(compared))
}

pub(super) fn verdict(compared: &MetricComparison) -> String {
    let Judgement { verdict, waived, warned, .. } = compared.judgement;
    told(verdict, waived.is_some(), warned)
}

pub(super) fn scenario_verdict(scenario: &ScenarioComparison) -> String {
    let verdict = scenario.verdict();
    let mut same = scenario.metrics.iter().filter(|metric| metric.judgement.verdict == verdict);
    let waived = same.all(|metric| metric.judgement.waived.is_some());
    told(verdict, waived, scenario.metrics.iter().any(|metric| metric.judgement.warned))
}

fn told(verdict: Verdict, waived: bool, warned: bool) -> String {
    let word = words::verdict(verdict);
    match (verdict, waived) {
        (Verdict::Regressed | Verdict::Inconclusive, true) => format!("{word}, waived"),
        (Verdict::Regressed, false) => format!("**{word}**"),
        _ if warned => format!("{word}, over the soft limit"),
        _ => word.to_owned(),
    }
}
