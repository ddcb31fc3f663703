//! Ends the leftover processes of a benchmark: none may still run during a later step, which has the token.
//!
//! Only Linux has subreapers. On other systems, a process that left its process group survives.

use std::time::{Duration, Instant};

use rustix::process::{Signal, WaitOptions, kill_process, wait};

/// Makes this process adopt orphaned descendants, even from another session.
pub fn adopt() -> anyhow::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(
        rustix::process::getpid(),
    ))?)
}

/// Kills all descendants.
///
/// # Errors
/// If one is still alive after ten seconds.
pub fn end() -> anyhow::Result<()> {
    let start = Instant::now();
    // Killing a child makes its own children ours, so repeat until none is left.
    while start.elapsed() < Duration::from_secs(10) {
        for child in children() {
            let _ = kill_process(child, Signal::KILL);
        }
        if wait(WaitOptions::NOHANG).is_err() {
            // No child is left.
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let message = "cannot end a leftover process of the benchmark";
    Err(perf_cli::Failure::new(message).into())
}

/// The children of all threads of this process.
fn children() -> Vec<rustix::process::Pid> {
    let mut found = Vec::new();
    for thread in std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten()
    {
        let listed = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        for word in listed.split_whitespace() {
            found.extend(word.parse().ok().and_then(rustix::process::Pid::from_raw));
        }
    }
    found
}
