//! Chooses a random order of base and head and a random padding of the environment. A seed makes the choices reproducible.
//!
//! A fixed order confounds the side with its position: anything that slows down every second run would make one side slower.
//! The size of the environment determines the position of the stack, which alone can change a time by several percent
//! (Mytkowicz et al., "Producing wrong data without doing anything obviously wrong", ASPLOS 2009). So the size differs
//! between process runs.

use perf_verdict::statistics::random::SplitMix;

/// A seeded source of random choices.
pub struct Schedule(SplitMix);

/// One side of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The base, with which the head is compared.
    Base = 0,
    /// The head, which is judged.
    Current = 1,
}

/// The maximum padding in bytes: a page, so that the stack can start anywhere in it.
const MOST_PADDING: u64 = 4096;

impl Schedule {
    /// Creates a schedule from a seed.
    pub const fn new(seed: u64) -> Self {
        Self(SplitMix::new(seed))
    }

    /// Returns a random order for the next pair.
    pub fn order(&mut self) -> [Side; 2] {
        if self.0.bits() >> 63 == 0 {
            [Side::Base, Side::Current]
        } else {
            [Side::Current, Side::Base]
        }
    }

    /// Returns a random padding for the next process run, in bytes.
    pub fn padding(&mut self) -> usize {
        usize::try_from(self.0.bits() % MOST_PADDING).unwrap_or(0)
    }

    /// Picks a random element. Returns `None` if the list is empty.
    pub fn one_of<'t, T>(&mut self, all: &'t [T]) -> Option<&'t T> {
        if all.is_empty() {
            return None;
        }
        let place = self.0.bits() % all.len() as u64;
        all.get(usize::try_from(place).ok()?)
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
