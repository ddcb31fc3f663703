//! The cells of a table of differences.

use perf_config::{Config, Plus};
use perf_model::metric::Direction;
use perf_model::metric::Metric;
use perf_model::row::Value;
use perf_verdict::MetricComparison;
use perf_verdict::Verdict;

use super::columns::Line;
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
    pub(super) fn label(&self, line: &Line<'_>) -> String {
        inline(self.config.label(&line.scenario.scenario))
    }

    pub(super) fn baseline(&self, compared: &MetricComparison) -> String {
        self.formats.cell(&compared.metric, compared.baseline)
    }

    /// The current value, or why there is none.
    pub(super) fn current(&self, compared: &MetricComparison) -> String {
        self.formats.cell_or(&compared.metric, compared.current, compared.outcome)
    }

    /// The change of the primary metric, then the differences of the others.
    pub(super) fn deltas(&self, line: &Line<'_>) -> String {
        let primary = line.metrics.iter().take(1).map(|compared| self.delta(compared));
        let others = line.metrics.iter().skip(1).filter_map(|compared| self.difference(compared));
        primary.chain(others).collect::<Vec<_>>().join(", ")
    }

    /// The percentage; the difference of counts if there is none.
    fn delta(&self, compared: &MetricComparison) -> String {
        let counted = compared.metric.meaning.exact && compared.judgement.change.is_none();
        let difference = if counted { self.difference(compared) } else { None };
        difference.unwrap_or_else(|| self.percent(compared))
    }

    /// `+2.04%`, with the sign that the config chooses.
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
            // A plus would mean that it is better.
            Direction::Unknown if self.config.deltas.plus == Plus::Better => {
                format!("{} {}%", if falls { "▼" } else { "▲" }, text.trim_start_matches('-'))
            }
            _ => format!("{}{text}%", if falls { "" } else { "+" }),
        }
    }

    /// Whether an increase is shown as a minus, since a plus means better.
    fn is_flipped(&self, compared: &MetricComparison) -> bool {
        self.config.deltas.plus == Plus::Better && compared.metric.meaning.direction == Direction::Lower
    }

    /// The difference of a secondary metric, if there is one.
    fn difference(&self, compared: &MetricComparison) -> Option<String> {
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

    /// The smallest detectable change for the worse, with the sign that it would have here.
    pub(super) fn detectable(&self, compared: &MetricComparison) -> String {
        let power = &compared.judgement.power;
        let Some(cost) = power.detectable else { return String::new() };
        let change = words::change_of(compared.metric.meaning.direction, cost.ln_1p());
        let change = words::signed(if self.is_flipped(compared) { -change } else { change });
        let is_wide = compared.band().is_some_and(|band| band.is_too_wide());
        match () {
            () if power.is_too_tight => format!("{change} (limit too tight)"),
            () if is_wide => format!("{change} (too noisy)"),
            () => change,
        }
    }
}

/// The run-to-run variation: `±2.1%`.
pub(super) fn noise(compared: &MetricComparison) -> String {
    let noise = compared.judgement.power.noise;
    noise.map_or_else(String::new, |noise| format!("±{}", words::percent(noise, 1)))
}

/// The last values as a sparkline.
pub(super) fn history(compared: &MetricComparison) -> String {
    spark(&series::numbers(compared))
}

pub(super) fn verdict(line: &Line<'_>) -> String {
    let verdict = line.verdict();
    let all = if line.together { line.scenario.metrics.iter().collect() } else { line.metrics.clone() };
    let mut same = all.iter().filter(|metric| metric.judgement.verdict == verdict);
    let is_waived = same.all(|metric| metric.judgement.waived.is_some());
    let is_warned = all.iter().any(|metric| metric.judgement.warned);
    let word = words::verdict(verdict);
    match verdict {
        Verdict::Regressed | Verdict::Inconclusive if is_waived => format!("{word}, waived"),
        Verdict::Regressed => format!("**{word}**"),
        _ if is_warned => format!("{word}, over the soft limit"),
        _ => word.to_owned(),
    }
}
