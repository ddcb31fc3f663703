//! Samples of Linux perf as `perf script -F ip,sym` prints them.

use crate::why::profile::build::Builder;
use crate::why::profile::{Profile, Unreadable};

const TOOL: &str = "perf";

/// Reads the samples: an empty line behind each, the innermost frame first.
pub fn read(text: &str) -> Result<Profile, Unreadable> {
    let mut builder = Builder::default();
    let mut frames = Vec::new();
    for (number, line) in text.lines().chain([""]).enumerate() {
        let line = line.trim();
        if line.is_empty() {
            frames.reverse();
            if !frames.is_empty() {
                builder.stack(std::mem::take(&mut frames), 1.0);
            }
            continue;
        }
        let (address, name) = line.split_once(' ').unwrap_or((line, "[unknown]"));
        if !address.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(Unreadable::Format(TOOL, format!("line {}", number + 1)));
        }
        frames.push(builder.function(name, None));
    }
    builder.of_stacks(TOOL)
}
