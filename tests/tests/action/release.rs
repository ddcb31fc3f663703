//! The scripts of a release: the pin says what the action looks for, and the major tag moves only to an action that
//! the pinned program belongs to.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use end_to_end::action::{Workspace, git};
use insta::assert_snapshot;

/// A repository that was released as `v0.3.1` and then pinned, with a `gh` that writes down how it is called.
fn released() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("Cargo.toml", "[workspace.package]\nversion = \"0.3.1\"\n\n[workspace.dependencies]\n");
    workspace.write("action.yml", "runs:\n");
    workspace.write("action/get.sh", "# one\n");
    workspace.write("action/release.txt", "# The release.\n");
    workspace.commit("Release");
    git(&workspace.checkout(), &["tag", "v0.3.1"]);
    let pin = "# The release.\nversion 0.3.1\nurl https://github.com/octo/gate/releases/download/v0.3.1\n";
    workspace.write("action/release.txt", pin);
    workspace.write("src/lib.rs", "// what is no part of the action\n");
    workspace.commit("Pin");
    let gh = tools(&workspace).join("gh");
    fs::create_dir(tools(&workspace)).unwrap();
    fs::write(&gh, "#!/bin/sh\necho \"gh $*\"\n").unwrap();
    fs::set_permissions(gh, fs::Permissions::from_mode(0o755)).unwrap();
    workspace
}

fn tools(workspace: &Workspace) -> PathBuf {
    workspace.root().join("tools")
}

/// Runs a script of `.github/release` in the checkout, as the workflow of a tag.
fn run(workspace: &Workspace, script: &str, arguments: &[&str], tag: &str) -> Output {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(".github/release");
    let path = format!("{}:{}", tools(workspace).display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.arg(scripts.join(script)).args(arguments).current_dir(workspace.checkout()).env("PATH", path);
    command.env("GITHUB_SHA", "4be19c7a02d3f1b8c9e6d5a4b3c2d1e0f9a8b7c6").env("GITHUB_REF_NAME", tag);
    command.env("GITHUB_REPOSITORY", "octo/gate").env("GITHUB_SERVER_URL", "https://github.com");
    command.env("GITHUB_OUTPUT", workspace.root().join("output")).output().unwrap()
}

#[track_caller]
fn moved(workspace: &Workspace) -> String {
    let output = run(workspace, "move-major-tag", &[], "main");
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.success(), !said.contains("::error::"), "{said}");
    said
}

#[test]
fn the_major_tag_moves_to_a_pin_whose_scripts_are_those_of_the_release() {
    assert_snapshot!(moved(&released()), @"gh api repos/octo/gate/git/refs/tags/v0 --method PATCH -f sha=4be19c7a02d3f1b8c9e6d5a4b3c2d1e0f9a8b7c6 -F force=true");
}

#[test]
fn the_major_tag_stays_when_the_scripts_have_changed() {
    for (file, text) in
        [("action/get.sh", "# two\n"), ("action/new.sh", "# new\n"), ("action.yml", "runs: {}\n")]
    {
        let workspace = released();
        workspace.write(file, text);
        workspace.commit("Go on");
        assert_eq!(
            moved(&workspace),
            "::error::the action here is not that of v0.3.1, whose program is pinned: make another release\n",
            "{file}"
        );
    }
}

#[test]
fn the_major_tag_stays_when_the_version_has_changed() {
    let workspace = released();
    workspace.write("Cargo.toml", "[workspace.package]\nversion = \"0.4.0\"\n");
    workspace.commit("Go on");
    assert_snapshot!(moved(&workspace), @"::error::Cargo.toml has another version than v0.3.1, which is pinned: make another release");
}

#[test]
fn a_tag_of_another_version_is_not_pinned() {
    let workspace = released();
    let output = run(&workspace, "pin", &["dist"], "v0.3.2");
    assert!(!output.status.success());
    assert_snapshot!(String::from_utf8(output.stdout).unwrap(), @"::error::the tag is v0.3.2, and Cargo.toml has the version 0.3.1");
    assert!(!workspace.root().join("output").exists(), "something was pinned");
}

// Elsewhere, `sha256sum` need not be there, and no release is made.
#[cfg(target_os = "linux")]
#[test]
fn the_pin_has_the_version_that_the_action_looks_for() {
    let workspace = released();
    for number in 1..=6 {
        workspace.write(&format!("dist/perf-gate-{number}.tar.gz"), "");
    }
    let output = run(&workspace, "pin", &["dist"], "v0.3.1");
    assert!(output.status.success(), "{output:?}");
    let pin = fs::read_to_string(workspace.root().join("output")).unwrap();
    let lines: Vec<&str> = pin.lines().skip(1).take(4).collect();
    let sources = lines[1].strip_prefix("sources ").unwrap();
    assert!(sources.len() == 64 && sources.bytes().all(|byte| byte.is_ascii_hexdigit()), "{sources}");
    assert_snapshot!(lines.join("\n").replace(sources, "[hash]"), @"
    version 0.3.1
    sources [hash]
    url https://github.com/octo/gate/releases/download/v0.3.1
    e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  perf-gate-1.tar.gz
    ");
}
