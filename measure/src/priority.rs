//! The priority of launches: the highest that the system grants.
//!
//! On a machine four times overcommitted a launch gets a quarter of a processor, and the time for the measurement is over
//! before there are enough pairs. With the highest priority a launch took 1.3 s instead of 2.4 to 3.7 s there.

/// A raised priority of this process and of all that it starts; dropped, it is the former one again.
#[derive(Debug)]
pub(crate) struct Raised(());

/// Raises the priority, as root or by `sudo` in a workflow. `None` where the system does not grant it, or where somebody chose
/// a priority for this process.
#[cfg(target_os = "linux")]
pub(crate) fn raise() -> Option<Raised> {
    if niceness() != Some(NORMAL) {
        return None;
    }
    let is_granted = rustix::process::setpriority_process(None, HIGHEST).is_ok() || by_sudo();
    is_granted.then_some(Raised(()))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn raise() -> Option<Raised> {
    None
}

#[cfg(target_os = "linux")]
const NORMAL: i32 = 0;
#[cfg(target_os = "linux")]
const HIGHEST: i32 = -20;

#[cfg(target_os = "linux")]
fn niceness() -> Option<i32> {
    rustix::process::getpriority_process(None).ok()
}

/// Raises it by `sudo`, which on a workflow's runner asks nobody.
#[cfg(target_os = "linux")]
fn by_sudo() -> bool {
    use std::process::{Command, Stdio};
    if std::env::var_os("GITHUB_ACTIONS").is_none() {
        return false;
    }
    let mut command = Command::new("sudo");
    command.args(["-n", "--", "renice", "-n", &HIGHEST.to_string(), "-p", &std::process::id().to_string()]);
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success()) && niceness() == Some(HIGHEST)
}

impl Drop for Raised {
    fn drop(&mut self) {
        // Everybody may lower a priority.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::setpriority_process(None, NORMAL);
    }
}
