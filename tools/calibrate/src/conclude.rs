//! Summarises a replay in a sentence, and recommends a gate workflow.

use clap::ValueEnum;
use serde::Serialize;

use crate::plan::GateWorkflow;
use crate::rate::{Estimate, GROWTHS, Record};
use crate::replay::Replay;

/// The largest acceptable share of pull requests that fail wrongly. With more, people switch the gate off.
pub const MOST_FALSE: f64 = 0.01;

/// The smallest useful detection rate of a doubled cost.
pub const LEAST_FOUND: f64 = 0.5;

/// How much higher the average detection rate of benchmark limits must be than the history's, because they cannot
/// follow a level change.
const WORTH_LIMITS: f64 = 0.05;

/// How a suspected regression is confirmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confirm {
    /// A second run in the same job, on the same runner
    #[default]
    SameJob,
    /// A run in another job, on another runner
    OtherRunner,
    /// Interleaved pairs of the base and the pull request, on one machine
    Pairs,
}

impl Confirm {
    /// All of them, the simplest first.
    pub const ALL: [Self; 3] = [Self::SameJob, Self::OtherRunner, Self::Pairs];

    /// The rates of the history with this confirmation.
    pub fn record(self, replay: &Replay) -> Record {
        match self {
            Self::Pairs => replay.with_pairs(),
            _ => replay.record(self.workflow()),
        }
    }

    /// The workflow whose flags are shown.
    pub fn workflow(self) -> GateWorkflow {
        match self {
            Self::SameJob => GateWorkflow::SameJob,
            Self::OtherRunner => GateWorkflow::OtherRunner,
            Self::Pairs => GateWorkflow::Signals,
        }
    }

    /// Text that follows "confirmed".
    pub fn how(self) -> &'static str {
        match self {
            Self::SameJob => "by a run in the same job",
            Self::OtherRunner => "by a run on another runner",
            Self::Pairs => "by interleaved pairs",
        }
    }
}

/// The recommended gate workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recommendation {
    /// The history with this confirmation.
    History(Confirm),
    /// Limits according to each row's noise.
    Limits,
    /// Only pairs, because no gate on single runs is useful.
    PairsAlone,
}

/// The recommendation with its rates.
#[derive(Clone, Debug, PartialEq)]
pub struct Conclusion {
    /// The recommended workflow.
    pub recommended: Recommendation,
    /// The rates in the sentence.
    pub record: Record,
}

impl Conclusion {
    pub fn of(replay: &Replay, confirm: Confirm) -> Self {
        let ways = std::iter::once(confirm)
            .chain(Confirm::ALL.into_iter().filter(|other| *other != confirm));
        let mut histories = ways.map(|way| (Recommendation::History(way), way.record(replay)));
        let limits = replay.record(GateWorkflow::Advised);
        let history = histories.find(|(_, record)| is_worth_having(record));
        let is_better = |record: &Record| average(&limits) > average(record) + WORTH_LIMITS;
        let (recommended, record) = match history {
            Some((_, record)) if is_worth_having(&limits) && is_better(&record) => {
                (Recommendation::Limits, limits)
            }
            Some(history) => history,
            None if is_worth_having(&limits) => (Recommendation::Limits, limits),
            None => (Recommendation::PairsAlone, confirm.record(replay)),
        };
        Self {
            recommended,
            record,
        }
    }

    /// The conclusion, which is the first output.
    pub fn sentences(&self) -> String {
        let wrong = self.record.false_alarms().rate;
        let lasting = self.record.lasting().rate.hits;
        let right = match lasting {
            0 => String::new(),
            1 => ", and 1 failed for a change that stayed".to_owned(),
            more => format!(", and {more} failed for changes that stayed"),
        };
        format!(
            "At your noise {}; {} of {} pull requests would have failed wrongly{right}.\nRecommended: {}.\n",
            self.found(),
            wrong.hits,
            wrong.trials,
            self.recommended()
        )
    }

    fn found(&self) -> String {
        let found = self.record.found();
        let nine = GROWTHS
            .iter()
            .zip(&found)
            .find(|(_, found)| found.share() >= 0.9);
        match nine {
            Some((growth, _)) => {
                format!("a +{:.0}% slowdown is found 9 times in 10", growth * 100.0)
            }
            None => format!(
                "even a +100% slowdown is found only {:.0} times in 10",
                (found.last().map_or(0.0, Estimate::share) * 10.0).floor()
            ),
        }
    }

    fn recommended(&self) -> String {
        match self.recommended {
            Recommendation::History(confirm) => format!("history, confirmed {}", confirm.how()),
            Recommendation::Limits => "a limit for each benchmark (`--toml FILE`)".to_owned(),
            Recommendation::PairsAlone => {
                "interleaved pairs (`perf-gate measure`); no gate on single runs is useful"
                    .to_owned()
            }
        }
    }
}

/// Whether a gate is useful: it has few false alarms, and detects doubled costs.
pub fn is_worth_having(record: &Record) -> bool {
    let wrong = record.false_alarms();
    wrong.rate.trials > 0
        && wrong.share() <= MOST_FALSE
        && record.found_at(1.0).share() >= LEAST_FOUND
}

/// The average detection rate of slowdowns of 10% or more.
fn average(record: &Record) -> f64 {
    let found = [0.1, 0.2, 0.33, 0.5, 1.0].map(|growth| record.found_at(growth).share());
    found.iter().sum::<f64>() / 5.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate::{Power, Rate};

    fn record(wrong: u64, found: u64) -> Record {
        let one = |at: u64| Power {
            false_alarms: Rate {
                hits: u64::from(at < wrong),
                trials: 1,
            },
            found: [Rate {
                hits: found,
                trials: 10,
            }; GROWTHS.len()],
            ..Power::default()
        };
        Record((0..100).map(one).collect())
    }

    #[test]
    fn gate_without_detection_or_with_false_alarms_is_not_useful() {
        assert!(is_worth_having(&record(1, 5)));
        assert!(!is_worth_having(&record(0, 4)));
        assert!(!is_worth_having(&record(2, 10)));
        assert!(!is_worth_having(&Record::default()));
    }

    #[test]
    fn sentences_begin_with_the_detection_rate() {
        let conclusion = |record, recommended| {
            Conclusion {
                recommended,
                record,
            }
            .sentences()
        };
        insta::assert_snapshot!(conclusion(record(0, 9), Recommendation::History(Confirm::SameJob)), @"
        At your noise a +2% slowdown is found 9 times in 10; 0 of 100 pull requests would have failed wrongly.
        Recommended: history, confirmed by a run in the same job.
        ");
        insta::assert_snapshot!(conclusion(record(3, 4), Recommendation::PairsAlone), @"
        At your noise even a +100% slowdown is found only 4 times in 10; 3 of 100 pull requests would have failed wrongly.
        Recommended: interleaved pairs (`perf-gate measure`); no gate on single runs is useful.
        ");
    }
}
