//! Enters a mount view: this process creates its own namespaces, covers the roots, and executes the command.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::Command;

use anyhow::Context;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
use rustix::process::{getegid, geteuid};

use super::{Entry, Layer, NOT_STARTED, Watch, sudo};

/// Enters the mount view and executes the command. Returns only if that fails, with the reason.
pub fn become_command(entry: &Entry) -> String {
    if let Some(file) = &entry.place.sudo {
        return format!(
            "perf-gate: cannot start `sudo`: {}",
            sudo::become_root(file, entry)
        );
    }
    let mut command = Command::new(&entry.words[0]);
    command.args(&entry.words[1..]);
    if let Err(why) = enter(entry, &mut command) {
        return format!("perf-gate: {why:#}");
    }
    let error = match &entry.place.watch {
        Some(watch) => match run_watched(&mut command, watch) {
            Ok(code) => std::process::exit(code),
            Err(error) => error,
        },
        None => command.exec(),
    };
    format!("{NOT_STARTED}{}", error.raw_os_error().unwrap_or_default())
}

/// Mounts, drops root privileges, and changes to the folder, in this order.
fn enter(entry: &Entry, command: &mut Command) -> anyhow::Result<()> {
    unshare_mounts()?;
    // Make all mounts private, so that later mounts are visible only in this namespace.
    let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount(None::<&str>, "/", None::<&str>, private, None::<&str>)
        .context("cannot make mounts private")?;
    entry.place.layers.iter().try_for_each(cover)?;
    if let Some(file) = &entry.place.user {
        sudo::become_user(file, command).context("cannot drop root privileges")?;
    }
    let folder = &entry.folder;
    std::env::set_current_dir(folder)
        .with_context(|| format!("cannot change to the folder `{}`", folder.display()))
}

/// Creates a mount namespace. Without privileges, this also creates a user namespace.
///
/// In the user namespace, the process keeps its user ID instead of becoming root. The capabilities in the namespace
/// last until the command is executed.
fn unshare_mounts() -> anyhow::Result<()> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    // Root needs no user namespace if it may mount. Then it keeps access to other users' files.
    if user == 0 && unshare(CloneFlags::CLONE_NEWNS).is_ok() {
        return Ok(());
    }
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS)
        .context("cannot create a user namespace")?;
    for (file, text) in [
        ("setgroups", "deny".to_owned()),
        ("uid_map", format!("{user} {user} 1")),
        ("gid_map", format!("{group} {group} 1")),
    ] {
        fs::write(Path::new("/proc/self").join(file), text).context("cannot map the user's id")?;
    }
    Ok(())
}

/// Mounts a layer over its root.
fn cover(layer: &Layer) -> anyhow::Result<()> {
    let cannot = || format!("cannot mount over `{}`", layer.root.display());
    let mut folders = Vec::new();
    let shown = layer.below.iter().chain([&layer.root]);
    for folder in shown.chain(&[layer.written(), layer.folder.join("work")]) {
        folders.push(File::open(folder).with_context(cannot)?);
    }
    // Paths may contain commas and colons, which separate mount options, so refer to them by file descriptor.
    let paths: Vec<String> = folders
        .iter()
        .map(|folder| format!("/proc/self/fd/{}", folder.as_raw_fd()))
        .collect();
    let (lower, written) = paths.split_at(paths.len() - 2);
    let options = format!(
        "lowerdir={},upperdir={},workdir={},userxattr",
        lower.join(":"),
        written[0],
        written[1]
    );
    mount(
        Some("overlay"),
        &layer.root,
        Some("overlay"),
        MsFlags::empty(),
        Some(&*options),
    )
    .with_context(cannot)
}

/// Runs the command, records which watched files are opened meanwhile, and returns the command's exit code.
///
/// The kernel reports files that are opened, executed or mapped by their paths in the mount view. Processes outside of the
/// view use different paths to the same files, so the kernel does not report theirs.
fn run_watched(command: &mut Command, watch: &Watch) -> io::Result<i32> {
    let files = fs::read(&watch.files)?;
    let inotify = Inotify::init(InitFlags::IN_CLOEXEC | InitFlags::IN_NONBLOCK)?;
    let mut names = HashMap::new();
    for file in files.split(|byte| *byte == 0) {
        let once = AddWatchFlags::IN_OPEN | AddWatchFlags::IN_ONESHOT;
        // Ignore files that no longer exist.
        if let Ok(number) = inotify.add_watch(Path::new(OsStr::from_bytes(file)), once) {
            names.insert(number, file);
        }
    }
    let status = command.status()?;
    let mut opened = Vec::new();
    while let Ok(events) = inotify.read_events() {
        for event in events {
            if let Some(file) = names.get(&event.wd)
                && event.mask.contains(AddWatchFlags::IN_OPEN)
            {
                opened.extend_from_slice(file);
                opened.push(0);
            }
        }
    }
    fs::write(&watch.opened, opened)?;
    Ok(status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or_default()))
}
