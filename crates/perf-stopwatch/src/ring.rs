//! A queue of numbers between two threads, without locks.

use std::sync::atomic::{AtomicU64, Ordering};

/// The number of messages that fit into the queue. At a million per second, the receiver can be preempted for 65 ms.
const SLOTS: usize = 1 << 16;

/// A counter in its own cache line, so that the two threads do not wait for each other's writes.
#[repr(align(128))]
#[derive(Debug)]
struct Counter(AtomicU64);

/// A queue of messages from one sender to one receiver.
#[derive(Debug)]
pub struct Ring {
    slots: Box<[AtomicU64]>,
    sent: Counter,
    received: Counter,
}

impl Ring {
    pub(crate) fn new() -> Self {
        let slots = (0..SLOTS).map(|_| AtomicU64::new(0)).collect();
        Self {
            slots,
            sent: Counter(AtomicU64::new(0)),
            received: Counter(AtomicU64::new(0)),
        }
    }

    fn slot(&self, number: u64) -> &AtomicU64 {
        &self.slots[usize::try_from(number).unwrap_or(0) % SLOTS]
    }

    /// Sends a message. Returns false if the ring is full.
    pub fn push(&self, message: u64) -> bool {
        let at = self.sent.0.load(Ordering::Relaxed);
        let taken = self.received.0.load(Ordering::Acquire);
        if at - taken >= SLOTS as u64 {
            return false;
        }
        self.slot(at).store(message, Ordering::Relaxed);
        self.sent.0.store(at + 1, Ordering::Release);
        true
    }

    /// Passes at most `limit` waiting messages to the handler, and returns their number.
    pub fn poll(&self, limit: u64, mut handler: impl FnMut(u64)) -> u64 {
        let at = self.received.0.load(Ordering::Relaxed);
        let waiting = self.sent.0.load(Ordering::Acquire) - at;
        let taken = waiting.min(limit);
        for number in at..at + taken {
            handler(self.slot(number).load(Ordering::Relaxed));
        }
        if taken > 0 {
            self.received.0.store(at + taken, Ordering::Release);
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_in_order_and_a_full_ring_rejects_more() {
        let ring = Ring::new();
        let sent = (0..1_000_000)
            .take_while(|message| ring.push(*message))
            .count();
        assert_eq!(sent, SLOTS);
        let mut received = Vec::new();
        assert_eq!(ring.poll(3, |message| received.push(message)), 3);
        assert_eq!(received, [0, 1, 2]);
        assert!(ring.push(7) && ring.push(8) && ring.push(9) && !ring.push(10));
    }
}
