//! Mounts with `sudo`, for workflow runners that allow `sudo` but no user namespaces.
//!
//! `sudo` clears the environment. So this process saves it to a file that only the user can read. The process that `sudo`
//! starts restores the environment, and the user's ID and groups.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use nix::unistd::{Gid, Uid, getegid, geteuid, getgroups, setgid, setgroups, setuid};

use super::{Entry, MountView};

/// Saves the user and the environment to a file, and executes `sudo` to enter the same mount view. Returns only on failure,
/// with the reason.
pub fn become_root(file: &Path, entry: &Entry) -> io::Error {
    let own = file.with_extension(std::process::id().to_string());
    match keep(&own).and_then(|()| std::env::current_exe()) {
        Ok(program) => {
            let place = MountView {
                program,
                sudo: None,
                user: Some(own),
                ..entry.place.clone()
            };
            let command = place.command(&entry.folder, &entry.words);
            Command::new("sudo")
                .args(["-n", "--"])
                .arg(command.get_program())
                .args(command.get_args())
                .exec()
        }
        Err(error) => error,
    }
}

fn keep(file: &Path) -> io::Result<()> {
    let groups = getgroups()?
        .into_iter()
        .map(|group| group.to_string())
        .collect::<Vec<_>>()
        .join(" ");
    let mut text = format!("{} {} {groups}\0", geteuid(), getegid()).into_bytes();
    for (name, value) in std::env::vars_os() {
        text.extend([name.as_bytes(), b"=", value.as_bytes(), b"\0"].concat());
    }
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)?
        .write_all(&text)
}

/// Switches to the user in the file, and gives the command the environment that the file contains.
pub fn become_user(file: &Path, command: &mut Command) -> io::Result<()> {
    let text = fs::read(file)?;
    fs::remove_file(file)?;
    let mut entries = text
        .split(|byte| *byte == 0)
        .filter(|entry| !entry.is_empty());
    let ids = String::from_utf8_lossy(entries.next().unwrap_or_default()).into_owned();
    let ids: Vec<u32> = ids
        .split_whitespace()
        .filter_map(|id| id.parse().ok())
        .collect();
    let [user, group, groups @ ..] = &ids[..] else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    setgroups(
        &groups
            .iter()
            .copied()
            .map(Gid::from_raw)
            .collect::<Vec<_>>(),
    )?;
    setgid(Gid::from_raw(*group))?;
    setuid(Uid::from_raw(*user))?;
    command.env_clear();
    for entry in entries {
        let mut parts = entry.splitn(2, |byte| *byte == b'=');
        let [name, value] = [0; 2].map(|_| OsStr::from_bytes(parts.next().unwrap_or_default()));
        command.env(name, value);
    }
    Ok(())
}
