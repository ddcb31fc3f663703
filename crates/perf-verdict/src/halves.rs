//! Work on two cores.

use std::thread;

/// So many items are worth a thread.
const MANY: usize = 5_000;

/// What `work` makes of the items, in order; of many, on two cores.
///
/// # Panics
/// When `work` does.
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
    fn the_order_stays_on_two_cores() {
        for count in [0, 1, MANY - 1, MANY, MANY + 1] {
            let doubled =
                in_halves((0..count).collect(), |items| items.iter().map(|item| item * 2).collect());
            assert_eq!(doubled, (0..count).map(|item| item * 2).collect::<Vec<_>>());
        }
    }
}
