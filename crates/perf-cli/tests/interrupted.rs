//! A killed writer leaves the old content or the new one, never a mixture.
#![cfg(target_os = "linux")]

use std::os::unix::fs::MetadataExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use perf_cli::file::write_if_changed;
use tempfile::TempDir;

/// The variable with the path of the file that a writer process writes until it is killed.
const TARGET: &str = "PERF_CLI_WRITES_TO";
/// Large enough that a writer can be killed in the middle of a write.
const SIZE: usize = 4 * 1024 * 1024;

fn content(letter: u8) -> Vec<u8> {
    vec![letter; SIZE]
}

fn spawn_writer(path: &std::path::Path) -> std::io::Result<Child> {
    Command::new(env::current_exe()?)
        .args(["--exact", "interrupted::writes_until_killed"])
        .env(TARGET, path)
        .stdout(Stdio::null())
        .spawn()
}

#[test]
fn writes_until_killed() {
    let Some(path) = env::var_os(TARGET) else {
        return;
    };
    loop {
        for letter in [b'a', b'b'] {
            write_if_changed(path.as_ref(), &content(letter)).unwrap();
        }
    }
}

#[test]
fn a_killed_writer_leaves_the_file_whole() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("baseline.csv");
    let whole = [content(b'a'), content(b'b')];
    fs::write(&path, &whole[0]).unwrap();
    let first = fs::metadata(&path).unwrap().ino();
    for round in 0..20 {
        let mut writer = spawn_writer(&path).unwrap();
        let started = Instant::now();
        // Check while it writes: a reader must never see a partial file.
        while started.elapsed() < Duration::from_millis(20 + 7 * round) {
            assert!(
                whole.contains(&fs::read(&path).unwrap()),
                "a reader saw half a file"
            );
            thread::sleep(Duration::from_millis(3));
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        assert!(
            whole.contains(&fs::read(&path).unwrap()),
            "round {round} left half a file"
        );
    }
    assert_ne!(
        fs::metadata(&path).unwrap().ino(),
        first,
        "nothing was written"
    );
}
