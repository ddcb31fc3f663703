//! Cleanup after a killed measurement, on Linux, which lists processes in /proc.

#![cfg(target_os = "linux")]

use std::fs;
use std::process::Stdio;

use crate::instruments::folder::Folder;
use crate::processes::{is_running, soon};

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
