//! Tests with repositories made by git itself, with fixed dates.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::failure;
use perf_config::Config;
use tempfile::TempDir;

use perf_model::diagnostic::Severity;

use super::*;
use crate::load::history::rows_of_versions;

/// A repository whose commits are a day apart.
struct Repo {
    folder: TempDir,
    commits: std::cell::Cell<u32>,
}

impl Repo {
    fn new() -> Self {
        let repo = Self {
            folder: tempfile::tempdir().unwrap(),
            commits: 0.into(),
        };
        repo.git(&["init", "--quiet", "--initial-branch=main"]);
        repo
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn here(&self) -> Git {
        Git::at(self.path())
    }

    fn git(&self, arguments: &[&str]) -> String {
        git_in(
            self.path(),
            &format!("@{} +0000", 1_900_000_000 + 86_400 * self.commits.get()),
            arguments,
        )
    }

    fn commit(&self) {
        self.commits.set(self.commits.get() + 1);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message=change"]);
    }

    /// Commits a file with this content.
    fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self.commit();
        self
    }

    fn without(self, name: &str) -> Self {
        fs::remove_file(self.path().join(name)).unwrap();
        self.commit();
        self
    }

    fn blob(&self, spec: &str) -> anyhow::Result<Option<Blob>> {
        self.here().blob(&spec.parse().map_err(Failure::new)?)
    }

    fn history(&self, spec: &str, most: usize) -> FileHistory {
        self.here().versions(&spec.parse().unwrap(), most).unwrap()
    }

    /// The error for a location, with its hints, without the temporary folder.
    fn error(&self, spec: &str) -> String {
        error_text(&self.blob(spec).unwrap_err(), self.path())
    }
}

fn git_in(folder: &Path, date: &str, arguments: &[&str]) -> String {
    let nobody = [
        ("GIT_AUTHOR_NAME", "n"),
        ("GIT_COMMITTER_NAME", "n"),
        ("GIT_AUTHOR_EMAIL", "e"),
        ("GIT_COMMITTER_EMAIL", "e"),
    ];
    let dates = [("GIT_AUTHOR_DATE", date), ("GIT_COMMITTER_DATE", date)];
    let isolated = [
        (
            "GIT_CONFIG_GLOBAL",
            if cfg!(windows) { "NUL" } else { "/dev/null" },
        ),
        ("GIT_CONFIG_NOSYSTEM", "1"),
    ];
    let output = Command::new("git")
        .current_dir(folder)
        .args([
            "-c",
            "core.autocrlf=false",
            "-c",
            "protocol.file.allow=always",
        ])
        .args(arguments)
        .envs(nobody)
        .envs(dates)
        .envs(isolated)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn error_text(error: &anyhow::Error, folder: &Path) -> String {
    let hints = failure::hints(error)
        .into_iter()
        .map(|hint| format!("\nhint: {hint}"));
    let text = failure::message(error) + &hints.collect::<String>();
    text.replace(&folder.display().to_string(), "FOLDER")
}

/// The versions' contents with the days of their commits.
fn contents(history: &FileHistory) -> Vec<(i64, String)> {
    let content = |version: &FileVersion| {
        (
            (version.date - 1_900_000_000) / 86_400,
            String::from_utf8_lossy(&version.text).into_owned(),
        )
    };
    history.versions.iter().map(content).collect()
}

fn own(pairs: &[(i64, &str)]) -> Vec<(i64, String)> {
    pairs
        .iter()
        .map(|(day, text)| (*day, (*text).to_owned()))
        .collect()
}

#[test]
fn a_file_is_read_as_a_commit_has_it() {
    let repo = Repo::new()
        .with("docs/a ü,'1'.csv", "one\r\n")
        .with("other", "x")
        .with("docs/a ü,'1'.csv", "two");
    let first = repo.git(&["rev-parse", "HEAD~2"]);
    let blob = repo.blob("HEAD~1:docs/a ü,'1'.csv").unwrap().unwrap();
    assert_eq!(
        (blob.path.as_str(), blob.text.as_slice()),
        ("docs/a ü,'1'.csv", b"one\r\n".as_slice())
    );
    assert_eq!(
        repo.blob(&format!("{first}:docs/a ü,'1'.csv"))
            .unwrap()
            .unwrap()
            .commit,
        first
    );
    assert_eq!(
        contents(&repo.history("HEAD:docs/a ü,'1'.csv", 5)),
        own(&[(1, "one\r\n"), (3, "two")])
    );
    let nested = Git::at(&repo.path().join("docs"));
    for spec in [
        "HEAD:./a ü,'1'.csv",
        "main:../docs/a ü,'1'.csv",
        "HEAD^{/change: x|change}:docs/a ü,'1'.csv",
    ] {
        assert_eq!(
            nested.blob(&spec.parse().unwrap()).unwrap().unwrap().text,
            b"two",
            "{spec}"
        );
    }
}

#[test]
fn missing_file_and_missing_commit_are_distinguished() {
    let repo = Repo::new().with("docs/base.csv", "one");
    assert_eq!(repo.blob("HEAD:base.csv").unwrap(), None);
    assert_eq!(repo.blob("HEAD:docs/base.csv/more").unwrap(), None);
    assert_eq!(repo.blob("HEAD:*.csv").unwrap(), None);
    insta::assert_snapshot!(repo.error("HEAD:docs"), @"cannot read `HEAD:docs`: it is a folder, not a file");
    insta::assert_snapshot!(repo.error("HEAD:./../x"), @"`./../x` is outside the repository");
    insta::assert_snapshot!(repo.error("release:base.csv"), @"
    `release` is not a commit in this repository
    hint: fetch it with `git fetch origin release`, or fetch everything with `fetch-depth: 0` in `actions/checkout`
    ");
    repo.git(&["update-ref", "refs/remotes/origin/release", "HEAD"]);
    insta::assert_snapshot!(repo.error("release:base.csv"), @"
    `release` is not a commit in this repository
    hint: did you mean `origin/release`?
    ");
    insta::assert_snapshot!(repo.error("origin/$(reboot)`:base.csv"), @"
    `origin/$(reboot)`` is not a commit in this repository
    hint: fetch it with `git fetch origin REF`, or fetch everything with `fetch-depth: 0` in `actions/checkout`
    ");
    insta::assert_snapshot!(error_text(&Repo::new().blob("HEAD:x").unwrap_err(), repo.path()), @"
    `HEAD` is not a commit in this repository
    hint: the branch has no commit yet
    ");
}

#[test]
fn invalid_git_paths_are_rejected() {
    let wrong = [
        "main",
        "Cargo.toml",
        ":a.csv",
        "main:",
        "--output=x:a.csv",
        "a..b:a.csv",
        "^a:b",
        "main:/etc/passwd",
        "a\nb:c",
    ];
    let errors: Vec<String> = wrong
        .iter()
        .map(|text| text.parse::<RefPath>().unwrap_err())
        .collect();
    insta::assert_snapshot!(errors.join("\n"), @r"
    `main` has no `:PATH`; write REF:PATH, such as `main:perf-baseline.csv`
    `Cargo.toml` is a file: use `--baseline-csv Cargo.toml`, or `HEAD:Cargo.toml` for the committed one
    `:a.csv` is not REF:PATH, such as `HEAD:perf-baseline.csv`
    `main:` is not REF:PATH, such as `HEAD:perf-baseline.csv`
    `--output=x` does not match exactly one commit
    `a..b` does not match exactly one commit
    `^a` does not match exactly one commit
    `/etc/passwd` is not a path in a repository; paths begin at its top, such as `main:etc/passwd`
    `a\nb` does not match exactly one commit
    ");
}

#[test]
fn missing_repository_or_folder_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let error = |folder: &Path| {
        Git::at(folder)
            .blob(&"HEAD:x".parse().unwrap())
            .unwrap_err()
    };
    insta::assert_snapshot!(error_text(&error(folder.path()), folder.path()), @"
    `FOLDER` is not in a git repository
    hint: use `git clone` or `actions/checkout`; a downloaded archive is not a repository
    ");
    let missing = error(&folder.path().join("none"));
    insta::assert_snapshot!(error_text(&missing, folder.path()), @"no folder `FOLDER/none`");
}

#[test]
fn lfs_pointers_are_errors() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n";
    let repo = Repo::new().with("a.csv", "one").with("a.csv", pointer);
    let why = "it is in LFS, so the repository has only a pointer to it: `git lfs untrack` keeps it out of LFS";
    assert_eq!(
        repo.error("HEAD:a.csv"),
        format!("cannot read `HEAD:a.csv`: {why}")
    );
    let history = repo.history("HEAD:a.csv", 5);
    assert_eq!(contents(&history), own(&[(1, "one")]));
    assert_eq!(history.left_out[0].why, why);
}

#[test]
fn unreadable_content_is_reported_in_the_words_of_git() {
    let repo = Repo::new().with("a.csv", "one").with("b.csv", "two");
    for (name, word) in [("a.csv", "inflate"), ("b.csv", "bad file")] {
        let object = repo.git(&["rev-parse", &format!("HEAD:{name}")]);
        let (folder, file) = object.trim().split_at(2);
        let path = repo.path().join(format!(".git/objects/{folder}/{file}"));
        fs::remove_file(&path).unwrap();
        if name == "a.csv" {
            fs::write(&path, "corrupt").unwrap();
        }
        let error = repo.error(&format!("HEAD:{name}"));
        let why = format!("cannot read `HEAD:{name}`: its content is unreadable: git: ");
        assert!(error.starts_with(&why) && error.contains(word), "{error}");
    }
}

#[test]
fn the_last_versions_come_in_order_and_each_content_once() {
    let repo = Repo::new()
        .with("a.csv", "one")
        .with("a.csv", "two")
        .with("other", "x")
        .without("a.csv");
    let repo = repo
        .with("a.csv/in a folder", "no")
        .without("a.csv/in a folder");
    let _ = fs::remove_dir(repo.path().join("a.csv"));
    let repo = repo
        .with("a.csv", "three")
        .with("a.csv", "two")
        .with("a.csv", "four");
    let history = repo.history("HEAD:a.csv", 9);
    assert_eq!(
        contents(&history),
        own(&[(1, "one"), (7, "three"), (8, "two"), (9, "four")])
    );
    assert!(history.from_the_start && !history.shallow && history.left_out.is_empty());
    let first = short(&history.versions[0].commit).to_owned();
    let [shortage] = &history.diagnostics()[..] else {
        panic!("{:?}", history.diagnostics());
    };
    insta::assert_snapshot!(shortage.message.replace(&first, "FIRST"), @"found only 4 of 9 versions of `a.csv`: the file was added in FIRST; renames are not followed");
    assert_eq!((shortage.severity, &shortage.hint), (Severity::Info, &None));
    let last = repo.history("HEAD:a.csv", 2);
    assert_eq!(contents(&last), own(&[(8, "two"), (9, "four")]));
    assert_eq!(
        (last.from_the_start, last.diagnostics()),
        (false, Vec::new())
    );
    assert_eq!(
        contents(&repo.history("HEAD~1:a.csv", 1)),
        own(&[(8, "two")])
    );
    assert_eq!(contents(&repo.history("HEAD:none.csv", 3)), []);
    assert_eq!(contents(&repo.history("HEAD:a.csv", 0)), []);
}

#[test]
fn merge_is_one_version() {
    let repo = Repo::new().with("a.csv", "one");
    repo.git(&["checkout", "--quiet", "-b", "refresh"]);
    let repo = repo.with("a.csv", "tried").with("a.csv", "better");
    repo.git(&["checkout", "--quiet", "main"]);
    let repo = repo.with("other", "x");
    repo.commits.set(10);
    repo.git(&["merge", "--quiet", "--no-ff", "--message=merge", "refresh"]);
    assert_eq!(
        contents(&repo.history("main:a.csv", 9)),
        own(&[(1, "one"), (10, "better")])
    );
}

#[test]
fn settings_of_a_user_change_nothing() {
    let repo = Repo::new().with("old.csv", "one");
    repo.git(&["mv", "old.csv", "a.csv"]);
    repo.commit();
    let repo = repo
        .with("a.csv", "two")
        .with(".gitattributes", "*.csv diff=x filter=x text eol=crlf\n");
    let before = (
        repo.history("HEAD:a.csv", 9),
        repo.blob("HEAD:a.csv").unwrap(),
    );
    let settings = [
        "log.follow=true",
        "log.showSignature=true",
        "log.showRoot=false",
        "diff.renames=copies",
        "color.ui=always",
        "diff.external=false",
        "diff.x.textconv=false",
        "filter.x.smudge=false",
        "diff.relative=true",
        "core.quotePath=true",
        "log.decorate=full",
        "log.diffMerges=off",
        "diff.noPrefix=true",
    ];
    for setting in settings {
        let (name, value) = setting.split_once('=').unwrap();
        repo.git(&["config", name, value]);
    }
    assert_eq!(
        (
            repo.history("HEAD:a.csv", 9),
            repo.blob("HEAD:a.csv").unwrap()
        ),
        before
    );
    assert_eq!(contents(&before.0), own(&[(2, "one"), (3, "two")]));
}

/// Git fetches a missing commit from the promisor remote, with a program that the repository's configuration sets.
#[cfg(unix)]
#[test]
fn isolated_git_runs_no_program_that_the_repository_configures() {
    let repo = Repo::new().with("a.csv", "one");
    let mark = repo.path().join("owned");
    let program = format!("touch '{}'; false", mark.display());
    repo.git(&["config", "core.fsmonitor", &program]);
    repo.git(&["config", "core.sshCommand", &program]);
    repo.git(&["config", "remote.origin.url", "ssh://host/repository"]);
    repo.git(&["config", "remote.origin.promisor", "true"]);
    repo.git(&["config", "core.repositoryFormatVersion", "1"]);
    repo.git(&["config", "extensions.partialClone", "origin"]);
    let missing = "0123456789".repeat(4);
    for command in [&["status"][..], &["cat-file", "-e", &missing]] {
        let _ = repo.here().isolated().local().output(command);
        assert!(!mark.exists(), "{command:?}");
        let _ = repo.here().output(command);
        assert!(mark.exists(), "{command:?}");
        fs::remove_file(&mark).unwrap();
    }
}

#[test]
fn git_without_fetching_allows_no_protocol() {
    let repo = Repo::new().with("a.csv", "one");
    let list = ["ls-remote", "."];
    assert!(repo.here().ask(&list).is_some());
    assert_eq!(repo.here().without_fetching().ask(&list), None);
}

#[test]
fn shallow_clone_returns_its_versions_and_warns() {
    let repo = Repo::new()
        .with("a.csv", "one")
        .with("a.csv", "two")
        .with("other", "x")
        .with("a.csv", "three");
    let clone = tempfile::tempdir().unwrap();
    let url = format!(
        "file://{}",
        repo.path().display().to_string().replace('\\', "/")
    );
    git_in(
        clone.path(),
        "",
        &["clone", "--quiet", "--depth=2", &url, "."],
    );
    let git = Git::at(clone.path());
    let history = git.versions(&"HEAD:a.csv".parse().unwrap(), 5).unwrap();
    // The commit at the shallow boundary stands for the missing ones.
    assert_eq!(contents(&history), own(&[(3, "two"), (4, "three")]));
    assert!(history.shallow && !history.from_the_start);
    let [shortage] = &history.diagnostics()[..] else {
        panic!("{:?}", history.diagnostics());
    };
    assert_eq!(shortage.severity, Severity::Note);
    insta::assert_snapshot!(format!("{shortage}\nhint: {}", shortage.hint.as_deref().unwrap()), @"
    history: found only 2 of 5 versions of `a.csv`: the clone is shallow
    hint: let `actions/checkout` fetch everything with `fetch-depth: 0`, or run `git fetch --unshallow`
    ");
    let complete = git.versions(&"HEAD:a.csv".parse().unwrap(), 2).unwrap();
    assert_eq!(complete.diagnostics(), []);
    let error = git.blob(&"HEAD~3:a.csv".parse().unwrap()).unwrap_err();
    insta::assert_snapshot!(error_text(&error, clone.path()), @"
    `HEAD~3` is not a commit in this repository
    hint: the clone is shallow: fetch it with `git fetch origin REF`, or fetch everything with `fetch-depth: 0` in `actions/checkout`
    ");
}

#[test]
fn blobless_clone_fetches_requested_contents() {
    let repo = Repo::new().with("a.csv", "one").with("a.csv", "two");
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    repo.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let clone = tempfile::tempdir().unwrap();
    let url = format!(
        "file://{}",
        repo.path().display().to_string().replace('\\', "/")
    );
    git_in(
        clone.path(),
        "",
        &[
            "clone",
            "--quiet",
            "--no-checkout",
            "--filter=blob:none",
            &url,
            ".",
        ],
    );
    let git = Git::at(clone.path());
    let spec: RefPath = "origin/main:a.csv".parse().unwrap();
    assert_eq!(
        contents(&git.versions(&spec, 5).unwrap()),
        own(&[(1, "one"), (2, "two")])
    );
}

#[test]
fn contents_larger_than_any_pipe_are_read() {
    let content = |number: u32| {
        format!(
            "scenario,x\n{}",
            format!("Some_Row_{number},{number}\n").repeat(40_000)
        )
    };
    let repo = (0..4).fold(Repo::new(), |repo, number| {
        repo.with("a.csv", content(number))
    });
    let history = repo.history("HEAD:a.csv", 9);
    let lengths: Vec<usize> = history
        .versions
        .iter()
        .map(|version| version.text.len())
        .collect();
    assert_eq!(
        lengths,
        (0..4)
            .map(|number| content(number).len())
            .collect::<Vec<_>>()
    );
}

#[test]
fn file_is_found_by_its_own_path() {
    let repo = Repo::new()
        .with("docs/a.csv", "one")
        .with("docs/a.csv", "two");
    let file = repo.path().join("docs/a.csv");
    assert_eq!(
        contents(&versions(&file, 5).unwrap()),
        own(&[(1, "one"), (2, "two")])
    );
    fs::remove_dir_all(repo.path().join("docs")).unwrap();
    assert_eq!(versions(&file, 5).unwrap().versions.len(), 2);
    assert_eq!(
        versions(&file.with_file_name("new.csv"), 5)
            .unwrap()
            .versions,
        []
    );
}

#[cfg(unix)]
#[test]
fn link_is_not_a_version() {
    let repo = Repo::new().with("a.csv", "one");
    fs::remove_file(repo.path().join("a.csv")).unwrap();
    std::os::unix::fs::symlink("elsewhere", repo.path().join("a.csv")).unwrap();
    repo.commit();
    insta::assert_snapshot!(repo.error("HEAD:a.csv"), @"cannot read `HEAD:a.csv`: it is a symbolic link, not a file");
    let history = repo.history("HEAD:a.csv", 5);
    assert_eq!(contents(&history), own(&[(1, "one")]));
    assert_eq!(history.left_out[0].why, "it is a symbolic link, not a file");
}

#[test]
fn version_that_is_not_a_baseline_is_left_out_with_a_warning() {
    let repo = Repo::new()
        .with("a.csv", "scenario,x\nA,1\n")
        .with("a.csv", "scenario,x\nA,oops\n")
        .with("a.csv", "scenario,x\nA,3\n");
    let repo = repo
        .with("a.csv", "")
        .with("a.csv", "\u{feff}scenario,x\r\nA,4\r\n");
    let mut history = repo.history("HEAD:a.csv", 9);
    let config = Config::default();
    let snapshots = rows_of_versions(&mut history, &config);
    let read: Vec<String> = snapshots
        .iter()
        .map(|snapshot| {
            format!(
                "{:?} {:?}",
                snapshot.date,
                snapshot.rows[0].metrics.get("x")
            )
        })
        .collect();
    insta::assert_snapshot!(read.join("\n"), @"
    Some(1900086400) Some(Int(1))
    Some(1900259200) Some(Int(3))
    Some(1900432000) Some(Int(4))
    ");
    let why: Vec<String> = history
        .left_out
        .iter()
        .map(|unread| unread.why.replace(short(&unread.commit), "COMMIT"))
        .collect();
    insta::assert_snapshot!(why.join("\n"), @"
    a.csv:2: invalid number `oops` (column `x`)
    `a.csv` is not a baseline: its first line is not a header with a column `scenario`
    ");
    assert_eq!(history.versions.len(), 3);
    let warning = history.diagnostics()[0].to_string();
    assert_eq!(warning, "skipped 2 versions of `a.csv` that cannot be read");
}

#[test]
fn a_deleted_or_misspelt_file_is_a_mistake_and_a_new_one_is_not() {
    let repo = Repo::new()
        .with("docs/base.csv", "a\n")
        .with("old.csv", "b\n")
        .without("old.csv");
    let why = |name: &str| {
        mistake(&repo.path().join(name), &[]).map(|it| error_text(&it.into(), repo.path()))
    };
    let deleted = why("old.csv").unwrap();
    assert!(
        deleted.contains("deleted it") && deleted.contains("^ -- :/old.csv"),
        "{deleted}"
    );
    insta::assert_snapshot!(why("docs/bases.csv").unwrap_or_default(), @"
    no baseline `FOLDER/docs/bases.csv`
    hint: did you mean `FOLDER/docs/base.csv`?
    ");
    let folder = Repo::new().with("benchmarks/base.csv", "a\n");
    let misspelt = mistake(&folder.path().join("benchmark/base.csv"), &[]).unwrap();
    insta::assert_snapshot!(error_text(&misspelt.into(), folder.path()), @"
    no baseline `FOLDER/benchmark/base.csv`
    hint: did you mean `FOLDER/benchmarks/base.csv`?
    ");
    for new in ["new.csv", "docs/base-2.csv", "base.csv", "doc/base.csv"] {
        assert_eq!(why(new), None, "{new}");
    }
    let known = repo.path().join("docs/base.csv");
    assert!(mistake(&repo.path().join("docs/bases.csv"), &[&known]).is_none());
}
