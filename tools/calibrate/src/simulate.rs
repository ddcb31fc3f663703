//! Simulated suites: false alarms and detection rates of interleaved pairs at known noise.

use perf_model::parallel;
use perf_verdict::rules::pairs::{self, Finding, Outcome};

use crate::random::RandomStream;
use crate::rate::Rate;

/// The number of metrics in a suite.
pub const METRICS: usize = 60;
/// The share of disturbed process runs, and their cost factor.
const DISTURBED: (f64, f64) = (0.05, 1.3);
/// The number of trials per stream of random numbers, so that the result does not depend on the number of cores.
const PART: u64 = 50;

/// The distribution of undisturbed process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// In both directions: the logarithm of the cost is normally distributed.
    Normal,
    /// Only upwards, because other work on the machine only adds time: exponential.
    Upwards,
}

#[derive(Clone, Copy, Debug)]
pub struct SimulationSetting {
    /// The distribution of process runs.
    pub noise: Noise,
    /// The noise, as one standard deviation relative to the cost.
    pub level: f64,
    /// Process runs per side.
    pub launches: usize,
    /// The growth of the head's cost, as a share; zero for an unchanged program.
    pub growth: f64,
    /// The autocorrelation of a side's successive process runs; zero for independent ones.
    pub serial: f64,
    /// The growth of both sides' cost over the whole measurement, as a logarithm.
    pub drift: f64,
    pub seed: u64,
}

/// The share of simulated suites with a metric that is found slower.
pub fn suites(setting: &SimulationSetting, suites: u64) -> Rate {
    in_parts(suites, |part, count| {
        let mut random = setting.random(part);
        let mut rate = Rate::default();
        for _ in 0..count {
            // Draw all metrics, so that the next suite does not depend on the result of this one.
            let slower = (0..METRICS)
                .filter(|_| {
                    setting
                        .look(&mut random)
                        .is_some_and(|found| is_slower(&found))
                })
                .count();
            rate.add(slower > 0);
        }
        rate
    })
}

/// The share of simulated metrics whose findings match.
pub fn metrics(setting: &SimulationSetting, metrics: u64, is_shown: fn(&Finding) -> bool) -> Rate {
    in_parts(metrics, |part, count| {
        let mut random = setting.random(part);
        let mut rate = Rate::default();
        (0..count).for_each(|_| {
            rate.add(
                setting
                    .look(&mut random)
                    .is_some_and(|found| is_shown(&found)),
            );
        });
        rate
    })
}

pub fn is_slower(finding: &Finding) -> bool {
    finding.outcome == Outcome::Slower
}

/// Whether the metric was found unchanged.
pub fn is_acquitted(finding: &Finding) -> bool {
    matches!(finding.outcome, Outcome::Same | Outcome::NotSlower)
}

/// Whether the metric is inconclusive because its pairs seem to be dependent.
pub fn is_dependent(finding: &Finding) -> bool {
    finding.outcome == Outcome::Open && finding.serial.is_some()
}

impl SimulationSetting {
    /// An unchanged program with independent process runs and no drift.
    pub const fn unchanged(noise: Noise, level: f64, launches: usize, seed: u64) -> Self {
        Self {
            noise,
            level,
            launches,
            growth: 0.0,
            serial: 0.0,
            drift: 0.0,
            seed,
        }
    }

    fn random(&self, part: u64) -> RandomStream {
        RandomStream::new(
            self.seed ^ self.level.to_bits() ^ self.growth.to_bits().rotate_left(17),
            part,
        )
    }

    #[expect(clippy::cast_precision_loss, reason = "hundreds of launches")]
    fn look(&self, random: &mut RandomStream) -> Option<Finding> {
        let more = self.growth.ln_1p();
        let mut luck = [random.normal(), random.normal()];
        let step = self.drift / self.launches as f64;
        let launches: Vec<(f64, f64)> = (0..self.launches)
            .map(|pair| {
                let [base, current] = luck.each_mut().map(|luck| self.launch(random, luck));
                let drift = step * pair as f64;
                (base + drift, current + more + drift)
            })
            .collect();
        pairs::look(&launches)
    }

    /// The cost of a process run, as a logarithm. `luck` is the state of a side's autocorrelated noise.
    fn launch(&self, random: &mut RandomStream, luck: &mut f64) -> f64 {
        let stray = match self.noise {
            Noise::Normal => {
                *luck = self.serial * *luck
                    + (1.0 - self.serial * self.serial).sqrt() * random.normal();
                self.level * *luck
            }
            Noise::Upwards => (self.level * random.exponential()).ln_1p(),
        };
        let (share, by) = DISTURBED;
        stray + if random.unit() < share { by.ln() } else { 0.0 }
    }
}

/// Runs `trials` in parts on all cores.
fn in_parts(trials: u64, part: impl Fn(u64, u64) -> Rate + Sync) -> Rate {
    let parts: Vec<u64> = (0..trials.div_ceil(PART)).collect();
    let mut sum = Rate::default();
    for rate in parallel::map(&parts, |at| part(*at, PART.min(trials - at * PART))) {
        sum.merge(rate);
    }
    sum
}

#[cfg(test)]
mod tests {
    use perf_verdict::rules::pairs::LOOKS;

    use super::*;

    const QUIET: SimulationSetting = SimulationSetting::unchanged(Noise::Normal, 0.01, 60, 1);

    #[test]
    fn unchanged_programs_are_not_slower_and_slower_ones_are() {
        assert_eq!(
            suites(&QUIET, 20),
            Rate {
                hits: 0,
                trials: 20
            }
        );
        // A slowdown of exactly 5% is rarely found unchanged, and independent pairs rarely look dependent.
        let slower = SimulationSetting {
            growth: 0.05,
            launches: LOOKS[LOOKS.len() - 1].pairs,
            ..QUIET
        };
        assert!(metrics(&slower, 120, is_slower).hits >= 116);
    }

    /// The rule allows 0.1% for both directions. At this rate, more than 8 of 2,000 trials are flagged with a
    /// probability of 0.0003.
    #[test]
    fn unchanged_code_is_flagged_no_more_than_the_rule_allows() {
        let noisy = SimulationSetting {
            level: 0.1,
            growth: 0.1,
            ..QUIET
        };
        let settings = [
            noisy,
            SimulationSetting {
                noise: Noise::Upwards,
                ..noisy
            },
            // A machine that becomes a third slower, with few pairs.
            SimulationSetting {
                drift: 0.3,
                launches: 16,
                level: 0.003,
                growth: 0.0,
                ..QUIET
            },
            SimulationSetting {
                drift: 0.3,
                serial: 0.9,
                ..noisy
            },
        ];
        for setting in settings {
            let flagged = metrics(&setting, 2_000, Finding::is_flagged);
            assert!(flagged.hits <= 8, "{flagged:?} {setting:?}");
        }
    }

    #[test]
    fn too_few_launches_find_nothing() {
        for (growth, launches) in [(1.0, 7), (0.2, 15)] {
            let found = metrics(
                &SimulationSetting {
                    launches,
                    growth,
                    ..QUIET
                },
                60,
                is_slower,
            );
            assert_eq!(
                found,
                Rate {
                    hits: 0,
                    trials: 60
                }
            );
        }
    }

    #[test]
    fn dependent_pairs_are_inconclusive() {
        let dependent = SimulationSetting {
            serial: 0.95,
            launches: 60,
            level: 0.03,
            ..QUIET
        };
        assert!(metrics(&dependent, 100, is_dependent).hits > 50);
        assert_eq!(
            metrics(&QUIET, 100, is_acquitted),
            Rate {
                hits: 100,
                trials: 100
            }
        );
    }

    #[test]
    fn seed_fixes_the_result() {
        let noisy = SimulationSetting {
            noise: Noise::Upwards,
            level: 0.1,
            growth: 0.1,
            seed: 5,
            ..QUIET
        };
        let rate = metrics(&noisy, 130, is_slower);
        assert_eq!(rate, metrics(&noisy, 130, is_slower));
        assert!(rate.hits > 10 && rate.hits < 120, "{rate:?}");
    }
}
