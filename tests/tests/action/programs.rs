//! The source of the program: a pinned release is run only if its checksum matches.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use end_to_end::action::{ActionReport, ActionRun, Step, Workspace};
use end_to_end::binaries;
use insta::assert_snapshot;

use super::scene::{SAME, measured, scheduled};

/// A copy of the action in its own folder, next to a release with this workspace's program.
pub(super) struct Copy {
    pub(super) workspace: Workspace,
}

/// Imitates rustup and cargo, including their config files, and copies the packed program as a release build.
const TOOLCHAIN: &str = r#"#!/bin/sh
nearest() {
  folder=$PWD
  until [ -f "$folder/$1" ] || [ "$folder" = / ]; do folder=$(dirname "$folder"); done
  echo "$folder/$1"
}
value() { sed -n 's/.* = "\(.*\)"$/\1/p' "$1" 2>/dev/null; }
name=$(basename "$0")
for toolchain in "$RUSTUP_TOOLCHAIN" "$(value "$(nearest rust-toolchain.toml)")" "${RUSTUP_HOME:-$HOME/.rustup}"; do
  if [ -x "$toolchain/bin/$name" ]; then exec "$toolchain/bin/$name" "$@"; fi
done
if [ "$name" = rustc ]; then
  echo 'rustc 1.91.0 (f8297e351 2025-10-28)'
  exit
fi
for wrapper in "$(value "$(nearest .cargo/config.toml)")" "$(value "${CARGO_HOME:-$HOME/.cargo}/config.toml")"   "$RUSTC_WRAPPER" "$RUSTC_WORKSPACE_WRAPPER" "$CARGO_BUILD_RUSTC" "$CC"; do
  if [ -x "$wrapper" ]; then exec "$wrapper" rustc; fi
done
case $* in 'build --locked --release --package perf-gate --features github'*) ;; *) exit 9 ;; esac
[ -z "$RUSTFLAGS" ] || exit 9
mkdir -p "$CARGO_TARGET_DIR/release" && cp '[packed]'/* "$CARGO_TARGET_DIR/release/"
"#;

/// Makes a file executable for everyone.
pub(super) fn executable(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

impl Copy {
    pub(super) fn new() -> Self {
        let copy = Self {
            workspace: measured(SAME),
        };
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        fs::create_dir_all(copy.folder().join("action")).unwrap();
        fs::create_dir_all(copy.release()).unwrap();
        fs::create_dir(copy.folder().join("setup")).unwrap();
        for name in ["action.yml", "setup/action.yml"] {
            fs::copy(source.join(name), copy.folder().join(name)).unwrap();
        }
        for file in fs::read_dir(source.join("action")).unwrap() {
            let file = file.unwrap();
            fs::copy(
                file.path(),
                copy.folder().join("action").join(file.file_name()),
            )
            .unwrap();
        }
        fs::write(
            copy.folder().join("Cargo.toml"),
            "[workspace.package]\nversion = \"0.3.1\"\n",
        )
        .unwrap();
        copy.pack();
        copy
    }

    /// Packs an archive with a script that calls the program, because the program itself is large.
    fn pack(&self) {
        let folder = self.workspace.root().join("packed");
        fs::create_dir_all(&folder).unwrap();
        let name = binaries::ACTION_PROGRAM;
        let script = format!(
            "#!/bin/sh\nexec '{}' \"$@\"\n",
            binaries::path(name).display()
        );
        fs::write(folder.join(name), script).unwrap();
        executable(&folder.join(name));
        let packed = Command::new("tar")
            .arg("-C")
            .arg(folder)
            .arg("-czf")
            .arg(self.archive())
            .arg(name)
            .status();
        assert!(packed.unwrap().success());
    }

    pub(super) fn root(&self) -> &Path {
        self.workspace.root()
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.workspace.root().join("an action")
    }

    fn release(&self) -> PathBuf {
        self.workspace.root().join("release")
    }

    fn url(&self) -> String {
        format!(
            "file://{}",
            self.release().to_string_lossy().replace(' ', "%20")
        )
    }

    fn archive(&self) -> PathBuf {
        let system = if cfg!(target_os = "macos") {
            "macos"
        } else {
            "linux"
        };
        let processor = if cfg!(target_arch = "aarch64") {
            "aarch64"
        } else {
            "x86_64"
        };
        self.release()
            .join(format!("perf-gate-{processor}-{system}.tar.gz"))
    }

    fn hash(&self) -> String {
        let script = "if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi";
        let archive = fs::File::open(self.archive()).unwrap();
        let output = Command::new("bash")
            .args(["-c", script])
            .stdin(archive)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()[..64].to_owned()
    }

    /// Pins the release, with the fingerprint of this copy's sources.
    fn pin(&self, hash: &str) {
        let script = self.folder().join("action/get.sh");
        let mut sources = Command::new("bash");
        sources
            .arg(script)
            .arg("sources")
            .env("GITHUB_ACTION_PATH", self.folder());
        let sources = String::from_utf8(sources.output().unwrap().stdout).unwrap();
        self.pin_sources(&format!("sources {}", sources.trim()), hash);
    }

    fn pin_sources(&self, sources: &str, hash: &str) {
        let archive = self.archive();
        let (url, name) = (self.url(), archive.file_name().unwrap());
        let text = format!(
            "# A pin.\r\n{sources}\r\nurl {url}\r\n{hash}  {}\r\n",
            name.to_string_lossy()
        );
        fs::write(self.folder().join("action/release.txt"), text).unwrap();
    }

    fn run(&self) -> ActionReport {
        self.prepared().run()
    }

    pub(super) fn prepared(&self) -> ActionRun<'_> {
        let run = scheduled(&self.workspace)
            .input("binaries", "auto")
            .action(&self.folder());
        run.env("PATH", &self.path_with(&["rustc"]))
    }

    /// Runs this copy's `setup` action instead.
    pub(super) fn setup<'w>(&self, run: ActionRun<'w>) -> ActionRun<'w> {
        run.action(&self.folder()).setup()
    }

    /// A `PATH` whose first `cargo` copies the packed program as its release build.
    pub(super) fn path_with_cargo(&self) -> String {
        self.path_with(&["rustc", "cargo"])
    }

    fn path_with(&self, tools: &[&str]) -> String {
        let (folder, packed) = (self.root().join("bin"), self.root().join("packed"));
        fs::create_dir_all(&folder).unwrap();
        for tool in tools
            .iter()
            .map(|tool| folder.join(tool))
            .filter(|tool| !tool.exists())
        {
            fs::write(
                &tool,
                TOOLCHAIN.replace("[packed]", &packed.to_string_lossy()),
            )
            .unwrap();
            executable(&tool);
        }
        format!("{}:{}", folder.display(), std::env::var("PATH").unwrap())
    }

    #[track_caller]
    fn assert_refused(&self) -> String {
        let report = self.run();
        assert_eq!(report.failed(), Some("Get perf-gate"), "{}", report.log);
        assert!(
            !self
                .workspace
                .temporary()
                .join("perf-gate-program")
                .exists(),
            "something was unpacked"
        );
        report
            .annotations("error")
            .join("\n")
            .replace(&self.url(), "[release]")
    }
}

#[test]
fn release_with_the_right_checksum_is_downloaded_and_run() {
    let copy = Copy::new();
    copy.pin(&copy.hash());
    let report = copy.run();
    assert!(report.passed(), "{}", report.log);
    for name in [
        "Restore an earlier build",
        "Build perf-gate",
        "Keep the build",
    ] {
        let step = report.steps.iter().find(|(other, _)| other == name);
        assert_eq!(step.unwrap().1, Step::Skipped, "{name}");
    }
}

#[test]
fn anything_else_is_neither_unpacked_nor_run() {
    let copy = Copy::new();
    let hash = copy.hash();
    copy.pin(&hash);
    let mut archive = fs::read(copy.archive()).unwrap();
    archive.push(0);
    fs::write(copy.archive(), archive).unwrap();
    let archive = copy.archive();
    let name = archive.file_name().unwrap().to_string_lossy();
    assert_snapshot!(copy.assert_refused().replace(&*name, "[archive]"), @"
    `[release]/[archive]` does not have the pinned SHA-256
    hint: nothing was run; please report this
    ");
    fs::remove_file(copy.archive()).unwrap();
    assert_snapshot!(copy.assert_refused().replace(&*name, "[archive]"), @"
    cannot download `[release]/[archive]`
    hint: check the network; `binaries: build` builds the program instead
    ");
}

#[test]
fn release_of_other_sources_is_not_used() {
    let copy = Copy::new();
    for sources in ["sources 0", "sources", "# None.", "version 0.3.1"] {
        copy.pin_sources(sources, &copy.hash());
        let report = copy.run();
        // Instead, the action builds the program, which fails because this copy contains no sources.
        assert_eq!(
            report.failed(),
            Some("Build perf-gate"),
            "{sources}: {}",
            report.log
        );
    }
    for (file, text) in [
        ("src/lib.rs", "// new\n"),
        ("action/get.sh", "\n# new\n"),
        ("Cargo.toml", "\n"),
    ] {
        let copy = Copy::new();
        copy.pin(&copy.hash());
        assert!(copy.run().passed());
        let path = copy.folder().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let before = fs::read_to_string(&path).unwrap_or_default();
        fs::write(path, before + text).unwrap();
        let report = copy.run();
        assert_eq!(
            report.failed(),
            Some("Build perf-gate"),
            "{file}: {}",
            report.log
        );
    }
}

#[test]
fn without_a_release_the_program_is_built_and_cached_by_its_sources() {
    let copy = Copy::new();
    // No archive for this system.
    fs::write(
        copy.folder().join("action/release.txt"),
        "url file:///nowhere\n",
    )
    .unwrap();
    fs::write(copy.folder().join("Cargo.lock"), "# none\n").unwrap();
    let report = copy.run();
    // This copy contains nothing to build yet.
    assert_eq!(report.failed(), Some("Build perf-gate"), "{}", report.log);
    let path = copy.path_with_cargo();
    let built = copy
        .prepared()
        .env("PATH", &path)
        .env("RUSTFLAGS", "-D warnings")
        .run();
    assert!(built.passed(), "{}", built.log);
    let cache = &report
        .steps
        .iter()
        .find(|(name, _)| name.starts_with("Restore"))
        .unwrap()
        .1;
    assert!(
        matches!(cache, Step::Used(action) if action.starts_with("actions/cache/restore@")),
        "{cache:?}"
    );
}

#[test]
fn build_without_a_result_fails() {
    let copy = Copy::new();
    fs::write(copy.folder().join("action/release.txt"), "# None.\n").unwrap();
    fs::write(copy.folder().join("Cargo.lock"), "# none\n").unwrap();
    let path = copy.path_with_cargo();
    fs::write(
        copy.workspace.root().join("bin/cargo"),
        "#!/bin/sh\nexit 0\n",
    )
    .unwrap();
    let report = copy.prepared().env("PATH", &path).run();
    assert_eq!(report.failed(), Some("Build perf-gate"), "{}", report.log);
    assert!(
        report.log.contains("the build did not write `perf-gate`"),
        "{}",
        report.log
    );
}

#[test]
fn program_from_the_workspace_is_not_run_with_the_permissions_of_the_base() {
    let workspace = measured(SAME);
    std::os::unix::fs::symlink(
        binaries::path(binaries::ACTION_PROGRAM),
        workspace.checkout().join("perf-gate"),
    )
    .unwrap();
    for event in ["workflow_run", "pull_request_target"] {
        let report = ActionRun::new(&workspace, event, serde_json::json!({}))
            .input("results", "bench.log")
            .input("binaries", ".")
            .run();
        assert_eq!(report.failed(), Some("Get perf-gate"), "{}", report.log);
        assert!(
            report.annotations("error")[0].contains("runs with the permissions of the base"),
            "{}",
            report.log
        );
    }
    assert!(scheduled(&workspace).input("binaries", ".").run().passed());
}

#[test]
fn setup_puts_the_program_on_the_path() {
    let workspace = measured(SAME);
    let report = ActionRun::new(&workspace, "push", serde_json::json!({}))
        .setup()
        .run();
    assert!(report.passed(), "{}", report.log);
    let program = Path::new(report.path.trim()).join(binaries::ACTION_PROGRAM);
    assert!(
        program.is_file() && report.log.contains("perf-gate "),
        "{}",
        report.log
    );
    assert_eq!(report.output("folder"), report.path.trim());
}

#[test]
fn setup_uses_the_pinned_release() {
    let copy = Copy::new();
    copy.pin(&copy.hash());
    let report = copy.setup(copy.prepared()).run();
    assert_eq!(report.failed(), None, "{}", report.log);
}

#[test]
fn missing_curl_is_reported_if_a_release_is_downloaded() {
    let copy = Copy::new();
    copy.pin(&copy.hash());
    let folder = copy.workspace.root().join("without curl");
    fs::create_dir(&folder).unwrap();
    for path in std::env::split_paths(&std::env::var_os("PATH").unwrap()) {
        for tool in fs::read_dir(path)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|tool| tool.file_name() != "curl")
        {
            // The first tool with a name is used.
            let _ = std::os::unix::fs::symlink(tool.path(), folder.join(tool.file_name()));
        }
    }
    let report = copy.prepared().env("PATH", &folder.to_string_lossy()).run();
    let expected =
        "there is no `curl` to download the release\nhint: install it in a step before this one";
    assert_eq!(report.annotations("error"), [expected], "{}", report.log);
}

#[test]
fn missing_tools_in_a_container_are_reported_first() {
    let workspace = measured(SAME);
    let empty = workspace.root().join("empty");
    fs::create_dir(&empty).unwrap();
    for run in [
        scheduled(&workspace),
        ActionRun::new(&workspace, "push", serde_json::json!({})).setup(),
    ] {
        let report = run.env("PATH", &empty.to_string_lossy()).run();
        assert_eq!(
            report.failed(),
            (cfg!(target_os = "linux")).then_some("Check the container"),
            "{}",
            report.log
        );
        let expected =
            "there is no `bash` in this container\nhint: install it in a step before this one";
        assert_eq!(report.annotations("error"), [expected]);
    }
}
