//! Measures blocks in turn, net of an empty block.
//!
//! Each round samples all blocks in a random order, and samples the empty block after each of them. A sample repeats its
//! block for at least a millisecond, unless [`Protocol::sample_ms`](crate::Protocol::sample_ms) sets another length. Both
//! samples contain the cost of the loop and the clock, so their difference does not.

use std::hint::black_box;
use std::io::{self, Write};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::row::Row;
use crate::spread::Spread;
use crate::window::{as_float, with_counts};
use crate::{Counts, Stopwatch, note};

/// The maximum number of repetitions in a sample. Without it, the warm-up of a block that compiles to nothing would
/// never end.
const MOST: u64 = 1 << 30;

/// Runs a block this many times, and returns the nanoseconds.
type Body<'b> = Box<dyn FnMut(u64) -> f64 + 'b>;

/// Blocks to measure in turn.
pub struct Rounds<'s, W> {
    stopwatch: &'s mut Stopwatch<W>,
    blocks: Vec<TimedBlock<'s>>,
}

#[derive(Clone, Copy, PartialEq)]
enum BlockSide {
    Alone,
    Base,
    Current,
}

struct TimedBlock<'b> {
    name: String,
    side: BlockSide,
    body: Body<'b>,
    repetitions: u64,
    samples: Vec<Sample>,
}

struct Sample {
    gross: f64,
    empty: f64,
    counted: Option<(Counts, Counts)>,
}

impl<'s, W: Write> Rounds<'s, W> {
    pub(crate) fn new(stopwatch: &'s mut Stopwatch<W>) -> Self {
        Self {
            stopwatch,
            blocks: Vec::new(),
        }
    }

    /// Adds a block under this name.
    #[must_use]
    pub fn block<T>(self, name: &str, body: impl FnMut() -> T + 's) -> Self {
        self.with(name, BlockSide::Alone, body)
    }

    /// Adds two versions of a block, whose samples in a round form a pair. The base's rows go to the file set by
    /// [`Stopwatch::with_base`] or `STOPWATCH_BASE`. Without such a file, they are written as a separate block.
    #[must_use]
    pub fn versions<T, U>(
        self,
        name: &str,
        base: impl FnMut() -> T + 's,
        current: impl FnMut() -> U + 's,
    ) -> Self {
        self.with(name, BlockSide::Base, base)
            .with(name, BlockSide::Current, current)
    }

    fn with<T>(mut self, name: &str, side: BlockSide, mut body: impl FnMut() -> T + 's) -> Self {
        let body: Body<'s> = Box::new(move |repetitions| time(repetitions, &mut body));
        self.blocks.push(TimedBlock {
            name: name.to_owned(),
            side,
            body,
            repetitions: 1,
            samples: Vec::new(),
        });
        self
    }

    /// Measures all blocks, and writes a row for each sample.
    ///
    /// # Errors
    /// Fails if a row cannot be written.
    pub fn run(mut self) -> io::Result<()> {
        let least = self.stopwatch.protocol.sample_ms * 1e6;
        for block in &mut self.blocks {
            // Warm up, and choose the number of repetitions.
            while (block.body)(block.repetitions) < least && block.repetitions < MOST {
                block.repetitions *= 2;
            }
        }
        for at in 1..self.blocks.len() {
            if let [base, current] = &mut self.blocks[at - 1..=at]
                && (base.side, current.side) == (BlockSide::Base, BlockSide::Current)
            {
                let shared = base.repetitions.max(current.repetitions);
                (base.repetitions, current.repetitions) = (shared, shared);
            }
        }
        let mut dice = OrderDice::new();
        for _ in 0..self.stopwatch.protocol.rounds {
            self.round(&mut dice);
        }
        for block in &self.blocks {
            block.explain();
            write_rows(self.stopwatch, block)?;
        }
        Ok(())
    }

    fn round(&mut self, dice: &mut OrderDice) {
        let mut order: Vec<usize> = (0..self.blocks.len()).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, dice.below(at + 1));
        }
        for at in order {
            let before = self.stopwatch.counted();
            let block = &mut self.blocks[at];
            let gross = (block.body)(block.repetitions);
            let counted = before.zip(self.stopwatch.counted());
            let empty = time(block.repetitions, &mut || ());
            let per = as_float(block.repetitions);
            block.samples.push(Sample {
                gross: gross / per,
                empty: empty / per,
                counted,
            });
        }
    }
}

impl TimedBlock<'_> {
    fn explain(&self) {
        let name = match self.side {
            BlockSide::Alone => self.name.clone(),
            BlockSide::Base => format!("{} (base)", self.name),
            BlockSide::Current => format!("{} (current)", self.name),
        };
        let net = Spread::of(self.samples.iter().map(Sample::net));
        let empty = Spread::of(self.samples.iter().map(|sample| sample.empty));
        let times = self.repetitions;
        note(&format!(
            "{name}: {net}, net of an empty block of {empty}, {times} times a sample"
        ));
        let below = self
            .samples
            .iter()
            .filter(|sample| sample.net() <= 0.0)
            .count();
        if below > 0 {
            let all = self.samples.len();
            note(&format!(
                "{name}: {below} of {all} samples are not above the empty block: no cost was measured"
            ));
        }
    }
}

impl Sample {
    fn net(&self) -> f64 {
        self.gross - self.empty
    }
}

fn write_rows<W: Write>(stopwatch: &mut Stopwatch<W>, block: &TimedBlock<'_>) -> io::Result<()> {
    for (round, sample) in block.samples.iter().enumerate() {
        let row = |name: &str, methodology| {
            let row = Row::new(name, methodology)
                .run(round)
                .value("timeNs", sample.net());
            with_counts(row, sample.counted, block.repetitions)
        };
        match block.side {
            BlockSide::Alone => {
                stopwatch
                    .write(&row(&block.name, "rounds, net of an empty block").same_launch())?;
            }
            BlockSide::Base => match stopwatch.base.as_mut() {
                Some(file) => writeln!(file, "{}", row(&block.name, PAIRED))?,
                None => stopwatch.write(&row(&format!("{} (base)", block.name), PAIRED))?,
            },
            BlockSide::Current => stopwatch.write(&row(&block.name, PAIRED))?,
        }
    }
    Ok(())
}

/// The methodology that `perf-gate compare --paired` expects.
const PAIRED: &str = "pairs in random order";

/// Returns the nanoseconds that this many repetitions take, including the loop.
#[inline(never)]
fn time<T>(repetitions: u64, body: &mut impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    for _ in 0..repetitions {
        black_box(body());
    }
    start.elapsed().as_secs_f64() * 1e9
}

/// Random numbers for the order of blocks (xorshift).
struct OrderDice(u64);

impl OrderDice {
    fn new() -> Self {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Self(u64::from(now.subsec_nanos()) << 20 | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit
    }
}
