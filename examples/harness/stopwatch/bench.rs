//! Measurements inside a process, with the crate `perf-stopwatch`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::HashMap;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use perf_stopwatch::{Counts, Rig, Stopwatch};

/// Counts the program's allocations.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        BYTES.fetch_add(layout.size() as u64, Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn counts() -> Counts {
    Counts { allocations: ALLOCATIONS.load(Relaxed), bytes: BYTES.load(Relaxed) }
}

/// The base sums 1,000 numbers, the current version 4,000.
fn sum(times: u64) -> u64 {
    (0..black_box(times * 1_000)).fold(0, |sum, number| black_box(sum ^ number))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut stopwatch = Stopwatch::from_environment()?.counting(counts);
    stopwatch.window("list", || vec![1_u8; 64])?;
    let map = |trial| HashMap::from([(trial, "a")]);
    stopwatch.cold("insert (cold)", map, |map| map.insert(1_000, "b"))?;
    stopwatch.cold_state_of_warm_code("insert (warm code)", map, |map| map.insert(1_000, "b"))?;
    let (mut total, seven) = (0_u64, black_box(7));
    let add = || total = total.wrapping_mul(seven);
    stopwatch.rounds().block("multiply", add).versions("sum", || sum(1), || sum(4)).run()?;
    let rig = Rig::new();
    stopwatch.one_way("poll one", &rig, |ring, handler| ring.poll(1, handler))?;
    stopwatch.one_way("poll all", &rig, |ring, handler| ring.poll(u64::MAX, handler))?;
    Ok(())
}
