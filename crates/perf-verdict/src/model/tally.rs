//! Counts scenario verdicts.

use std::collections::HashSet;

use perf_model::metric::Direction;
use perf_model::row::{Name, Value};

use super::comparison::{Comparison, MetricComparison, ScenarioComparison, Tally};
use crate::evidence::obstacle::Obstacle;
use crate::rules::Reason;
use crate::verdict::{Confirmation, Verdict};

impl MetricComparison {
    /// True if it is gated, and no longer measured.
    fn vanished(&self) -> bool {
        let is_negative = |value: Option<Value>| value.is_some_and(|value| value.as_f64() < 0.0);
        let is_gone = match self.judgement.reason {
            Reason::Obstacle(Obstacle::NoCurrent) => true,
            // A negative number marks an unmeasured one.
            Reason::Obstacle(Obstacle::Negative) => {
                is_negative(self.current) && !is_negative(self.baseline)
            }
            _ => false,
        };
        is_gone && self.judgement.is_gated()
    }

    /// True if it is gated, and the two sides cannot be compared.
    fn is_lost(&self) -> bool {
        self.judgement.verdict == Verdict::NotComparable && self.judgement.is_gated()
    }

    /// True if it is gated and shows that the benchmark no longer does its work.
    pub fn is_broken(&self) -> bool {
        self.is_lost()
            && matches!(&self.judgement.reason, Reason::Obstacle(found) if found.is_broken())
    }

    /// True if another machine measured the baseline, so that it is not compared.
    fn is_of_other_machine(&self) -> bool {
        matches!(
            self.judgement.reason,
            Reason::Obstacle(Obstacle::OtherMachine)
        )
    }

    /// True if it changed by more than the fixed limit in an unknown direction.
    pub fn is_unoriented(&self) -> bool {
        self.judgement.is_unguarded && self.metric.meaning.direction == Direction::Unknown
    }

    /// True if it has this verdict, and no waiver excuses it.
    fn is_open(&self, verdict: Verdict) -> bool {
        self.judgement.verdict == verdict && self.judgement.waived.is_none()
    }
}

impl ScenarioComparison {
    /// The most severe verdict among its metrics. A gated metric without a current measurement outweighs metrics within
    /// their limits.
    pub fn verdict(&self) -> Verdict {
        let worst = self
            .metrics
            .iter()
            .map(|metric| metric.judgement.verdict)
            .min();
        match worst {
            Some(severe @ (Verdict::Regressed | Verdict::Inconclusive)) => severe,
            _ if self.metrics.iter().any(MetricComparison::vanished) => Verdict::Unmeasured,
            worst => worst.unwrap_or(Verdict::Unmeasured),
        }
    }

    /// True if a metric regressed, and no waiver excuses it.
    pub fn fails(&self) -> bool {
        self.metrics
            .iter()
            .any(|metric| metric.is_open(Verdict::Regressed))
    }

    fn is_compared(&self) -> bool {
        let uncompared = [Verdict::NotComparable, Verdict::Unmeasured];
        self.metrics
            .iter()
            .any(|metric| !uncompared.contains(&metric.judgement.verdict))
    }
}

impl Comparison {
    /// The number of further confirmation runs that can settle every unconfirmed regression.
    pub fn missing_confirmations(&self) -> usize {
        let open = self
            .metrics()
            .map(|metric| &metric.judgement)
            .filter(|judgement| {
                judgement.verdict == Verdict::Inconclusive && judgement.waived.is_none()
            });
        let open = open.filter(|judgement| !matches!(judgement.reason, Reason::Environment(_)));
        let missing = open.filter_map(|judgement| judgement.reason.suspicion());
        missing.map(Confirmation::missing).max().unwrap_or(0)
    }

    /// Counts over all scopes, computed once: the comparison must not change afterwards.
    pub fn tally(&self) -> Tally {
        *self.counted.get_or_init(|| self.count())
    }

    fn count(&self) -> Tally {
        let blind: HashSet<(&str, &Name)> = self
            .blind
            .iter()
            .map(|blind| (&*blind.scope, &blind.scenario))
            .collect();
        let mut tally = Tally {
            blind: blind.len(),
            ..Tally::default()
        };
        for scope in &self.scopes {
            tally.missing += scope.missing.len();
            tally.waived += scope.excused.len();
            tally.new += scope.new.len();
            for scenario in &scope.scenarios {
                tally.add(scenario);
            }
        }
        tally
    }
}

impl Tally {
    fn add(&mut self, scenario: &ScenarioComparison) {
        let metrics = &scenario.metrics;
        let any = |is: fn(&MetricComparison) -> bool| usize::from(metrics.iter().any(is));
        let number =
            |is: fn(&MetricComparison) -> bool| metrics.iter().filter(|one| is(one)).count();
        self.changed |= metrics.iter().any(|metric| metric.judgement.moved);
        self.compared += usize::from(scenario.is_compared());
        self.uncompared += usize::from(!scenario.is_compared());
        self.other_machine += any(MetricComparison::is_of_other_machine);
        self.unmeasured += number(MetricComparison::vanished);
        self.warned += any(|metric| metric.judgement.warned);
        self.waived += any(|metric| metric.judgement.waived.is_some());
        self.not_comparable += any(MetricComparison::is_lost);
        self.broken += any(MetricComparison::is_broken);
        self.unoriented += number(MetricComparison::is_unoriented);
        if metrics
            .iter()
            .any(|metric| metric.is_open(Verdict::Regressed))
        {
            self.regressed += 1;
        } else if metrics
            .iter()
            .any(|metric| metric.is_open(Verdict::Inconclusive))
        {
            self.inconclusive += 1;
        } else if scenario.verdict() == Verdict::Improved {
            self.improved += 1;
        }
    }
}
