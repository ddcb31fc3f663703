//! Two suites, compared: scopes, scenarios and metrics with their verdicts.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use crate::statistics::order::middle;
use perf_config::Reference;
use perf_model::finding::{Finding, FindingEffect};
use perf_model::metric::{Direction, Metric};
use perf_model::row::{Name, Outcome, Value};
use serde::{Deserialize, Serialize};

use crate::cost_scale::{cost, distance_of_limit, share};
use crate::evidence::ExtraEvidence;
use crate::evidence::gate::Budget;
use crate::evidence::gate::NotGated;
use crate::evidence::instrument::{Instrument, is_speed};
use crate::evidence::obstacle::Obstacle;
use crate::rules::{Blind, Judgement, Reason};
use crate::signals::band::{Band, Level};
use crate::signals::shift::Shift;
use crate::thresholds::Thresholds;
use crate::verdict::{Rule, Verdict};

/// The use of one waiver: how much it excuses, and whether it has expired.
#[derive(Clone, Copy, Debug)]
pub struct WaiverUse {
    /// The number of metrics and missing scenarios it excuses, or would if it had not expired.
    pub covered: usize,
    /// True if it has expired, so that it excuses nothing.
    pub is_expired: bool,
}

/// A finding about one side of a comparison.
#[derive(Clone, Debug)]
pub struct SideFinding {
    /// The finding.
    pub finding: Finding,
    /// True if it is about the baseline.
    pub is_in_baseline: bool,
    /// The effect on the verdict: its kind's effect, or `Listed` if no benchmark's verdict can show it.
    pub effect: FindingEffect,
}

/// Two suites, compared.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Scopes of either side: the current ones in headline order, then those that are missing now.
    pub scopes: Vec<ScopeComparison>,
    /// The limits.
    pub thresholds: Thresholds,
    /// The baseline's commits.
    pub baseline_commits: Vec<String>,
    /// The current run's commits.
    pub current_commits: Vec<String>,
    /// The metrics of gates that occur in no row, so that the gate has no effect.
    pub idle_gates: Vec<Name>,
    /// The findings about both sides, and the effect of each on this comparison.
    pub findings: Vec<SideFinding>,
    /// The use of each waiver, in the order of the config.
    pub waivers: Vec<WaiverUse>,
    /// Metrics whose gate cannot fail, with those that failed the self-test.
    pub blind: Vec<Blind>,
    /// The number of gated metrics that passed the self-test.
    pub tested: usize,
    /// The number of confirmation runs that a suspected regression needs, and the number of existing ones.
    pub confirmation_runs: (usize, usize),
    /// The cached counts of [`Self::tally`].
    pub(crate) counted: OnceLock<Tally>,
}

impl Comparison {
    /// True if any metric that was measured is gated.
    pub fn can_fail(&self) -> bool {
        let mut judgements = self.metrics().map(|metric| &metric.judgement);
        judgements.any(|one| one.is_gated() && one.verdict != Verdict::Unmeasured)
    }

    /// True if a finding about a whole input leaves the comparison without a conclusion.
    pub fn is_input_doubtful(&self) -> bool {
        let is_doubtful = |found: &SideFinding| {
            found.finding.benchmark.is_none() && found.effect == FindingEffect::Inconclusive
        };
        self.findings.iter().any(is_doubtful)
    }

    /// The number of gated benchmarks whose limits would hide a doubled cost, and the number of all gated benchmarks.
    /// `None` if it is less than half of them. Otherwise the comparison cannot conclude that nothing is slower. User
    /// limits are excluded.
    pub fn hidden_doublings(&self) -> Option<(usize, usize)> {
        let (mut hidden, mut all) = (0, 0);
        for scenario in self.scopes.iter().flat_map(|scope| &scope.scenarios) {
            if let Some(is_hidden) = scenario.hides_doubling(&self.thresholds) {
                all += 1;
                hidden += usize::from(is_hidden);
            }
        }
        (hidden > 0 && 2 * hidden >= all).then_some((hidden, all))
    }

    /// All metrics.
    pub fn metrics(&self) -> impl Iterator<Item = &MetricComparison> {
        self.scopes
            .iter()
            .flat_map(|scope| &scope.scenarios)
            .flat_map(|scenario| &scenario.metrics)
    }
}

/// Numbers of scenarios by verdict; of metrics, if the field says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// True if any number is outside its tolerance.
    pub changed: bool,
    /// Scenarios with a metric that both sides measured and that could be compared.
    pub compared: usize,
    /// Scenarios of both sides without such a metric.
    pub uncompared: usize,
    /// Scenarios with a metric that is not compared because another machine measured it.
    pub other_machine: usize,
    /// Gated metrics in the baseline, but not in the current run.
    pub unmeasured: usize,
    /// Scenarios with a regressed metric.
    pub regressed: usize,
    /// Scenarios with an improved metric, and no regressed or inconclusive one.
    pub improved: usize,
    /// Scenarios with an inconclusive metric, and no regressed one.
    pub inconclusive: usize,
    /// Scenarios with a gated metric that cannot be compared.
    pub not_comparable: usize,
    /// Not comparable scenarios that probably stopped working: they take no time, or a thousandth of it.
    pub broken: usize,
    /// Metrics with an unknown direction that changed by more than the fixed limit.
    pub unoriented: usize,
    /// Scenarios that regressed or are missing and that a waiver excuses.
    pub waived: usize,
    /// Scenarios with a metric over its soft limit.
    pub warned: usize,
    /// Scenarios with a metric whose gate cannot fail.
    pub blind: usize,
    /// Scenarios in the baseline, but not in the current run.
    pub missing: usize,
    /// Scenarios in the current run, but not in the baseline.
    pub new: usize,
}

/// A scope on both sides.
#[derive(Clone, Debug, Default)]
pub struct ScopeComparison {
    /// Its name.
    pub scope: String,
    /// Scenarios of both sides.
    pub scenarios: Vec<ScenarioComparison>,
    /// Scenarios that only the baseline contains, without a waiver.
    pub missing: Vec<Name>,
    /// The first result of each scenario that only the baseline contains.
    pub last_seen: HashMap<Name, (Arc<Metric>, Value)>,
    /// Scenarios that only the baseline contains, each with the index of its waiver.
    pub excused: Vec<(Name, usize)>,
    /// Scenarios that only the current run contains.
    pub new: Vec<Name>,
    /// The environment shift, if any.
    pub shift: Option<Shift>,
}

/// A scenario on both sides.
#[derive(Clone, Debug)]
pub struct ScenarioComparison {
    /// Its key.
    pub scenario: Name,
    /// Its metrics: the primary one first.
    pub metrics: Vec<MetricComparison>,
}

impl ScenarioComparison {
    /// Whether a doubled cost would pass; `None` without a gated metric that was compared.
    pub fn hides_doubling(&self, thresholds: &Thresholds) -> Option<bool> {
        let mut gated = self
            .metrics
            .iter()
            .filter(|metric| metric.judgement.is_gated() && metric.judgement.is_compared());
        let first = gated.clone().next()?;
        let main = gated.find(|metric| metric.is_speed()).unwrap_or(first);
        Some(main.hides_doubling(thresholds))
    }
}

/// A metric on both sides.
#[derive(Clone, Debug)]
pub struct MetricComparison {
    /// The metric.
    pub metric: Arc<Metric>,
    /// The baseline's number.
    pub baseline: Option<Value>,
    /// The current number.
    pub current: Option<Value>,
    /// The outcome of the current measurement.
    pub outcome: Outcome,
    /// The verdict.
    pub judgement: Judgement,
    /// The scenarios that both are relative to when they are judged.
    pub reference: Reference,
    /// The absolute limits.
    pub budget: Option<Budget>,
    /// The metric in the same scenario that this one is derived from, such as the time for a rate.
    pub derived_from: Option<Name>,
    /// The baseline's commit, if the newest baseline does not contain the metric or was measured differently; may be
    /// empty.
    pub older: Option<String>,
    /// Further numbers: history, process runs, pairs, confirmation runs.
    pub extra: ExtraEvidence,
    /// The normal range, if there is a history.
    pub band: Option<Band>,
    /// The present level, if the history changed its level.
    pub level: Option<Level>,
}

impl MetricComparison {
    /// The share by which the cost grew since the baseline; `None` without two positive numbers.
    pub fn growth(&self) -> Option<f64> {
        let number = |value: Option<Value>| cost(self.metric.meaning.direction, value?.as_f64());
        Some((number(self.current)? - number(self.baseline)?).exp_m1())
    }

    /// True for a time or a rate.
    pub fn is_speed(&self) -> bool {
        !self.metric.meaning.exact && is_speed(&self.metric)
    }

    /// True if it passes, but the noise would also let twice the cost pass.
    fn hides_doubling(&self, thresholds: &Thresholds) -> bool {
        const DOUBLED: f64 = 1.0;
        let judgement = &self.judgement;
        let is_passed = matches!(judgement.verdict, Verdict::Moved | Verdict::Unchanged);
        let is_chosen = match judgement.rule {
            Rule::Limit(limit) => {
                let is_wide = distance_of_limit(self.metric.meaning.direction, limit)
                    .is_none_or(|distance| share(distance) > DOUBLED);
                is_wide
                    && (thresholds.is_limit_chosen || limit.total_cmp(&thresholds.limit).is_ne())
            }
            _ => false,
        };
        let power = &judgement.power;
        let least = power.suspected.or(power.detectable);
        is_passed && !is_chosen && least.is_some_and(|least| least > DOUBLED)
    }

    /// How much the cost's level grew over the last 30 baselines, as a share; `None` with fewer than 20. A level is the
    /// median of five values.
    pub fn creep(&self) -> Option<f64> {
        const SPAN: usize = 30;
        const FEWEST: usize = 20;
        const LEVEL: usize = 5;
        let direction = self.metric.meaning.direction;
        let mut costs: Vec<f64> = self
            .extra
            .history
            .iter()
            .filter_map(|number| cost(direction, *number))
            .collect();
        costs.extend(self.current.and_then(|now| cost(direction, now.as_f64())));
        let costs = &costs[costs.len().saturating_sub(SPAN + 1)..];
        if costs.len() < FEWEST {
            return None;
        }
        let then = middle(&costs[..LEVEL])?;
        let now = middle(&costs[costs.len() - LEVEL..])?;
        Some(share(now - then))
    }
}

impl MetricComparison {
    /// True if it is gated, and no longer measured.
    fn vanished(&self) -> bool {
        let is_negative = |value: Option<Value>| value.is_some_and(|value| value.as_f64() < 0.0);
        self.judgement.is_gated()
            && match self.judgement.reason {
                Reason::Obstacle(Obstacle::NoCurrent) => true,
                // A negative number marks an unmeasured one.
                Reason::Obstacle(Obstacle::Negative) => {
                    is_negative(self.current) && !is_negative(self.baseline)
                }
                _ => false,
            }
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
        let mut missing = 0;
        for metric in self.metrics() {
            let reason = &metric.judgement.reason;
            if metric.is_open(Verdict::Inconclusive)
                && !matches!(reason, Reason::Environment(_))
                && let Some(runs) = reason.suspicion()
            {
                missing = missing.max(runs.missing());
            }
        }
        missing
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
        if scenario.fails() {
            self.regressed += 1;
        } else if any(|metric| metric.is_open(Verdict::Inconclusive)) > 0 {
            self.inconclusive += 1;
        } else if scenario.verdict() == Verdict::Improved {
            self.improved += 1;
        }
    }
}

/// Unchanged code compared with itself by the rule for pairs (the A/A check).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelfComparison {
    /// Benchmarks with a false alarm.
    pub flagged: usize,
    /// Benchmarks with enough pairs.
    pub benchmarks: usize,
}

impl Comparison {
    /// Compares each side's process runs with each other; `None` without pairs.
    pub fn self_comparison(&self) -> Option<SelfComparison> {
        let mut found = SelfComparison {
            flagged: 0,
            benchmarks: 0,
        };
        for scenario in self.scopes.iter().flat_map(|scope| &scope.scenarios) {
            let mut is_flagged = None;
            for metric in &scenario.metrics {
                if let Reason::Pairs(finding) = &metric.judgement.reason
                    && metric.judgement.is_gated()
                    && finding.control.is_some()
                {
                    is_flagged = Some(is_flagged == Some(true) || finding.is_flagged());
                }
            }
            found.benchmarks += usize::from(is_flagged.is_some());
            found.flagged += usize::from(is_flagged == Some(true));
        }
        (found.benchmarks > 0).then_some(found)
    }

    /// The minimum detectable slowdown in these pairs, as a share: the median over the benchmarks, for each clock. The
    /// most sensitive clock comes first.
    pub fn detectable_by_clock(&self) -> Vec<(Instrument, f64)> {
        let mut found = Vec::new();
        for clock in Instrument::ALL {
            let mut shares = Vec::new();
            for metric in self.metrics() {
                let judgement = &metric.judgement;
                if !metric.extra.pairs.is_empty()
                    && Instrument::of(&metric.metric) == Some(clock)
                    && matches!(judgement.not_gated(), None | Some(NotGated::Quieter(_)))
                {
                    shares.extend(judgement.power.detectable);
                }
            }
            shares.sort_by(f64::total_cmp);
            found.extend(shares.get(shares.len() / 2).map(|share| (clock, *share)));
        }
        found.sort_by(|one, other| one.1.total_cmp(&other.1));
        found
    }
}
