//! Real pairs on this machine: repeated runs of the same small program, in alternating order of base and head.

use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::Context;
use perf_cli::Failure;
use perf_verdict::rules::pairs::{self, LOOKS, Outcome};

use crate::rate::Rate;

/// The argument that makes the program measure its own work and print the nanoseconds.
pub const WORKLOAD: &str = "--workload";
/// Rounds of the work: about a millisecond.
const ROUNDS: u64 = 400_000;

/// The false alarms of A/A pairs, and their noise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Blocks {
    /// Blocks that were wrongly found slower.
    pub slower: Rate,
    /// The median noise of process runs in a block, as a share.
    pub stray: f64,
}

/// Does the work, and returns its nanoseconds.
pub fn work() -> u64 {
    black_box(rounds(black_box(ROUNDS)));
    let start = Instant::now();
    black_box(rounds(black_box(ROUNDS)));
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Arithmetic in which each round depends on the previous one.
fn rounds(count: u64) -> u64 {
    (0..count).fold(0x9e37_79b9_7f4a_7c15, |state: u64, round| {
        (state ^ round)
            .rotate_left(13)
            .wrapping_mul(0xbf58_476d_1ce4_e5b9)
    })
}

/// Measures blocks of pairs with this program, each until an analysis concludes, like `perf-gate run`.
pub fn blocks(program: &Path, count: usize) -> anyhow::Result<Blocks> {
    let mut blocks = Blocks::default();
    let mut variations = Vec::with_capacity(count);
    for _ in 0..count {
        let (mut pairs, mut finding) = (Vec::new(), None);
        for look in &LOOKS {
            while pairs.len() < look.pairs {
                pairs.push(pair(program, pairs.len())?);
            }
            finding = pairs::look(&pairs);
            if finding.is_some_and(|finding| !finding.is_open()) {
                break;
            }
        }
        blocks
            .slower
            .add(finding.is_some_and(|finding| finding.outcome == Outcome::Slower));
        // A difference of two process runs has √2 times the noise of one.
        let noise = finding.map(|finding| finding.noise / std::f64::consts::SQRT_2);
        variations.push(noise.unwrap_or_default());
    }
    blocks.stray = perf_verdict::statistics::order::middle(&variations).unwrap_or_default();
    Ok(blocks)
}

/// Two process runs. The base is first in every other pair.
fn pair(program: &Path, at: usize) -> anyhow::Result<(f64, f64)> {
    let (first, second) = (launch(program)?, launch(program)?);
    Ok(if at.is_multiple_of(2) {
        (first, second)
    } else {
        (second, first)
    })
}

/// The cost of a process run, as a logarithm.
fn launch(program: &Path) -> anyhow::Result<f64> {
    let mut command = Command::new(program);
    command
        .arg(WORKLOAD)
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    let output = command
        .output()
        .with_context(|| format!("cannot start `{}`", program.display()))?;
    let printed = String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse::<f64>()
        .ok();
    let nanoseconds = printed.filter(|number| output.status.success() && *number > 0.0);
    let number = nanoseconds.ok_or_else(|| Failure::new("the workload printed no time"))?;
    Ok(number.ln())
}
