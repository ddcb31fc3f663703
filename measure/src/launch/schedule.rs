//! The order of the sides, and the padding of the environment: random, and repeatable from a seed.
//!
//! A fixed order confounds the side with its place: whatever makes every second launch slower makes that side slower. The
//! size of the environment moves the stack, which alone can change a time by several percent (Mytkowicz et al.,
//! "Producing wrong data without doing anything obviously wrong", ASPLOS 2009), so every launch gets another one.

use perf_verdict::statistics::random::SplitMix;

/// The random choices of a seed.
#[derive(Clone, Debug)]
pub struct Schedule(SplitMix);

/// The side that is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The side that the current one is compared with.
    Base,
    /// The side that is judged.
    Current,
}

/// The environment is longer by up to this many bytes: a page and more, so that the stack starts anywhere in one.
const MOST_PADDING: u64 = 4096;

impl Schedule {
    /// The schedule of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(SplitMix::new(seed))
    }

    /// Both sides, in the order of the next pair.
    pub fn order(&mut self) -> [Side; 2] {
        if self.0.bits() >> 63 == 0 {
            [Side::Base, Side::Current]
        } else {
            [Side::Current, Side::Base]
        }
    }

    /// By how many bytes the environment of the next launch is padded.
    pub fn padding(&mut self) -> usize {
        usize::try_from(self.0.bits() % MOST_PADDING).unwrap_or(0)
    }

    /// One of these; `None` if there are none.
    pub fn one_of<'t, T>(&mut self, all: &'t [T]) -> Option<&'t T> {
        let number = u64::try_from(all.len()).ok().filter(|number| *number > 0)?;
        all.get(usize::try_from(self.0.bits() % number).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_fixes_the_order() {
        let orders = |seed| {
            let mut schedule = Schedule::new(seed);
            (0..64).map(|_| schedule.order()).collect::<Vec<_>>()
        };
        assert_eq!(orders(7), orders(7));
        assert_ne!(orders(7), orders(8));
    }

    #[test]
    fn each_side_is_first_about_half_of_the_time() {
        let mut schedule = Schedule::new(1);
        let first = (0..10_000)
            .filter(|_| schedule.order()[0] == Side::Base)
            .count();
        // Five standard deviations of a fair coin.
        assert!((4_750..=5_250).contains(&first), "{first}");
    }

    #[test]
    fn padding_reaches_every_part_of_a_page() {
        let mut schedule = Schedule::new(1);
        let paddings: Vec<usize> = (0..2_000).map(|_| schedule.padding()).collect();
        assert!(paddings.iter().all(|padding| *padding < 4096));
        assert!((0..16).all(|part| paddings.iter().any(|padding| padding / 256 == part)));
    }
}
