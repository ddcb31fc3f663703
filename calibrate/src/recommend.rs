//! Which limits the noise of a history allows: gates to paste into `perf-gate.toml`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use indexmap::IndexMap;
use perf_rows::catalogue::{Catalogue, GateRule};
use perf_rows::row::Name;
use perf_verdict::oriented::cost;
use perf_verdict::rules::history::Band;

use crate::runs::History;

/// What the noise of one scenario's metric allows. Scopes of one scenario share a gate, so the noisiest counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// The scenario.
    pub scenario: Name,
    /// The metric.
    pub metric: Name,
    /// The smallest drop of throughput that the noise allows as a threshold; `None` where nothing can be gated.
    pub threshold: Option<f64>,
    /// The growth of the cost that it takes to be noticed, as a share.
    pub notices: f64,
}

/// Advice for every timed metric with enough values, in order of appearance.
pub fn advice(history: &History, catalogue: &Catalogue) -> Vec<Advice> {
    let mut widest: IndexMap<(Name, Name), f64> = IndexMap::new();
    for ((_, scenario, metric), costs) in costs(history, catalogue) {
        let policy = catalogue.history;
        let Some(band) = Band::of(&costs, policy.last, policy.least) else { continue };
        let distance = band.detectable().max(worst_twice(&costs));
        let width = widest.entry((scenario, metric)).or_default();
        *width = width.max(distance);
    }
    let advice = widest.into_iter().map(|((scenario, metric), distance)| {
        let is_too_wide = distance > 1.5f64.ln();
        let drop = (-(-distance).exp_m1() * 100.0).ceil() / 100.0;
        Advice { scenario, metric, threshold: (!is_too_wide).then_some(drop), notices: distance.exp_m1() }
    });
    advice.collect()
}

/// The worst that two values in a row were both above the one before them.
fn worst_twice(costs: &[f64]) -> f64 {
    let both = costs.windows(3).map(|three| (three[1] - three[0]).min(three[2] - three[0]));
    both.fold(0.0, f64::max)
}

type Costs = IndexMap<(Name, Name, Name), Vec<f64>>;

fn costs(history: &History, catalogue: &Catalogue) -> Costs {
    let mut costs = Costs::new();
    for row in history.runs.iter().flat_map(|run| &run.rows) {
        for (name, value) in row.metrics.iter() {
            let metric = catalogue.metric(name);
            let is_gated = metric.default_gate.is_some_and(|gate| gate.rule == GateRule::Threshold);
            let key = [&row.platform, &row.scenario, name].map(Name::clone);
            let cost = cost(metric.meaning.direction, value.as_f64()).filter(|_| is_gated);
            costs.entry(key.into()).or_default().extend(cost);
        }
    }
    costs
}

/// The advice as TOML: a gate for all scenarios of one metric and threshold; what cannot be gated, as comments.
pub fn toml(advice: &[Advice]) -> String {
    let mut gates: BTreeMap<(&str, u64), Vec<&str>> = BTreeMap::new();
    let mut text = String::new();
    for advice in advice {
        if let Some(threshold) = advice.threshold {
            gates.entry((&advice.metric, percent(threshold))).or_default().push(&advice.scenario);
            continue;
        }
        let (scenario, metric) = (quoted(&advice.scenario), quoted(&advice.metric));
        let notices = percent(advice.notices);
        let _ = writeln!(
            text,
            "# not gateable by history: {scenario}, {metric} (less than +{notices} % could be noise)"
        );
    }
    for ((metric, threshold), scenarios) in gates {
        let list: Vec<String> =
            scenarios.iter().map(|scenario| format!("    {},\n", quoted(scenario))).collect();
        let _ = write!(
            text,
            "\n[[gates]]\nmetric = {}\nrule = \"threshold\"\nthreshold = {}.{:02}\nscenarios = [\n{}]\n",
            quoted(metric),
            threshold / 100,
            threshold % 100,
            list.concat()
        );
    }
    text
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and is a share")]
fn percent(share: f64) -> u64 {
    (share * 100.0).round() as u64
}

/// A text as TOML has it, on one line.
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        c if c.is_control() => format!("\\u{:04X}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let of = |scenario: &str, threshold| Advice {
            scenario: scenario.into(),
            metric: "timeNs".into(),
            threshold,
            notices: 0.8,
        };
        let text = toml(&[of("a \"b\" \\\n", Some(0.07)), of("c", Some(0.07)), of("d", None)]);
        assert!(
            text.starts_with(
                "# not gateable by history: \"d\", \"timeNs\" (less than +80 % could be noise)\n"
            )
        );
        let catalogue = Catalogue::parse(&text).unwrap();
        let gates = catalogue.gates.as_ref().unwrap();
        assert_eq!((gates.len(), gates[0].threshold), (1, Some(0.07)));
        assert!(gates[0].covers("a \"b\" \\\n", catalogue.family("x")));
    }

    #[test]
    fn a_bad_value_alone_widens_nothing_and_two_do() {
        assert!((worst_twice(&[0.0, 0.5, 0.1, 0.0])).abs() < 0.11);
        assert!((worst_twice(&[0.0, 0.5, 0.4]) - 0.4).abs() < 1e-12);
    }
}
