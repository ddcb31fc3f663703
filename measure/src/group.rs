//! Ends processes with all that they started.

#[cfg(not(unix))]
use std::process::{Command, Stdio};

/// Ends every process of a group.
#[cfg(unix)]
pub fn end_group(leader: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let Some(group) = i32::try_from(leader).ok().and_then(Pid::from_raw) else {
        return;
    };
    // A group that is gone needs no ending.
    let _ = kill_process_group(group, Signal::KILL);
}

/// Ends a process with its children.
#[cfg(not(unix))]
pub fn end_group(leader: u32) {
    let mut command = Command::new("taskkill");
    command.args(["/T", "/F", "/PID", &leader.to_string()]);
    // Without it only the process itself could be ended, which the caller does.
    let _ = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}
