//! The processes that a benchmark leaves behind: a step with the token must not run next to them.

/// Makes this process the parent of every descendant whose own parent ends, even in another session.
#[cfg(target_os = "linux")]
pub(super) fn adopt() -> anyhow::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(
        rustix::process::getpid(),
    ))?)
}

/// Ends all descendants.
///
/// # Errors
/// A descendant that does not end.
#[cfg(target_os = "linux")]
pub(super) fn end() -> anyhow::Result<()> {
    use std::time::{Duration, Instant};

    use rustix::process::{Signal, WaitOptions, kill_process, wait};

    let start = Instant::now();
    // The children of a process that is killed become children of this one.
    while start.elapsed() < Duration::from_secs(10) {
        for child in children() {
            let _ = kill_process(child, Signal::KILL);
        }
        if wait(WaitOptions::NOHANG).is_err() {
            // There is no child left.
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let message = "a process that the benchmark left behind cannot be ended";
    Err(perf_cli::Failure::new(message).into())
}

/// The children of all threads of this process.
#[cfg(target_os = "linux")]
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

/// Other systems know no orphans of a process: what left its process group stays.
#[cfg(not(target_os = "linux"))]
pub(super) fn adopt() -> anyhow::Result<()> {
    Ok(())
}

/// Other systems: see [`adopt`].
#[cfg(not(target_os = "linux"))]
pub(super) fn end() -> anyhow::Result<()> {
    Ok(())
}
