//! Builds profiles from calls or stacks.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::bail;

use super::names::identity;
use super::{Call, Function, Profile, Unit};

/// A profile under construction.
#[derive(Default)]
pub struct Builder {
    profile: Profile,
    indexes: HashMap<String, usize>,
    calls: BTreeMap<(usize, usize), (Option<u64>, f64)>,
    stacks: BTreeMap<Vec<usize>, f64>,
}

impl Builder {
    /// Finds or creates a function, and returns its index.
    pub fn function(&mut self, name: &str, file: Option<&str>) -> usize {
        let name = identity(name);
        if let Some(index) = self.indexes.get(name) {
            return *index;
        }
        let index = self.profile.functions.len();
        let file = file
            .filter(|file| !file.is_empty() && *file != "???")
            .map(str::to_owned);
        self.profile.functions.push(Function {
            name: name.to_owned(),
            file,
            ..Function::default()
        });
        self.indexes.insert(name.to_owned(), index);
        index
    }

    pub fn get(&mut self, index: usize) -> &mut Function {
        &mut self.profile.functions[index]
    }

    /// Extends a function's range of known lines to this line.
    pub fn line(&mut self, index: usize, line: u32) {
        if line > 0 {
            let lines = &mut self.get(index).lines;
            *lines = Some(lines.map_or((line, line), |(first, last)| {
                (first.min(line), last.max(line))
            }));
        }
    }

    /// Adds calls with their inclusive cost. If the count of some calls is unknown, the sum is unknown.
    pub fn call(&mut self, caller: usize, callee: usize, count: Option<u64>, cost: f64) {
        let call = self
            .calls
            .entry((caller, callee))
            .or_insert((count.map(|_| 0), 0.0));
        call.0 = call
            .0
            .zip(count)
            .map(|(sum, count)| sum.saturating_add(count));
        call.1 += cost;
    }

    /// Adds samples with the same stack, outermost function first.
    pub fn stack(&mut self, frames: Vec<usize>, cost: f64) {
        *self.stacks.entry(frames).or_default() += cost;
    }

    /// Builds a profile from calls. If costs are instructions, sums up the inclusive costs. For other units, the caller has
    /// already set the inclusive costs.
    pub fn of_calls(mut self, unit: Unit) -> anyhow::Result<Profile> {
        let profile = &mut self.profile;
        profile.unit = unit;
        for function in &mut profile.functions {
            if function.inclusive == 0.0 {
                function.inclusive = function.own;
            }
        }
        for (&(caller, callee), &(count, cost)) in &self.calls {
            profile.calls.push(Call {
                caller,
                callee,
                count,
                cost,
            });
            if unit != Unit::Instructions || caller == callee {
                continue;
            }
            profile.functions[caller].inclusive += cost;
            if let Some(count) = count {
                let calls = &mut profile.functions[callee].calls;
                *calls = Some(calls.unwrap_or_default().saturating_add(count));
            }
        }
        self.checked()
    }

    /// Builds a profile from sampled stacks.
    pub fn of_stacks(mut self) -> anyhow::Result<Profile> {
        self.profile.unit = Unit::Samples;
        self.add_stacks();
        let total = self.profile.total();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of samples"
        )]
        let samples = total as u64;
        self.profile.samples = Some(samples);
        for function in &mut self.profile.functions {
            // The standard deviation of a binomial distribution.
            function.deviation = (function.own * (1.0 - function.own / total.max(1.0)))
                .max(0.0)
                .sqrt();
        }
        self.checked()
    }

    fn add_stacks(&mut self) {
        let profile = &mut self.profile;
        let mut calls: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for (frames, cost) in &self.stacks {
            let Some(leaf) = frames.last() else { continue };
            profile.functions[*leaf].own += cost;
            // Add the cost of a stack only once to a recursive function.
            for index in frames.iter().collect::<BTreeSet<_>>() {
                profile.functions[*index].inclusive += cost;
            }
            let pairs = frames.windows(2).map(|pair| (pair[0], pair[1]));
            for pair in pairs.collect::<BTreeSet<_>>() {
                *calls.entry(pair).or_default() += cost;
            }
        }
        for ((caller, callee), cost) in calls {
            profile.calls.push(Call {
                caller,
                callee,
                count: None,
                cost,
            });
        }
        profile.stacks = std::mem::take(&mut self.stacks).into_iter().collect();
    }

    fn checked(self) -> anyhow::Result<Profile> {
        if self.profile.total() > 0.0 {
            return Ok(self.profile);
        }
        bail!("the profile is empty");
    }
}
