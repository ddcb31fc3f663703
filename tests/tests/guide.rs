//! Runs the commands in the documentation like a reader.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use end_to_end::action::{git, workflow};
use end_to_end::{Project, binaries};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// The code blocks in a language on a page.
fn blocks(page: &str, language: &str) -> Vec<String> {
    workflow::blocks(&root().join(page), language)
        .into_iter()
        .map(|(_, block)| block)
        .collect()
}

/// The commands in code blocks, each with the exit code from the comment after it.
fn commands(blocks: &[String]) -> Vec<(String, u8)> {
    let mut commands = Vec::new();
    for block in blocks {
        let mut command = String::new();
        for line in block.lines() {
            command = if command.is_empty() {
                line.to_owned()
            } else {
                format!("{command}\n{line}")
            };
            if !line.ends_with('\\') {
                let code = u8::from(line.contains("# exit code 1"));
                commands.push((std::mem::take(&mut command), code));
            }
        }
    }
    commands
}

/// A shell script that stops at the first command with an unexpected exit code.
fn script(commands: &[(String, u8)]) -> String {
    let quoted = |command: &str| format!("'{}'", command.replace('\'', r"'\\''"));
    let checked = |(command, code): &(String, u8)| {
        let shown = quoted(command);
        format!(
            "{command}\ncode=$?\n[ $code = {code} ] || {{ echo \"exit code $code instead of {code}:\" {shown}; exit 99; }}\n"
        )
    };
    commands.iter().map(checked).collect()
}

/// A clone of the repository, with only its examples.
fn clone() -> Project {
    let project = Project::empty();
    copy(&root().join("examples"), &project.path("examples"));
    for arguments in [
        &["init", "--quiet"][..],
        &["add", "--all"],
        &["commit", "--quiet", "-m", "Examples"],
    ] {
        git(&project.path(""), arguments);
    }
    project
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if entry.path().is_dir() && name != "target" {
            copy(&entry.path(), &to.join(name));
        } else if entry.path().is_file() {
            fs::copy(entry.path(), to.join(name)).unwrap();
        }
    }
}

fn run(project: &Project, script: &str) -> Output {
    let programs = binaries::path(binaries::ACTION_PROGRAM).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut bash = Command::new("bash");
    bash.arg("-c")
        .arg(script)
        .current_dir(project.path(""))
        .env("PATH", path)
        .env("HOME", project.path("home"));
    for name in [
        "CI",
        "GITHUB_SHA",
        "GITHUB_ACTIONS",
        "GIT_DIR",
        "CI_COMMIT_SHA",
    ] {
        bash.env_remove(name);
    }
    bash.output().unwrap()
}

#[test]
fn every_command_in_compare_files_runs() {
    let commands = commands(&blocks("docs/how-to/compare-files.md", "sh"));
    assert!(commands.len() > 12, "{commands:?}");
    let script = format!("cd examples/guide\n{}", script(&commands));
    let output = run(&clone(), &script);
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{}\n{errors}",
        said.lines().last().unwrap_or_default()
    );
}

#[test]
fn archives_have_the_names_of_the_release() {
    let workflow = page(".github/workflows/release.yml");
    let names: Vec<&str> = workflow
        .lines()
        .filter_map(|line| {
            line.trim()
                .strip_prefix("- { name: ")?
                .split_once(',')
                .map(|(name, _)| name)
        })
        .collect();
    assert_eq!(names.len(), 6);
    let manifest = page("perf-gate/Cargo.toml");
    let archives = manifest
        .lines()
        .filter_map(|line| line.split_once("/perf-gate-")?.1.split_once(".tar.gz"));
    let archives: Vec<&str> = archives.map(|(name, _)| name).collect();
    for name in &names {
        assert!(archives.contains(name), "binstall does not find {name}");
    }
    assert!(
        archives.iter().all(|name| names.contains(name)),
        "{archives:?}"
    );
    let install = page("INSTALL.md");
    let version = format!("v{}", env!("CARGO_PKG_VERSION"));
    assert_eq!(
        install.matches(&version).count(),
        2,
        "INSTALL.md has another version than {version}"
    );
}

/// The code block for Linux and macOS, with a folder instead of the release.
#[test]
fn archive_is_installed_as_documented() {
    let project = Project::empty();
    let version = format!("v{}", env!("CARGO_PKG_VERSION"));
    let release = project.path("release").join(&version);
    fs::create_dir_all(&release).unwrap();
    let [block] = blocks("INSTALL.md", "bash").try_into().unwrap();
    let address = "https://github.com/perf-gate/perf-gate/releases/download";
    assert!(block.contains(address), "{block}");
    let local = format!("file://{}", project.path("release").display());
    let block = block.replace(address, &local);
    let pack = format!(
        "set -e; cd {}; mkdir all; cp \"$(command -v perf-gate)\" all/perf-gate; GZIP_LEVEL=1 '{}' all one; tar -tzf one
        for system in linux macos; do for arch in x86_64 aarch64; do ln one perf-gate-$arch-$system.tar.gz; done; done
        if command -v sha256sum >/dev/null; then sha256sum ./*.tar.gz; else shasum -a 256 ./*.tar.gz; fi | sed 's# [*]*[.]/# #' >SHA256SUMS",
        release.display(),
        root().join(".github/release/pack").display()
    );
    let packed = run(&project, &pack);
    assert!(packed.status.success(), "{packed:?}");
    let packed = String::from_utf8_lossy(&packed.stdout);
    let holds = |name: &&str| packed.lines().any(|line| line == *name);
    let licences = [
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "LICENSE-uPlot",
        "NOTICE.md",
    ];
    let wanted = [
        &licences[..],
        &[
            "CHANGELOG.md",
            "perf-gate",
            "man/perf-gate.1",
            "man/perf-gate-run.1",
        ],
    ]
    .concat();
    let missing: Vec<&&str> = wanted.iter().filter(|name| !holds(name)).collect();
    assert!(missing.is_empty(), "{missing:?} of {packed}");
    let installed = run(&project, &format!("set -e\n{block}"));
    assert!(installed.status.success(), "{installed:?}");
    let said = String::from_utf8_lossy(&installed.stdout);
    assert!(
        said.ends_with(&format!("perf-gate {}\n", env!("CARGO_PKG_VERSION"))),
        "{said}"
    );
    // An archive with a wrong checksum is not unpacked.
    let damage = format!(
        "set -e; cd {}; sed -i.bak 's/^[0-9a-f]/x/' SHA256SUMS; rm -rf ~/.local",
        release.display()
    );
    assert!(run(&project, &damage).status.success());
    assert!(
        !run(&project, &format!("set -eo pipefail\n{block}"))
            .status
            .success()
    );
    assert!(!project.path("home/.local/bin/perf-gate").exists());
}
