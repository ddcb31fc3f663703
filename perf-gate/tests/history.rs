//! `history`: exports a baseline's versions, and runs the queries from docs/how-to/query-the-history.md on them.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot do its work has failed"
)]

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const HEADER: &str = "scenario,platform,commit,runIndex,wallNs,decodesPerSecond\n";

struct Project(tempfile::TempDir);

impl Project {
    /// Creates a repository with these versions of a baseline, one day apart.
    fn new(versions: &[String]) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        project.git(&["init", "--quiet"], 0);
        for (day, version) in versions.iter().enumerate() {
            fs::write(
                project.0.path().join("perf-baseline.csv"),
                format!("{HEADER}{version}"),
            )
            .unwrap();
            project.git(&["add", "--all"], day);
            project.git(&["commit", "--quiet", "--message", "Refresh"], day);
        }
        project
    }

    fn git(&self, arguments: &[&str], day: usize) {
        let mut git = Command::new("git");
        git.current_dir(self.0.path())
            .env("GIT_CONFIG_GLOBAL", "")
            .env_remove("GIT_DIR");
        let date = format!("2031-03-{:02}T09:00:00Z", day + 1);
        git.env("GIT_COMMITTER_DATE", &date)
            .env("GIT_AUTHOR_DATE", &date);
        git.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
            .args(arguments);
        assert!(git.output().unwrap().status.success(), "{arguments:?}");
    }

    fn history(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_perf-gate"));
        command
            .current_dir(self.0.path())
            .env("GIT_CONFIG_GLOBAL", "")
            .env_remove("GIT_DIR");
        command.arg("history").args(arguments).output().unwrap()
    }

    #[track_caller]
    fn written(&self, name: &str) -> String {
        let output = self.history(&["--output", name]);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }
}

fn row(scenario: &str, commit: &str, ns: u32) -> String {
    format!("{scenario},linux,{commit},-1,{ns},-1\n")
}

#[test]
fn rows_get_commit_and_date_of_their_version() {
    let project = Project::new(&[row("Parse", "aaaaaaa", 100), row("Parse", "bbbbbbb", 110)]);
    insta::assert_snapshot!(project.written("history.csv"), @"
    scenario,platform,commit,runIndex,wallNs,machineClass,methodology,measuredAt
    Parse,linux,aaaaaaa,-1,100,,,2031-03-01T09:00:00Z
    Parse,linux,bbbbbbb,-1,110,,,2031-03-02T09:00:00Z
    ");
    let output = project.history(&["--last", "1"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.lines().count() == 2 && text.contains("bbbbbbb"),
        "{text}"
    );
    // Rows without a commit get the version's commit.
    let project = Project::new(&[row("Parse", "", 100)]);
    let commit = Command::new("git")
        .args(["rev-parse", "HEAD"])
        .current_dir(project.0.path())
        .output()
        .unwrap();
    let commit = String::from_utf8(commit.stdout).unwrap();
    assert!(project.written("history.csv").contains(commit.trim()));
}

#[test]
fn repeated_rows_are_exported_once() {
    let first = row("Parse", "aaaaaaa", 100);
    let both = first.clone() + &row("Parse", "bbbbbbb", 110);
    let project = Project::new(&[first, both]);
    assert_eq!(project.written("history.csv").lines().count(), 3);
}

#[test]
fn missing_baseline_is_an_error() {
    let project = Project::new(&[row("Parse", "aaaaaaa", 100)]);
    let output = project.history(&["--baseline", "other.csv", "--output", "history.csv"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(!project.0.path().join("history.csv").exists());
}

#[test]
fn workflow_command_causes_a_warning_only_in_the_log() {
    let project = Project::new(&[row("##[error]Parse", "aaaaaaa", 100)]);
    let said = |stdout: Stdio| {
        let output = Command::new(env!("CARGO_BIN_EXE_perf-gate"))
            .arg("history")
            .current_dir(project.0.path())
            .env("GITHUB_ACTIONS", "true")
            .stdout(stdout)
            .output();
        String::from_utf8(output.unwrap().stderr).unwrap()
    };
    let log = said(Stdio::piped());
    assert!(log.contains("runs as a workflow command"), "{log}");
    let file = fs::File::create(project.0.path().join("history.csv")).unwrap();
    assert_eq!(said(file.into()), "");
}

#[test]
fn history_is_not_written_as_json() {
    let project = Project::new(&[row("Parse", "aaaaaaa", 100)]);
    for name in ["history.ndjson", "history.json"] {
        let output = project.history(&["--output", name]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("is written as CSV"), "{stderr}");
        assert_eq!(output.status.code(), Some(2));
        assert!(!project.0.path().join(name).exists());
    }
}

/// A day's rows: a persistent step, a creeping slowdown, and a single jump.
fn version(day: u32) -> String {
    let mut rows = String::new();
    let commit = format!("c0ffee{day:x}");
    rows += &row("Step", &commit, if day < 6 { 1000 } else { 1500 } + day % 2);
    rows += &row("Creep", &commit, 1000 + day * 20);
    rows += &row(
        "Jump",
        &commit,
        if day.is_multiple_of(2) { 800 } else { 1250 },
    );
    writeln!(
        rows,
        "Rate,linux,{commit},-1,-1,{}",
        if day < 9 { 5000 } else { 4000 }
    )
    .unwrap();
    rows
}

/// Runs queries with Python's DuckDB module, and prints their results as CSV.
const DUCKDB: &str = "import duckdb, sys
connection = duckdb.connect()
for query in filter(str.strip, sys.stdin.read().split(';')):
    for row in connection.execute(query).fetchall():
        print(*row, sep=',')
    print('---')
";

/// Runs queries with Python's ClickHouse module.
const CLICKHOUSE: &str = "import sys
from chdb.session import Session
session = Session()
for query in filter(str.strip, sys.stdin.read().split(';')):
    print(session.query(query, 'CSV'), end='')
";

/// The results from a database, or `None` if Python's module is not installed.
fn answers(folder: &Path, (module, script): (&str, &str), queries: &str) -> Option<String> {
    let python = std::env::var("PERF_GATE_DUCKDB_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let is_there = Command::new(&python)
        .args(["-c", &format!("import {module}")])
        .output();
    if !is_there.is_ok_and(|output| output.status.success()) {
        return None;
    }
    fs::write(folder.join("queries.sql"), queries).unwrap();
    let input = fs::File::open(folder.join("queries.sql")).unwrap();
    let output = Command::new(&python)
        .args(["-c", script])
        .current_dir(folder)
        .stdin(input)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(String::from_utf8(output.stdout).unwrap())
}

/// The page's queries in one SQL dialect.
fn queries(language: &str, count: usize) -> String {
    let page = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../docs/how-to/query-the-history.md"
    ))
    .unwrap();
    let begin = format!("```{language}\n");
    let blocks = page
        .split(&begin)
        .skip(1)
        .map(|block| block.split("```").next().unwrap_or_default());
    let queries: Vec<&str> = blocks.collect();
    assert_eq!(queries.len(), count);
    queries.concat()
}

#[test]
fn documented_queries_find_step_creep_and_jump() {
    let versions: Vec<String> = (0..12).map(version).collect();
    let project = Project::new(&versions);
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("quill.csv"),
        project.written("quill.csv"),
    )
    .unwrap();
    let Some(text) = answers(folder.path(), ("duckdb", DUCKDB), &queries("sql", 5)) else {
        eprintln!("skipped: Python has no module `duckdb` (`pip install duckdb`)");
        return;
    };
    insta::assert_snapshot!(text, @"
    ---
    quill,linux,Jump,wallNs,c0ffee3,56.3
    quill,linux,Step,wallNs,c0ffee6,49.9
    quill,linux,Rate,decodesPerSecond,c0ffee9,25.0
    ---
    quill,linux,Step,wallNs,12,362.3
    quill,linux,Creep,wallNs,12,71.9
    ---
    quill,linux,Jump,wallNs,11,44.6
    quill,linux,Creep,wallNs,11,1.9
    quill,linux,Step,wallNs,11,0.1
    quill,linux,Rate,decodesPerSecond,11,0.0
    ---
    48
    ---
    ");
    let read = "SELECT scenario, metric, count(*) FROM 'numbers.parquet' GROUP BY ALL ORDER BY ALL";
    let text = answers(folder.path(), ("duckdb", DUCKDB), read);
    let written =
        "Creep,wallNs,12\nJump,wallNs,12\nRate,decodesPerSecond,12\nStep,wallNs,12\n---\n";
    assert_eq!(text.as_deref(), Some(written));
    let of_clickhouse = queries("sql clickhouse", 1);
    let Some(text) = answers(folder.path(), ("chdb", CLICKHOUSE), &of_clickhouse) else {
        eprintln!("skipped in part: Python has no module `chdb` (`pip install chdb`)");
        return;
    };
    insta::assert_snapshot!(text, @r#"
    "Creep","wallNs","c0ffeeb",1220,12
    "Jump","wallNs","c0ffeeb",1250,12
    "Rate","decodesPerSecond","c0ffeeb",0.00025,12
    "Step","wallNs","c0ffeeb",1501,12
    "#);
}
