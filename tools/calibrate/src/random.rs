//! A stream of random numbers for simulations.

use perf_verdict::statistics::random::SplitMix;

/// A stream of random numbers for simulations: xoshiro256++ (Blackman and Vigna 2021, doi:10.1145/3460772), seeded by
/// [`SplitMix`].
#[derive(Clone, Debug)]
pub struct RandomStream([u64; 4]);

impl RandomStream {
    /// Creates the stream for a seed and a part. Streams of different seeds or parts are independent.
    pub const fn new(seed: u64, part: u64) -> Self {
        let mut seeds = SplitMix::new(seed ^ part.wrapping_mul(0xd1b5_4a32_d192_ed03));
        Self([seeds.bits(), seeds.bits(), seeds.bits(), seeds.bits()])
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.0;
        let result = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        result
    }

    /// A number above 0 and below 1.
    #[expect(clippy::cast_precision_loss, reason = "a float holds 53 bits")]
    pub fn unit(&mut self) -> f64 {
        ((self.bits() >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    }

    /// An index below `end`, which must not be 0.
    pub fn below(&mut self, end: usize) -> usize {
        let wide = u128::from(self.bits()) * end as u128;
        usize::try_from(wide >> 64).unwrap_or(0)
    }

    /// A standard normal number (Marsaglia's polar method).
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square < 1.0 {
                return x * (-2.0 * square.ln() / square).sqrt();
            }
        }
    }

    /// An exponential number with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -self.unit().ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_fixes_the_stream_and_distributions_have_their_moments() {
        assert_eq!(
            RandomStream::new(1, 2).bits(),
            RandomStream::new(1, 2).bits()
        );
        assert_ne!(
            RandomStream::new(1, 2).bits(),
            RandomStream::new(1, 3).bits()
        );
        let mut random = RandomStream::new(7, 0);
        let mut mean = |draw: fn(&mut RandomStream) -> f64| {
            (0..20_000).map(|_| draw(&mut random)).sum::<f64>() / 2e4
        };
        assert!(mean(RandomStream::normal).abs() < 0.03);
        assert!((mean(|random| random.normal().powi(2)) - 1.0).abs() < 0.05);
        assert!((mean(RandomStream::exponential) - 1.0).abs() < 0.03);
        assert!((0..1000).all(|_| random.below(3) < 3));
    }
}
