//! Merges base and head into one call tree.

use std::collections::BTreeMap;

use crate::why::profile::{Call, Profile};

/// The maximum depth of reconstructed stacks.
const DEEPEST: usize = 48;
/// The minimum share of the total for a function in reconstructed stacks.
const LEAST: f64 = 0.002;

/// A function at one position in the call tree, with its inclusive costs in base and head.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub costs: [f64; 2],
    pub children: BTreeMap<String, Node>,
}

/// Builds the call tree.
pub(crate) fn build(base: Option<&Profile>, current: &Profile) -> Node {
    let mut root = Node::default();
    for (side, profile) in [(0, base), (1, Some(current))] {
        let Some(profile) = profile else { continue };
        root.costs[side] = profile.total();
        if profile.stacks.is_empty() {
            Unrolled::add(&mut root, profile, side);
        }
        for (frames, cost) in &profile.stacks {
            let mut node = &mut root;
            for frame in frames {
                let name = profile.functions[*frame].name.clone();
                node = node.children.entry(name).or_default();
                node.costs[side] += cost;
            }
        }
    }
    root
}

/// Reconstructs stacks from calls, by dividing each callee's cost among its callers.
struct Unrolled<'p> {
    profile: &'p Profile,
    calls: Vec<Vec<&'p Call>>,
    side: usize,
    least: f64,
}

impl<'p> Unrolled<'p> {
    fn add(root: &mut Node, profile: &'p Profile, side: usize) {
        let mut calls = vec![Vec::new(); profile.functions.len()];
        let mut is_called = vec![false; profile.functions.len()];
        for call in &profile.calls {
            calls[call.caller].push(call);
            is_called[call.callee] |= call.caller != call.callee;
        }
        let unrolled = Self {
            profile,
            calls,
            side,
            least: profile.total() * LEAST,
        };
        for (function, known) in profile.functions.iter().enumerate() {
            if !is_called[function] {
                unrolled.enter(root, function, known.inclusive, &mut Vec::new());
            }
        }
    }

    fn enter(&self, parent: &mut Node, function: usize, cost: f64, path: &mut Vec<usize>) {
        let known = &self.profile.functions[function];
        if cost < self.least || path.len() >= DEEPEST {
            return;
        }
        let node = parent.children.entry(known.name.clone()).or_default();
        node.costs[self.side] += cost;
        path.push(function);
        let (back, forward): (Vec<&Call>, Vec<&Call>) = self.calls[function]
            .iter()
            .copied()
            .partition(|call| self.leads_back(call.callee, path));
        // Calls back into the path, such as in the start of a C program, count the cost a second time.
        let repeated: f64 = back
            .iter()
            .filter(|call| call.callee != function)
            .map(|call| call.cost)
            .sum();
        let share = (cost / (known.inclusive - repeated).max(cost)).min(1.0);
        for call in forward {
            self.enter(node, call.callee, call.cost * share, path);
        }
        path.pop();
    }

    /// True if a function is in the path, or calls one in the path and costs almost nothing otherwise.
    fn leads_back(&self, function: usize, path: &[usize]) -> bool {
        let is_back = |call: &&&Call| path.contains(&call.callee);
        let forward: f64 = self.calls[function]
            .iter()
            .filter(|call| !is_back(call))
            .map(|call| call.cost)
            .sum();
        let rest = self.profile.functions[function].own + forward;
        path.contains(&function)
            || (rest < self.least && self.calls[function].iter().any(|call| is_back(&call)))
    }
}
