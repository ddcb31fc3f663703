//! Cleanup after a killed measurement, on Linux, which lists processes in /proc.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::instruments::folder::Folder;

/// Waits for another process.
fn soon(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_mins(1), "not so: {what}");
        sleep(Duration::from_millis(20));
    }
}

/// Whether a process exists and is not a zombie.
fn is_running(process: &str) -> bool {
    let stat =
        fs::read_to_string(PathBuf::from("/proc").join(process).join("stat")).unwrap_or_default();
    stat.rsplit_once(") ")
        .is_some_and(|(_, state)| !state.starts_with('Z'))
}

#[test]
fn killed_instrument_leaves_no_process_and_no_file() {
    for arguments in [
        &["record"][..],
        &["rate", "--rate", "1"],
        &["window"],
        &["agree", "--a", "wall", "--b", "user"],
    ] {
        let folder = Folder::new();
        let temporary = folder.path().join("tmp");
        fs::create_dir(&temporary).unwrap();
        folder.write("work.sh", "sleep 600 & echo $! $$ >started\nwait\n");
        let mut command = folder.command(&[arguments, &["--", "sh", "work.sh"]].concat());
        command
            .env("TMPDIR", &temporary)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut running = command.spawn().unwrap();
        soon("the command runs", || {
            folder.read("started").ends_with('\n')
        });
        let started = folder.read("started");
        let processes: Vec<&str> = started.split_whitespace().collect();
        assert!(
            processes.iter().all(|process| is_running(process)),
            "{arguments:?}"
        );
        running.kill().unwrap();
        running.wait().unwrap();
        soon("its processes are gone", || {
            !processes.iter().any(|process| is_running(process))
        });
        soon("its files are gone", || {
            fs::read_dir(&temporary).unwrap().next().is_none()
        });
        assert_eq!(
            folder.files(),
            ["started", "tmp", "work.sh"],
            "{arguments:?}"
        );
    }
}
