//! A Criterion benchmark for the tests of pairs. The file `rounds` in the current folder sets how much work it does.

use std::fs;
use std::hint::black_box;

use criterion::Criterion;

fn main() {
    let rounds = fs::read_to_string("rounds")
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or(1_000_u64);
    let mut criterion = Criterion::default().configure_from_args();
    let sum =
        || (0..black_box(rounds)).fold(0_u64, |sum, round| sum.wrapping_add(black_box(round)));
    criterion.bench_function("sum", |bencher| bencher.iter(sum));
    criterion.final_summary();
}
