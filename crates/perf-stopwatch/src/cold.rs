//! Measures one operation on fresh state.

use std::hint::black_box;
use std::io::{self, Write};
use std::time::Instant;

use crate::row::Row;
use crate::spread::Spread;
use crate::window::as_float;
use crate::{Stopwatch, note};

impl<W: Write> Stopwatch<W> {
    /// Times exactly one operation on fresh state in each of several trials, and writes the medians. Building and dropping
    /// the state is not timed. `build` gets the trial number, so that each state can have a different key, for example.
    ///
    /// # Errors
    /// Fails if the row cannot be written.
    pub fn cold<S, T>(
        &mut self,
        name: &str,
        build: impl FnMut(u64) -> S,
        operation: impl FnMut(&mut S) -> T,
    ) -> io::Result<()> {
        self.trials(name, "one operation on fresh state", build, operation)
    }

    /// Like [`Self::cold`], but first runs all trials untimed on separate state, so that the code is warm and the state
    /// is fresh.
    ///
    /// # Errors
    /// Fails if the row cannot be written.
    pub fn cold_state_of_warm_code<S, T>(
        &mut self,
        name: &str,
        mut build: impl FnMut(u64) -> S,
        mut operation: impl FnMut(&mut S) -> T,
    ) -> io::Result<()> {
        for trial in 0..self.protocol.trials {
            black_box(operation(&mut build(trial)));
        }
        self.trials(
            name,
            "one operation of warm code on fresh state",
            build,
            operation,
        )
    }

    fn trials<S, T>(
        &mut self,
        name: &str,
        methodology: &str,
        mut build: impl FnMut(u64) -> S,
        mut operation: impl FnMut(&mut S) -> T,
    ) -> io::Result<()> {
        let mut trials = Vec::new();
        for trial in 0..self.protocol.trials {
            let mut state = build(trial);
            let counted = self.counted();
            let start = Instant::now();
            let result = black_box(operation(&mut state));
            let elapsed = start.elapsed();
            trials.push((elapsed.as_secs_f64() * 1e9, counted.zip(self.counted())));
            drop(result);
        }
        let time = Spread::of(trials.iter().map(|(time, _)| *time));
        note(&format!("{name}: {time} in {} trials", trials.len()));
        let counted = trials.iter().filter_map(|(_, counted)| *counted);
        let allocations = Spread::of(
            counted
                .clone()
                .map(|(b, a)| as_float(a.allocations - b.allocations)),
        );
        let bytes = Spread::of(counted.map(|(before, after)| as_float(after.bytes - before.bytes)));
        let counts = |count: Spread| self.counts.map(|_| count.median);
        let row = Row::new(name, methodology)
            .run(-1)
            .value("timeNs", time.median);
        let row = row
            .optional("allocations", counts(allocations))
            .optional("allocatedBytes", counts(bytes));
        self.write(&row)
    }
}
