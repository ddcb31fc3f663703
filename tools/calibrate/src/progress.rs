//! Progress of a replay in the terminal.

use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicUsize, Ordering};

use perf_cli::term;

/// Shows at a terminal how many replays have started.
pub(crate) struct Progress {
    done: AtomicUsize,
    all: usize,
    is_shown: bool,
}

impl Progress {
    /// Starts with this many steps to do.
    pub(crate) fn new(all: usize) -> Self {
        Self {
            done: AtomicUsize::new(0),
            all,
            is_shown: stderr().is_terminal() && !term::is_quiet(),
        }
    }

    /// Counts a step.
    pub(crate) fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed);
        if self.is_shown {
            let _ = write!(stderr(), "\r{done} of {} runs replayed", self.all);
        }
    }

    /// Erases the line.
    pub(crate) fn end(&self) {
        if self.is_shown {
            let _ = write!(stderr(), "\r{:40}\r", "");
        }
    }
}
