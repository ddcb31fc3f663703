//! Runs processes at the highest priority that the system grants.
//!
//! On a machine that is overcommitted fourfold, a process gets only a quarter of a processor. Then the time limit ends the
//! measurement before there are enough pairs. With the highest priority, a process run on such a machine took 1.3 s instead
//! of 2.4 to 3.7 s.
//!
//! If Linux groups processes by session (autogroups, see sched(7)), it first divides the processors between sessions. So the
//! session's priority is raised as well.

#[cfg(target_os = "linux")]
use rustix::process::{getpriority_process, setpriority_process};

/// The raised priority of this process and its children. Dropping this value restores the normal priority.
pub struct Raised {
    with_session: bool,
}

/// The reason why the priority was not raised.
#[derive(Debug, thiserror::Error)]
pub enum NotRaised {
    /// The user has set another niceness.
    #[cfg(target_os = "linux")]
    #[error("unchanged, because this process has niceness {0}")]
    Chosen(i32),
    /// The system does not allow a higher priority.
    #[error("normal, because the system does not allow a higher one")]
    Denied,
}

/// Raises this process's priority, and also its session's priority if that is still the default. On GitHub's runners, uses
/// `sudo` if necessary. `guard` is called before the session's priority is raised. It must ensure that [`restore_session`]
/// is called even if this process is killed.
#[cfg(target_os = "linux")]
pub fn raise(guard: impl FnOnce()) -> Result<Raised, NotRaised> {
    match getpriority_process(None).map_err(|_| NotRaised::Denied)? {
        linux::NORMAL => {}
        niceness => return Err(NotRaised::Chosen(niceness)),
    }
    let with_session = linux::is_session_normal();
    if with_session {
        guard();
    }
    if setpriority_process(None, linux::HIGHEST).is_ok() {
        if with_session {
            linux::set_session(linux::HIGHEST);
        }
    } else if !linux::raise_by_sudo(with_session) {
        return Err(NotRaised::Denied);
    }
    Ok(Raised { with_session })
}

#[cfg(not(target_os = "linux"))]
pub fn raise(_: impl FnOnce()) -> Result<Raised, NotRaised> {
    Err(NotRaised::Denied)
}

/// Resets the session's priority to normal.
pub fn restore_session() {
    #[cfg(target_os = "linux")]
    linux::set_session(linux::NORMAL);
}

impl Drop for Raised {
    fn drop(&mut self) {
        // Lowering a priority needs no privileges.
        #[cfg(target_os = "linux")]
        let _ = setpriority_process(None, linux::NORMAL);
        if self.with_session {
            restore_session();
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::process::Command;

    use rustix::process::getpriority_process;

    pub const NORMAL: i32 = 0;
    pub const HIGHEST: i32 = -20;
    const SESSION: &str = "/proc/self/autogroup";

    /// Whether the session's priority is known and is the default.
    pub fn is_session_normal() -> bool {
        fs::read_to_string(SESSION).is_ok_and(|text| text.trim_end().ends_with(" nice 0"))
    }

    pub fn set_session(niceness: i32) {
        if fs::exists(SESSION).unwrap_or_default() {
            let _ = fs::write(SESSION, niceness.to_string());
        }
    }

    /// Raises the priority with `sudo`, which needs no password on GitHub's runners.
    pub fn raise_by_sudo(with_session: bool) -> bool {
        if std::env::var_os("GITHUB_ACTIONS").is_none() {
            return false;
        }
        let id = std::process::id();
        let session = if with_session {
            format!("; echo {HIGHEST} >/proc/{id}/autogroup")
        } else {
            String::new()
        };
        let run = Command::new("sudo")
            .args(["-n", "--", "sh", "-c"])
            .arg(format!("renice -n {HIGHEST} -p {id}{session}"))
            .output();
        run.is_ok() && getpriority_process(None) == Ok(HIGHEST)
    }
}
