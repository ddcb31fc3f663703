//! Release scripts: the pin must describe the downloaded release, and the major tag moves only to an action whose
//! sources the pinned program was built from.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use end_to_end::action::{Workspace, git};
use insta::assert_snapshot;

/// A repository released as `v0.3.1` with a proposed pin, and a `gh` that records its arguments.
fn released() -> Workspace {
    let workspace = Workspace::new();
    let script = fs::read_to_string(repository().join("action/get.sh")).unwrap();
    workspace.write(
        "Cargo.toml",
        "[workspace.package]\nversion = \"0.3.1\"\n\n[workspace.dependencies]\n",
    );
    workspace.write("action.yml", "runs:\n");
    workspace.write("action/get.sh", script);
    workspace.write("action/release.txt", "# The release.\n");
    workspace.write("src/lib.rs", "// one\n");
    workspace.commit("Release");
    let mut script = Command::new("bash");
    script
        .args(["action/get.sh", "sources"])
        .current_dir(workspace.checkout());
    let sources = sources_of(
        script
            .env("GITHUB_ACTION_PATH", workspace.checkout())
            .output()
            .unwrap(),
    );
    let url = "https://github.com/octo/gate/releases/download/v0.3.1";
    let pin = format!("# The release.\nversion 0.3.1\nsources {sources}\nurl {url}\n");
    git(&workspace.checkout(), &["checkout", "--quiet", "-B", "pin"]);
    workspace.write("action/release.txt", pin);
    workspace.commit("Pin");
    let gh = tools(&workspace).join("gh");
    fs::create_dir(tools(&workspace)).unwrap();
    fs::write(
        &gh,
        "#!/bin/sh\ncase $2 in */environments/*) cat \"$RULES\" ;; *) echo \"gh $*\" ;; esac\n",
    )
    .unwrap();
    fs::set_permissions(gh, fs::Permissions::from_mode(0o755)).unwrap();
    workspace
}

fn sources_of(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Merges the pin into `main`, which received `file` in the meantime.
fn merge(workspace: &Workspace, file: &str, text: &str, options: &[&str]) -> String {
    let run = |arguments: &[&str]| git(&workspace.checkout(), arguments);
    let pin = run(&["rev-parse", "pin"]);
    run(&["checkout", "--quiet", "main"]);
    workspace.write(file, text);
    workspace.commit("Go on");
    run(&[&["merge", "--quiet"], options, &["pin"]].concat());
    if options == ["--squash"] {
        workspace.commit("Pin");
    }
    pin
}

fn tools(workspace: &Workspace) -> PathBuf {
    workspace.root().join("tools")
}

/// Runs a script from `.github/release` in the checkout, like the workflow for a tag.
fn run(workspace: &Workspace, script: &str, arguments: &[&str], tag: &str) -> Output {
    let scripts = repository().join(".github/release");
    let path = format!(
        "{}:{}",
        tools(workspace).display(),
        std::env::var("PATH").unwrap()
    );
    let mut command = Command::new("bash");
    command
        .arg(scripts.join(script))
        .args(arguments)
        .current_dir(workspace.checkout())
        .env("PATH", path);
    command
        .env("GITHUB_REF_NAME", tag)
        .env("ENVIRONMENT", "release")
        .env("RULES", workspace.root().join("rules"));
    command
        .env("GITHUB_REPOSITORY", "octo/gate")
        .env("GITHUB_SERVER_URL", "https://github.com");
    command
        .env("GITHUB_OUTPUT", workspace.root().join("output"))
        .output()
        .unwrap()
}

#[track_caller]
fn moved(workspace: &Workspace) -> String {
    let output = run(workspace, "move-major-tag", &[], "main");
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        output.status.success(),
        !said.contains("::error::"),
        "{said}"
    );
    said
}

/// The commit that the major tag moves to.
fn tag_target(workspace: &Workspace) -> String {
    let said = moved(workspace);
    let (_, rest) = said
        .split_once("gh api repos/octo/gate/git/refs/tags/v0 --method PATCH -f sha=")
        .unwrap();
    rest.trim_end()
        .strip_suffix(" -F force=true")
        .unwrap()
        .to_owned()
}

#[test]
fn major_tag_moves_to_a_pin_of_its_own_sources() {
    let workspace = released();
    assert_eq!(tag_target(&workspace), workspace.tip());
    // The tag must point to the pinned sources, even if other commits were merged in the meantime.
    for (file, text) in [
        ("README.md", "# two\n"),
        ("src/lib.rs", "// two\n"),
        ("action/get.sh", "# two\n"),
    ] {
        let workspace = released();
        let pin = merge(&workspace, file, text, &["--no-ff", "--no-edit"]);
        let expected = if file == "README.md" {
            workspace.tip()
        } else {
            pin
        };
        assert_eq!(tag_target(&workspace), expected, "{file}");
    }
}

#[test]
fn major_tag_stays_if_no_commit_contains_the_pinned_sources() {
    for (file, text) in [
        ("src/lib.rs", "// two\n"),
        ("action/new.sh", "# new\n"),
        ("action.yml", "runs: {}\n"),
    ] {
        let workspace = released();
        let pin = merge(&workspace, file, text, &["--squash"]);
        assert_eq!(
            moved(&workspace),
            "::error::these sources differ from those of the pinned release v0.3.1: publish a new release\n",
            "{file}"
        );
        // Until its branch is deleted, the proposed commit contains them.
        git(
            &workspace.checkout(),
            &["update-ref", "refs/remotes/origin/pin-v0.3.1", &pin],
        );
        assert_eq!(tag_target(&workspace), pin, "{file}");
    }
}

#[test]
fn release_is_published_only_in_an_environment_with_reviewers() {
    let workspace = released();
    let rules = workspace.root().join("rules");
    for (text, is_fit) in [
        ("required_reviewers branch_policy", true),
        ("branch_policy", false),
        ("", false),
    ] {
        fs::write(&rules, text).unwrap();
        let output = run(&workspace, "check-environment", &[], "v0.3.1");
        assert_eq!(output.status.success(), is_fit, "{text}: {output:?}");
    }
    let text = fs::read_to_string(repository().join(".github/workflows/release.yml")).unwrap();
    let workflow: serde_json::Value = yaml_serde::from_str(&text).unwrap();
    let publish = &workflow["jobs"]["publish"];
    assert_eq!(
        (&publish["environment"], &publish["needs"][0]),
        (&"release".into(), &"environment".into())
    );
    assert_eq!(
        workflow["jobs"]["environment"]["steps"][1]["env"]["ENVIRONMENT"],
        "release"
    );
}

#[test]
fn tag_of_another_version_is_not_pinned() {
    let workspace = released();
    let output = run(&workspace, "pin", &["dist"], "v0.3.2");
    assert!(!output.status.success());
    assert_snapshot!(String::from_utf8(output.stdout).unwrap(), @"::error::the tag is v0.3.2, but Cargo.toml contains version 0.3.1");
    assert!(
        !workspace.root().join("output").exists(),
        "something was pinned"
    );
}

// Other systems might not provide `sha256sum`, and never make a release.
#[cfg(target_os = "linux")]
#[test]
fn pin_contains_the_version_that_the_action_downloads() {
    let workspace = released();
    for number in 1..=6 {
        workspace.write(&format!("dist/perf-gate-{number}.tar.gz"), "");
    }
    let output = run(&workspace, "pin", &["dist"], "v0.3.1");
    assert!(output.status.success(), "{output:?}");
    let pin = fs::read_to_string(workspace.root().join("output")).unwrap();
    let lines: Vec<&str> = pin.lines().skip(1).take(4).collect();
    let sources = lines[1].strip_prefix("sources ").unwrap();
    assert!(
        sources.len() == 64 && sources.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "{sources}"
    );
    assert_snapshot!(lines.join("\n").replace(sources, "[hash]"), @"
    version 0.3.1
    sources [hash]
    url https://github.com/octo/gate/releases/download/v0.3.1
    e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  perf-gate-1.tar.gz
    ");
}
