//! The functions that explain the growth of a cost.
//!
//! The cost of a function is its calls, times the cost of its own code and of the calls that each makes. So the growth of
//! a whole program has one cause in one function for each part of it: more calls are the caller's doing, a higher cost of
//! a call that of the function itself. What a library costs more is the doing of whoever called it, and so is what a function
//! without a change costs more, if a changed one called it.

use std::collections::{BTreeMap, HashMap};

use crate::why::profile::{Call, Function, Profile, Unit};

/// Standard deviations of the sampling error that a cause has to exceed: hundreds of functions are looked at, but few of
/// them changed.
const DEVIATIONS: f64 = 3.5;
const DEVIATIONS_CHANGED: f64 = 2.0;
/// Smaller causes are left out; a share of the base and the growth.
const OF_BASE: f64 = 0.001;
const OF_GROWTH: f64 = 0.03;
/// A changed function with at least this share is listed before unchanged ones.
const LEADS: f64 = 0.08;
/// The smallest share of the added cost of all changed functions that makes one of them the likely cause.
const MAIN: f64 = 0.8;
/// Smaller new or removed functions are left out.
const NOTABLE: f64 = 0.01;
/// The share of the whole change by which the parts may differ from it before counted calls are not believed.
const INCONSISTENT: f64 = 0.5;
/// The number of callers above a library's function among which the project's own code is looked for.
const FARTHEST: usize = 24;

/// The place of a function in the project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Not of the project.
    #[default]
    Library,
    /// Of the project, without a change.
    Own,
    /// Different on both sides.
    Changed,
}

/// The difference of two profiles.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Comparison {
    /// The cost unit; samples have shares.
    pub unit: Unit,
    /// The cost of base and current side.
    pub totals: [f64; 2],
    /// Samples per side, if costs are estimates.
    pub samples: [Option<u64>; 2],
    /// The functions that explain the change, changed ones and the largest part of it first; empty if none stands out.
    pub causes: Vec<Cause>,
    /// Changed functions with their inclusive costs, the largest first.
    pub changed: Vec<(String, [f64; 2])>,
    /// Functions that only the current side has, with their inclusive cost.
    pub new: Vec<(String, f64)>,
    /// Functions that only the base has.
    pub gone: Vec<(String, f64)>,
}

/// A function that explains a part of the change.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Cause {
    /// The function.
    pub function: String,
    /// Its file and lines, if known.
    pub file: Option<String>,
    /// The first and the last known line.
    pub lines: Option<(u32, u32)>,
    /// Its place in the project.
    pub role: Role,
    /// The part of the change that it explains.
    pub change: f64,
    /// The same as a share of the whole change.
    pub share: f64,
    /// The inclusive costs.
    pub inclusive: [f64; 2],
    /// Calls, if they are counted.
    pub calls: [Option<u64>; 2],
    /// The largest part of the reason.
    pub reason: Reason,
    /// The caller with most of its cost.
    pub caller: Option<String>,
    /// True if its change is within the error of the profiler, and no other changed function explains more.
    pub is_likely: bool,
}

/// The reason a function explains a change.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A dearer body: the factor by which its own code costs more, for each call where calls are counted.
    Own(f64),
    /// More calls of another function: the factor of their number.
    Calls(String, f64),
    /// A call that it did not make before.
    NowCalls(String),
    /// A call that it no longer makes.
    NoLongerCalls(String),
    /// The cost is in a library that it calls.
    Within(String),
}

/// A part of the change that is blamed on a function.
#[derive(Clone, Debug, Default)]
struct Blame {
    change: f64,
    variance: f64,
    /// The parts of it.
    reasons: Vec<(f64, Option<Reason>)>,
}

/// Compares two profiles of one unit. Where times are too noisy for samples, their shares are compared, which a busy machine
/// leaves alone.
pub fn compare(base: &Profile, current: &Profile, role: &dyn Fn(&Function) -> Role) -> Comparison {
    let comparison = compare_costs(base, current, role);
    let stands_out =
        |comparison: &Comparison| comparison.causes.iter().any(|cause| !cause.is_likely);
    if stands_out(&comparison) || base.samples.is_none() || base.unit == Unit::Samples {
        return comparison;
    }
    let shares = [base, current].map(Profile::shares);
    let shares = compare_costs(&shares[0], &shares[1], role);
    if stands_out(&shares) {
        shares
    } else {
        comparison
    }
}

fn compare_costs(
    base: &Profile,
    current: &Profile,
    role: &dyn Fn(&Function) -> Role,
) -> Comparison {
    let sides = [base, current].map(Profile::in_shares);
    let both = Both::of([&sides[0], &sides[1]], role);
    let mut blames = both.blames();
    let change = sides[1].total() - sides[0].total();
    let blamed: f64 = blames.iter().map(|blame| blame.change).sum();
    if base.unit.is_counted() && (blamed - change).abs() > INCONSISTENT * change.abs() {
        blames = both.own_blames();
    }
    for least in [Role::Own, Role::Changed] {
        both.move_up(&mut blames, least);
    }
    both.move_inside(&mut blames);
    both.comparison(&blames)
}

/// The functions of both sides by one index.
struct Both<'p> {
    sides: [&'p Profile; 2],
    functions: Vec<[Option<&'p Function>; 2]>,
    calls: BTreeMap<(usize, usize), [Option<Call>; 2]>,
    /// The calls of each function, if they are counted on both sides.
    counts: Vec<Option<[f64; 2]>>,
    roles: Vec<Role>,
}

#[expect(clippy::cast_precision_loss, reason = "numbers of calls and samples")]
fn float(count: u64) -> f64 {
    count as f64
}

/// The function as the current side has it, else the base.
fn any<'p>(pair: &[Option<&'p Function>; 2]) -> Option<&'p Function> {
    pair[1].or(pair[0])
}

impl<'p> Both<'p> {
    fn of(sides: [&'p Profile; 2], role: &dyn Fn(&Function) -> Role) -> Self {
        let mut indexes: HashMap<&str, usize> = HashMap::new();
        let (functions, calls) = (Vec::new(), BTreeMap::new());
        let mut both = Self {
            sides,
            functions,
            calls,
            counts: Vec::new(),
            roles: Vec::new(),
        };
        for (side, profile) in sides.into_iter().enumerate() {
            for function in &profile.functions {
                let index = *indexes
                    .entry(&function.name)
                    .or_insert(both.functions.len());
                both.functions
                    .resize(both.functions.len().max(index + 1), [None; 2]);
                both.functions[index][side] = Some(function);
            }
            for call in profile
                .calls
                .iter()
                .filter(|call| call.caller != call.callee)
            {
                let [caller, callee] = [call.caller, call.callee]
                    .map(|index| indexes[&*profile.functions[index].name]);
                both.calls.entry((caller, callee)).or_default()[side] = Some(*call);
            }
        }
        let counts = |pair: &[Option<&Function>; 2]| {
            let [base, current] = pair.map(|function| function.and_then(|function| function.calls));
            Some([float(base?.max(1)), float(current?.max(1))])
        };
        both.counts = both.functions.iter().map(counts).collect();
        both.roles = both
            .functions
            .iter()
            .map(|pair| any(pair).map_or(Role::Library, role))
            .collect();
        both
    }

    fn name(&self, index: usize) -> String {
        any(&self.functions[index])
            .map(|function| function.name.clone())
            .unwrap_or_default()
    }

    /// The blame of each function.
    fn blames(&self) -> Vec<Blame> {
        let mut blames = vec![Blame::default(); self.functions.len()];
        let mut has_callers = vec![false; self.functions.len()];
        self.calls
            .keys()
            .for_each(|(_, callee)| has_callers[*callee] = true);
        for (index, pair) in self.functions.iter().enumerate() {
            let own = pair.map(|function| function.map_or(0.0, |function| function.own));
            let growth = self.counts[index].map_or(1.0, |[base, current]| current / base);
            let is_comparable = (pair[0].is_some() && pair[1].is_some()) || !has_callers[index];
            if is_comparable {
                let before = own[0] * growth;
                blames[index].change += own[1] - before;
                blames[index]
                    .reasons
                    .push((own[1] - before, Some(Reason::Own(own[1] / before))));
                let deviations =
                    pair.map(|function| function.map_or(0.0, |function| function.deviation));
                blames[index].variance += deviations
                    .map(|deviation| deviation * deviation)
                    .iter()
                    .sum::<f64>();
            }
        }
        for (&(caller, callee), calls) in &self.calls {
            if let Some((change, reason)) = self.of_call(caller, callee, calls) {
                let blame = &mut blames[caller];
                blame.change += change;
                blame.variance += change.abs() * self.weight(usize::from(change > 0.0));
                blame.reasons.push((change, Some(reason)));
            }
        }
        blames
    }

    /// The same without the calls, whose costs a profiler gets wrong where a program changes its stack, as between goroutines:
    /// the change of each function's own cost.
    fn own_blames(&self) -> Vec<Blame> {
        let of = |(pair, counts): (&[Option<&Function>; 2], &Option<[f64; 2]>)| {
            let [before, after] =
                pair.map(|function| function.map_or(0.0, |function| function.own));
            let deviations =
                pair.map(|function| function.map_or(0.0, |function| function.deviation));
            let growth = counts.map_or(1.0, |[base, current]| current / base);
            let in_each_call = after - before * growth;
            // More calls have no ratio, as their callers are not believed.
            let is_in_each_call = in_each_call.abs() * 2.0 >= (after - before).abs();
            let ratio = if is_in_each_call {
                after / (before * growth)
            } else {
                f64::INFINITY
            };
            Blame {
                change: after - before,
                variance: deviations
                    .map(|deviation| deviation * deviation)
                    .iter()
                    .sum(),
                reasons: vec![(after - before, Some(Reason::Own(ratio)))],
            }
        };
        self.functions.iter().zip(&self.counts).map(of).collect()
    }

    /// The cost of one sample.
    fn weight(&self, side: usize) -> f64 {
        let profile = self.sides[side];
        profile
            .samples
            .map_or(0.0, |samples| profile.total() / float(samples.max(1)))
    }

    /// The change that a caller makes by calling more or less often.
    fn of_call(
        &self,
        caller: usize,
        callee: usize,
        calls: &[Option<Call>; 2],
    ) -> Option<(f64, Reason)> {
        // A function of one side is its callers' doing.
        let [Some(_), Some(_)] = self.functions[caller] else {
            return None;
        };
        let name = self.name(callee);
        let counts = calls.map(|call| call.map_or(Some(0), |call| call.count));
        let is_on_both = self.functions[callee].iter().all(Option::is_some);
        match (calls, counts) {
            ([None, Some(call)], [_, None]) if !is_on_both => {
                Some((call.cost, Reason::NowCalls(name)))
            }
            ([Some(call), None], [None, _]) if !is_on_both => {
                Some((-call.cost, Reason::NoLongerCalls(name)))
            }
            (_, [Some(before), Some(after)]) => {
                let growth = self.counts[caller].map_or(1.0, |[base, current]| current / base);
                let (before, after) = (float(before) * growth, float(after));
                let cost = self.cost_of_a_call(callee, calls)?;
                let reason = match calls {
                    [None, _] => Reason::NowCalls(name),
                    [_, None] => Reason::NoLongerCalls(name),
                    _ => Reason::Calls(name, after / before),
                };
                Some(((after - before) * cost, reason))
            }
            _ => None,
        }
    }

    /// The inclusive cost of a call as the base has it.
    fn cost_of_a_call(&self, callee: usize, calls: &[Option<Call>; 2]) -> Option<f64> {
        let of_call = |call: &Option<Call>| {
            let call = (*call)?;
            Some(call.cost / float(call.count.filter(|count| *count > 0)?))
        };
        let of_callee = || {
            Some(self.functions[callee][0]?.inclusive / self.counts[callee].map(|[base, _]| base)?)
        };
        of_call(&calls[0])
            .or_else(of_callee)
            .or_else(|| of_call(&calls[1]))
    }

    /// The function that calls another one. A profile knows the calls of what is inlined as those of the outermost function;
    /// where this one has no change, and a changed one is inlined beside it, that one may have added the calls.
    fn caller(&self, [caller, callee]: [usize; 2], adopters: &BTreeMap<usize, usize>) -> usize {
        let is_own = [caller, callee].map(|index| self.roles[index] == Role::Own) == [true, true];
        let adopter = adopters
            .get(&caller)
            .filter(|_| is_own && self.is_inlined([caller, callee]));
        adopter.copied().unwrap_or(caller)
    }

    /// By function, the changed one with the largest blame of those that are inlined into it.
    fn adopters(&self, blames: &[Blame]) -> BTreeMap<usize, usize> {
        let mut adopters: BTreeMap<usize, usize> = BTreeMap::new();
        for &(caller, callee) in self.calls.keys() {
            if self.roles[callee] == Role::Changed && self.is_inlined([caller, callee]) {
                let adopter = adopters.entry(caller).or_insert(callee);
                if blames[callee].change.abs() > blames[*adopter].change.abs() {
                    *adopter = callee;
                }
            }
        }
        adopters
    }

    fn is_inlined(&self, [caller, callee]: [usize; 2]) -> bool {
        let mut calls = self
            .calls
            .get(&(caller, callee))
            .into_iter()
            .flatten()
            .flatten();
        self.sides[1].unit.is_counted() && calls.all(|call| call.count.is_none())
    }

    /// Moves what is blamed on functions of a lower role to the callers of this role, directly or by others, by how much the
    /// calls changed.
    fn move_up(&self, blames: &mut [Blame], least: Role) {
        let is_target = |index: usize| self.roles[index] >= least;
        let adopters = if least == Role::Changed {
            self.adopters(blames)
        } else {
            BTreeMap::new()
        };
        let mut callers: Vec<Vec<(usize, f64)>> = vec![Vec::new(); self.roles.len()];
        for (&(caller, callee), calls) in &self.calls {
            let [before, after] = calls.map(|call| call.map_or(0.0, |call| call.cost));
            callers[callee].push((self.caller([caller, callee], &adopters), after - before));
        }
        let mut leads_there: Vec<bool> = (0..self.roles.len()).map(is_target).collect();
        for _ in 0..FARTHEST {
            for (caller, callee) in self.calls.keys() {
                leads_there[*callee] |= leads_there[*caller];
            }
        }
        for _ in 0..FARTHEST {
            for index in (0..self.roles.len()).filter(|index| !is_target(*index)) {
                let is_same = |change: f64| change * blames[index].change > 0.0;
                let is_up =
                    |(caller, change): &&(usize, f64)| leads_there[*caller] && is_same(*change);
                let up: Vec<_> = callers[index].iter().filter(is_up).copied().collect();
                let sum: f64 = up.iter().map(|(_, change)| change).sum();
                if up.is_empty() {
                    continue;
                }
                let moved = std::mem::take(&mut blames[index]);
                for (caller, change) in up {
                    let share = change / sum;
                    let blame = &mut blames[caller];
                    blame.change += moved.change * share;
                    blame.variance += moved.variance * share;
                    let within = Reason::Within(self.name(index));
                    blame
                        .reasons
                        .push((moved.change * share, is_target(caller).then_some(within)));
                }
            }
        }
    }

    /// Moves what is left on functions without a change to the changed ones that are inlined into them: of what these take from
    /// a library, a profile only knows the outermost function.
    fn move_inside(&self, blames: &mut [Blame]) {
        for &(caller, callee) in self.calls.keys() {
            let is_inlined = self.is_inlined([caller, callee]);
            if is_inlined && self.roles[callee] == Role::Changed && self.roles[caller] == Role::Own
            {
                let moved = std::mem::take(&mut blames[caller]);
                blames[callee].change += moved.change;
                blames[callee].variance += moved.variance;
                blames[callee].reasons.extend(moved.reasons);
            }
        }
    }

    fn comparison(&self, blames: &[Blame]) -> Comparison {
        let totals = self.sides.map(Profile::total);
        let change = totals[1] - totals[0];
        let is_share = self.sides[0].unit == Unit::Samples;
        // Sample shares cannot grow: one function gains only if others lose.
        let parts = blames
            .iter()
            .map(|blame| blame.change.max(0.0))
            .sum::<f64>();
        let (sign, whole) = if is_share {
            (1.0, parts)
        } else {
            (change.signum(), change.abs())
        };
        let least = f64::max(totals[0] * OF_BASE, whole * OF_GROWTH);
        let stands_out = |(index, blame): &(usize, &Blame)| {
            let deviations = if self.roles[*index] == Role::Changed {
                DEVIATIONS_CHANGED
            } else {
                DEVIATIONS
            };
            blame.change * sign > least.max(deviations * blame.variance.max(0.0).sqrt())
        };
        let found = blames.iter().enumerate().filter(stands_out);
        let mut causes: Vec<Cause> = found
            .filter_map(|(index, blame)| self.cause(index, blame, sign, whole))
            .collect();
        let rank = |cause: &Cause| {
            if cause.role == Role::Changed && cause.share < LEADS {
                Role::Own
            } else {
                cause.role
            }
        };
        causes.extend(if causes.is_empty() {
            self.likely(blames, sign, [whole, least])
        } else {
            None
        });
        causes.sort_by(|a, b| {
            rank(b)
                .cmp(&rank(a))
                .then((b.change * sign).total_cmp(&(a.change * sign)))
        });
        if let Some(share) = causes
            .first()
            .filter(|first| first.role > Role::Library)
            .map(|first| first.share)
        {
            // Library causes without a caller in the project that are smaller, or larger than the whole, are start-up or
            // runtime work.
            let is_part = |cause: &Cause| cause.share > share && (is_share || cause.share <= 1.0);
            causes.retain(|cause| cause.role > Role::Library || is_part(cause));
        }
        let [gone, new] = [0, 1].map(|side| self.only_on(side));
        Comparison {
            unit: self.sides[0].unit,
            totals,
            samples: self.sides.map(|side| side.samples),
            causes,
            changed: self.changed(),
            new,
            gone,
        }
    }

    /// The changed function that accounts for at least [`MAIN`] of the added cost of all changed functions.
    fn likely(&self, blames: &[Blame], sign: f64, [whole, least]: [f64; 2]) -> Option<Cause> {
        let changed = blames
            .iter()
            .enumerate()
            .filter(|(index, _)| self.roles[*index] == Role::Changed);
        let growing: Vec<(usize, &Blame)> = changed
            .filter(|(_, blame)| blame.change * sign > least)
            .collect();
        let sum: f64 = growing.iter().map(|(_, blame)| blame.change.abs()).sum();
        let (index, blame) = growing
            .into_iter()
            .find(|(_, blame)| blame.change.abs() >= MAIN * sum)?;
        Some(Cause {
            is_likely: true,
            ..self.cause(index, blame, sign, whole)?
        })
    }

    fn changed(&self) -> Vec<(String, [f64; 2])> {
        let changed = (0..self.roles.len()).filter(|index| self.roles[*index] == Role::Changed);
        let costs = |index: usize| {
            self.functions[index]
                .map(|function| function.map_or(0.0, |function| function.inclusive))
        };
        let mut changed: Vec<_> = changed
            .map(|index| (self.name(index), costs(index)))
            .collect();
        changed.sort_by(|a, b| b.1[1].total_cmp(&a.1[1]));
        changed
    }

    fn cause(&self, index: usize, blame: &Blame, sign: f64, whole: f64) -> Option<Cause> {
        let pair = &self.functions[index];
        let function = any(pair)?;
        let most = blame
            .reasons
            .iter()
            .max_by(|a, b| (a.0 * sign).total_cmp(&(b.0 * sign)))?;
        let callers = self
            .calls
            .iter()
            .filter(|((_, callee), _)| *callee == index);
        let cost = |calls: &[Option<Call>; 2]| calls[1].or(calls[0]).map_or(0.0, |call| call.cost);
        let caller = callers
            .max_by(|a, b| cost(a.1).total_cmp(&cost(b.1)))
            .map(|((caller, _), _)| self.name(*caller));
        Some(Cause {
            function: function.name.clone(),
            file: function.file.clone(),
            lines: function.lines,
            role: self.roles[index],
            change: blame.change,
            share: blame.change.abs() / whole,
            inclusive: pair.map(|function| function.map_or(0.0, |function| function.inclusive)),
            calls: pair.map(|function| function.and_then(|function| function.calls)),
            reason: most.1.clone().unwrap_or(Reason::Own(f64::INFINITY)),
            caller,
            is_likely: false,
        })
    }

    /// Functions of only one side; if some belong to the project, only those.
    fn only_on(&self, side: usize) -> Vec<(String, f64)> {
        let least = self.sides[side].total() * NOTABLE;
        let lowest = self
            .roles
            .iter()
            .max()
            .copied()
            .unwrap_or_default()
            .min(Role::Own);
        let only = self.functions.iter().zip(&self.roles);
        let only = only.filter(|(pair, role)| pair[1 - side].is_none() && **role >= lowest);
        let costs =
            only.filter_map(|(pair, _)| Some((pair[side]?.name.clone(), pair[side]?.inclusive)));
        let mut found: Vec<(String, f64)> = costs.filter(|(_, cost)| *cost >= least).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        found
    }
}
