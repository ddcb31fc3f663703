//! Parallel work with results in order.

use std::num::NonZero;
use std::thread;

/// Runs `work` on the numbers from 0 up to `parts`, each on its own thread, and returns the results in order.
///
/// # Panics
/// If `work` panics.
pub fn parts<R: Send>(parts: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> = (1..parts)
            .map(|part| scope.spawn(move || work(part)))
            .collect();
        let first = (parts > 0).then(|| work(0));
        let others = others.into_iter().map(|thread| {
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        first.into_iter().chain(others).collect()
    })
}

/// Runs two closures in parallel.
///
/// # Panics
/// If one of them panics.
pub fn both<A, B: Send>(one: impl FnOnce() -> A, other: impl FnOnce() -> B + Send) -> (A, B) {
    thread::scope(|scope| {
        let other = scope.spawn(other);
        let one = one();
        (
            one,
            other
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        )
    })
}

/// Runs `work` on each item, the two halves in parallel, and returns the results in order.
///
/// # Panics
/// If `work` panics.
pub fn halves<'t, T: Sync, R: Send>(items: &'t [T], work: impl Fn(&'t T) -> R + Sync) -> Vec<R> {
    let (first, second) = items.split_at(items.len() / 2);
    if first.is_empty() {
        return items.iter().map(work).collect();
    }
    let half = |items: &'t [T]| items.iter().map(&work).collect::<Vec<R>>();
    let (mut all, rest) = both(|| half(first), || half(second));
    all.extend(rest);
    all
}

/// The fewest items that are worth a thread.
const MANY: usize = 5_000;

/// Like [`halves`], for `work` that takes many items at once; few items are processed on this thread.
///
/// # Panics
/// If `work` panics.
pub fn in_halves<T: Send, R: Send>(
    mut items: Vec<T>,
    work: impl Fn(Vec<T>) -> Vec<R> + Sync,
) -> Vec<R> {
    if items.len() < MANY {
        return work(items);
    }
    let second = items.split_off(items.len() / 2);
    let (mut all, rest) = both(|| work(items), || work(second));
    all.extend(rest);
    all
}

/// The number of cores.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order() {
        assert_eq!(parts(3, |part| part * 2), [0, 2, 4]);
        assert!(parts(0, |part| part).is_empty());
        for count in [0, 1, 2, 5] {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(
                halves(&items, |item| item + 1),
                (1..=count).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn halves_keep_the_order() {
        for count in [0, 1, MANY - 1, MANY, MANY + 1] {
            let doubled = in_halves((0..count).collect(), |items| {
                items.iter().map(|item| item * 2).collect()
            });
            assert_eq!(doubled, (0..count).map(|item| item * 2).collect::<Vec<_>>());
        }
    }
}
