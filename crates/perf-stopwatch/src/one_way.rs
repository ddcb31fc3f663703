//! Measures one-way latency at a constant rate, without coordinated omission.
//!
//! A sender in its own thread follows a fixed schedule: message _i_ is due at `start + i × interval`, and contains that
//! time. The receiver polls. The latency is the receiver's current time minus the time in the message, so a late sender
//! does not shorten it.

use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use crate::ring::Ring;
use crate::row::Row;
use crate::spread::{Spread, Time};
use crate::tally::Tally;
use crate::window::as_float;
use crate::{Protocol, Stopwatch, note};

/// A ring and a clock, which a sender and several ways to receive from it can share.
#[derive(Debug)]
pub struct Rig {
    ring: Ring,
    origin: Instant,
}

/// The reason why latency was not measured.
pub enum OneWayError {
    /// Sender and receiver cannot sustain the first rate, but can sustain the second.
    Rate(u64, u64),
    /// A row could not be written.
    Write(io::Error),
}

impl fmt::Display for OneWayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rate(rate, held) => write!(f, "{rate} messages/s cannot be held; {held}/s can"),
            Self::Write(error) => write!(f, "cannot write a row: {error}"),
        }
    }
}

/// Displays the same as [`fmt::Display`], because `main` prints errors with `Debug`.
impl fmt::Debug for OneWayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for OneWayError {}

impl From<io::Error> for OneWayError {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

impl Default for Rig {
    fn default() -> Self {
        Self::new()
    }
}

impl Rig {
    /// Creates a rig with an empty ring.
    pub fn new() -> Self {
        Self {
            ring: Ring::new(),
            origin: Instant::now(),
        }
    }

    /// Returns the nanoseconds since the rig was created.
    fn now(&self) -> u64 {
        u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Returns the median time that reading the clock takes, which is part of each latency.
    fn clock_error(&self) -> f64 {
        Spread::of((0..1001).map(|_| as_float(self.now().abs_diff(self.now())))).median
    }

    /// Sends the messages of one repetition. Gives up if a message is late by half of the repetition's length plus half a
    /// second.
    fn send(&self, schedule: Schedule) -> Sent {
        let start = self.now();
        let (mut sent, mut caught_up) = (0, false);
        while sent < schedule.messages || (!caught_up && sent < schedule.limit()) {
            let intended = start + schedule.due(sent);
            let mut now = self.now();
            // The rate is sustained if the sender is on time once in the last quarter. If it is late throughout, it may
            // only have been preempted, so it may send more messages to catch up.
            caught_up |= now <= intended && sent * 4 >= schedule.messages * 3;
            while now < intended || !self.ring.push(intended) {
                std::hint::spin_loop();
                now = self.now();
                if now > intended + schedule.patience() {
                    return Sent {
                        messages: sent,
                        nanoseconds: now - start,
                        is_held: false,
                    };
                }
            }
            sent += 1;
        }
        Sent {
            messages: sent,
            nanoseconds: self.now() - start,
            is_held: caught_up,
        }
    }

    /// Sends and receives one repetition.
    fn repetition(&self, schedule: Schedule, poll: &mut impl Poll) -> (Sent, Tally) {
        let mut tally = Tally::new();
        let done = AtomicBool::new(false);
        let sent = thread::scope(|scope| {
            let sender = scope.spawn(|| {
                let sent = self.send(schedule);
                done.store(true, Ordering::Release);
                sent
            });
            loop {
                // Read the flag before polling, so that the last poll sees every message.
                let ended = done.load(Ordering::Acquire);
                let received = poll(&self.ring, &mut |intended| {
                    tally.add(self.now().saturating_sub(intended));
                });
                if ended && received == 0 {
                    return sender.join();
                }
            }
        });
        (
            sent.unwrap_or(Sent {
                messages: 0,
                nanoseconds: 1,
                is_held: false,
            }),
            tally,
        )
    }
}

#[derive(Clone, Copy)]
struct Schedule {
    rate: u64,
    messages: u64,
}

impl Schedule {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "messages of a day at most"
    )]
    fn new(rate: u64, seconds: f64) -> Self {
        Self {
            rate,
            messages: ((as_float(rate) * seconds) as u64).max(4),
        }
    }

    /// Returns the nanoseconds from the start until this message is due.
    fn due(self, message: u64) -> u64 {
        let nanoseconds = u128::from(message) * 1_000_000_000 / u128::from(self.rate);
        u64::try_from(nanoseconds).unwrap_or(u64::MAX)
    }

    /// Returns the maximum number of messages: twice as many as scheduled, plus half a second's messages.
    fn limit(self) -> u64 {
        self.messages * 2 + self.rate / 2
    }

    fn patience(self) -> u64 {
        self.due(self.messages) / 2 + 500_000_000
    }
}

struct Sent {
    messages: u64,
    nanoseconds: u64,
    is_held: bool,
}

/// A way to receive messages. It passes waiting messages to the handler, and returns their number.
trait Poll: FnMut(&Ring, &mut dyn FnMut(u64)) -> u64 {}
impl<P: FnMut(&Ring, &mut dyn FnMut(u64)) -> u64> Poll for P {}

impl<W: Write> Stopwatch<W> {
    /// Measures latency at the protocol's rate. Runs one warm-up repetition, then writes a row for each repetition.
    ///
    /// `poll` passes waiting messages to the handler with [`Ring::poll`], and returns their number. Several measurements may
    /// share a rig.
    ///
    /// # Errors
    /// Fails if the rate cannot be sustained, or if a row cannot be written.
    pub fn one_way(
        &mut self,
        name: &str,
        rig: &Rig,
        mut poll: impl FnMut(&Ring, &mut dyn FnMut(u64)) -> u64,
    ) -> Result<(), OneWayError> {
        let Protocol {
            rate,
            length,
            repetitions,
            ..
        } = self.protocol;
        let schedule = Schedule::new(rate, length);
        let error = rig.clock_error();
        for repetition in 0..=repetitions {
            let (sent, tally) = rig.repetition(schedule, &mut poll);
            if !sent.is_held {
                return Err(OneWayError::Rate(
                    rate,
                    held_rate(rig, &sent, length, &mut poll),
                ));
            }
            let is_warm_up = repetition == 0;
            let label = if is_warm_up { " (warmup)" } else { "" };
            note(&format!(
                "{name}: Rep {}/{}{label}: {tally}, each within {}",
                repetition + 1,
                repetitions + 1,
                Time(error)
            ));
            if !is_warm_up {
                let row = Row::new(name, "one-way, intended starts, polled in the process");
                self.write(&tally.metrics(row.run(repetition - 1).same_launch()))?;
            }
        }
        Ok(())
    }
}

/// Returns a rate that a short trial sustains, below the rate that the failed repetition reached.
fn held_rate(rig: &Rig, sent: &Sent, length: f64, poll: &mut impl Poll) -> u64 {
    let mut rate =
        (sent.messages.max(1) * 1_000).saturating_mul(1_000_000) / sent.nanoseconds.max(1);
    while rate > 1 {
        rate = rate / 5 * 4;
        let (sent, _) = rig.repetition(Schedule::new(rate.max(1), length.min(0.2)), poll);
        if sent.is_held {
            break;
        }
    }
    rate.max(1)
}
