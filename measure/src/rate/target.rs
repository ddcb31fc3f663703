//! The target: a command that answers each line with a line.
//!
//! Lines are sent on schedule, without waiting for answers. The answers must arrive in the order of the lines.

use std::io::Write;
use std::process::ChildStdin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::schedule::{Clock, Monotonic, RateSchedule};
use super::tally::Tally;
use crate::guardian::{Guardian, end_group};
use crate::process::CommandSpec;
use crate::talking::Talking;

/// A placeholder for the number of sent messages until sending has ended.
const OPEN: u64 = u64::MAX;

/// A running command that answers messages.
pub struct Target<'g> {
    child: Talking<'g>,
    input: ChildStdin,
    /// The arrival times of answers, in nanoseconds on the clock.
    answers: Receiver<u64>,
    message: Vec<u8>,
}

impl<'g> Target<'g> {
    /// Starts a command. Each message to it is a line that contains `message`.
    ///
    /// # Errors
    /// Fails if the command cannot be started.
    pub fn start(
        line: &CommandSpec,
        message: &str,
        clock: Monotonic,
        guardian: &'g Guardian,
    ) -> anyhow::Result<Self> {
        let (child, input, answers) = Talking::start(line, guardian, move |_| clock.now())?;
        Ok(Self {
            child,
            input,
            answers,
            message: format!("{message}\n").into_bytes(),
        })
    }

    /// Runs one repetition. Sends messages and waits for answers until `give_up`.
    ///
    /// # Errors
    /// Fails if a histogram cannot be created.
    pub fn repetition(
        &mut self,
        schedule: &RateSchedule,
        give_up: u64,
        clock: Monotonic,
    ) -> anyhow::Result<Tally> {
        let sent = AtomicU64::new(OPEN);
        let mut received = Tally::new(schedule.messages)?;
        let mut tally = Tally::new(schedule.messages)?;
        thread::scope(|scope| {
            scope.spawn(|| {
                send(schedule, give_up, &clock, &mut tally, || {
                    self.input.write_all(&self.message).is_ok()
                });
                sent.store(tally.sent, Ordering::SeqCst);
            });
            receive(
                schedule,
                give_up,
                &clock,
                &self.answers,
                &sent,
                &mut received,
            );
            let is_whole = received.received == schedule.messages;
            if !is_whole && sent.load(Ordering::SeqCst) == OPEN {
                // Writing to a command that does not read would block forever.
                end_group(self.child.id());
            }
        });
        tally.add(&received);
        Ok(tally)
    }
}

/// Sends each message on schedule, until the target stops reading or the time is up.
fn send(
    schedule: &RateSchedule,
    give_up: u64,
    clock: &impl Clock,
    tally: &mut Tally,
    mut send: impl FnMut() -> bool,
) {
    for number in 0..schedule.messages {
        let free = clock.now();
        if free >= give_up {
            return;
        }
        let intended = schedule.intended(number);
        clock.wait_until(intended);
        let now = clock.now();
        if !send() {
            // At `give_up`, a command that does not read is ended, so writing fails although the command did not end by
            // itself.
            tally.ended = clock.now() < give_up;
            return;
        }
        tally.sent(now.saturating_sub(intended.max(free)));
    }
}

/// Records answers. The n-th answer belongs to the n-th message.
fn receive(
    schedule: &RateSchedule,
    give_up: u64,
    clock: &impl Clock,
    answers: &Receiver<u64>,
    sent: &AtomicU64,
    tally: &mut Tally,
) {
    while tally.received < schedule.messages.min(sent.load(Ordering::SeqCst)) {
        // Wait only briefly, because the sender may have ended after fewer messages than expected.
        let left = Duration::from_nanos(give_up.saturating_sub(clock.now()))
            .min(Duration::from_millis(20));
        match answers.recv_timeout(left) {
            Ok(at) => tally.answered(at.saturating_sub(schedule.intended(tally.received))),
            Err(RecvTimeoutError::Timeout) if clock.now() < give_up => {}
            Err(RecvTimeoutError::Timeout) => return,
            Err(RecvTimeoutError::Disconnected) => {
                tally.ended = true;
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::rate::schedule::fake::Fake;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn late_messages_are_sent_immediately() {
        let (clock, schedule) = (Fake::default(), RateSchedule::new(0, 10, SECOND));
        let mut tally = Tally::new(10).unwrap();
        let mut sent = Vec::new();
        send(&schedule, u64::MAX, &clock, &mut tally, || {
            sent.push(clock.now() / 1_000_000);
            // The third write blocks for 250 ms.
            if sent.len() == 3 {
                clock.wait_until(clock.now() + 250_000_000);
            }
            true
        });
        assert_eq!(sent, [0, 100, 200, 450, 450, 500, 600, 700, 800, 900]);
        assert_eq!(
            tally.lateness.max(),
            1,
            "a blocked write is not the sender's lateness"
        );
    }

    #[test]
    fn sending_ends_when_the_time_is_up_or_the_target_is_gone() {
        let schedule = RateSchedule::new(0, 10, SECOND);
        let sent = |give_up, most| {
            let (clock, mut tally) = (Fake::default(), Tally::new(10).unwrap());
            let mut left = most;
            send(&schedule, give_up, &clock, &mut tally, || {
                left -= 1;
                left >= 0
            });
            tally.sent
        };
        assert_eq!((sent(450_000_000, 100), sent(u64::MAX, 3)), (6, 3));
    }

    #[test]
    fn answers_belong_to_messages_in_order() {
        let (clock, schedule) = (Fake::default(), RateSchedule::new(1000, 10, SECOND));
        let (sender, answers) = mpsc::channel();
        for number in 0..4_u64 {
            sender
                .send(1000 + 100_000_000 * number + 7_000 * (number + 1))
                .unwrap();
        }
        drop(sender);
        let mut tally = Tally::new(10).unwrap();
        receive(
            &schedule,
            u64::MAX,
            &clock,
            &answers,
            &AtomicU64::new(OPEN),
            &mut tally,
        );
        assert_eq!((tally.received, tally.sent, tally.ended), (4, 0, true));
        assert!((7_000..7_010).contains(&tally.latency.min()) && tally.latency.max() >= 28_000);
    }

    #[test]
    fn stall_adds_to_the_latency_of_every_delayed_message() {
        const MS: u64 = 1_000_000;
        let schedule = RateSchedule::new(0, 5000, Duration::from_secs(10));
        let (sender, answers) = mpsc::channel();
        // The target takes 0.1 ms for each message, but does nothing in the first 100 ms of each second.
        let mut free = 0;
        for number in 0..schedule.messages {
            let begin = schedule.intended(number).max(free);
            let stall = (100 * MS).saturating_sub(begin % (1000 * MS));
            free = begin + stall + MS / 10;
            sender.send(free).unwrap();
        }
        let mut tally = Tally::new(schedule.messages).unwrap();
        let clock = Fake::default();
        let sent = AtomicU64::new(OPEN);
        receive(&schedule, u64::MAX, &clock, &answers, &sent, &mut tally);
        assert_eq!(tally.received, schedule.messages);
        let p99 = tally.latency.value_at_quantile(0.99);
        assert!((94 * MS..97 * MS).contains(&p99), "{p99}");
    }

    #[test]
    fn receiving_ends_after_the_last_sent_message() {
        let (clock, schedule) = (Fake::default(), RateSchedule::new(0, 10, SECOND));
        let (sender, answers) = mpsc::channel();
        sender.send(5).unwrap();
        let mut tally = Tally::new(10).unwrap();
        receive(
            &schedule,
            u64::MAX,
            &clock,
            &answers,
            &AtomicU64::new(1),
            &mut tally,
        );
        assert_eq!(tally.received, 1);
    }
}
