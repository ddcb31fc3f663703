//! Profiles of several profilers as one type, and the causes of a difference between two.
//!
//! * [`Profile`]: functions with self and inclusive cost, calls, and stacks if the profiler records them.
//! * one module for each format: `callgrind`, `perf`, `python`, `node`, `go`, `jvm`.
//! * [`Comparison`]: the functions that explain the growth of a cost.
//! * [`flame`]: a differential flame graph as SVG.

#![expect(
    clippy::similar_names,
    reason = "caller and callee are the terms of the field"
)]

use std::collections::{HashMap, HashSet};

mod allocations;
mod build;
mod callgrind;
mod compare;
mod flame;
mod go;
mod jvm;
mod names;
mod node;
mod python;
#[cfg(test)]
mod tests;
mod tree;

pub use crate::why::profile::build::perf;
pub use crate::why::profile::callgrind::read as callgrind;
pub use crate::why::profile::compare::{Cause, Comparison, Reason, Role, compare};
pub use crate::why::profile::flame::svg as flame;
pub use crate::why::profile::go::{allocations as go_allocations, read as go};
pub use crate::why::profile::jvm::read as jvm;
pub use crate::why::profile::names::{last_part, short};
pub use crate::why::profile::node::read as node;
pub use crate::why::profile::python::read as python;

/// A cost unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Executed instructions.
    #[default]
    Instructions,
    /// Nanoseconds.
    Nanoseconds,
    /// Samples.
    Samples,
    /// Allocated bytes.
    Bytes,
    /// Allocations.
    Allocations,
}

impl Unit {
    /// Whether it measures allocations: functions without any are missing in such profiles.
    pub fn is_memory(self) -> bool {
        matches!(self, Self::Bytes | Self::Allocations)
    }

    /// Whether calls are counted as well.
    fn is_counted(self) -> bool {
        matches!(self, Self::Instructions | Self::Allocations)
    }
}

/// The cost of a program by function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// The cost unit.
    pub unit: Unit,
    /// The samples that the costs are estimated from; `None` if they were counted or timed.
    pub samples: Option<u64>,
    /// The functions, each name once.
    pub functions: Vec<Function>,
    /// The calls between two functions, each pair once.
    pub calls: Vec<Call>,
    /// The stacks, outermost function first; none if the profiler only knows calls.
    pub stacks: Vec<(Vec<usize>, f64)>,
}

/// A function with its cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// The name, without what differs between two builds of one code.
    pub name: String,
    /// The source file by the profiler.
    pub file: Option<String>,
    /// The first and the last line that are known of it.
    pub lines: Option<(u32, u32)>,
    /// The cost of its own code.
    pub own: f64,
    /// The inclusive cost.
    pub inclusive: f64,
    /// Calls to it, if they are counted.
    pub calls: Option<u64>,
    /// The standard deviation of its self cost; zero for exact profilers.
    pub deviation: f64,
}

/// The calls of one function by another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Call {
    /// The index of the caller.
    pub caller: usize,
    /// The index of the callee.
    pub callee: usize,
    /// The number of calls, if they are counted.
    pub count: Option<u64>,
    /// The inclusive cost of the callee in these calls.
    pub cost: f64,
}

/// The reason a profile cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The text is not in the format.
    #[error("not a profile of {0}: {1}")]
    Format(&'static str, String),
    /// The end is missing, as of a process that was killed.
    #[error("the profile of {0} is cut off")]
    Cut(&'static str),
    /// Nothing was recorded.
    #[error("the profile of {0} is empty")]
    Empty(&'static str),
}

/// Reads a profile in JSON, which a killed process leaves cut off.
fn from_json<T: serde::de::DeserializeOwned>(
    tool: &'static str,
    text: &str,
) -> Result<T, Unreadable> {
    serde_json::from_str(text).map_err(|error| {
        if error.is_eof() {
            Unreadable::Cut(tool)
        } else {
            Unreadable::Format(tool, error.to_string())
        }
    })
}

impl Profile {
    /// The cost of all functions.
    pub fn total(&self) -> f64 {
        self.functions.iter().map(|function| function.own).sum()
    }

    /// The same profile in another unit: all costs times a factor.
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

    /// The costs as shares of the samples, without what their times add to the noise.
    fn shares(&self) -> Self {
        let mut profile = self
            .clone()
            .scaled(1.0 / self.total().max(f64::MIN_POSITIVE), Unit::Samples);
        let Some(samples) = self.samples else {
            return profile;
        };
        for function in &mut profile.functions {
            #[expect(clippy::cast_precision_loss, reason = "a number of samples")]
            let variance = function.own * (1.0 - function.own) / samples.max(1) as f64;
            function.deviation = variance.max(0.0).sqrt();
        }
        profile
    }

    /// The profile, in shares if its unit is samples.
    fn in_shares(&self) -> Self {
        if self.unit == Unit::Samples {
            self.shares()
        } else {
            self.clone()
        }
    }

    /// Counts of an unknown number of iterations as shares, without numbers of calls.
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

    /// The profile of one of some iterations.
    #[must_use]
    pub fn each(self, iterations: u64) -> Self {
        let unit = self.unit;
        #[expect(clippy::cast_precision_loss, reason = "some thousands")]
        self.scaled(1.0 / iterations.max(1) as f64, unit)
    }

    /// The samples as the time of one operation, which is known up to a share of it.
    #[must_use]
    pub fn of_operation(self, nanoseconds: f64, noise: f64) -> Self {
        let factor = nanoseconds / self.total();
        let mut profile = self.scaled(factor, Unit::Nanoseconds);
        for function in &mut profile.functions {
            function.deviation = function.deviation.hypot(function.own * noise);
        }
        profile
    }

    /// The profile of the iterations that a longer launch has more than a shorter one: without the start of the program.
    #[must_use]
    pub fn without(mut self, shorter: &Self) -> Self {
        let of: HashMap<&str, &Function> = shorter
            .functions
            .iter()
            .map(|function| (&*function.name, function))
            .collect();
        let name = |profile: &Self, call: &Call| {
            [call.caller, call.callee].map(|index| profile.functions[index].name.clone())
        };
        let calls: HashMap<_, _> = shorter
            .calls
            .iter()
            .map(|call| (name(shorter, call), call))
            .collect();
        let names: Vec<_> = self.calls.iter().map(|call| name(&self, call)).collect();
        for (call, name) in self.calls.iter_mut().zip(names) {
            let Some(other) = calls.get(&name) else {
                continue;
            };
            call.cost = (call.cost - other.cost).max(0.0);
            call.count = call
                .count
                .zip(other.count)
                .map(|(count, other)| count.saturating_sub(other));
        }
        for function in &mut self.functions {
            let Some(other) = of.get(&*function.name) else {
                continue;
            };
            function.own = (function.own - other.own).max(0.0);
            function.inclusive = (function.inclusive - other.inclusive).max(0.0);
            function.calls = function
                .calls
                .zip(other.calls)
                .map(|(calls, other)| calls.saturating_sub(other));
        }
        self
    }

    /// The profile with the functions that only another one has, without a cost: what allocates nothing is in no profile of
    /// allocations.
    #[must_use]
    pub fn with_functions_of(mut self, other: &Self) -> Self {
        let known: HashSet<&str> = self
            .functions
            .iter()
            .map(|function| &*function.name)
            .collect();
        let missing = other
            .functions
            .iter()
            .filter(|function| !known.contains(&*function.name));
        let missing = missing.map(|function| Function {
            name: function.name.clone(),
            file: function.file.clone(),
            ..Function::default()
        });
        let missing: Vec<Function> = missing.collect();
        self.functions.extend(missing);
        self
    }

    /// The least cost of each function in several profiles of one command, with the distance of its two least costs. `None` if
    /// there is no profile.
    pub fn quietest(profiles: &[Self]) -> Option<Self> {
        let mut quietest = profiles
            .iter()
            .min_by(|a, b| a.total().total_cmp(&b.total()))?
            .clone();
        if profiles.len() < 2 || quietest.samples.is_some() || quietest.unit.is_counted() {
            return Some(quietest);
        }
        for function in &mut quietest.functions {
            let of = |profile: &Self| profile.own_of(&function.name);
            let mut costs: Vec<f64> = profiles.iter().map(of).collect();
            costs.sort_by(f64::total_cmp);
            function.inclusive -= function.own - costs[0];
            function.own = costs[0];
            function.deviation = costs[1] - costs[0];
        }
        Some(quietest)
    }

    fn own_of(&self, name: &str) -> f64 {
        self.functions
            .iter()
            .find(|function| function.name == name)
            .map_or(0.0, |function| function.own)
    }
}
