//! Each input line is a number of operations. Runs that many, and prints how many nanoseconds they took.

use std::hint::black_box;
use std::io::{stdin, stdout, Write};
use std::time::Instant;

fn operation(data: &[u8]) -> u32 {
    data.iter().fold(2_166_136_261, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(16_777_619))
}

fn main() {
    let data: Vec<u8> = (0..=255).cycle().take(1024).collect();
    for line in stdin().lines() {
        let operations: u64 = line.unwrap().parse().unwrap();
        let start = Instant::now();
        for _ in 0..operations {
            black_box(operation(black_box(&data)));
        }
        println!("{}", start.elapsed().as_nanos());
        stdout().flush().unwrap();
    }
}
