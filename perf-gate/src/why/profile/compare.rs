//! Finds the functions that explain a cost difference between two profiles.
//!
//! A function's cost is its number of calls times the cost per call, which consists of its own code and the calls it makes.
//! So every part of the difference can be attributed to one function: more calls to the caller, a higher own cost per call to
//! the function itself. The additional cost of library functions is attributed to their callers in the project, and the
//! additional cost of unchanged functions to changed callers.

use std::collections::{BTreeMap, HashMap};

use crate::why::profile::{Call, Function, Profile, Unit};

/// The number of standard deviations of the sampling error that a cause must exceed. Fewer for changed functions, because
/// there are only a few of them among hundreds.
const DEVIATIONS: f64 = 3.5;
const DEVIATIONS_CHANGED: f64 = 2.0;
/// The minimum size of a cause, as shares of the base's total and of the growth.
const OF_BASE: f64 = 0.001;
const OF_GROWTH: f64 = 0.03;
/// The minimum share with which a changed function is listed before unchanged ones.
const LEADS: f64 = 0.08;
/// The minimum share of all changed functions' added cost that makes one of them the likely cause.
const MAIN: f64 = 0.8;
/// The minimum share of the total for listing a new or removed function.
const NOTABLE: f64 = 0.01;
/// If the attributed parts differ from the total change by more than this share of it, counted calls are not used.
const INCONSISTENT: f64 = 0.5;
/// The maximum number of calls between a library function and the project's code that calls it.
const FARTHEST: usize = 24;

/// A function's relation to the project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Outside the project.
    #[default]
    Library,
    /// An unchanged function in the project.
    Own,
    /// A changed function in the project.
    Changed,
}

/// The difference of two profiles.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Comparison {
    /// The cost unit. Costs in samples are shares.
    pub unit: Unit,
    /// The total costs of base and head.
    pub totals: [f64; 2],
    /// The numbers of samples in base and head, if costs are estimates.
    pub samples: [Option<u64>; 2],
    /// The functions that explain the change, changed functions and large parts first. Empty if none stands out.
    pub causes: Vec<Cause>,
    /// Changed functions with their inclusive costs, largest first.
    pub changed: Vec<(String, [f64; 2])>,
    /// Functions that exist only in the head, with their inclusive cost.
    pub new: Vec<(String, f64)>,
    /// Functions that exist only in the base, with their inclusive cost.
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
    /// Its relation to the project.
    pub role: Role,
    /// The part of the change that it explains.
    pub change: f64,
    /// That part as a share of the total change.
    pub share: f64,
    /// The inclusive costs in base and head.
    pub inclusive: [f64; 2],
    /// The numbers of calls in base and head, if they are counted.
    pub calls: [Option<u64>; 2],
    /// The main reason.
    pub reason: Reason,
    /// The caller with the largest part of its cost.
    pub caller: Option<String>,
    /// True if its change is within the profiler's error, and no other changed function explains more.
    pub is_likely: bool,
}

/// The reason why a function's cost changed.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Its own code costs more, by this factor. Per call if calls are counted.
    Own(f64),
    /// It calls another function more often, by this factor.
    Calls(String, f64),
    /// It calls a function that it did not call before.
    NowCalls(String),
    /// It no longer calls a function.
    NoLongerCalls(String),
    /// A library function that it calls costs more.
    Within(String),
}

/// The part of the change that is attributed to a function.
#[derive(Clone, Debug, Default)]
struct Blame {
    change: f64,
    variance: f64,
    /// The parts of the change, each with its reason.
    reasons: Vec<(f64, Option<Reason>)>,
}

/// Compares two profiles with the same unit. If sampled times are too noisy, compares shares, which background load affects
/// less.
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
    let both = Both::new([&sides[0], &sides[1]], role);
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

/// The functions of base and head with common indexes.
struct Both<'p> {
    sides: [&'p Profile; 2],
    functions: Vec<[Option<&'p Function>; 2]>,
    calls: BTreeMap<(usize, usize), [Option<Call>; 2]>,
    /// The numbers of calls to each function, if they are counted in base and head.
    counts: Vec<Option<[f64; 2]>>,
    roles: Vec<Role>,
}

#[expect(clippy::cast_precision_loss, reason = "numbers of calls and samples")]
fn float(count: u64) -> f64 {
    count as f64
}

/// The head's version of a function, or the base's if the head does not contain it.
fn newest<'p>(pair: &[Option<&'p Function>; 2]) -> Option<&'p Function> {
    pair[1].or(pair[0])
}

impl<'p> Both<'p> {
    fn new(sides: [&'p Profile; 2], role: &dyn Fn(&Function) -> Role) -> Self {
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
            .map(|pair| newest(pair).map_or(Role::Library, role))
            .collect();
        both
    }

    fn name(&self, index: usize) -> String {
        newest(&self.functions[index])
            .map(|function| function.name.clone())
            .unwrap_or_default()
    }

    /// Attributes the change to functions: own cost per call to the function, changed calls to the caller.
    fn blames(&self) -> Vec<Blame> {
        let mut blames = vec![Blame::default(); self.functions.len()];
        let mut has_callers = vec![false; self.functions.len()];
        self.calls
            .keys()
            .for_each(|(_, callee)| has_callers[*callee] = true);
        // Changes of the own cost per call.
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
        // Changes of the number of calls.
        for (&(caller, callee), calls) in &self.calls {
            if let Some((change, reason)) = self.call_change(caller, callee, calls) {
                let blame = &mut blames[caller];
                blame.change += change;
                blame.variance += change.abs() * self.weight(usize::from(change > 0.0));
                blame.reasons.push((change, Some(reason)));
            }
        }
        blames
    }

    /// Attributes the change by each function's own cost only. Profilers get the costs of calls wrong if a program switches
    /// stacks, such as between goroutines.
    fn own_blames(&self) -> Vec<Blame> {
        let blame = |(pair, counts): (&[Option<&Function>; 2], &Option<[f64; 2]>)| {
            let [before, after] =
                pair.map(|function| function.map_or(0.0, |function| function.own));
            let deviations =
                pair.map(|function| function.map_or(0.0, |function| function.deviation));
            let growth = counts.map_or(1.0, |[base, current]| current / base);
            let in_each_call = after - before * growth;
            // Don't show a ratio if most of the change comes from more calls.
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
        self.functions.iter().zip(&self.counts).map(blame).collect()
    }

    /// The cost of one sample.
    fn weight(&self, side: usize) -> f64 {
        let profile = self.sides[side];
        profile
            .samples
            .map_or(0.0, |samples| profile.total() / float(samples.max(1)))
    }

    /// The change caused by a caller that calls a function more or less often.
    fn call_change(
        &self,
        caller: usize,
        callee: usize,
        calls: &[Option<Call>; 2],
    ) -> Option<(f64, Reason)> {
        // A caller that exists on one side only is itself attributed to its callers.
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
                let cost = self.cost_per_call(callee, calls)?;
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

    /// The inclusive cost per call, in the base if possible.
    fn cost_per_call(&self, callee: usize, calls: &[Option<Call>; 2]) -> Option<f64> {
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

    /// The function that probably made a call. Profiles attribute the calls of inlined functions to the function that contains
    /// them. If that one is unchanged but contains a changed inlined function, the changed one may have added the call.
    fn caller(&self, [caller, callee]: [usize; 2], adopters: &BTreeMap<usize, usize>) -> usize {
        let is_own = [caller, callee].map(|index| self.roles[index] == Role::Own) == [true, true];
        let adopter = adopters
            .get(&caller)
            .filter(|_| is_own && self.is_inlined([caller, callee]));
        adopter.copied().unwrap_or(caller)
    }

    /// For each function, the changed inlined function with the largest change.
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

    /// Moves changes from functions below a role to their direct or indirect callers of at least this role, in proportion to
    /// the changes of the calls' costs.
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
        // Find the functions with a direct or indirect caller of at least this role.
        let mut leads_there: Vec<bool> = (0..self.roles.len()).map(is_target).collect();
        for _ in 0..FARTHEST {
            for (caller, callee) in self.calls.keys() {
                leads_there[*callee] |= leads_there[*caller];
            }
        }
        // Move changes to the direct callers, repeatedly.
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

    /// Moves remaining changes from unchanged functions to the changed functions inlined into them, because profiles attribute
    /// the library calls of inlined functions to the function that contains them.
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
        // The sum of shares is always 1, so use the sum of the increases as the total change.
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
            // Drop library causes without a caller in the project, which are start-up or runtime work, unless they are larger
            // than the first cause and not larger than the total change.
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

    /// The changed function that causes at least [`MAIN`] of all changed functions' added cost.
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
        let function = newest(pair)?;
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

    /// Functions that exist on one side only. If the project's functions are known, only those.
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
