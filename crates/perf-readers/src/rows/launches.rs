//! Process launches: which rows of a measurement one process took one after the other.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use foldhash::fast::RandomState;

use perf_model::row::{AGGREGATE, Key, Row};

/// What several numbers of one benchmark in one output of a tool are. Only launches are independent of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Samples {
    /// Each is of a process launch of its own, as is a number that sums one up.
    Launches,
    /// One process took them one after the other.
    Iterations,
}

/// The process that took a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Process {
    /// This one of the document, where its tool repeats a benchmark in one process.
    OfDocument(u32),
    /// As the row says.
    Written(Option<NonZeroU32>),
}

impl Process {
    /// The process whose results begin on this line.
    pub(crate) fn of_line(line: u64) -> Self {
        Self::OfDocument(u32::try_from(line).unwrap_or(u32::MAX))
    }
}

/// Numbers the launches of all documents.
#[derive(Default)]
pub(crate) struct Launches {
    known: HashMap<(u32, u32), NonZeroU32, RandomState>,
    /// The latest: samples are consecutive.
    last: Option<((u32, u32), NonZeroU32)>,
}

impl Launches {
    /// How many bytes they take.
    pub(crate) fn bytes(&self) -> usize {
        2 * self.known.len() * size_of::<((u32, u32), NonZeroU32)>()
    }

    /// The number of a process of a document, which no other has.
    pub(crate) fn number(&mut self, document: u32, process: u32) -> NonZeroU32 {
        let of = (document, process);
        if let Some((_, number)) = self.last.filter(|(last, _)| *last == of) {
            return number;
        }
        let next = u32::try_from(self.known.len()).unwrap_or(u32::MAX).saturating_add(1);
        let next = NonZeroU32::new(next).unwrap_or(NonZeroU32::MAX);
        let number = *self.known.entry(of).or_insert(next);
        self.last = Some((of, number));
        number
    }
}

/// A launch of a measurement. Rows of one measurement share their key.
type Launch = (*const Key, NonZeroU32);

fn launch(row: &Row) -> Option<Launch> {
    Some((Arc::as_ptr(&row.key), row.launch.filter(|_| row.run_index != AGGREGATE)?))
}

/// Numbers the launches of each measurement from 1. One that took a single row needs no number.
pub(crate) fn renumber(rows: &mut [Row]) {
    let mut sizes: HashMap<Launch, u32, RandomState> = HashMap::default();
    for of in rows.iter().filter_map(launch) {
        *sizes.entry(of).or_default() += 1;
    }
    let mut numbers: HashMap<Launch, NonZeroU32, RandomState> = HashMap::default();
    let mut last: HashMap<*const Key, u32, RandomState> = HashMap::default();
    for row in rows {
        let several = launch(row).filter(|of| sizes.get(of).is_some_and(|rows| *rows > 1));
        row.launch = several.map(|of| {
            let next = || {
                let last = last.entry(of.0).or_default();
                *last += 1;
                NonZeroU32::new(*last).unwrap_or(NonZeroU32::MIN)
            };
            *numbers.entry(of).or_insert_with(next)
        });
    }
}
