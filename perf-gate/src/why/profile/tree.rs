//! The costs of both sides as one tree of calls.

use std::collections::BTreeMap;

use crate::why::profile::{Call, Profile};

/// The deepest call that is followed where stacks are reconstructed.
const DEEPEST: usize = 48;
/// The smallest share of the whole that is.
const LEAST: f64 = 0.002;

/// A function at a place in the tree, with its inclusive cost on both sides.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub costs: [f64; 2],
    pub children: BTreeMap<String, Node>,
}

/// The tree of the base, if there is one, and the current profile.
pub(crate) fn of(base: Option<&Profile>, current: &Profile) -> Node {
    let mut root = Node::default();
    for (side, profile) in [(0, base), (1, Some(current))] {
        if let Some(profile) = profile {
            root.costs[side] = profile.total();
            add(&mut root, profile, side);
        }
    }
    root
}

fn add(root: &mut Node, profile: &Profile, side: usize) {
    for (frames, cost) in &profile.stacks {
        let mut node = &mut *root;
        for frame in frames {
            node = node
                .children
                .entry(profile.functions[*frame].name.clone())
                .or_default();
            node.costs[side] += cost;
        }
    }
    if profile.stacks.is_empty() {
        let unrolled = Unrolled::new(profile, side);
        for function in unrolled.roots() {
            let cost = profile.functions[function].inclusive;
            unrolled.enter(root, function, cost, &mut Vec::new());
        }
    }
}

/// Builds stacks from calls: a callee's cost is divided among its callers.
struct Unrolled<'p> {
    profile: &'p Profile,
    calls: Vec<Vec<&'p Call>>,
    side: usize,
    least: f64,
}

impl<'p> Unrolled<'p> {
    fn new(profile: &'p Profile, side: usize) -> Self {
        let mut calls = vec![Vec::new(); profile.functions.len()];
        for call in &profile.calls {
            calls[call.caller].push(call);
        }
        Self {
            profile,
            calls,
            side,
            least: profile.total() * LEAST,
        }
    }

    fn roots(&self) -> Vec<usize> {
        let mut is_called = vec![false; self.calls.len()];
        for call in self
            .profile
            .calls
            .iter()
            .filter(|call| call.caller != call.callee)
        {
            is_called[call.callee] = true;
        }
        (0..is_called.len())
            .filter(|function| !is_called[*function])
            .collect()
    }

    fn enter(&self, parent: &mut Node, function: usize, cost: f64, path: &mut Vec<usize>) {
        let known = &self.profile.functions[function];
        if cost < self.least || path.len() >= DEEPEST {
            return;
        }
        let node = parent.children.entry(known.name.clone()).or_default();
        node.costs[self.side] += cost;
        path.push(function);
        let (back, on): (Vec<&Call>, Vec<&Call>) = self.calls[function]
            .iter()
            .copied()
            .partition(|call| self.leads_back(call.callee, path));
        // What comes back into the path, as the start of a C program does, has the cost of its other calls once more.
        let again: f64 = back
            .iter()
            .filter(|call| call.callee != function)
            .map(|call| call.cost)
            .sum();
        let share = (cost / (known.inclusive - again).max(cost)).min(1.0);
        for call in on {
            self.enter(node, call.callee, call.cost * share, path);
        }
        path.pop();
    }

    /// True for a function of the path, and for one that calls such and costs next to nothing beside.
    fn leads_back(&self, function: usize, path: &[usize]) -> bool {
        let is_back = |call: &&&Call| path.contains(&call.callee);
        let on: f64 = self.calls[function]
            .iter()
            .filter(|call| !is_back(call))
            .map(|call| call.cost)
            .sum();
        let rest = self.profile.functions[function].own + on;
        path.contains(&function)
            || (rest < self.least && self.calls[function].iter().any(|call| is_back(&call)))
    }
}
