//! What a comparison of two numbers comes to, and the facts that made it.

use perf_model::row::{Name, Value};

use crate::rules::guard::Shift;
use crate::rules::{pairs, ratchet, samples};

/// What a comparison of two numbers came to; the graver ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// Worse, by more than the gate allows.
    Regressed,
    /// It looks worse, and the data cannot tell whether it is.
    Inconclusive,
    /// Better, by more than the gate would allow in the other direction.
    Improved,
    /// Further from the baseline than the tolerance, but within the gate, or not gated.
    Moved,
    /// Within the tolerance, or within what is normal.
    Unchanged,
    /// Both were measured, but the numbers cannot be compared.
    NotComparable,
    /// One side was not measured.
    Unmeasured,
}

/// What decides whether a metric fails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Worse by more than this drop of throughput, as a fraction of the better side; strictly.
    Threshold(f64),
    /// Worse at all.
    Exact,
    /// More by a larger share than this, or than the counts of the history usually step.
    Count(f64),
    /// Nothing: the metric is reported only.
    Report,
}

/// What a gate says besides its rule.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// The drop of throughput from which people are warned.
    pub warn: Option<f64>,
    /// The difference, in the metric's unit, below which nothing regresses.
    pub floor: Option<f64>,
    /// Whether somebody chose the threshold, so that it counts beside what the data say.
    pub is_chosen: bool,
}

/// Why a verdict is what it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The threshold rule compared this drop of throughput (negative: a gain) with its limit.
    Drop {
        /// As a fraction of the baseline's throughput.
        drop: f64,
        /// What it may be.
        limit: f64,
    },
    /// The exact rule found this difference, current less baseline.
    Difference(Value),
    /// The count rule compared this growth with its limit.
    Growth {
        /// (current − baseline) / baseline; `None` from zero.
        growth: Option<f64>,
        /// What it may be.
        limit: f64,
        /// How many earlier counts told the limit; 0 when none did.
        values: usize,
    },
    /// The history rule looked at the current cost.
    History(Box<HistoryFinding>),
    /// Nearly all others moved at once; with what the history says of the metric, where it has one.
    EnvironmentShift(Box<(Shift, Option<HistoryFinding>)>),
    /// Two sides' launches were compared.
    Samples(Box<SamplesFinding>),
    /// Interleaved pairs were looked at.
    Pairs(Box<pairs::Finding>),
    /// Worse than the best sustained level by more than may be lost.
    Ratchet(Box<ratchet::Finding>),
    /// The rule would fail it, but the difference is below the floor.
    BelowFloor {
        /// |current − baseline|, in the metric's unit.
        difference: f64,
        /// The floor.
        floor: f64,
    },
    /// A quantile of too few values, or the maximum.
    Tail(Box<TailFinding>),
    /// Nothing gates the metric here.
    NotGated,
    /// Which way is better is not known.
    NoDirection,
    /// The baseline is zero, so there is no fraction of it.
    ZeroBaseline,
    /// A number is negative.
    Negative,
    /// The two sides were measured on machines of different classes.
    OtherMachine,
    /// The two sides were measured by different methods, which are these: the baseline's and the current one.
    OtherMethodology(Box<(Name, Name)>),
    /// Different toolchains built what was measured, and the metric counts what a compiler decides.
    OtherToolchain,
    /// The row that the metric is relative to was not measured on both sides.
    NoReference(Name),
    /// The baseline has no value.
    NoBaseline,
    /// The current run has no value.
    NoCurrent,
}

/// What the history rule found.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryFinding {
    /// How many earlier values there are.
    pub values: usize,
    /// Their median, as the metric's number.
    pub median: f64,
    /// The worst that is normal, as the metric's number.
    pub normal: f64,
    /// Beyond this number a value is suspect.
    pub limit: f64,
    /// How much more the current value costs than the median, as a share.
    pub effect: f64,
    /// What the rule says of the current value.
    pub finding: Found,
}

/// A quantile, and what it was taken from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TailFinding {
    /// Which quantile.
    pub quantile: f64,
    /// How many values it was taken from, as far as is known.
    pub values: Option<u64>,
    /// How many it takes; `None` for the maximum.
    pub needed: Option<u64>,
}

/// What further runs say of a suspect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing is to be suspected.
    Normal,
    /// Better than what noise makes of it.
    Better,
    /// Beyond the limit, in the first run and in so many of the further ones; it takes `needed` and no run that
    /// is not.
    Suspect {
        /// Further runs that are beyond it too.
        confirmed: usize,
        /// Further runs.
        repeats: usize,
        /// How many it takes.
        needed: usize,
    },
}

impl Found {
    /// Whether further runs confirm a suspect.
    pub fn is_confirmed(self) -> bool {
        matches!(self, Self::Suspect { confirmed, repeats, needed } if confirmed == repeats && repeats >= needed)
    }

    /// Whether a further run was well.
    pub fn is_refuted(self) -> bool {
        matches!(self, Self::Suspect { confirmed, repeats, .. } if confirmed < repeats)
    }
}

/// What the comparison of launches found.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplesFinding {
    /// The test.
    pub test: samples::Finding,
    /// What follows of it.
    pub finding: Found,
}

/// What could be noticed at all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Power {
    /// How far the number strays without any change, as a share of the cost; one standard deviation.
    pub noise: Option<f64>,
    /// The smallest growth of the cost that would be noticed, as a share.
    pub notices: Option<f64>,
    /// Whether the chosen limit is tighter than the noise, so that it cannot be kept.
    pub is_too_tight: bool,
}

/// A verdict and the numbers that made it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// What it came to.
    pub verdict: Verdict,
    /// What decided.
    pub rule: Rule,
    /// Why.
    pub because: Reason,
    /// (current − baseline) / baseline; `None` without a positive baseline.
    pub change: Option<f64>,
    /// Whether people should be told: further from the baseline than the tolerance, or judged better or worse.
    pub moved: bool,
    /// Whether it is over the soft limit.
    pub warned: bool,
    /// What could be noticed.
    pub power: Power,
    /// The waiver that covers it, as its place in the config.
    pub waived: Option<usize>,
}

impl Judgement {
    /// Whether the two sides were not measured alike.
    pub fn is_unlike(&self) -> bool {
        matches!(self.because, Reason::OtherMachine | Reason::OtherMethodology(..) | Reason::OtherToolchain)
    }

    /// Whether the data suspect a regression, confirmed or not.
    pub fn is_suspect(&self) -> bool {
        match &self.because {
            Reason::History(found) => matches!(found.finding, Found::Suspect { .. }),
            Reason::EnvironmentShift(shifted) => {
                shifted.1.as_ref().is_some_and(|found| matches!(found.finding, Found::Suspect { .. }))
            }
            Reason::Samples(found) => matches!(found.finding, Found::Suspect { .. }),
            _ => false,
        }
    }
}
