//! The same output twice in one input, as in a log of a repeated step.

use super::late::{fixtures, root, sorted};
use super::{common, read};

/// Formats of one document: a second root, header or table is reported.
const ONE: [&str; 5] = ["junit", "unity", "catch2-xml", "rustls-icounts", "rustls-memory"];

/// Tools that repeat a benchmark under one name, so that who says it twice measured twice.
const REPEATING: [&str; 4] = ["go", "hdrhistogram", "wrk", "wrk2"];

#[test]
fn repeated_output_in_one_input_is_a_duplicate() {
    let mut different = Vec::new();
    for file in fixtures(&root()) {
        let bytes = std::fs::read(&file).unwrap();
        let alone = read(&bytes);
        let format = alone.inputs[0].format;
        if alone.rows.is_empty() || ONE.contains(&format) || REPEATING.contains(&format) {
            continue;
        }
        let twice = read(&[&bytes[..], b"\n", &bytes].concat());
        if sorted(&twice) != sorted(&alone) {
            different.push(format!("{format}: {}\n{}", file.display(), common::account(&twice)));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}
