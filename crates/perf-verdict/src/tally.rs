//! How many scenarios came to what.

use crate::compare::{Comparison, MetricComparison, ScenarioComparison};
use crate::verdict::{Reason, Rule, Verdict};
use perf_model::row::Value;

impl MetricComparison {
    /// Whether something gates it, and it is not measured any more.
    fn vanished(&self) -> bool {
        let is_negative = |value: Option<Value>| value.is_some_and(|value| value.as_f64() < 0.0);
        let is_gone = match self.judgement.because {
            Reason::NoCurrent => true,
            // What is less than nothing was not measured.
            Reason::Negative => is_negative(self.current) && !is_negative(self.baseline),
            _ => false,
        };
        is_gone && self.judgement.rule != Rule::Report
    }

    /// Whether something gates it, and the two sides cannot be compared.
    fn is_lost(&self) -> bool {
        self.judgement.verdict == Verdict::NotComparable && self.judgement.rule != Rule::Report
    }

    /// Whether it came to this verdict, and no waiver excuses it.
    fn is_open(&self, verdict: Verdict) -> bool {
        self.judgement.verdict == verdict && self.judgement.waived.is_none()
    }
}

/// How many scenarios came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Any number moved beyond its tolerance.
    pub changed: bool,
    /// Scenarios with a metric that both sides measured and that could be compared.
    pub compared: usize,
    /// Scenarios of both sides without one.
    pub uncompared: usize,
    /// Scenarios with a metric that was measured on another machine, and therefore not compared.
    pub other_machine: usize,
    /// Gated metrics that the baseline has and the current rows have not.
    pub unmeasured: usize,
    /// Scenarios with a regressed metric.
    pub regressed: usize,
    /// Scenarios with an improved metric, and no regressed or inconclusive one.
    pub improved: usize,
    /// Scenarios with a metric of which the data cannot tell whether it regressed, and no regressed one.
    pub inconclusive: usize,
    /// Scenarios with a gated metric that both sides measured and that could not be compared.
    pub not_comparable: usize,
    /// Scenarios that regressed or are missing and that a waiver excuses.
    pub waived: usize,
    /// Scenarios with a metric over its soft limit.
    pub warned: usize,
    /// Scenarios that only the baseline has.
    pub missing: usize,
    /// Scenarios that only the current rows have.
    pub new: usize,
}

impl ScenarioComparison {
    /// The verdict on the scenario: the gravest of its metrics'. A gated metric that is not measured any more
    /// weighs more than others that are well, as nothing is known of it.
    pub fn verdict(&self) -> Verdict {
        let gravest = self.metrics.iter().map(|metric| metric.judgement.verdict).min();
        match gravest {
            Some(grave @ (Verdict::Regressed | Verdict::Inconclusive)) => grave,
            _ if self.metrics.iter().any(MetricComparison::vanished) => Verdict::Unmeasured,
            gravest => gravest.unwrap_or(Verdict::Unmeasured),
        }
    }

    /// Whether a metric regressed, and no waiver excuses it.
    pub fn fails(&self) -> bool {
        self.metrics.iter().any(|metric| metric.is_open(Verdict::Regressed))
    }

    fn is_compared(&self) -> bool {
        let uncompared = [Verdict::NotComparable, Verdict::Unmeasured];
        self.metrics.iter().any(|metric| !uncompared.contains(&metric.judgement.verdict))
    }
}

impl Comparison {
    /// Counts over all scopes.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for scope in &self.scopes {
            tally.missing += scope.missing.len();
            tally.waived += scope.excused.len();
            tally.new += scope.new.len();
            for scenario in &scope.scenarios {
                tally.changed |= scenario.metrics.iter().any(|metric| metric.judgement.moved);
                tally.compared += usize::from(scenario.is_compared());
                tally.uncompared += usize::from(!scenario.is_compared());
                let elsewhere =
                    |metric: &MetricComparison| matches!(metric.judgement.because, Reason::OtherMachine);
                tally.other_machine += usize::from(scenario.metrics.iter().any(elsewhere));
                tally.unmeasured += scenario.metrics.iter().filter(|metric| metric.vanished()).count();
                tally.warned += usize::from(scenario.metrics.iter().any(|metric| metric.judgement.warned));
                let has = |verdict| scenario.metrics.iter().any(|metric| metric.is_open(verdict));
                let is_waived = scenario.metrics.iter().any(|metric| metric.judgement.waived.is_some());
                tally.waived += usize::from(is_waived);
                tally.not_comparable += usize::from(scenario.metrics.iter().any(MetricComparison::is_lost));
                match scenario.verdict() {
                    _ if has(Verdict::Regressed) => tally.regressed += 1,
                    _ if has(Verdict::Inconclusive) => tally.inconclusive += 1,
                    Verdict::Improved => tally.improved += 1,
                    _ => {}
                }
            }
        }
        tally
    }
}
