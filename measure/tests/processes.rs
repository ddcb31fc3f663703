//! Finds processes that a killed measurement left behind, on Linux, which lists them in /proc.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Waits until the condition holds, for up to a minute.
pub fn soon(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_mins(1), "not so: {what}");
        sleep(Duration::from_millis(20));
    }
}

/// Whether a process exists and is not a zombie, which may remain in a container.
pub fn is_running(id: &str) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(id).join("stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}
