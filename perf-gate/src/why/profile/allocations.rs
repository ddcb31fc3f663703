//! Allocations of native programs, derived from callgrind's counts of calls to the C library's allocator.

use std::collections::HashMap;

use crate::why::profile::{Profile, Unit};

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
        let is_allocator: Vec<bool> = self
            .functions
            .iter()
            .map(|function| ALLOCATORS.contains(&&*function.name))
            .collect();
        self.calls
            .retain(|call| call.caller != call.callee && !is_allocator[call.caller]);
        let mut is_counted: HashMap<usize, bool> = HashMap::new();
        for call in &self.calls {
            *is_counted.entry(call.callee).or_insert(true) &= call.count.is_some();
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "numbers of calls are below 2^53"
        )]
        let weights = self.calls.iter().map(|call| match call.count {
            Some(count) if is_counted[&call.callee] => count as f64,
            _ => call.cost,
        });
        let weights: Vec<f64> = weights.collect();
        let mut sums = vec![0.0; self.functions.len()];
        for (call, weight) in self.calls.iter().zip(&weights) {
            sums[call.callee] += weight;
        }
        for (index, function) in self.functions.iter_mut().enumerate() {
            function.own = if is_allocator[index] {
                sums[index]
            } else {
                0.0
            };
            (function.inclusive, function.deviation) = (function.own, 0.0);
        }
        for _ in 0..DEEPEST {
            let mut inclusive: Vec<f64> =
                self.functions.iter().map(|function| function.own).collect();
            for (call, weight) in self.calls.iter_mut().zip(&weights) {
                call.cost =
                    self.functions[call.callee].inclusive * weight / sums[call.callee].max(1.0);
                inclusive[call.caller] += call.cost;
            }
            self.functions
                .iter_mut()
                .zip(inclusive)
                .for_each(|(function, now)| function.inclusive = now);
        }
        self.unit = Unit::Allocations;
        self
    }
}
