//! Measures code inside of a process, and prints rows that every program of perf-gate reads.
//!
//! A benchmark outside of the process pays for lines on a pipe: some microseconds. In the process there is a function
//! call, so that blocks of less than a nanosecond, allocations, fresh state and one-way latency can be measured.
//!
//! * [`Rounds`]: blocks in turn, also two versions of one, net of an empty block.
//! * [`Stopwatch::window`]: operations per second over one continuous window.
//! * [`Stopwatch::cold`]: one operation on fresh state, the median of some trials.
//! * [`Stopwatch::one_way`]: latency from intended starts at a fixed rate, received by polling.
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

/// The allocations that a process has made until now, by an allocator that counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls that allocated.
    pub allocations: u64,
    /// Bytes that they asked for.
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
    /// A stopwatch that writes to standard output, by the protocol of the environment.
    ///
    /// # Errors
    /// A variable that is no setting, or a file for the base's rows that cannot be created.
    pub fn from_environment() -> Result<Self, Box<dyn std::error::Error>> {
        let mut stopwatch = Self::new(Protocol::from_environment()?, io::stdout());
        if let Some(path) = std::env::var_os("STOPWATCH_BASE") {
            stopwatch.base = Some(File::create(path)?);
        }
        Ok(stopwatch)
    }
}

impl<W: Write> Stopwatch<W> {
    /// A stopwatch that writes here.
    pub fn new(protocol: Protocol, output: W) -> Self {
        Self {
            protocol,
            output,
            base: None,
            counts: None,
        }
    }

    /// With a counting allocator, by which rows have allocations and bytes.
    #[must_use]
    pub fn counting(self, counts: fn() -> Counts) -> Self {
        Self {
            counts: Some(counts),
            ..self
        }
    }

    /// With a file for the rows of the base, where two versions of a block are measured in turn.
    #[must_use]
    pub fn with_base(self, rows: File) -> Self {
        Self {
            base: Some(rows),
            ..self
        }
    }

    /// Blocks that are measured in turn.
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

/// Writes a line for people.
fn note(line: &str) {
    // A closed standard error must not end a measurement.
    let _ = writeln!(io::stderr(), "{line}");
}
