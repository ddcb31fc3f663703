//! Until the step `plan` has checked it, the workspace may be a pull request's head in a job with the base's
//! permissions. So nothing in it may be run, or select a program to run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use end_to_end::action::{ActionReport, ActionRun};
use serde_json::json;

use super::programs::Copy;
use super::scene::{SAME, github_of, pull_request};

/// A workspace with a pull request's files, whose programs write a trace when they run.
struct Head<'c>(&'c Path);

impl Head<'_> {
    fn folder(&self) -> PathBuf {
        self.0.join("work")
    }

    fn trace(&self) -> PathBuf {
        self.0.join("trace")
    }

    fn text(&self, name: &str, text: &str) -> String {
        let path = self.folder().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    }

    /// Writes a program and returns its path.
    fn program(&self, name: &str) -> String {
        let script = format!("#!/bin/sh\necho \"$0 $*\" >>'{}'\n", self.trace().display());
        let path = self.text(name, &script);
        super::programs::executable(Path::new(&path));
        path
    }

    /// Writes every program that a script or a step of the action calls by name.
    fn programs_in(&self, folder: &str) -> String {
        for name in [
            "awk", "cargo", "cat", "curl", "cut", "env", "find", "git", "mktemp", "od", "printenv",
            "rm",
        ] {
            self.program(&format!("{folder}/{name}"));
        }
        for name in ["rustc", "rustup", "sha256sum", "sort", "tar", "tr", "xargs"] {
            self.program(&format!("{folder}/{name}"));
        }
        self.folder().join(folder).to_string_lossy().into_owned()
    }

    fn config(&self, folder: &str) -> String {
        let text = format!("[build]\nrustc-wrapper = \"{}\"\n", self.program("wrapper"));
        self.text(&format!("{folder}/config.toml"), &text);
        self.folder().join(folder).to_string_lossy().into_owned()
    }

    fn toolchain(&self, folder: &str) -> String {
        self.program(&format!("{folder}/bin/cargo"));
        self.program(&format!("{folder}/bin/rustc"));
        self.folder().join(folder).to_string_lossy().into_owned()
    }
}

/// The environment variables that a workflow must set for the attack; often none, because files alone are enough.
type Variables = Vec<(&'static str, String)>;

/// An attack by which the head could select a program to run. It gets the `PATH`.
type Way = (&'static str, fn(&Head<'_>, &str) -> Variables);

const WAYS: [Way; 17] = [
    ("a toolchain file", |head, _| {
        let path = head.toolchain("toolchain");
        head.text(
            "rust-toolchain.toml",
            &format!("[toolchain]\npath = \"{path}\"\n"),
        );
        vec![]
    }),
    ("a cargo config", |head, _| {
        head.config(".cargo");
        vec![]
    }),
    ("a folder on the PATH", |head, path| {
        vec![("PATH", format!("{}:{path}", head.programs_in("bin")))]
    }),
    ("a folder on the PATH through another", |head, path| {
        let folder = head.programs_in("bin");
        vec![("PATH", format!("/usr/../{folder}/../bin/:{path}"))]
    }),
    ("a link on the PATH", |head, path| {
        let link = head.0.join("tools");
        std::os::unix::fs::symlink(head.programs_in("bin"), &link).unwrap();
        vec![("PATH", format!("{}:{path}", link.display()))]
    }),
    ("a relative folder on the PATH", |head, path| {
        head.programs_in("node_modules/.bin");
        vec![("PATH", format!("node_modules/.bin:{path}"))]
    }),
    ("an empty entry of the PATH", |head, path| {
        head.programs_in(".");
        vec![("PATH", format!(":{path}"))]
    }),
    ("RUSTUP_TOOLCHAIN", |head, _| {
        vec![("RUSTUP_TOOLCHAIN", head.toolchain("toolchain"))]
    }),
    ("RUSTUP_HOME", |head, _| {
        vec![("RUSTUP_HOME", head.toolchain("rustup"))]
    }),
    ("CARGO_HOME", |head, _| {
        vec![("CARGO_HOME", head.config("cargo"))]
    }),
    ("HOME", |head, _| {
        head.toolchain(".rustup");
        head.config(".cargo");
        let home = head.folder().to_string_lossy().into_owned();
        vec![
            ("HOME", home),
            ("RUSTUP_HOME", String::new()),
            ("CARGO_HOME", String::new()),
        ]
    }),
    ("RUSTC_WRAPPER", |head, _| {
        vec![("RUSTC_WRAPPER", head.program("wrapper"))]
    }),
    ("RUSTC_WORKSPACE_WRAPPER", |head, _| {
        vec![("RUSTC_WORKSPACE_WRAPPER", head.program("wrapper"))]
    }),
    ("CARGO_BUILD_RUSTC", |head, _| {
        vec![("CARGO_BUILD_RUSTC", head.program("wrapper"))]
    }),
    ("CC", |head, _| vec![("CC", head.program("cc"))]),
    ("BASH_ENV", |head, _| {
        vec![("BASH_ENV", head.text("env.sh", &trace_script(head)))]
    }),
    ("ENV", |head, _| {
        vec![("ENV", head.text("env.sh", &trace_script(head)))]
    }),
];

fn trace_script(head: &Head<'_>) -> String {
    format!("echo sourced >>'{}'\n", head.trace().display())
}

fn with<'w>(run: ActionRun<'w>, variables: &Variables) -> ActionRun<'w> {
    variables
        .iter()
        .fold(run, |run, (name, value)| run.env(name, value))
}

#[track_caller]
fn assert_untouched(head: &Head<'_>, way: &str, report: &ActionReport) {
    let trace = fs::read_to_string(head.trace()).unwrap_or_default();
    assert_eq!(trace, "", "{way}: {}", report.log);
    assert!(report.passed(), "{way}: {}", report.log);
}

#[test]
fn workspace_cannot_affect_the_build_of_the_program() {
    for (way, prepare) in WAYS {
        for is_setup in [false, true] {
            let copy = Copy::new();
            let path = copy.path_with_cargo();
            let head = Head(copy.root());
            let run = copy
                .prepared()
                .input("binaries", "build")
                .env("PATH", &path);
            let variables = prepare(&head, &path);
            let run = if is_setup { copy.setup(run) } else { run };
            assert_untouched(&head, way, &with(run, &variables).run());
        }
    }
}

#[test]
fn action_inside_the_workspace_ignores_its_cargo_config() {
    let copy = Copy::new();
    let path = copy.path_with_cargo();
    let head = Head(copy.root());
    head.config(".cargo");
    let below = head.folder().join("tools/perf-gate");
    fs::create_dir_all(below.parent().unwrap()).unwrap();
    fs::rename(copy.folder(), &below).unwrap();
    let run = copy
        .prepared()
        .input("binaries", "build")
        .env("PATH", &path)
        .action(&below);
    assert_untouched(&head, "a parent's config", &run.run());
}

/// Whether an attack only affects cargo and compilers. Such attacks don't interfere, so one run can test all of them.
fn is_for_compilers(way: &str) -> bool {
    let ways = ["a toolchain file", "a cargo config", "CC"];
    ways.contains(&way)
        || ["RUST", "CARGO"]
            .iter()
            .any(|beginning| way.starts_with(beginning))
}

#[test]
fn workspace_cannot_affect_git() {
    let of_git: Way = ("GIT_EXEC_PATH", |head, _| {
        head.program("git-core/git-upload-pack");
        vec![("GIT_EXEC_PATH", head.programs_in("git-core"))]
    });
    let path = std::env::var("PATH").unwrap();
    let (of_compilers, others): (Vec<&Way>, Vec<&Way>) = WAYS
        .iter()
        .chain([&of_git])
        .partition(|(way, _)| is_for_compilers(way));
    assert_eq!((of_compilers.len(), others.len()), (9, 9));
    for ways in [of_compilers]
        .into_iter()
        .chain(others.into_iter().map(|way| vec![way]))
    {
        let pull = pull_request(SAME, |_| ());
        // A base commit that is not in the checkout is fetched with the token.
        pull.workspace.check_out_shallow(&pull.merge);
        pull.workspace.write("bench.log", SAME);
        let fake = github_of(&pull);
        let head = Head(pull.workspace.root());
        let variables = ways
            .iter()
            .flat_map(|(_, prepare)| prepare(&head, &path))
            .collect();
        let run = with(pull.run(), &variables).api(fake.url(), fake_github::account::WORKFLOW);
        assert_untouched(&head, ways[0].0, &run.run());
    }
}

#[test]
fn toolchain_without_a_version_is_not_a_cache_key() {
    let copy = Copy::new();
    let path = copy.path_with_cargo();
    for script in [
        "#!/bin/sh\nexit 1\n",
        "#!/bin/sh\nexit 0\n",
        "#!/bin/sh\necho error\n",
    ] {
        fs::write(copy.root().join("bin/rustc"), script).unwrap();
        let report = copy
            .prepared()
            .input("binaries", "build")
            .env("PATH", &path)
            .run();
        assert_eq!(
            report.failed(),
            Some("Get perf-gate"),
            "{script}: {}",
            report.log
        );
        assert!(
            report.annotations("error")[0]
                .contains("no working Rust toolchain outside of the workspace"),
            "{}",
            report.log
        );
    }
    // The same without any sources.
    let nowhere = copy.root().join("nowhere");
    let mut get = Command::new("bash");
    get.arg(copy.folder().join("action/get.sh"))
        .env("PERF_BINARIES", "build");
    let output = get
        .env("GITHUB_ACTION_PATH", nowhere)
        .env("PATH", &path)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.code() == Some(2) && said.contains("sources of the action cannot be read"),
        "{said}"
    );
}

#[test]
fn program_selected_by_the_workspace_does_not_get_the_permissions_of_the_base() {
    for event in ["workflow_run", "pull_request_target", "issue_comment"] {
        let copy = Copy::new();
        let head = Head(copy.root());
        let outside = copy.workspace.temporary().join("rows");
        fs::create_dir(&outside).unwrap();
        fs::write(
            outside.join("perf-gate"),
            format!("#!/bin/sh\n{}", trace_script(&head)),
        )
        .unwrap();
        super::programs::executable(&outside.join("perf-gate"));
        std::os::unix::fs::symlink(&outside, head.folder().join("bin")).unwrap();
        for folder in [
            "bin".into(),
            "./bin".into(),
            head.folder().join("bin"),
            head.folder().join("bin/../bin"),
        ] {
            let run =
                ActionRun::new(&copy.workspace, event, json!({})).input("results", "bench.log");
            let report = run.input("binaries", &folder.to_string_lossy()).run();
            assert_eq!(
                report.failed(),
                Some("Get perf-gate"),
                "{}: {}",
                folder.display(),
                report.log
            );
            assert!(!head.trace().exists(), "{event}: {}", folder.display());
        }
    }
}
