//! The result of comparing two suites: scopes, scenarios and metrics with their verdicts.

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

/// How a waiver was used.
#[derive(Clone, Copy, Debug)]
pub struct WaiverUse {
    /// How many metrics and missing scenarios the waiver excuses. For an expired waiver, how many it would have
    /// excused.
    pub covered: usize,
    /// True if the waiver has expired. It then excuses nothing.
    pub is_expired: bool,
}

/// A finding about one side of a comparison.
#[derive(Clone, Debug)]
pub struct SideFinding {
    /// What was found, and in which benchmark or input.
    pub finding: Finding,
    /// True if the finding is about the baseline, false if it is about the current run.
    pub is_in_baseline: bool,
    /// The finding's effect on the verdict: its kind's effect, or `Listed` if no benchmark's verdict can show it.
    pub effect: FindingEffect,
}

/// The result of comparing two suites.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The scopes of both sides: the current run's scopes in headline order, then the scopes that only the baseline
    /// contains.
    pub scopes: Vec<ScopeComparison>,
    /// The limits that the comparison used.
    pub thresholds: Thresholds,
    /// The commits that the baseline was measured at, each once.
    pub baseline_commits: Vec<String>,
    /// The commits that the current run was measured at, each once.
    pub current_commits: Vec<String>,
    /// The metrics of gates that match no measured value on either side. These gates have no effect.
    pub idle_gates: Vec<Name>,
    /// The findings about both sides, each with its effect on this comparison.
    pub findings: Vec<SideFinding>,
    /// How each waiver was used, in the order of the config.
    pub waivers: Vec<WaiverUse>,
    /// Metrics that cannot fail, including those that failed the self-test.
    pub blind: Vec<Blind>,
    /// The number of gated metrics that passed the self-test.
    pub tested: usize,
    /// How many confirmation runs a suspected regression needs, and how many exist.
    pub confirmation_runs: (usize, usize),
    /// The cached result of [`Self::tally`].
    pub(crate) counted: OnceLock<Tally>,
}

impl Comparison {
    /// True if any measured metric is gated.
    pub fn can_fail(&self) -> bool {
        let mut judgements = self.metrics().map(|metric| &metric.judgement);
        judgements.any(|one| one.is_gated() && one.verdict != Verdict::Unmeasured)
    }

    /// True if a finding about a whole input makes the comparison inconclusive.
    pub fn is_input_doubtful(&self) -> bool {
        let is_doubtful = |found: &SideFinding| {
            found.finding.benchmark.is_none() && found.effect == FindingEffect::Inconclusive
        };
        self.findings.iter().any(is_doubtful)
    }

    /// Returns how many gated benchmarks would pass at twice the cost, and how many benchmarks are gated. The first
    /// number does not include benchmarks that would pass because of a limit that the user set.
    ///
    /// Returns `None` if fewer than half of the benchmarks would pass. Otherwise, the comparison cannot conclude that
    /// nothing got slower.
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

    /// Iterates over all metrics.
    pub fn metrics(&self) -> impl Iterator<Item = &MetricComparison> {
        self.scopes
            .iter()
            .flat_map(|scope| &scope.scenarios)
            .flat_map(|scenario| &scenario.metrics)
    }
}

/// Counts of scenarios by verdict. Fields that count metrics say so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// True if any metric is shown as changed.
    pub changed: bool,
    /// Scenarios with at least one metric that both sides measured and that could be compared.
    pub compared: usize,
    /// Scenarios that exist on both sides, but without any metric that could be compared.
    pub uncompared: usize,
    /// Scenarios with a metric that was not compared because the baseline is from another machine type.
    pub other_machine: usize,
    /// The number of gated metrics that the baseline contains and the current run does not.
    pub unmeasured: usize,
    /// Scenarios with a regressed metric that no waiver excuses.
    pub regressed: usize,
    /// Scenarios with an improved metric, and no regressed or inconclusive metric.
    pub improved: usize,
    /// Scenarios with an inconclusive metric that no waiver excuses, and no regressed metric.
    pub inconclusive: usize,
    /// Scenarios with a gated metric that cannot be compared.
    pub not_comparable: usize,
    /// Scenarios that cannot be compared because the benchmark probably stopped working: a cost fell to zero, or
    /// improved at least a thousandfold.
    pub broken: usize,
    /// The number of metrics of unknown direction that changed by more than the fixed limit.
    pub unoriented: usize,
    /// Scenarios with a waived metric, and waived missing scenarios.
    pub waived: usize,
    /// Scenarios with a metric over its soft limit.
    pub warned: usize,
    /// Scenarios with a metric that cannot fail.
    pub blind: usize,
    /// Scenarios that only the baseline contains.
    pub missing: usize,
    /// Scenarios that only the current run contains.
    pub new: usize,
}

/// The comparison of one scope.
#[derive(Clone, Debug, Default)]
pub struct ScopeComparison {
    /// The scope's name.
    pub scope: String,
    /// The compared scenarios, including new ones that only budgets judge.
    pub scenarios: Vec<ScenarioComparison>,
    /// Scenarios that only the baseline contains and that no waiver excuses.
    pub missing: Vec<Name>,
    /// For each scenario that only the baseline contains, its first metric with the baseline's value.
    pub last_seen: HashMap<Name, (Arc<Metric>, Value)>,
    /// Scenarios that only the baseline contains and that a waiver excuses, each with the waiver's index in the config.
    pub excused: Vec<(Name, usize)>,
    /// Scenarios that only the current run contains.
    pub new: Vec<Name>,
    /// The environment shift, if any.
    pub shift: Option<Shift>,
}

/// The comparison of one scenario.
#[derive(Clone, Debug)]
pub struct ScenarioComparison {
    /// The scenario's key.
    pub scenario: Name,
    /// The scenario's metrics. The primary metric comes first.
    pub metrics: Vec<MetricComparison>,
}

impl ScenarioComparison {
    /// Whether the scenario's main metric would pass at twice the cost. Returns `None` if no gated metric was compared.
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

/// The comparison of one metric.
#[derive(Clone, Debug)]
pub struct MetricComparison {
    /// The metric's name, unit and direction.
    pub metric: Arc<Metric>,
    /// The baseline's value as displayed.
    pub baseline: Option<Value>,
    /// The current value as displayed.
    pub current: Option<Value>,
    /// Whether the current measurement succeeded, failed or was skipped.
    pub outcome: Outcome,
    /// The verdict, with its reason and numbers.
    pub judgement: Judgement,
    /// The reference scenarios, if any. Before the metric is judged, the value of `minus` is subtracted, and the result
    /// is divided by the value of `relative_to`.
    pub reference: Reference,
    /// The absolute limits, if a gate sets any.
    pub budget: Option<Budget>,
    /// The metric that this one is derived from, such as the time for a rate. It is in the same scenario.
    pub derived_from: Option<Name>,
    /// The commit of the baseline value, if an older baseline is used because the newest one does not contain the
    /// metric or was measured differently. Empty if the commit is unknown.
    pub older: Option<String>,
    /// The other measured values: history, process runs, pairs, confirmation runs.
    pub extra: ExtraEvidence,
    /// The metric's normal range, if there is a long enough history.
    pub band: Option<Band>,
    /// The metric's current level, if the level changed during its history.
    pub level: Option<Level>,
}

impl MetricComparison {
    /// Returns the share by which the cost grew since the baseline. Returns `None` unless both values are positive and
    /// the direction is known.
    pub fn growth(&self) -> Option<f64> {
        let number = |value: Option<Value>| cost(self.metric.meaning.direction, value?.as_f64());
        Some((number(self.current)? - number(self.baseline)?).exp_m1())
    }

    /// True if the metric is a time or a rate.
    pub fn is_speed(&self) -> bool {
        !self.metric.meaning.exact && is_speed(&self.metric)
    }

    /// True if the metric passed, but twice the cost would have passed as well because of noise.
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

    /// Returns the share by which the cost's level grew over the last 30 baselines. A level is the median of five
    /// values. Returns `None` if there are fewer than 20 values, including the current one.
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
    /// True if the metric is gated, but the current run did not measure it and the baseline did.
    fn vanished(&self) -> bool {
        let is_negative = |value: Option<Value>| value.is_some_and(|value| value.as_f64() < 0.0);
        self.judgement.is_gated()
            && match self.judgement.reason {
                Reason::Obstacle(Obstacle::NoCurrent) => true,
                // Tools write a negative number for a value that they could not measure.
                Reason::Obstacle(Obstacle::Negative) => {
                    is_negative(self.current) && !is_negative(self.baseline)
                }
                _ => false,
            }
    }

    /// True if the metric is gated, but its two sides cannot be compared.
    fn is_lost(&self) -> bool {
        self.judgement.verdict == Verdict::NotComparable && self.judgement.is_gated()
    }

    /// True if the metric is gated, and its value shows that the benchmark no longer does its work.
    pub fn is_broken(&self) -> bool {
        self.is_lost()
            && matches!(&self.judgement.reason, Reason::Obstacle(found) if found.is_broken())
    }

    /// True if the metric was not compared because the baseline is from another machine type.
    fn is_of_other_machine(&self) -> bool {
        matches!(
            self.judgement.reason,
            Reason::Obstacle(Obstacle::OtherMachine)
        )
    }

    /// True if the metric changed by more than the fixed limit, but its direction is unknown.
    pub fn is_unoriented(&self) -> bool {
        self.judgement.is_unguarded && self.metric.meaning.direction == Direction::Unknown
    }

    /// True if the metric has this verdict and no waiver excuses it.
    fn is_open(&self, verdict: Verdict) -> bool {
        self.judgement.verdict == verdict && self.judgement.waived.is_none()
    }
}

impl ScenarioComparison {
    /// Returns the most severe verdict among the scenario's metrics. If a gated metric has disappeared and no metric is
    /// regressed or inconclusive, the scenario is unmeasured.
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

    /// True if a metric regressed and no waiver excuses it.
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
    /// Returns the minimum number of further confirmation runs that could confirm every suspected regression.
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

    /// Counts the scenarios of all scopes. The counts are cached, so the comparison must not change afterwards.
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

/// The A/A check: the rule for pairs, applied to unchanged code compared with itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelfComparison {
    /// How many benchmarks had a false alarm.
    pub flagged: usize,
    /// How many benchmarks had enough pairs for the check.
    pub benchmarks: usize,
}

impl Comparison {
    /// Counts the benchmarks in which the rule for pairs finds a change although it compares a side with itself.
    /// Returns `None` if no benchmark has enough pairs.
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

    /// Returns the minimum detectable slowdown of pairs for each clock: the median share over the benchmarks. The most
    /// sensitive clock comes first.
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
