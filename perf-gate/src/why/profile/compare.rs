//! Finds the functions that explain a cost difference between two profiles.
//!
//! A function's cost is its number of calls times the cost per call. The cost per call consists of the function's own code
//! and the calls that it makes. So every part of the difference can be attributed to one function: more calls to the caller,
//! and a higher own cost per call to the function itself. After that, the additional cost of library functions is attributed
//! to their callers in the project, and the additional cost of unchanged functions to changed callers.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Function, Profile, Unit, float};

/// A cause must be larger than this many standard deviations of the sampling error. For changed functions, fewer are enough,
/// because only a few of hundreds of functions changed.
const DEVIATIONS: f64 = 3.5;
const DEVIATIONS_CHANGED: f64 = 2.0;
/// The minimum size of a cause, as a share of the base's total and as a share of the growth.
const OF_BASE: f64 = 0.001;
const OF_GROWTH: f64 = 0.03;
/// A changed function that explains at least this share of the change is listed before unchanged functions.
const LEADS: f64 = 0.08;
/// The first [`CAUSES`] causes must together explain at least this share. Otherwise, the change is spread over the program.
const EXPLAINED: f64 = 0.3;
/// The maximum number of causes in an answer.
pub const CAUSES: usize = 3;
/// A new or removed function is listed if it costs at least this share of the total.
const NOTABLE: f64 = 0.01;
/// If the sum of the attributed parts differs from the total change by more than this share of the change, call counts are
/// ignored.
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
    /// The cost unit. If it is [`Unit::Samples`], costs are shares of the total.
    pub unit: Unit,
    /// The total costs of base and head.
    pub totals: [f64; 2],
    /// The numbers of samples in base and head, or `None` if costs were counted or timed.
    pub samples: [Option<u64>; 2],
    /// The functions that explain the change. Changed functions come first, and larger parts before smaller ones. Empty if
    /// no function stands out.
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
    /// The function's name, as in [`Function::name`].
    pub function: String,
    /// The function's source file, if known.
    pub file: Option<String>,
    /// The function's first and last known line.
    pub lines: Option<(u32, u32)>,
    /// The function's relation to the project.
    pub role: Role,
    /// The part of the change that the function explains, in the comparison's unit.
    pub change: f64,
    /// The absolute value of `change` as a share of the total change.
    pub share: f64,
    /// The function's inclusive costs in base and head.
    pub inclusive: [f64; 2],
    /// The numbers of calls to the function in base and head, if they are counted.
    pub calls: [Option<u64>; 2],
    /// The reason that explains the largest part of `change`.
    pub reason: Reason,
    /// The caller from which the largest part of the function's cost comes.
    pub caller: Option<String>,
}

/// The reason why a function's cost changed.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The function's own code costs this many times as much, per call if calls are counted. Infinite if there is no useful
    /// factor.
    Own(f64),
    /// The function calls another function this many times as often.
    Calls(String, f64),
    /// The function calls another function that it did not call before.
    NowCalls(String),
    /// The function no longer calls another function.
    NoLongerCalls(String),
    /// The function calls a library function that costs more.
    Within(String),
}

/// The part of the change that is attributed to a function.
#[derive(Clone, Debug, Default)]
struct Blame {
    change: f64,
    variance: f64,
    /// The parts of the change, each with its reason.
    reasons: Vec<(f64, Reason)>,
}

impl Blame {
    fn add(&mut self, change: f64, variance: f64, reason: Reason) {
        self.change += change;
        self.variance += variance;
        self.reasons.push((change, reason));
    }
}

/// Compares two profiles with the same unit. If no function stands out in sampled times, compares shares of the total, which
/// background load affects less.
pub fn compare(base: &Profile, current: &Profile, role: &dyn Fn(&Function) -> Role) -> Comparison {
    let comparison = compare_costs(base, current, role);
    if !comparison.causes.is_empty() || base.samples.is_none() || base.unit == Unit::Samples {
        return comparison;
    }
    let shares = compare_costs(&base.shares(), &current.shares(), role);
    if shares.causes.is_empty() {
        comparison
    } else {
        shares
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
    if base.unit == Unit::Instructions && (blamed - change).abs() > INCONSISTENT * change.abs() {
        blames = both.own_blames();
    }
    for least in [Role::Own, Role::Changed] {
        both.move_up(&mut blames, least);
    }
    both.comparison(&blames)
}

/// A function in base and head. On a side that does not contain the function, its costs are zero.
struct FunctionPair<'p> {
    /// The head's version, or the base's if the head does not contain it.
    newest: &'p Function,
    role: Role,
    exists: [bool; 2],
    own: [f64; 2],
    inclusive: [f64; 2],
    /// The variance of the change of the function's own cost.
    variance: f64,
    calls: [Option<u64>; 2],
}

impl FunctionPair<'_> {
    fn is_on_both(&self) -> bool {
        self.exists == [true, true]
    }

    /// The factor by which the function's number of calls grew, or 1 if calls are not counted.
    fn growth(&self) -> f64 {
        match self.calls {
            [Some(base), Some(current)] => float(current.max(1)) / float(base.max(1)),
            _ => 1.0,
        }
    }
}

/// The calls of one function by another, in base and head.
struct CallPair {
    exists: [bool; 2],
    /// The numbers of calls, if they are counted.
    count: [Option<u64>; 2],
    cost: [f64; 2],
}

/// The functions of base and head, with common indexes.
struct Both<'p> {
    sides: [&'p Profile; 2],
    functions: Vec<FunctionPair<'p>>,
    /// The calls by caller and callee.
    calls: BTreeMap<(usize, usize), CallPair>,
}

impl<'p> Both<'p> {
    fn new(sides: [&'p Profile; 2], role: &dyn Fn(&Function) -> Role) -> Self {
        let mut indexes: HashMap<&str, usize> = HashMap::new();
        let mut functions: Vec<FunctionPair<'p>> = Vec::new();
        let mut calls: BTreeMap<(usize, usize), CallPair> = BTreeMap::new();
        for (side, profile) in sides.into_iter().enumerate() {
            for function in &profile.functions {
                let index = *indexes.entry(&function.name).or_insert(functions.len());
                if index == functions.len() {
                    functions.push(FunctionPair {
                        newest: function,
                        role: Role::Library,
                        exists: [false; 2],
                        own: [0.0; 2],
                        inclusive: [0.0; 2],
                        variance: 0.0,
                        calls: [None; 2],
                    });
                }
                let pair = &mut functions[index];
                pair.newest = function;
                pair.exists[side] = true;
                pair.own[side] = function.own;
                pair.inclusive[side] = function.inclusive;
                pair.variance += function.deviation * function.deviation;
                pair.calls[side] = function.calls;
            }
            for call in &profile.calls {
                if call.caller == call.callee {
                    continue;
                }
                let [caller, callee] = call.names(&profile.functions).map(|name| indexes[name]);
                let pair = calls.entry((caller, callee)).or_insert(CallPair {
                    exists: [false; 2],
                    count: [Some(0); 2],
                    cost: [0.0; 2],
                });
                pair.exists[side] = true;
                pair.count[side] = call.count;
                pair.cost[side] = call.cost;
            }
        }
        for pair in &mut functions {
            pair.role = role(pair.newest);
        }
        Self {
            sides,
            functions,
            calls,
        }
    }

    fn name(&self, index: usize) -> String {
        self.functions[index].newest.name.clone()
    }

    /// Attributes the change to functions: a change of the own cost per call to the function itself, and a change of the
    /// number of calls to the caller.
    fn blames(&self) -> Vec<Blame> {
        let mut blames = vec![Blame::default(); self.functions.len()];
        let callees: HashSet<usize> = self.calls.keys().map(|(_, callee)| *callee).collect();
        for (index, pair) in self.functions.iter().enumerate() {
            if pair.is_on_both() || !callees.contains(&index) {
                let before = pair.own[0] * pair.growth();
                let reason = Reason::Own(pair.own[1] / before);
                blames[index].add(pair.own[1] - before, pair.variance, reason);
            }
        }
        for (&(caller, callee), calls) in &self.calls {
            if let Some((change, reason)) = self.call_change(caller, callee, calls) {
                let variance = change.abs() * self.cost_per_sample(usize::from(change > 0.0));
                blames[caller].add(change, variance, reason);
            }
        }
        blames
    }

    /// Attributes the change only by each function's own cost. If a program switches stacks, such as between goroutines,
    /// profilers report wrong costs for calls.
    fn own_blames(&self) -> Vec<Blame> {
        let mut blames = vec![Blame::default(); self.functions.len()];
        for (pair, blame) in self.functions.iter().zip(&mut blames) {
            let [before, after] = pair.own;
            let expected = before * pair.growth();
            // Don't show a ratio if most of the change comes from more calls.
            let is_in_each_call = (after - expected).abs() * 2.0 >= (after - before).abs();
            let ratio = if is_in_each_call {
                after / expected
            } else {
                f64::INFINITY
            };
            blame.add(after - before, pair.variance, Reason::Own(ratio));
        }
        blames
    }

    fn cost_per_sample(&self, side: usize) -> f64 {
        let profile = self.sides[side];
        match profile.samples {
            Some(samples) => profile.total() / float(samples.max(1)),
            None => 0.0,
        }
    }

    /// The change that a caller causes by calling a function more or less often, and the reason.
    fn call_change(&self, caller: usize, callee: usize, calls: &CallPair) -> Option<(f64, Reason)> {
        // If the caller exists on one side only, its whole cost is attributed to its own callers.
        if !self.functions[caller].is_on_both() {
            return None;
        }
        let name = self.name(callee);
        let is_on_both = self.functions[callee].is_on_both();
        match (calls.exists, calls.count) {
            ([false, true], [_, None]) if !is_on_both => {
                Some((calls.cost[1], Reason::NowCalls(name)))
            }
            ([true, false], [None, _]) if !is_on_both => {
                Some((-calls.cost[0], Reason::NoLongerCalls(name)))
            }
            (exists, [Some(before), Some(after)]) => {
                let before = float(before) * self.functions[caller].growth();
                let after = float(after);
                let cost = self.cost_per_call(callee, calls)?;
                let reason = match exists {
                    [false, _] => Reason::NowCalls(name),
                    [_, false] => Reason::NoLongerCalls(name),
                    _ => Reason::Calls(name, after / before),
                };
                Some(((after - before) * cost, reason))
            }
            _ => None,
        }
    }

    /// The inclusive cost per call of a callee, in the base if possible.
    fn cost_per_call(&self, callee: usize, calls: &CallPair) -> Option<f64> {
        let of_calls = |side: usize| match calls.count[side] {
            Some(count) if count > 0 => Some(calls.cost[side] / float(count)),
            _ => None,
        };
        let callee = &self.functions[callee];
        let of_callee = match callee.calls {
            [Some(base), Some(_)] => Some(callee.inclusive[0] / float(base.max(1))),
            _ => None,
        };
        of_calls(0).or(of_callee).or(of_calls(1))
    }

    /// Whether the profiles show the callee's code as inlined into the caller, without counted calls.
    fn is_inlined(&self, calls: &CallPair) -> bool {
        let is_uncounted = |side: usize| !calls.exists[side] || calls.count[side].is_none();
        self.sides[1].unit == Unit::Instructions && is_uncounted(0) && is_uncounted(1)
    }

    /// For each function, finds the changed function with the largest change that is inlined into it.
    fn adopters(&self, blames: &[Blame]) -> BTreeMap<usize, usize> {
        let mut adopters: BTreeMap<usize, usize> = BTreeMap::new();
        for (&(caller, callee), calls) in &self.calls {
            if self.functions[callee].role == Role::Changed && self.is_inlined(calls) {
                let adopter = adopters.entry(caller).or_insert(callee);
                if blames[callee].change.abs() > blames[*adopter].change.abs() {
                    *adopter = callee;
                }
            }
        }
        adopters
    }

    /// Moves changes from functions whose role is below `least` to direct or indirect callers whose role is at least
    /// `least`. Several callers share a change in proportion to the changed costs of their calls.
    fn move_up(&self, blames: &mut [Blame], least: Role) {
        let is_target = |index: usize| self.functions[index].role >= least;
        let is_own = |index: usize| self.functions[index].role == Role::Own;
        let adopters = if least == Role::Changed {
            self.adopters(blames)
        } else {
            BTreeMap::new()
        };
        let count = self.functions.len();
        let mut callers: Vec<Vec<(usize, f64)>> = vec![Vec::new(); count];
        for (&(caller, callee), calls) in &self.calls {
            // Profiles attribute the calls of inlined functions to the function that contains them. If the containing
            // function is unchanged but contains a changed inlined function, the inlined function may have added the call.
            let adopter = adopters.get(&caller).copied();
            let is_adopted = is_own(caller) && is_own(callee) && self.is_inlined(calls);
            let source = adopter.filter(|_| is_adopted).unwrap_or(caller);
            callers[callee].push((source, calls.cost[1] - calls.cost[0]));
        }
        // Find the functions with a direct or indirect caller of at least this role.
        let mut leads_there: Vec<bool> = (0..count).map(is_target).collect();
        for _ in 0..FARTHEST {
            for (caller, callee) in self.calls.keys() {
                leads_there[*callee] |= leads_there[*caller];
            }
        }
        // Move changes up to the direct callers, one level per round.
        for _ in 0..FARTHEST {
            for index in (0..count).filter(|index| !is_target(*index)) {
                let mut up = callers[index].clone();
                let total = blames[index].change;
                up.retain(|(caller, change)| leads_there[*caller] && change * total > 0.0);
                if up.is_empty() {
                    // The library calls of an inlined function are also attributed to the function that contains it.
                    if let Some(adopter) = adopters.get(&index)
                        && is_own(index)
                    {
                        let moved = std::mem::take(&mut blames[index]);
                        let blame = &mut blames[*adopter];
                        blame.change += moved.change;
                        blame.variance += moved.variance;
                        blame.reasons.extend(moved.reasons);
                    }
                    continue;
                }
                let sum: f64 = up.iter().map(|(_, change)| change).sum();
                let moved = std::mem::take(&mut blames[index]);
                for (caller, change) in up {
                    let share = change / sum;
                    let reason = if is_target(caller) {
                        Reason::Within(self.name(index))
                    } else {
                        Reason::Own(f64::INFINITY)
                    };
                    blames[caller].add(moved.change * share, moved.variance * share, reason);
                }
            }
        }
    }

    fn comparison(&self, blames: &[Blame]) -> Comparison {
        let totals = self.sides.map(Profile::total);
        let change = totals[1] - totals[0];
        let is_share = self.sides[0].unit == Unit::Samples;
        let (sign, whole) = if is_share {
            // The sum of shares is always 1, so use the sum of the increases as the total change.
            (1.0, blames.iter().map(|blame| blame.change.max(0.0)).sum())
        } else {
            (change.signum(), change.abs())
        };
        let least = f64::max(totals[0] * OF_BASE, whole * OF_GROWTH);
        let mut causes = Vec::new();
        for (index, blame) in blames.iter().enumerate() {
            let deviations = match self.functions[index].role {
                Role::Changed => DEVIATIONS_CHANGED,
                _ => DEVIATIONS,
            };
            if blame.change * sign > least.max(deviations * blame.variance.max(0.0).sqrt()) {
                causes.extend(self.cause(index, blame, sign, whole));
            }
        }
        let rank = |cause: &Cause| match cause.role {
            Role::Changed if cause.share < LEADS => Role::Own,
            role => role,
        };
        causes.sort_by(|a, b| rank(b).cmp(&rank(a)).then(b.share.total_cmp(&a.share)));
        if let Some(first) = causes.first().filter(|first| first.role > Role::Library) {
            // Library causes without a caller in the project are start-up or runtime work. Keep only those that are larger
            // than the first cause and not larger than the total change.
            let share = first.share;
            let is_part = |cause: &Cause| cause.share > share && (is_share || cause.share <= 1.0);
            causes.retain(|cause| cause.role > Role::Library || is_part(cause));
        }
        let explained: f64 = causes.iter().take(CAUSES).map(|cause| cause.share).sum();
        if explained < EXPLAINED {
            causes.clear();
        }
        let mut changed: Vec<(String, [f64; 2])> = Vec::new();
        for pair in &self.functions {
            if pair.role == Role::Changed {
                changed.push((pair.newest.name.clone(), pair.inclusive));
            }
        }
        changed.sort_by(|a, b| b.1[1].total_cmp(&a.1[1]));
        Comparison {
            unit: self.sides[0].unit,
            totals,
            samples: self.sides.map(|side| side.samples),
            causes,
            changed,
            new: self.only_on(1),
            gone: self.only_on(0),
        }
    }

    fn cause(&self, index: usize, blame: &Blame, sign: f64, whole: f64) -> Option<Cause> {
        let pair = &self.functions[index];
        let (_, reason) = blame
            .reasons
            .iter()
            .max_by(|a, b| (a.0 * sign).total_cmp(&(b.0 * sign)))?;
        let mut caller = None;
        let mut most = f64::NEG_INFINITY;
        for (&(from, to), calls) in &self.calls {
            let cost = calls.cost[usize::from(calls.exists[1])];
            if to == index && cost >= most {
                caller = Some(self.name(from));
                most = cost;
            }
        }
        Some(Cause {
            function: pair.newest.name.clone(),
            file: pair.newest.file.clone(),
            lines: pair.newest.lines,
            role: pair.role,
            change: blame.change,
            share: blame.change.abs() / whole,
            inclusive: pair.inclusive,
            calls: pair.calls,
            reason: reason.clone(),
            caller,
        })
    }

    /// Lists the functions that exist on one side only, largest first. If some functions are known to belong to the project,
    /// lists only such functions.
    fn only_on(&self, side: usize) -> Vec<(String, f64)> {
        let least = self.sides[side].total() * NOTABLE;
        let highest = self.functions.iter().map(|pair| pair.role).max();
        let lowest = highest.unwrap_or_default().min(Role::Own);
        let mut found = Vec::new();
        for pair in &self.functions {
            let cost = pair.inclusive[side];
            if !pair.exists[1 - side] && pair.role >= lowest && cost >= least {
                found.push((pair.newest.name.clone(), cost));
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        found
    }
}
