//! A running benchmark and its answers.

use std::io::Write;
use std::process::ChildStdin;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use perf_cli::{Failure, term};

use crate::guardian::Guardian;
use crate::process::CommandSpec;
use crate::talking::Talking;

/// The cost of some operations, as the benchmark reports it.
#[derive(Clone, Copy)]
pub struct Answer {
    pub nanoseconds: f64,
    /// The number of allocations, the allocated bytes, and the nanoseconds of garbage collection, if reported.
    pub counts: [Option<u64>; 3],
}

/// A running benchmark that answers requests.
pub struct RequestHarness<'g> {
    _child: Talking<'g>,
    input: ChildStdin,
    answers: Receiver<String>,
    shown: String,
    timeout: Duration,
}

impl<'g> RequestHarness<'g> {
    pub fn start(
        line: &CommandSpec,
        timeout: Duration,
        guardian: &'g Guardian,
    ) -> anyhow::Result<Self> {
        let (child, input, answers) = Talking::start(line, guardian, |line| line)?;
        Ok(Self {
            _child: child,
            input,
            answers,
            shown: line.shown(),
            timeout,
        })
    }

    fn broken(&self, why: &str) -> anyhow::Error {
        Failure::new(format!("`{}` {why}", self.shown))
            .hint("it must answer each number of operations with a line `elapsed_ns [allocations [bytes [gc_ns]]]`, flushed")
            .into()
    }

    /// Runs operations.
    ///
    /// # Errors
    /// Fails if the benchmark does not answer in time, or not with an [`Answer`].
    pub fn run(&mut self, operations: u64) -> anyhow::Result<Answer> {
        let sent = writeln!(self.input, "{operations}").and_then(|()| self.input.flush());
        let ended = "ended without an answer";
        sent.map_err(|_| self.broken(ended))?;
        match self.answers.recv_timeout(self.timeout) {
            Ok(line) => Answer::parse(&line).ok_or_else(|| {
                self.broken(&format!("answered `{}`", term::printable_within(&line, 60)))
            }),
            Err(RecvTimeoutError::Timeout) => Err(self.broken(&format!(
                "did not answer within {} s",
                self.timeout.as_secs_f64()
            ))),
            Err(RecvTimeoutError::Disconnected) => Err(self.broken(ended)),
        }
    }
}

impl Answer {
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let nanoseconds = words
            .next()?
            .parse::<f64>()
            .ok()
            .filter(|time| time.is_finite() && *time >= 0.0)?;
        let mut counts = [None; 3];
        for count in &mut counts {
            *count = words.next().map(str::parse).transpose().ok()?;
        }
        words.next().is_none().then_some(Self {
            nanoseconds,
            counts,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_a_time_and_up_to_three_counts() {
        let of = |line| Answer::parse(line).map(|answer| (answer.nanoseconds, answer.counts));
        assert_eq!(of("1200.5 7\r"), Some((1200.5, [Some(7), None, None])));
        assert_eq!(
            of("1200 7 512 30"),
            Some((1200.0, [Some(7), Some(512), Some(30)]))
        );
        assert_eq!(of("1200"), Some((1200.0, [None; 3])));
        for line in ["", "fast", "-1", "inf", "1 2 3 4 5", "1 many"] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
