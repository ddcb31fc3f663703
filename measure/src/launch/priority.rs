//! The priority of launches: the highest that the system grants.
//!
//! On a machine four times overcommitted a launch gets a quarter of a processor, and the time for the measurement is over
//! before there are enough pairs. With the highest priority a launch took 1.3 s instead of 2.4 to 3.7 s there.
//!
//! Linux shares processors between sessions first, where it groups processes by session (autogroups, see sched(7)), so the
//! session of this process is raised with it.

/// A raised priority of this process and of all that it starts; dropped, it is the former one again.
#[derive(Debug)]
pub(crate) struct Raised {
    with_session: bool,
}

/// The reason why launches have the priority of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotRaised {
    /// Somebody chose one.
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "no priority is raised elsewhere")
    )]
    #[error("the one of this process, as its niceness {0} was chosen")]
    Chosen(i32),
    /// The system grants no higher one.
    #[error("normal: the system does not let it be raised")]
    Denied,
}

/// Raises the priority, as root or by `sudo` in a workflow, and that of the session unless it has another than the normal one.
/// `guard` sees to it that [`restore_session`] is called even if this process is killed.
#[cfg(target_os = "linux")]
pub(crate) fn raise(guard: impl FnOnce()) -> Result<Raised, NotRaised> {
    match linux::niceness().ok_or(NotRaised::Denied)? {
        linux::NORMAL => {}
        niceness => return Err(NotRaised::Chosen(niceness)),
    }
    let with_session = linux::is_session_normal();
    if with_session {
        guard();
    }
    linux::raise(with_session)
        .then_some(Raised { with_session })
        .ok_or(NotRaised::Denied)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn raise(_: impl FnOnce()) -> Result<Raised, NotRaised> {
    Err(NotRaised::Denied)
}

/// Gives the session of this process the normal priority.
pub(crate) fn restore_session() {
    #[cfg(target_os = "linux")]
    linux::set_session(linux::NORMAL);
}

impl Drop for Raised {
    fn drop(&mut self) {
        // Everybody may lower a priority.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::setpriority_process(None, linux::NORMAL);
        if self.with_session {
            restore_session();
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::process::{Command, Stdio};

    use rustix::process::{getpriority_process, setpriority_process};

    pub(crate) const NORMAL: i32 = 0;
    const HIGHEST: i32 = -20;
    const SESSION: &str = "/proc/self/autogroup";

    pub(crate) fn niceness() -> Option<i32> {
        getpriority_process(None).ok()
    }

    /// True if the session can have a priority and nobody has set it.
    pub(crate) fn is_session_normal() -> bool {
        fs::read_to_string(SESSION).is_ok_and(|text| text.trim_end().ends_with(" nice 0"))
    }

    pub(crate) fn set_session(niceness: i32) {
        if fs::exists(SESSION).unwrap_or_default() {
            let _ = fs::write(SESSION, niceness.to_string());
        }
    }

    /// Returns true if this process has the highest priority.
    pub(crate) fn raise(with_session: bool) -> bool {
        if setpriority_process(None, HIGHEST).is_err() {
            return by_sudo(with_session);
        }
        if with_session {
            set_session(HIGHEST);
        }
        true
    }

    /// Raises it by `sudo`, which on a workflow's runner asks nobody.
    fn by_sudo(with_session: bool) -> bool {
        if std::env::var_os("GITHUB_ACTIONS").is_none() {
            return false;
        }
        let id = std::process::id();
        let session = if with_session {
            format!("; echo {HIGHEST} >/proc/{id}/autogroup")
        } else {
            String::new()
        };
        let mut command = Command::new("sudo");
        command
            .args(["-n", "--", "sh", "-c"])
            .arg(format!("renice -n {HIGHEST} -p {id}{session}"));
        let run = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        run.is_ok() && niceness() == Some(HIGHEST)
    }
}
