//! Splits large work between two threads.

use std::thread;

/// The number of items that is worth a thread.
const MANY: usize = 5_000;

/// The results of `work` on the items, in order; many items are split between two threads.
///
/// # Panics
/// When `work` panics.
pub fn in_halves<T: Send, R: Send>(mut items: Vec<T>, work: impl Fn(Vec<T>) -> Vec<R> + Sync) -> Vec<R> {
    if items.len() < MANY {
        return work(items);
    }
    let second = items.split_off(items.len() / 2);
    thread::scope(|scope| {
        let second = scope.spawn(|| work(second));
        let mut all = work(items);
        all.extend(second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_threads_keep_the_order() {
        for count in [0, 1, MANY - 1, MANY, MANY + 1] {
            let doubled =
                in_halves((0..count).collect(), |items| items.iter().map(|item| item * 2).collect());
            assert_eq!(doubled, (0..count).map(|item| item * 2).collect::<Vec<_>>());
        }
    }
}
