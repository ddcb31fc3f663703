//! The files on disk after writing.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};
use std::{env, fs};

use perf_cli::Written::{Created, Unchanged, Updated};
use perf_cli::file::{create_new, write_if_changed};
use tempfile::TempDir;

use crate::common::error_text;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_is_created_updated_and_then_left_alone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("baseline.csv");
    assert_eq!(write_if_changed(&path, b"one").unwrap(), Created);
    assert_eq!(write_if_changed(&path, b"two").unwrap(), Updated);
    let long_ago = SystemTime::now() - Duration::from_secs(1_000_000);
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(long_ago)
        .unwrap();
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    assert_eq!(write_if_changed(&path, b"two").unwrap(), Unchanged);
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
    assert_eq!(write_if_changed(&path, b"").unwrap(), Updated);
    assert_eq!(
        (fs::read(&path).unwrap(), names(folder.path())),
        (Vec::new(), vec!["baseline.csv".to_owned()])
    );
}

#[test]
fn a_new_file_never_replaces_one() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("baseline.csv");
    create_new(&path, b"one").unwrap();
    let error = create_new(&path, b"one").unwrap_err();
    insta::assert_snapshot!(error_text(&error, folder.path()), @"`DIR/baseline.csv` already exists");
    assert_eq!(fs::read(&path).unwrap(), b"one");
    assert!(create_new(folder.path(), b"x").is_err());
    assert_eq!(names(folder.path()), ["baseline.csv"]);
    // Of several writers at once, only one creates the file.
    for round in 0..20 {
        let path = folder.path().join(round.to_string());
        let created = std::thread::scope(|scope| {
            let writers = [(); 4].map(|()| scope.spawn(|| create_new(&path, b"x").is_ok()));
            writers.map(|writer| usize::from(writer.join().unwrap()))
        });
        assert_eq!(created.iter().sum::<usize>(), 1);
    }
}

#[test]
fn failed_write_is_reported_and_leaves_no_files() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("docs")).unwrap();
    let write = |name: &str| {
        error_text(
            &write_if_changed(&folder.path().join(name), b"x").unwrap_err(),
            folder.path(),
        )
    };
    insta::assert_snapshot!(write("docs"), @"
    cannot write `DIR/docs`: it is a directory
    hint: pass a file in it
    ");
    insta::assert_snapshot!(write("out/baseline.csv"), @"
    cannot write `DIR/out/baseline.csv`: its folder does not exist
    hint: create the folder `DIR/out` first
    ");
    insta::assert_snapshot!(error_text(&write_if_changed(Path::new(""), b"x").unwrap_err(), folder.path()), @"
    cannot write a file without a name
    hint: is a variable empty?
    ");
    assert!(write_if_changed(&folder.path().join("new/"), b"x").is_err());
    assert!(write_if_changed(&folder.path().join("n".repeat(300)), b"x").is_err());
    assert_eq!(names(folder.path()), ["docs"]);
}

#[test]
fn a_read_only_file_stays_as_it_is() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("baseline.csv");
    fs::write(&path, "one").unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions.clone()).unwrap();
    assert_eq!(write_if_changed(&path, b"one").unwrap(), Unchanged);
    let error = write_if_changed(&path, b"two").unwrap_err();
    insta::assert_snapshot!(error_text(&error, folder.path()), @"cannot write `DIR/baseline.csv`: it is read-only");
    assert_eq!(
        (fs::read(&path).unwrap(), names(folder.path())),
        (b"one".to_vec(), vec!["baseline.csv".to_owned()])
    );
    #[expect(
        clippy::permissions_set_readonly_false,
        reason = "so that the folder can be removed on Windows"
    )]
    permissions.set_readonly(false);
    fs::set_permissions(&path, permissions).unwrap();
}

/// The variable that marks the process that the test starts in its own folder.
const STANDS_ELSEWHERE: &str = "PERF_CLI_STANDS_ELSEWHERE";

#[test]
fn path_without_folder_is_in_the_working_directory() {
    let path = Path::new("baseline.csv");
    if env::var_os(STANDS_ELSEWHERE).is_some() {
        assert_eq!(write_if_changed(path, b"one").unwrap(), Created);
        assert_eq!(write_if_changed(path, b"two").unwrap(), Updated);
        return;
    }
    let folder = TempDir::new().unwrap();
    let mut again = Command::new(env::current_exe().unwrap());
    again.args([
        "--exact",
        "writing::path_without_folder_is_in_the_working_directory",
    ]);
    let output = again
        .current_dir(folder.path())
        .env(STANDS_ELSEWHERE, "1")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    assert_eq!(fs::read(folder.path().join(path)).unwrap(), b"two");
    assert_eq!(names(folder.path()), ["baseline.csv"]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).map_or(0, |metadata| metadata.mode() & 0o7777)
    }

    #[test]
    fn a_new_file_has_the_permissions_any_program_would_give_it() {
        let folder = TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("usual"), "x").unwrap();
        write_if_changed(&path("written"), b"x").unwrap();
        create_new(&path("created"), b"x").unwrap();
        assert_eq!(
            [mode(&path("written")), mode(&path("created"))],
            [mode(&path("usual")); 2]
        );
    }

    #[test]
    fn an_old_file_keeps_its_permissions() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("run.sh");
        for permissions in [0o600, 0o640, 0o755, 0o666, 0o777] {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(permissions)).unwrap();
            assert_eq!(write_if_changed(&path, b"new").unwrap(), Updated);
            assert_eq!(mode(&path), permissions);
        }
    }

    #[test]
    fn a_link_stays_and_its_target_is_replaced() {
        let folder = TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("real")).unwrap();
        fs::write(path("real/page.md"), "old").unwrap();
        symlink("real/page.md", path("one.md")).unwrap();
        symlink("one.md", path("two.md")).unwrap();
        assert_eq!(write_if_changed(&path("two.md"), b"new").unwrap(), Updated);
        assert_eq!(
            write_if_changed(&path("two.md"), b"new").unwrap(),
            Unchanged
        );
        assert_eq!(fs::read(path("real/page.md")).unwrap(), b"new");
        assert!(path("one.md").is_symlink() && path("two.md").is_symlink());
        assert_eq!(
            (names(&path("real")), names(folder.path())),
            (
                vec!["page.md".to_owned()],
                ["one.md", "real", "two.md"].map(String::from).to_vec()
            )
        );
    }

    #[test]
    fn a_link_that_leads_nowhere_is_reported_and_stays() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("page.md");
        symlink("gone.md", &path).unwrap();
        let error = write_if_changed(&path, b"new").unwrap_err();
        insta::assert_snapshot!(error_text(&error, folder.path()), @"`DIR/page.md` is a link to `gone.md`, which does not exist");
        assert!(create_new(&path, b"new").is_err());
        assert!(path.is_symlink());
        assert_eq!(names(folder.path()), ["page.md"]);
    }

    #[test]
    fn a_read_only_folder_is_reported_and_nothing_changes() {
        let folder = TempDir::new().unwrap();
        let docs = folder.path().join("docs");
        fs::create_dir(&docs).unwrap();
        fs::write(docs.join("page.md"), "old").unwrap();
        fs::set_permissions(&docs, fs::Permissions::from_mode(0o555)).unwrap();
        // Root can write anyway.
        if fs::write(docs.join("probe"), "x").is_err() {
            let error = write_if_changed(&docs.join("page.md"), b"new").unwrap_err();
            insta::assert_snapshot!(error_text(&error, folder.path()), @"cannot write `DIR/docs/page.md`: no file can be created in `DIR/docs`: permission denied");
            assert!(create_new(&docs.join("new.md"), b"new").is_err());
            assert_eq!(
                (fs::read(docs.join("page.md")).unwrap(), names(&docs)),
                (b"old".to_vec(), vec!["page.md".to_owned()])
            );
        }
        fs::set_permissions(&docs, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Uses its own pipe, because a failure could replace a device of the machine.
    #[cfg(target_os = "linux")]
    #[test]
    fn special_files_are_written_to_and_stay() {
        use std::io::Read;
        use std::os::unix::fs::FileTypeExt;

        let folder = TempDir::new().unwrap();
        let path = folder.path().join("pipe");
        assert!(
            Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        // Open for both reading and writing, so that neither end blocks.
        let mut pipe = fs::File::options()
            .read(true)
            .write(true)
            .open(&path)
            .unwrap();
        assert_eq!(write_if_changed(&path, b"one").unwrap(), Updated);
        create_new(&path, b"two").unwrap();
        assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
        let error = perf_cli::file::update(&path, || Ok((vec![], ()))).unwrap_err();
        insta::assert_snapshot!(error_text(&error, folder.path()), @"cannot change `DIR/pipe`: it is a pipe or a device, not a file");
        let mut content = [0; 6];
        pipe.read_exact(&mut content).unwrap();
        assert_eq!(&content, b"onetwo");
    }
}
