//! Reproducible pseudo-random numbers.

use perf_verdict::statistics::random::SplitMix;

/// One execution's random numbers.
pub(crate) struct Random(SplitMix);

impl Random {
    /// Creates one execution's random numbers.
    pub(crate) fn of(seed: u64, execution: u64) -> Self {
        let mut random = SplitMix::new(seed ^ execution.wrapping_mul(0xA24B_AED4_963E_E407));
        random.bits();
        Self(random)
    }

    /// Returns a number below `limit`, or 0 if `limit` is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let limit = limit.max(1) as u64;
        usize::try_from(self.0.bits() % limit).unwrap_or_default()
    }

    /// Returns true with a probability of one in this many.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len())]
    }
}
