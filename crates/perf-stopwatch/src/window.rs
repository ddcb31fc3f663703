//! Measures operations per second over one continuous window.

use std::hint::black_box;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::row::Row;
use crate::spread::Time;
use crate::{Counts, Stopwatch, note};

impl<W: Write> Stopwatch<W> {
    /// Warms up, then repeats the operation until the window is full. The time and the allocations cover the same
    /// operations.
    ///
    /// # Errors
    /// Fails if the row cannot be written.
    pub fn window<T>(&mut self, name: &str, mut operation: impl FnMut() -> T) -> io::Result<()> {
        for _ in 0..self.protocol.warm_up {
            black_box(operation());
        }
        let window = Duration::from_secs_f64(self.protocol.window);
        let counted = self.counted();
        let start = Instant::now();
        let (mut operations, mut batch, mut elapsed) = (0_u64, 1_u64, Duration::ZERO);
        while elapsed < window {
            for _ in 0..batch {
                black_box(operation());
            }
            operations += batch;
            let before = std::mem::replace(&mut elapsed, start.elapsed());
            // Let batches grow, so that reading the clock takes little time, but keep them short compared to the window.
            if elapsed.saturating_sub(before) < window / 200 {
                batch *= 2;
            }
        }
        let counted = counted.zip(self.counted());
        let per = as_float(operations);
        let nanoseconds = elapsed.as_secs_f64() * 1e9 / per;
        note(&format!(
            "{name}: {} an operation, {operations} operations",
            Time(nanoseconds)
        ));
        let row = Row::new(name, "one continuous window in the process").run(-1);
        let row = row
            .value("opsPerSecond", per / elapsed.as_secs_f64())
            .value("timeNs", nanoseconds);
        self.write(&with_counts(row, counted, operations))
    }
}

/// Adds allocations and bytes per operation to a row. `counted` contains the counts before and after the operations.
pub fn with_counts(row: Row, counted: Option<(Counts, Counts)>, operations: u64) -> Row {
    let per = |of: fn(Counts) -> u64| {
        counted.map(|(before, after)| as_float(of(after) - of(before)) / as_float(operations))
    };
    row.optional("allocations", per(|counts| counts.allocations))
        .optional("allocatedBytes", per(|counts| counts.bytes))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of a measurement are far below 2^53"
)]
pub fn as_float(count: u64) -> f64 {
    count as f64
}
