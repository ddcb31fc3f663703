//! The limit for the memory that the rows of one or more inputs take.

use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number of bytes for rows, their texts and their metrics. Clones share it.
#[derive(Clone, Debug)]
pub struct Memory {
    limit: u64,
    granted: Arc<AtomicU64>,
}

/// Rows need more memory than they may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its rows need more than {} MiB of memory", self.limit / (1024 * 1024))]
pub struct OutOfMemory {
    /// The limit in bytes.
    pub limit: u64,
}

impl Memory {
    /// The limit where nobody chooses one: some three million benchmarks of one metric.
    pub const DEFAULT: u64 = 512 * 1024 * 1024;

    /// The least that is asked for at a time, as others may ask, too.
    const STEP: u64 = 256 * 1024;

    /// At most this many bytes.
    pub fn of(limit: u64) -> Self {
        Self {
            limit,
            granted: Arc::default(),
        }
    }

    /// At least this many bytes, or why not.
    pub(crate) fn grant(&self, bytes: u64) -> Result<u64, OutOfMemory> {
        let bytes = bytes.max(Self::STEP);
        let before = self.granted.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) <= self.limit.max(Self::STEP) {
            Ok(bytes)
        } else {
            Err(OutOfMemory { limit: self.limit })
        }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::of(Self::DEFAULT)
    }
}

/// Says to whoever reads an input that there is no room for its rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Rc<Cell<Option<OutOfMemory>>>);

impl Stop {
    /// # Errors
    /// That there was no room for a row.
    pub(crate) fn check(&self) -> io::Result<()> {
        self.0
            .get()
            .map_or(Ok(()), |full| Err(io::Error::other(full)))
    }
}

/// The share of a memory that is granted to the rows of one collector.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    memory: Memory,
    granted: u64,
    stop: Stop,
}

impl Budget {
    pub(crate) fn of(memory: Memory) -> Self {
        Self {
            memory,
            ..Self::default()
        }
    }

    /// True if there is room for rows of this many bytes in all; asks for more memory if needed.
    pub(crate) fn has_room(&mut self, used: usize) -> bool {
        let more = (used as u64).saturating_sub(self.granted);
        if more > 0 {
            match self.memory.grant(more) {
                Ok(granted) => self.granted += granted,
                Err(full) => self.stop.0.set(Some(full)),
            }
        }
        more == 0 || self.stop.check().is_ok()
    }

    pub(crate) fn stop(&self) -> Stop {
        self.stop.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_share_a_memory() {
        let memory = Memory::of(3 * Memory::STEP);
        let [mut one, mut other] = [(); 2].map(|()| Budget::of(memory.clone()));
        assert!(one.has_room(1) && one.has_room(1000) && other.has_room(1));
        assert!(one.has_room(300_000) && !other.has_room(300_000));
        assert!(one.stop().check().is_ok());
        insta::assert_snapshot!(other.stop().check().unwrap_err(), @"its rows need more than 0 MiB of memory");
    }
}
