//! Rates, and their confidence intervals.

use crate::proportion;

/// The confidence level of an interval.
const SURE: f64 = 0.95;

/// The slowdowns that every rule is asked to find, as shares by which costs are made to grow.
pub const GROWTHS: [f64; 7] = [0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 1.0];

/// `hits` of `trials`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// The number of trials in which it happened.
    pub hits: u64,
    /// The number of trials.
    pub trials: u64,
}

impl Rate {
    /// Adds one trial.
    pub fn add(&mut self, hit: bool) {
        self.trials += 1;
        self.hits += u64::from(hit);
    }

    /// Adds other trials.
    pub fn merge(&mut self, other: Self) {
        self.hits += other.hits;
        self.trials += other.trials;
    }

    /// The share, zero of nothing.
    #[expect(clippy::cast_precision_loss, reason = "trials are far fewer than 2^53")]
    pub fn share(self) -> f64 {
        if self.trials == 0 {
            0.0
        } else {
            self.hits as f64 / self.trials as f64
        }
    }
}

/// A rate with the interval that holds the true share with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The counts.
    pub rate: Rate,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl From<Rate> for Estimate {
    /// The estimate of trials that do not depend on each other (Clopper and Pearson).
    fn from(rate: Rate) -> Self {
        let (low, high) = proportion::exact_interval(rate.hits, rate.trials, SURE);
        Self { rate, low, high }
    }
}

impl Estimate {
    /// The estimate of pull requests in their order: rows of one depend on each other, and so do neighbours.
    fn of_pull_requests(rates: impl Iterator<Item = Rate>) -> Self {
        let units: Vec<(u64, u64)> = rates.map(|rate| (rate.hits, rate.trials)).collect();
        let (low, high) = proportion::interval(&units, SURE);
        let mut rate = Rate::default();
        for (hits, trials) in units {
            rate.merge(Rate { hits, trials });
        }
        Self { rate, low, high }
    }

    /// The share, zero of nothing.
    pub fn share(&self) -> f64 {
        self.rate.share()
    }
}

/// The false alarms of a rule, and the slowdowns that it finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Power {
    /// Pull requests with an unchanged row that was flagged. In a history, only those after which every flagged row came
    /// back to its level.
    pub false_alarms: Rate,
    /// Pull requests with a flagged row that stayed at its new level: the gate was right.
    pub lasting: Rate,
    /// Rows found, for each of [`GROWTHS`].
    pub found: [Rate; GROWTHS.len()],
}

/// A rule on the pull requests of a history, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record(pub Vec<Power>);

impl Record {
    /// False alarms.
    pub fn false_alarms(&self) -> Estimate {
        self.of(|power| power.false_alarms)
    }

    /// Flags of changes that stayed.
    pub fn lasting(&self) -> Estimate {
        self.of(|power| power.lasting)
    }

    /// The rates of slowdowns found, for each of [`GROWTHS`].
    pub fn found(&self) -> [Estimate; GROWTHS.len()] {
        std::array::from_fn(|at| self.of(|power| power.found[at]))
    }

    /// The rate of slowdowns by this share, one of [`GROWTHS`], that are found.
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
    fn none_of_enough_is_surely_few() {
        let none = |trials| Estimate::from(Rate { hits: 0, trials }).high;
        assert!(none(3_687) > 0.001 && none(3_689) < 0.001);
        assert!(Rate::default().share().abs() < 1e-12);
    }

    #[test]
    fn rows_of_one_pull_request_are_one_trial() {
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
