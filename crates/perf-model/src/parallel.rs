//! Runs work in parallel and returns the results in order.

use std::num::NonZero;
use std::thread;

/// Runs `work` on each item, on as many threads as there are cores, and returns the results in order.
///
/// # Panics
/// Panics if `work` panics.
pub fn map<'t, T: Sync, R: Send>(items: &'t [T], work: impl Fn(&'t T) -> R + Sync) -> Vec<R> {
    let most = items.len().div_ceil(cores()).max(1);
    thread::scope(|scope| {
        let work = &work;
        let mut threads = Vec::new();
        for part in items.chunks(most) {
            threads.push(scope.spawn(move || part.iter().map(work).collect::<Vec<R>>()));
        }
        let mut all = Vec::with_capacity(items.len());
        for thread in threads {
            let results = thread.join();
            all.extend(results.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    })
}

/// Runs two closures in parallel.
///
/// # Panics
/// Panics if one of the closures panics.
pub fn both<A, B: Send>(one: impl FnOnce() -> A, other: impl FnOnce() -> B + Send) -> (A, B) {
    thread::scope(|scope| {
        let other = scope.spawn(other);
        let one = one();
        let other = other.join();
        (
            one,
            other.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        )
    })
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
        for count in [0, 1, 2, 5, 1000] {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(
                map(&items, |item| item + 1),
                (1..=count).collect::<Vec<_>>()
            );
        }
    }
}
