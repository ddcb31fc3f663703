//! Published files and their line endings.

use std::fs;

use insta::assert_snapshot;

use crate::setting::{CSV, PAGE, Setting};

#[test]
fn line_ends_in_checkout_are_not_a_change() {
    let setting = Setting::new();
    setting.render("page 1\r\n", "csv 1\r\n");
    let run = setting.publish(&[]);
    assert!(run.stdout.contains("refresh=unchanged"), "{run}");
}

#[test]
fn committed_file_has_line_ends_of_branch() {
    let setting = Setting::new();
    let crlf = setting
        .git()
        .push("main", &[(CSV, "a\r\nb\r\n")], "Line ends")
        .unwrap();
    setting.render("page 2\r\nmore\r\n", "a\nc\n");
    let run = setting.publish(&["--measured", &crlf]);
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(
        (setting.on_branch(PAGE), setting.on_branch(CSV)),
        ("page 2\nmore\n".into(), "a\r\nc\r\n".into())
    );
}

#[test]
fn binary_file_is_unchanged() {
    let setting = Setting::new();
    let picture = [0x89, b'P', b'N', b'G', 0, 0xff, b'\r', b'\n', b'\n'];
    fs::write(setting.checkout().join("plot.png"), picture).unwrap();
    let run = setting.run(&["--file", "plot.png"]);
    assert_eq!(
        (run.code, setting.git().file("main", "plot.png").unwrap()),
        (0, picture.to_vec()),
        "{run}"
    );
}

#[test]
fn paths_are_relative_to_current_folder_or_absolute() {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    let full = setting.checkout().join(CSV);
    let run = setting.run_in(
        "docs",
        &["--file", "performance.md", full.to_str().unwrap()],
    );
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(
        (setting.on_branch(PAGE), setting.on_branch(CSV)),
        ("page 2\n".into(), "csv 2\n".into())
    );
}

#[test]
fn names_with_special_characters_are_supported() {
    let setting = Setting::new();
    for name in ["my numbers #1.csv", "ünï/100 %.csv", "-x.csv"] {
        setting.write(name, "1\n");
        let run = setting.run(&[&format!("--file={name}")]);
        assert_eq!(
            (run.code, setting.git().text("main", name).as_deref()),
            (0, Some("1\n")),
            "{run}"
        );
        let run = setting
            .set("GITHUB_RUN_ID", "13")
            .run(&[&format!("--file={name}")]);
        assert!(run.stdout.contains("refresh=unchanged"), "{run}");
    }
}

#[test]
fn paths_outside_of_checkout_are_rejected() {
    let setting = Setting::new();
    setting.write("a.csv", "1\n");
    let said: Vec<String> = [
        "none.csv",
        "docs",
        "../outside.csv",
        ".git/config",
        "a.csv/b",
        "",
    ]
    .map(|name| format!("[{name}]\n{}", setting.run(&["--file", name])))
    .into();
    assert_snapshot!(said.join("\n"), @"
    [none.csv]
    exit 2
    --- stderr
    error: cannot publish `none.csv`: it does not exist
    hint: render it first; only files in the checkout can be published

    [docs]
    exit 2
    --- stderr
    error: cannot publish `docs`: it is not an ordinary file
    hint: give `--file` once for each file in a folder

    [../outside.csv]
    exit 2
    --- stderr
    error: cannot publish `../outside.csv`: it leaves its folder with `..`
    hint: write the file's path below the current folder, such as `docs/performance.md`

    [.git/config]
    exit 2
    --- stderr
    error: cannot publish `.git/config`: it is in git's own folder
    hint: write the file's path below the current folder, such as `docs/performance.md`

    [a.csv/b]
    exit 2
    --- stderr
    error: cannot read `a.csv/b`: Not a directory (os error 20)

    []
    exit 2
    --- stderr
    error: a value is required for '--file <PATH>...' but none was supplied

    For more information, try '--help'.
    ");
    assert_eq!(setting.requests(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn windows_path_is_rejected() {
    let setting = Setting::new();
    setting.write("docs\\a.md", "1\n");
    assert_snapshot!(setting.run(&["--file", "docs\\a.md"]), @r"
    exit 2
    --- stderr
    error: cannot publish `docs\a.md`: it contains a `\`: write `/`
    hint: write the file's path below the current folder, such as `docs/performance.md`
    ");
    assert_snapshot!(setting.run(&["--file", "C:\\quill\\a.md"]), @r"
    exit 2
    --- stderr
    error: cannot publish `C:\quill\a.md`: it contains a `\`: write `/`
    hint: write the file's path below the current folder, such as `docs/performance.md`
    ");
}

#[cfg(unix)]
#[test]
fn link_is_rejected() {
    let setting = Setting::new();
    std::os::unix::fs::symlink("/etc/passwd", setting.checkout().join("link.csv")).unwrap();
    let run = setting.run(&["--file", "link.csv"]);
    assert_eq!(run.code, 2, "{run}");
    assert!(
        run.stderr.contains("is a symbolic link") && setting.requests().is_empty(),
        "{run}"
    );
}

#[test]
fn outside_of_a_checkout_is_an_error() {
    let setting = Setting::new();
    fs::remove_dir_all(setting.checkout().join(".git")).unwrap();
    let run = setting.publish(&[]);
    assert_eq!(run.code, 2, "{run}");
    assert!(
        run.stderr.contains("is not in a checkout of a repository"),
        "{run}"
    );
}

#[test]
fn workflow_only_publishes_its_own_checkout() {
    let setting = Setting::new();
    let workspace = setting.checkout();
    setting.set("GITHUB_WORKSPACE", workspace.to_str().unwrap());
    setting.write("module/.git", "gitdir: ../.git/modules/module\n");
    setting.write("module/perf.csv", "csv 2\n");
    assert_snapshot!(setting.run_in("module", &["--file", CSV]), @"
    exit 2
    --- stderr
    error: `[folder]/checkout/module` is not the workflow's checkout, which is in `[folder]/checkout`
    hint: run it there; for a checkout elsewhere, set its repository with `--repo`
    ");
    assert_eq!(setting.requests(), [""; 0]);
    let named = setting.run_in("module", &["--file", CSV, "--repo", "octo/quill"]);
    assert!(named.stdout.contains("refresh=committed"), "{named}");
    assert!(
        setting
            .run_in("docs", &["--file", "performance.md"])
            .stdout
            .contains("refresh=unchanged")
    );
}
