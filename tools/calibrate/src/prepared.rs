//! A comparison that is judged many times, with different confirmation runs and with one metric made slower.
//!
//! The evidence is gathered once. Each row is judged by the suite's statistics without that row. So if one row is made
//! slower, no other row has to be judged again.

use std::borrow::Cow;
use std::ops::Range;

use perf_config::HistoryPolicy;
use perf_model::decimal::stored;
use perf_model::metric::Direction;
use perf_model::row::{Name, Value};
use perf_verdict::engine::conclude::{ScopeShift, SuiteContext};
use perf_verdict::engine::gather::GatheredScope;
use perf_verdict::engine::judge::judge;
use perf_verdict::evidence::{Evidence, Gatherer};
use perf_verdict::signals::related::Residual;
use perf_verdict::signals::shift::{Distance, Distances};
use perf_verdict::signals::{ScreenedMetric, Signals, distance_of_rerun};
use perf_verdict::{Reason, Sides, Verdict};

/// The evidence of two suites.
pub struct PreparedComparison<'c, 's, 'r> {
    gatherer: &'c Gatherer<'c>,
    gathered: Vec<GatheredScope<'s, 'r>>,
    suite: SuiteContext<'c>,
}

/// A changed metric, and how it is judged.
#[derive(Clone, Debug)]
pub struct Variation<'v> {
    /// The history settings.
    pub history: &'v HistoryPolicy,
    /// The confirmation runs to use.
    pub confirmation_runs: Range<usize>,
    /// The factor for the cost in the run and in its confirmation runs.
    pub factor: f64,
}

/// A metric in a prepared comparison.
pub struct ReplayedMetric<'m> {
    /// Its scope.
    pub scope: &'m str,
    /// Its scenario.
    pub scenario: &'m Name,
    /// The metric with its evidence and signals.
    pub screened: &'m ScreenedMetric,
    gatherer: &'m Gatherer<'m>,
    suite: &'m SuiteContext<'m>,
    shift: &'m ScopeShift,
    is_first: bool,
    without: Option<fn(&Reason) -> bool>,
}

impl<'c, 's, 'r> PreparedComparison<'c, 's, 'r> {
    /// Gathers the evidence.
    pub fn new(sides: &Sides<'s, 'r>, gatherer: &'c Gatherer<'c>) -> Self {
        let mut scopes = Vec::with_capacity(sides.current.scopes.len());
        for scope in &sides.current.scopes {
            scopes.push(gatherer.gather(scope.name, sides));
        }
        let suite = SuiteContext::new(&mut scopes, gatherer);
        Self {
            gatherer,
            gathered: scopes,
            suite,
        }
    }

    /// The number of confirmation runs that a suspected regression needs.
    pub fn needed_confirmation_runs(&self) -> usize {
        self.suite.stats.confirmation_runs
    }

    /// Whether nearly all rows in a scope moved at once.
    pub fn is_shifted(&self) -> bool {
        let mut shifts =
            (0..self.gathered.len()).filter_map(|at| self.suite.scope(at).distances.shift());
        shifts.any(|shift| shift.is_by_machine())
    }

    /// All metrics, to be judged without this rule.
    pub fn metrics(&self, without: Option<fn(&Reason) -> bool>) -> Vec<ReplayedMetric<'_>> {
        let mut metrics = Vec::new();
        for (at, scope) in self.gathered.iter().enumerate() {
            for scenario in &scope.scenarios {
                let first = scenario.first_with_history();
                for screened in &scenario.metrics {
                    metrics.push(ReplayedMetric {
                        scope: &scope.compared.scope,
                        scenario: &scenario.scenario,
                        screened,
                        gatherer: self.gatherer,
                        suite: &self.suite,
                        shift: self.suite.scope(at),
                        is_first: first.is_some_and(|first| std::ptr::eq(first, screened)),
                        without,
                    });
                }
            }
        }
        metrics
    }
}

impl ReplayedMetric<'_> {
    /// The metric's evidence.
    pub fn evidence(&self) -> &Evidence {
        &self.screened.evidence
    }

    /// Its residual, if its cost grows by this factor.
    pub fn residual(&self, factor: f64) -> Option<Residual> {
        if self.is_first {
            self.suite.related.residual(self.screened, factor.ln())
        } else {
            None
        }
    }

    /// The verdict on a variation, with the residual for its factor or a larger one.
    pub fn verdict(&self, varied: &Variation<'_>, residual: Option<&Residual>) -> Verdict {
        let (evidence, signals) = self.varied(varied);
        let shifted = self.shifted_runs(varied);
        let costs = evidence.current_cost().zip(signals.band);
        // A row that is faster than usual has no residual.
        let is_above = costs.is_some_and(|(cost, band)| cost > band.median);
        let residual = residual.filter(|_| is_above).cloned();
        let distance = self.screened.signals.distance;
        let mut context = self
            .suite
            .context(self.shift, &evidence, distance, residual, &shifted);
        context.history = varied.history;
        context.shifted_runs = &shifted;
        context.without = self.without;
        judge(&evidence, &signals, &context).verdict
    }

    fn varied(&self, varied: &Variation<'_>) -> (Cow<'_, Evidence>, Cow<'_, Signals>) {
        let ScreenedMetric { evidence, signals } = self.screened;
        if varied.factor <= 1.0 {
            return (Cow::Borrowed(evidence), Cow::Borrowed(signals));
        }
        let evidence = slower(evidence, varied.factor);
        let mut signals = Signals::with_band(&evidence, signals.band);
        if let Some(samples) = &mut signals.samples {
            // A single clear regression in a suite is significant.
            samples.rejected = samples.p < 1.0;
        }
        (Cow::Owned(evidence), Cow::Owned(signals))
    }

    /// For each confirmation run, whether it is unused, because it was not requested or all rows shifted in it.
    fn shifted_runs(&self, varied: &Variation<'_>) -> Vec<bool> {
        let ScreenedMetric { evidence, signals } = self.screened;
        let runs = &evidence.extra.confirmation_runs;
        let mut shifted = Vec::with_capacity(runs.len());
        for (at, run) in runs.iter().enumerate() {
            if !varied.confirmation_runs.contains(&at) {
                shifted.push(true);
                continue;
            }
            let known = self.shift.confirmation_runs.get(at);
            if evidence.reference.relative_to.is_some() || known.is_none() {
                shifted.push(false);
                continue;
            }
            let mut is_shifted = self.shift.shifted_runs[at];
            // A row that is made slower also contributes to the shift.
            if self.is_first
                && varied.factor > 1.0
                && let (Some(all), Some(band)) = (known, &signals.band)
                && let Some(old) = distance_of_rerun(evidence, run, band)
                && let Some(new) =
                    distance_of_rerun(evidence, &scaled(evidence, run, varied.factor), band)
            {
                is_shifted = self.gatherer.is_shifted(at, &with_distance(all, old, new));
            }
            shifted.push(is_shifted);
        }
        shifted
    }
}

/// Evidence with a cost that is higher by a factor, in the run and in its confirmation runs.
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
    let extra = &mut slower.extra;
    extra.current_launches = scaled(evidence, &extra.current_launches, factor);
    for run in &mut extra.confirmation_runs {
        *run = scaled(evidence, run, factor);
    }
    slower
}

/// The distances of a suite, with one row's distance replaced.
fn with_distance(all: &Distances, old: Distance, new: Distance) -> Distances {
    let replaced = |values: &[f64], old: f64, new: f64| {
        let mut values = values.to_vec();
        if let Ok(at) = values.binary_search_by(|value| value.total_cmp(&old)) {
            values[at] = new;
        }
        values.sort_unstable_by(f64::total_cmp);
        values
    };
    Distances {
        scales: replaced(&all.scales, old.scales, new.scales),
        costs: replaced(&all.costs, old.cost, new.cost),
    }
}

/// Numbers with a cost that is higher by a factor.
fn scaled(evidence: &Evidence, numbers: &[f64], factor: f64) -> Vec<f64> {
    let factor = if evidence.direction() == Direction::Higher {
        1.0 / factor
    } else {
        factor
    };
    numbers.iter().map(|number| number * factor).collect()
}
