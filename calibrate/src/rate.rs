//! Rates, and what is sure of them.

use perf_stats::binomial::interval;

/// How sure an interval is.
const SURE: f64 = 0.95;

/// How much more costs are made to grow, as shares: what every rule is asked to find.
pub const GROWTHS: [f64; 7] = [0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 1.0];

/// `hits` of `trials`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// How often it happened.
    pub hits: u64,
    /// How often it could have.
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
        if self.trials == 0 { 0.0 } else { self.hits as f64 / self.trials as f64 }
    }

    /// The interval that holds the true share with 95 % confidence (Clopper and Pearson).
    pub fn interval(self) -> (f64, f64) {
        interval(self.hits, self.trials, SURE)
    }
}

/// How often a rule is wrong and what it finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Power {
    /// Pull requests with an unchanged row that was flagged.
    pub false_alarms: Rate,
    /// Rows found, for each of [`GROWTHS`].
    pub found: [Rate; GROWTHS.len()],
}

impl Power {
    /// Adds other trials.
    pub fn merge(&mut self, other: &Self) {
        self.false_alarms.merge(other.false_alarms);
        for (own, other) in self.found.iter_mut().zip(other.found) {
            own.merge(other);
        }
    }

    /// What was found of costs that grew by this share, one of [`GROWTHS`].
    pub fn found_at(&self, growth: f64) -> Rate {
        let at = GROWTHS.iter().position(|known| (known - growth).abs() < 1e-9);
        at.map_or_else(Rate::default, |at| self.found[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_of_enough_is_surely_few() {
        let none = |trials| Rate { hits: 0, trials }.interval().1;
        assert!(none(3_687) > 0.001 && none(3_689) < 0.001);
        assert_eq!(Rate::default().interval(), (0.0, 1.0));
        assert!(Rate::default().share().abs() < 1e-12);
    }
}
