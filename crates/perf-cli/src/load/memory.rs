//! The limit on the memory that the rows of each side may take.

use std::sync::atomic::{AtomicU64, Ordering};

use perf_readers::Memory;

/// The limit unless `--max-memory` sets another, in bytes.
pub const MAX_MEMORY: u64 = Memory::DEFAULT;

static LIMIT: AtomicU64 = AtomicU64::new(MAX_MEMORY);

/// Sets the limit for everything that is read from now on, in bytes.
pub fn limit(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// The memory of one side: a run, a baseline or a history.
pub(crate) fn of_one_side() -> Memory {
    Memory::of(LIMIT.load(Ordering::Relaxed))
}

/// Reads a number of bytes, for `--max-memory`.
pub fn size(text: &str) -> Result<u64, String> {
    let units = [('K', 1 << 10), ('M', 1 << 20), ('G', 1 << 30)];
    let with_unit = units
        .iter()
        .find_map(|(unit, bytes)| Some((text.strip_suffix(*unit)?, *bytes)));
    let (number, factor) = with_unit.unwrap_or((text, 1_u64));
    let bytes = number
        .parse()
        .ok()
        .and_then(|number: u64| number.checked_mul(factor));
    bytes
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| "a size such as 512M or 2G".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units() {
        let sizes = ["1", "3K", "512M", "2G"].map(|text| size(text).unwrap());
        assert_eq!(sizes, [1, 3 << 10, 512 << 20, 2 << 30]);
        for invalid in ["", "0", "-1", "M", "1.5G", "1T", "512 M", "99999999999G"] {
            assert!(size(invalid).is_err(), "{invalid}");
        }
    }
}
