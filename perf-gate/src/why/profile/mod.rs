//! A common type for the profiles of all profilers, and the causes of a difference between two profiles.
//!
//! * [`Profile`]: functions with own and inclusive cost, calls, and stacks if the profiler records them.
//! * One module per format: `callgrind`, `python`, `node`, `go`.
//! * [`Comparison`]: the functions that explain a cost difference.
//! * [`flame`]: a differential flame graph as SVG.

#![expect(
    clippy::similar_names,
    reason = "caller and callee are the usual terms"
)]

use std::collections::HashMap;

use perf_report::number::significant;

mod build;
mod callgrind;
mod compare;
mod flame;
mod go;
mod names;
mod node;
mod python;
#[cfg(test)]
mod tests;

pub use self::callgrind::read as callgrind;
pub use self::compare::{CAUSES, Cause, Comparison, Reason, Role, compare};
pub use self::flame::svg as flame;
pub use self::go::read as go;
pub use self::names::{last_part, short};
pub use self::node::read as node;
pub use self::python::read as python;

/// A cost unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Executed instructions, as counted by callgrind.
    #[default]
    Instructions,
    /// Nanoseconds, measured or estimated from samples.
    Nanoseconds,
    /// Samples, which are only compared and shown as shares of the total.
    Samples,
}

impl Unit {
    /// Formats a cost in this unit. The caller has converted samples to shares.
    pub fn format(self, cost: f64) -> String {
        let (units, name) = match self {
            Self::Instructions => (["", "k ", "M ", "G "], "instructions"),
            Self::Nanoseconds => (["n", "µ", "m", ""], "s"),
            Self::Samples => {
                let share = significant(100.0 * cost, 3).replace('-', "−");
                return share + "% of the total";
            }
        };
        let (mut number, mut at) = (cost, 0);
        while number.abs() >= 1000.0 && at < 3 {
            number /= 1000.0;
            at += 1;
        }
        let digits = match (self, at) {
            (Self::Instructions, 0) => format!("{number:.0}"),
            _ => significant(number, 3),
        };
        format!("{digits} {}{name}", units[at]).replace('-', "−")
    }
}

/// A program's cost by function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// The unit of all costs.
    pub unit: Unit,
    /// The number of samples, or `None` if costs were counted or timed.
    pub samples: Option<u64>,
    /// The functions. Their names are unique.
    pub functions: Vec<Function>,
    /// The calls, one entry per pair of caller and callee.
    pub calls: Vec<Call>,
    /// The stacks with their costs. A stack consists of indexes into `functions`, outermost function first. Empty if the
    /// profiler only records calls.
    pub stacks: Vec<(Vec<usize>, f64)>,
}

/// A function with its cost.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Function {
    /// The name, without parts that differ between builds of the same code.
    #[serde(rename = "function")]
    pub name: String,
    /// The source file that the profiler reports.
    pub file: Option<String>,
    /// The first and the last known line in `file`.
    pub lines: Option<(u32, u32)>,
    /// The cost of the function's own code, without its callees.
    pub own: f64,
    /// The cost of the function with its callees.
    pub inclusive: f64,
    /// The number of calls to the function, if it was counted.
    pub calls: Option<u64>,
    /// The uncertainty of `own`; zero if none was estimated.
    #[serde(skip)]
    pub deviation: f64,
}

/// The calls of one function by another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Call {
    /// The caller's index in [`Profile::functions`].
    pub caller: usize,
    /// The callee's index in [`Profile::functions`].
    pub callee: usize,
    /// The number of calls, if counted.
    pub count: Option<u64>,
    /// The inclusive cost of the callee in these calls.
    pub cost: f64,
}

impl Call {
    fn names<'f>(&self, functions: &'f [Function]) -> [&'f str; 2] {
        [self.caller, self.callee].map(|index| &*functions[index].name)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are below 2^53")]
pub fn float(count: u64) -> f64 {
    count as f64
}

/// Subtracts numbers of calls, down to zero. `None` unless both are known.
fn subtract(count: Option<u64>, other: Option<u64>) -> Option<u64> {
    Some(count?.saturating_sub(other?))
}

impl Profile {
    /// The total cost: the sum of all functions' own costs.
    pub fn total(&self) -> f64 {
        self.functions.iter().map(|function| function.own).sum()
    }

    /// Converts the profile to another unit, by multiplying all costs.
    #[must_use]
    pub fn scaled(mut self, factor: f64, unit: Unit) -> Self {
        self.unit = unit;
        for function in &mut self.functions {
            for cost in [
                &mut function.own,
                &mut function.inclusive,
                &mut function.deviation,
            ] {
                *cost *= factor;
            }
        }
        self.calls.iter_mut().for_each(|call| call.cost *= factor);
        self.stacks.iter_mut().for_each(|(_, cost)| *cost *= factor);
        self
    }

    /// Converts costs to shares of the total. For a sampled profile, the deviations then contain only the sampling error.
    fn shares(&self) -> Self {
        let mut profile = self
            .clone()
            .scaled(1.0 / self.total().max(f64::MIN_POSITIVE), Unit::Samples);
        let Some(samples) = self.samples else {
            return profile;
        };
        for function in &mut profile.functions {
            let variance = function.own * (1.0 - function.own) / float(samples.max(1));
            function.deviation = variance.max(0.0).sqrt();
        }
        profile
    }

    /// Converts samples to shares. Returns profiles with other units unchanged.
    fn in_shares(&self) -> Self {
        if self.unit == Unit::Samples {
            self.shares()
        } else {
            self.clone()
        }
    }

    /// Converts counts for an unknown number of iterations to shares, and removes call counts.
    #[must_use]
    pub fn of_unknown_work(self) -> Self {
        let mut profile = self.shares();
        profile
            .functions
            .iter_mut()
            .for_each(|function| function.calls = None);
        profile.calls.iter_mut().for_each(|call| call.count = None);
        profile
    }

    /// Divides all costs by the number of iterations. Call counts remain totals.
    #[must_use]
    pub fn each(self, iterations: u64) -> Self {
        let unit = self.unit;
        self.scaled(1.0 / float(iterations.max(1)), unit)
    }

    /// Converts samples to nanoseconds per operation. `noise` is the relative error of `nanoseconds`.
    #[must_use]
    pub fn per_operation(self, nanoseconds: f64, noise: f64) -> Self {
        let factor = nanoseconds / self.total();
        let mut profile = self.scaled(factor, Unit::Nanoseconds);
        for function in &mut profile.functions {
            function.deviation = function.deviation.hypot(function.own * noise);
        }
        profile
    }

    /// Subtracts the profile of a shorter process run, which removes the startup cost.
    #[must_use]
    pub fn without(mut self, shorter: &Self) -> Self {
        let mut calls = HashMap::new();
        for call in &shorter.calls {
            calls.insert(call.names(&shorter.functions), call);
        }
        for call in &mut self.calls {
            if let Some(other) = calls.get(&call.names(&self.functions)) {
                call.cost = (call.cost - other.cost).max(0.0);
                call.count = subtract(call.count, other.count);
            }
        }
        let mut functions = HashMap::new();
        for function in &shorter.functions {
            functions.insert(&*function.name, function);
        }
        for function in &mut self.functions {
            if let Some(other) = functions.get(&*function.name) {
                function.own = (function.own - other.own).max(0.0);
                function.inclusive = (function.inclusive - other.inclusive).max(0.0);
                function.calls = subtract(function.calls, other.calls);
            }
        }
        self
    }

    /// Combines several profiles of one command. For sampled or counted profiles, returns the profile with the lowest
    /// total. For timed profiles, also takes each function's minimum own cost, and the distance between its two
    /// smallest costs as its deviation. Returns `None` if there are no profiles.
    pub fn quietest(profiles: &[Self]) -> Option<Self> {
        let mut quietest = profiles
            .iter()
            .min_by(|a, b| a.total().total_cmp(&b.total()))?
            .clone();
        if profiles.len() < 2 || quietest.samples.is_some() || quietest.unit == Unit::Instructions {
            return Some(quietest);
        }
        for function in &mut quietest.functions {
            let mut costs = Vec::new();
            for profile in profiles {
                let same = profile
                    .functions
                    .iter()
                    .find(|other| other.name == function.name);
                costs.push(same.map_or(0.0, |other| other.own));
            }
            costs.sort_by(f64::total_cmp);
            function.inclusive -= function.own - costs[0];
            function.own = costs[0];
            function.deviation = costs[1] - costs[0];
        }
        Some(quietest)
    }
}
