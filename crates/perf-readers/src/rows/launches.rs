//! Process runs: which rows one process measured in sequence.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use foldhash::fast::RandomState;

use perf_model::row::{AGGREGATE, Key, Row};

/// How a tool measures repeated numbers for a benchmark. Only process runs are independent of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Samples {
    /// Each number is from a separate process run. It may summarise that run.
    Launches,
    /// One process measured the numbers in sequence.
    Iterations,
}

/// The process that measured a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Process {
    /// The process run's number in the document. It only applies if the tool repeats a benchmark in one process.
    OfDocument(u32),
    /// The launch index that the row contains, if any.
    Written(Option<NonZeroU32>),
}

impl Process {
    /// Returns the process whose results start on this line.
    pub(crate) fn of_line(line: u64) -> Self {
        Self::OfDocument(u32::try_from(line).unwrap_or(u32::MAX))
    }
}

/// Numbers the process runs of all documents.
#[derive(Default)]
pub(crate) struct Launches {
    known: HashMap<(u32, u32), NonZeroU32, RandomState>,
}

impl Launches {
    /// Returns a unique number for a document's process.
    pub(crate) fn number(&mut self, document: u32, process: u32) -> NonZeroU32 {
        let next = u32::try_from(self.known.len() + 1).unwrap_or(u32::MAX);
        let next = NonZeroU32::new(next).unwrap_or(NonZeroU32::MAX);
        *self.known.entry((document, process)).or_insert(next)
    }
}

/// Identifies a measurement's process run. A measurement's rows share their key, so the key's address identifies the
/// measurement.
type Launch = (*const Key, NonZeroU32);

fn launch(row: &Row) -> Option<Launch> {
    Some((
        Arc::as_ptr(&row.key),
        row.launch.filter(|_| row.run_index != AGGREGATE)?,
    ))
}

/// Numbers each measurement's process runs from 1. A process run with a single row needs no number and loses it.
pub(crate) fn renumber(rows: &mut [Row]) {
    let mut sizes: HashMap<Launch, u32, RandomState> = HashMap::default();
    for of in rows.iter().filter_map(launch) {
        *sizes.entry(of).or_default() += 1;
    }
    let mut numbers: HashMap<Launch, NonZeroU32, RandomState> = HashMap::default();
    let mut last_of_keys: HashMap<*const Key, u32, RandomState> = HashMap::default();
    for row in rows {
        let Some(of) = launch(row).filter(|of| sizes[of] > 1) else {
            row.launch = None;
            continue;
        };
        let number = numbers.entry(of).or_insert_with(|| {
            let last = last_of_keys.entry(of.0).or_default();
            *last += 1;
            NonZeroU32::new(*last).unwrap_or(NonZeroU32::MIN)
        });
        row.launch = Some(*number);
    }
}
