//! Allocations of native programs, derived from callgrind's counts of calls to the C library's allocator.

use std::collections::HashMap;

use crate::why::profile::{Function, Profile, Unit};

/// The allocator's functions.
const ALLOCATORS: [&str; 6] = [
    "aligned_alloc",
    "calloc",
    "malloc",
    "memalign",
    "posix_memalign",
    "realloc",
];
/// The maximum followed depth of calls. Deeper recursion does not change the order of functions.
const DEEPEST: usize = 100;

impl Profile {
    /// Converts a profile with counted calls to allocations. A function's allocations are divided among its callers in
    /// proportion to their calls, or to their cost if the calls are not counted, such as for inlined functions.
    #[must_use]
    pub fn of_allocations(mut self) -> Self {
        let is_allocator = |function: &Function| ALLOCATORS.contains(&&*function.name);
        let functions = &self.functions;
        self.calls
            .retain(|call| call.caller != call.callee && !is_allocator(&functions[call.caller]));
        let mut is_counted: HashMap<usize, bool> = HashMap::new();
        for call in &self.calls {
            *is_counted.entry(call.callee).or_insert(true) &= call.count.is_some();
        }
        let mut weights = Vec::new();
        let mut sums = vec![0.0; self.functions.len()];
        for call in &self.calls {
            #[expect(
                clippy::cast_precision_loss,
                reason = "numbers of calls are below 2^53"
            )]
            let weight = match call.count {
                Some(count) if is_counted[&call.callee] => count as f64,
                _ => call.cost,
            };
            weights.push(weight);
            sums[call.callee] += weight;
        }
        for (function, sum) in self.functions.iter_mut().zip(&sums) {
            function.own = if is_allocator(function) { *sum } else { 0.0 };
            function.inclusive = function.own;
            function.deviation = 0.0;
        }
        for _ in 0..DEEPEST {
            let mut inclusive: Vec<f64> =
                self.functions.iter().map(|function| function.own).collect();
            for (call, weight) in self.calls.iter_mut().zip(&weights) {
                let share = weight / sums[call.callee].max(1.0);
                call.cost = self.functions[call.callee].inclusive * share;
                inclusive[call.caller] += call.cost;
            }
            for (function, inclusive) in self.functions.iter_mut().zip(inclusive) {
                function.inclusive = inclusive;
            }
        }
        self.unit = Unit::Allocations;
        self
    }
}
