//! Measures code inside a process, and prints rows that every perf-gate program reads.
//!
//! An external benchmark tool exchanges lines with the code over a pipe, which takes some microseconds. Here, a
//! function call replaces this exchange. So code that takes less than a nanosecond, allocations, fresh state and
//! one-way latency can be measured.
//!
//! * [`Rounds`]: blocks of code in turn, optionally in two versions, net of an empty block.
//! * [`Stopwatch::window`]: operations per second over one continuous window.
//! * [`Stopwatch::cold`]: one operation on fresh state, with the median over several trials.
//! * [`Stopwatch::one_way`]: one-way latency at a constant rate, received by polling.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use perf_stopwatch::{Protocol, Stopwatch};
//!
//! let mut rows = Vec::new();
//! let quick = Protocol { warm_up: 10, window: 0.001, rounds: 3, ..Protocol::default() };
//! let mut stopwatch = Stopwatch::new(quick, &mut rows);
//! let text = "17,4,2031".to_owned();
//! stopwatch.window("split", || text.split(',').count())?;
//! stopwatch.rounds().block("length", || text.len()).run()?;
//! # Ok(())
//! # }
//! ```

mod cold;
mod one_way;
mod protocol;
mod ring;
mod rounds;
mod row;
mod spread;
mod tally;
mod window;

use std::fs::File;
use std::io::{self, Stdout, Write};

pub use self::one_way::{OneWayError, Rig};
pub use self::protocol::{InvalidSetting, Protocol};
pub use self::ring::Ring;
pub use self::rounds::Rounds;
use self::row::Row;

/// The allocations of the process so far, from an allocator that counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of allocations.
    pub allocations: u64,
    /// The number of allocated bytes.
    pub bytes: u64,
}

/// Measures, and writes each result as a row.
#[derive(Debug)]
pub struct Stopwatch<W> {
    protocol: Protocol,
    output: W,
    base: Option<File>,
    counts: Option<fn() -> Counts>,
}

impl Stopwatch<Stdout> {
    /// Creates a stopwatch that writes to standard output. Its settings come from environment variables.
    ///
    /// # Errors
    /// Fails if an environment variable is invalid, or if the file for the base's rows (`STOPWATCH_BASE`) cannot be
    /// created.
    pub fn from_environment() -> Result<Self, Box<dyn std::error::Error>> {
        let mut stopwatch = Self::new(Protocol::from_environment()?, io::stdout());
        if let Some(path) = std::env::var_os("STOPWATCH_BASE") {
            stopwatch.base = Some(File::create(path)?);
        }
        Ok(stopwatch)
    }
}

impl<W: Write> Stopwatch<W> {
    /// Creates a stopwatch that writes rows to `output`.
    pub fn new(protocol: Protocol, output: W) -> Self {
        Self {
            protocol,
            output,
            base: None,
            counts: None,
        }
    }

    /// Adds a function that returns the counts of a counting allocator, so that rows contain allocations and bytes per
    /// operation.
    #[must_use]
    pub fn counting(self, counts: fn() -> Counts) -> Self {
        Self {
            counts: Some(counts),
            ..self
        }
    }

    /// Sets the file for the base's rows of blocks with two versions.
    #[must_use]
    pub fn with_base(self, rows: File) -> Self {
        Self {
            base: Some(rows),
            ..self
        }
    }

    /// Starts a list of blocks to measure in turn.
    pub fn rounds(&mut self) -> Rounds<'_, W> {
        Rounds::new(self)
    }

    fn counted(&self) -> Option<Counts> {
        self.counts.map(|counts| counts())
    }

    fn write(&mut self, row: &Row) -> io::Result<()> {
        writeln!(self.output, "{row}")?;
        self.output.flush()
    }
}

fn note(line: &str) {
    // A closed standard error must not end the measurement.
    let _ = writeln!(io::stderr(), "{line}");
}
