//! The places of bytes in a text, 64 at a time: a *mask* has a bit for each place, the first one lowest.
//!
//! `memchr` stops at every hit, which costs more than the bytes between hits when they are as close as the commas and
//! quotes of a log whose lines are JSON.

use memchr::memchr_iter;
use wide::u8x16;

/// The number of bytes that a mask covers.
pub(crate) const BLOCK: usize = 64;

/// The places of each of these bytes in a block.
#[inline]
pub(crate) fn places<const N: usize>(block: &[u8; BLOCK], bytes: [u8; N]) -> [u64; N] {
    let (parts, _) = block.as_chunks::<16>();
    bytes.map(|byte| {
        let wanted = u8x16::splat(byte);
        let mask = |part: &[u8; 16]| u64::from(u8x16::new(*part).simd_eq(wanted).to_bitmask());
        parts
            .iter()
            .rev()
            .fold(0, |all, part| all << 16 | mask(part))
    })
}

/// Calls `visit` with the place and the bytes of each block. The last one is filled up with zeros.
#[inline]
pub(crate) fn each(text: &[u8], mut visit: impl FnMut(usize, &[u8; BLOCK])) {
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    for (at, block) in blocks.iter().enumerate() {
        visit(at * BLOCK, block);
    }
    if !rest.is_empty() {
        let mut last = [0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        visit(blocks.len() * BLOCK, &last);
    }
}

/// The places with an odd number of bits up to them: what quotes enclose, with the opening one.
pub(crate) const fn enclosed(quotes: u64) -> u64 {
    let mut odd = quotes;
    let mut step = 1;
    while step < BLOCK {
        odd ^= odd << step;
        step *= 2;
    }
    odd
}

/// Returns the number of line ends in a text.
pub(crate) fn ends(text: &[u8]) -> u64 {
    memchr_iter(b'\n', text).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn masks_have_a_bit_for_each_place(text in prop::collection::vec(prop::sample::select(b"a,\"\n\x00\xac".to_vec()), 0..200)) {
            let mut found = [Vec::new(), Vec::new()];
            each(&text, |start, block| {
                for (found, mask) in found.iter_mut().zip(places(block, *b",\n")) {
                    found.extend((0..BLOCK).filter(|at| mask >> at & 1 == 1).map(|at| start + at));
                }
            });
            for (found, byte) in found.iter().zip(*b",\n") {
                let expected: Vec<usize> = memchr_iter(byte, &text).collect();
                prop_assert_eq!(found, &expected);
            }
        }

        #[test]
        fn enclosed_places_are_those_behind_an_odd_quote(quotes in any::<u64>()) {
            let is_odd = |at: u32| (quotes << (63 - at)).count_ones() % 2 == 1;
            prop_assert_eq!(enclosed(quotes), (0..64).filter(|at| is_odd(*at)).fold(0, |all, at| all | 1 << at));
        }
    }
}
