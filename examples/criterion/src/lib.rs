//! Counts bytes.

/// How often each byte occurs.
pub fn count(bytes: &[u8]) -> Vec<u64> {
    let mut counts = vec![0; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    counts.clone()
}
