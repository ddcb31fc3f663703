//! A comparison that is judged again and again: by other confirmation runs, and with one metric made slower.
//!
//! The evidence is gathered once. What a suite has in common, less one row, does not depend on that row, so a metric that
//! is made slower needs no other row to be judged anew.

use std::borrow::Cow;
use std::ops::Range;

use perf_config::{Config, HistoryPolicy};
use perf_model::decimal::stored;
use perf_model::metric::Direction;
use perf_model::row::{Name, Value};

use super::conclude::{Common, Judger};
use super::gather::{Comparer, Gathered, Pending, Screened};
use super::judge::verdict;
use crate::case::Case;
use crate::evidence::{BASELINE, Evidence};
use crate::sides::Sides;
pub use crate::signals::residual::Residual;
use crate::signals::shift::Distances;
use crate::signals::{self, Signals};
use crate::thresholds::Thresholds;
use crate::verdict::Verdict;

/// A comparison of two suites, as often as it is asked for.
pub struct Rehearsal<'c, 's, 'r> {
    comparer: Comparer<'c>,
    gathered: Vec<Gathered<'s, 'r>>,
    common: Common,
}

/// A question about a metric beside its verdict in the comparison as it is.
#[derive(Clone, Debug)]
pub struct Variation<'v> {
    /// The use of the history, with as many values as the config says.
    pub history: &'v HistoryPolicy,
    /// The places of the confirmation runs that count.
    pub confirmation_runs: Range<usize>,
    /// The factor by which the cost grows, in the run and in its confirmation runs.
    pub factor: f64,
}

/// One metric of a rehearsal.
pub struct ReplayedMetric<'m> {
    /// The name of its scope.
    pub scope: &'m str,
    /// Its scenario.
    pub scenario: &'m Name,
    /// The evidence of the metric.
    pub evidence: &'m Evidence,
    /// The signals in its data.
    pub signals: &'m Signals,
    judger: Judger<'m>,
    is_first: bool,
}

impl<'c, 's, 'r> Rehearsal<'c, 's, 'r> {
    /// Gathers the evidence.
    pub fn new(sides: &Sides<'s, 'r>, config: &'c Config, policy: &'c Thresholds) -> Self {
        let comparer = Comparer::new(sides, config, policy);
        let baseline = |name| sides.baseline.scope(name);
        let scopes = sides.current.scopes.iter();
        let mut gathered: Vec<Gathered<'s, 'r>> = scopes
            .map(|scope| comparer.gather(scope.name, Some(scope), baseline(scope.name), sides))
            .collect();
        for Gathered {
            scenarios, data, ..
        } in &mut gathered
        {
            for pending in scenarios {
                let (Pending::Plain(current, before), Some(data)) = (&*pending, &*data) else {
                    continue;
                };
                let evidence = comparer.evidence(current, (BASELINE, *before), data);
                let all_signals = vec![Signals::default(); evidence.len()];
                let scenario = Name::clone(current.scenario);
                *pending = Pending::Screened(Box::new(Screened {
                    scenario,
                    evidence,
                    all_signals,
                }));
            }
        }
        let common = Common::of(&mut gathered, &comparer);
        Self {
            comparer,
            gathered,
            common,
        }
    }

    /// The number of confirmation runs that a suspect needs.
    pub fn repeats_needed(&self) -> usize {
        self.common.suite.confirmation_runs
    }

    /// True if nearly all rows of a scope moved at once.
    pub fn is_shifted(&self) -> bool {
        let judgers =
            (0..self.gathered.len()).map(|scope| self.common.judger(&self.comparer, scope));
        judgers
            .filter_map(|judger| judger.distances.shift())
            .any(|shift| shift.is_by_machine())
    }

    /// All metrics.
    pub fn metrics(&self) -> impl Iterator<Item = ReplayedMetric<'_>> {
        self.gathered.iter().enumerate().flat_map(|(at, scope)| {
            let judger = self.common.judger(&self.comparer, at);
            scope.scenarios.iter().flat_map(move |pending| {
                let row = if let Pending::Screened(row) = pending {
                    Some(&**row)
                } else {
                    None
                };
                row.into_iter().flat_map(move |row| {
                    let first = row
                        .all_signals
                        .iter()
                        .position(|signals| signals.band.is_some());
                    let both = row.evidence.iter().zip(&row.all_signals).enumerate();
                    both.map(move |(at, (evidence, signals))| ReplayedMetric {
                        scope: &scope.compared.scope,
                        scenario: &row.scenario,
                        evidence,
                        signals,
                        judger,
                        is_first: first == Some(at),
                    })
                })
            })
        })
    }
}

impl ReplayedMetric<'_> {
    /// Its residual without the change that the others share, where its cost grows by this factor.
    pub fn residuals(&self, factor: f64) -> Vec<Residual> {
        if !self.is_first {
            return Vec::new();
        }
        self.judger
            .residuals(self.evidence, self.signals, factor.ln())
    }

    /// The verdict in a variation, with residuals for its factor or a larger one.
    pub fn verdict(&self, varied: &Variation<'_>, residuals: &[Residual]) -> Verdict {
        let is_slower = varied.factor > 1.0;
        let (evidence, signals) = if is_slower {
            self.slower(varied)
        } else {
            self.as_is()
        };
        let shifted = self.shifted_runs(varied);
        let own = evidence
            .current_cost()
            .zip(signals.band)
            .map(|(cost, band)| cost - band.median);
        let is_possible = |residual: &&Residual| own.is_some_and(|own| residual.is_possible(own));
        let residuals = residuals.iter().filter(is_possible).cloned().collect();
        let mut context =
            self.judger
                .context_with(&evidence, self.signals.distance, residuals, &shifted);
        (context.history, context.shifted_runs) = (varied.history, &shifted);
        verdict(&Case::new(&evidence, &signals, &context)).verdict
    }

    fn as_is(&self) -> (Cow<'_, Evidence>, Cow<'_, Signals>) {
        (Cow::Borrowed(self.evidence), Cow::Borrowed(self.signals))
    }

    fn slower(&self, varied: &Variation<'_>) -> (Cow<'_, Evidence>, Cow<'_, Signals>) {
        let evidence = slower(self.evidence, varied.factor);
        let mut signals = Signals::with_band(&evidence, self.signals.band);
        if let Some(samples) = &mut signals.samples {
            // One clear regression in a suite is significant.
            samples.rejected = samples.p < 1.0;
        }
        (Cow::Owned(evidence), Cow::Owned(signals))
    }

    /// For each confirmation run, whether it does not count: it is none of those asked for, or all rows shifted in it.
    fn shifted_runs(&self, varied: &Variation<'_>) -> Vec<bool> {
        let runs = self
            .evidence
            .extra
            .as_deref()
            .map_or(&[][..], |extra| &extra.confirmation_runs);
        let judged = runs
            .iter()
            .zip(self.judger.confirmation_runs)
            .zip(self.judger.shifted_runs)
            .enumerate();
        let is_shifted =
            |(at, ((run, all), is_shifted)): (usize, ((&Vec<f64>, &Distances), &bool))| {
                let own = |factor| {
                    signals::distance_of_repeat(
                        self.evidence,
                        &scaled(self.evidence, run, factor),
                        self.signals.band.as_ref()?,
                    )
                };
                let moved = own(1.0)
                    .zip(own(varied.factor))
                    .filter(|_| self.is_first && varied.factor > 1.0);
                !varied.confirmation_runs.contains(&at)
                    || self.evidence.relative_to.is_none()
                        && moved.map_or(*is_shifted, |(old, new)| {
                            self.judger.comparer.is_shifted(at, &all.with(old, new))
                        })
            };
        let mut shifted: Vec<bool> = judged.map(is_shifted).collect();
        shifted
            .extend((shifted.len()..runs.len()).map(|at| !varied.confirmation_runs.contains(&at)));
        shifted
    }
}

/// The evidence of a metric whose cost is higher by a factor, in the run and in its confirmation runs.
fn slower(evidence: &Evidence, factor: f64) -> Evidence {
    let mut slower = evidence.clone();
    let number = |number: Option<Value>| {
        let moved = Value::new(scaled(evidence, &[number?.as_f64()], factor)[0]);
        moved
            .map(|moved| stored(moved, evidence.metric.decimals))
            .or(number)
    };
    (slower.current, slower.shown.1) = (number(evidence.current), number(evidence.shown.1));
    if let Some(budgeted) = &mut slower.budget {
        budgeted.current = number(budgeted.current);
    }
    if let Some(extra) = &mut slower.extra {
        extra.current_launches = scaled(evidence, &extra.current_launches, factor);
        for run in &mut extra.confirmation_runs {
            *run = scaled(evidence, run, factor);
        }
    }
    slower
}

/// Numbers whose cost is higher by a factor.
fn scaled(evidence: &Evidence, numbers: &[f64], factor: f64) -> Vec<f64> {
    let factor = if evidence.direction() == Direction::Higher {
        1.0 / factor
    } else {
        factor
    };
    numbers.iter().map(|number| number * factor).collect()
}
