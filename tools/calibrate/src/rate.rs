//! Rates and their confidence intervals.

use crate::proportion;

/// The confidence level of intervals.
const SURE: f64 = 0.95;

/// The injected slowdowns, as shares of the cost.
pub const GROWTHS: [f64; 7] = [0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 1.0];

/// `hits` of `trials`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// The number of trials with the event.
    pub hits: u64,
    /// The number of trials.
    pub trials: u64,
}

impl Rate {
    /// Adds a trial.
    pub fn add(&mut self, hit: bool) {
        self.trials += 1;
        self.hits += u64::from(hit);
    }

    /// Adds the trials of another rate.
    pub fn merge(&mut self, other: Self) {
        self.hits += other.hits;
        self.trials += other.trials;
    }

    /// The share of hits; zero without trials.
    #[expect(clippy::cast_precision_loss, reason = "trials are far fewer than 2^53")]
    pub fn share(self) -> f64 {
        if self.trials == 0 {
            0.0
        } else {
            self.hits as f64 / self.trials as f64
        }
    }
}

/// A rate with the 95% confidence interval of the true share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The numbers of hits and trials.
    pub rate: Rate,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl From<Rate> for Estimate {
    /// The estimate for independent trials (Clopper–Pearson).
    fn from(rate: Rate) -> Self {
        let (low, high) = proportion::exact_interval(rate.hits, rate.trials, SURE);
        Self { rate, low, high }
    }
}

impl Estimate {
    /// The estimate for pull requests in order. Rows of one pull request, and neighbouring pull requests, depend on each other.
    fn of_pull_requests(rates: impl Iterator<Item = Rate>) -> Self {
        let units: Vec<(u64, u64)> = rates.map(|rate| (rate.hits, rate.trials)).collect();
        let (low, high) = proportion::interval(&units, SURE);
        let mut rate = Rate::default();
        for (hits, trials) in units {
            rate.merge(Rate { hits, trials });
        }
        Self { rate, low, high }
    }

    /// The share of hits; zero without trials.
    pub fn share(&self) -> f64 {
        self.rate.share()
    }
}

/// The false alarms and the detection rates of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Power {
    /// Pull requests with a wrongly flagged row. In a history, only those after which every flagged row returned to its level.
    pub false_alarms: Rate,
    /// Pull requests with a flagged row that stayed at its new level, so that the flag was right.
    pub lasting: Rate,
    /// Detected slowdowns, for each of [`GROWTHS`].
    pub found: [Rate; GROWTHS.len()],
}

/// The results of a rule for each pull request of a history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record(pub Vec<Power>);

impl Record {
    /// The rate of false alarms.
    pub fn false_alarms(&self) -> Estimate {
        self.of(|power| power.false_alarms)
    }

    /// The rate of flags for changes that stayed.
    pub fn lasting(&self) -> Estimate {
        self.of(|power| power.lasting)
    }

    /// The detection rates for each of [`GROWTHS`].
    pub fn found(&self) -> [Estimate; GROWTHS.len()] {
        std::array::from_fn(|at| self.of(|power| power.found[at]))
    }

    /// The detection rate for one of [`GROWTHS`].
    pub fn found_at(&self, growth: f64) -> Estimate {
        let at = GROWTHS
            .iter()
            .position(|known| (known - growth).abs() < 1e-9);
        self.of(|power| at.map_or_else(Rate::default, |at| power.found[at]))
    }

    fn of(&self, rate: impl Fn(&Power) -> Rate) -> Estimate {
        Estimate::of_pull_requests(self.0.iter().map(rate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_hits_of_enough_trials_have_a_low_upper_bound() {
        let none = |trials| Estimate::from(Rate { hits: 0, trials }).high;
        assert!(none(3_687) > 0.001 && none(3_689) < 0.001);
        assert!(Rate::default().share().abs() < 1e-12);
    }

    #[test]
    fn dependent_rows_of_one_pull_request_widen_the_interval() {
        let all_or_none = |at: u64| Rate {
            hits: 36 * (at % 2),
            trials: 36,
        };
        let power = |at| Power {
            found: [all_or_none(at); GROWTHS.len()],
            ..Power::default()
        };
        let record = Record((0..50).map(|at| power(at * at % 11)).collect());
        let estimate = record.found_at(0.5);
        let exact = Estimate::from(estimate.rate);
        assert_eq!(estimate.rate.trials, 1800);
        assert!(
            estimate.high - estimate.low > 3.0 * (exact.high - exact.low),
            "{estimate:?} {exact:?}"
        );
    }
}
