//! What benchmark tools print, a module for each tool.
//!
//! A reader keeps the unit in which its tool prints a metric, and says it in the metric's name (`timeNs`,
//! `allocatedBytes`), as names are all that a baseline keeps. A tool that lets each benchmark choose a unit is
//! read in the finest of them. What the name cannot tell is declared.

pub(super) mod benchmarkjs;
pub(super) mod hyperfine;

use crate::row::Value;

/// A number as people write it, with commas or spaces between the thousands.
fn grouped(text: &str) -> Option<Value> {
    if text.contains([',', ' ', '\u{a0}', '\u{202f}']) {
        return Value::parse(&text.replace([',', ' ', '\u{a0}', '\u{202f}'], ""));
    }
    Value::parse(text)
}
